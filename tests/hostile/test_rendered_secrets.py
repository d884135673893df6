"""A secret that a page shows in pieces is in no picture and no element. All: `benchmarks/gate.py renderings`."""

from __future__ import annotations

import pytest
from rendered_secrets import readings
from secret_renderings import RENDERINGS

pytestmark = pytest.mark.browser
SOME = (
    "a letter a span",
    "boxes for a code",
    "card in four fields",
    "before and after",
    "a closed shadow root",
    "an open list",
)


def test_there_are_forty_renderings() -> None:
    assert len(RENDERINGS) >= 40


def test_nothing_of_a_secret_is_left_to_read() -> None:
    found = [*readings(SOME, ["desktop"]), *readings(["bold and italic pieces"], ["phone"])]
    assert len(found) == len(SOME) + 1
    assert [reading for reading in found if reading.left > 3] == []
