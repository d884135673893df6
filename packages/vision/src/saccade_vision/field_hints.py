"""Tell the hint in an empty field from what was typed.

A field that is empty shows a hint ("at least 8 characters"), paler than its label; trees name such a field by its label
and do not tell the hint. What was typed is as dark as the label.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from saccade.geometry import Box
from saccade_vision.types import Image, TextLine

PALE = 0.75
"""A hint's contrast is at most this share of its label's. UI kits draw hints at 0.2 to 0.6 of a text's contrast."""
INK = 98
"""Percentile of a line's pixels, by their difference from its ground, at which its letters are."""


def without_hint(image: Image, lines: Sequence[TextLine], label: TextLine | None) -> tuple[Sequence[TextLine], bool]:
    """The lines in a field without its hint, and whether there was one: a line that is paler than the field's label,
    or, in a field that has its label in it, than the line above.
    """
    if label is None and len(lines) < 2:
        return lines, False
    ordered = sorted(lines, key=lambda line: line.box.y0)
    first, rest = (label, ordered) if label is not None else (ordered[0], ordered[1:])
    dark = PALE * contrast(image, first.box)
    pale = [line for line in rest if contrast(image, line.box) <= dark]
    return [line for line in lines if line not in pale], bool(pale)


def contrast(image: Image, box: Box) -> float:
    """How much the letters of a line differ from what they stand on, in levels of brightness."""
    x0, y0, x1, y1 = (max(0, round(side)) for side in box)
    part = image[y0:y1, x0:x1].astype(np.float32)
    if not part.size:
        return 0.0
    light = part @ np.array([0.299, 0.587, 0.114], np.float32)
    return float(np.percentile(np.abs(light - np.median(light)), INK))
