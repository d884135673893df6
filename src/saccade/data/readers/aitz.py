"""Android in the Zoo: episodes of Android in the Wild with what was seen, thought and done in words (CoAT)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import IntEnum
from itertools import chain, islice
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from saccade.actions import Action, direction_between
from saccade.data.readers.arrays import fields, items
from saccade.data.readers.base import Dataset, Sample, convert, image_size
from saccade.errors import InputError, readable
from saccade.geometry import UNIT, Box, Number, Point, Size
from saccade.paradigms.wording import in_words, language_of
from saccade.types import Element, Picture, Step
from saccade.untrusted import decode_json

SUBSETS = ("general", "google_apps", "install", "single", "web_shopping")
SPLITS = ("train", "test")
TAP = 0.04
"""Touch and lift at most this share of the screen apart are a tap (AitW)."""


class Kind(IntEnum):
    """`result_action_type`. AITZ has 3 to 7, 10 and 11; 0 and 1 come from others who use its form."""

    LONG_PRESS = 0
    NOTHING = 1
    TYPE = 3
    GESTURE = 4
    BACK = 5
    HOME = 6
    ENTER = 7
    COMPLETE = 10
    IMPOSSIBLE = 11


class _Row(msgspec.Struct):
    """One step. Lists are written as JSON in a string; copies of the data have them unpacked."""

    episode_id: str | int
    step_id: int
    instruction: str
    result_action_type: int
    image_path: str
    result_action_text: str | None = None
    result_touch_yx: str | list[float] | None = None
    result_lift_yx: str | list[float] | None = None
    ui_positions: str | list[Any] | None = None
    ui_text: str | list[Any] | None = None
    ui_types: str | list[Any] | None = None
    image_width: int | None = None
    image_height: int | None = None
    coat_action_think: str | None = None
    coat_action_desc: str | None = None
    coat_action_result: str | None = None


class AITZ(Dataset):
    """Android in the Zoo: 18,643 screens in 2,504 episodes (1,998 with 13,919 for training, 506 with 4,724 for tests).

    Each episode is a folder with a JSON list of its steps and the screenshots beside it; above it there may be folders
    for the sub-set and for `train` or `test`. Touch and lift are shares of the screen, y first; elements are boxes in
    pixels (y, x, height, width), found by OCR and icon detection, so their texts are often misread. The published rule
    needs them, so they are always read. Touch and lift at most 0.04 apart are a tap at the touch, else a swipe of the
    finger along the larger share; where pixels would turn that direction around, the end point is left out.

    `coat_action_think` is the step's thought, `coat_action_desc` its line in the history (and the instruction of the
    step itself with `level=low`), and `coat_action_result` of the step before it the context. These texts were written
    by a model; some contradict the action. The picture lies beside the JSON file whatever `image_path` says.
    """

    name = "aitz"
    title = "Android in the Zoo (AITZ)"
    layout = "a folder an episode with a .json list of steps (result_action_type, result_touch_yx) and its pictures"
    licence = "Apache-2.0"
    profile = "aitz"
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "split": ("all", "test", "train"),
        "subset": ("all", *SUBSETS),
        "level": ("high", "low"),
    }

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        levels = ("*.json", "*/*.json", "*/*/*.json", "*/*/*/*.json")
        first = chain.from_iterable(islice(folder.glob(level), 5) for level in levels)
        return any({"result_action_type", "result_touch_yx"} <= fields(file) for file in first)

    def samples(self) -> Iterator[Sample]:
        for file in self.counted(self._files()):
            yield from self._episode(file)

    def _files(self) -> list[Path]:
        """The episodes of the chosen parts; folders of that name are what tells them apart."""
        found = self.folder.rglob("*.json")
        files = sorted(path for path in found if path.is_file() and not path.name.startswith("."))
        for option in ("split", "subset"):
            wanted = self.options[option]
            if wanted != "all":
                files = [file for file in files if wanted in self._above(file)]
                if not files:
                    raise InputError(f"{self.name}: no episode of {self.folder} lies in a folder named {wanted}")
        return files

    def _above(self, file: Path) -> tuple[str, ...]:
        """The names of the folders that an episode lies in, also where `test/install` itself was opened."""
        above = self.folder.absolute()
        named = above.parts[-2:] if above.name in SUBSETS else above.parts[-1:]
        return (*named, *file.relative_to(self.folder).parts[:-1])

    def _episode(self, file: Path) -> Iterator[Sample]:
        history, before, tags = list[str](), "", self._tags(file)
        for row, where in self._rows(file):
            try:
                step, picture = self._step(row, file)
            except (ValueError, OSError) as error:
                self.bad(where, readable(error))
                history += [row.coat_action_desc] if row.coat_action_desc else []
                continue
            step.context, step.history, step.tags = before, list(history), {**tags, **step.tags}
            history.append(row.coat_action_desc or in_words(step.truth[0], step.view))
            before = row.coat_action_result or ""
            yield Sample(step, picture, where)

    def _rows(self, file: Path) -> Iterator[tuple[_Row, str]]:
        """Steps in the order of their numbers."""
        rows: dict[int, tuple[_Row, str]] = {}
        for item in items(file):
            where = f"{file} record {item.number}"
            try:
                if item.error:
                    raise ValueError(item.error)
                if item.key:
                    raise ValueError(f"{item.key}: expected a list of steps, found an object")
                row: _Row = convert(item.value, _Row)
                if row.step_id in rows:
                    raise ValueError(f"step_id: number {row.step_id} comes twice")
            except ValueError as error:
                self.bad(where, str(error))
                if item.key:
                    return
                continue
            rows[row.step_id] = row, where
        yield from (rows[number] for number in sorted(rows))

    def _tags(self, file: Path) -> dict[str, str]:
        tags = {"platform": "mobile", "level": self.options["level"]}
        for part in self._above(file):
            if part in SPLITS:
                tags["split"] = part
            if part in SUBSETS:
                tags["source"] = part
        return tags

    def _step(self, row: _Row, file: Path) -> tuple[Step, Picture]:
        path = file.parent / re.split(r"[/\\]", row.image_path)[-1]
        there = path.is_file()
        if there or row.image_width is None or row.image_height is None:
            size = image_size(path)
        else:
            size = Size(row.image_width, row.image_height)
        step = Step(
            id=f"{row.episode_id}-{row.step_id}",
            episode=str(row.episode_id),
            step=row.step_id,
            instruction=row.instruction,
            step_instruction=(row.coat_action_desc or "") if self.options["level"] == "low" else "",
            screen=size,
            image=path.relative_to(self.folder).as_posix(),
            elements=_elements(row),
            truth=[_truth(row, size)],
            thought=row.coat_action_think or "",
            tags={"language": language_of(row.instruction)},
        )
        return step, Picture(str(path), size)


def _unpacked(value: str | list[Any] | None, kind: Any, field: str) -> Any:
    """A list that may be written as JSON in a string; `ValueError` with the field's name."""
    try:
        return convert(decode_json(value) if isinstance(value, str) else value, kind)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{field}: {error}") from None


