"""Set of marks: a picture with a number on each element, so that a model can name one instead of giving a place.

GuidNav's rule: the number stands at the element's centre; an element that holds another and the one it holds
both keep their mark; of two that merely overlap, the smaller keeps it. Where two numbers would collide, the larger
element's gives way to the nearest free place, so that each can be read. Ours: on an element so small that the number
would hide what it shows, the number stands at a corner.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PIL import Image, ImageColor, ImageDraw, ImageFont

from saccade.geometry import Box, Point, Size
from saccade.screens.places import Places
from saccade.types import Element
from saccade.untrusted import read_picture

SLACK = 2
"""Boxes are rounded: two that share so many pixels do not overlap, and one that sticks out by so many is still held."""
COLOURS = ("#d9183f", "#2456e0", "#0a7d3c", "#8b2fd6", "#b34700", "#007a94", "#c2148c", "#6b6b00")
"""Each stands out from white (contrast at least 4.5) and from black (at least 3): the screen may be either."""
SMALLEST = 8
SHRINK = 0.8
REDUCED = 16
MOST_HIDDEN = 1 / 3
"""A number that would hide more of its element than this share stands at a corner of it."""
CLASH = 200
"""Colours nearer than this (sum over red, green and blue) are hard to tell apart."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A picture with marks, which elements carry one, and where each number stands."""

    image: Image.Image
    elements: dict[int, Element]
    labels: dict[int, Box]

    def png(self) -> bytes:
        file = io.BytesIO()
        self.image.save(file, "PNG", compress_level=1)
        return file.getvalue()


def draw_marks(picture: bytes | Image.Image, elements: Iterable[Element], label_size: int | None = None) -> Marked:
    """The picture with the number of each element that keeps its mark. The same input gives the same picture.

    `label_size` is the height of the numbers in pixels; without it, it follows from the size of the screen. On a screen
    too crowded for it, the numbers shrink; one that finds no place even so is left out.
    """
    image = open_picture(picture).convert("RGB")
    size = Size(*image.size)
    kept = keep_marks([element for element in elements if _on(element.box, size)])
    height = label_size or label_height(size)
    labels = _arrange(kept, size, height)
    while len(labels) < len(kept) and height > SMALLEST:
        height = max(SMALLEST, int(height * SHRINK))
        labels = _arrange(kept, size, height)
    _draw(image, [element for element in kept if element.id in labels], labels, height)
    return Marked(image, {element.id: element for element in kept if element.id in labels}, labels)


def open_picture(picture: bytes | Image.Image) -> Image.Image:
    """A picture from its bytes, read to its end; `ValueError` if it is none, or too large to be a screen."""
    return picture if isinstance(picture, Image.Image) else read_picture(picture)


def label_height(size: Size) -> int:
    """Height of the numbers in pixels: larger on upright screens, which are phones with large controls."""
    upright = size.height > size.width
    return max(12, round(min(size) * (0.029 if upright else 0.0165)))


def keep_marks(elements: Sequence[Element]) -> list[Element]:
    """The elements that keep a mark, in their order: of two that overlap, the smaller."""
    twice = {element.id for element in elements}
    if len(twice) < len(elements):
        raise ValueError("two elements have the same `id`: a mark could not tell them apart")
    kept: list[Element] = []
    for element in sorted(elements, key=_rank):
        if not any(_overlap(element.box, other.box) for other in kept):
            kept.append(element)
    return sorted(kept, key=lambda element: element.id)


def _rank(element: Element) -> tuple[float, int]:
    return element.box.area, element.id


def _overlap(a: Box, b: Box) -> bool:
    """Do they share more than an edge, with neither inside the other?"""
    if min(a.x1, b.x1) - max(a.x0, b.x0) <= SLACK or min(a.y1, b.y1) - max(a.y0, b.y0) <= SLACK:
        return False
    return not (_holds(a, b) or _holds(b, a))


def _holds(a: Box, b: Box) -> bool:
    wide = a.x0 - SLACK <= b.x0 and b.x1 <= a.x1 + SLACK
    return wide and a.y0 - SLACK <= b.y0 and b.y1 <= a.y1 + SLACK


