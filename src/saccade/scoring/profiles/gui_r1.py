"""`gui-r1`: GUI-R1's evaluator, which UILoop builds on."""

from __future__ import annotations

from saccade.actions import Action, ActionType
from saccade.scoring.profiles.base import MatchContext, Profile, below, place, token_f1


class GuiR1Profile(Profile):
    """Strictly inside a box, or within 140 pixels of a point; texts by loose F1; all else by type alone."""

    name = "gui-r1"
    source = "GUI-R1, released evaluation"

    def same_arguments(self, prediction: Action, truth: Action, context: MatchContext) -> bool:
        if truth.type in ("click", "type", "select", "swipe"):
            return super().same_arguments(prediction, truth, context)
        return True

    def same_point(self, prediction: Action, truth: Action, context: MatchContext) -> bool:
        if truth.box is not None:
            return truth.box.contains_strictly(place(prediction))
        return below(place(prediction).distance(place(truth)), 140)

    def same_text(self, prediction: str, truth: str, type: ActionType) -> bool:
        predicted, true = _tokens(prediction), _tokens(truth)
        if len(predicted) == len(true) == 1:
            (a,), (b,) = predicted, true
            return a in b or b in a
        return token_f1(predicted, true) >= 0.5


def _tokens(text: str) -> set[str]:
    return set(text.replace("[", "").replace("]", "").lower().split())
