"""Grounding samples: the instruction, and the box of what it means. Boxes are checked twice (SecAgent §3.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from saccade.actions import Action
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
    tagged,
)
from saccade.studio.review.marks import Interface, Mark, Rectangle, Words, words
from saccade.types import Step

TARGET = "target"


class GroundingDecision(Decision, omit_defaults=True, kw_only=True):
    """Where it is, and the instruction as it should be."""

    box: Box | None = None
    instruction: str = ""
    """Edited; empty: as it is."""


class GroundingReview(ReviewKind):
    """Is the box right, and does the instruction mean it?"""

    name = "grounding"
    decision = GroundingDecision
    interface = Interface([TARGET], False, {}, ("instruction",))

    @classmethod
    def items(cls, steps: Iterable[Step]) -> Iterator[list[Step]]:
        return one_by_one(steps)

    @classmethod
    def check(cls, decision: GroundingDecision, steps: Sequence[Step]) -> None:
        if decision.box is None:
            raise ValueError("box: draw the box of what is meant, or reject the sample with a reason")
        check_box(decision.box, steps[0].screen)
        text = decision.instruction
        if len(text) > LONGEST_TEXT or not (text or steps[0].instruction).strip():
            raise ValueError("instruction: it is blank or too long")

    @classmethod
    def ratings(cls, decision: GroundingDecision, steps: Sequence[Step]) -> list[Rating]:
        """Is the box that the record has the right one?"""
        given = given_box(steps[0])
        if given is None:
            return []
        return [Rating("box as given", "", YES_NO[same_box(given, decision.box)])]

    @classmethod
    def same(cls, one: GroundingDecision, other: GroundingDecision, steps: Sequence[Step]) -> bool:
        return same_box(one.box, other.box)

    @classmethod
    def steps(cls, decision: GroundingDecision, steps: Sequence[Step]) -> list[Step]:
        assert decision.box is not None
        text = decision.instruction.strip() or steps[0].instruction
        truth = Action("click", decision.box.center, decision.box)
        return [tagged(replace(steps[0], instruction=text, truth=[truth]), task="grounding")]

    @classmethod
    def proposal(cls, steps: Sequence[Step]) -> GroundingDecision:
        """The box that the record has."""
        return GroundingDecision(box=given_box(steps[0]), instruction=steps[0].instruction)

    @classmethod
    def to_marks(cls, decision: GroundingDecision, steps: Sequence[Step]) -> list[Mark]:
        assert decision.box is not None
        marks: list[Mark] = [Rectangle(0, decision.box, TARGET)]
        return marks + ([Words(0, "instruction", decision.instruction)] if decision.instruction else [])

    @classmethod
    def from_marks(cls, marks: Sequence[Mark], steps: Sequence[Step]) -> GroundingDecision:
        boxes = [mark.box for mark in marks if isinstance(mark, Rectangle)]
        if len(boxes) != 1:
            raise ValueError(f"box: there are {len(boxes)} rectangles: draw one")
        return GroundingDecision(box=boxes[0], instruction=words(marks, "instruction"))


def given_box(step: Step) -> Box | None:
    """The box that a record says is right."""
    return next((action.box for action in step.truth if action.box is not None), None)
