"""Training mixes: seeded draws from several data sets in one file of step records (`saccade data mix`).

A mix is a YAML list of parts, each with a count of steps or of whole episodes:

    - {name: low, source: androidcontrol, options: {split: train, level: low}, count: 500}
    - {name: tasks, folder: aitw, count: 300, of: episodes, per: source}

`mixes/` has those of the papers. The parts are drawn independently (`draw`): two parts of one data set may share steps,
since the papers do not say otherwise. A step that is drawn alone is an episode of its own with its recorded history.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import replace

from saccade.data.draw import draw_per_group
from saccade.data.readers import Sample, open_dataset
from saccade.data.readers.base import Dataset
from saccade.data.selection import SelectedPart
from saccade.errors import InputError, readable
from saccade.typed_values import to_type
from saccade.untrusted import YamlError, read_yaml

MIXES = Path(__file__).parent / "mixes"


class MixPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One part of a mix."""

    name: str
    count: int
    source: str = ""
    """The data set's reader; recognised by its content if empty."""
    folder: str = ""
    """Where the data lie, from the mix's file; empty: given with `--source SOURCE=FOLDER`."""
    options: dict[str, str] = msgspec.field(default_factory=dict)
    """Of the reader."""
    of: Literal["steps", "episodes"] = "steps"
    per: str = ""
    """A tag: so many for each of its values."""
    tags: dict[str, str] = msgspec.field(default_factory=dict)
    """Added to each step, besides `part`."""


def mixes() -> list[str]:
    return sorted(file.stem for file in MIXES.glob("*.yaml"))


def read_mix(name: str) -> list[MixPart]:
    """A mix by its name or file."""
    file = MIXES / f"{name}.yaml" if name in mixes() else Path(name)
    if not file.is_file():
        raise InputError(f"there is no mix {name!r}: give a YAML file, or one of {', '.join(mixes())}")
    try:
        parts = to_type(read_yaml(file), list[MixPart], strict=False)
    except msgspec.ValidationError as error:
        raise InputError(f"{file}: {readable(error)}") from None
    except YamlError as error:
        raise InputError(f"{file} is not YAML: {error}") from None
    return [replace(part, folder=str(file.parent / part.folder)) if part.folder else part for part in parts]


def parse_part(text: str) -> MixPart:
    """`NAME=FOLDER:COUNT`, then `,KEY=VALUE` for `as`, `of`, `per` and the reader's options."""
    words = text.split(",")
    name, _, place = words[0].partition("=")
    folder, _, count = place.rpartition(":")
    pairs = [word.partition("=") for word in words[1:]]
    if not name or not folder or not count.isdecimal() or not all(key and sign for key, sign, _ in pairs):
        raise InputError(f"--part {text!r}: write NAME=FOLDER:COUNT, then ,KEY=VALUE for options of its reader")
    given = {key: value for key, _, value in pairs}
    fields = {"source": given.pop("as", ""), "of": given.pop("of", "steps"), "per": given.pop("per", "")}
    try:
        return to_type({"name": name, "folder": folder, "count": int(count), "options": given} | fields, MixPart)
    except msgspec.ValidationError as error:
        raise InputError(f"--part {text!r}: {readable(error)}") from None


def open_parts(
    parts: Sequence[MixPart], folders: Mapping[str, Path], keep_going: bool
) -> list[tuple[MixPart, Dataset]]:
    """The data set of each part, checked before anything is read."""
    names = [part.name for part in parts]
    if not parts:
        raise InputError("the mix has no part: name a mix, or give --part NAME=FOLDER:COUNT")
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"two parts of the mix are called {twice}: give each its own name")
    if unused := sorted(set(folders) - {part.source for part in parts}):
        known = ", ".join(dict.fromkeys(part.source for part in parts if part.source)) or "none"
        raise InputError(f"--source {unused[0]}: no part of the mix comes from it; its sources are {known}")
    found = []
    for part in parts:
        place = folders.get(part.source) or (Path(part.folder) if part.folder else None)
        if part.count < 1 or place is None:
            lack = "count must be at least 1" if part.count < 1 else f"give its data: --source {part.source}=FOLDER"
            raise InputError(f"the part {part.name} of the mix: {lack}")
        found.append((part, open_dataset(place, part.source, keep_going=keep_going, **part.options)))
    return found


@dataclass
class DrawnPart:
    """A part of a mix after its draw."""

    part: MixPart
    dataset: Dataset
    drawn: dict[str, int]
    """How many were drawn, by the value of the tag `per`; without one, under an empty name."""
    waiting: set[str] = field(default_factory=set)
    """The ids that were drawn; of steps, those that were not yet written."""

    def choose(self, sample: Sample) -> Sample | None:
        """The sample as the mix has it, if it was drawn."""
        identity = _identity(self.part, sample)
        if identity not in self.waiting or not sample.step.truth:
            return None
        if self.part.of == "steps":
            self.waiting.discard(identity)
        step, name = sample.step, self.part.name
        alone = self.part.of == "steps" or not step.episode
        episode = f"{name}/{step.id if alone else step.episode}"
        tags = step.tags | self.part.tags | {"part": name}
        return sample._replace(step=replace(step, id=f"{name}/{step.id}", episode=episode, tags=tags))

    def selected(self) -> SelectedPart:
        return SelectedPart(self.dataset, self.choose)


def draw_part(part: MixPart, dataset: Dataset, seed: int, allow_fewer: bool = False) -> DrawnPart:
    """Read the data set once, and draw. Too few are an error, unless `allow_fewer`."""
    samples = (sample for sample in dataset.samples() if sample.step.truth)
    groups = draw_per_group(
        samples, part.count, seed, lambda sample: _identity(part, sample), lambda sample: _group(part, sample)
    )
    drawn = {group: len(ids) for group, ids in groups.items()} or {"": 0}
    few = next((group for group, count in drawn.items() if count < part.count), None)
    if few is not None and not allow_fewer:
        of = f" with {part.per}={few}" if part.per else ""
        raise InputError(
            f"the part {part.name} has {drawn[few]:,} {part.of}{of} in {dataset.folder}, not {part.count:,}: give more "
            f"data, a lower count, or --allow-fewer"
        )
    return DrawnPart(part, dataset, drawn, {each for ids in groups.values() for each in ids})


def _identity(part: MixPart, sample: Sample) -> str:
    """What is drawn. The part's name is in it, so that two parts of one data set are drawn independently."""
    step = sample.step
    return f"{part.name}\0{step.episode or step.id}" if part.of == "episodes" else f"{part.name}\0{step.id}"


def _group(part: MixPart, sample: Sample) -> str:
    if part.per and part.per not in sample.step.tags:
        known = ", ".join(sample.step.tags) or "none"
        raise InputError(
            f"{sample.where}: the step has no tag {part.per!r}, which {part.name} draws by; it has {known}"
        )
    return sample.step.tags.get(part.per, "")
