"""`btl`: the released BTL-UI reward code."""

from __future__ import annotations

from saccade.actions import Action, ActionType
from saccade.scoring.profiles.base import MatchContext, Profile, below, place, token_f1, unit_distance


class BTLProfile(Profile):
    """Inside the box and near its point; the box alone for grounding samples."""

    name = "btl"
    source = "BTL-UI, released reward functions"

    def same_point(self, prediction: Action, truth: Action, context: MatchContext) -> bool:
        point = place(prediction)
        if truth.box is not None and not truth.box.contains_strictly(point):
            return False
        if context.grounding and truth.box is not None:
            return True
        return below(unit_distance(point, place(truth), context.size), 0.14)

    def same_text(self, prediction: str, truth: str, type: ActionType) -> bool:
        if type != "type":
            return prediction == truth
        return token_f1(set(prediction.lower().split()), set(truth.lower().split())) >= 0.5
