"""`cmgui`: CMGUI-Bench (SecAgent §3.3)."""

from __future__ import annotations

from saccade.actions import Action
from saccade.geometry import Box, Point
from saccade.scoring.profiles.base import POINTED, MatchContext, Profile, at_most, place

RADIUS = 0.04
"""Of the disc around a true point without a box, as a share of the screen's longer side."""


class CMGUIProfile(Profile):
    """A click in any annotated box; texts, directions and the final status equal. Data without boxes: the box of the
    smallest element that contains the true point; where there is none, a disc around the point.
    """

    name = "cmgui"
    source = "SecAgent §3.3, CMGUI-Bench"

    def assumption(self, truth: Action, context: MatchContext) -> str:
        if truth.box is not None or truth.type not in POINTED:
            return ""
        return "the smallest element" if smallest_around(place(truth), context) else "a disc"

    def same_type(self, prediction: Action, truth: Action, context: MatchContext) -> bool:
        return prediction.type == truth.type

    def same_point(self, prediction: Action, truth: Action, context: MatchContext) -> bool:
        point, true = place(prediction), place(truth)
        box = truth.box or smallest_around(true, context)
        if box is not None:
            return box.contains(point)
        return at_most(point.distance(true), RADIUS * max(context.size))


def smallest_around(point: Point, context: MatchContext) -> Box | None:
    """The box of the smallest element that contains the point."""
    around = (element.box for element in context.elements if element.box.contains(point))
    return min((box for box in around if box.area > 0), key=lambda box: box.area, default=None)
