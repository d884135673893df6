"""The parser: a picture of a screen in, its elements out.

    elements = open_parser().parse(image, "en")

Four parts look at the picture: text (`TextReader`), widgets (`WidgetDetector`), icon meanings (`IconNamer`), states of
switches and tabs (`StateReader`). The parser needs the first only. Without widgets, each line of text is an element,
and short ones count as interactive.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

from saccade.geometry import Box, Size
from saccade.types import Element, Language
from saccade_vision.field_hints import without_hint
from saccade_vision.grouping import ElementGroup, group_lines
from saccade_vision.icons import IconNamer
from saccade_vision.overlays import front_area
from saccade_vision.phone_conventions import FOOT, names_by_place
from saccade_vision.reading_order import holders
from saccade_vision.scroll_areas import scroll_areas
from saccade_vision.states import StateReader
from saccade_vision.text.reader import TextReader
from saccade_vision.types import DetectedWidget, IconMeaning, Image, TextLine
from saccade_vision.widgets import WidgetDetector

VERSION = "10"
"""Found elements are kept on disk by version: raise it with every change of weights or rules that changes answers."""
MOST_WIDGETS = 100
LEAST_CONFIDENCE = 0.3
"""Widgets below it are left out. Chosen on the phone app notes, GIMP, Kate and the web kit Carbon, none of which was
trained on: it keeps 95 % of the phone's true widgets and 74 % of the others'; 69 % and 62 % of what it keeps is true.
Missing a widget costs an agent more than seeing one too many.
"""
NAMED = frozenset(("icon", "image", "button", "tab", "link", "input", "select"))
"""Types that may be known by an icon alone."""
SQUARE = 1.6
"""A widget without text whose longer side is at most this many times the shorter is looked at as an icon."""
LONGEST_TEXT = 300
SHADOW = 0.05
"""How far around what is bright a dialog may reach, as a share of the width: in dark looks its ground is not bright."""
TREE_WORDS = {"list item": "listitem"}
"""The word that trees have for a type, where the network's differs."""


class TextPart(Protocol):
    """What the parser needs of `text.TextReader`."""

    def read(self, image: Image) -> list[TextLine]: ...


class WidgetPart(Protocol):
    """What the parser needs of `widgets.WidgetDetector`."""

    def find(self, image: Image, limit: int = MOST_WIDGETS) -> list[DetectedWidget]: ...


class IconPart(Protocol):
    """What the parser needs of `icons.IconNamer`."""

    def name(self, image: Image, boxes: Sequence[Box]) -> list[IconMeaning | None]: ...


class StatePart(Protocol):
    """What the parser needs of `states.StateReader`."""

    def read(self, image: Image, widgets: Sequence[tuple[str, Box, bool]]) -> list[str]: ...


class FoundParts(NamedTuple):
    """What was found in a picture, before elements are made of it."""

    lines: list[TextLine]
    widgets: list[DetectedWidget] | None
    """None where there is no detector."""


