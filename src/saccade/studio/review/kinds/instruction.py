"""Instructions: feasible, clear, realistic (SecAgent §3.2); edited or rejected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from saccade.studio.review.kinds.base import LONGEST_TEXT, YES_NO, Decision, Rating, ReviewKind
from saccade.studio.review.marks import Choice, Interface, Mark, Words, answered, words
from saccade.types import Step

QUESTIONS = ("feasible", "clear", "realistic")


class InstructionDecision(Decision, omit_defaults=True, kw_only=True):
    """Three answers, and the text as it should be."""

    feasible: bool | None = None
    clear: bool | None = None
    realistic: bool | None = None
    text: str = ""
    """The edited instruction; empty: as it is. The three answers are about this text."""


class InstructionReview(ReviewKind):
    """Is the instruction good?"""

    name = "instruction"
    decision = InstructionDecision
    interface = Interface((), False, dict.fromkeys(QUESTIONS, ("yes", "no")), ("text",))

    @classmethod
    def items(cls, steps: Iterable[Step]) -> Iterator[list[Step]]:
        """One for each instruction, with all its steps."""
        found: dict[str, list[Step]] = {}
        for step in steps:
            if step.instruction.strip():
                found.setdefault(step.instruction, []).append(step)
        return iter(found.values())

    @classmethod
    def check(cls, decision: InstructionDecision, steps: Sequence[Step]) -> None:
        for name in QUESTIONS:
            if getattr(decision, name) is None:
                raise ValueError(f"{name}: say yes or no")
        if len(decision.text) > LONGEST_TEXT or (decision.text and not decision.text.strip()):
            raise ValueError("text: the instruction is blank or too long")

    @classmethod
    def ratings(cls, decision: InstructionDecision, steps: Sequence[Step]) -> list[Rating]:
        return [Rating(name, "", YES_NO[bool(getattr(decision, name))]) for name in QUESTIONS]

    @classmethod
    def same(cls, one: InstructionDecision, other: InstructionDecision, steps: Sequence[Step]) -> bool:
        """Edits may differ in wording: only the answers are compared."""
        return cls.ratings(one, steps) == cls.ratings(other, steps)

    @classmethod
    def steps(cls, decision: InstructionDecision, steps: Sequence[Step]) -> list[Step]:
        """The instruction's steps with its new text; none if an answer is no."""
        if not all(getattr(decision, name) for name in QUESTIONS):
            return []
        text = decision.text.strip()
        return [replace(step, instruction=text or step.instruction) for step in steps]

    @classmethod
    def proposal(cls, steps: Sequence[Step]) -> InstructionDecision:
        """The text as it is."""
        return InstructionDecision(text=steps[0].instruction)

    @classmethod
    def to_marks(cls, decision: InstructionDecision, steps: Sequence[Step]) -> list[Mark]:
        marks: list[Mark] = [Choice(0, name, YES_NO[bool(getattr(decision, name))]) for name in QUESTIONS]
        return marks + ([Words(0, "text", decision.text)] if decision.text else [])

    @classmethod
    def from_marks(cls, marks: Sequence[Mark], steps: Sequence[Step]) -> InstructionDecision:
        feasible, clear, realistic = (answered(marks, name) for name in QUESTIONS)
        return InstructionDecision(feasible=feasible, clear=clear, realistic=realistic, text=words(marks, "text"))
