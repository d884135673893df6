"""Trajectories, step by step to the end or to the first error (SecAgent §3.2): is the action right, in which box may it
lie; at the first error the right action; everything after it is discarded. Whether the whole succeeded is judged by two
people, as GuidNav's dynamic tests were.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from saccade.actions import ACTION_TYPES, FIELDS, Action
from saccade.geometry import Box
from saccade.studio.review.kinds.base import (
    YES_NO,
    Decision,
    Rating,
    ReviewKind,
    boxed,
    check_action,
    done,
    element_box,
    same_action,
    same_box,
    tagged,
)
from saccade.studio.review.marks import Choice, Interface, Mark, Rectangle, action_mark, answered, mark_action
from saccade.types import Step, episodes

TARGET = "target"


class JudgedStep(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The judgement of one step."""

    right: bool
    box: Box | None = None
    """Of a right action at a point: where it may lie."""
    correction: Action | None = None
    """Of a wrong one: what would have been right."""


class TrajectoryDecision(Decision, omit_defaults=True, kw_only=True):
    """All steps, or those up to the first wrong one."""

    steps: list[JudgedStep] = msgspec.field(default_factory=list)
    success: bool | None = None


class TrajectoryReview(ReviewKind):
    """Step by step, to the first error."""

    name = "trajectory"
    decision = TrajectoryDecision
    opinions = 2
    interface = Interface(
        [TARGET, *ACTION_TYPES], True, {"right": ("yes", "no"), "success": ("yes", "no")}, ("action",)
    )

    @classmethod
    def items(cls, steps: Iterable[Step]) -> Iterator[list[Step]]:
        return (episode.steps for episode in episodes(steps) if all(map(done, episode.steps)))

    @classmethod
    def check(cls, decision: TrajectoryDecision, steps: Sequence[Step]) -> None:
        judged = decision.steps
        if decision.success is None:
            raise ValueError("success: say whether the trajectory succeeded")
        wrong = next((at for at, each in enumerate(judged) if not each.right), None)
        if len(judged) != (len(steps) if wrong is None else wrong + 1):
            raise ValueError("steps: judge every step up to the first wrong one, and none after it")
        for at, (each, step) in enumerate(zip(judged, steps, strict=False)):
            action = done(step)
            assert action is not None
            name = f"step {at + 1}"
            if each.right and each.correction is not None:
                raise ValueError(f"{name}: a right action has no correction")
            if not each.right:
                if each.correction is None or each.box is not None:
                    raise ValueError(f"{name}: give the right action as its correction")
                check_action(each.correction, step.screen, name)
            elif "point" in FIELDS[action.type].required:
                check_action(replace(action, box=each.box, polygon=None), step.screen, name)
            elif each.box is not None:
                raise ValueError(f"{name}: a {action.type} has no box")

    @classmethod
    def ratings(cls, decision: TrajectoryDecision, steps: Sequence[Step]) -> list[Rating]:
        rated = [Rating("right", str(at), YES_NO[each.right]) for at, each in enumerate(decision.steps)]
        return [Rating("success", "", YES_NO[bool(decision.success)]), *rated]

    @classmethod
    def same(cls, one: TrajectoryDecision, other: TrajectoryDecision, steps: Sequence[Step]) -> bool:
        if one.success != other.success or len(one.steps) != len(other.steps):
            return False
        return all(map(_same_judgement, one.steps, other.steps))

    @classmethod
    def steps(cls, decision: TrajectoryDecision, steps: Sequence[Step]) -> list[Step]:
        found = []
        for each, step in zip(decision.steps, steps, strict=False):
            action = done(step)
            assert action is not None
            truth = each.correction if each.correction is not None else boxed(action, each.box)
            tags = {"success": YES_NO[bool(decision.success)], "right": YES_NO[each.right]}
            found.append(tagged(replace(step, truth=[truth]), **tags))
        return found

    @classmethod
    def proposal(cls, steps: Sequence[Step]) -> TrajectoryDecision:
        """Boxes of the elements that were touched."""
        found = []
        for step in steps:
            action = done(step)
            pointed = action is not None and "point" in FIELDS[action.type].required
            found.append(JudgedStep(True, element_box(step, action) if action is not None and pointed else None))
        return TrajectoryDecision(steps=found)

    @classmethod
    def to_marks(cls, decision: TrajectoryDecision, steps: Sequence[Step]) -> list[Mark]:
        marks: list[Mark] = [Choice(0, "success", YES_NO[bool(decision.success)])]
        for page, each in enumerate(decision.steps):
            marks.append(Choice(page, "right", YES_NO[each.right]))
            if each.box is not None:
                marks.append(Rectangle(page, each.box, TARGET))
            if each.correction is not None:
                marks.append(action_mark(each.correction, page))
        return marks

    @classmethod
    def from_marks(cls, marks: Sequence[Mark], steps: Sequence[Step]) -> TrajectoryDecision:
        judged = []
        for page in range(len(steps)):
            here = [mark for mark in marks if mark.page == page]
            if answered(here, "right", page):
                boxes = [mark.box for mark in here if isinstance(mark, Rectangle) and mark.label == TARGET]
                judged.append(JudgedStep(True, next(iter(boxes), None)))
                continue
            corrections = filter(None, map(mark_action, here))
            judged.append(JudgedStep(False, correction=next(corrections, None)))
            break
        return TrajectoryDecision(steps=judged, success=answered(marks, "success"))


def _same_judgement(one: JudgedStep, other: JudgedStep) -> bool:
    if one.right != other.right or not same_box(one.box, other.box):
        return False
    return one.correction is None or other.correction is None or same_action(one.correction, other.correction)
