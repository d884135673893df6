"""`cmgui`: CMGUI-Bench (SecAgent §3.3)."""

from __future__ import annotations

from saccade.actions import Action
from saccade.geometry import Box
from saccade.scoring.profiles.base import MatchContext, Profile, place


class CMGUIProfile(Profile):
    """A click in any annotated box; texts, directions and the final status equal."""

    name = "cmgui"
    source = "SecAgent §3.3, CMGUI-Bench"

    def same_type(self, prediction: Action, truth: Action, context: MatchContext) -> bool:
        return prediction.type == truth.type

    def same_point(self, prediction: Action, truth: Action, context: MatchContext) -> bool:
        return (truth.box or Box.at(place(truth))).contains(place(prediction))
