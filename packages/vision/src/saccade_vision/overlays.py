"""Finds the dialog or sheet in front of a dimmed screen: what lies behind it cannot be touched.

Programs that show a dialog lay a dark sheet over the rest, so that nothing there is as bright as the brightest of the
dialog. So: the smallest rectangle around all bright points; if it is well inside the screen, and what is outside of it
is not plain and everywhere much darker, it is the dialog. In dark looks the bright points are its texts. Android's
navigation bar, which stays bright, is no part of the question.
"""

from __future__ import annotations

import numpy as np

from saccade.geometry import Box
from saccade_vision.types import Image, is_phone_screen

FOOT = 0.93
"""The navigation bar is below this share of the height."""
BLOCK_SHARE = 1 / 180
"""Side of the blocks of which the brightest point is taken, as a share of the width."""
SAMPLED = 360
"""Points across that are looked at, at least."""
BRIGHT = 0.8
"""Bright are points of at least this share of the brightest."""
DIM = 0.7
"""What is behind the sheet is at most so bright."""
LARGEST = 0.85
"""A dialog covers at most this share of the screen."""
SMALLEST = 0.02
PLAIN = 20
"""Behind a dialog is a screen: its brightness differs by more than this, of 255."""
LEAST_BRIGHT = 120
"""In a screen without anything brighter there is nothing to compare with."""


def front_area(image: Image) -> Box | None:
    """The box of what is bright in front of a dimmed phone screen; None if nothing is dimmed."""
    height, width = image.shape[:2]
    if not is_phone_screen(width, height):
        return None
    step = max(1, width // SAMPLED)
    image = image[::step, ::step]
    height, width = image.shape[:2]
    block = max(1, round(BLOCK_SHARE * width))
    rows, columns = int(FOOT * height) // block, width // block
    grey = image[: rows * block, : columns * block].max(axis=2)
    light = grey.reshape(rows, block, columns, block).max(axis=(1, 3)).astype(np.int16)
    top = int(light.max())
    bright = light >= BRIGHT * top
    down, across = np.flatnonzero(bright.any(axis=1)), np.flatnonzero(bright.any(axis=0))
    y0, y1, x0, x1 = int(down[0]), int(down[-1]) + 1, int(across[0]), int(across[-1]) + 1
    share = (y1 - y0) * (x1 - x0) / (rows * columns)
    if top < LEAST_BRIGHT or not SMALLEST <= share <= LARGEST:
        return None
    outside = np.ones_like(bright)
    outside[y0:y1, x0:x1] = False
    behind = light[outside]
    if behind.max() > DIM * top or np.ptp(behind) <= PLAIN:
        return None
    side = step * block
    return Box(x0 * side, y0 * side, x1 * side, y1 * side)
