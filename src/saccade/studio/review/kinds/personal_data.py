"""Personal data: regions of a picture that must not be published. Exports hold a copy of the picture in which they
cannot be read any more, and the texts of elements there are gone; the original stays as it is unless the user asks for
it to be changed, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from saccade.geometry import Box
from saccade.studio.review.kinds.base import (
    YES_NO,
    Decision,
    Rating,
    ReviewKind,
    check_box,
    same_box,
    tagged,
)
from saccade.studio.review.marks import Interface, Mark, Rectangle
from saccade.types import Element, Step

PERSONAL = "personal data"
MOST_REGIONS = 200


class PersonalDataDecision(Decision, omit_defaults=True, kw_only=True):
    """The regions to be hidden; none: there is nothing personal."""

    regions: list[Box] = msgspec.field(default_factory=list)


class PersonalDataReview(ReviewKind):
    """What must be hidden?"""

    name = "personal_data"
    decision = PersonalDataDecision
    interface = Interface([PERSONAL])

    @classmethod
    def items(cls, steps: Iterable[Step]) -> Iterator[list[Step]]:
        """One for each picture."""
        found: dict[str, list[Step]] = {}
        for step in steps:
            if step.image:
                found.setdefault(step.image, []).append(step)
        return iter(found.values())

    @classmethod
    def check(cls, decision: PersonalDataDecision, steps: Sequence[Step]) -> None:
        if len(decision.regions) > MOST_REGIONS:
            raise ValueError(f"regions: at most {MOST_REGIONS}")
        for at, region in enumerate(decision.regions):
            check_box(region, steps[0].screen, f"region {at + 1}")

    @classmethod
    def ratings(cls, decision: PersonalDataDecision, steps: Sequence[Step]) -> list[Rating]:
        return [Rating("personal", "", YES_NO[bool(decision.regions)])]

    @classmethod
    def same(cls, one: PersonalDataDecision, other: PersonalDataDecision, steps: Sequence[Step]) -> bool:
        return all(
            any(same_box(region, there) for there in yours.regions)
            for mine, yours in ((one, other), (other, one))
            for region in mine.regions
        )

    @classmethod
    def steps(cls, decision: PersonalDataDecision, steps: Sequence[Step]) -> list[Step]:
        return [tagged(hidden(step, decision.regions), personal=YES_NO[bool(decision.regions)]) for step in steps]

    @classmethod
    def to_marks(cls, decision: PersonalDataDecision, steps: Sequence[Step]) -> list[Mark]:
        return [Rectangle(0, region, PERSONAL) for region in decision.regions]

    @classmethod
    def from_marks(cls, marks: Sequence[Mark], steps: Sequence[Step]) -> PersonalDataDecision:
        return PersonalDataDecision(regions=[mark.box for mark in marks if isinstance(mark, Rectangle)])


def hidden(step: Step, regions: Sequence[Box]) -> Step:
    """A record without the texts of elements that touch a region."""
    keys = None if step.key_elements is None else [_hidden(element, regions) for element in step.key_elements]
    return replace(step, elements=[_hidden(element, regions) for element in step.elements], key_elements=keys)


def _hidden(element: Element, regions: Sequence[Box]) -> Element:
    touched = any(element.box.iou(region) > 0 for region in regions)
    return replace(element, text="", caption="") if touched else element
