"""From a screen to the widget network's input and from its output to boxes, in numpy alone (training uses it, too)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from saccade_vision.element_types import TYPES
from saccade_vision.types import is_phone_screen

Floats = NDArray[np.float32]

STRIDES = (8, 16, 32)
FIRST_TYPE = 6
"""Of one point: dx, dy, log width, log height (in strides), is it anything, is it interactive, one score for each type;
all scores are logits.
"""
OUTPUTS = FIRST_TYPE + len(TYPES)
PHONE_WIDTH, DESKTOP_SIDE, BLOCK = 432, 1280, 32
MOST_POINTS = 1500
SAME_BOX = 0.6
LEAST_SCORE = 0.03
GROUND = 114
_TEXT = TYPES.index("text")
TEXT_DISCOUNT = 0.7
"""How much less a text that does nothing counts, where only some of the boxes can be kept: texts are read anyway."""


class FoundBoxes(NamedTuple):
    """Boxes in pixels of the network's input, most certain first."""

    boxes: Floats
    """(n, 4): x0, y0, x1, y1."""
    scores: Floats
    interactive: Floats
    """Probabilities."""
    types: NDArray[np.int64]
    """Places in `TYPES`."""


def network_size(width: int, height: int) -> tuple[int, int]:
    """The size at which the network sees a screen: phones 432 pixels wide, others 1280 on the longer side.

    >>> network_size(1080, 2400), network_size(1920, 1080), network_size(200, 100)
    ((432, 960), (1280, 720), (200, 100))
    """
    scale = PHONE_WIDTH / width if is_phone_screen(width, height) else DESKTOP_SIDE / max(width, height)
    scale = min(scale, DESKTOP_SIDE / max(width, height), 1.0)
    return max(1, round(width * scale)), max(1, round(height * scale))


def network_input(image: NDArray[np.uint8]) -> tuple[Floats, float]:
    """A screen as the network wants it, (1, 3, H, W) in 0..1 with sides padded to multiples of 32, and the scale."""
    height, width = image.shape[:2]
    size = network_size(width, height)
    picture = Image.fromarray(image)
    if size != picture.size:
        picture = picture.resize(size, Image.Resampling.BILINEAR, reducing_gap=2.0)
    padded = np.full((-(-size[1] // BLOCK) * BLOCK, -(-size[0] // BLOCK) * BLOCK, 3), GROUND, np.uint8)
    padded[: size[1], : size[0]] = np.asarray(picture)
    return np.asarray(padded.transpose(2, 0, 1)[None], np.float32) / np.float32(255), size[0] / width


def decode(maps: list[NDArray[Any]], limit: int, least_score: float = LEAST_SCORE) -> FoundBoxes:
    """The boxes of one screen's maps (each (1, OUTPUTS, H/s, W/s)), without doubles, at most `limit`."""
    points = np.concatenate([_points(level, stride) for level, stride in zip(maps, STRIDES, strict=True)])
    boxes, logits = points[:, :4], points[:, 4:]
    scores = _sigmoid(logits[:, 0])
    kept = np.flatnonzero(scores >= least_score)
    kept = kept[np.argsort(-scores[kept], kind="stable")[:MOST_POINTS]]
    boxes, scores, logits = boxes[kept], scores[kept], logits[kept]
    interactive = _sigmoid(logits[:, 1])
    kinds = np.exp(logits[:, 2:] - logits[:, 2:].max(1, keepdims=True, initial=-50))
    kinds /= kinds.sum(1, keepdims=True)
    worth = scores * (1 - TEXT_DISCOUNT * kinds[:, _TEXT] * (1 - interactive))
    chosen = without_doubles(boxes, worth, SAME_BOX, limit)
    return FoundBoxes(boxes[chosen], scores[chosen], interactive[chosen], kinds[chosen].argmax(1))


def _points(level: NDArray[Any], stride: int) -> Floats:
    """(cells, OUTPUTS) with the first four numbers as the corners of a box."""
    channels, rows, columns = level.shape[1:]
    flat = np.asarray(level[0].reshape(channels, -1).T, np.float32).copy()
    x = (np.tile(np.arange(columns), rows) + 0.5 + flat[:, 0]) * stride
    y = (np.repeat(np.arange(rows), columns) + 0.5 + flat[:, 1]) * stride
    half = np.exp(np.clip(flat[:, 2:4], -4, 6)) * stride / 2
    flat[:, :4] = np.stack([x - half[:, 0], y - half[:, 1], x + half[:, 0], y + half[:, 1]], 1)
    return flat


def without_doubles(boxes: Floats, worth: Floats, same: float, limit: int) -> NDArray[np.int64]:
    """Indexes of boxes, best first; one that overlaps a better one by more than `same` (IoU) is left out."""
    order = np.argsort(-worth, kind="stable")
    chosen: list[int] = []
    while order.size and len(chosen) < limit:
        best = order[0]
        chosen.append(int(best))
        order = order[1:][iou_matrix(boxes[best][None], boxes[order[1:]])[0] <= same]
    return np.array(chosen, np.int64)


def iou_matrix(one: Floats, other: Floats) -> Floats:
    """Intersection over union of each box with each other one."""
    low = np.maximum(one[:, None, :2], other[None, :, :2])
    high = np.minimum(one[:, None, 2:], other[None, :, 2:])
    shared = np.clip(high - low, 0, None).prod(2)
    areas = [np.clip(boxes[:, 2:] - boxes[:, :2], 0, None).prod(1) for boxes in (one, other)]
    return np.asarray(shared / np.maximum(areas[0][:, None] + areas[1][None] - shared, 1e-6), np.float32)


def _sigmoid(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -30, 30))), np.float32)
