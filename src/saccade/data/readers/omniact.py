"""OmniACT: desktop and web tasks on one screenshot each, with a pyautogui script as the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import ClassVar

import msgspec
from msgspec.structs import replace

from saccade.actions import Action
from saccade.data.readers.arrays import fields, items
from saccade.data.readers.base import Dataset, Sample, convert, image_size
from saccade.data.readers.scripts import actions_of, parse_script
from saccade.errors import InputError
from saccade.geometry import Box, Point
from saccade.paradigms.wording import in_words
from saccade.types import Element, Screen, Step
from saccade.untrusted import read_text

SPLITS = ("test", "train", "val")
_FIELDS = {"task", "image", "box"}
_TASK = re.compile(r"\s*+Task\s*+:", re.IGNORECASE)
_SCRIPT = re.compile(r"^[ \t]*+(?:Output Script[ \t]*+:|(?=\w{0,2}autogui\.))", re.IGNORECASE | re.MULTILINE)
_NUMBERED = re.compile(r"screen_(\d+)(?=\.\w+$)")


class _Record(msgspec.Struct):
    """One task as the split's file lists it: three paths."""

    task: str
    image: str
    box: str


class _Labelled(msgspec.Struct):
    """One box of a screen's metadata."""

    top_left: Point
    bottom_right: Point
    label: str | None = None


class OmniACT(Dataset):
    """OmniACT: 9,799 tasks (train 6,788, test 2,020, val 991) on screens of desktop applications and web sites.

    A task is one screenshot and a script of one or more calls on it, so each call is a step of the task's episode and
    all its steps show the same screen. Going somewhere and then scrolling, dragging or clicking there is one step. The
    script is read, never run. A scroll's sign is the wheel's: `scroll(-10)` is down the page, the finger's way up.

    The box of a click is the smallest labelled one that holds its point; a point in none has no box. The authors ask
    not to show the labelled boxes to a model under test: `elements=yes` gives them as elements, without it they serve
    the truth only. Some lists name web screens `screen_1.png` where the file is `screen1.png` (boxes
    `screen1_boxes.json`): both are tried.
    """

    name = "omniact"
    title = "OmniACT"
    layout = "train.json, val.json or test.json (records with the paths task, image and box) beside data/"
    licence = "MIT"
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {"split": (*SPLITS, "all"), "elements": ("no", "yes")}

    def __init__(self, folder: Path, *, keep_going: bool = False, **options: str) -> None:
        super().__init__(folder, keep_going=keep_going, **options)
        self._elements = lru_cache(maxsize=64)(_elements)  # many tasks share a screen

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        return any(fields(folder / f"{split}.json") >= _FIELDS for split in SPLITS)

    def samples(self) -> Iterator[Sample]:
        chosen = SPLITS if self.options["split"] == "all" else (self.options["split"],)
        files = [path for split in chosen if (path := self.folder / f"{split}.json").is_file()]
        if not files:
            there = ", ".join(split for split in SPLITS if (self.folder / f"{split}.json").is_file())
            raise InputError(f"there is no file {self.folder / chosen[0]}.json: set split to one of {there}")
        sizes = [path.stat().st_size for path in files]
        self.progress.done, self.progress.total = 0, sum(sizes)
        for at, path in enumerate(files):
            for item in items(path):
                self.progress.done = sum(sizes[:at]) + item.end
                name = item.key or str(item.number)
                where = f"{path}, record {name}"
                try:
                    if item.error:
                        raise ValueError(item.error)
                    found = self._steps(f"{path.stem}_{name}", path.stem, convert(item.value, _Record))
                except ValueError as error:
                    self.bad(where, str(error))
                    continue
                for step in found:
                    yield Sample(step, self.picture(step.image, step.screen), where)
            self.progress.done = sum(sizes[: at + 1])

    def _steps(self, episode: str, split: str, record: _Record) -> list[Step]:
        """The steps of one task; `ValueError` names the field whose file is wrong."""
        image = self._path("image", record.image)
        size = image_size(self.folder / image)
        instruction, script = _task(_read("task", self.folder / self._path("task", record.task)))
        elements = self._elements(self.folder / self._path("box", record.box))
        try:
            actions = actions_of(parse_script(script), size, unit=False)
        except ValueError as error:
            raise ValueError(f"task: {record.task}: script, {error}") from None
        if not actions:
            raise ValueError(f"task: {record.task}: the script does nothing")
        screen = Screen(size, elements=elements)
        said = [in_words(action, screen) for action in actions]
        return [
            Step(
                id=f"{episode}_{at}",
                episode=episode,
                step=at,
                instruction=instruction,
                screen=size,
                image=image,
                history=said[:at],
                elements=list(elements) if self.options["elements"] == "yes" else [],
                truth=[_with_box(action, elements)],
                tags=_tags(record.image) | {"split": split},
            )
            for at, action in enumerate(actions)
        ]

    def _path(self, field: str, written: str) -> str:
        """A path inside the folder, as it is written or as the file is really called."""
        path = PurePosixPath(written)
        if not path.name or path.is_absolute() or ".." in path.parts:
            raise ValueError(f"{field}: {written[:80]!r} is no path inside the folder")
        short = _NUMBERED.sub(r"screen\1", written)
        for name in (written, short, str(PurePosixPath(short).with_suffix("")) + "_boxes.json"):
            try:
                if (self.folder / name).is_file():
                    return name
            except OSError:  # a name too long for the disk
                break
        raise ValueError(f"{field}: there is no file {self.folder / written}")


def _task(text: str) -> tuple[str, str]:
    task, script = _TASK.match(text), _SCRIPT.search(text)
    if task is None or script is None:
        raise ValueError(f"task: expected `Task: …`, `Output Script:` and calls, found {text[:60]!r}")
    return " ".join(text[task.end() : script.start()].split()), text[script.end() :]


def _read(field: str, path: Path) -> str:
    try:
        return read_text(path, encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{field}: {path} is not UTF-8 text") from None
    except OSError as error:
        raise ValueError(f"{field}: cannot read {path}: {error.strerror}") from None


def _elements(path: Path) -> tuple[Element, ...]:
    """The labelled boxes of a screen: an object of them by any name."""
    found: list[Element] = []
    for item in items(path):
        if item.error:
            raise ValueError(f"box: {path}, entry {item.key or item.number}: {item.error}")
        try:
            labelled: _Labelled = convert(item.value, _Labelled)
        except ValueError as error:
            raise ValueError(f"box: {path}, entry {item.key or item.number}: {error}") from None
        (left, top), (right, bottom) = labelled.top_left, labelled.bottom_right
        box = Box(min(left, right), min(top, bottom), max(left, right), max(top, bottom))
        found.append(Element(id=len(found) + 1, box=box, text=(labelled.label or item.key).replace("_", " ")))
    return tuple(found)


def _with_box(action: Action, elements: tuple[Element, ...]) -> Action:
    if action.point is None or action.type == "type":
        return action
    boxes = [element.box for element in elements if element.box.contains(action.point)]
    smallest = min(boxes, key=lambda box: box.area, default=None)
    return replace(action, box=smallest) if smallest is not None else action


def _tags(image: str) -> dict[str, str]:
    """Platform and application are two folders of the path: `data/data/desktop/ibooks/screen_1.png`."""
    parts = PurePosixPath(image).parts
    at = next((at for at, part in enumerate(parts) if part in ("desktop", "web")), None)
    if at is None:
        return {}
    app = parts[at + 1] if at + 2 < len(parts) else ""
    return {"platform": parts[at]} | ({"app": app} if app else {})
