"""Which elements of which screens become grounding samples: SecAgent's filters, then its reservoir."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from msgspec.structs import replace
from PIL import Image

from saccade.data.synthesis.element_filters import (
    ElementCandidate,
    ElementFilterSettings,
    Rejection,
    SeenElements,
    rejection,
)
from saccade.data.synthesis.grounding_rules import interactive_in
from saccade.data.synthesis.records import Dropped, Record
from saccade.data.synthesis.stage import Settings, Tools, WholeStage
from saccade.screens.marks import open_picture
from saccade.types import Element, Screen

ELEMENT = "element"
"""The field of a record with the id of the element that it is about."""


class GroundingElementsSettings(Settings, ElementFilterSettings, frozen=True):
    """Settings of `grounding_elements`: the thresholds of `element_filters`, and one more."""

    only_usable: bool = True
    """Drop elements whose box holds nothing to act on, or several things: by the rules their annotation is empty, so
    that asking is a waste. No: the annotator is asked about them too, which is right where the tree does not know what
    can be tapped.
    """


class GroundingElements(WholeStage):
    """SecAgent §3.1 (2). Several elements of a screen may become samples; a screen's picture is opened once."""

    name: ClassVar[str] = "grounding_elements"
    title: ClassVar[str] = "Make one record for each element that passes SecAgent's filters; few of those seen before."
    kind: ClassVar[type[Settings]] = GroundingElementsSettings

    def do(self, records: Iterator[Record], tools: Tools) -> Iterator[Record | Dropped]:
        """The records of elements follow the order of screens and of their elements."""
        settings: GroundingElementsSettings = self.settings
        seen = SeenElements(tools.seed, settings)
        screens = used = 0
        for record in records:
            screens += 1
            try:
                picture = open_picture(tools.picture(record.step.image).data())
            except (ValueError, OSError) as error:
                yield Dropped(record.id, "the picture cannot be read", str(error))
                continue
            if not record.step.elements:
                yield Dropped(record.id, "the screen has no elements")
            made = 0
            for each in self._elements(record, picture, seen):
                made += isinstance(each, Record)
                yield each
            used += made > 0
        self.facts |= {"screens": screens, "screens_with_samples": used}

    def _elements(self, record: Record, picture: Image.Image, seen: SeenElements) -> Iterator[Record | Dropped]:
        step = record.step
        app = step.tags.get("app") or step.tags.get("url", "").partition("?")[0] or step.tags.get("world", "")
        for element in step.elements:
            name = f"{record.id}-{element.id}"
            candidate = ElementCandidate(element, step.screen, picture)
            found = (
                rejection(candidate, self.settings)
                or self._unusable(element, step.view)
                or seen.rejection(record.id, app, candidate)
            )
            if found is None:
                yield Record(id=name, steps=[replace(step, id=name)], fields={ELEMENT: element.id})
            else:
                yield Dropped(name, found.reason, found.detail)

    def _unusable(self, element: Element, screen: Screen) -> Rejection | None:
        if not self.settings.only_usable:
            return None
        inside = [each for each in interactive_in(element, screen) if not disabled(each)]
        if len(inside) > 1:
            return Rejection("its box holds several elements to act on", f"{len(inside)} of them")
        if not inside and not any(holds(each, element) for each in screen.elements):
            return Rejection("its box holds nothing to act on", f"{element.type} {element.text!r}")
        return None


def disabled(element: Element) -> bool:
    return "disabled" in element.state.split()


def holds(outer: Element, inner: Element) -> bool:
    """Is `inner` a part of something that can be tapped, such as the text of a row? A tap on it then acts on the row
    (Android's trees have most texts in this way).
    """
    if not outer.interactive or outer.leaf or disabled(outer):
        return False
    a, b = outer.box, inner.box
    return a.x0 <= b.x0 and a.y0 <= b.y0 and b.x1 <= a.x1 and b.y1 <= a.y1
