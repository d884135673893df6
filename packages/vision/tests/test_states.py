"""States of switches, boxes and tabs from pixels: drawn ones, with the shipped weights."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw

from saccade.geometry import Box
from saccade_vision.states import CHANNELS, SIDE, WEIGHTS, StateReader, Widget, ends, neighbours, network_inputs


@pytest.fixture(scope="module")
def reader() -> StateReader:
    return StateReader(threads=1)


def settings_screen(on: list[bool]) -> tuple[np.ndarray, list[Widget]]:
    """A phone's switches below each other."""
    image = Image.new("RGB", (432, 960), (246, 246, 248))
    draw = ImageDraw.Draw(image)
    widgets: list[Widget] = []
    for at, each in enumerate(on):
        y = 120 + 90 * at
        draw.rounded_rectangle((340, y, 392, y + 30), 15, (25, 137, 250) if each else (210, 210, 214))
        left = 364 if each else 342
        draw.ellipse((left, y + 2, left + 26, y + 28), fill=(255, 255, 255))
        widgets.append(("switch", Box(340, y, 392, y + 30), True))
    return np.asarray(image), widgets


def test_switches_that_are_on_are_told(reader: StateReader) -> None:
    image, widgets = settings_screen([True, False, False, True])
    assert reader.read(image, widgets) == ["checked", "", "", "checked"]
    assert reader.read(image, [("text", Box(0, 0, 50, 20), False), ("switch", widgets[0][1], False)]) == ["", ""]


def test_of_tabs_beside_each_other_one_is_chosen(reader: StateReader) -> None:
    image = Image.new("RGB", (432, 960), (255, 255, 255))
    draw = ImageDraw.Draw(image)
    widgets: list[Widget] = []
    for at in range(4):
        box = (108 * at, 100, 108 * at + 108, 152)
        colour = (25, 137, 250) if at == 2 else (120, 120, 124)
        draw.text((box[0] + 30, 116), f"Page {at}", fill=colour, font_size=18)
        if at == 2:
            draw.rectangle((box[0] + 30, 146, box[2] - 30, 150), fill=colour)
        widgets.append(("tab", Box(*box), True))
    assert reader.read(np.asarray(image), widgets) == ["", "", "selected", ""]


def test_the_weights_are_small() -> None:
    assert WEIGHTS.stat().st_size < 100_000


def test_neighbours_are_of_one_kind_in_a_row_or_column() -> None:
    places: list[Widget] = [
        ("tab", Box(0, 0, 100, 40), True),
        ("tab", Box(100, 0, 200, 40), True),
        ("tab", Box(600, 0, 700, 40), True),  # too far away
        ("tab", Box(10, 42, 90, 82), True),  # in a column with the first
        ("tab", Box(200, 0, 300, 90), True),  # much higher
        ("button", Box(200, 0, 300, 40), True),
    ]
    assert neighbours(0, range(len(places)), places) == [1, 3]
    assert ends(Box(0, 0, 100, 40)) == (Box(0, 0, 40, 40), Box(60, 0, 100, 40))


def test_a_button_alone_is_not_looked_at() -> None:
    image = np.zeros((100, 400, 3), np.uint8)
    alone: list[Widget] = [("button", Box(0, 0, 80, 40), True), ("switch", Box(-5, 60, 900, 200), True)]
    found = network_inputs(image, alone)
    assert {at: inputs.shape for at, inputs in found.items()} == {1: (CHANNELS, SIDE, SIDE)}
    pair = network_inputs(image, [alone[0], ("button", Box(90, 0, 170, 40), True)])
    assert sorted(pair) == [0, 1]
