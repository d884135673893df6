"""Icons: the table of meanings, the crops, and the shipped network on icons drawn here by hand."""

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from PIL import Image as Pictures
from PIL import ImageDraw

from saccade.geometry import Box
from saccade_vision.icons import CROP, WEIGHTS, IconNamer, cut, meanings

PACKAGES = {
    "lucide-static",
    "@tabler/icons",
    "@mdi/svg",
    "@phosphor-icons/core",
    "bootstrap-icons",
    "@fortawesome/fontawesome-free",
    "remixicon",
}


def test_every_meaning_has_names_in_both_languages_and_icons() -> None:
    table = meanings()
    assert len(table) >= 250
    for key, meaning in table.items():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", key)
        assert all(meaning[field].strip() for field in ("en", "zh", "tap_en", "tap_zh")), key
        assert re.search("[\u4e00-\u9fff]", meaning["tap_zh"]), key
        assert meaning["icons"] and set(meaning["icons"]) <= PACKAGES, key
    assert max(Counter(meaning["en"] for meaning in table.values()).values()) == 1, "two meanings with one name"
    assert max(Counter(meaning["zh"] for meaning in table.values()).values()) == 1, "two meanings with one name"


def test_no_icon_has_two_meanings() -> None:
    owners = Counter(
        (package, name)
        for meaning in meanings().values()
        for package, names in meaning["icons"].items()
        for name in names
    )
    assert [owner for owner, count in owners.items() if count > 1] == []


def test_a_crop_is_padded_to_a_square_with_the_colour_of_its_border() -> None:
    image = np.full((100, 200, 3), 240, np.uint8)
    image[40:60, 50:150] = (200, 0, 0)
    crop = cut(image, Box(50, 40, 150, 60))
    assert crop.shape == (3, CROP, CROP)
    # 100 x 20 and a margin of 10: 120 x 40 become 40 x 13, in the middle of a light square.
    assert np.allclose(crop[:, 0, 0], 240 / 255, atol=0.01)
    assert np.allclose(crop[:, 20, 20], [200 / 255, 0, 0], atol=0.01)
    assert np.allclose(crop[:, 26, 20], 240 / 255, atol=0.02)


@given(
    some.tuples(some.integers(1, 60), some.integers(1, 60)),
    some.tuples(*[some.floats(-100, 200, allow_nan=False)] * 4),
)
def test_a_box_of_any_size_and_place_gives_a_crop(size: tuple[int, int], corners: tuple[float, ...]) -> None:
    crop = cut(np.full((*size, 3), 128, np.uint8), Box(*corners))
    assert crop.shape == (3, CROP, CROP)
    assert crop.min() >= 0 and crop.max() <= 1


def drawn(name: str, side: int, ink: str, ground: str) -> np.ndarray:
    """A plain icon, drawn with lines on a grid of 24."""
    big = Pictures.new("RGB", (240, 240), ground)
    pen = ImageDraw.Draw(big)
    lines = {
        "add": [(40, 120, 200, 120), (120, 40, 120, 200)],
        "close": [(55, 55, 185, 185), (185, 55, 55, 185)],
        "menu": [(40, 70, 200, 70), (40, 120, 200, 120), (40, 170, 200, 170)],
        "back": [(40, 120, 200, 120), (40, 120, 110, 50), (40, 120, 110, 190)],
        "next": [(90, 50, 160, 120), (160, 120, 90, 190)],
        "confirm": [(50, 125, 100, 175), (100, 175, 195, 75)],
        "search": [(150, 150, 205, 205)],
    }
    for line in lines[name]:
        pen.line(line, fill=ink, width=20)
    if name == "search":
        pen.ellipse((40, 40, 165, 165), outline=ink, width=20)
    return np.asarray(big.resize((side, side), Pictures.Resampling.LANCZOS))


@pytest.mark.skipif(not WEIGHTS.is_file(), reason="the icon network has not been trained")
def test_plain_icons_are_named_at_any_size_and_in_any_colour() -> None:
    namer = IconNamer(threads=1)
    assert set(namer.keys) <= set(meanings())
    assert WEIGHTS.stat().st_size <= 2_000_000
    for side, ink, ground in ((24, "#212121", "white"), (40, "white", "#1976d2"), (96, "#e0e0e0", "#121212")):
        for name in ("add", "close", "menu", "back", "next", "confirm", "search"):
            image = drawn(name, side, ink, ground)
            (found,) = namer.name(image, [Box(0, 0, side, side)])
            assert found is not None and found.name == name, (name, side, found)
            assert 0 < found.confidence <= 1
            assert found.zh == meanings()[name]["zh"]


@pytest.mark.skipif(not WEIGHTS.is_file(), reason="the icon network has not been trained")
def test_what_shows_no_icon_is_unknown() -> None:
    noise = np.random.default_rng(0).integers(0, 256, (200, 300, 3), np.uint8)
    plain = np.full((200, 300, 3), 200, np.uint8)
    boxes = [Box(10, 10, 50, 50), Box(0, 0, 300, 200), Box(400, 400, 500, 500), Box(20, 20, 20, 20)]
    namer = IconNamer(threads=1)
    assert namer.name(noise, boxes) == [None] * 4
    assert namer.name(plain, boxes) == [None] * 4
    assert namer.name(plain, []) == []
