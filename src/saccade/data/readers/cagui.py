"""CAGUI, the Chinese Android GUI benchmark of AgentCPM-GUI: episodes in AITZ's layout, and grounding."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from saccade.actions import Action
from saccade.data.readers.aitz import AITZ
from saccade.data.readers.arrays import fields
from saccade.data.readers.base import Sample, convert, image_size
from saccade.data.readers.grounding import Located, grounding_step
from saccade.data.readers.tables import TableRecord, json_lines
from saccade.errors import InputError, readable
from saccade.geometry import UNIT, Box, Size
from saccade.paradigms.wording import in_words, language_of
from saccade.types import Element, Picture, Step
from saccade.untrusted import decode_json

AGENT, GROUNDING = "CAGUI_agent", "CAGUI_grounding"
FILES = {"fun2point": "cap", "text2point": "ocr"}
"""The annotation file of each kind of grounding."""
GROWN = 1.2
"""How much the published rule grows an element's box before it asks whether the finger hit it."""
_STEP = {"result_action_type", "result_touch_yx", "duration"}
_ANNOTATION = {"abs_position", "image", "text"}
_LEAST = 1e-3
"""Shares of a screen below this do not tell its size."""


class _Annotation(msgspec.Struct):
    """One line of cap.jsonl or ocr.jsonl. Its `task` is named the other way round: `bbox2function`, `bbox2text`."""

    image: str
    text: str
    abs_position: str | list[float]
    rel_position: str | list[float] | None = None


class CAGUI(AITZ):
    """CAGUI: 600 tasks with 4,516 steps (`part=agent`), and 1,500 grounding samples of each kind (`part=grounding`).

    Episodes are folders as AITZ has them, in CAGUI_agent/domestic. What differs: `ui_positions` (y, x, height, width)
    are shares of the screen, elements have no texts or types, and there are no thoughts, descriptions or low-level
    instructions; so the history is the actions in words, in the instruction's language. A tap has one right action
    for each element whose box, grown by a fifth, holds the finger, the smallest first: that is the authors' rule.
    Type 0 is a long press, 1 a wait. Touch and lift give the finger's direction, as in AITZ.

    Grounding is CAGUI_grounding/code/cap.jsonl (`fun2point`: what the element does) and ocr.jsonl (`text2point`: what
    it says), with images/cap and images/ocr beside `code`, whatever folder `image` names. `abs_position`, the corners
    in pixels, is what the authors score by; with `rel_position`, the same in shares, it tells the size of a screen
    whose picture is not there. `id` comes several times in ocr.jsonl, so samples are named by their line. Some
    texts there name what has no letters (歌曲封面), and one is said to be empty. The third task, bbox2text, asks for
    words instead of an action, with the samples of text2point, and is not read.

    Profiles: `qwen` for episodes, `screenspot` (a point in the box, edges included) for grounding. The authors' own
    runs on CAGUI differ from `qwen`, which is their rule for AndroidControl: a tap may be 0.14 away, not 0.04, and
    wait, success and failure count as one. Their rule is the more lenient one.

    Taken from the data card, the paper, the released evaluation, the annotation files of the grounding part and single
    records of the episodes. Not verified on the whole data: that pictures always have the size that the records say,
    and the unit of `duration` (the card says seconds, the authors' action space milliseconds), which is not read.
    """

    name = "cagui"
    title = "CAGUI"
    layout = (
        f"{AGENT}/domestic/ with a folder an episode (a .json list of steps with result_action_type, duration), "
        f"or {GROUNDING}/ with code/cap.jsonl, code/ocr.jsonl and images/"
    )
    licence = "CC-BY-NC-4.0"
    profile = "qwen"
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "part": ("agent", "grounding"),
        "kind": ("all", *FILES),
        "level": ("high",),
    }

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        if any(fields(_annotations(folder, stem)) >= _ANNOTATION for stem in FILES.values()):
            return True
        listed = (folder.glob("*/" * depth + "*.json") for depth in range(4))
        first = chain.from_iterable(islice(files, 5) for files in listed)
        return any((found := fields(file)) >= _STEP and "coat_action_desc" not in found for file in first)

    def _chosen(self, options: Mapping[str, str]) -> dict[str, str]:
        chosen = super()._chosen(options)
        if chosen["part"] == "agent" and chosen["kind"] != "all":
            raise InputError(f"{self.name}: kind is {chosen['kind']!r}, but episodes have none: add part=grounding")
        return chosen

    def samples(self) -> Iterator[Sample]:
        return super().samples() if self.options["part"] == "agent" else self._grounding()

    # -- episodes -----------------------------------------------------------------------------------------------------

    def _files(self) -> list[Path]:
        root = self.folder / AGENT
        found = (root if root.is_dir() else self.folder).rglob("*.json")
        files = sorted(path for path in found if path.is_file() and not path.name.startswith("."))
        if not files:
            raise InputError(f"{self.folder} has no episodes: download {AGENT}, or read it with part=grounding")
        return files

    def _tags(self, file: Path) -> dict[str, str]:
        source = {"source": "domestic"} if "domestic" in self._above(file) else {}
        return super()._tags(file) | source

    def _episode(self, file: Path) -> Iterator[Sample]:
        history = list[str]()
        for sample in super()._episode(file):
            step = sample.step
            step.history = list(history)
            history.append(in_words(step.truth[0], step.view, language_of(step.instruction)))
            yield sample

    def _step(self, row: Any, file: Path) -> tuple[Step, Picture]:
        step, picture = super()._step(row, file)
        step.elements = [_in_pixels(element, step.screen) for element in step.elements]
        step.truth = _aimed(step.truth[0], step.elements)
        return step, picture

    # -- grounding ----------------------------------------------------------------------------------------------------

    def _grounding(self) -> Iterator[Sample]:
        wanted = self.options["kind"]
        files = {kind: _annotations(self.folder, FILES[kind]) for kind in FILES if wanted in ("all", kind)}
        for kind, file in files.items():
            if not file.is_file():
                raise InputError(f"{file} is not there: {kind} needs it; download it, or read another kind or part")
        self.progress.total, self.progress.done = sum(file.stat().st_size for file in files.values()), 0
        for kind, file in files.items():
            for record in json_lines(file):
                self.progress.done += record.size
                try:
                    sample = self._sample(record, kind, file)
                except (ValueError, OSError) as error:
                    self.bad(record.where, readable(error))
                    continue
                yield sample

    def _sample(self, record: TableRecord, kind: str, file: Path) -> Sample:
        if record.error:
            raise ValueError(record.error)
        annotation: _Annotation = convert(record.value, _Annotation)
        box = _corners(annotation.abs_position, "abs_position")
        shares = annotation.rel_position
        told = _told_size(box, _corners(shares, "rel_position")) if shares is not None else None
        located = self._located(file, annotation.image, told)
        tags = {"platform": "mobile", "language": "zh", "source": kind}
        name = f"{file.stem}-{record.row - 1}"
        return Sample(grounding_step(name, annotation.text, located, box, tags), located.picture, record.where)

    def _located(self, file: Path, image: str, told: Size | None) -> Located:
        name = re.split(r"[/\\]", image)[-1]
        if name in ("", ".", ".."):
            raise ValueError(f"image: {image[:80]!r} is not the name of a file")
        path = file.parent.parent / "images" / file.stem / name
        size = told if told is not None and not path.is_file() else image_size(path)
        return Located(path.relative_to(self.folder).as_posix(), Picture(str(path), size), size)


