"""Name icons: what a small picture on a screen means and what a tap on it does, in English and Chinese.

    namer = IconNamer()
    [meaning, nothing] = namer.name(image, [Box(12, 40, 60, 88), Box(0, 200, 300, 400)])

The network looks at crops of 40 pixels and knows the meanings of `meanings.json`; where nothing fits, the answer is
None. It is trained by `training/icon_train.py`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pictures

from saccade.errors import MissingError
from saccade.geometry import Box
from saccade_vision.content_memory import ContentMemory
from saccade_vision.runtime import Backend, open_network
from saccade_vision.types import IconMeaning, Image

FOLDER = Path(__file__).parent
WEIGHTS = FOLDER / "weights" / "icons.onnx"
CROP = 40
MARGIN = 0.1
"""How much around the box is looked at, too, as a share of its longer side: icons in training do not fill the crop."""
BATCH = 64


@lru_cache(maxsize=1)
def meanings() -> dict[str, dict[str, Any]]:
    """What `meanings.json` says, by key: `en`, `zh`, `tap_en`, `tap_zh` and the npm `icons` that mean it."""
    read = json.loads((FOLDER / "meanings.json").read_text(encoding="utf-8"))
    return {meaning["key"]: meaning for meaning in read}


def meaning_of(key: str, confidence: float) -> IconMeaning:
    """One of the meanings by its key."""
    found = meanings()[key]
    words = (found["en"], found["zh"], found["tap_en"], found["tap_zh"])
    return IconMeaning(key, *words, round(confidence, 4))


class IconNamer:
    """Names icons with the network in `weights/icons.onnx`, or in another file that has its JSON file beside it."""

    def __init__(self, weights: Path = WEIGHTS, *, threads: int = 0, backend: Backend | None = None) -> None:
        self.network = open_network(weights, threads, backend)
        facts_file = weights.with_suffix(".json")
        if not facts_file.is_file():
            raise MissingError(f"{facts_file} is missing: install saccade-vision again")
        facts = json.loads(facts_file.read_text(encoding="utf-8"))
        self.keys: list[str] = facts["keys"]
        self.known_above: float = facts["known_above"]
        self.memory: ContentMemory[IconMeaning | None] = ContentMemory()

    def name(self, image: Image, boxes: Sequence[Box]) -> list[IconMeaning | None]:
        """For each box its meaning, or None where it shows no icon that is known."""
        crops = [cut(image, box) for box in boxes]
        return self.memory.answers(crops, lambda places: self._named([crops[at] for at in places]))

    def _named(self, crops: Sequence[NDArray[np.float32]]) -> list[IconMeaning | None]:
        parts = [np.stack(crops[start : start + BATCH]) for start in range(0, len(crops), BATCH)]
        return [self._meaning(row) for part in parts for row in self.scores(part)]

    def scores(self, crops: NDArray[np.float32]) -> NDArray[np.float32]:
        """For each crop (3 x 40 x 40, 0 to 1) one score for each key and, last, one for being known at all."""
        return np.asarray(self.network(crops)[0], np.float32)

    def _meaning(self, scores: NDArray[np.float32]) -> IconMeaning | None:
        if not scores[-1] >= self.known_above:
            return None
        best = int(scores[:-1].argmax())
        share = 1 / float(np.exp(scores[:-1] - scores[best]).sum())
        confidence = share / (1 + float(np.exp(-scores[-1])))
        return meaning_of(self.keys[best], confidence)


def cut(image: Image, box: Box) -> NDArray[np.float32]:
    """The crop of a box as the network takes it: with a margin, padded to a square, 40 pixels, channels first.

    What is missing to the square gets the colour that the piece has most at its border.
    """
    height, width = image.shape[:2]
    around = MARGIN * max(box.width, box.height)
    x0, y0 = max(0, round(box.x0 - around)), max(0, round(box.y0 - around))
    x1, y1 = min(width, round(box.x1 + around)), min(height, round(box.y1 + around))
    if x1 - x0 < 1 or y1 - y0 < 1:
        return np.zeros((3, CROP, CROP), np.float32)
    piece = image[y0:y1, x0:x1]
    border = np.concatenate([piece[0], piece[-1], piece[:, 0], piece[:, -1]])
    scale = CROP / max(piece.shape[:2])
    size = max(1, round(piece.shape[1] * scale)), max(1, round(piece.shape[0] * scale))
    small = np.asarray(Pictures.fromarray(np.ascontiguousarray(piece)).resize(size, Pictures.Resampling.BILINEAR))
    square = np.empty((CROP, CROP, 3), np.uint8)
    square[:] = np.median(border, axis=0)
    left, top = (CROP - size[0]) // 2, (CROP - size[1]) // 2
    square[top : top + size[1], left : left + size[0]] = small
    return np.ascontiguousarray(square.transpose(2, 0, 1), np.float32) / np.float32(255)