def _elements(row: _Row) -> list[Element]:
    if row.ui_positions is None:
        return []
    boxes = _unpacked(row.ui_positions, list[tuple[Number, Number, Number, Number]], "ui_positions")
    texts = _unpacked(row.ui_text if row.ui_text is not None else [""] * len(boxes), list[str], "ui_text")
    kinds = _unpacked(row.ui_types if row.ui_types is not None else [""] * len(boxes), list[str], "ui_types")
    if not len(boxes) == len(texts) == len(kinds):
        raise ValueError(f"ui_text: {len(texts)} texts and {len(kinds)} types for {len(boxes)} positions")
    return [
        _element(at, Box.from_xywh(x, y, width, height), text, kind)
        for at, ((y, x, height, width), text, kind) in enumerate(zip(boxes, texts, kinds, strict=True))
    ]


def _element(id: int, box: Box, text: str, kind: str) -> Element:
    """`ICON_V_BACKWARD` is an icon, and its name the only thing known about it."""
    icon = kind.removeprefix("ICON_")
    if icon != kind:
        return Element(id, box, type="icon", text=text, caption=icon.replace("_", " ").lower())
    return Element(id, box, type=kind.lower(), text=text)


def _truth(row: _Row, size: Size) -> Action:
    try:
        kind = Kind(row.result_action_type)
    except ValueError:
        raise ValueError(f"result_action_type: {row.result_action_type} is not an action of this data set") from None
    match kind:
        case Kind.TYPE:
            return Action("type", text=row.result_action_text or "")
        case Kind.GESTURE:
            return _gesture(_touch(row), _place(row.result_lift_yx, "result_lift_yx"), size)
        case Kind.LONG_PRESS:
            return Action("long_press", point=UNIT.decode(_touch(row), size))
        case Kind.BACK | Kind.HOME | Kind.ENTER:
            return Action("press", key=kind.name.lower())
        case Kind.NOTHING:
            return Action("wait")
        case Kind.COMPLETE:
            return Action("terminate", status="success")
        case Kind.IMPOSSIBLE:
            return Action("terminate", status="failure")


def _touch(row: _Row) -> Point:
    return _place(row.result_touch_yx, "result_touch_yx")


def _place(value: str | list[float] | None, field: str) -> Point:
    """A point in shares of the screen; [-1, -1] stands for none."""
    y, x = _unpacked(value, tuple[Number, Number], field)
    if x == y == -1:
        raise ValueError(f"{field}: {[y, x]} stands for no place, but the action needs one")
    return Point(x, y)


def _gesture(touch: Point, lift: Point, size: Size) -> Action:
    start, end = UNIT.decode(touch, size), UNIT.decode(lift, size)
    if touch.distance(lift) <= TAP:
        return Action("click", point=start)
    direction = direction_between(touch, lift)
    kept = end if direction_between(start, end) == direction else None
    return Action("swipe", direction=direction, start=start, end=kept)
