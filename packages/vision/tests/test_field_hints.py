"""Hints in empty fields: pale beside their label, in light and dark screens, and what was typed is none."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from saccade.geometry import Box
from saccade_vision.field_hints import contrast, without_hint
from saccade_vision.parser import Parser
from saccade_vision.types import DetectedWidget, TextLine

LABEL, WRITTEN = TextLine(Box(16, 20, 120, 44), "Password", 1.0), TextLine(Box(160, 20, 330, 44), "At least 8", 1.0)


def picture(ground: str, label: str, written: str) -> np.ndarray:
    drawn = Image.new("RGB", (400, 64), ground)
    pen, font = ImageDraw.Draw(drawn), ImageFont.load_default(20)
    pen.text((16, 20), "Password", fill=label, font=font)
    pen.text((160, 20), "At least 8", fill=written, font=font)
    return np.asarray(drawn)


@pytest.mark.parametrize(
    ("ground", "label", "written", "hint"),
    [
        ("white", "black", "#c5c5c7", True),
        ("white", "#323233", "#c8c9cc", True),
        ("#1c1c1e", "white", "#636366", True),
        ("white", "#222222", "#222222", False),
        ("white", "#777777", "black", False),
        ("#1c1c1e", "#ebebf5", "white", False),
    ],
)
def test_a_hint_is_paler_than_the_label(ground: str, label: str, written: str, hint: bool) -> None:
    image = picture(ground, label, written)
    left, found = without_hint(image, [WRITTEN], LABEL)
    assert found is hint and list(left) == ([] if hint else [WRITTEN])
    inside, found = without_hint(image, [LABEL, TextLine(WRITTEN.box._replace(y0=21), "At least 8", 1.0)], None)
    assert found is hint and len(inside) == (1 if hint else 2)


def test_without_a_label_nothing_is_known() -> None:
    assert without_hint(picture("white", "black", "#c5c5c7"), [WRITTEN], None) == ([WRITTEN], False)


def test_contrast_of_nothing() -> None:
    assert contrast(picture("white", "black", "black"), Box(500, 0, 600, 20)) == 0


class Given:
    """A reader and a detector that find what they are told."""

    def read(self, image: np.ndarray) -> list[TextLine]:
        return [LABEL, WRITTEN]

    def find(self, image: np.ndarray, limit: int = 100) -> list[DetectedWidget]:
        return [DetectedWidget(Box(150, 10, 390, 54), "input", True, 0.9)]


@pytest.mark.parametrize(("written", "text"), [("#c5c5c7", "Password"), ("black", "At least 8")])
def test_an_empty_field_goes_by_its_label(written: str, text: str) -> None:
    (field,) = [
        each for each in Parser(Given(), Given()).parse(picture("white", "black", written)) if each.type == "input"
    ]
    assert (field.text, field.caption) == (text, "Password")
