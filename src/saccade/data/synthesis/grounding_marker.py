"""The box that shows an annotator which element is meant (SecAgent §3.1, step 3): red or green. It is drawn on a copy
of the screenshot; the data set has the clean one.
"""

from __future__ import annotations

import io

import numpy as np
from PIL import Image, ImageColor, ImageDraw

from saccade.geometry import Box, Size
from saccade.screens.marks import open_picture

MARKER_COLOURS = {"red": "#ff0000", "green": "#00c000"}
SHARE = 0.004
"""Width of the line, and its distance from the element, as a share of the screen's longer side."""


def draw_marker(picture: bytes | Image.Image, box: Box, screen: Size) -> tuple[bytes, str]:
    """The picture as PNG with a box around an element, in the colour that stands out from what is there, and the name
    of that colour. `box` counts pixels of `screen`, which the picture need not have.
    """
    image = open_picture(picture).convert("RGB")
    line = max(2, round(SHARE * max(image.size)))
    frame = _frame(image, box, screen, line)
    colour = marker_colour(image, frame, line)
    ImageDraw.Draw(image).rectangle(frame, outline=MARKER_COLOURS[colour], width=line)
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=1)
    return file.getvalue(), colour


def _frame(image: Image.Image, box: Box, screen: Size, line: int) -> tuple[int, int, int, int]:
    """The outer edge of the box: outside of the element where the picture has room, so that it hides nothing of it."""
    wide, high = image.width / screen.width, image.height / screen.height
    x0, y0 = max(0, round(box.x0 * wide) - line), max(0, round(box.y0 * high) - line)
    x1, y1 = min(image.width, round(box.x1 * wide) + line), min(image.height, round(box.y1 * high) + line)
    return x0, y0, max(x0, x1 - 1), max(y0, y1 - 1)


def marker_colour(image: Image.Image, frame: tuple[int, int, int, int], line: int) -> str:
    """The name of the colour that is farther from the pixels beside and under the line, on average."""
    x0, y0, x1, y1 = frame
    near = 3 * line
    part = (max(0, x0 - near), max(0, y0 - near), min(image.width, x1 + near + 1), min(image.height, y1 + near + 1))
    around = np.asarray(image.crop(part), dtype=np.float32)
    inner = np.zeros(around.shape[:2], dtype=bool)
    inner[y0 - part[1] + near : y1 - part[1] + 1 - near, x0 - part[0] + near : x1 - part[0] + 1 - near] = True
    pixels = around[~inner]

    def distance(name: str) -> float:
        return float(np.abs(pixels - ImageColor.getrgb(MARKER_COLOURS[name])).sum(axis=1).mean())

    return max(MARKER_COLOURS, key=distance)
