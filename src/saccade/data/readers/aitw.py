"""Android in the Wild as its authors publish it: one step a record, with the screenshot's raw pixels inside."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import ClassVar, NamedTuple

from PIL import Image

from saccade.actions import Action, direction_between
from saccade.data.readers.base import Sample
from saccade.data.readers.sharded import ShardedDataset, only, read_splits
from saccade.data.tf_example import Feature, pick
from saccade.data.tfrecord import TFRecord
from saccade.errors import InputError
from saccade.geometry import UNIT, Box, Point, Size, finite
from saccade.paradigms.wording import in_words, language_of
from saccade.types import Element, Picture, Step

SUBSETS = ("general", "google_apps", "install", "single", "web_shopping")
STANDARD = ("splits/standard.json", "standard.json")
TAP = 0.04
"""Touch and lift at most this share of the screen apart are a tap."""
MODES = {1: "L", 3: "RGB", 4: "RGBA"}
"""What pixels of so many channels are."""
ENCODED = (b"\x89PNG", b"\xff\xd8\xff")
_BOXES, _SAID, _KINDS = ("image/ui_annotations_" + name for name in ("positions", "text", "ui_types"))
_NUMBERS = ("step_id", "image/height", "image/width", "image/channels", "results/action_type")
_TAGS = {"current_activity": "activity", "device_type": "device", "android_api_level": "android"}
FEATURES = (
    "episode_id",
    "goal_info",
    "image/encoded",
    "results/type_action",
    "results/yx_touch",
    "results/yx_lift",
    *_NUMBERS,
    *_TAGS,
)


class _Row(NamedTuple):
    """One record, unpacked; the picture is a slice of it."""

    record: TFRecord
    episode: str
    step: int
    features: dict[str, Feature]
    where: str


class AitW(ShardedDataset):
    """715,142 episodes with 5,689,993 screens, as their authors count them, in shards of a few MB by sub-set:
    google_apps 625,542 episodes, install 25,760, web_shopping 28,061, general 9,476, single 26,303.

    The folder is the whole data set or one sub-set. Which episode is in which split is told by one of five files,
    `splits/standard.json` unless `splits=FILE` names another (unseen version, subject, verb or domain); without one
    only `split=all` can be read.

    Touch and lift are shares of the screen, y first. At most 0.04 apart they are a tap at the touch, else a swipe of
    the finger along the larger share; where pixels would turn that direction around, the end point is left out. The
    screen's elements are boxes found by OCR and icon detection: their texts are often misread, and whether they can be
    touched is not known. The published rule needs them; `elements=no` leaves them out.

    A screenshot is raw pixels, and becomes a PNG when somebody looks at it. The records of an episode are expected one
    behind the other; they are brought into the order of their steps. Steps may be missing in an episode; then its
    history has fewer lines. `check=yes` compares the checksum of each record too; GZIP's own is always compared.

    Not verified, for want of the files: the names of the other four split files, and whether an episode may be spread
    over two shards (its parts would then be two episodes of the same name).
    """

    name = "aitw"
    title = "Android in the Wild (AitW)"
    layout = "TFRecord shards named general-00000-of-00321 and so on, or folders of them (general, google_apps, …)"
    profile = "aitw"
    published = re.compile(rf"^(?:{'|'.join(SUBSETS)})-\d+-of-\d+$")
    marks = frozenset(("goal_info", "image/encoded", "results/action_type", "results/yx_touch", _BOXES))
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "split": ("test", "train", "validation", "all"),
        "splits": (),
        "subset": ("all", *SUBSETS),
        "elements": ("yes", "no"),
        "check": ("no", "yes"),
    }

    @classmethod
    def folders(cls, folder: Path) -> Sequence[Path]:
        return [folder, *(folder / name for name in SUBSETS if (folder / name).is_dir())]

    def samples(self) -> Iterator[Sample]:
        wanted = self._wanted()
        rows = self._rows(self._files(), wanted)
        for _, episode in groupby(rows, key=lambda row: row.episode):
            yield from self._episode(list(episode))

    # -- what is wanted -----------------------------------------------------------------------------------------------

    def _files(self) -> list[Path]:
        files, subset = self.files(self.folder), self.options["subset"]
        found = [file for file in files if subset in ("all", _subset(file))]
        if not found:
            raise InputError(f"{self.name}: {self.folder} has no shards of the sub-set {subset}")
        return found

    def _wanted(self) -> frozenset[str] | None:
        """The episodes of the chosen split; None: all."""
        split, named = self.options["split"], self.options["splits"]
        if split == "all":
            return None
        usual = [place / name for place in (self.root, self.root.parent) for name in STANDARD]
        places = [Path(named)] if named else usual
        file = next((place for place in places if place.is_file()), places[0])
        if not file.is_file():
            raise InputError(f"{self.name}: split={split} needs {file}; with split=all everything is read without it")
        splits = read_splits(file)
        found = splits.get(split, splits.get("val") if split == "validation" else None)
        if found is None:
            raise InputError(f"{file}: there is no split {split!r}: it has {', '.join(splits)}")
        return found

    # -- records ------------------------------------------------------------------------------------------------------

    def _rows(self, files: list[Path], wanted: frozenset[str] | None) -> Iterator[_Row]:
        names = (*FEATURES, _BOXES, _SAID, _KINDS) if self.options["elements"] == "yes" else FEATURES
        for record in self.records(files, self.options["check"] == "yes"):
            try:
                features = pick(record.data, record.at, record.end, names)
                id = only(features["episode_id"].texts(), "episode_id")
                if wanted is not None and id not in wanted:
                    continue
                step = only(features["step_id"].integers(), "step_id")
            except ValueError as error:
                self.bad(record.where, str(error))
                continue
            yield _Row(record, id, step, features, f"{record.where} (episode {id}), step {step}")

    def _episode(self, rows: list[_Row]) -> Iterator[Sample]:
        history, last = list[str](), -1
        for row in sorted(rows, key=lambda row: row.step):
            try:
                if row.step < 0 or row.step == last:
                    raise ValueError(
                        f"step_id: {row.step} {'comes twice' if row.step >= 0 else 'is no number of a step'}"
                    )
                sample = self._sample(row, list(history))
            except ValueError as error:
                self.bad(row.where, str(error))
                continue
            last = row.step
            yield sample
            history.append(in_words(sample.step.truth[0], sample.step.view))

    def _sample(self, row: _Row, history: list[str]) -> Sample:
        features, record = row.features, row.record
        numbers = {name: only(features[name].integers(), name) for name in _NUMBERS}
        size = Size(numbers["image/width"], numbers["image/height"])
        picture = _picture(only(features["image/encoded"].views(), "image/encoded"), size, numbers["image/channels"])
        goal = only(features["goal_info"].texts(), "goal_info")
        step = Step(
            id=f"{row.episode}-{row.step}",
            episode=row.episode,
            step=row.step,
            instruction=goal,
            screen=size,
            image=f"{record.path.relative_to(self.root).as_posix()}#{record.number}",
            history=history,
            elements=_elements(features, size) if _BOXES in features else [],
            truth=[_truth(features, numbers["results/action_type"], size)],
            tags={"platform": "mobile", "language": language_of(goal)} | self._tags(row),
        )
        return Sample(step, picture, row.where)

    def _tags(self, row: _Row) -> dict[str, str]:
        subset, split = _subset(row.record.path), self.options["split"]
        tags = {"source": subset} if subset else {}
        if split != "all":
            tags["split"] = split
        for name, tag in _TAGS.items():
            feature = row.features[name]
            values = [str(value) for value in (feature.integers() if feature.kind == "integers" else feature.texts())]
            if values and values[0]:
                tags[tag] = values[0]
        return tags


def _subset(file: Path) -> str:
    """The sub-set of a shard, by its own name or its folder's."""
    return next((name for name in SUBSETS if file.name.startswith(f"{name}-") or file.parent.name == name), "")