def _on(box: Box, size: Size) -> bool:
    """Is any of it on the screen? A place without extent counts."""
    return box.x0 < size.width and box.y0 < size.height and box.x1 >= 0 and box.y1 >= 0


# -- drawing ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=32)
def _font(height: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(height)


def _arrange(elements: Sequence[Element], size: Size, height: int) -> dict[int, Box]:
    """Where each number stands. Small elements choose first: they have no other place that is clearly theirs."""
    font = _font(height)
    across, down = max(3, height // 5), max(2, height // 7)
    digits = font.getbbox("0")
    tall = round(digits[3] - digits[1]) + 2 * down
    places = Places(size)
    labels: dict[int, Box] = {}
    for element in sorted(elements, key=_rank):
        wide = round(font.getlength(str(element.id))) + 2 * across
        label = places.take(wide, tall, *_wanted(_cut(element.box, size), wide, tall))
        if label is not None:
            labels[element.id] = label
    return {element.id: labels[element.id] for element in elements if element.id in labels}


def _wanted(box: Box, wide: int, tall: int) -> list[Box]:
    """What a number is to stand in the middle of: the element, or, if it would hide too much of it, one of the
    element's corners, each with half of the number outside in both directions.
    """
    if wide * tall <= MOST_HIDDEN * box.area or not box.area:
        return [box]
    corners = [Point(x, y) for y in (box.y0, box.y1) for x in (box.x0, box.x1)]
    return [Box(x - wide / 2, y - tall / 2, x + wide / 2, y + tall / 2) for x, y in corners]


def _cut(box: Box, size: Size) -> Box:
    return Box(max(0, box.x0), max(0, box.y0), min(size.width, box.x1), min(size.height, box.y1))


def _draw(image: Image.Image, elements: Sequence[Element], labels: dict[int, Box], height: int) -> None:
    """Draw the outlines, then the numbers on top."""
    draw = ImageDraw.Draw(image)
    font, line = _font(height), max(1, height // 14)
    size = Size(*image.size)
    colours = _colours(image, elements)
    for element in elements:
        box, label, colour = _cut(element.box, size), labels[element.id], colours[element.id]
        if box.width > 1 and box.height > 1:
            draw.rectangle((box.x0, box.y0, box.x1 - 1, box.y1 - 1), outline=colour, width=line)
        if label.x1 < box.x0 or label.x0 > box.x1 or label.y1 < box.y0 or label.y0 > box.y1:
            draw.line((*label.center, *box.center), fill=colour, width=line)
    for id, label in labels.items():
        draw.rectangle((label.x0, label.y0, label.x1 - 1, label.y1 - 1), fill=colours[id], outline="white", width=line)
        _, top, _, bottom = font.getbbox(str(id))
        place = (label.center.x - font.getlength(str(id)) / 2, label.center.y - (top + bottom) / 2)
        draw.text(place, str(id), fill="white", font=font, stroke_width=height / 60)


def _colours(image: Image.Image, elements: Sequence[Element]) -> dict[int, str]:
    """A colour for each element: not its predecessor's, and none close to the screen's colour there."""
    small = np.asarray(image.reduce(REDUCED), dtype=float)
    chosen: dict[int, str] = {}
    last = ""
    for at, element in enumerate(elements):
        x0, y0, x1, y1 = (int(max(0, side)) // REDUCED for side in element.box)
        part = small[min(y0, len(small) - 1) : y1 + 1, min(x0, small.shape[1] - 1) : x1 + 1]
        painted = part.mean(axis=(0, 1))
        order = [COLOURS[(at + turn) % len(COLOURS)] for turn in range(len(COLOURS))]
        apart = [float(np.abs(painted - ImageColor.getrgb(colour)).sum()) for colour in order]
        fitting = [colour for colour, far in zip(order, apart, strict=True) if far > CLASH and colour != last]
        chosen[element.id] = last = (fitting or order)[0]
    return chosen
