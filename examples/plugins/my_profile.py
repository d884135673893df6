"""A match profile of one's own in one file: when is a predicted action right?

    saccade score steps.jsonl --plugin my_profile.py --profile thumb
    saccade score steps.jsonl --plugin my_profile.py --profile all
    saccade bench steps --data steps.jsonl --plugin my_profile.py --profiles thumb --model openai/NAME

A profile must say when a point is right (`same_point`). Which types count as the same, when a text is right and all
else has the common rule, and can be overridden: see `Profile`.
"""

from __future__ import annotations

from saccade.actions import Action, ActionType
from saccade.scoring.profiles.base import MatchContext, Profile, place, unit_distance


class ThumbProfile(Profile):
    """Within a thumb's breadth of the true point, or in its box; texts may differ in case and white space."""

    name = "thumb"
    source = "this example"

    def same_point(self, prediction: Action, truth: Action, context: MatchContext) -> bool:
        if truth.holds(place(prediction)):  # in the truth's box or polygon, where it has one
            return True
        return unit_distance(place(prediction), place(truth), context.size) <= 0.05

    def same_text(self, prediction: str, truth: str, type: ActionType) -> bool:
        return prediction.casefold().split() == truth.casefold().split()


SACCADE = {"profiles": {"thumb": ThumbProfile}}
