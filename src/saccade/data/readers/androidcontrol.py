"""AndroidControl as its authors publish it: one episode a record, with screenshots and accessibility trees inside."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import ClassVar, NamedTuple

import msgspec

from saccade.actions import DIRECTIONS, Action, to_finger
from saccade.data.readers.base import Sample
from saccade.data.readers.sharded import ShardedDataset, missing_shards, only, read_splits
from saccade.data.tf_example import Feature, pick
from saccade.data.tfrecord import TFRecord
from saccade.errors import InputError, readable
from saccade.geometry import Coordinate, Point, Size
from saccade.screens.accessibility import Forest
from saccade.types import Picture, Step
from saccade.untrusted import JsonDecoder, read_text

SUBSPLITS = ("IDD", "app_unseen", "task_unseen", "category_unseen")
LIST = "ac_idx.txt"
COUNTS = {"8444": 8_444, "7708": 7_708}
FEATURES = (
    "episode_id",
    "goal",
    "screenshots",
    "screenshot_widths",
    "screenshot_heights",
    "actions",
    "step_instructions",
)
TREES = "accessibility_trees"
_FIELD = re.compile(r"\w+: ")
_LISTED = re.compile(r"episode_(\d+)_screenshot_(\d+)")


class _Action(msgspec.Struct):
    """An action as its JSON has it; each type has fields of its own."""

    action_type: str
    x: Coordinate | None = None
    y: Coordinate | None = None
    direction: str | None = None
    text: str | None = None
    app_name: str | None = None


_DECODE = JsonDecoder(_Action).decode


class _Episode(NamedTuple):
    """One record, unpacked; pictures and trees are slices of it."""

    id: str
    tags: dict[str, str]
    goal: str
    screenshots: list[memoryview]
    sizes: list[Size]
    actions: list[memoryview]
    instructions: list[str]
    trees: list[memoryview]


class AndroidControl(ShardedDataset):
    """15,283 episodes of 833 apps in 20 GZIP shards of 2.5 GB: 13,594 train, 137 validation, 1,543 test (8,444 steps).

    These are the counts that others found in the files. `splits.json` says which episode is in which split, and
    `test_subsplits.json` which of the test episodes are in-domain (IDD) or of an unseen app, task or app category; an
    episode may be in several of these. There is one screenshot more than there are actions, since nothing says that
    the task is done. A step instruction may cover several actions; then it stands at each of them.

    `scroll` names the content's direction, so the finger's is the opposite one. That holds for all four: of the test
    steps whose direction is "right", nearly all are told to "swipe left". (UI-S1's form of the data turns only up and
    down around.) An action of type `type`, which an early description has, is read too: it taps, types and submits.

    Published tables count 8,444 or 7,708 test steps. The first are all there are. The second are those that OS-Atlas
    could read, and many used the same ones since; there is no rule for them, only the list that OS-Atlas published
    (`eval/data/ac_idx.txt`, lines of `episode_140_screenshot_0`): `steps=7708` looks for it in the folder, or where
    `list=FILE` says. `list` alone takes any list of that form. Steps of a list that are not there are a problem that is
    told, since a table would not be what its name says.

    `elements=yes` reads the accessibility trees, which takes far longer than all the rest. It gives each screen its
    elements, and each click the box of the smallest clickable node at its point; without it a click is only a point.
    `level=low` gives each step its own instruction; `high` leaves it out, since a prompt would show it.
    `check=yes` compares the checksum of each record too; GZIP's own is always compared.

    Reading takes as long as inflating the pictures does: some two hundred steps a second on one core. Shards that were
    unpacked once (`gzip -dc SHARD > elsewhere/SHARD`) are read more than fifty times as fast, since pictures are then
    passed over.
    """

    name = "androidcontrol"
    title = "AndroidControl"
    layout = "TFRecord shards named android_control-00000-of-00020 and so on, with splits.json beside them"
    licence = "Apache-2.0"
    published = re.compile(r"^android_control-\d+-of-\d+$")
    marks = frozenset(("screenshots", "screenshot_widths", "screenshot_heights", TREES, "step_instructions"))
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "split": ("test", "train", "validation", "all"),
        "subsplit": ("all", *SUBSPLITS),
        "level": ("high", "low"),
        "elements": ("no", "yes"),
        "steps": ("all", *COUNTS),
        "list": (),
        "check": ("no", "yes"),
    }

    def samples(self) -> Iterator[Sample]:
        splits, listed = self._splits(), self._listed()
        files, count, waiting = self.files(self.folder), 0, set(listed or ())
        for record in self.records(files, self.options["check"] == "yes"):
            try:
                episode = self._episode(record, splits)
            except ValueError as error:
                self.bad(record.where, str(error))
                continue
            for sample in self._steps(episode, record, listed) if episode else ():
                count += 1
                waiting.discard(sample.step.id)
                yield sample
        self._complete(files, count, waiting)

    # -- what is wanted -----------------------------------------------------------------------------------------------

    def _splits(self) -> dict[str, dict[str, str]]:
        """The tags of each wanted episode; empty if all are wanted and nothing is known about them."""
        split, sub = self.options["split"], self.options["subsplit"]
        if self.options["steps"] != "all" and (split, sub) != ("test", "all"):
            raise InputError(f"{self.name}: steps={self.options['steps']} is a list of test steps: leave out split")
        if sub != "all" and split != "test":
            raise InputError(f"{self.name}: subsplit={sub} is a part of split=test, not of {split}")
        file, parts = self.root / "splits.json", self.root / "test_subsplits.json"
        if not file.is_file():
            if split == "all":
                return {}
            raise InputError(f"{self.name}: split={split} needs {file}; with split=all everything is read without it")
        splits = read_splits(file)
        if split != "all" and split not in splits:
            raise InputError(f"{file}: there is no split {split!r}: it has {', '.join(splits)}")
        tags = {id: {"split": name} for name in splits if split in (name, "all") for id in splits[name]}
        if sub == "all" and not parts.is_file():
            return tags
        found = read_splits(parts)
        for name in found:
            for id in found[name] & tags.keys():
                before = tags[id].get("subsplit")
                tags[id]["subsplit"] = f"{before},{name}" if before else name
        if sub not in ("all", *found):
            raise InputError(f"{parts}: there is no sub-split {sub!r}: it has {', '.join(found)}")
        return tags if sub == "all" else {id: tags[id] for id in found[sub] if id in tags}

    def _listed(self) -> frozenset[str] | None:
        """The ids of the steps that are wanted; None: all."""
        wanted, file = self.options["steps"], Path(self.options["list"] or self.root / LIST)
        if not self.options["list"] and wanted != "7708":
            return None
        try:
            lines = read_text(file).split()
        except (OSError, UnicodeDecodeError):
            raise InputError(
                f"{self.name}: cannot read {file}: the 7,708 steps are listed in OS-Atlas's eval/data/ac_idx.txt: "
                f"put that file into the folder, or say list=FILE"
            ) from None
        found = [(_LISTED.fullmatch(Path(line).stem), line) for line in lines]
        wrong = next((line for match, line in found if match is None), None)
        if wrong is not None:
            raise InputError(f"{file}: {wrong[:80]!r} is no step: they look like episode_140_screenshot_0")
        ids = frozenset(f"{match[1]}-{match[2]}" for match, _ in found if match)
        if wanted in COUNTS and len(ids) != COUNTS[wanted]:
            raise InputError(f"{file} lists {len(ids):,} steps, not {COUNTS[wanted]:,}")
        return ids

    def _complete(self, files: list[Path], count: int, waiting: set[str]) -> None:
        """Raise if episodes of a named list are missing: its figures could not be compared with published ones."""
        wanted = self.options["steps"]
        if not waiting and count == COUNTS.get(wanted, count):
            return
        name = wanted if wanted != "all" else self.options["list"]
        first = f"; {min(waiting)} is missing" if waiting else ""
        shards = missing_shards(files)
        self.bad(
            str(self.folder), f"steps: {count:,} steps of the list {name} were found{first}; {shards}".rstrip("; ")
        )

    # -- records ------------------------------------------------------------------------------------------------------

    def _episode(self, record: TFRecord, splits: dict[str, dict[str, str]]) -> _Episode | None:
        """The record as an episode, if it is wanted."""
        trees = self.options["elements"] == "yes"
        features = pick(record.data, record.at, record.end, (*FEATURES, TREES) if trees else FEATURES)
        id = str(only(features["episode_id"].integers(), "episode_id"))
        if self.options["split"] != "all" and id not in splits:
            return None
        tags = {"platform": "mobile", "language": "en", "level": self.options["level"]} | splits.get(id, {})
        return _unpack(features, id, tags, trees)

    def _steps(self, episode: _Episode, record: TFRecord, listed: frozenset[str] | None) -> Iterator[Sample]:
        low = self.options["level"] == "low"
        for at, action in enumerate(episode.actions):
            id, where = f"{episode.id}-{at}", f"{record.where} (episode {episode.id}), step {at}"
            if listed is not None and id not in listed:
                continue
            size, picture = episode.sizes[at], episode.screenshots[at]
            try:
                forest = _forest(episode.trees[at], size) if episode.trees else None
                step = Step(
                    id=id,
                    episode=episode.id,
                    step=at,
                    instruction=episode.goal,
                    step_instruction=episode.instructions[at] if low else "",
                    screen=size,
                    image=f"{record.path.name}#{record.number}/{at}",
                    history=episode.instructions[:at],
                    elements=forest.elements() if forest else [],
                    truth=[_truth(action, at, forest)],
                    tags=dict(episode.tags),
                )
            except ValueError as error:
                self.bad(where, str(error))
                continue
            yield Sample(step, Picture(partial(bytes, picture), size), where)


def _unpack(features: dict[str, Feature], id: str, tags: dict[str, str], trees: bool) -> _Episode:
    actions = features["actions"].views()
    widths, heights = features["screenshot_widths"].integers(), features["screenshot_heights"].integers()
    episode = _Episode(
        id,
        tags,
        only(features["goal"].texts(), "goal"),
        features["screenshots"].views(),
        [Size(*sides) for sides in zip(widths, heights, strict=False)],
        actions,
        features["step_instructions"].texts(),
        features[TREES].views() if trees else [],
    )
    screens = len(actions) + 1
    counts = {
        "screenshots": (len(episode.screenshots), screens),
        "screenshot_widths": (len(widths), screens),
        "screenshot_heights": (len(heights), screens),
        "step_instructions": (len(episode.instructions), len(actions)),
    } | ({TREES: (len(episode.trees), screens)} if trees else {})
    for name, (count, wanted) in counts.items():
        if count != wanted:
            raise ValueError(f"{name}: there are {count}, not {wanted}, for {len(actions)} actions")
    return episode


def _forest(tree: memoryview, size: Size) -> Forest:
    try:
        return Forest(bytes(tree), size)
    except ValueError as error:
        raise ValueError(f"{TREES}: {error}") from None


def _truth(data: memoryview, at: int, forest: Forest | None) -> Action:
    try:
        raw = _DECODE(data)
        match raw.action_type:
            case "click" | "long_press" as type:
                point = _point(raw)
                return Action(type, point=point, box=forest.target(point) if forest else None)
            case "scroll":
                if raw.direction not in DIRECTIONS:
                    raise ValueError(f"direction: is {raw.direction!r}, expected one of {', '.join(DIRECTIONS)}")
                return Action("swipe", direction=to_finger(raw.direction, "content"))
            case "input_text":
                return Action("type", text=_given(raw.text, "text"))
            case "type":
                return Action("type", text=_given(raw.text, "text"), point=_point(raw), submit=True)
            case "open_app":
                return Action("open_app", text=_given(raw.app_name, "app_name"))
            case "navigate_back":
                return Action("press", key="back")
            case "navigate_home":
                return Action("press", key="home")
            case "wait":
                return Action("wait")
            case other:
                raise ValueError(f"action_type: {other[:40]!r} is not an action of this data set")
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        told = readable(error)
        raise ValueError(f"actions[{at}]{'.' if _FIELD.match(told) else ': '}{told}") from None


def _point(raw: _Action) -> Point:
    if raw.x is None or raw.y is None:
        raise ValueError(f"{'x' if raw.x is None else 'y'}: missing, but {raw.action_type} needs it")
    return Point(raw.x, raw.y)


def _given(value: str | None, field: str) -> str:
    if value is None:
        raise ValueError(f"{field}: missing")
    return value
