"""`os-atlas`: OS-Atlas's evaluator, the source of the Type / GR / SR columns."""

from __future__ import annotations

import math

from saccade.actions import Action, ActionType
from saccade.scoring.profiles.base import MatchContext, Profile, at_most, place


class OSAtlasProfile(Profile):
    """Within 140 on the 0-1000 scale."""

    name = "os-atlas"
    source = "OS-Atlas, released evaluation"
    gr_types = frozenset({"click"})
    gr_given_type = True

    def same_point(self, prediction: Action, truth: Action, context: MatchContext) -> bool:
        a, b = place(prediction), place(truth)
        dx, dy = (a.x - b.x) * 1000 / context.size.width, (a.y - b.y) * 1000 / context.size.height
        return at_most(math.hypot(dx, dy), 140)

    def same_text(self, prediction: str, truth: str, type: ActionType) -> bool:
        if prediction == truth:
            return True
        if type not in ("type", "open_app"):
            return False
        # F1 is taken over the first word of each only, so above 0.5 means the same first word
        return prediction.lower().split()[:1] == truth.lower().split()[:1] != []
