"""The training rows of the BTL-UI release: a conversation, the solution, and the box of the element that counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from saccade.actions import Action
from saccade.data.readers.arrays import JsonItem, fields, items, lines
from saccade.data.readers.base import Dataset, Sample, convert, image_size
from saccade.data.readers.tables import decoded
from saccade.errors import readable
from saccade.geometry import PIXEL, Box, Frame, Point, Size
from saccade.paradigms.btl import VERBS
from saccade.paradigms.wording import language_of
from saccade.types import Element, Picture, Step
from saccade.untrusted import decode_json

MAX_PIXELS = 4_014_080
"""What the release trains with, where a row does not say."""
_SECTION = re.compile(r"^## *(.+?) *$", re.MULTILINE)
_NUMBERED = re.compile(r"Step \d+: *")


class _Message(msgspec.Struct):
    role: str
    content: str


class _Row(msgspec.Struct):
    messages: list[_Message]
    solution: str
    """JSON: `[{"point_2d": …}]` for grounding, `[{"Action": …}]` for navigation."""
    bbox: list[float] | None = None
    image: str | list[str] | None = None
    images: str | list[str] | None = None
    image_sizes: list[Size] | None = None
    max_pixels: int | None = None


class BTLMeta(Dataset):
    """What BTL-UI's released code trains on: .json lists (or .jsonl) of conversations. Two examples were published.

    Coordinates are not pixels of the screenshot but of the picture as the model sees it, resized to `max_pixels`: in
    both examples boxes fit their elements only so, and the released reward divides by that size. They are converted to
    pixels here. Who has made rows of this form in plain pixels says `coordinates=pixel`.

    Grounding rows (`point_2d`) keep the user's sentence as the instruction. Navigation rows have the instruction and
    the history in the sections `## User Instruction` and `## Action History` of the user's message. The box is also the
    only key element (the released blink reward compares with it); rows without a place have none. The directions of
    Swipe are taken for the finger's; the examples have no swipe to check that with. Rows are single steps of episodes
    that are not in the file, so they belong to no episode; `step` is the number of steps before it. Pictures are looked
    for by the path given, from the folder and from the one above it, and by their name in `images/`.
    """

    name = "btl"
    title = "training rows of BTL-UI"
    layout = "a .json or .jsonl file of rows with messages, solution, bbox and image_sizes, and images/"
    licence = "Apache-2.0"
    profile = "btl"
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "task": ("all", "grounding", "navigation"),
        "coordinates": ("resized", "pixel"),
    }

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        return bool(_files(folder))

    def samples(self) -> Iterator[Sample]:
        files = _files(self.folder)
        self.progress.total, self.progress.done = sum(file.stat().st_size for file in files), 0
        for file in files:
            before = self.progress.done
            for item in _rows(file):
                self.progress.done = before + item.end
                where = f"{file} record {item.number}"
                try:
                    if item.error:
                        raise ValueError(item.error)
                    step, picture = self._step(convert(item.value, _Row), file)
                except (ValueError, OSError) as error:
                    self.bad(where, readable(error))
                    continue
                step.id = f"{file.stem}-{item.number}"
                if self.options["task"] in ("all", step.tags["task"]):
                    yield Sample(step, picture, where)
            self.progress.done = before + file.stat().st_size

    def _step(self, row: _Row, file: Path) -> tuple[Step, Picture | None]:
        image, path = self._find(row, file)
        size = _size(row, path)
        frame = PIXEL if self.options["coordinates"] == "pixel" else _frame(row)
        solution = _solution(row.solution)
        box = frame.decode_box(_box(row.bbox), size) if row.bbox else None
        said = "\n".join(message.content for message in row.messages if message.role == "user")
        step = Step(screen=size, image=image, key_elements=[Element(0, box)] if box else None)
        if "point_2d" in solution:
            point: Point = _field(solution["point_2d"], Point, "solution.point_2d")
            step.truth = [Action("click", point=frame.decode(point, size), box=box)]
            step.instruction = said.replace("<image>", "").strip()
            step.tags["task"] = "grounding"
        else:
            step.truth = [_action(solution, size, frame, box)]
            step.instruction, step.history = _task(said)
            step.step, step.tags["task"] = len(step.history), "navigation"
        if not step.instruction:
            raise ValueError("messages: the user says nothing")
        step.tags["language"] = language_of(step.instruction)
        return step, Picture(str(path), size) if path else None

    def _find(self, row: _Row, file: Path) -> tuple[str, Path | None]:
        """A picture's path inside the folder, and the file if it is there."""
        names = row.images or row.image or ""
        name = names if isinstance(names, str) else names[-1]  # the last is the current screen
        base = re.split(r"[/\\]", name)[-1]
        if not base:
            raise ValueError("image: missing")
        root = file.parent
        inside = not Path(name).is_absolute() and ".." not in Path(name).parts
        places = [root / "images" / base, *([root / name, root.parent / name] if inside else [])]
        path = next((place for place in places if place.is_file()), None)
        image = path or places[0]
        return (image.relative_to(root).as_posix() if image.is_relative_to(root) else image.as_posix()), path


