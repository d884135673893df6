"""The networks in 8-bit integers: every layer is rounded, and what they find is what they find in floats."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image as Pictures
from PIL import ImageDraw, ImageFont

from saccade_vision import int8
from saccade_vision.graph_rewrites import replace_gelu, split_upsampling
from saccade_vision.int8 import exact_zero, integers_are_fast, known_ranges, round_to_integers, rounded_layers
from saccade_vision.runtime import import_openvino
from saccade_vision.text import TextReader
from saccade_vision.text.models import DETECTOR, RECOGNISER, model_file
from saccade_vision.widgets import WEIGHTS, WidgetDetector

pytestmark = pytest.mark.skipif(find_spec("openvino") is None, reason="OpenVINO is not installed")
SURE = 0.4
NETWORKS = {
    "detector": (model_file(DETECTOR), (split_upsampling, replace_gelu)),
    "recogniser": (model_file(RECOGNISER), (replace_gelu,)),
    "widgets": (WEIGHTS, ()),
}


@pytest.fixture
def integers(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Says whether networks that are opened from now on are rounded: rounding is the same on any processor."""
    return lambda wanted: monkeypatch.setattr(int8, "integers_are_fast", lambda: wanted)


@pytest.fixture(scope="module")
def picture() -> np.ndarray:
    """A form of a phone: a title, two fields with labels, a button."""
    drawn = Pictures.new("RGB", (432, 960), "white")
    pen, font = ImageDraw.Draw(drawn), ImageFont.load_default(22)
    pen.text((24, 40), "New contact", fill="black", font=ImageFont.load_default(30))
    for top, label in ((140, "First name"), (260, "Telephone")):
        pen.text((24, top - 34), label, fill="#444444", font=font)
        pen.rounded_rectangle((24, top, 408, top + 56), 8, outline="#888888", width=2)
    pen.rounded_rectangle((24, 380, 408, 440), 30, fill="#2255cc")
    pen.text((190, 396), "Save", fill="white", font=font)
    return np.asarray(drawn)


@pytest.mark.parametrize("name", NETWORKS)
def test_all_layers_are_rounded(name: str) -> None:
    path, rewrites = NETWORKS[name]
    model = import_openvino().Core().read_model(path)
    for rewrite in rewrites:
        rewrite(model)
    layers = [layer.get_friendly_name() for layer, _ in rounded_layers(model)]
    ranges = known_ranges()[int8.fingerprint(path)]
    assert sorted(ranges) == sorted(layers) and len(layers) > 50
    assert round_to_integers(model, ranges) == len(layers)


def test_finds_the_same(integers: Any, picture: np.ndarray) -> None:
    found = []
    for wanted in (False, True):
        integers(wanted)
        lines = TextReader(threads=1).read(picture)
        found.append(([line.text for line in lines], WidgetDetector(threads=1).find(picture)))
    (said, exact), (said_rounded, rounded) = found
    assert said == said_rounded == ["New contact", "First name", "Telephone", "Save"]
    sure = [each for each in exact if each.confidence >= SURE]
    assert len(sure) >= 3
    for each in sure:
        assert max(each.box.iou(other.box) for other in rounded) > 0.8, each
    assert exact != rounded


def test_another_network_of_the_same_name_is_not_rounded(integers: Any, tmp_path: Path) -> None:
    integers(True)
    other = tmp_path / WEIGHTS.name
    other.write_bytes(WEIGHTS.read_bytes() + b"\x00")
    assert int8.with_integers(WEIGHTS) and not int8.with_integers(other)
    integers(False)
    assert not int8.with_integers(WEIGHTS)


@pytest.mark.parametrize(
    ("machine", "flags", "fast"),
    [
        ("x86_64", "fpu avx2 avx512f avx512_vnni", True),
        ("x86_64", "fpu avx2 avx_vnni", True),
        ("x86_64", "fpu avx2 avx512f", False),
        ("aarch64", "fp asimd asimdhp", False),
    ],
)
def test_which_processors(machine: str, flags: str, fast: bool, monkeypatch: Any, tmp_path: Path) -> None:
    told = tmp_path / "cpuinfo"
    told.write_text(f"processor\t: 0\nflags\t\t: {flags}\n")
    monkeypatch.setattr(int8, "PROCESSOR", told)
    monkeypatch.setattr("platform.machine", lambda: machine)
    assert integers_are_fast.__wrapped__() is fast


@given(st.floats(-1e3, 1e3), st.floats(0, 1e3))
def test_zero_is_kept_exactly(low: float, width: float) -> None:
    found = exact_zero(low, low + width)
    step = (found[1] - found[0]) / 255
    if step > 1e-4:
        assert abs(found[0] / step - round(found[0] / step)) < 1e-2
        assert found[0] <= min(low, 0) + step and found[1] >= max(low + width, 0) - step
