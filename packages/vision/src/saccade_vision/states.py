"""Is a switch on, a box ticked, a tab the chosen one? Told from pixels, as trees tell it: "checked" or "selected".

    reader = StateReader()
    # "checked" or "" for the switch, "" for the button that stands alone:
    reader.read(image, [("switch", Box(10, 40, 60, 64), True), ("button", Box(0, 90, 80, 120), True)])

A small network (`training/state_train.py`) looks at four pictures of each widget, all of 32 pixels: its left end, its
right end (where the knob of a switch stands, or the tick of a row), the whole of it, and how the whole differs from the
widgets of the same kind beside it, because which tab is chosen shows only in comparison.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pictures

from saccade.errors import MissingError
from saccade.geometry import Box
from saccade_vision.content_memory import ContentMemory
from saccade_vision.runtime import Backend, open_network
from saccade_vision.types import Image

WEIGHTS = Path(__file__).parent / "weights" / "states.onnx"
WORDS = {
    "switch": "checked",
    "checkbox": "checked",
    "radio": "checked",
    "button": "checked",
    "tab": "selected",
    "list item": "selected",
}
"""The types that can be on, and the word for it."""
COMPARED = frozenset(("button", "tab", "list item"))
"""Types that are on only in comparison: one that stands alone is not."""
SINGLE = frozenset(("tab", "radio"))
"""Of such widgets beside each other at most one is on."""
KINDS = tuple(WORDS)
SIDE = 32
MARGIN = 0.08
"""How much around the box is looked at, too, as a share of its height."""
ALIKE = 0.2
"""Widgets beside each other differ in height, or in where they begin, by at most this share of their height."""
NEAR = 3.0
"""Neighbours are at most so many heights (or widths, in a column) apart."""
CHANNELS = 12 + len(KINDS)
BATCH = 32

Floats = NDArray[np.float32]
Widget = tuple[str, Box, bool]
"""Type, box, and whether it is interactive."""


class StateReader:
    """Opens the network once; it has the least score of each type in the JSON file beside it."""

    def __init__(self, weights: Path = WEIGHTS, *, threads: int = 0, backend: Backend | None = None) -> None:
        self.network = open_network(weights, threads, backend)
        facts = weights.with_suffix(".json")
        if not facts.is_file():
            raise MissingError(f"{facts} is missing: install saccade-vision again")
        self.least: dict[str, float] = json.loads(facts.read_text(encoding="utf-8"))["least"]
        self.memory: ContentMemory[float] = ContentMemory()

    def read(self, image: Image, widgets: Sequence[Widget]) -> list[str]:
        """For each widget "checked" or "selected", or nothing."""
        inputs = network_inputs(image, widgets)
        places = sorted(inputs)
        pieces = [inputs[at] for at in places]
        scores = self.memory.answers(pieces, lambda chosen: self._scores([pieces[at] for at in chosen]))
        found = dict(zip(places, scores, strict=True))
        said = [""] * len(widgets)
        for at, score in found.items():
            kind = widgets[at][0]
            best = kind not in SINGLE or score >= max(
                (found[one] for one in neighbours(at, places, widgets)), default=score
            )
            if best and score >= self.least[kind]:
                said[at] = WORDS[kind]
        return said

    def _scores(self, pieces: Sequence[Floats]) -> list[float]:
        found: list[float] = []
        for start in range(0, len(pieces), BATCH):
            found += [float(score) for score in self.network(np.stack(pieces[start : start + BATCH]))[0].ravel()]
        return found


def network_inputs(image: Image, widgets: Sequence[Widget]) -> dict[int, Floats]:
    """For each widget that can be on, by its place, what the network looks at (CHANNELS x 32 x 32)."""
    kinds = [at for at, (type, _, interactive) in enumerate(widgets) if type in WORDS and interactive]
    beside = {at: neighbours(at, kinds, widgets) for at in kinds}
    looked = [at for at in kinds if beside[at] or widgets[at][0] not in COMPARED]
    wholes = {at: _patch(image, widgets[at][1]) for at in {*looked, *(one for at in looked for one in beside[at])}}
    found = {}
    for at in looked:
        type, box, _ = widgets[at]
        others = [wholes[one] for one in beside[at]]
        differs = wholes[at] - np.median(others, axis=0) if others else np.zeros_like(wholes[at])
        left, right = (_patch(image, end) for end in ends(box))
        kind = np.zeros((len(KINDS), SIDE, SIDE), np.float32)
        kind[KINDS.index(type)] = 1
        found[at] = np.concatenate([left, right, wholes[at], differs.astype(np.float32), kind])
    return found


def ends(box: Box) -> tuple[Box, Box]:
    """The squares at the left and the right end of a box."""
    side = min(box.width, box.height)
    return Box(box.x0, box.y0, box.x0 + side, box.y1), Box(box.x1 - side, box.y0, box.x1, box.y1)


def neighbours(at: int, kinds: Sequence[int], widgets: Sequence[Widget]) -> list[int]:
    """The widgets of the same kind that stand in a row, or in a column, with this one, near it."""
    type, box, _ = widgets[at]
    found = []
    for other in kinds:
        kind, place, _ = widgets[other]
        if other == at or kind != type or abs(place.height - box.height) > ALIKE * box.height:
            continue
        row = abs(place.center.y - box.center.y) <= ALIKE * box.height
        column = abs(place.center.x - box.center.x) <= ALIKE * max(box.width, box.height)
        apart = max(place.x0 - box.x1, box.x0 - place.x1) if row else max(place.y0 - box.y1, box.y0 - place.y1)
        if (row or column) and apart <= NEAR * box.height:
            found.append(other)
    return found


def _patch(image: Image, box: Box) -> Floats:
    """A box with a little around it as 3 x 32 x 32, 0 to 1; what is outside of the picture repeats its edge."""
    height, width = image.shape[:2]
    around = MARGIN * box.height
    x0, y0 = (min(max(0, round(side - around)), limit - 1) for side, limit in ((box.x0, width), (box.y0, height)))
    x1, y1 = (
        min(max(low + 1, round(side + around)), limit)
        for side, low, limit in ((box.x1, x0, width), (box.y1, y0, height))
    )
    piece = Pictures.fromarray(np.ascontiguousarray(image[y0:y1, x0:x1]))
    small = np.asarray(piece.resize((SIDE, SIDE), Pictures.Resampling.BILINEAR, reducing_gap=2.0))
    return np.ascontiguousarray(small.transpose(2, 0, 1), np.float32) / np.float32(255)
