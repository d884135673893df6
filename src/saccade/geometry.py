"""Points, boxes, and the coordinate frames that published models and data sets speak.

Everything inside Saccade is in pixels of the screenshot, origin top-left. A `Frame` says how some model or
file writes the same place: as pixels, as a share of the screen, on a 0-1000 scale, or in pixels of the image
after the model's own resizing. Converting to pixels never rounds; converting to a frame loses at most half of
that frame's smallest step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta

Number = int | float
"""A coordinate. Integers stay integers on disk, so both are allowed."""

_FAR = 10**9
Coordinate = Annotated[int, Meta(ge=-_FAR, le=_FAR)] | Annotated[float, Meta(ge=-_FAR, le=_FAR)]
"""A number as files may hold it: no screen reaches further, and arithmetic with much larger ones overflows."""


class Size(NamedTuple):
    """Width and height of a screen in pixels."""

    width: int
    height: int


class Point(NamedTuple):
    """A place on the screen."""

    x: Coordinate
    y: Coordinate

    def distance(self, other: Point) -> float:
        """Euclidean distance."""
        return math.hypot(self.x - other.x, self.y - other.y)


class Box(NamedTuple):
    """An axis-aligned rectangle, corners top-left and bottom-right."""

    x0: Coordinate
    y0: Coordinate
    x1: Coordinate
    y1: Coordinate

    @property
    def width(self) -> Number:
        return self.x1 - self.x0

    @property
    def height(self) -> Number:
        return self.y1 - self.y0

    @property
    def area(self) -> Number:
        return max(0, self.width) * max(0, self.height)

    @property
    def center(self) -> Point:
        return Point((self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2)

    @classmethod
    def at(cls, point: Point) -> Box:
        """The empty box of something known only by a point."""
        return cls(point.x, point.y, point.x, point.y)

    @classmethod
    def from_xywh(cls, x: Number, y: Number, width: Number, height: Number) -> Box:
        return cls(x, y, x + width, y + height)

    def contains(self, point: Point) -> bool:
        """Inside, edges included."""
        return self.x0 <= point.x <= self.x1 and self.y0 <= point.y <= self.y1

    def contains_strictly(self, point: Point) -> bool:
        """Inside, edges excluded."""
        return self.x0 < point.x < self.x1 and self.y0 < point.y < self.y1

    def grown(self, factor: float) -> Box:
        """The box scaled by `factor` about its centre."""
        dx, dy = (factor - 1) * self.width / 2, (factor - 1) * self.height / 2
        return Box(self.x0 - dx, self.y0 - dy, self.x1 + dx, self.y1 + dy)

    def iou(self, other: Box) -> float:
        """Intersection over union; 0 for empty boxes."""
        width = min(self.x1, other.x1) - max(self.x0, other.x0)
        height = min(self.y1, other.y1) - max(self.y0, other.y0)
        if width <= 0 or height <= 0:
            return 0.0
        shared = width * height
        return shared / (self.area + other.area - shared)


def bounding_box(corners: Sequence[Point]) -> Box:
    """The smallest box around some points."""
    xs, ys = [corner[0] for corner in corners], [corner[1] for corner in corners]
    return Box(min(xs), min(ys), max(xs), max(ys))


def polygon_contains(corners: Sequence[Point], point: Point) -> bool:
    """Inside a polygon, its edges included; the even-odd rule where it crosses itself.

    >>> corner = [Point(0, 0), Point(10, 0), Point(10, 2), Point(2, 2), Point(2, 10), Point(0, 10)]
    >>> [polygon_contains(corner, point) for point in (Point(1, 9), Point(9, 9), Point(2, 5))]
    [True, False, True]
    """
    inside = False
    for (x0, y0), (x1, y1) in zip(corners, [*corners[1:], corners[0]], strict=True):
        side = (x1 - x0) * (point.y - y0) - (y1 - y0) * (point.x - x0)
        if side == 0 and min(x0, x1) <= point.x <= max(x0, x1) and min(y0, y1) <= point.y <= max(y0, y1):
            return True
        if (y0 > point.y) != (y1 > point.y) and (side > 0) == (y1 > y0):
            inside = not inside
    return inside


def inner_point(corners: Sequence[Point]) -> Point:
    """A place inside a polygon: the middle of its widest part at half its height. The centre of its bounding box may
    lie outside.

    >>> inner_point([Point(0, 0), Point(10, 0), Point(10, 2), Point(2, 2), Point(2, 10), Point(0, 10)])
    Point(x=1.0, y=5.0)
    """
    y = bounding_box(corners).center.y
    edges = zip(corners, [*corners[1:], corners[0]], strict=True)
    crossed = sorted(a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x) for a, b in edges if (a.y > y) != (b.y > y))
    spans = list(zip(crossed[::2], crossed[1::2], strict=False)) or [(corners[0].x, corners[0].x)]
    left, right = max(spans, key=lambda span: span[1] - span[0])
    return Point((left + right) / 2, y)


def smart_resize(size: Size, factor: int = 28, min_pixels: int = 56 * 56, max_pixels: int = 14 * 14 * 4 * 1280) -> Size:
    """The size that Qwen's vision processors give an image: sides are multiples of `factor`, the area is within
    the two limits, the shape changes as little as possible. Sides are rounded half-to-even, as Python does.
    """
    width, height = size
    if min(width, height) <= 0:
        raise ValueError(f"a screen needs a positive size, got {width}×{height}")
    if max(width, height) / min(width, height) > 200:
        raise ValueError(f"the sides of a screen may differ at most 200-fold, got {width}×{height}")
    new_w = max(factor, round(width / factor) * factor)
    new_h = max(factor, round(height / factor) * factor)
    if new_w * new_h > max_pixels:
        shrink = math.sqrt(width * height / max_pixels)
        new_w = max(factor, math.floor(width / shrink / factor) * factor)
        new_h = max(factor, math.floor(height / shrink / factor) * factor)
    elif new_w * new_h < min_pixels:
        stretch = math.sqrt(min_pixels / (width * height))
        new_w = math.ceil(width * stretch / factor) * factor
        new_h = math.ceil(height * stretch / factor) * factor
    return Size(new_w, new_h)


FrameKind = Literal["pixel", "unit", "permille", "resized"]


@dataclass(frozen=True, slots=True)
class Frame:
    """How a model or a file writes coordinates. `digits` is what `encode` rounds to.

    >>> Frame.parse("permille").encode(Point(540, 1200), Size(1080, 2400))
    Point(x=500, y=500)
    """

    kind: FrameKind = "pixel"
    digits: int = 0
    span: int = 1000
    """Largest value of `permille`: 1000, or 999 as in Qwen3-VL."""
    factor: int = 28
    min_pixels: int = 56 * 56
    max_pixels: int = 14 * 14 * 4 * 1280

    @classmethod
    def parse(cls, name: str) -> Frame:
        """`pixel`, `unit`, `permille`, `permille:999`, `resized`, `resized:FACTOR,MIN,MAX`."""
        kind, colon, rest = name.strip().partition(":")
        try:
            numbers = [int(part) for part in rest.split(",")] if colon else []
        except ValueError:
            numbers = [-1]
        if not any(n <= 0 for n in numbers):
            match kind, numbers:
                case "pixel", []:
                    return PIXEL
                case "unit", []:
                    return UNIT
                case "permille", []:
                    return PERMILLE
                case "permille", [span]:
                    return cls("permille", span=span)
                case "resized", []:
                    return RESIZED
                case "resized", [factor, low, high] if low <= high:
                    return cls("resized", factor=factor, min_pixels=low, max_pixels=high)
        raise ValueError(
            f"unknown coordinate frame {name!r}: use pixel, unit, permille, permille:999, resized "
            "or resized:FACTOR,MIN_PIXELS,MAX_PIXELS"
        )

    def __str__(self) -> str:
        if self.kind == "permille" and self.span != 1000:
            return f"permille:{self.span}"
        if self.kind == "resized" and self != RESIZED:
            return f"resized:{self.factor},{self.min_pixels},{self.max_pixels}"
        return self.kind

    def extent(self, size: Size) -> tuple[Number, Number]:
        """What the far corner of the screen is called in this frame."""
        match self.kind:
            case "pixel":
                return size
            case "unit":
                return 1, 1
            case "permille":
                return self.span, self.span
            case "resized":
                return smart_resize(size, self.factor, self.min_pixels, self.max_pixels)

    def decode(self, point: Point, size: Size) -> Point:
        """From this frame to pixels, without rounding."""
        if self.kind == "pixel":
            return point
        width, height = self.extent(size)
        return Point(point.x * size.width / width, point.y * size.height / height)

    def encode(self, point: Point, size: Size) -> Point:
        """From pixels to this frame, rounded to its smallest step."""
        width, height = self.extent(size)
        return Point(
            _round(point.x * width / size.width, self.digits), _round(point.y * height / size.height, self.digits)
        )

    def decode_box(self, box: Box, size: Size) -> Box:
        if self.kind == "pixel":
            return box
        return Box(*self.decode(Point(box.x0, box.y0), size), *self.decode(Point(box.x1, box.y1), size))

    def encode_box(self, box: Box, size: Size) -> Box:
        return Box(*self.encode(Point(box.x0, box.y0), size), *self.encode(Point(box.x1, box.y1), size))


PIXEL = Frame("pixel")
UNIT = Frame("unit", digits=4)
PERMILLE = Frame("permille")
RESIZED = Frame("resized")


def _round(value: Number, digits: int) -> Number:
    return round(value, digits) if digits else round(value)


def finite(values: Sequence[Number]) -> bool:
    """No NaN and no infinity: model output may hold either."""
    try:
        return math.isfinite(sum(values))
    except OverflowError:  # an integer too large for a float
        return False
