"""Where lines of text are: PP-OCR's segmentation network and DB post-processing, for screens.

The network gives each pixel a probability of being in the core of a text line. Differentiable binarization (Liao et
al. 2020, arXiv 1911.08947, §3.3) takes connected regions of pixels above a threshold and grows each by D = A·r/L (area
A, perimeter L, r = 1.6), because the network was trained with cores that were shrunk by that much. Text on screens is
upright, so that the region's bounding box stands for its smallest rectangle.

At what size? The network's time grows with the number of pixels, and it misses lines that are less than some eight
pixels high. Portrait pictures are first taken for phones, which are about 360 points wide whatever their resolution:
they are reduced to at least 432x960 (1.2 pixels a point; 1440x2560 becomes 540x960). All others keep their size,
because desktops draw a point as one pixel. If the lines found in a reduced picture are smaller than on phones (a
tablet, a long web page), it is looked at again at the size where they would be legible.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pictures
from scipy import ndimage

from saccade.geometry import Box
from saccade_vision.graph_rewrites import whole_map
from saccade_vision.runtime import OnnxNetwork
from saccade_vision.types import Image

PORTRAIT = 1.5
"""Height through width from which a picture is taken for a phone's."""
PHONE_WIDTH, PHONE_HEIGHT = 432, 960
LEGIBLE = 13.0
"""Median height in pixels, of the boxes found in a reduced picture, below which it was reduced too much."""
MOST_PIXELS = 4_200_000
"""Larger pictures are reduced to this before they are looked at."""
LARGEST = 2.0
"""Pictures of phones that were reduced too much are enlarged at most by this."""
STRIDE = 32
CORE = 0.3
"""Probability from which a pixel belongs to a line."""
SCORE = 0.5
"""Least mean probability in a line's core."""
GROW = 1.6
SMALLEST = 3
MOST_BOXES = 1000


@dataclass(frozen=True, slots=True)
class DetectedLine:
    """A box with text in pixels of the whole picture, and the mean probability in its core."""

    box: Box
    score: float


def first_scale(width: int, height: int) -> float:
    """By how much a picture is reduced before lines are looked for.

    >>> first_scale(1080, 2400), first_scale(1920, 1080)
    (0.4, 1.0)
    """
    scale = max(PHONE_WIDTH / width, PHONE_HEIGHT / height) if height >= PORTRAIT * width else 1.0
    return min(LARGEST, scale, math.sqrt(MOST_PIXELS / (width * height)))


def detect(network: OnnxNetwork, image: Image) -> list[DetectedLine]:
    """Boxes of text lines, at the size that suits the picture."""
    height, width = image.shape[:2]
    scale = first_scale(width, height)
    found = detect_at(network, image, scale)
    if scale < 1 and len(found) > 2:
        typical = float(np.median([one.box.height for one in found])) * scale
        if typical < LEGIBLE:
            largest = min(1.0, math.sqrt(MOST_PIXELS / (width * height)))
            found = detect_at(network, image, min(largest, scale * 1.5 * LEGIBLE / typical))
    return found


def detect_at(network: OnnxNetwork, image: Image, scale: float) -> list[DetectedLine]:
    """Boxes of text lines in a picture that is reduced by `scale` and padded to whole strides."""
    height, width = image.shape[:2]
    wide, high = max(1, round(width * scale)), max(1, round(height * scale))
    small = image if scale == 1 else _resized(image, wide, high)
    padded = np.pad(small, ((0, -high % STRIDE), (0, -wide % STRIDE), (0, 0)), mode="edge")
    (maps,) = network(normalised(padded)[None])
    boxes = lines_in(whole_map(maps[0])[:high, :wide])
    return [DetectedLine(_scaled(one.box, width / wide, height / high, width, height), one.score) for one in boxes]


def lines_in(map: NDArray[np.float32]) -> list[DetectedLine]:
    """DB post-processing: boxes in pixels of the probability map."""
    core = ndimage.binary_dilation(map > CORE, structure=np.ones((2, 2), bool))
    labels, _ = ndimage.label(core, structure=np.ones((3, 3), bool))
    found = []
    for rows, columns in ndimage.find_objects(labels)[:MOST_BOXES]:
        high, wide = rows.stop - rows.start, columns.stop - columns.start
        if min(high, wide) < SMALLEST:
            continue
        score = float(map[rows, columns].mean())
        if score < SCORE:
            continue
        grow = high * wide * GROW / (2 * (high + wide))
        box = Box(columns.start - grow, rows.start - grow, columns.stop - 1 + grow, rows.stop - 1 + grow)
        found.append(DetectedLine(box, score))
    return found


def normalised(image: Image) -> NDArray[np.float32]:
    """Channels first, from -1 to 1 (mean and deviation 0.5). The networks were trained with blue, green, red."""
    return np.ascontiguousarray(image[:, :, ::-1].transpose(2, 0, 1), dtype=np.float32) / np.float32(
        127.5
    ) - np.float32(1)


def _resized(image: Image, width: int, height: int) -> Image:
    return np.asarray(Pictures.fromarray(image).resize((width, height), Pictures.Resampling.BILINEAR))


def _scaled(box: Box, x: float, y: float, width: int, height: int) -> Box:
    return Box(
        max(0, round(box.x0 * x)),
        max(0, round(box.y0 * y)),
        min(width, round(box.x1 * x)),
        min(height, round(box.y1 * y)),
    )
