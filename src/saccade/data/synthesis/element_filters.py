"""Which elements of a screen become grounding samples (SecAgent §3.1, step 2).

Leaves only; not too small, too long, too large or of one colour; of elements seen before, one in twenty. A filter is a
function that says why it drops an element, or nothing; `ELEMENT_FILTERS` has them in the order in which they are asked,
the cheap ones first.

SecAgent's pixels are those of phones with 1080×2400 pixels. Elsewhere the least area is scaled by the screen's area
(`scale_area`), so that the same screen at half the resolution keeps the same elements.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
import numpy as np
from PIL import Image

from saccade.errors import InputError
from saccade.geometry import Size
from saccade.screens.perceptual_hash import ICON_GRID, difference_hash
from saccade.types import Element

SECAGENT_SCREEN = Size(1080, 2400)
"""The screens whose pixels SecAgent's thresholds count."""


class ElementFilterSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The thresholds. The first three and `seen_share` are SecAgent's."""

    least_area: float = 6_000
    """Pixels of a screen of 1080×2400; smaller elements are dropped."""
    most_aspect: float = 13.5
    """Longer side by shorter side; longer elements are dropped."""
    most_share: float = 0.15
    """Of the screen's area; larger elements are dropped."""
    least_deviation: float = 3.0
    """Standard deviation, of 255 levels: an element whose luminance and colour both vary less has one colour."""
    seen_share: float = 0.05
    """The share of elements seen before that is kept."""
    scale_area: bool = True
    """Scale `least_area` by the area of the screen; no: count pixels, whatever the screen."""

    def __post_init__(self) -> None:
        if not 0 <= self.seen_share <= 1 or not 0 <= self.most_share <= 1:
            raise InputError("`seen_share` and `most_share` are shares: use numbers from 0 to 1")


@dataclass(frozen=True, slots=True)
class ElementCandidate:
    """An element on its screen. Without a picture, nothing is said about colours."""

    element: Element
    screen: Size
    picture: Image.Image | None = None
    """Of the whole screen; it may have another size."""

    @property
    def crop(self) -> Image.Image | None:
        """What the element looks like; none where it lies outside its picture."""
        if self.picture is None:
            return None
        wide, high = self.picture.width / self.screen.width, self.picture.height / self.screen.height
        box = self.element.box
        x0, y0 = max(0, math.floor(box.x0 * wide)), max(0, math.floor(box.y0 * high))
        x1, y1 = min(self.picture.width, math.ceil(box.x1 * wide)), min(self.picture.height, math.ceil(box.y1 * high))
        return self.picture.crop((x0, y0, x1, y1)) if x1 > x0 and y1 > y0 else None


ElementFilter = Callable[[ElementCandidate, ElementFilterSettings], str]


def not_a_leaf(candidate: ElementCandidate, settings: ElementFilterSettings) -> str:
    return "" if candidate.element.leaf else "it holds other elements"


def too_small(candidate: ElementCandidate, settings: ElementFilterSettings) -> str:
    screen, area = candidate.screen, candidate.element.box.area
    scale = screen.width * screen.height / (SECAGENT_SCREEN.width * SECAGENT_SCREEN.height)
    least = settings.least_area * (scale if settings.scale_area else 1)
    return f"its area of {area:.0f} pixels is less than {least:.0f}" if area < least else ""


def too_long(candidate: ElementCandidate, settings: ElementFilterSettings) -> str:
    width, height = candidate.element.box.width, candidate.element.box.height
    aspect = max(width, height) / max(min(width, height), 1e-9)
    return (
        f"it is {aspect:.3g} times as long as wide, more than {settings.most_aspect}"
        if aspect > settings.most_aspect
        else ""
    )


def too_large(candidate: ElementCandidate, settings: ElementFilterSettings) -> str:
    share = candidate.element.box.area / (candidate.screen.width * candidate.screen.height)
    most = settings.most_share
    return f"it takes {share:.1%} of the screen, more than {most:.0%}" if share > most + 1e-12 else ""


def one_colour(candidate: ElementCandidate, settings: ElementFilterSettings) -> str:
    """SecAgent gives no measure of "near-uniform". Ours: neither the luminance nor the two colour differences (red and
    blue against green) deviate by `least_deviation`. Luminance alone would drop a red sign on a green ground.
    """
    crop = candidate.crop
    deviation = None if crop is None else colour_deviation(crop)
    if deviation is None or deviation >= settings.least_deviation:
        return ""
    return f"it has nearly one colour: its deviation is {deviation:.1f} of 255"


def colour_deviation(crop: Image.Image) -> float:
    """The largest standard deviation of luminance, red − green and blue − green over the pixels."""
    red, green, blue = np.moveaxis(np.asarray(crop.convert("RGB"), dtype=np.float32), -1, 0)
    luminance = 0.299 * red + 0.587 * green + 0.114 * blue
    return float(max(np.std(luminance), np.std(red - green), np.std(blue - green)))


ELEMENT_FILTERS: Mapping[str, ElementFilter] = {
    "the element is not a leaf": not_a_leaf,
    "the element is too small": too_small,
    "the element is too long": too_long,
    "the element is too large": too_large,
    "the element has one colour": one_colour,
}
"""Filters by the reason under which a manifest counts what each dropped."""
SEEN = "an element like it was seen before"
"""The reason of the reservoir, which is asked last."""


class Rejection(NamedTuple):
    """Why an element is no sample: the reason that is counted, and what is special about this one."""

    reason: str
    detail: str


def rejection(candidate: ElementCandidate, settings: ElementFilterSettings) -> Rejection | None:
    """What the first filter that drops an element says; None if it may be a sample."""
    for reason, filter in ELEMENT_FILTERS.items():
        if detail := filter(candidate, settings):
            return Rejection(reason, detail)
    return None


class SeenElements:
    """The reservoir: of elements that look like one seen before, a share is kept.

    Which ones depends on the seed, the record and the element only, so that another run keeps the same ones; what
    counts as seen follows the order of the input.
    """

    def __init__(self, seed: int, settings: ElementFilterSettings) -> None:
        self.seed, self.share = seed, settings.seen_share
        self._seen: set[tuple[str, ...]] = set()

    def rejection(self, record: str, app: str, candidate: ElementCandidate) -> Rejection | None:
        """Is this element dropped as seen before? It counts as seen from now on. `record` is the id of its step."""
        key = appearance(app, candidate)
        if key not in self._seen:
            self._seen.add(key)
            return None
        if chance(self.seed, record, candidate.element.id) < self.share:
            return None
        return Rejection(SEEN, " · ".join(key))


def appearance(app: str, candidate: ElementCandidate) -> tuple[str, ...]:
    """What makes two elements the same: app, type, text and coarse size; without a text, the look of the picture."""
    element, screen = candidate.element, candidate.screen
    size = f"{_coarse(element.box.width / screen.width)}×{_coarse(element.box.height / screen.height)}"
    looks = element.text or element.caption
    if not looks and (crop := candidate.crop) is not None:
        looks = f"#{difference_hash(crop, ICON_GRID):016x}"
    return app, element.type, looks, size


def _coarse(share: float) -> int:
    """The same for lengths within about 40 % of each other, so that another font size is no other element."""
    return round(2 * math.log2(max(share, 1e-6)))


def chance(seed: int, record: str, element: int) -> float:
    """A number from 0 to 1 that looks random and is the same in every run."""
    digest = hashlib.blake2b(f"{seed}\0{record}\0{element}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64
