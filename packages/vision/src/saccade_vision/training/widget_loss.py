"""How the widget network learns.

The points that learn a true box are those that already agree with it best (task-aligned assignment: Feng et al. 2021,
arXiv:2108.07755, alignment t = s^a · u^b of the score s and the IoU u). The score "is it anything" learns the IoU of
the box (quality focal loss: Li et al. 2020, arXiv:2006.04388), the box by GIoU (Rezatofighi et al. 2019,
arXiv:1902.09630); type and interactive are learned where there is something, so that sources that call the same thing
a button and a list item do not make it less certain that there is one.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from saccade_vision.widget_boxes import FIRST_TYPE, STRIDES

LEVEL_RANGES = ((0.0, 44.0), (30.0, 104.0), (72.0, 1e9))
"""Which level learns a box, by its short side in pixels: a row as wide as the screen is as fine as its height."""
CANDIDATES = 10
SCORE_POWER, IOU_POWER = 0.5, 4.0
CENTRE_SHARE, LEAST_REACH = 0.4, 0.75
"""A point may learn a box from within this share of its width and height around the centre, or this many strides."""
FIRST_IOU = 0.35
"""While boxes are still bad, points near the centre count as if they had this IoU. Without it rows as wide as the
screen never begin to be learned: their points are taken by the texts in them, which fit better from the first step.
"""
BOX_WEIGHT, TYPE_WEIGHT, INTERACTIVE_WEIGHT = 2.0, 0.5, 0.5


class TrueBoxes(NamedTuple):
    """The true elements of a batch, filled up to the same number."""

    boxes: Tensor
    """(N, M, 4)."""
    types: Tensor
    interactive: Tensor
    there: Tensor
    """(N, M): False where there is only filling."""


class MapPoints(NamedTuple):
    """What every point of every level says, (N, P, ...)."""

    boxes: Tensor
    logits: Tensor
    centres: Tensor
    """(P, 2) in pixels."""
    strides: Tensor
    levels: Tensor


def points_of(maps: list[Tensor]) -> MapPoints:
    boxes, logits, centres, strides, levels = [], [], [], [], []
    for number, (level, stride) in enumerate(zip(maps, STRIDES, strict=True)):
        rows, columns = level.shape[2:]
        flat = level.float().flatten(2).transpose(1, 2)
        y, x = torch.meshgrid(
            torch.arange(rows, device=level.device), torch.arange(columns, device=level.device), indexing="ij"
        )
        centre = (torch.stack([x, y], -1).reshape(-1, 2).float() + 0.5) * stride
        middle = centre + flat[..., :2] * stride
        half = flat[..., 2:4].clamp(-4, 6).exp() * (stride / 2)
        boxes.append(torch.cat([middle - half, middle + half], -1))
        logits.append(flat[..., 4:])
        centres.append(centre)
        strides.append(torch.full((len(centre),), float(stride), device=level.device))
        levels.append(torch.full((len(centre),), number, device=level.device))
    return MapPoints(
        torch.cat(boxes, 1), torch.cat(logits, 1), torch.cat(centres), torch.cat(strides), torch.cat(levels)
    )


def giou(one: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
    """IoU and generalised IoU of boxes, element by element."""
    low, high = torch.maximum(one[..., :2], other[..., :2]), torch.minimum(one[..., 2:], other[..., 2:])
    shared = (high - low).clamp(min=0).prod(-1)
    areas = (one[..., 2:] - one[..., :2]).clamp(min=0).prod(-1) + (other[..., 2:] - other[..., :2]).clamp(min=0).prod(
        -1
    )
    union = (areas - shared).clamp(min=1e-6)
    hull = torch.maximum(one[..., 2:], other[..., 2:]) - torch.minimum(one[..., :2], other[..., :2])
    around = hull.clamp(min=0).prod(-1).clamp(min=1e-6)
    iou = shared / union
    return iou, iou - (around - union) / around


@torch.no_grad()  # type: ignore[untyped-decorator]
def assign(points: MapPoints, truth: TrueBoxes) -> tuple[Tensor, Tensor, Tensor]:
    """For each point the place of the true box it learns (-1: none), how much it should learn of it (0 to 1, against
    the box's best point), and the score it should give, all (N, P). A point that several boxes want learns the one
    among whose points it ranks highest.
    """
    sizes = truth.boxes[..., 2:] - truth.boxes[..., :2]
    middles = (truth.boxes[..., :2] + truth.boxes[..., 2:]) / 2
    short = sizes.amin(-1)
    ranges = torch.tensor(LEVEL_RANGES, device=short.device)[points.levels]
    fits = (short[..., None] >= ranges[:, 0]) & (short[..., None] < ranges[:, 1]) & truth.there[..., None]
    central = torch.ones_like(fits, dtype=torch.float32)
    for axis in (0, 1):
        away = (points.centres[:, axis] - middles[..., axis, None]).abs()
        reach = torch.maximum(sizes[..., axis, None] * CENTRE_SHARE, points.strides * LEAST_REACH)
        fits &= away <= reach
        central = torch.minimum(central, 1 - away / reach)
    iou, _ = giou(points.boxes[:, None], truth.boxes[:, :, None])
    score = points.logits[..., 0].sigmoid()[:, None]
    agreed = torch.maximum(iou, FIRST_IOU * central.clamp(min=0)) + 1e-3
    aligned = torch.where(fits, score**SCORE_POWER * agreed**IOU_POWER, 0.0)
    best, at = aligned.topk(CANDIDATES, dim=-1)
    chosen = torch.zeros_like(aligned).scatter_(-1, at, (best > 0).float()) > 0
    share = torch.where(chosen, aligned / aligned.amax(-1, keepdim=True).clamp(min=1e-12), 0.0)
    value, owner = share.max(1)
    top_iou = torch.where(chosen, iou, 0.0).amax(-1).gather(1, owner)
    return torch.where(value > 0, owner, -1), value, value * top_iou


def widget_loss(maps: list[Tensor], truth: TrueBoxes) -> tuple[Tensor, dict[str, Tensor]]:
    """The loss of a batch, and its parts to print."""
    points = points_of(maps)
    owner, importance, target = assign(points, truth)
    weight = importance.sum().clamp(min=1.0)
    score = points.logits[..., 0]
    plain = functional.binary_cross_entropy_with_logits(score, target, reduction="none")
    quality = (plain * (target - score.sigmoid()).abs().detach() ** 2).sum() / target.sum().clamp(min=1.0)
    picked = owner >= 0
    at = owner[picked]
    which = picked.nonzero()[:, 0]
    share = importance[picked]
    _, overlap = giou(points.boxes[picked], truth.boxes[which, at])
    box = ((1 - overlap) * share).sum() / weight
    said = points.logits[picked]
    first = FIRST_TYPE - 4
    type = (functional.cross_entropy(said[:, first:], truth.types[which, at], reduction="none") * share).sum() / weight
    pressed = functional.binary_cross_entropy_with_logits(said[:, 1], truth.interactive[which, at], reduction="none")
    interactive = (pressed * share).sum() / weight
    total = quality + BOX_WEIGHT * box + TYPE_WEIGHT * type + INTERACTIVE_WEIGHT * interactive
    parts = {"score": quality, "box": box, "type": type, "interactive": interactive}
    return total, {name: part.detach() for name, part in parts.items()}
