"""Key elements: those that matter for the step, most important first, each with a description (UILoop App. A, BTL's
blink data).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from saccade.geometry import Box
from saccade.studio.review.kinds.base import (
    LONGEST_TEXT,
    YES_NO,
    Decision,
    Rating,
    ReviewKind,
    check_box,
    one_by_one,
    same_box,
)
from saccade.studio.review.marks import Interface, Mark, Rectangle
from saccade.types import Element, Step

KEY = "key element"
MOST_ELEMENTS = 50


class KeyElement(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """One that matters."""

    box: Box
    description: str = ""
    """What it is and does; empty: what the record says."""


class KeyElementsDecision(Decision, omit_defaults=True, kw_only=True):
    """Most important first. An empty list says that nothing on the screen matters."""

    elements: list[KeyElement] = msgspec.field(default_factory=list)


class KeyElementsReview(ReviewKind):
    """Which elements matter, in which order?"""

    name = "key_elements"
    decision = KeyElementsDecision
    interface = Interface([KEY], True)

    @classmethod
    def items(cls, steps: Iterable[Step]) -> Iterator[list[Step]]:
        return one_by_one(steps)

    @classmethod
    def check(cls, decision: KeyElementsDecision, steps: Sequence[Step]) -> None:
        if len(decision.elements) > MOST_ELEMENTS:
            raise ValueError(f"elements: at most {MOST_ELEMENTS}")
        for at, each in enumerate(decision.elements):
            check_box(each.box, steps[0].screen, f"element {at + 1}")
            if any(each.box == earlier.box for earlier in decision.elements[:at]):
                raise ValueError(f"element {at + 1}: it is there already")
            if len(each.description) > LONGEST_TEXT:
                raise ValueError(f"element {at + 1}: the description is too long")

    @classmethod
    def ratings(cls, decision: KeyElementsDecision, steps: Sequence[Step]) -> list[Rating]:
        """Of each element of the screen: was it picked?"""
        return [
            Rating(
                "picked", str(element.id), YES_NO[any(same_box(element.box, each.box) for each in decision.elements)]
            )
            for element in steps[0].elements
        ]

    @classmethod
    def same(cls, one: KeyElementsDecision, other: KeyElementsDecision, steps: Sequence[Step]) -> bool:
        """The same elements in the same order; descriptions may differ in wording."""
        return len(one.elements) == len(other.elements) and all(
            same_box(mine.box, yours.box) for mine, yours in zip(one.elements, other.elements, strict=True)
        )

    @classmethod
    def steps(cls, decision: KeyElementsDecision, steps: Sequence[Step]) -> list[Step]:
        step = steps[0]
        free = max((element.id for element in step.elements), default=0) + 1
        found = []
        for each in decision.elements:
            known = next((element for element in step.elements if element.box == each.box), None)
            element = known if known is not None else Element(free, each.box)
            free += known is None
            found.append(replace(element, caption=each.description or element.caption))
        return [replace(step, key_elements=found)]

    @classmethod
    def proposal(cls, steps: Sequence[Step]) -> KeyElementsDecision:
        """The key elements that the record has."""
        known = steps[0].key_elements or []
        return KeyElementsDecision(elements=[KeyElement(each.box, each.caption or each.text) for each in known])

    @classmethod
    def to_marks(cls, decision: KeyElementsDecision, steps: Sequence[Step]) -> list[Mark]:
        return [Rectangle(0, each.box, KEY, each.description) for each in decision.elements]

    @classmethod
    def from_marks(cls, marks: Sequence[Mark], steps: Sequence[Step]) -> KeyElementsDecision:
        found = [KeyElement(mark.box, mark.text) for mark in marks if isinstance(mark, Rectangle)]
        return KeyElementsDecision(elements=found)
