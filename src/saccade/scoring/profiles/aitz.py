"""`aitz`: the CoAT evaluator of Android in the Zoo."""

from __future__ import annotations

from rapidfuzz.distance import Indel

from saccade.actions import Action, ActionType
from saccade.geometry import Box
from saccade.scoring.profiles.base import MatchContext, Profile, place


class AITZProfile(Profile):
    """A predicted click is a box; a bare point is an empty one, right only exactly on the true point."""

    name = "aitz"
    source = "AITZ / CoAT, released evaluation"

    def same_type(self, prediction: Action, truth: Action, context: MatchContext) -> bool:
        return prediction.type == truth.type

    def same_arguments(self, prediction: Action, truth: Action, context: MatchContext) -> bool:
        return truth.type == "terminate" or super().same_arguments(prediction, truth, context)

    def same_point(self, prediction: Action, truth: Action, context: MatchContext) -> bool:
        ours, point = (prediction.box or Box.at(place(prediction))).grown(1.2), place(truth)
        if ours.contains(point):
            return True
        boxes = (element.box.grown(1.2) for element in context.elements)
        return any(box.contains(point) and ours.iou(box) > 0.5 for box in boxes)

    def same_text(self, prediction: str, truth: str, type: ActionType) -> bool:
        return prediction in truth or truth in prediction or Indel.normalized_similarity(prediction, truth) > 0.8
