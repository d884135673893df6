"""What is drawn over a sample's picture, in pixels of its screen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from saccade.actions import Action
from saccade.geometry import Box, Point, Size
from saccade.types import Element, Step

MOST_ELEMENTS = 1_500
LONGEST_LABEL = 200


class Shape(NamedTuple):
    """A box, a point or an arrow; `layer` is truth, prediction, key or element."""

    layer: str
    form: str
    """`box`, `point` or `arrow`."""
    numbers: tuple[float, ...]
    """Box: x, y, width, height. Point: x, y. Arrow: from x, y to x, y."""
    label: str = ""


def shapes_of(step: Step, prediction: Action | None) -> list[Shape]:
    """All shapes, those that lie below first."""
    screen = step.screen
    shapes = [_box("element", element.box, screen, _name(element)) for element in step.elements[:MOST_ELEMENTS]]
    for rank, element in enumerate((step.key_elements or [])[:MOST_ELEMENTS], 1):
        shapes.append(_box("key", element.box, screen, f"{rank}. {_name(element)}"))
    for action in step.truth[:50]:
        shapes += _action_shapes("truth", action, screen)
    if prediction is not None:
        shapes += _action_shapes("prediction", prediction, screen)
    return shapes


def _name(element: Element) -> str:
    return f"{element.type} {element.text or element.caption}".strip()[:LONGEST_LABEL]


def _action_shapes(layer: str, action: Action, screen: Size) -> Iterable[Shape]:
    if action.box is not None:
        yield _box(layer, action.box, screen, action.name)
    if action.point is not None:
        yield Shape(layer, "point", _held(action.point, screen), action.name)
    if action.start is not None and action.end is not None:
        yield Shape(layer, "arrow", (*_held(action.start, screen), *_held(action.end, screen)), action.name)


def _held(point: Point, screen: Size) -> tuple[float, float]:
    """A point, at most one screen outside: a wrong coordinate must not stretch the drawing without end."""
    x, y = (min(max(at, -side), 2 * side) for at, side in zip(point, screen, strict=True))
    return round(x, 1), round(y, 1)


def _box(layer: str, box: Box, screen: Size, label: str) -> Shape:
    x0, y0 = _held(Point(min(box.x0, box.x1), min(box.y0, box.y1)), screen)
    x1, y1 = _held(Point(max(box.x0, box.x1), max(box.y0, box.y1)), screen)
    return Shape(layer, "box", (x0, y0, round(x1 - x0, 1), round(y1 - y0, 1)), label)
