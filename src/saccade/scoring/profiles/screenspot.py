"""`screenspot`: ScreenSpot, -V2 and -Pro; with polygons and refusals also OSWorld-G."""

from __future__ import annotations

from saccade.actions import Action
from saccade.scoring.profiles.base import POINTED, WRONG, MatchContext, Profile, Verdict


class ScreenSpotProfile(Profile):
    """The point lies in the box, or in the polygon where there is one, edges included. A sample that asks for what is
    not on the screen is right if it is refused, and wrong with any place; a refusal of any other sample is wrong, and
    so is an answer that cannot be read.
    """

    name = "screenspot"
    source = "ScreenSpot, -V2 and -Pro, released evaluation"
    metrics = "grounding"

    def applies(self, truth: Action, context: MatchContext) -> bool:
        if truth.refuses:
            return context.grounding
        return truth.type in POINTED and truth.box is not None

    def judge_one(self, prediction: Action, truth: Action, context: MatchContext) -> Verdict:
        if truth.refuses:
            return Verdict(prediction.refuses, prediction.refuses)
        if prediction.point is None:
            return WRONG
        return Verdict(True, self.same_point(prediction, truth, context))

    def same_point(self, prediction: Action, truth: Action, context: MatchContext) -> bool:
        return prediction.point is not None and bool(truth.holds(prediction.point))
