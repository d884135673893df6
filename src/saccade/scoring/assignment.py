"""Pair predicted boxes with annotated ones so that the total IoU is largest (BTL-UI eq. 6)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

from saccade.geometry import Box

Pair = tuple[int, int, float]
"""Index of a predicted box, index of an annotated one, their IoU."""

_TIE = 1e-9
"""Of assignments with the same total IoU, the one that serves higher priorities wins."""


def overlaps(predicted: Sequence[Box], annotated: Sequence[Box]) -> list[Pair]:
    """All pairs with an IoU above 0. Sorted by their upper edge, only boxes at the same height are compared: most
    of a screen's boxes do not touch, and building matrices would cost more than it saves.
    """
    pairs = []
    sized = sorted((y0, x0, x1, y1, (x1 - x0) * (y1 - y0), j) for j, (x0, y0, x1, y1) in enumerate(annotated))
    tops = [box[0] for box in sized]
    tallest = max((box[3] - box[0] for box in sized), default=0)
    for i, (a0, b0, a1, b1) in enumerate(predicted):
        area = (a1 - a0) * (b1 - b0)
        for y0, x0, x1, y1, other, j in sized[bisect_right(tops, b0 - tallest) : bisect_left(tops, b1)]:
            if a0 < x1 and x0 < a1 and b0 < y1:
                width = (a1 if a1 < x1 else x1) - (a0 if a0 > x0 else x0)
                height = (b1 if b1 < y1 else y1) - (b0 if b0 > y0 else y0)
                if width > 0 and height > 0:
                    pairs.append((i, j, width * height / (area + other - width * height)))
    return pairs


def assign(predicted: Sequence[Box], annotated: Sequence[Box]) -> list[Pair]:
    """The Hungarian assignment, as its pairs that overlap at all.

    Where no box overlaps two others, the overlaps are the assignment and no matrix is needed.
    """
    pairs = overlaps(predicted, annotated)
    if len({i for i, _, _ in pairs}) == len(pairs) == len({j for _, j, _ in pairs}):
        return pairs
    gain = np.zeros((len(predicted), len(annotated)))
    for i, j, iou in pairs:
        gain[i, j] = iou + _TIE * (len(annotated) - j)
    rows, columns = linear_sum_assignment(gain, maximize=True)
    partner = dict(zip(rows.tolist(), columns.tolist(), strict=True))
    return [pair for pair in pairs if partner.get(pair[0]) == pair[1]]
