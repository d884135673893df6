"""All valid actions of a step: the multi-choice truth of SecAgent's bench (§3.2), where every step was rechecked for
all actions that would be right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from saccade.actions import ACTION_TYPES, Action
from saccade.studio.review.kinds.base import (
    YES_NO,
    Decision,
    Rating,
    ReviewKind,
    boxed,
    check_action,
    element_box,
    one_by_one,
    same_action,
)
from saccade.studio.review.marks import Interface, Mark, action_mark, mark_action
from saccade.types import Step

MOST_ACTIONS = 50


class StepDecision(Decision, omit_defaults=True, kw_only=True):
    """Every action that would be right."""

    actions: list[Action] = msgspec.field(default_factory=list)


class StepReview(ReviewKind):
    """Which actions would be right here?"""

    name = "step"
    decision = StepDecision
    interface = Interface(ACTION_TYPES, True, {}, ("action",))

    @classmethod
    def items(cls, steps: Iterable[Step]) -> Iterator[list[Step]]:
        return one_by_one(steps)

    @classmethod
    def check(cls, decision: StepDecision, steps: Sequence[Step]) -> None:
        if not 0 < len(decision.actions) <= MOST_ACTIONS:
            raise ValueError(f"actions: give 1 to {MOST_ACTIONS}, or reject the step with a reason")
        for at, action in enumerate(decision.actions):
            check_action(action, steps[0].screen, f"action {at + 1}")
            if any(same_action(action, earlier) for earlier in decision.actions[:at]):
                raise ValueError(f"action {at + 1}: it is there already")

    @classmethod
    def ratings(cls, decision: StepDecision, steps: Sequence[Step]) -> list[Rating]:
        """Of each action that the record proposes: is it valid?"""
        return [
            Rating("valid", str(at), YES_NO[any(same_action(proposed, each) for each in decision.actions)])
            for at, proposed in enumerate(candidates(steps[0]))
        ]

    @classmethod
    def same(cls, one: StepDecision, other: StepDecision, steps: Sequence[Step]) -> bool:
        return all(
            len(mine.actions) == len(yours.actions)
            and all(any(same_action(each, there) for there in yours.actions) for each in mine.actions)
            for mine, yours in ((one, other), (other, one))
        )

    @classmethod
    def steps(cls, decision: StepDecision, steps: Sequence[Step]) -> list[Step]:
        return [replace(steps[0], truth=decision.actions)]

    @classmethod
    def proposal(cls, steps: Sequence[Step]) -> StepDecision:
        """The actions that the record has, each with the box of its element."""
        return StepDecision(actions=[boxed(each, element_box(steps[0], each)) for each in candidates(steps[0])])

    @classmethod
    def actions(cls, decision: StepDecision) -> Sequence[Action]:
        return decision.actions

    @classmethod
    def to_marks(cls, decision: StepDecision, steps: Sequence[Step]) -> list[Mark]:
        return [action_mark(action, 0) for action in decision.actions]

    @classmethod
    def from_marks(cls, marks: Sequence[Mark], steps: Sequence[Step]) -> StepDecision:
        return StepDecision(actions=[action for action in map(mark_action, marks) if action is not None])


def candidates(step: Step) -> list[Action]:
    """What a record proposes: its right actions, and what was done."""
    found = list(step.truth)
    if step.prediction is not None and not any(same_action(step.prediction, each) for each in found):
        found.append(step.prediction)
    return found
