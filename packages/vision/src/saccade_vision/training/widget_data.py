"""Screens with their true boxes, kept on the training device, and batches of changed ones.

All pictures stay on the device as bytes (4,000 screens are about 8 GB). A batch is built there: each canvas gets a
screen at a random scale and place, often with a part of another screen laid over it, as windows, sheets and dialogs
lie; then colours, sharpness and noise are changed for the whole batch. Boxes are cut and dropped as they are covered.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor
from torch.nn import functional

from saccade_vision.element_types import TYPES
from saccade_vision.training.picture_changes import change_pictures
from saccade_vision.training.screen_folder import read_lines
from saccade_vision.training.widget_loss import TrueBoxes

SHORTEST_SIDE = 7
"""Boxes thinner than this are the slivers of something scrolled away."""
INK = 24
VISIBLE_SHARE = 0.35
COMMON = 0.3
"""Types on at least this share of the screens are drawn as they come."""
KIND = {name: number for number, name in enumerate(TYPES)}
TEXT = KIND["text"]
Boxes = NDArray[np.float32]


class LabelledScreen(NamedTuple):
    """A picture (3, H, W) of bytes; its boxes (n, 4), and for each its type and whether it is interactive (n, 2)."""

    picture: Tensor
    boxes: Boxes
    labels: NDArray[np.int64]


@dataclass
class ScreenPool:
    """Screens of one kind. A source (an app, a web kit) is drawn by the square root of its share, so that no large one
    drowns the others, and a screen with a rare type more often than others (repeat factors: Gupta et al. 2019,
    arXiv:1908.03195, §5): as often as is rare what is rarest on it.
    """

    screens: list[LabelledScreen] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    _weights: list[float] = field(default_factory=list)

    def add(self, screen: LabelledScreen, source: str) -> None:
        self.screens.append(screen)
        self.sources.append(source)
        self._weights = []

    def draw(self, chance: random.Random) -> LabelledScreen:
        if not self._weights:
            counts = Counter(self.sources)
            factors = repeat_factors([set(screen.labels[:, 0].tolist()) for screen in self.screens])
            self._weights = list(
                accumulate(
                    counts[source] ** -0.5 * factor for source, factor in zip(self.sources, factors, strict=True)
                )
            )
        return chance.choices(self.screens, cum_weights=self._weights)[0]


def repeat_factors(types: Sequence[set[int]]) -> list[float]:
    """How often each screen is drawn, by the types on it: the square root of `COMMON` over the share of screens that
    show its rarest type, at least 1.
    """
    shown = Counter(type for screen in types for type in screen)
    factor = {type: max(1.0, (COMMON * len(types) / count) ** 0.5) for type, count in shown.items()}
    return [max((factor[type] for type in screen), default=1.0) for screen in types]


def read_pool(folders: Iterable[Path], device: str, most: int = 0) -> ScreenPool:
    """All screens of some folders; a folder that is not there is told and left out."""
    pool = ScreenPool()
    for folder in folders:
        lines = read_lines(folder)
        print(f"{folder}: {len(lines)} screens", flush=True)
        with ThreadPoolExecutor(14) as threads:
            for screen, source in threads.map(lambda line, folder=folder: _read(folder, line), lines[: most or None]):
                if len(screen.boxes):
                    pool.add(screen._replace(picture=screen.picture.to(device)), source)
    return pool


def _read(folder: Path, line: dict[str, Any]) -> tuple[LabelledScreen, str]:
    with Image.open(folder / line["image"]) as file:
        pixels = np.asarray(file.convert("RGB"))
    return labelled(pixels, line["elements"]), str(line.get("source", ""))


def labelled(pixels: NDArray[np.uint8], elements: Sequence[dict[str, Any]]) -> LabelledScreen:
    """A screen from its pixels (H, W, 3) and its elements as `screens.jsonl` has them."""
    boxes, labels = [], []
    for element in elements:
        kind = KIND.get(element["type"])
        box = np.array(element["box"], np.float32)
        if kind is None or (box[2:] - box[:2]).min() < SHORTEST_SIDE:
            continue
        if kind == TEXT and not element["interactive"]:
            box = around_ink(pixels, box)
        boxes.append(box)
        labels.append((kind, int(element["interactive"])))
    picture = torch.from_numpy(np.ascontiguousarray(pixels.transpose(2, 0, 1)))
    return LabelledScreen(
        picture, np.array(boxes, np.float32).reshape(-1, 4), np.array(labels, np.int64).reshape(-1, 2)
    )


def around_ink(pixels: NDArray[np.uint8], box: Boxes) -> Boxes:
    """A text's box without the empty ground beside its letters: trees give headings the width of the page."""
    x0, y0, x1, y1 = (int(side) for side in box.round())
    inside = pixels[max(y0, 0) : y1, max(x0, 0) : x1].astype(np.int16)
    if inside.size == 0:
        return box
    ground = np.median(inside.reshape(-1, 3), 0)
    ink = np.abs(inside - ground).max(2) > INK
    rows, columns = np.flatnonzero(ink.any(1)), np.flatnonzero(ink.any(0))
    if not rows.size:
        return box
    tight = [x0 + columns[0] - 2, y0 + rows[0] - 2, x0 + columns[-1] + 3, y0 + rows[-1] + 3]
    tight = [max(tight[0], x0), max(tight[1], y0), min(tight[2], x1), min(tight[3], y1)]
    small = min(tight[2] - tight[0], tight[3] - tight[1]) < SHORTEST_SIDE
    return box if small else np.array(tight, np.float32)


