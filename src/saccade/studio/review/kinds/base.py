"""What a kind of review is: which items it makes of step records, what a decision holds, and what becomes of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, NamedTuple

import msgspec
from msgspec.structs import replace

from saccade.actions import FIELDS, Action
from saccade.errors import InputError, readable
from saccade.geometry import Box, Size
from saccade.studio.review.marks import Interface, Mark
from saccade.types import Step
from saccade.untrusted import decode_json

SAME_BOX = 0.5
"""Two people's boxes mean the same where their intersection over union is at least this (PASCAL VOC's rule)."""
LONGEST_TEXT = 10_000
VALUES = ("type", "direction", "text", "key", "submit", "seconds", "status")
"""The fields of an action that are no places."""
YES_NO = {True: "yes", False: "no"}


class Decision(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """What a person says about an item. Every kind can be rejected with a reason; the rest is then not looked at."""

    rejected: str = ""
    """Why the item is of no use; empty: it is not rejected."""


class Rating(NamedTuple):
    """One categorical answer of a decision, as agreement is computed from (Cohen's kappa)."""

    question: str
    subject: str
    """Which of several: the step's or the element's number; empty where the question is asked once."""
    answer: str


class ReviewKind(ABC):
    """One kind of review. Has no state: everything is in the records and the decision."""

    name: ClassVar[str]
    decision: ClassVar[type[Decision]]
    opinions: ClassVar[int] = 1
    """How many people judge an item where nobody says otherwise."""
    interface: ClassVar[Interface]
    """What Label Studio must be able to ask."""

    @classmethod
    @abstractmethod
    def items(cls, steps: Iterable[Step]) -> Iterator[list[Step]]:
        """The items that some step records make."""

    @classmethod
    @abstractmethod
    def check(cls, decision: Any, steps: Sequence[Step]) -> None:
        """`ValueError` where a decision does not fit its item. Not called for rejections."""

    @classmethod
    @abstractmethod
    def ratings(cls, decision: Any, steps: Sequence[Step]) -> list[Rating]:
        """Its answers."""

    @classmethod
    @abstractmethod
    def same(cls, one: Any, other: Any, steps: Sequence[Step]) -> bool:
        """Do two people say the same? If not, a third decides."""

    @classmethod
    @abstractmethod
    def steps(cls, decision: Any, steps: Sequence[Step]) -> list[Step]:
        """The step records that come of it; none where it is to be left out."""

    @classmethod
    @abstractmethod
    def to_marks(cls, decision: Any, steps: Sequence[Step]) -> list[Mark]:
        """As rectangles, choices and texts, for Label Studio."""

    @classmethod
    @abstractmethod
    def from_marks(cls, marks: Sequence[Mark], steps: Sequence[Step]) -> Decision:
        """The inverse of `to_marks`; `ValueError` where something is missing."""

    @classmethod
    def proposal(cls, steps: Sequence[Step]) -> Decision | None:
        """What the records suggest, for a page to begin with; nobody has said it yet. None: they suggest nothing."""
        return None

    @classmethod
    def actions(cls, decision: Any) -> Sequence[Action]:
        """The actions of a decision that the page lists in words."""
        return ()

    @classmethod
    def read(cls, data: bytes, steps: Sequence[Step]) -> Decision:
        """A decision that fits its item, strictly read; `InputError` otherwise."""
        try:
            decision = decode_json(data, cls.decision)
            if decision.rejected:
                if len(decision.rejected) > LONGEST_TEXT:
                    raise ValueError("rejected: the reason is too long")
                return decision
            cls.check(decision, steps)
        except (ValueError, RecursionError) as error:
            raise InputError(f"the decision cannot be taken: {readable(error)}") from None
        return decision


def agrees(kind: type[ReviewKind], one: Decision, other: Decision, steps: Sequence[Step]) -> bool:
    """Do two decisions say the same, rejections included?"""
    if one.rejected or other.rejected:
        return bool(one.rejected) == bool(other.rejected)
    return kind.same(one, other, steps)


def one_by_one(steps: Iterable[Step]) -> Iterator[list[Step]]:
    """An item for each step."""
    return ([step] for step in steps)


def check_box(box: Box, size: Size, name: str = "box") -> None:
    """A box has an area and lies on the screen."""
    if box.area <= 0 or box.x1 <= box.x0:
        raise ValueError(f"{name}: it has no area")
    if box.x0 < 0 or box.y0 < 0 or box.x1 > size.width or box.y1 > size.height:
        raise ValueError(f"{name}: it reaches outside the screen of {size.width} × {size.height}")


def check_action(action: Action, size: Size, name: str = "action") -> None:
    """What is done at a point needs a box around it; the box is on the screen and holds the point."""
    if "point" in FIELDS[action.type].required and action.box is None:
        raise ValueError(f"{name}: a {action.type} needs the box in which it may lie")
    if action.box is not None:
        check_box(action.box, size, f"{name}.box")
        if action.point is not None and not action.box.contains(action.point):
            raise ValueError(f"{name}: the point lies outside the box")
    for text in (action.text, action.key):
        if text is not None and len(text) > LONGEST_TEXT:
            raise ValueError(f"{name}: the text is too long")


def same_box(one: Box | None, other: Box | None) -> bool:
    """Both none, equal, or overlapping enough."""
    if one is None or other is None:
        return one is other
    return one == other or one.iou(other) >= SAME_BOX


def same_action(one: Action, other: Action) -> bool:
    """The same type and values; places are the same if the boxes are, or one holds the other's point."""
    if any(getattr(one, name) != getattr(other, name) for name in VALUES):
        return False
    if one.box is not None and other.box is not None:
        return same_box(one.box, other.box)
    for truth, guess in ((one, other), (other, one)):
        if truth.box is not None and guess.point is not None:
            return truth.box.contains(guess.point)
    return one.point == other.point and one.start == other.start and one.end == other.end


def boxed(action: Action, box: Box | None) -> Action:
    """An action at a point with another box; the point stays if it lies inside."""
    if box is None or action.point is None:
        return action
    return replace(action, point=action.point if box.contains(action.point) else box.center, box=box, polygon=None)


def done(step: Step) -> Action | None:
    """What was done at a step: by the agent in a run, else what the recording says is right."""
    return step.prediction if step.prediction is not None else next(iter(step.truth), None)


def element_box(step: Step, action: Action) -> Box | None:
    """Where an action at a point may lie: the box it has, else that of the element it most likely means."""
    if action.box is not None or action.point is None:
        return action.box
    element = step.view.element_at(action.point)
    return None if element is None or element.box.area <= 0 else element.box


def tagged(step: Step, **tags: str) -> Step:
    """A copy of a record with more tags."""
    return replace(step, tags={**step.tags, **tags})
