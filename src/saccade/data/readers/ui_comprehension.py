"""UI Comprehension-Bench: actions with the elements that matter and the reasoning that leads there (UILoop)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from saccade.actions import DIRECTIONS, Action, ActionType, to_finger
from saccade.data.readers.archives import ScreenshotFinder
from saccade.data.readers.base import DataError, Dataset, Sample, convert, guessed_frame
from saccade.data.readers.tables import (
    BrokenError,
    Cells,
    ParquetTable,
    TableRecord,
    decoded,
    json_records,
    names_columns,
    picture_bytes,
    picture_size,
)
from saccade.errors import InputError
from saccade.geometry import Box, Number, Point, Size
from saccade.paradigms.wording import language_of
from saccade.types import Element, Picture, Step
from saccade.untrusted import open_file

FIELDS: dict[str, tuple[str, ...]] = {
    "instruction": ("Instruction", "instruction"),
    "image": ("image", "image_path", "img_filename"),
    "gt_action": ("gt_action",),
    "gt_bbox": ("gt_bbox",),
    "gt_input_text": ("gt_input_text",),
    "history": ("history",),
    "image_size": ("image_size",),
    "group": ("group",),
    "Key UI Elements": ("Key UI Elements", "key_elements", "gt_ui_elements", "ui_elements"),
    "Reasoning_Chains": ("Reasoning_Chains", "reasoning_chain", "reasoning"),
    "id": ("id",),
}
"""The fields as the paper prints them, and other spellings. Case, spaces and underscores do not count."""
LOOKED_AT = 50
"""Files that are opened to tell whether a folder is of this kind."""
NO_TEXT = "no input text"
NOWHERE = [-100, -100]
POINTED: dict[str, ActionType] = {
    "click": "click",
    "longpress": "long_press",
    "doubleclick": "double_click",
    "rightclick": "right_click",
    "moveto": "hover",
    "hover": "hover",
}
WRITTEN: dict[str, ActionType] = {"type": "type", "openapp": "open_app", "answer": "answer"}
PLAIN: dict[str, Action] = {
    "wait": Action("wait"),
    "pressback": Action("press", key="back"),
    "presshome": Action("press", key="home"),
    "pressenter": Action("press", key="enter"),
    "enter": Action("press", key="enter"),
    "complete": Action("terminate", status="success"),
    "impossible": Action("terminate", status="failure"),
}
PLATFORMS = {"android": "mobile", "ios": "mobile", "mobile": "mobile", "web": "web"} | dict.fromkeys(
    ("windows", "macos", "linux", "desktop"), "desktop"
)
_LOCATED = re.compile(
    r"\s*Located at\s*\[\s*(-?\d{1,9}(?:\.\d+)?)\s*,\s*(-?\d{1,9}(?:\.\d+)?)\s*\]\s*[,:.]?\s*(.*)", re.S | re.I
)
_STEP = re.compile(r"\s*step\s*\d+\s*[:.]\s*", re.IGNORECASE)


class _Source(NamedTuple):
    """A record with the file that it is from."""

    record: TableRecord
    file: Path
    images: Cells | None


class UIComprehension(Dataset):
    """Records of `Instruction, image, gt_action, gt_bbox, gt_input_text, history, image_size, group, Key UI Elements,
    Reasoning_Chains` as JSON, JSON lines or parquet.

    Published: 26,207 samples, 3,471 for training and 22,736 for testing, with 57,332 key elements; the paper prints
    three records, and this reader follows them. The files themselves could not be looked at.

    `gt_bbox` is a point or a box in pixels ([-100, -100] where there is none); numbers that are all within 0 and 1 are
    shares of the image. A scroll's word in `gt_input_text` is the content's direction, as in AndroidControl, where most
    of the samples come from. A `select` may have no place; it then keeps the file's [-100, -100], since it is scored by
    its text. Key elements are known by a point, in the order of the file. Records do not say to which episode they
    belong, so each stands alone.
    """

    name = "ui-comprehension"
    title = "UI Comprehension-Bench"
    layout = "a .json, .jsonl or .parquet file, or a folder of them, with gt_action, gt_bbox and Key UI Elements"
    profile = "gui-r1"
    choices: ClassVar = {"split": ("all", "test", "train")}

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        return any(_fits(file) for file in _files(folder)[:LOOKED_AT])

    def samples(self) -> Iterator[Sample]:
        split = self.options["split"]
        files = [file for file in _files(self.folder) if _fits(file) and split in ("all", _split(file))]
        if not files:
            known = ", ".join(file.name for file in _files(self.folder)[:6])
            raise InputError(f"{self.folder} has no file of split {split} (by its name); it has {known}")
        home = self.folder if self.folder.is_dir() else self.folder.parent
        places = [home, home / "images", home / "image", home / "screenshots"]
        album = ScreenshotFinder([place for place in places if place.is_dir()], sorted(home.glob("*.zip")))
        self.progress.total, self.progress.done = sum(file.stat().st_size for file in files), 0
        for file in files:
            before = self.progress.done
            for source in self._sources(file):
                if source.record.error:
                    self.bad(source.record.where, source.record.error)
                    continue
                try:
                    yield self._sample(source, album)
                except (ValueError, DataError) as error:
                    self.bad(source.record.where, str(error))
            self.progress.done = before + file.stat().st_size

    def _sources(self, file: Path) -> Iterator[_Source]:
        if file.suffix != ".parquet":
            for record in json_records(file):
                self.progress.done += record.size
                yield _Source(record, file, None)
            return
        try:
            table = ParquetTable(file)
        except BrokenError as error:
            self.bad(error.where, error.reason)
            return
        names = {_fold(name): name for name in table.columns}
        image = next((names[_fold(name)] for name in FIELDS["image"] if _fold(name) in names), "")
        cells = table.cells(image) if image else None
        for record in table.records(sorted(table.columns - {image})):
            self.progress.done += file.stat().st_size * record.size // max(1, table.rows)
            yield _Source(record, file, cells)

    def _sample(self, source: _Source, album: ScreenshotFinder) -> Sample:
        record = source.record
        if not isinstance(record.value, Mapping):
            raise ValueError(f"expected an object, found {type(record.value).__name__}")
        value = _named(record.value)
        image, picture, size = _picture(value, source, album)
        group = _text(value, "group")
        instruction = _text(value, "instruction")
        if not instruction:
            raise ValueError("Instruction: missing")
        tags = {"platform": PLATFORMS.get(group.lower(), ""), "group": group, "split": _split(source.file)}
        tags["language"] = language_of(instruction)
        name = value.get("id")
        step = Step(
            id=str(name) if isinstance(name, str | int) else f"{source.file.stem}-{record.row}",
            instruction=instruction,
            screen=size,
            image=image,
            history=_history(value.get("history")),
            key_elements=_elements(value.get("Key UI Elements"), size),
            truth=[_action(value, size)],
            thought="\n".join(_strings(value.get("Reasoning_Chains"), "Reasoning_Chains")),
            tags={key: tag for key, tag in tags.items() if tag},
        )
        return Sample(step, picture, record.where)


# -- files and fields -------------------------------------------------------------------------------------------------


def _files(folder: Path) -> list[Path]:
    found = [folder] if folder.is_file() else [*folder.glob("*"), *folder.glob("data/*")]
    return sorted(file for file in found if file.suffix in (".json", ".jsonl", ".parquet") and file.is_file())


def _fits(file: Path) -> bool:
    if file.suffix == ".parquet":
        return names_columns(file, "gt_action", "gt_bbox") and any(
            names_columns(file, name) for name in FIELDS["Key UI Elements"]
        )
    try:
        with open_file(file) as opened:
            head = opened.read(1 << 20)
    except OSError:
        return False
    names = {_fold(name.decode(errors="replace")) for name in re.findall(rb'"([\w ]{2,40})"\s*:', head)}
    keys = {_fold(name) for name in FIELDS["Key UI Elements"]}
    return {"gtaction", "gtbbox"} <= names and bool(keys & names)


def _split(file: Path) -> str:
    return next((name for name in ("test", "train") if name in file.name.lower()), "")


def _fold(name: str) -> str:
    return re.sub(r"[\s_]", "", name).lower()


def _named(value: Mapping[str, Any]) -> dict[str, Any]:
    """The record under the paper's names."""
    present = {_fold(str(key)): item for key, item in value.items()}
    found: dict[str, Any] = {}
    for field, names in FIELDS.items():
        key = next((_fold(name) for name in names if _fold(name) in present), None)
        if key is not None:
            found[field] = present[key]
    for field in ("instruction", "gt_action", "gt_bbox", "Key UI Elements"):
        if field not in found:
            has = ", ".join(str(key)[:30] for key in list(value)[:12]) or "nothing"
            raise ValueError(f"{FIELDS[field][0]}: missing; the record has {has}")
    return found


