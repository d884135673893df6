"""Elements from a file that was saved beside a screenshot, whatever wrote it: the content tells which format it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from saccade.geometry import Size
from saccade.screens.droidbot import droidbot_elements
from saccade.screens.uiautomator import uiautomator_elements
from saccade.types import Element
from saccade.untrusted import decode_json


class Format(NamedTuple):
    """`fits` looks at the text and at the JSON in it (None if there is none)."""

    name: str
    fits: Callable[[str, Any], bool]
    read: Callable[[str, Any, Size], list[Element]]


FORMATS = (
    Format(
        "a uiautomator dump (XML)",
        lambda text, _: text.startswith("<"),
        lambda text, _, size: uiautomator_elements(text, size),
    ),
    Format(
        "a DroidBot state (JSON with `views`)",
        lambda _, value: isinstance(value, dict) and "views" in value,
        lambda _, value, size: droidbot_elements(value, size),
    ),
)


def read_tree(data: bytes, size: Size) -> list[Element]:
    """The elements of a saved screen of that size. `ValueError` if it is of no known format, or broken."""
    try:
        text = data.decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        text = ""
    value = _json(text)
    for known in FORMATS:
        if known.fits(text, value):
            return known.read(text, value, size)
    raise ValueError(f"it is neither {' nor '.join(known.name for known in FORMATS)}")


def _json(text: str) -> Any:
    try:
        return decode_json(text)
    except msgspec.DecodeError:
        return None
