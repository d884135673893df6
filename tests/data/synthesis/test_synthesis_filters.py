"""SecAgent's element filters, on both sides of every threshold, and the reservoir."""

from __future__ import annotations

import pytest
from PIL import Image

from saccade.data.synthesis.element_filters import (
    SEEN,
    ElementCandidate,
    ElementFilterSettings,
    SeenElements,
    appearance,
    chance,
    colour_deviation,
    rejection,
)
from saccade.errors import InputError
from saccade.geometry import Box, Size
from saccade.types import Element

PHONE = Size(1080, 2400)
HALF = Size(540, 1200)
DEFAULT = ElementFilterSettings()
NOISE = Image.effect_noise((1080, 2400), 80).convert("RGB")


def candidate(width: float, height: float, screen: Size = PHONE, leaf: bool = True) -> ElementCandidate:
    return ElementCandidate(Element(1, Box(10, 10, 10 + width, 10 + height), leaf=leaf), screen, NOISE)


@pytest.mark.parametrize(
    ("width", "height", "screen", "leaf", "reason"),
    [
        (100, 100, PHONE, True, ""),
        (100, 100, PHONE, False, "the element is not a leaf"),
        (100, 60, PHONE, True, ""),
        (100, 59.99, PHONE, True, "the element is too small"),
        (50, 30, HALF, True, ""),
        (50, 29.9, HALF, True, "the element is too small"),
        (810, 60, PHONE, True, ""),
        (811, 60, PHONE, True, "the element is too long"),
        (60, 811, PHONE, True, "the element is too long"),
        (1080, 360, PHONE, True, ""),
        (1080, 361, PHONE, True, "the element is too large"),
        (540, 180, HALF, True, ""),
        (540, 181, HALF, True, "the element is too large"),
        (0, 0, PHONE, True, "the element is too small"),
    ],
)
def test_sizes(width: float, height: float, screen: Size, leaf: bool, reason: str) -> None:
    found = rejection(candidate(width, height, screen, leaf), DEFAULT)
    assert (found.reason if found else "") == reason


def test_the_least_area_counts_plain_pixels_where_it_is_not_scaled() -> None:
    plain = ElementFilterSettings(scale_area=False)
    assert rejection(candidate(100, 60, HALF), plain) is None
    found = rejection(candidate(100, 59, HALF), plain)
    assert found is not None and found.detail == "its area of 5900 pixels is less than 6000"


def striped(low: tuple[int, int, int], high: tuple[int, int, int]) -> ElementCandidate:
    """Half of the pixels in one colour, half in the other: the deviation is half of their difference."""
    picture = Image.new("RGB", PHONE, low)
    picture.paste(high, (0, 0, 1080, 1200))
    return ElementCandidate(Element(1, Box(0, 1100, 100, 1300)), PHONE, picture)


@pytest.mark.parametrize(
    ("low", "high", "kept"),
    [
        ((100, 100, 100), (100, 100, 100), False),
        ((100, 100, 100), (105, 105, 105), False),
        ((100, 100, 100), (106, 106, 106), True),
        ((150, 100, 60), (120, 115, 60), True),  # nearly the same luminance, other colour
    ],
)
def test_one_colour(low: tuple[int, int, int], high: tuple[int, int, int], kept: bool) -> None:
    found = rejection(striped(low, high), DEFAULT)
    assert (found is None) == kept
    assert kept or (found is not None and found.reason == "the element has one colour")


def test_a_smaller_picture_of_the_screen_and_no_picture() -> None:
    small = striped((0, 0, 0), (9, 9, 9))
    small = ElementCandidate(
        small.element, PHONE, small.picture.resize(HALF, Image.Resampling.NEAREST) if small.picture else None
    )
    assert small.crop is not None and small.crop.size == (50, 100) and colour_deviation(small.crop) == 4.5
    outside = ElementCandidate(Element(1, Box(2000, 0, 2100, 100)), PHONE, NOISE)
    assert outside.crop is None and rejection(outside, DEFAULT) is None
    assert rejection(ElementCandidate(Element(1, Box(0, 0, 100, 100)), PHONE), DEFAULT) is None


def test_wrong_shares_are_refused() -> None:
    with pytest.raises(InputError, match="from 0 to 1"):
        ElementFilterSettings(seen_share=5)


def labelled(id: int, text: str = "Buy", width: int = 100, picture: Image.Image = NOISE) -> ElementCandidate:
    return ElementCandidate(Element(id, Box(0, 0, width, 100), type="button", text=text), PHONE, picture)


def test_one_in_twenty_of_what_was_seen_is_kept_and_the_same_ones_in_every_run() -> None:
    def kept(seed: int) -> list[int]:
        seen = SeenElements(seed, DEFAULT)
        return [at for at in range(4000) if seen.rejection("r", "shop", labelled(at)) is None]

    first = kept(1)
    assert first == kept(1) != kept(2)
    assert 0.04 < (len(first) - 1) / 3999 < 0.06 and first[0] == 0
    assert all(chance(1, "r", at) < 0.05 for at in first[1:])


def test_what_makes_two_elements_the_same() -> None:
    seen = SeenElements(0, ElementFilterSettings(seen_share=0))
    assert seen.rejection("a", "shop", labelled(1)) is None
    again = seen.rejection("b", "shop", labelled(7, width=104))
    assert again is not None and again.reason == SEEN and "Buy" in again.detail
    assert seen.rejection("b", "mail", labelled(7)) is None
    assert seen.rejection("b", "shop", labelled(7, text="Sell")) is None
    assert seen.rejection("b", "shop", labelled(7, width=300)) is None


def test_elements_without_a_text_are_told_apart_by_their_picture() -> None:
    left, right = Image.new("RGB", PHONE, "white"), Image.new("RGB", PHONE, "white")
    left.paste("black", (10, 10, 40, 90))
    right.paste("black", (60, 10, 90, 90))
    moved = left.copy()
    moved.paste((12, 12, 12), (10, 10, 40, 90))
    one, other, same = (appearance("shop", labelled(1, "", picture=each)) for each in (left, right, moved))
    assert one == same != other
