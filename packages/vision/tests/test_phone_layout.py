"""What the layout of a phone screen tells: dialogs in front, navigation buttons, the arrow back, scroll areas."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.geometry import Box, Size
from saccade_vision.icons import meaning_of
from saccade_vision.overlays import front_area
from saccade_vision.parser import FoundParts, Parser
from saccade_vision.phone_conventions import names_by_place
from saccade_vision.scroll_areas import scroll_areas
from saccade_vision.types import DetectedWidget, IconMeaning, Image, TextLine

SIZE = Size(1080, 2400)
NAVIGATION = [Box(96, 2256, 360, 2400), Box(408, 2256, 672, 2400), Box(720, 2256, 984, 2400)]


def screen(ground: int, ink: int, dimmed: float = 1.0) -> np.ndarray:
    """A list of dark or light lines, with a title, perhaps behind a dark sheet; the navigation bar stays as it is."""
    image = np.full((2400, 1080, 3), ground, np.uint8)
    image[20:60, 60:160] = image[130:180, 400:700] = ink
    for y in range(300, 2200, 150):
        image[y : y + 50, 80:700] = ink
    image = (image * dimmed).astype(np.uint8)
    image[2256:] = 255
    return image


@pytest.mark.parametrize(("ground", "ink", "dialog", "words"), [(255, 20, 255, 20), (18, 235, 40, 240)])
def test_a_dialog_in_front_of_a_dimmed_screen_is_found(ground: int, ink: int, dialog: int, words: int) -> None:
    image = screen(ground, ink, 0.4)
    image[900:1500, 100:980] = dialog
    image[1000:1060, 200:900] = image[1400:1450, 200:880] = words
    found = front_area(image)
    assert found is not None
    assert Box(90, 890, 990, 1510).contains(found.center) and found.y0 >= 890 and found.y1 <= 1515
    assert front_area(screen(ground, ink)) is None
    assert front_area(np.ascontiguousarray(image.transpose(1, 0, 2))) is None, "only phones"
    assert front_area(np.full((2400, 1080, 3), 30, np.uint8)) is None


class Told:
    """Text and widget part that find what they are told."""

    def __init__(self, lines: list[TextLine], widgets: list[DetectedWidget]) -> None:
        self.lines, self.widgets = lines, widgets

    def read(self, image: Image) -> list[TextLine]:
        return self.lines

    def find(self, image: Image, limit: int = 100) -> list[DetectedWidget]:
        return self.widgets


def test_what_lies_behind_a_dialog_is_no_element() -> None:
    image = screen(255, 20, 0.4)
    image[900:1500, 100:980] = 255
    image[1000:1060, 200:900] = 0
    lines = [TextLine(Box(80, 300, 700, 350), "behind", 0.9), TextLine(Box(200, 1000, 900, 1060), "Delete it?", 0.9)]
    widgets = [
        DetectedWidget(Box(80, 600, 700, 650), "button", True, 0.9),
        DetectedWidget(Box(560, 1380, 960, 1480), "button", True, 0.9),
        *(DetectedWidget(box, "icon", True, 0.9) for box in NAVIGATION),
    ]
    part = Told(lines, widgets)
    found = Parser(part, part).parse(image)
    assert [(each.type, each.text) for each in found] == [("text", "Delete it?"), ("button", ""), *[("icon", "")] * 3]
    assert Parser(part, part).find(image) == FoundParts(lines, widgets)


def names(icons: list[tuple[Box, IconMeaning | None]], others: list[Box] | None = None, size: Size = SIZE) -> list[str]:
    return [each.en if each else "" for each in names_by_place(size, icons, others or [])]


def test_androids_navigation_buttons_have_names() -> None:
    icons: list[tuple[Box, IconMeaning | None]] = [(box, None) for box in NAVIGATION]
    assert names(icons) == ["back", "home", "recent apps"]
    assert names(icons, [Box(400, 2300, 600, 2390)]) == ["", "", ""], "something else is there, too"
    assert names(icons[:2]) == ["", ""]
    assert names([(box, meaning_of("camera", 0.9)) for box in NAVIGATION]) == ["camera"] * 3
    assert names(icons, size=Size(2400, 2400)) == ["", "", ""]


def test_an_angle_to_the_left_goes_back_only_in_the_corner() -> None:
    angle = meaning_of("previous", 0.9)
    found = names([(Box(30, 90, 150, 220), angle), (Box(30, 900, 150, 1020), angle), (Box(900, 90, 1000, 200), None)])
    assert found == ["back", "previous", ""]


def rows(count: int, x0: int = 30, x1: int = 1050, y: int = 300, height: int = 180) -> list[DetectedWidget]:
    boxes = [Box(x0, y + height * at, x1, y + height * (at + 1)) for at in range(count)]
    return [DetectedWidget(box, "list item", True, 0.9) for box in boxes]


def test_a_list_that_goes_on_to_the_bar_below_scrolls() -> None:
    bar = [DetectedWidget(box, "icon", True, 0.9) for box in NAVIGATION]
    tabs = [DetectedWidget(Box(270 * at, 2100, 270 * (at + 1), 2250), "tab", True, 0.9) for at in range(4)]
    cut = [*rows(10), DetectedWidget(Box(30, 2100, 1050, 2250), "list item", True, 0.9)]
    assert scroll_areas(SIZE, [*cut, *bar], []) == [Box(0, 228, 1080, 2256)]
    assert scroll_areas(SIZE, [*rows(10), *tabs, *bar], []) == [Box(0, 228, 1080, 2100)]
    assert scroll_areas(SIZE, [*rows(8), *tabs, *bar], []) == [], "it ends above the bar"
    assert scroll_areas(Size(2400, 2400), [*cut, *bar], []) == []


def test_columns_of_small_rows_are_wheels() -> None:
    wheels = [*rows(5, 90, 520, 300, 120), *rows(3, 560, 1000, 540, 120)]
    assert scroll_areas(SIZE, wheels, []) == [Box(90, 300, 520, 900), Box(560, 540, 1000, 900)]
    assert scroll_areas(SIZE, rows(2, 90, 520, 300, 120), []) == []
    month = [each for at in range(7) for each in rows(5, 30 + 145 * at, 175 + 145 * at, 490, 130)]
    assert scroll_areas(SIZE, month, []) == [], "days of a month"