# -- canvases ----------------------------------------------------------------------------------------------------------


class Canvas:
    """A picture that is being put together, with the boxes that can be seen on it."""

    def __init__(self, width: int, height: int, device: str, chance: random.Random) -> None:
        ground = torch.tensor([chance.randrange(256) for _ in range(3)], device=device, dtype=torch.float32) / 255
        self.picture = ground[:, None, None].expand(3, height, width).clone()
        self.size = width, height
        self.boxes = np.zeros((0, 4), np.float32)
        self.labels = np.zeros((0, 2), np.int64)

    def lay(self, screen: LabelledScreen, scale: float, at: tuple[int, int], part: tuple[int, int, int, int]) -> None:
        """Put `part` (x0, y0, x1, y1 of the screen, in its pixels), scaled, with its corner at a place."""
        x0, y0, x1, y1 = part
        width = min(round((x1 - x0) * scale), self.size[0] - at[0])
        height = min(round((y1 - y0) * scale), self.size[1] - at[1])
        if width < 8 or height < 8:
            return
        x1, y1 = min(x1, x0 + round(width / scale)), min(y1, y0 + round(height / scale))
        piece = screen.picture[:, y0:y1, x0:x1].float() / 255
        if piece.shape[1:] != (height, width):
            smooth = {"mode": "bilinear", "antialias": True} if scale < 1 else {"mode": "bicubic"}
            piece = functional.interpolate(piece[None], (height, width), **smooth)[0].clamp(0, 1)
        self.picture[:, at[1] : at[1] + height, at[0] : at[0] + width] = piece
        frame = np.array([at[0], at[1], at[0] + width, at[1] + height], np.float32)
        self._cover(frame)
        origin = np.array([at[0] - x0 * scale, at[1] - y0 * scale] * 2, np.float32)
        moved, kept = cut(screen.boxes * np.float32(scale) + origin, frame)
        self.boxes = np.concatenate([self.boxes, moved[kept]])
        self.labels = np.concatenate([self.labels, screen.labels[kept]])

    def _cover(self, frame: Boxes) -> None:
        """Drop the boxes that a new layer hides for the most part; cut those that it hides from one side."""
        if not len(self.boxes):
            return
        low, high = np.maximum(self.boxes[:, :2], frame[:2]), np.minimum(self.boxes[:, 2:], frame[2:])
        hidden = np.clip(high - low, 0, None).prod(1) / (self.boxes[:, 2:] - self.boxes[:, :2]).prod(1)
        for axis in (0, 1):
            other = 1 - axis
            spans = (frame[other] <= self.boxes[:, other]) & (frame[other + 2] >= self.boxes[:, other + 2])
            near = spans & (frame[axis] <= self.boxes[:, axis]) & (hidden > 0) & (hidden < 1)
            far = spans & (frame[axis + 2] >= self.boxes[:, axis + 2]) & (hidden > 0) & (hidden < 1) & ~near
            self.boxes[near, axis] = frame[axis + 2]
            self.boxes[far, axis + 2] = frame[axis]
        kept = (hidden <= 1 - VISIBLE_SHARE) & ((self.boxes[:, 2:] - self.boxes[:, :2]).min(1) >= SHORTEST_SIDE)
        self.boxes, self.labels = self.boxes[kept], self.labels[kept]


