"""`aitw`: Android in the Wild's action matching; `guidnav`: GuidNav's stricter reading of it (appendix 8.1)."""

from __future__ import annotations

from typing import NamedTuple

from saccade.actions import Action, ActionType, Direction, direction_between
from saccade.geometry import Box, Point, Size
from saccade.scoring.profiles.base import WRONG, MatchContext, Profile, Verdict, at_most


class Gesture(NamedTuple):
    """Two points in unit coordinates; a drag known only by its direction has none."""

    tap: bool
    touch: Point
    direction: Direction | None


class AitWProfile(Profile):
    """Taps near each other or in one grown element box; drags along the same axis; all else by type."""

    name = "aitw"
    source = "Android in the Wild, action matching"

    def judge_one(self, prediction: Action, truth: Action, context: MatchContext) -> Verdict:
        ours, theirs = gesture(prediction, context.size), gesture(truth, context.size)
        if ours is None or theirs is None:
            if prediction.name != truth.name:
                return WRONG
            return Verdict(True, self.same_arguments(prediction, truth, context))
        if ours.tap != theirs.tap:
            return WRONG
        return Verdict(True, _same_tap(ours, theirs, context) if ours.tap else self.same_drag(ours, theirs))

    def same_point(self, prediction: Action, truth: Action, context: MatchContext) -> bool:
        return self.judge_one(prediction, truth, context).right

    def same_arguments(self, prediction: Action, truth: Action, context: MatchContext) -> bool:
        return True

    def same_drag(self, ours: Gesture, theirs: Gesture) -> bool:
        return (ours.direction in ("up", "down")) == (theirs.direction in ("up", "down"))


class GuidNavProfile(AitWProfile):
    """As `aitw`, but directions and typed texts must agree."""

    name = "guidnav"
    source = "GuidNav, appendix 8.1"

    def same_arguments(self, prediction: Action, truth: Action, context: MatchContext) -> bool:
        return truth.type != "type" or prediction.text == truth.text

    def same_drag(self, ours: Gesture, theirs: Gesture) -> bool:
        return ours.direction == theirs.direction


GESTURES: frozenset[ActionType] = frozenset({"click", "long_press", "swipe", "drag"})


def gesture(action: Action, size: Size) -> Gesture | None:
    """An action as AitW's dual-point gesture; None if it is not one. Touch and lift within 0.04 make a tap."""
    if action.type not in GESTURES:
        return None
    start, end = (action.point, action.point) if action.point is not None else (action.start, action.end)
    if start is None or end is None:
        return Gesture(False, Point(0.5, 0.5), action.direction)
    touch, lift = (Point(p.x / size.width, p.y / size.height) for p in (start, end))
    direction = direction_between(touch, lift) if touch != lift else action.direction
    return Gesture(at_most(touch.distance(lift), 0.04), touch, direction)


def _same_tap(ours: Gesture, theirs: Gesture, context: MatchContext) -> bool:
    if at_most(ours.touch.distance(theirs.touch), 0.14):
        return True
    return any(
        _holds(grown, ours.touch) and _holds(grown, theirs.touch)
        for grown in (grow(element.box, context.size) for element in context.elements)
    )


def grow(box: Box, size: Size) -> Box:
    """A box to 240 % in unit coordinates, clipped as the source clips it: the top and left edge at 0, the height and
    width at 1, and the far edges measured from the clipped ones, so that a box at the top reaches further down.
    """
    width, height = box.width / size.width, box.height / size.height
    left = max(0.0, box.x0 / size.width - 0.7 * width)
    top = max(0.0, box.y0 / size.height - 0.7 * height)
    return Box(left, top, left + min(1.0, 2.4 * width), top + min(1.0, 2.4 * height))


def _holds(box: Box, point: Point) -> bool:
    return (
        at_most(box.x0, point.x) and at_most(point.x, box.x1) and at_most(box.y0, point.y) and at_most(point.y, box.y1)
    )
