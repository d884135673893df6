"""The order in which a person reads what is on a screen: rows from top to bottom, each from left to right.

What lies inside another box comes right after it. Side-by-side columns with lines of their own (a sidebar beside a
page) are read one after the other; columns whose lines are aligned are a table and are read by rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from saccade.geometry import Box

HELD = 0.9
"""Share of a box that must lie in another for it to be inside."""
SLIGHT, STRONG = 0.1, 0.3
"""Share of a box's height that is taken off above and below to tell rows apart: boxes of neighbouring lines overlap a
little, those of a list's two-line title and the value beside it a lot.
"""
LEAST_ROWS = 3
"""A column has at least so many rows, and"""
TALL = 0.5
"""reaches over this share of the height of all, and"""
ALIGNED = 0.5
"""fewer than this share of its rows continue a row of the column beside it."""


def reading_order(boxes: Sequence[Box]) -> list[int]:
    """The indices of the boxes in reading order."""
    inner: dict[int | None, list[int]] = {}
    for at, holder in enumerate(holders(boxes)):
        inner.setdefault(holder, []).append(at)

    def expand(group: list[int]) -> list[int]:
        return [each for at in _ordered(boxes, group) for each in (at, *expand(inner.get(at, [])))]

    return expand(inner.get(None, []))


def holders(boxes: Sequence[Box]) -> list[int | None]:
    """For each box, the smallest larger one that holds it; None if none does. Of two equal boxes, the first holds."""
    by_size = sorted(range(len(boxes)), key=lambda at: (-boxes[at].area, at))
    found: list[int | None] = [None] * len(boxes)
    for place, at in enumerate(by_size):
        for other in reversed(by_size[:place]):
            if share_inside(boxes[at], boxes[other]) >= HELD:
                found[at] = other
                break
    return found


def share_inside(box: Box, other: Box) -> float:
    """The share of `box` that lies in `other`."""
    across = min(box.x1, other.x1) - max(box.x0, other.x0)
    down = min(box.y1, other.y1) - max(box.y0, other.y0)
    return max(0.0, across) * max(0.0, down) / box.area if box.area > 0 else float(other.contains(box.center))


def _ordered(boxes: Sequence[Box], group: list[int]) -> list[int]:
    if len(group) < 2:
        return group
    columns = _split(group, [(boxes[at].x0, boxes[at].x1) for at in group])
    if len(columns) > 1 and (parts := _independent(boxes, columns)):
        return [at for part in parts for at in _ordered(boxes, part)]
    rows = _split(group, [_core(boxes[at]) for at in group])
    if len(rows) == 1:
        rows = columns if len(columns) > 1 else _split(group, [_core(boxes[at], STRONG) for at in group])
    if len(rows) > 1:
        return [at for row in rows for at in _ordered(boxes, row)]
    return _by_centres(boxes, group)


def _by_centres(boxes: Sequence[Box], group: Sequence[int]) -> list[int]:
    """Boxes that overlap too much to be cut apart: those whose centres are at about the same height are a row."""
    rows: list[list[int]] = []
    for at in sorted(group, key=lambda at: (boxes[at].center.y, boxes[at].x0, at)):
        first = boxes[rows[-1][0]] if rows else None
        if first and boxes[at].center.y - first.center.y <= min(first.height, boxes[at].height) / 2:
            rows[-1].append(at)
        else:
            rows.append([at])
    return [at for row in rows for at in sorted(row, key=lambda at: (boxes[at].x0, at))]


def _core(box: Box, off: float = SLIGHT) -> tuple[float, float]:
    return box.y0 + off * box.height, box.y1 - off * box.height


def _split(group: Sequence[int], spans: Sequence[tuple[float, float]]) -> list[list[int]]:
    """The group, cut wherever a line can be drawn that crosses no span."""
    parts: list[list[int]] = []
    end = float("-inf")
    for (start, stop), at in sorted(zip(spans, group, strict=True)):
        if start >= end:
            parts.append([])
        parts[-1].append(at)
        end = max(end, stop)
    return parts


def _independent(boxes: Sequence[Box], columns: list[list[int]]) -> list[list[int]]:
    """Columns with lines of their own, from left to right: neighbours that are not independent stay together. None if
    nothing can be told apart.
    """
    parts = [columns[0]]
    for column in columns[1:]:
        if _are_apart(boxes, parts[-1], column):
            parts.append(column)
        else:
            parts[-1] = parts[-1] + column
    return parts if len(parts) > 1 else []


def _are_apart(boxes: Sequence[Box], left: list[int], right: list[int]) -> bool:
    rows = [_split(part, [_core(boxes[at]) for at in part]) for part in (left, right)]
    if min(map(len, rows)) < LEAST_ROWS:
        return False
    heights = [[(min(boxes[at].y0 for at in row), max(boxes[at].y1 for at in row)) for row in part] for part in rows]
    top, bottom = min(part[0][0] for part in heights), max(part[-1][1] for part in heights)
    if min(part[-1][1] - part[0][0] for part in heights) < TALL * (bottom - top):
        return False
    centres = [[(start + stop) / 2 for start, stop in part] for part in heights]
    few, many = sorted(centres, key=len)
    near = min(stop - start for part in heights for start, stop in part) / 4
    aligned = sum(any(abs(one - other) <= near for other in many) for one in few)
    return aligned < ALIGNED * len(few)