class Parser:
    """Puts together what the parts find."""

    def __init__(
        self,
        text: TextPart,
        widgets: WidgetPart | None = None,
        icons: IconPart | None = None,
        states: StatePart | None = None,
    ) -> None:
        self.text, self.widgets, self.icons, self.states = text, widgets, icons, states

    def parse(self, image: Image, language: Language = "en") -> list[Element]:
        """The elements of a screen, in reading order, numbered from 1."""
        return self.elements(image, self.find(image), language)

    def find(self, image: Image) -> FoundParts:
        """The lines of text and the widgets of a screen."""
        if self.widgets is None:
            return FoundParts(self.text.read(image), None)
        widgets = [each for each in self.widgets.find(image, MOST_WIDGETS) if each.confidence >= LEAST_CONFIDENCE]
        return FoundParts(self.text.read(image), widgets)

    def elements(self, image: Image, found: FoundParts, language: Language) -> list[Element]:
        """Elements from what was found."""
        found = _in_front(image, found)
        size = Size(image.shape[1], image.shape[0])
        areas = scroll_areas(size, found.widgets or (), [line.box for line in found.lines]) if found.widgets else []
        groups = group_lines(found.lines, found.widgets, areas)
        for group in groups:
            if group.type == "input":
                _name_empty_field(image, group)
        meanings = self._meanings(image, groups)
        asked = [(group.type, group.box, group.interactive) for group in groups]
        states = self.states.read(image, asked) if self.states is not None else [""] * len(groups)
        holding = {holder for holder in holders([group.box for group in groups]) if holder is not None}
        return [
            _element(at + 1, group, meanings[at], states[at], language, at not in holding)
            for at, group in enumerate(groups)
        ]

    def _meanings(self, image: Image, groups: Sequence[ElementGroup]) -> list[IconMeaning | None]:
        """What each group's icon means, where it is all that tells what the group is."""
        places = [_picture_of(group) for group in groups]
        boxes = [place for place in places if place is not None]
        found = self.icons.name(image, boxes) if self.icons is not None and boxes else [None] * len(boxes)
        pressed = [at for at, group in enumerate(groups) if group.interactive and group.type == "icon"]
        named: list[IconMeaning | None] = [None] * len(groups)
        for at, meaning in zip((at for at, place in enumerate(places) if place is not None), found, strict=True):
            named[at] = meaning
        if self.icons is not None:
            others = [group.box for at, group in enumerate(groups) if at not in pressed]
            icons = [(groups[at].box, named[at]) for at in pressed]
            size = Size(image.shape[1], image.shape[0])
            for at, meaning in zip(pressed, names_by_place(size, icons, others), strict=True):
                named[at] = meaning
        return named


def _in_front(image: Image, found: FoundParts) -> FoundParts:
    """Without what lies behind a dialog, but with a phone's navigation buttons."""
    front = front_area(image) if found.widgets is not None else None
    if front is None:
        return found
    foot = FOOT * image.shape[0]
    margin = SHADOW * image.shape[1]
    area = Box(front.x0 - margin, front.y0 - margin, front.x1 + margin, front.y1 + margin)
    lines = [line for line in found.lines if area.contains(line.box.center)]
    widgets = found.widgets or []
    return FoundParts(lines, [each for each in widgets if area.contains(each.box.center) or each.box.center.y >= foot])


def _name_empty_field(image: Image, field: ElementGroup) -> None:
    """A field that shows a hint is empty, and goes by its label, as in trees."""
    lines, hinted = without_hint(image, field.lines, field.label)
    if hinted:
        field.lines = list(lines) if lines or field.label is None else [field.label]


def _picture_of(group: ElementGroup) -> Box | None:
    """Where the icon is that tells what a widget without text is; None if nothing can."""
    if group.lines or group.type not in NAMED:
        return None
    if group.icons:
        return min(group.icons, key=lambda box: (box.x0, box.y0))
    short, long = sorted((group.box.width, group.box.height))
    return group.box if 0 < long <= SQUARE * short else None


def _element(
    id: int, group: ElementGroup, meaning: IconMeaning | None, state: str, language: Language, leaf: bool
) -> Element:
    means = "" if meaning is None else (meaning.zh if language == "zh" else meaning.en)
    return Element(
        id=id,
        box=Box(*(round(side) for side in group.box)),
        type=TREE_WORDS.get(group.type, group.type),
        text=group.text[:LONGEST_TEXT],
        caption=group.label.text.strip()[:LONGEST_TEXT] if group.label is not None else means,
        interactive=group.interactive,
        leaf=leaf,
        state=state,
        confidence=round(float(group.confidence), 3),
    )


@lru_cache(maxsize=4)
def open_parser(threads: int = 0) -> Parser:
    """The parser with all its parts. Networks are loaded once in a process."""
    parts = TextReader(threads), WidgetDetector(threads=threads), IconNamer(threads=threads)
    return Parser(*parts, StateReader(threads=threads))
