"""The parser for the screens of a run: a screen that was shown before is not parsed again.

On other screens the parts of the parser remember what they have seen, by its pixels: lines of text and icons that are
shown again, in place or scrolled, are not read again. Lines are looked for, and widgets found, on the whole screen,
because what a thing is depends on what is around it: the networks average over the whole picture. So the elements are
those of a full parse; `benchmarks/incremental.py` counts how often they are.
"""

from __future__ import annotations

import numpy as np

from saccade.types import Element, Language
from saccade_vision.parser import FoundParts, Parser
from saccade_vision.types import Image

REMEMBERED = 4
"""Screens that are remembered as a whole: after a step back, the one before the last is shown again."""


class IncrementalParser:
    """Parses the screens of a run, one after another."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self.screens: list[tuple[Image, FoundParts]] = []
        """The last one first."""

    def reset(self) -> None:
        """A new run begins."""
        self.screens.clear()

    def parse(self, image: Image, language: Language = "en") -> list[Element]:
        """The elements of the next screen."""
        known = [screen for screen in self.screens if np.array_equal(screen[0], image)]
        last = known[0] if known else (image, self.parser.find(image))
        self.screens = [last, *(screen for screen in self.screens if screen is not last)][:REMEMBERED]
        return self.parser.elements(image, last[1], language)
