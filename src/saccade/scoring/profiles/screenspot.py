"""`screenspot`: ScreenSpot, -V2 and -Pro."""

from __future__ import annotations

from saccade.actions import Action
from saccade.scoring.profiles.base import POINTED, WRONG, MatchContext, Profile, Verdict


class ScreenSpotProfile(Profile):
    """The point lies in the box, edges included. An answer that cannot be read is wrong."""

    name = "screenspot"
    source = "ScreenSpot, -V2 and -Pro, released evaluation"
    metrics = "grounding"

    def applies(self, truth: Action) -> bool:
        return truth.type in POINTED and truth.box is not None

    def judge_one(self, prediction: Action, truth: Action, context: MatchContext) -> Verdict:
        if prediction.point is None or truth.box is None:
            return WRONG
        return Verdict(True, truth.box.contains(prediction.point))
