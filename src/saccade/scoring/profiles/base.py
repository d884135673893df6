"""What a match profile is: the rule by which one published evaluator calls a predicted action right.

A profile reproduces its source, oddities included; it does not improve it. A subclass must say when a point is right
(`same_point`); it overrides whatever else its source tests in its own way: which types count as the same
(`same_type`), when a text is right (`same_text`), or the verdict on a whole action (`judge_one`).
examples/plugins/my_profile.py is a whole one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from saccade.actions import Action, ActionType, swipe_direction
from saccade.geometry import Point, Size
from saccade.types import Element

_SLACK = 1e-9


def at_most(value: float, limit: float) -> bool:
    """`value ≤ limit`, with a tolerance of 1e-9 for rounding errors of unit conversions."""
    return value <= limit + _SLACK


def below(value: float, limit: float) -> bool:
    """`value < limit`, with the same tolerance."""
    return value < limit - _SLACK


class MatchContext(NamedTuple):
    """The screen on which actions are compared, for rules that use its size or elements."""

    size: Size
    elements: Sequence[Element] = ()
    """The screen's annotated elements (AitW's and AITZ's rules use their boxes)."""
    grounding: bool = False
    """A pure grounding sample, not a step of a task."""


class Verdict(NamedTuple):
    """`right` implies nothing about `type_right`: one source accepts a tap where the truth is open_app."""

    type_right: bool
    right: bool


WRONG = Verdict(False, False)
POINTED: frozenset[ActionType] = frozenset({"click", "long_press", "double_click", "right_click", "hover"})
NAMED: frozenset[ActionType] = frozenset({"press", "terminate"})
"""Types that most sources split up by what is pressed, or how it ended."""
TEXTED: frozenset[ActionType] = frozenset({"type", "select", "open_app", "open_url", "answer"})


class Profile(ABC):
    """Base of all profiles; its own rules are the common ones."""

    name: ClassVar[str]
    source: ClassVar[str] = ""
    """Whose evaluator this is."""
    metrics: ClassVar[str] = "step"
    """`step`: type, GR, SR and the like; `grounding`: one accuracy."""
    gr_types: ClassVar[frozenset[ActionType]] = frozenset({"click", "long_press"})
    """Which truths the grounding rate GR counts."""
    gr_given_type: ClassVar[bool] = False
    """Does GR count only steps whose type was right?"""

    def applies(self, truth: Action, context: MatchContext) -> bool:
        """Can this rule judge such a truth at all?"""
        return True

    def assumption(self, truth: Action, context: MatchContext) -> str:
        """What stands in for an annotation that the rule needs and this truth lacks, in words; empty where nothing
        does. Tables count it.
        """
        return ""

    def judge(self, prediction: Action | None, truths: Sequence[Action], context: MatchContext) -> Verdict:
        """Right if it is right by any of the valid actions."""
        if prediction is None:
            return WRONG
        type_right = False
        for truth in truths:
            verdict = self.judge_one(prediction, truth, context)
            if verdict.right:
                return verdict
            type_right = type_right or verdict.type_right
        return Verdict(type_right, False)

    def judge_one(self, prediction: Action, truth: Action, context: MatchContext) -> Verdict:
        if not self.same_type(prediction, truth, context):
            return WRONG
        return Verdict(True, self.same_arguments(prediction, truth, context))

    def same_type(self, prediction: Action, truth: Action, context: MatchContext) -> bool:
        """Each button and each final status is a type of its own; sources that differ say so."""
        type = truth.type
        return prediction.type == type and (type not in NAMED or prediction.name == truth.name)

    def same_arguments(self, prediction: Action, truth: Action, context: MatchContext) -> bool:
        """The types are the same: are the arguments right?"""
        if truth.type in POINTED:
            return self.same_point(prediction, truth, context)
        if truth.type in ("swipe", "drag"):
            return swipe_direction(prediction) == swipe_direction(truth)
        if truth.type in TEXTED:
            return self.same_text(prediction.text or "", truth.text or "", truth.type)
        if truth.type == "press":
            return str(prediction.key).lower() == str(truth.key).lower()
        return prediction.status == truth.status

    @abstractmethod
    def same_point(self, prediction: Action, truth: Action, context: MatchContext) -> bool:
        """Both actions point somewhere and their types are the same: is the place right?"""

    def same_text(self, prediction: str, truth: str, type: ActionType) -> bool:
        """Is the typed, chosen or answered text right?"""
        return prediction == truth


def place(action: Action) -> Point:
    """Where a pointed action points; its type guarantees that there is one."""
    if action.point is None:
        raise ValueError(f"{action.type} has no point")
    return action.point


def unit_distance(a: Point, b: Point, size: Size) -> float:
    """Distance with each axis measured as a share of the screen."""
    dx, dy = (a.x - b.x) / size.width, (a.y - b.y) / size.height
    return float((dx * dx + dy * dy) ** 0.5)


def token_f1(a: set[str], b: set[str]) -> float:
    """F1 of two token sets."""
    shared = len(a & b)
    return 2 * shared / (len(a) + len(b)) if shared else 0.0
