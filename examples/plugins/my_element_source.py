"""An element source of one's own in one file: what is on a screen, found in its picture?

    saccade parse screen.png --plugin my_element_source.py --elements blocks
    saccade run --world replay:FOLDER --model oracle --plugin my_element_source.py --elements blocks
    saccade data read FOLDER --plugin my_element_source.py --elements blocks --out filled

A source must say what it finds in a picture (`find`). It may remember the screen before, until `reset`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image
from scipy import ndimage

from saccade.geometry import Box
from saccade.screens.element_source import ElementSource
from saccade.types import Element, Language

SMALLEST = 8
"""Pixels of the shorter side of what counts as an element."""


class BlockSource(ElementSource):
    """Every connected block that differs from the colour of the upper left corner is a button."""

    name = "blocks"
    version = "1"

    def find(self, image: Image.Image, language: Language) -> Sequence[Element]:
        pixels = np.asarray(image)
        labels, _ = ndimage.label((pixels != pixels[0, 0]).any(axis=2))
        boxes = [Box(x.start, y.start, x.stop, y.stop) for y, x in ndimage.find_objects(labels)]
        large = [box for box in boxes if min(box.width, box.height) >= SMALLEST]
        caption = "块" if language == "zh" else "block"
        return [Element(id, box, "button", caption=caption) for id, box in enumerate(large, start=1)]


SACCADE = {"element_sources": {"blocks": BlockSource}}
