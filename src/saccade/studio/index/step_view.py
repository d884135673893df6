"""One step as a page shows it, read from its line in `steps.jsonl`, and what is drawn on its screenshot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from saccade.actions import Action
from saccade.agents.records import LoggedStep
from saccade.bench.step_errors import diagnose
from saccade.errors import InputError
from saccade.geometry import Box, Point
from saccade.paradigms.wording import in_words
from saccade.studio.database.runs import IndexedRun, IndexedStep
from saccade.studio.index.growing_file import open_regular
from saccade.studio.index.run_reader import UNREADABLE
from saccade.types import Element, Language
from saccade.untrusted import JsonDecoder

LONGEST_SHOWN = 20_000
"""Characters of a text on a page; the file has the rest."""
MOST_ELEMENTS = 1_000
MOST_LISTED = 200
"""Of answers, messages, candidates, events."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_decoder = JsonDecoder(LoggedStep)


@dataclass(frozen=True)
class Shape:
    """Something drawn on the screenshot, in its pixels."""

    kind: str
    """box, point or path."""
    layer: str
    """action, named, truth or elements."""
    x: float
    y: float
    x2: float = 0.0
    y2: float = 0.0
    label: str = ""
    title: str = ""


@dataclass
class StepView:
    """A step with what the page says of it."""

    row: IndexedStep
    step: LoggedStep | None
    words: str
    """What was done."""
    trouble: str = ""
    """Why the line cannot be shown in full."""
    why: str = ""
    """Of a wrong step: what went wrong (UILoop, App. D)."""
    shapes: list[Shape] = field(default_factory=list)

    @property
    def size(self) -> tuple[int, int]:
        """The screen's width and height; a phone's where it is not known."""
        return (int(self.step.screen[0]), int(self.step.screen[1])) if self.step else (1080, 1920)

    @property
    def unit(self) -> float:
        """The size of labels and points in pixels of the screen."""
        return max(12.0, 0.018 * max(self.size))


def read_views(run: IndexedRun, rows: Sequence[IndexedStep], language: Language, whole: bool = False) -> list[StepView]:
    """Steps by where they lie in the file. `whole`: with all that is drawn and told of a step."""
    found = []
    try:
        with open_regular(Path(run.path) / "steps.jsonl") as file:
            for row in rows:
                file.seek(row.offset)
                found.append(view_of(row, file.read(row.length), language, whole))
    except OSError:
        found += [StepView(row, None, row.action, "steps.jsonl cannot be read any more") for row in rows[len(found) :]]
    return found


def view_of(row: IndexedStep, data: bytes, language: Language, whole: bool) -> StepView:
    try:
        return view_of_step(row, _decoder.decode(data), language, whole)
    except (*UNREADABLE, ValueError) as error:
        return StepView(row, None, row.action, f"{type(error).__name__}: {str(error)[:200]}")


def view_of_step(row: IndexedStep, step: LoggedStep, language: Language, whole: bool) -> StepView:
    """A step that was read."""
    words = in_words(step.prediction, step.view, language) if step.prediction else step.problem[:200]
    view = StepView(row, step, words)
    if whole:
        view.shapes = [*shapes(step)]
        view.why = diagnose(step).why if row.error_class else ""
    return view


def picture_name(run: IndexedRun, row: IndexedStep) -> str:
    """The file of a step's screenshot, relative to the run's folder; `InputError` where it has none."""
    view = read_views(run, [row], "en")[0]
    if view.step is None or not view.step.image:
        raise InputError("this step has no screenshot")
    return view.step.image


def as_json(value: Any) -> str:
    """A record on one line."""
    return msgspec.json.encode(value).decode("utf-8", "replace")


def shown(text: str) -> str:
    """A text that is not too long for a page."""
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]} … (+{len(text) - LONGEST_SHOWN:,})"


# -- drawings ----------------------------------------------------------------------------------------------------------


def shapes(step: LoggedStep) -> Iterable[Shape]:
    """What is drawn on the screenshot of a step; what covers less comes later."""
    yield from (_box("elements", element.box, title=_said(element)) for element in step.elements[:MOST_ELEMENTS])
    for at, element in enumerate((step.key_elements or [])[:MOST_LISTED], 1):
        yield _box("truth", element.box, str(at), _said(element))
    for truth in step.truth[:MOST_LISTED]:
        yield from _action("truth", truth, step, "✓")
    for at, element in enumerate(step.named[:MOST_LISTED], 1):
        yield _box("named", element.box, str(at), _said(element))
    for at, candidate in enumerate(step.candidates[: len(LETTERS)]):
        if at != step.chosen and candidate.action.point:
            yield _point("action", candidate.action.point, LETTERS[at])
    if step.prediction is not None:
        yield from _action("action", step.prediction, step)


def _said(element: Element) -> str:
    text = element.text or element.caption
    return " · ".join(part for part in (text[:200], element.type[:40], element.state[:80], f"#{element.id}") if part)


def _box(layer: str, box: Box, label: str = "", title: str = "") -> Shape:
    return Shape("box", layer, box[0], box[1], box[2], box[3], label, title)


def _point(layer: str, point: Point, label: str = "") -> Shape:
    return Shape("point", layer, point[0], point[1], label=label)


def _action(layer: str, action: Action, step: LoggedStep, label: str = "") -> Iterable[Shape]:
    if layer == "truth" and action.box is not None:
        yield _box(layer, action.box, label)
    elif action.point is not None:
        yield _point(layer, action.point, label)
    if action.type in ("swipe", "drag"):
        start, end = path_of(action, step.screen)
        yield Shape("path", layer, start[0], start[1], end[0], end[1], label)


def path_of(action: Action, screen: Sequence[float]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Start and end of a swipe; one that has only a direction goes through the middle, or from its start."""
    if action.start and action.end:
        return (action.start[0], action.start[1]), (action.end[0], action.end[1])
    width, height = screen
    dx, dy = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}.get(action.direction or "", (0, 0))
    across, down = 0.25 * width * dx, 0.15 * height * dy
    if action.start:
        x, y = action.start
        return (x, y), (x + 2 * across, y + 2 * down)
    return (width / 2 - across, height / 2 - down), (width / 2 + across, height / 2 + down)
