"""Who keeps a mark, and that each number can be read: on the screen, upon no other, near what it names."""

from __future__ import annotations

import itertools
import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageColor

from saccade.geometry import Box, Point, Size
from saccade.screens.marks import COLOURS, Marked, draw_marks, keep_marks, label_height
from saccade.types import Element

PHONE, DESKTOP = Size(1080, 2400), Size(1280, 800)


def screen(size: Size = PHONE, colour: str = "white") -> Image.Image:
    return Image.new("RGB", size, colour)


def elements(*boxes: tuple[float, float, float, float]) -> list[Element]:
    return [Element(at, Box(*box)) for at, box in enumerate(boxes, 1)]


def check(marked: Marked, size: Size) -> None:
    """Every label is on the screen and none lies upon another."""
    assert marked.labels.keys() == marked.elements.keys()
    for label in marked.labels.values():
        assert 0 <= label.x0 < label.x1 <= size.width
        assert 0 <= label.y0 < label.y1 <= size.height
    for a, b in itertools.combinations(marked.labels.values(), 2):
        assert a.iou(b) == 0, f"{a} lies upon {b}"


def distance(marked: Marked, id: int) -> float:
    return marked.labels[id].center.distance(marked.elements[id].center)


# -- who keeps a mark -------------------------------------------------------------------------------------------------


def kept(*boxes: tuple[float, float, float, float]) -> list[int]:
    return [element.id for element in keep_marks(elements(*boxes))]


def test_holder_and_held_both_keep_their_mark() -> None:
    assert kept((0, 0, 500, 500), (100, 100, 200, 200)) == [1, 2]
    assert kept((0, 0, 500, 500), (0, 0, 500, 500)) == [1, 2]
    assert kept((0, 0, 500, 500), (450, 450, 501, 501)) == [1, 2]


def test_of_two_that_overlap_the_smaller_keeps_it() -> None:
    assert kept((0, 0, 500, 500), (400, 400, 600, 600)) == [2]
    assert kept((400, 400, 600, 600), (0, 0, 500, 500)) == [1]
    assert kept((0, 0, 100, 100), (50, 0, 150, 100)) == [1]


def test_neighbours_that_share_an_edge_keep_theirs() -> None:
    assert kept((0, 0, 100, 100), (100, 0, 200, 100), (99, 100, 200, 200)) == [1, 2, 3]


def test_one_without_a_mark_takes_none() -> None:
    """The middle one loses to the small one, so the large one keeps its own."""
    assert kept((0, 0, 50, 50), (40, 0, 200, 100), (150, 0, 600, 200)) == [1, 3]


def test_two_of_one_number_are_an_error() -> None:
    with pytest.raises(ValueError, match="the same `id`"):
        keep_marks([Element(1, Box(0, 0, 9, 9)), Element(1, Box(20, 20, 30, 30))])


# -- where the numbers stand ------------------------------------------------------------------------------------------


def test_number_stands_at_the_centre() -> None:
    marked = draw_marks(screen(), elements((100, 100, 500, 300), (0, 1000, 1080, 1200)))
    assert distance(marked, 1) <= 1
    assert distance(marked, 2) <= 1


def test_the_larger_gives_way_but_not_far() -> None:
    marked = draw_marks(screen(), elements((0, 500, 1080, 800), (440, 600, 640, 700)))
    assert distance(marked, 2) <= 1
    assert distance(marked, 1) <= marked.labels[2].height + 2
    assert marked.labels[1].y0 >= 500
    assert marked.labels[1].y1 <= 800


def test_numbers_at_the_edge_stay_on_the_screen() -> None:
    size = PHONE
    boxes = [(0, 0, 6, 6), (1074, 0, 1080, 6), (0, 2394, 6, 2400), (1074, 2394, 1080, 2400), (-40, 600, 20, 640)]
    marked = draw_marks(screen(size), elements(*boxes))
    check(marked, size)
    assert len(marked.labels) == 5


def test_what_is_off_the_screen_has_no_mark() -> None:
    marked = draw_marks(screen(), elements((2000, 0, 2100, 50), (0, -100, 50, -20), (5, 5, 5, 5)))
    assert list(marked.elements) == [3]