def _annotations(folder: Path, stem: str) -> Path:
    """Where an annotation file lies: in the grounding part, or in the data set as a whole."""
    inner = folder / GROUNDING
    return (inner if inner.is_dir() else folder) / "code" / f"{stem}.jsonl"


def _in_pixels(element: Element, size: Size) -> Element:
    box = element.box
    if max(box) > 2 or min(box) < -1:
        raise ValueError(f"ui_positions: {list(box)}: expected shares of the screen from 0 to 1")
    return msgspec.structs.replace(element, box=UNIT.decode_box(box, size))


def _aimed(action: Action, elements: list[Element]) -> list[Action]:
    """The action, once for each box that its finger may have been meant for; as it is if there is none."""
    point = action.point
    if point is None:
        return [action]
    boxes = {element.box for element in elements if element.box.grown(GROWN).contains(point)}
    smallest_first = sorted(boxes, key=lambda box: (box.area, box))
    return [msgspec.structs.replace(action, box=box) for box in smallest_first] or [action]


def _corners(value: str | list[float], field: str) -> Box:
    """`<x0, y0, x1, y1>`."""
    text = value.strip().removeprefix("<").removesuffix(">") if isinstance(value, str) else ""
    try:
        box: Box = convert(decode_json(f"[{text}]") if isinstance(value, str) else value, Box)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{field}: {error}: expected four numbers in <>, found {str(value)[:60]!r}") from None
    return box


def _told_size(box: Box, shares: Box) -> Size | None:
    """The size of the screen, from the far corner in pixels and in shares."""
    if min(shares.x1, shares.y1) < _LEAST:
        return None
    return Size(round(box.x1 / shares.x1), round(box.y1 / shares.y1))