def _text(value: Mapping[str, Any], field: str) -> str:
    text = value.get(field)
    if text is None:
        return ""
    if not isinstance(text, str):
        raise ValueError(f"{field}: expected text, found {type(text).__name__}")
    return text


def _typed(value: Any, kind: type[Any], field: str) -> Any:
    try:
        return convert(value, kind)
    except ValueError as error:
        raise ValueError(f"{field}: {error}") from None


def _strings(value: Any, field: str) -> list[str]:
    """A list of sentences; also as JSON in a string, or as one text."""
    if isinstance(value, str):
        read, error = decoded(value) if value.lstrip().startswith("[") else (None, "")
        value = read if read is not None and not error else [value] if value.strip() else []
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"{field}: expected a list of sentences, found {str(value)[:60]!r}")
    return value


def _history(value: Any) -> list[str]:
    """One line a step, without its number."""
    if isinstance(value, str):
        value = [] if value.strip().lower() in ("none", "") else value.splitlines()
    return [_STEP.sub("", line, count=1).strip() for line in _strings(value, "history") if line.strip()]


# -- picture, elements, action ----------------------------------------------------------------------------------------


def _picture(value: dict[str, Any], source: _Source, album: ScreenshotFinder) -> tuple[str, Picture | None, Size]:
    told = None
    if value.get("image_size") is not None:
        told = _typed(value["image_size"], Size, "image_size")
        if min(told) < 1:
            raise ValueError(f"image_size: {list(told)} is not a width and a height")
    row, cells, image = source.record.row, source.images, value.get("image")
    if cells is not None:
        size = told or picture_size(picture_bytes(cells[row]))
        return f"{source.file.name}#{row}", Picture(lambda: picture_bytes(cells[row]), size), size
    if isinstance(image, Mapping) and image.get("bytes"):
        data = picture_bytes(image)
        return f"{source.file.name}#{row}", Picture(data, told or picture_size(data)), told or picture_size(data)
    name = image.get("path") if isinstance(image, Mapping) else image
    if not isinstance(name, str) or not name:
        raise ValueError(f"image: expected a path or a picture, found {str(image)[:60]!r}")
    return album.screenshot(name, told, source.file.parent)


