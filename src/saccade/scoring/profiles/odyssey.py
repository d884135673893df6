"""`odyssey`: GUI-Odyssey's evaluator."""

from __future__ import annotations

import math

from rapidfuzz.distance import Levenshtein

from saccade.actions import Action, ActionType
from saccade.scoring.profiles.base import MatchContext, Profile, at_most, place


class OdysseyProfile(Profile):
    """Inside the segmented element, or near its point on the 0-1000 scale."""

    name = "odyssey"
    source = "GUI-Odyssey, released evaluation"

    def same_arguments(self, prediction: Action, truth: Action, context: MatchContext) -> bool:
        if truth.type in ("click", "long_press", "type", "swipe"):
            return super().same_arguments(prediction, truth, context)
        return True

    def same_point(self, prediction: Action, truth: Action, context: MatchContext) -> bool:
        a, b = place(prediction), place(truth)
        if truth.box is not None and truth.box.contains(a):
            return True
        dx, dy = (a.x - b.x) * 1000 / context.size.width, (a.y - b.y) * 1000 / context.size.height
        return at_most(math.hypot(dx, dy) / 1000, 0.14)

    def same_text(self, prediction: str, truth: str, type: ActionType) -> bool:
        a, b = prediction.strip(), truth.strip()
        return a in b or b in a or Levenshtein.normalized_similarity(a, b) >= 0.5
