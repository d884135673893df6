"""Widgets from pixels: what the network sees, how its maps are read, and how training data is put together."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from saccade_vision.element_types import TYPES
from saccade_vision.training import compose_cells
from saccade_vision.training.compose import DrawingResources, Painter, ScreenStyle
from saccade_vision.training.compose_layouts import compose
from saccade_vision.training.screen_folder import LIST, ScreenFolder, read_lines
from saccade_vision.widget_boxes import OUTPUTS, decode, iou_matrix, network_input, network_size, without_doubles
from saccade_vision.widgets import WEIGHTS, WidgetDetector


def maps_with(points: dict[tuple[int, int, int], list[float]], width: int = 64, height: int = 64) -> list[np.ndarray]:
    """Empty maps but for some points, given as (level, row, column): outputs without the types, then one type."""
    maps = [np.full((1, OUTPUTS, height // stride, width // stride), -9, np.float32) for stride in (8, 16, 32)]
    for (level, row, column), (*numbers, type) in points.items():
        maps[level][0, :6, row, column] = numbers
        maps[level][0, 6 + int(type), row, column] = 9
    return maps


def test_a_point_of_the_map_is_a_box_in_pixels() -> None:
    # Row 2, column 3 at stride 8: its middle is (28, 20); half a stride to the right, 16 wide (2 strides), 8 high.
    maps = maps_with({(0, 2, 3): [0.5, 0.0, np.log(2), 0.0, 4.0, 3.0, TYPES.index("switch")]})
    found = decode(maps, limit=10)
    assert found.boxes.tolist() == pytest.approx(np.array([[24.0, 16.0, 40.0, 24.0]]))
    assert found.types.tolist() == [TYPES.index("switch")]
    assert found.scores[0] == pytest.approx(1 / (1 + np.exp(-4.0)))
    assert found.interactive[0] > 0.9


def test_of_two_boxes_in_one_place_the_better_one_stays() -> None:
    button, text = TYPES.index("button"), TYPES.index("text")
    maps = maps_with(
        {
            (0, 2, 3): [0.0, 0.0, 1.0, 1.0, 2.0, 3.0, button],
            (0, 2, 4): [-1.0, 0.0, 1.0, 1.0, 1.0, 3.0, button],
            (0, 6, 6): [0.0, 0.0, 0.0, 0.0, 2.1, -3.0, text],
        }
    )
    found = decode(maps, limit=10)
    assert found.types.tolist() == [button, text]  # a text that does nothing counts less than a less certain button
    assert len(decode(maps, limit=1).boxes) == 1


def test_overlaps_and_doubles() -> None:
    boxes = np.array([[0, 0, 10, 10], [0, 0, 10, 5], [20, 20, 30, 30]], np.float32)
    assert iou_matrix(boxes[:1], boxes)[0].tolist() == [1.0, 0.5, 0.0]
    assert without_doubles(boxes, np.array([0.5, 0.9, 0.1], np.float32), 0.4, 5).tolist() == [1, 2]
    assert without_doubles(boxes, np.array([0.5, 0.9, 0.1], np.float32), 0.6, 5).tolist() == [1, 0, 2]


@pytest.mark.parametrize(
    ("size", "seen"),
    [((1080, 2400), (432, 960)), ((1920, 1080), (1280, 720)), ((300, 200), (300, 200)), ((100, 9000), (14, 1280))],
)
def test_the_size_that_the_network_sees(size: tuple[int, int], seen: tuple[int, int]) -> None:
    assert network_size(*size) == seen
    prepared, scale = network_input(np.zeros((size[1], size[0], 3), np.uint8))
    assert prepared.shape[2] % 32 == prepared.shape[3] % 32 == 0
    assert scale == pytest.approx(seen[0] / size[0])


@pytest.mark.parametrize("phone", [True, False])
def test_composed_screens_have_boxes_on_the_screen(phone: bool) -> None:
    resources = DrawingResources(None, None)
    for seed in range(3):
        pixels, elements = compose(seed, resources, phone)
        height, width = pixels.shape[:2]
        assert (height > width) == phone
        assert elements
        for element in elements:
            x0, y0, x1, y1 = element["box"]
            assert 0 <= x0 < x1 <= width
            assert 0 <= y0 < y1 <= height
            assert element["type"] in TYPES
    again, same = compose(2, resources, phone)
    assert same == elements
    assert (again == pixels).all()


@pytest.mark.parametrize("kind", sorted(set(compose_cells.KINDS), key=str))
def test_rows_of_forms_tell_what_can_be_filled_in_or_ticked(kind: compose_cells.Cell) -> None:
    """Each draws something in its row, and what it tells lies in the row and is pressed or a text."""
    resources, drawn = DrawingResources(None, None), 0
    for seed in range(6):
        painter = Painter((432, 200), random.Random(seed), resources)
        look = ScreenStyle(painter.chance, resources, chinese=False)
        before = np.asarray(painter.image).copy()
        kind(painter, look, (0, 60, 432, 120), compose_cells.CellStyle("left", "circle", 100, seed % 2 == 0))
        changed = np.flatnonzero((np.asarray(painter.image) != before).any((1, 2)))
        assert all(60 <= row <= 120 for row in changed)
        drawn += len(changed)
        pressed = [each for each in painter.elements if each["interactive"]]
        assert pressed and {each["type"] for each in painter.elements} <= set(TYPES)
        for element in pressed:
            assert element["box"][1] >= 58 and element["box"][3] <= 122
    assert drawn


def test_a_folder_of_screens_grows_and_survives_a_cut_line(tmp_path: Path) -> None:
    chance = random.Random(0)
    folder = ScreenFolder(tmp_path)
    elements = [{"box": [1, 2, 30, 20], "type": "button", "interactive": True}]
    picture = Image.new("RGB", (40, 30), tuple(chance.randrange(256) for _ in range(3)))
    assert folder.add(picture, elements, source="phone/x", look="light", language="en")
    assert not folder.add(picture, elements, source="phone/x", look="light", language="en")
    with (tmp_path / LIST).open("a") as file:
        file.write('{"image": "000002.we')
    assert [line["image"] for line in read_lines(tmp_path)] == ["000001.webp"]
    assert json.loads((tmp_path / LIST).read_text().splitlines()[0])["size"] == [40, 30]
    assert len(ScreenFolder(tmp_path)) == 1


@pytest.mark.skipif(not WEIGHTS.is_file(), reason="the weights are not built yet")
def test_a_painted_dialog_is_found() -> None:
    from PIL import ImageDraw  # noqa: PLC0415

    image = Image.new("RGB", (432, 960), "#f4f4f6")
    draw = ImageDraw.Draw(image)
    buttons = [(24, 700, 204, 752), (228, 700, 408, 752)]
    for box, colour in zip(buttons, ("#ffffff", "#2060e0"), strict=True):
        draw.rounded_rectangle(box, 8, colour, "#b0b0b0")
        draw.text(((box[0] + box[2]) // 2, 726), "Cancel", fill="#808080", anchor="mm")
    found = WidgetDetector(threads=1).find(np.asarray(image))
    for box in buttons:
        best = max(
            found, key=lambda widget: iou_matrix(np.array([box], np.float32), np.array([widget.box], np.float32))[0, 0]
        )
        assert best.interactive
        assert iou_matrix(np.array([box], np.float32), np.array([best.box], np.float32))[0, 0] > 0.6
