"""Which parts of a phone screen can be scrolled, told from the layout.

Pages and phones tell of scroll areas; a picture shows only that a list goes on to the bar below it, cut off where the
bar begins, and that small rows of the same size stand on top of each other (the wheels that set a time).
"""

from __future__ import annotations

from collections.abc import Sequence

from saccade.geometry import Box, Size
from saccade_vision.phone_conventions import FOOT
from saccade_vision.types import DetectedWidget, is_phone_screen

LOWER = 0.8
"""Tabs whose upper edge is below this share of the height are the screen's."""
NEAR_FOOT = 0.07
"""A wide button or a field that ends so near to the bar below is a bar itself, as a share of the height."""
WIDE = 0.75
REACHES = 0.02
"""Content that goes on ends within this share of the height above the bar."""
HEAD = 0.095
"""What ends above this share of the height is the screen's title bar."""
LEAST_PARTS = 8
"""A screen with fewer widgets and lines fits."""
NARROW = 0.55
"""Rows of a wheel are at most so wide, as a share of the screen."""
WHEEL_ROWS = 3
MOST_WHEELS = 4
"""So many wheels stand beside each other at most; more columns are the days of a month."""
ALIKE = 0.25
"""Rows of a wheel differ in height, in where their middle is and in how they touch by at most this share of it."""


def scroll_areas(size: Size, widgets: Sequence[DetectedWidget], texts: Sequence[Box]) -> list[Box]:
    """The boxes of what can be scrolled on a phone screen, the largest first; none on other screens."""
    if not is_phone_screen(size.width, size.height):
        return []
    page = _page(size, widgets, texts)
    return [*([page] if page is not None else []), *wheels(size, widgets)]


def _page(size: Size, widgets: Sequence[DetectedWidget], texts: Sequence[Box]) -> Box | None:
    """The content between the bars, if it goes on below."""
    bottom = min((each.box.y0 for each in widgets if each.box.center.y >= FOOT * size.height), default=size.height)
    tabs = [each.box.y0 for each in widgets if each.type == "tab" and each.box.y0 >= LOWER * size.height]
    bottom = min(bottom, *tabs) if len(tabs) > 1 else bottom
    footers = [
        each.box
        for each in widgets
        if each.type in ("button", "input")
        and bottom - NEAR_FOOT * size.height < each.box.y1 <= bottom + REACHES * size.height
        and (each.box.width >= WIDE * size.width or each.type == "input")
    ]
    bottom = min([bottom, *(box.y0 for box in footers)])
    parts = [box for box in (*(each.box for each in widgets), *texts) if box.center.y < bottom]
    body = [box for box in parts if box.center.y > HEAD * size.height and box not in footers]
    last = max((min(box.y1, bottom) for box in body), default=0)
    if len(body) < LEAST_PARTS or bottom - last > REACHES * size.height or bottom < size.height / 2:
        return None
    return Box(0, round(HEAD * size.height), size.width, round(bottom))


def wheels(size: Size, widgets: Sequence[DetectedWidget]) -> list[Box]:
    """Columns of at least three narrow rows that touch each other."""
    rows = [each.box for each in widgets if each.type == "list item" and each.box.width <= NARROW * size.width]
    found: list[Box] = []
    left = sorted(rows, key=lambda box: box.y0)
    while left:
        column = [left.pop(0)]
        for box in list(left):
            if _follows(column[-1], box):
                column.append(box)
                left.remove(box)
        if len(column) >= WHEEL_ROWS:
            x0, x1 = min(box.x0 for box in column), max(box.x1 for box in column)
            found.append(Box(x0, column[0].y0, x1, column[-1].y1))
    return [box for box in found if sum(other.y0 < box.center.y < other.y1 for other in found) <= MOST_WHEELS]


def _follows(upper: Box, lower: Box) -> bool:
    most = ALIKE * upper.height
    touching = abs(lower.y0 - upper.y1) <= most and abs(lower.height - upper.height) <= most
    return touching and abs(lower.center.x - upper.center.x) <= ALIKE * upper.width
