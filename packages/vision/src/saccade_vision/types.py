"""What the parts of the parser find in a picture, before it makes elements of it.

A picture is an RGB array of bytes with shape (height, width, 3). Boxes are in pixels of that picture.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.geometry import Box

Image = NDArray[np.uint8]
"""RGB, (height, width, 3)."""
UPRIGHT = 1.3


def is_phone_screen(width: float, height: float) -> bool:
    """Is a screen more than 1.3 times as high as wide? Others show several windows, and are seen at another size."""
    return height > UPRIGHT * width


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of text."""

    box: Box
    text: str
    confidence: float
    places: tuple[float, ...] = ()
    """Where the middle of each character is, from left to right; empty: not known."""


@dataclass(frozen=True, slots=True)
class DetectedWidget:
    """Something on the screen that has a kind: a button, a field, a picture."""

    box: Box
    type: str
    """One of the words in `element_types`."""
    interactive: bool
    confidence: float


@dataclass(frozen=True, slots=True)
class IconMeaning:
    """What an icon means: its key, its name and what a tap on it does, in English and Chinese."""

    name: str
    """The key in `meanings.json`, such as "search"."""
    en: str
    zh: str
    tap_en: str
    tap_zh: str
    confidence: float
