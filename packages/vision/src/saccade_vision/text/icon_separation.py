"""Separate a line of text from icons beside it, which the detector sometimes takes into the same box.

The battery sign before "28%" or the lens before "Search" makes the recogniser unsure of the whole line. In such a line
the small pieces at both ends, with a plain gap beside them, are read by themselves. Those that turn out to be no text,
from the end inwards, are cut off, and the rest is read again. It takes the line's place if it can be read with more
confidence. Words are never separated from each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from saccade.geometry import Box
from saccade_vision.text.recognition import PLAIN
from saccade_vision.types import Image

UNSURE = 0.9
"""A line is looked at again if the confidence in one of its characters is lower."""
GAP = 0.15
"""Least width of a gap, as a share of the box's height: about a space."""
SMALL = 1.4
"""Most width of a piece that may be an icon, as a share of the box's height (a battery is wider than high)."""
ICON_LENGTH = 2
"""Most characters that one icon is read as."""
MOST = 3
"""Pieces that are read at each end."""


@dataclass(frozen=True, slots=True)
class LinePieces:
    """A line cut at its gaps. `left` and `right` of them, counted from the ends, are small enough to be icons."""

    boxes: list[Box]
    left: int
    right: int

    @property
    def ends(self) -> list[Box]:
        """The small pieces: those on the left, then those on the right, each from the end inwards."""
        return self.boxes[: self.left] + self.boxes[::-1][: self.right]

    def without_icons(self, text: Sequence[bool]) -> Box | None:
        """The line without the pieces at its ends that are no text, up to the first that is; None if all stay."""
        left, right = _false_ones(text[: self.left]), _false_ones(text[self.left :])
        if not left and not right:
            return None
        first, last = self.boxes[left], self.boxes[len(self.boxes) - 1 - right]
        return Box(first.x0, first.y0, last.x1, last.y1)


def cut(image: Image, box: Box) -> LinePieces:
    """The pieces of a line. At least one is not small, or stands between those that are."""
    x0, y0, x1, y1 = (max(0, round(value)) for value in box)
    grey = image[y0:y1, x0:x1, 1].astype(np.int16)
    height = y1 - y0
    runs = _runs(np.ptp(grey, axis=0) > PLAIN, max(2, round(GAP * height))) if grey.size else []
    margin = max(1, round(GAP * height / 2))
    boxes = [Box(max(x0, x0 + begin - margin), y0, min(x1, x0 + end + margin), y1) for begin, end in runs]
    small = [end - begin <= SMALL * height for begin, end in runs]
    left = min(_false_ones([not one for one in small]), MOST, max(0, len(runs) - 1))
    right = min(_false_ones([not one for one in small[::-1]]), MOST, max(0, len(runs) - 1 - left))
    return LinePieces(boxes, left, right)


def _false_ones(values: Sequence[bool]) -> int:
    """How many there are before the first that is true."""
    return next((at for at, one in enumerate(values) if one), len(values))


def _runs(ink: np.ndarray, gap: int) -> list[tuple[int, int]]:
    """Where something is written, from column to column, cut at gaps of at least `gap` columns.

    >>> _runs(np.array([0, 1, 1, 0, 1, 0, 0, 0, 1], bool), 2)
    [(1, 5), (8, 9)]
    """
    places = np.flatnonzero(ink)
    if not len(places):
        return []
    cuts = np.flatnonzero(np.diff(places) > gap)
    begins, ends = np.concatenate([[places[0]], places[cuts + 1]]), np.concatenate([places[cuts], [places[-1]]])
    return [(int(begin), int(end) + 1) for begin, end in zip(begins, ends, strict=True)]
