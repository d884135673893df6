"""How many true boxes a widget network finds: recall at IoU 0.5 with at most 100 boxes a screen."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from saccade_vision.training.widget_data import TEXT, LabelledScreen, ScreenPool
from saccade_vision.widget_boxes import FoundBoxes, decode, iou_matrix, network_input

LIMIT = 100
RIGHT = 0.5
SMALL_SIDE = 24


@torch.no_grad()  # type: ignore[untyped-decorator]
def measure(net: torch.nn.Module, pool: ScreenPool, device: str, most: int = 0) -> dict[str, Any]:
    """Recall of interactive boxes, of small ones among them, of pictures and icons that do nothing, and of texts; the
    share of right types among the interactive boxes found; and the precision of boxes with a score of at least 0.3.
    """
    counts: dict[str, list[int]] = {}
    for screen in pool.screens[: most or None]:
        pixels = np.ascontiguousarray(screen.picture.cpu().numpy().transpose(1, 2, 0))
        prepared, scale = network_input(pixels)
        maps = net(torch.from_numpy(prepared).to(device))
        found = decode([level.float().cpu().numpy() for level in maps], LIMIT)
        for name, right in judged(screen, found, scale).items():
            counts.setdefault(name, [0, 0])
            counts[name][0] += int(right.sum())
            counts[name][1] += right.size
    return {name: [round(right / max(1, whole), 4), whole] for name, (right, whole) in counts.items()}


def judged(screen: LabelledScreen, found: FoundBoxes, scale: float) -> dict[str, NDArray[np.bool_]]:
    """What of each group of boxes is right."""
    boxes = screen.boxes * np.float32(scale)
    overlaps = iou_matrix(boxes, found.boxes)
    hit = overlaps.max(1, initial=0) >= RIGHT
    types, pressed = screen.labels[:, 0], screen.labels[:, 1] == 1
    small = (boxes[:, 2:] - boxes[:, :2]).min(1) < SMALL_SIDE
    named = np.zeros(len(boxes), bool)
    if len(found.boxes):
        named = found.types[overlaps.argmax(1)] == types
    certain = found.scores >= 0.3
    return {
        "interactive": hit[pressed],
        "small interactive": hit[pressed & small],
        "pictures": hit[~pressed & (types != TEXT)],
        "texts": hit[~pressed & (types == TEXT)],
        "types": named[pressed & hit],
        "precision": (overlaps.max(0, initial=0) >= RIGHT)[certain],
    }