def _files(folder: Path) -> list[Path]:
    files = [folder] if folder.is_file() else sorted([*folder.glob("*.json"), *folder.glob("*.jsonl")])
    return [file for file in files if {"messages", "solution", "bbox"} <= fields(file)]


def _rows(file: Path) -> Iterator[JsonItem]:
    """The rows of a list, or one a line."""
    if file.suffix != ".jsonl":
        yield from items(file)
        return
    end = 0
    for number, line in lines(file):
        end += len(line)
        if line.strip():
            yield _line(number - 1, line, end)


def _line(number: int, line: bytes, end: int) -> JsonItem:
    value, error = decoded(line)
    return JsonItem(number, "", value, end, error)


def _size(row: _Row, path: Path | None) -> Size:
    if row.image_sizes:
        size = row.image_sizes[-1]
        if min(size) <= 0:
            raise ValueError(f"image_sizes: {list(size)} cannot be the size of a picture")
        return size
    if path is None:
        raise ValueError("image_sizes: missing, and the picture is not there either")
    return image_size(path)


def _frame(row: _Row) -> Frame:
    pixels = MAX_PIXELS if row.max_pixels is None else row.max_pixels
    if pixels < 56 * 56:
        raise ValueError(f"max_pixels: {pixels} is too few")
    return Frame("resized", max_pixels=pixels)


def _solution(written: str) -> dict[str, Any]:
    try:
        solution: list[dict[str, Any]] = convert(decode_json(written), list[dict[str, Any]])
    except (ValueError, RecursionError) as error:
        raise ValueError(f"solution: {error}") from None
    if len(solution) != 1:
        raise ValueError(f"solution: expected one answer, found {len(solution)}")
    return solution[0]


def _box(numbers: list[float]) -> Box:
    if len(numbers) != 4:
        raise ValueError(f"bbox: expected four numbers, got {len(numbers)}")
    return Box(*numbers)


def _field(value: Any, kind: Any, field: str) -> Any:
    try:
        return convert(value, kind)
    except ValueError as error:
        raise ValueError(f"{field}: {error}") from None


def _action(solution: dict[str, Any], size: Size, frame: Frame, box: Box | None) -> Action:
    call = solution.get("Action")
    if not isinstance(call, dict):
        raise ValueError("solution.Action: missing, and there is no point_2d")
    try:
        action = VERBS.decode(call, size, frame, "finger", "phone", [])
    except ValueError as error:
        raise ValueError(f"solution.Action: {error}") from None
    return replace(action, box=box) if box is not None and action.point is not None else action


def _task(said: str) -> tuple[str, list[str]]:
    """The instruction and the history of a navigation row's message."""
    parts = _SECTION.split(said)
    sections = dict(zip(parts[1::2], (part.strip() for part in parts[2::2]), strict=True))
    if "User Instruction" not in sections:
        raise ValueError("messages: the user's message has no section `## User Instruction`")
    lines = [line.strip() for line in sections.get("Action History", "").splitlines()]
    history = [line for line in lines if line and line.lower() not in ("none", "none.")]
    return sections["User Instruction"], [_NUMBERED.sub("", line, count=1) for line in history]
