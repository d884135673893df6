"""Is that really text? A logistic regression over what detection and recognition say about a box.

In pictures reduced for speed the detector takes icons for text, and the recogniser reads them as one or two odd
characters. No single threshold tells these from "5" or "确定": an icon can be read with a confidence of 0.99. So a few
general statistics are weighed: both networks' scores, how many characters of which kind, whether the box is as wide as
such characters are, and how its pixels look. Each is used twice, once multiplied by 1/length, because what speaks
against one character says little about a sentence. Other lines do not matter: a part of a screen is read as the whole.

The weights (weights/text_filter.json) are fitted on screens of the sandbox phone: `training/text_filter.py`.
"""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from saccade_vision.text.detection import DetectedLine
from saccade_vision.text.recognition import RecognisedText
from saccade_vision.types import Image

Floats = NDArray[np.float64]
WEIGHTS = "text_filter.json"
NAMES = (
    "bias",
    "detection",
    "confidence",
    "least confidence",
    "sure",
    "one character",
    "two characters",
    "log length",
    "common hanzi",
    "rare hanzi",
    "latin",
    "lower case",
    "digits",
    "signs",
    "log aspect",
    "misfit",
    "size of misfit",
    "contrast",
    "ink",
    "edges",
    "colour",
)
"""The statistics, in order; then each again divided by the text's length."""
MOST_SAMPLES = 96
"""Rows and columns of a box that its pixels are judged by."""


@dataclass(frozen=True, slots=True)
class LineFilter:
    """Weights for the statistics after they were brought to mean 0 and deviation 1, and the probability to keep."""

    weights: Floats
    mean: Floats
    deviation: Floats
    threshold: float

    def probabilities(self, statistics: Floats) -> Floats:
        """How probable it is that each line is text, and rightly read."""
        values: Floats = 1 / (1 + np.exp(-((statistics - self.mean) / self.deviation) @ self.weights))
        return values


@cache
def load_filter() -> LineFilter:
    """The shipped weights."""
    found = json.loads(files("saccade_vision").joinpath("weights", WEIGHTS).read_text(encoding="utf-8"))
    weights, mean, deviation = (np.array(found[name]) for name in ("weights", "mean", "deviation"))
    return LineFilter(weights, mean, deviation, found["threshold"])


def statistics(image: Image, boxes: Sequence[DetectedLine], readings: Sequence[RecognisedText]) -> Floats:
    """One row for each box."""
    rows = [
        [*_scores(box, reading), *_characters(reading.text), *_shape(box, reading.text), *_pixels(image, box)]
        for box, reading in zip(boxes, readings, strict=True)
    ]
    table = np.array(rows).reshape(len(rows), len(NAMES))
    lengths = np.array([max(1, len(reading.text.strip())) for reading in readings]).reshape(-1, 1)
    return np.hstack([table, table / lengths])


def _scores(box: DetectedLine, reading: RecognisedText) -> list[float]:
    least = min(reading.confidences, default=0.0)
    return [1.0, box.score, reading.confidence, least, -math.log(1.001 - min(1.0, reading.confidence))]


def _characters(text: str) -> list[float]:
    kept = text.strip()
    n = max(1, len(kept))
    kinds = [_kind(one) for one in kept]
    shares = [kinds.count(kind) / n for kind in ("common hanzi", "rare hanzi", "latin", "lower case", "digit", "sign")]
    return [float(len(kept) == 1), float(len(kept) == 2), math.log(n), *shares]


@cache
def _kind(letter: str) -> str:
    """What sort of character it is; hanzi of the first level of GB 2312 (3,755 by frequency of use) are common."""
    if letter.isdigit():
        return "digit"
    if unicodedata.name(letter, "").startswith("CJK UNIFIED"):
        try:
            return "common hanzi" if 0xB0 <= letter.encode("gb2312")[0] <= 0xD7 else "rare hanzi"
        except UnicodeEncodeError:
            return "rare hanzi"
    if letter.isalpha():
        return "lower case" if letter.islower() else "latin"
    return "sign"


def _shape(box: DetectedLine, text: str) -> list[float]:
    """Width through height, and how far that is from what such characters need (hanzi as wide as high, others half)."""
    aspect = math.log(max(1, box.box.width) / max(1, box.box.height))
    wide = sum(1.0 if unicodedata.east_asian_width(one) in "WF" else 0.5 for one in text.strip())
    misfit = aspect - math.log(max(0.5, wide))
    return [aspect, misfit, abs(misfit)]


def _pixels(image: Image, box: DetectedLine) -> list[float]:
    """Contrast, share of pixels nearer to the rarer of both colours, change from pixel to pixel, and colourfulness."""
    x0, y0, x1, y1 = (round(value) for value in box.box)
    down, across = (max(1, -(-size // MOST_SAMPLES)) for size in (y1 - y0, x1 - x0))
    part = image[y0:y1:down, x0:x1:across].astype(np.float64)
    if not part.size:
        return [0.0, 0.0, 0.0, 0.0]
    grey = part.mean(axis=2)
    dark, light = np.percentile(grey, (2, 98))
    contrast = max(1.0, float(light - dark))
    ink = float((grey > (dark + light) / 2).mean())
    edges = float(np.abs(np.diff(grey, axis=1)).mean()) / contrast if grey.shape[1] > 1 else 0.0
    colour = float((part.max(axis=2) - part.min(axis=2)).mean())
    return [contrast / 255, min(ink, 1 - ink), edges, colour / 255]
