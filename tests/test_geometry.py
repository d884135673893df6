"""Points, boxes and coordinate frames."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.geometry import (
    PERMILLE,
    PIXEL,
    RESIZED,
    UNIT,
    Box,
    Frame,
    Point,
    Size,
    bounding_box,
    finite,
    inner_point,
    polygon_contains,
    smart_resize,
)
from strategies import boxes, sizes

FRAMES = {
    "pixel": PIXEL,
    "unit": UNIT,
    "permille": PERMILLE,
    "permille:999": Frame("permille", span=999),
    "resized": RESIZED,
    "resized:32,65536,16777216": Frame("resized", factor=32, min_pixels=65_536, max_pixels=16_777_216),
}
STEPS = {"unit": 0.0001}
"""The smallest difference a frame can write; 1 where not listed."""

frame_names = st.sampled_from(sorted(FRAMES))
shares = st.floats(0, 1)
tame_sizes = sizes.filter(lambda size: max(size) <= 200 * min(size))


def close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-6)


# frames


@pytest.mark.parametrize(
    ("name", "point", "written"),
    [
        ("pixel", (540, 1200), (540, 1200)),
        ("pixel", (539.6, 1200.4), (540, 1200)),
        ("unit", (540, 1200), (0.5, 0.5)),
        ("unit", (1, 1), (0.0009, 0.0004)),  # 1/1080 = 0.00093, 1/2400 = 0.00042
        ("unit", (1080, 2400), (1, 1)),
        ("permille", (540, 1200), (500, 500)),
        ("permille", (1080, 2400), (1000, 1000)),
        ("permille", (1, 1), (1, 0)),  # 0.93 and 0.42
        ("permille:999", (1080, 2400), (999, 999)),
        ("permille:999", (360, 800), (333, 333)),
        ("resized", (1080, 2400), (672, 1484)),  # see the golden value of smart_resize
        ("resized", (540, 1200), (336, 742)),
        ("resized", (0, 0), (0, 0)),
    ],
)
def test_encode(name: str, point: tuple[float, float], written: tuple[float, float]) -> None:
    assert FRAMES[name].encode(Point(*point), Size(1080, 2400)) == written


@pytest.mark.parametrize(
    ("name", "written", "pixels"),
    [
        ("pixel", (3, 4.5), (3, 4.5)),
        ("unit", (0.5, 0.25), (540, 600)),
        ("permille", (1, 1), (1.08, 2.4)),
        ("permille:999", (999, 333), (1080, 800)),
        ("resized", (672, 1484), (1080, 2400)),
        ("resized", (336, 371), (540, 600)),
    ],
)
def test_decode_does_not_round(name: str, written: tuple[float, float], pixels: tuple[float, float]) -> None:
    point = FRAMES[name].decode(Point(*written), Size(1080, 2400))
    assert close(point.x, pixels[0])
    assert close(point.y, pixels[1])


def test_integers_stay_integers() -> None:
    x, y = PERMILLE.encode(Point(540.2, 3), Size(1080, 2400))
    assert isinstance(x, int)
    assert isinstance(y, int)


@given(frame_names, tame_sizes, shares, shares)
def test_a_pixel_comes_back_within_half_a_step(name: str, size: Size, across: float, down: float) -> None:
    frame, step = FRAMES[name], STEPS.get(name, 1)
    point = Point(across * size.width, down * size.height)
    back = frame.decode(frame.encode(point, size), size)
    width, height = frame.extent(size)
    assert abs(back.x - point.x) <= step / 2 * size.width / width + 1e-6
    assert abs(back.y - point.y) <= step / 2 * size.height / height + 1e-6


@given(frame_names, tame_sizes, shares, shares)
def test_what_is_on_the_screen_stays_on_it(name: str, size: Size, across: float, down: float) -> None:
    frame = FRAMES[name]
    written = frame.encode(Point(across * size.width, down * size.height), size)
    width, height = frame.extent(size)
    assert 0 <= written.x <= width
    assert 0 <= written.y <= height
    back = frame.decode(written, size)
    assert -1e-6 <= back.x <= size.width + 1e-6
    assert -1e-6 <= back.y <= size.height + 1e-6


@given(frame_names, tame_sizes, st.integers(0, 10_000), st.integers(0, 10_000))
def test_what_a_frame_can_write_survives_exactly(name: str, size: Size, i: int, j: int) -> None:
    frame = FRAMES[name]
    width, height = frame.extent(size)
    written = Point(round(i / 10_000 * width, frame.digits), round(j / 10_000 * height, frame.digits))
    assert frame.encode(frame.decode(written, size), size) == written


@given(frame_names, tame_sizes, boxes())
def test_a_box_is_its_two_corners(name: str, size: Size, box: Box) -> None:
    frame = FRAMES[name]
    corners = Point(box.x0, box.y0), Point(box.x1, box.y1)
    assert frame.encode_box(box, size) == (*frame.encode(corners[0], size), *frame.encode(corners[1], size))
    assert frame.decode_box(box, size) == (*frame.decode(corners[0], size), *frame.decode(corners[1], size))


@pytest.mark.parametrize("name", FRAMES)
def test_frame_name_is_read_and_written(name: str) -> None:
    assert Frame.parse(name) == FRAMES[name]
    assert str(Frame.parse(name)) == name


@pytest.mark.parametrize(
    ("name", "plain"),
    [(" pixel ", "pixel"), ("permille:1000", "permille"), ("resized:28,3136,1003520", "resized")],
)
def test_other_spellings(name: str, plain: str) -> None:
    assert str(Frame.parse(name)) == plain


@given(st.integers(1, 10_000))
def test_any_span_round_trips(span: int) -> None:
    frame = Frame.parse(f"permille:{span}")
    assert frame.span == span
    assert Frame.parse(str(frame)) == frame


@given(st.integers(1, 64), st.integers(1, 10_000), st.integers(10_000, 10**8))
def test_any_resizing_round_trips(factor: int, low: int, high: int) -> None:
    frame = Frame.parse(f"resized:{factor},{low},{high}")
    assert (frame.factor, frame.min_pixels, frame.max_pixels) == (factor, low, high)
    assert Frame.parse(str(frame)) == frame


@pytest.mark.parametrize(
    "name",
    [
        "",
        ":",
        "pixels",
        "Pixel",
        "pixel:",
        "pixel:1",
        "unit:4",
        "permille:",
        "permille:0",
        "permille:-999",
        "permille:9.5",
        "permille:999,1",
        "permille:x",
        "resized:28",
        "resized:28,100",
        "resized:28,200,100",
        "resized:0,1,2",
        "resized:28,1,2,3",
    ],
)
def test_bad_frame_name_is_refused_with_the_choice(name: str) -> None:
    with pytest.raises(ValueError, match=r"unknown coordinate frame .*permille"):
        Frame.parse(name)


# smart_resize: expectations worked out by hand from the rule that Qwen published with its vision processor


@pytest.mark.parametrize(
    ("size", "resized"),
    [
        ((280, 280), (280, 280)),  # already multiples
        ((100, 100), (112, 112)),  # 3.57 → 4
        ((294, 280), (280, 280)),  # 10.5 → 10: half to even, down
        ((266, 280), (280, 280)),  # 9.5 → 10: half to even, up
        ((70, 280), (56, 280)),  # 2.5 → 2
        ((42, 280), (56, 280)),  # 1.5 → 2
        ((98, 280), (112, 280)),  # 3.5 → 4
        ((126, 280), (112, 280)),  # 4.5 → 4
        ((14, 280), (28, 280)),  # 0.5 → 0, but never under one factor
        ((56, 56), (56, 56)),  # exactly the least area
        ((28, 28), (56, 56)),  # 784 < 3136: × 2
        ((1, 1), (56, 56)),  # × 56
        ((20, 40), (56, 84)),  # 28·28 = 784 < 3136: × √(3136/800) = 1.98 → 39.6, 79.2 → up to 56, 84
        ((1120, 896), (1120, 896)),  # 40·28 × 32·28 = 1,003,520: exactly the greatest area
        ((1148, 896), (1120, 868)),  # just over: ÷ √(1,028,608/1,003,520) = 1.0124 → 1133.9, 885.0 → down
        ((1080, 2400), (672, 1484)),  # ÷ √(2,592,000/1,003,520) = 45/28 → 672, 1493.3 → down
        ((1920, 1080), (1316, 728)),  # ÷ √(2,073,600/1,003,520) = 1.43748 → 1335.7, 751.3 → 47·28, 26·28
        ((2560, 1440), (1316, 728)),  # the same shape ends at the same size
        ((28, 5600), (28, 5600)),  # 200-fold is still allowed
        ((200, 40_000), (56, 14_140)),  # ÷ √(8,000,000/1,003,520) = 2.82345 → 70.8, 14167.1 → 2·28, 505·28
    ],
)
def test_smart_resize(size: tuple[int, int], resized: tuple[int, int]) -> None:
    assert smart_resize(Size(*size)) == resized


def test_smart_resize_with_other_limits() -> None:
    # BTL-UI's 4,014,080 pixels: 1080/28 = 38.57 → 39, 2400/28 = 85.71 → 86; 1092 · 2408 = 2,629,536 fits
    assert smart_resize(Size(1080, 2400), max_pixels=4_014_080) == (1092, 2408)
    # SecAgent's 200,704 to 501,760: ÷ √(2,592,000/501,760) = 2.27284 → 475.2, 1055.9 → 16·28, 37·28
    assert smart_resize(Size(1080, 2400), min_pixels=200_704, max_pixels=501_760) == (448, 1036)
    # 200·200 = 40,000 → 196·196 = 38,416 < 200,704: × √(200,704/40,000) = 2.24 → 448
    assert smart_resize(Size(200, 200), min_pixels=200_704, max_pixels=501_760) == (448, 448)
    # Qwen3-VL's factor: 1080/32 = 33.75 → 34, 2400/32 = 75
    assert smart_resize(Size(1080, 2400), factor=32, max_pixels=16_777_216) == (1088, 2400)


@pytest.mark.parametrize("size", [(0, 10), (10, 0), (-5, 10), (1, 201), (201, 1), (10, 5000)])
def test_smart_resize_refuses(size: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=f"{size[0]}×{size[1]}"):
        smart_resize(Size(*size))


@given(tame_sizes, st.sampled_from([28, 32]))
def test_smart_resize_keeps_its_promises(size: Size, factor: int) -> None:
    low, high = 56 * 56, 14 * 14 * 4 * 1280
    width, height = smart_resize(size, factor, low, high)
    assert width % factor == height % factor == 0
    assert width >= factor
    assert height >= factor
    assert low <= width * height <= high


# boxes

A = Box(10, 20, 30, 60)


@pytest.mark.parametrize(
    ("other", "iou"),
    [
        (A, 1),
        (Box(10, 20, 30, 40), 0.5),
        (Box(20, 20, 40, 60), 1 / 3),
        (Box(20, 40, 40, 80), 200 / 1400),
        (Box(30, 20, 50, 60), 0),  # they touch
        (Box(100, 100, 120, 120), 0),
        (Box(15, 30, 15, 30), 0),  # empty
        (Box(30, 60, 10, 20), 0),  # corners the wrong way round
    ],
)
def test_iou(other: Box, iou: float) -> None:
    assert math.isclose(A.iou(other), iou)
    assert math.isclose(other.iou(A), iou)


def test_iou_of_two_empty_boxes_is_zero() -> None:
    assert Box(1, 1, 1, 1).iou(Box(1, 1, 1, 1)) == 0


@given(boxes(), boxes())
def test_iou_is_a_symmetric_share(a: Box, b: Box) -> None:
    assert 0 <= a.iou(b) <= 1 + 1e-9
    assert math.isclose(a.iou(b), b.iou(a))


@pytest.mark.parametrize(
    ("point", "inside", "strictly"),
    [
        ((20, 40), True, True),
        ((10, 40), True, False),
        ((30, 40), True, False),
        ((20, 20), True, False),
        ((20, 60), True, False),
        ((10, 20), True, False),
        ((9.999, 40), False, False),
        ((20, 60.001), False, False),
        ((10.001, 20.001), True, True),
    ],
)
def test_contains(point: tuple[float, float], inside: bool, strictly: bool) -> None:
    assert A.contains(Point(*point)) is inside
    assert A.contains_strictly(Point(*point)) is strictly


def test_an_empty_box_contains_only_its_point() -> None:
    place = Point(5, 7)
    assert Box.at(place) == (5, 7, 5, 7)
    assert Box.at(place).center == place
    assert Box.at(place).area == 0
    assert Box.at(place).contains(place)
    assert not Box.at(place).contains_strictly(place)


def test_grown() -> None:
    assert A.grown(1) == A
    assert A.grown(2) == (0, 0, 40, 80)
    assert A.grown(0.5) == (15, 30, 25, 50)
    assert A.grown(1.2) == pytest.approx((8, 16, 32, 64))


@given(boxes(), st.floats(0.1, 4))
def test_growing_keeps_the_centre_and_scales_the_sides(box: Box, factor: float) -> None:
    grown = box.grown(factor)
    assert close(grown.center.x, box.center.x)
    assert close(grown.center.y, box.center.y)
    assert close(grown.width, factor * box.width)
    assert close(grown.height, factor * box.height)


def test_box_measures() -> None:
    assert (A.width, A.height, A.area, A.center) == (20, 40, 800, (20, 40))
    assert Box.from_xywh(10, 20, 20, 40) == A
    assert Box(30, 60, 10, 20).area == 0


def test_distance() -> None:
    assert Point(1, 2).distance(Point(4, 6)) == 5


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 10**400], ids=["nan", "inf", "-inf", "huge"])
def test_finite(bad: float) -> None:
    assert finite([1, 2.5, -3])
    assert finite([])
    assert not finite([1, bad])
    assert not finite([math.inf, bad])


@given(boxes(), st.integers(-60, 5100), st.integers(-60, 5100))
def test_a_rectangle_is_a_polygon(box: Box, x: int, y: int) -> None:
    corners = [Point(box.x0, box.y0), Point(box.x1, box.y0), Point(box.x1, box.y1), Point(box.x0, box.y1)]
    assert bounding_box(corners) == box
    assert polygon_contains(corners, Point(x, y)) == box.contains(Point(x, y))
    assert all(polygon_contains(corners, corner) for corner in corners)


@st.composite
def stars(draw: st.DrawFn) -> list[Point]:
    """A polygon that does not cross itself: corners at rising angles around one place, at any distance."""
    angles = sorted(draw(st.lists(st.integers(0, 359), min_size=3, max_size=9, unique=True)))
    far = draw(st.lists(st.integers(5, 500), min_size=len(angles), max_size=len(angles)))
    turned = [(math.radians(angle), distance) for angle, distance in zip(angles, far, strict=True)]
    return [Point(1000 + d * math.cos(a), 1000 + d * math.sin(a)) for a, d in turned]


@given(stars())
def test_the_inner_point_of_a_polygon_lies_inside(corners: list[Point]) -> None:
    assert polygon_contains(corners, inner_point(corners))


@given(stars(), st.floats(-600, 600), st.floats(-600, 600))
def test_what_is_outside_the_bounding_box_is_outside_the_polygon(corners: list[Point], dx: float, dy: float) -> None:
    point = Point(1000 + dx, 1000 + dy)
    if polygon_contains(corners, point):
        assert bounding_box(corners).grown(1 + 1e-9).contains(point)