def _elements(value: Any, size: Size) -> list[Element] | None:
    """The key elements; None where the record has no such field."""
    if value is None:
        return None
    elements = []
    for at, text in enumerate(_strings(value, "Key UI Elements")):
        found = _LOCATED.fullmatch(text)
        if found is None:
            raise ValueError(f"Key UI Elements[{at}]: expected 'Located at [x, y], …', found {text[:60]!r}")
        place = [float(n) if "." in n else int(n) for n in found.groups()[:2]]
        point = guessed_frame(place).decode(Point(*place), size)
        elements.append(Element(at + 1, Box.at(point), caption=" ".join(found[3].split())))
    return elements


def _place(value: Any, size: Size) -> tuple[Point, Box | None] | None:
    """The point, and the box where there is one; None where the file says there is no place."""
    if isinstance(value, str):
        value, error = decoded(value)
        if error:
            raise ValueError(f"gt_bbox: {error}")
    numbers: list[Number] = [] if value is None else _typed(value, list[float], "gt_bbox")
    if not numbers or numbers[:2] == NOWHERE:
        return None
    if len(numbers) not in (2, 4) or not all(abs(n) < 1e9 for n in numbers):
        raise ValueError(f"gt_bbox: expected two or four numbers, found {str(value)[:60]!r}")
    numbers = [int(n) if n == int(n) else n for n in numbers]
    frame = guessed_frame(numbers)
    point = frame.decode(Point(*numbers[:2]), size)
    if len(numbers) == 2:
        return point, None
    box = Box(*point, *frame.decode(Point(*numbers[2:]), size))
    if box.width < 0 or box.height < 0:
        raise ValueError(f"gt_bbox: {value} ends before it begins")
    return box.center, box


def _action(value: dict[str, Any], size: Size) -> Action:
    name = _fold(_text(value, "gt_action"))
    text = _text(value, "gt_input_text")
    place = _place(value.get("gt_bbox"), size)
    if name in PLAIN:
        return PLAIN[name]
    if name in POINTED:
        if place is None:
            raise ValueError(f"gt_bbox: {value.get('gt_bbox')} is no place, and {name} needs one")
        return Action(POINTED[name], point=place[0], box=place[1])
    said = "" if text == NO_TEXT else text
    if name in WRITTEN:
        return Action(WRITTEN[name], text=said)
    if name == "select":
        return Action(
            "select", point=place[0] if place else Point(*NOWHERE), box=place[1] if place else None, text=said
        )
    if name == "scroll":
        direction = next((each for each in DIRECTIONS if each == text.strip().lower()), None)
        if direction is None:
            raise ValueError(f"gt_input_text: {text[:40]!r} is not a direction: expected {', '.join(DIRECTIONS)}")
        return Action("swipe", direction=to_finger(direction, "content"))
    raise ValueError(f"gt_action: {str(value.get('gt_action'))[:40]!r} is not an action that is known here")
