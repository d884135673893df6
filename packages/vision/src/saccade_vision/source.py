"""The element source `vision`: `--elements vision` in every command that takes elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image

from saccade.screens.element_source import ElementSource
from saccade.types import Element, Language
from saccade_vision.incremental import IncrementalParser
from saccade_vision.parser import VERSION, open_parser


class VisionSource(ElementSource):
    """Parses screens; text that was read before is not read again. `incremental=no` remembers no whole screens."""

    name = "vision"
    version = VERSION

    def __init__(self, incremental: bool = True, threads: int = 0) -> None:
        self.incremental, self.threads = incremental, threads
        self._parser: IncrementalParser | None = None

    def find(self, image: Image.Image, language: Language) -> Sequence[Element]:
        if self._parser is None:  # networks are loaded when the first picture is there
            self._parser = IncrementalParser(open_parser(self.threads))
        if not self.incremental:
            self._parser.reset()
        return self._parser.parse(np.asarray(image.convert("RGB")), language)

    def reset(self) -> None:
        if self._parser is not None:
            self._parser.reset()


def open_source(**options: Any) -> VisionSource:
    """The source, with options of `VisionSource`."""
    return VisionSource(**options)