def _picture(pixels: memoryview, size: Size, channels: int) -> Picture:
    if channels not in MODES:
        raise ValueError(f"image/channels: is {channels}, expected one of {', '.join(map(str, MODES))}")
    if len(pixels) == size.width * size.height * channels:
        return Picture(partial(_png, pixels, size, MODES[channels]), size)
    if bytes(pixels[:4]).startswith(ENCODED):
        return Picture(partial(bytes, pixels), size)
    raise ValueError(
        f"image/encoded: {len(pixels):,} bytes are not {size.width} × {size.height} pixels of {channels} channels"
    )


def _png(pixels: memoryview, size: Size, mode: str) -> bytes:
    out = io.BytesIO()
    Image.frombytes(mode, size, bytes(pixels)).save(out, "PNG")
    return out.getvalue()


def _elements(features: dict[str, Feature], size: Size) -> list[Element]:
    numbers, texts, kinds = features[_BOXES].floats(), features[_SAID].texts(), features[_KINDS].texts()
    if len(numbers) % 4 or not finite(numbers):
        raise ValueError(f"{_BOXES}: {len(numbers)} numbers are not (y, x, height, width) of each element")
    count = len(numbers) // 4
    for name, values in ((_SAID, texts), (_KINDS, kinds)):
        if values and len(values) != count:
            raise ValueError(f"{name}: there are {len(values)} for {count} boxes")
    found = []
    for at in range(count):
        y, x, height, width = numbers[4 * at : 4 * at + 4]
        box = UNIT.decode_box(Box.from_xywh(x, y, width, height), size)
        found.append(_element(at, box, texts[at] if texts else "", kinds[at] if kinds else ""))
    return found


def _element(id: int, box: Box, text: str, kind: str) -> Element:
    """`ICON_V_BACKWARD` is an icon, and its name the only thing known about it."""
    icon = kind.removeprefix("ICON_")
    if icon != kind:
        return Element(id, box, type="icon", text=text, caption=icon.replace("_", " ").lower())
    return Element(id, box, type=kind.lower(), text=text)


def _truth(features: dict[str, Feature], number: int, size: Size) -> Action:
    match number:
        case 3:
            return Action("type", text=only(features["results/type_action"].texts(), "results/type_action"))
        case 4:
            return _gesture(_place(features["results/yx_touch"]), _place(features["results/yx_lift"]), size)
        case 5:
            return Action("press", key="back")
        case 6:
            return Action("press", key="home")
        case 7:
            return Action("press", key="enter")
        case 10:
            return Action("terminate", status="success")
        case 11:
            return Action("terminate", status="failure")
    raise ValueError(f"results/action_type: {number} is not an action of this data set")


def _place(feature: Feature) -> Point:
    """A point in shares of the screen; -1 stands for none."""
    values = feature.floats()
    if len(values) != 2 or not finite(values) or min(values) < 0:
        raise ValueError(f"{feature.name}: {values[:4]} is no place (y, x) on the screen, but a gesture needs one")
    return Point(values[1], values[0])


def _gesture(touch: Point, lift: Point, size: Size) -> Action:
    start, end = UNIT.decode(touch, size), UNIT.decode(lift, size)
    if touch.distance(lift) <= TAP:
        return Action("click", point=start)
    direction = direction_between(touch, lift)
    unturned = direction_between(start, end) == direction
    return Action("swipe", direction=direction, start=start, end=end if unturned else None)
