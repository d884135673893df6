"""`qwen`: the AndroidControl rule of UI-S1 and AgentCPM-GUI; `qwen-infigui`: InfiGUI's distance."""

from __future__ import annotations

from collections.abc import Iterator

from saccade.actions import Action, ActionType
from saccade.geometry import Box
from saccade.scoring.profiles.base import MatchContext, Profile, Verdict, at_most, place, unit_distance


class QwenProfile(Profile):
    """Box grown by a fifth or close to the point; a tap on the app's icon opens the app."""

    name = "qwen"
    source = "UI-S1 and AgentCPM-GUI, released evaluation"

    def judge_one(self, prediction: Action, truth: Action, context: MatchContext) -> Verdict:
        if prediction.type == "click" and truth.type == "open_app":
            hit = any(_in_grown(prediction, icon) for icon in icons(truth, context))
            return Verdict(hit, hit)
        return super().judge_one(prediction, truth, context)

    def same_type(self, prediction: Action, truth: Action, context: MatchContext) -> bool:
        return prediction.type == truth.type

    def same_point(self, prediction: Action, truth: Action, context: MatchContext) -> bool:
        if truth.box is not None and _in_grown(prediction, truth.box):
            return True
        return at_most(self.distance(prediction, truth, context), 0.04)

    def distance(self, prediction: Action, truth: Action, context: MatchContext) -> float:
        return unit_distance(place(prediction), place(truth), context.size)

    def same_text(self, prediction: str, truth: str, type: ActionType) -> bool:
        a, b = prediction.lower().strip(), truth.lower().strip()
        return a in b or b in a


class InfiGuiProfile(QwenProfile):
    """As `qwen`, with pixels over the longer side as the distance."""

    name = "qwen-infigui"
    source = "InfiGUI, released evaluation"

    def distance(self, prediction: Action, truth: Action, context: MatchContext) -> float:
        return place(prediction).distance(place(truth)) / max(context.size)


def icons(truth: Action, context: MatchContext) -> Iterator[Box]:
    """The boxes of the app's icon: the truth's own, else the elements that bear the app's name."""
    if truth.box is not None:
        yield truth.box
        return
    name = (truth.text or "").lower().strip()
    for element in context.elements:
        if name and name in (element.text.lower().strip(), element.caption.lower().strip()):
            yield element.box


def _in_grown(prediction: Action, box: Box) -> bool:
    grown, point = box.grown(1.2), place(prediction)
    return (
        at_most(grown.x0, point.x)
        and at_most(point.x, grown.x1)
        and at_most(grown.y0, point.y)
        and at_most(point.y, grown.y1)
    )
