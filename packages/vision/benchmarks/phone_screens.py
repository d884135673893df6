"""What the benchmarks share: tasks of some apps of the sandbox phone, and screens as arrays."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from PIL import Image as Pictures

from saccade.types import Element, Language
from saccade.worlds.base import Observation
from saccade_phone.catalog import CATALOG
from saccade_vision.icons import IconNamer
from saccade_vision.parser import Parser
from saccade_vision.text import TextReader
from saccade_vision.types import Image


def tasks_of(apps: Sequence[str]) -> list[str]:
    """The phone's task templates of these apps."""
    return [task.name for task in CATALOG.templates() if task.name.partition(".")[0] in apps]


def pixels(seen: Observation) -> Image:
    assert seen.screen.picture is not None
    return np.asarray(Pictures.open(io.BytesIO(seen.screen.picture.data())).convert("RGB"))


def parse_all(parser: Parser, image: Image, language: Language) -> list[Element]:
    """A parse that remembers nothing."""
    assert isinstance(parser.text, TextReader)
    assert isinstance(parser.icons, IconNamer)
    parser.text.memory.clear()
    parser.icons.memory.clear()
    return parser.parse(image, language)
