"""Pair predicted boxes with annotated ones so that the total IoU is largest (BTL-UI eq. 6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from saccade.geometry import Box

Pair = tuple[int, int, float]
"""Index of a predicted box, index of an annotated one, their IoU."""

_TIE = 1e-9
"""Of assignments with the same total IoU, the one that serves higher priorities wins."""


def ious(box: Box, others: Iterable[Box]) -> list[float]:
    """The box's IoU with each of the others."""
    a0, b0, a1, b1 = box
    found = []
    for x0, y0, x1, y1 in others:
        iou = 0.0
        if y0 < b1 and b0 < y1 and x0 < a1 and a0 < x1:
            width = (a1 if a1 < x1 else x1) - (a0 if a0 > x0 else x0)
            height = (b1 if b1 < y1 else y1) - (b0 if b0 > y0 else y0)
            if width > 0 and height > 0:
                iou = width * height / ((a1 - a0) * (b1 - b0) + (x1 - x0) * (y1 - y0) - width * height)
        found.append(iou)
    return found


def assign(predicted: Sequence[Box], annotated: Sequence[Box]) -> list[Pair]:
    """The Hungarian assignment, as its pairs that overlap at all."""
    if not predicted or not annotated:
        return []
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415  (half a second, and few answers need it)

    matrix = np.array([ious(box, annotated) for box in predicted])
    rows, columns = linear_sum_assignment(matrix + _TIE * np.arange(len(annotated), 0, -1), maximize=True)
    pairs = zip(rows.tolist(), columns.tolist(), matrix[rows, columns].tolist(), strict=True)
    return [pair for pair in pairs if pair[2] > 0]


def first_matched(predicted: Sequence[Box], annotated: Sequence[Box], order: Iterable[int], tau: float) -> int | None:
    """The first annotated box, in the given order, that the assignment matches with an IoU of at least τ. A predicted
    box that is there more than once counts once.

    Most answers need no whole assignment. A box that no prediction meets with τ is not it. And a pair whose IoU is at
    least what its two boxes could get elsewhere, taken together, belongs to an optimal assignment: breaking it up
    could gain no more than that.
    """
    for j in order:
        with_target = ious(annotated[j], predicted)
        best = max(with_target)
        if best < tau:
            continue
        i = with_target.index(best)
        elsewhere = ious(predicted[i], annotated)
        with_target[i] = elsewhere[j] = 0.0
        if best >= max(with_target) + max(elsewhere):
            return j
        distinct = list(dict.fromkeys(predicted))
        matched = {column for _, column, iou in assign(distinct, annotated) if iou >= tau}
        return next((column for column in order if column in matched), None)
    return None