def cut(boxes: Boxes, frame: Boxes) -> tuple[Boxes, NDArray[np.bool_]]:
    """Boxes cut to a frame, and which of them are still to be seen."""
    inside = np.concatenate([np.maximum(boxes[:, :2], frame[:2]), np.minimum(boxes[:, 2:], frame[2:])], 1)
    sides = np.clip(inside[:, 2:] - inside[:, :2], 0, None)
    whole = (boxes[:, 2:] - boxes[:, :2]).prod(1)
    return inside, (sides.min(1) >= SHORTEST_SIDE) & (sides.prod(1) >= VISIBLE_SHARE * whole)


@dataclass(frozen=True)
class BatchShape:
    """How the canvases of a batch are: their size, their number, and the range of scales."""

    width: int
    height: int
    count: int
    smallest: float = 0.5
    largest: float = 1.6


def build_canvas(shape: BatchShape, pools: Sequence[ScreenPool], chance: random.Random, device: str) -> Canvas:
    """A random screen of one of the pools, sometimes with parts of others over it."""
    canvas = Canvas(shape.width, shape.height, device, chance)
    screen = chance.choice(pools).draw(chance)
    height, width = screen.picture.shape[1:]
    natural = min(shape.width / width, shape.height / height)
    # A third of the screens is seen as at run time, whole and in its own size.
    scale = min(1.0, natural) if chance.random() < 0.33 else _random_scale(shape, chance)
    seen_width, seen_height = shape.width / scale, shape.height / scale
    x0 = round(chance.uniform(0, max(0.0, width - seen_width)))
    y0 = round(chance.uniform(0, max(0.0, height - seen_height)))
    canvas.lay(screen, scale, (0, 0), (x0, y0, width, height))
    while chance.random() < 0.35:
        _lay_window(canvas, shape, chance.choice(pools).draw(chance), chance)
    return canvas


def _random_scale(shape: BatchShape, chance: random.Random) -> float:
    return float(np.exp(chance.uniform(np.log(shape.smallest), np.log(shape.largest))))


def _lay_window(canvas: Canvas, shape: BatchShape, screen: LabelledScreen, chance: random.Random) -> None:
    """A part of a screen anywhere on the canvas; sometimes all beneath is dimmed, as behind a dialog."""
    height, width = screen.picture.shape[1:]
    if chance.random() < 0.3:
        canvas.picture *= chance.uniform(0.3, 0.8)
    scale = _random_scale(shape, chance)
    share = chance.uniform(0.25, 0.8), chance.uniform(0.15, 0.7)
    part_width, part_height = min(width, shape.width * share[0] / scale), min(height, shape.height * share[1] / scale)
    x0, y0 = chance.uniform(0, width - part_width), chance.uniform(0, height - part_height)
    at = chance.uniform(0, shape.width - part_width * scale), chance.uniform(0, shape.height - part_height * scale)
    part = round(x0), round(y0), round(x0 + part_width), round(y0 + part_height)
    canvas.lay(screen, scale, (max(0, round(at[0])), max(0, round(at[1]))), part)


def build_batch(
    shape: BatchShape, pools: Sequence[ScreenPool], chance: random.Random, device: str
) -> tuple[Tensor, TrueBoxes]:
    """Pictures (N, 3, H, W) and their truth."""
    canvases = [build_canvas(shape, pools, chance, device) for _ in range(shape.count)]
    pictures = change_pictures(torch.stack([canvas.picture for canvas in canvases]), chance)
    return pictures, truth_of([(canvas.boxes, canvas.labels) for canvas in canvases], device)


def truth_of(screens: Sequence[tuple[Boxes, NDArray[np.int64]]], device: str) -> TrueBoxes:
    most = max(1, *(len(boxes) for boxes, _ in screens))
    boxes = np.zeros((len(screens), most, 4), np.float32)
    labels = np.zeros((len(screens), most, 2), np.int64)
    there = np.zeros((len(screens), most), bool)
    for at, (own, own_labels) in enumerate(screens):
        boxes[at, : len(own)], labels[at, : len(own)], there[at, : len(own)] = own, own_labels, True
    kinds = torch.from_numpy(labels).to(device)
    return TrueBoxes(
        torch.from_numpy(boxes).to(device), kinds[..., 0], kinds[..., 1].float(), torch.from_numpy(there).to(device)
    )