def rows(size: Size, count: int) -> list[Element]:
    """A list as apps have it: rows that hold an icon, two texts and a switch, so that all keep their mark."""
    found: list[tuple[float, float, float, float]] = []
    high = size.height / (count / 5)
    for at in range(count // 5):
        top, wide = at * high, size.width
        found += [
            (0, top, wide, top + high),
            (0.02 * wide, top + 0.2 * high, 0.1 * wide, top + 0.8 * high),
            (0.12 * wide, top + 0.1 * high, 0.7 * wide, top + 0.5 * high),
            (0.12 * wide, top + 0.5 * high, 0.7 * wide, top + 0.9 * high),
            (0.85 * wide, top + 0.2 * high, 0.97 * wide, top + 0.8 * high),
        ]
    return elements(*found)


def nested(size: Size) -> list[tuple[float, float, float, float]]:
    return [Box(0, 0, *size).grown((at + 1) / 120) for at in range(120)]


def same(size: Size) -> list[tuple[float, float, float, float]]:
    return [(0.4 * size.width, 0.4 * size.height, 0.6 * size.width, 0.6 * size.height)] * 120


def dots(size: Size) -> list[tuple[float, float, float, float]]:
    x, y = size.width / 2, size.height / 2
    return [(x + at % 11, y + at // 11, x + at % 11, y + at // 11) for at in range(120)]


def scattered(size: Size) -> list[tuple[float, float, float, float]]:
    dice = random.Random(7)
    corners = [(dice.uniform(0, size.width - 30), dice.uniform(0, size.height - 20)) for _ in range(120)]
    return [(x, y, x + dice.uniform(4, 300), y + dice.uniform(4, 90)) for x, y in corners]


CROWDS = {"nested": nested, "same": same, "dots": dots, "scattered": scattered}


@pytest.mark.parametrize("size", [PHONE, DESKTOP, Size(1440, 2560), Size(332, 214)])
@pytest.mark.parametrize("kind", ["rows", "nested", "same", "dots", "scattered"])
def test_crowded_screens(size: Size, kind: str) -> None:
    """120 elements: no number upon another, each on the screen."""
    crowd = elements(*CROWDS[kind](size)) if kind in CROWDS else rows(size, 120)
    marked = draw_marks(screen(size), crowd)
    check(marked, size)
    assert len(marked.labels) == len(keep_marks(crowd))
    if kind != "scattered":
        assert len(marked.labels) == 120


boxes = st.tuples(st.integers(-50, 420), st.integers(-50, 320), st.integers(0, 300), st.integers(0, 200)).map(
    lambda b: (b[0], b[1], b[0] + b[2], b[1] + b[3])
)


@given(st.lists(boxes, max_size=25))
def test_any_boxes(found: list[tuple[int, int, int, int]]) -> None:
    size = Size(400, 300)
    check(draw_marks(screen(size), elements(*found)), size)


def test_more_numbers_than_there_is_room_for() -> None:
    size = Size(60, 40)
    marked = draw_marks(screen(size), elements(*([(0, 0, 60, 40)] * 200)))
    check(marked, size)
    assert 5 < len(marked.labels) < 200


# -- how it looks -----------------------------------------------------------------------------------------------------


def luminance(colour: tuple[int, ...]) -> float:
    parts = [part / 255 for part in colour[:3]]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("colour", COLOURS)
def test_colours_stand_out_from_white_and_black(colour: str) -> None:
    light = luminance(ImageColor.getrgb(colour))
    assert 1.05 / (light + 0.05) >= 4.5
    assert (light + 0.05) / 0.05 >= 3


@pytest.mark.parametrize("size", [PHONE, DESKTOP])
@pytest.mark.parametrize("background", ["white", "black", "#d9183f", "#777777"])
def test_numbers_are_drawn_in_white_on_their_colour(size: Size, background: str) -> None:
    marked = draw_marks(screen(size, background), elements((100, 100, 500, 300)))
    x0, y0, x1, y1 = (int(side) for side in marked.labels[1])
    chip = marked.image.crop((x0, y0, x1, y1))
    assert chip.getpixel((0, 0)) == (255, 255, 255)
    edge = max(1, label_height(size) // 14)
    colour = chip.getpixel((edge, edge))
    assert colour in {ImageColor.getrgb(known) for known in COLOURS}
    assert colour != ImageColor.getrgb(background)
    white = sum(count for count, drawn in chip.getcolors(10_000) or () if drawn == (255, 255, 255))
    assert white > 2 * (chip.width + chip.height) * edge, "a frame and a number"
    assert marked.image.getpixel((100, 200)) == colour, "the outline has the label's colour"


def test_numbers_grow_with_the_screen() -> None:
    assert label_height(PHONE) > 1.8 * label_height(DESKTOP)
    assert label_height(Size(1440, 2560)) > label_height(PHONE)
    assert label_height(Size(332, 214)) >= 12


def test_same_input_same_picture() -> None:
    first, second = (draw_marks(screen(), rows(PHONE, 120)) for _ in range(2))
    assert first.png() == second.png()
    assert first.labels == second.labels


def test_picture_is_not_changed_and_bytes_will_do() -> None:
    image = screen(DESKTOP)
    marked = draw_marks(image, elements((10, 10, 300, 300)))
    assert image.getcolors() == [(DESKTOP.width * DESKTOP.height, (255, 255, 255))]
    assert draw_marks(Marked(image, {}, {}).png(), elements((10, 10, 300, 300))).png() == marked.png()


@pytest.mark.parametrize("broken", [b"", b"no picture", b"\x89PNG\r\n\x1a\n" + b"\0" * 40])
def test_what_is_no_picture(broken: bytes) -> None:
    with pytest.raises(ValueError, match="not an image"):
        draw_marks(broken, [])


def test_no_elements() -> None:
    assert draw_marks(screen(), []).labels == {}


def test_fast_enough_for_every_step() -> None:
    """Processor time, since other tests may run beside this one."""
    image, crowd, best = screen(), rows(PHONE, 100), 9.0
    for _ in range(5):
        start = time.process_time()
        draw_marks(image, crowd)
        best = min(best, time.process_time() - start)
    assert best < 0.15


# -- corners ----------------------------------------------------------------------------------------------------------


def test_a_number_that_would_hide_a_small_element_stands_at_its_corner() -> None:
    marked = draw_marks(screen(), elements((500, 500, 548, 548), (100, 900, 700, 1000)))
    icon, label = Box(500, 500, 548, 548), marked.labels[1]
    assert label.center.distance(Point(500, 500)) <= 1
    hidden = (label.x1 - icon.x0) * (label.y1 - icon.y0)
    assert hidden < 0.2 * icon.area
    assert distance(marked, 2) <= 1, "a large element has its number in the middle"


def test_a_corner_that_is_taken_leaves_the_next() -> None:
    """The second icon's upper left corner is where the first one's number stands."""
    marked = draw_marks(screen(), elements((500, 500, 540, 540), (504, 545, 548, 590), (496, 452, 540, 498)))
    check(marked, PHONE)
    assert all(marked.labels[id].iou(marked.elements[id].box) > 0 for id in marked.labels)
