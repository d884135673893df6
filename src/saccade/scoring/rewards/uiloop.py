"""UILoop's rewards for locating, describing and using UI elements (§4.2).

r = r_fmt + α1·r_loc·r_lin + α2·1[r_loc·r_lin > η]·r_lev with α1 = 4, α2 = 5, η = 0.5. A row without key elements has
nothing to locate: its reward is r_fmt + α2·r_lev.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from saccade.actions import Action, swipe_direction
from saccade.geometry import Size
from saccade.paradigms.base import Paradigm
from saccade.paradigms.uiloop import UILoop
from saccade.paradigms.wording import description
from saccade.scoring.profiles.base import MatchContext, Profile
from saccade.scoring.profiles.gui_r1 import GuiR1Profile
from saccade.scoring.rewards.base import Completion, Reward, RewardRow
from saccade.scoring.similarity import Similarity, similarity
from saccade.types import Element


def locate_and_lingualize(
    predicted: Sequence[Element], key: Sequence[Element], size: Size, sim: Similarity
) -> tuple[float, float]:
    """r_loc and r_lin: each key element is paired with its nearest predicted one; both are means over the key
    elements. No prediction, or nothing to find: 0 for both.
    """
    if not predicted or not key:
        return 0.0, 0.0
    diagonal = math.hypot(*size)
    location = lingualisation = 0.0
    for element in key:
        nearest = min(predicted, key=lambda other: other.center.distance(element.center))
        location += max(0.0, 1 - nearest.center.distance(element.center) / diagonal)
        lingualisation += sim(description(element), nearest.caption)
    return location / len(key), lingualisation / len(key)


def leverage(prediction: Action | None, truths: Sequence[Action], context: MatchContext, profile: Profile) -> bool:
    """r_lev: click → type and point right; scroll, type, open_app, select → type and text right; other → type right."""
    return prediction is not None and any(_leverage(prediction, truth, context, profile) for truth in truths)


def _leverage(prediction: Action, truth: Action, context: MatchContext, profile: Profile) -> bool:
    if not profile.same_type(prediction, truth, context):
        return False
    match truth.type:
        case "click":
            return profile.same_point(prediction, truth, context)
        case "swipe":
            return swipe_direction(prediction) == swipe_direction(truth)
        case "type" | "open_app" | "select":
            return profile.same_text(prediction.text or "", truth.text or "", truth.type)
    return True


@dataclass(frozen=True)
class UILoopReward(Reward):
    """The reward with its settings; `sim` is any function from two strings to [0, 1]."""

    name = "uiloop"
    part_names = ("format", "location", "lingualisation", "leverage")

    paradigm: Paradigm = field(default_factory=UILoop)
    profile: Profile = field(default_factory=GuiR1Profile)
    sim: Similarity = similarity
    alpha1: float = 4
    alpha2: float = 5
    eta: float = 0.5
    lingualisation: bool = True
    """Off: r_loc takes the place of r_loc·r_lin, the paper's Locate + Leverage (Fig. 5)."""
    precision: bool = False
    """On: r_loc·r_lin is multiplied by |U*| / max(|U*|, |P|), in the α1 term and in the gate. Against answers that list
    the whole screen: the formula itself asks only that each key element has a predicted one near it."""

    def incomplete(self, row: RewardRow) -> bool:
        return not row.key_elements

    def parts(self, row: RewardRow) -> dict[str, float]:
        parsed = self.paradigm.parse(row.text, row.screen)
        reply, key = parsed.reply, row.key_elements
        found = {"format": float(parsed.strict)}
        if key:
            location, lingualisation = locate_and_lingualize(reply.elements, key, row.screen.size, self.sim)
            found["location"] = location
            if self.lingualisation:
                found["lingualisation"] = lingualisation
            if self.precision:
                found["precision"] = len(key) / max(len(key), len(reply.elements))
        found["leverage"] = float(leverage(reply.action, row.truth, row.context, self.profile))
        return found

    def total(self, parts: Mapping[str, float]) -> float:
        if "location" not in parts:
            return parts["format"] + self.alpha2 * parts["leverage"]
        product = parts["location"] * parts.get("lingualisation", 1.0) * parts.get("precision", 1.0)
        return parts["format"] + self.alpha1 * product + self.alpha2 * (product > self.eta) * parts["leverage"]


def uiloop_reward(completions: Sequence[Completion], **columns: Any) -> list[float]:
    """The paper's reward, as TRL calls it.

    >>> answer = (
    ...     "<ui> Located at [540, 200], the search bar </ui><think>search first</think>"
    ...     "<answer>[{'action': 'click', 'point': [540, 200], 'input_text': 'no input text'}]</answer>"
    ... )
    >>> key = [{"id": 1, "box": [40, 150, 1040, 250], "caption": "the search bar"}]
    >>> truth = [{"type": "click", "point": [540, 200], "box": [40, 150, 1040, 250]}]
    >>> uiloop_reward([answer], truth=[truth], screen=[[1080, 2400]], key_elements=[key])
    [10.0]
    """
    return UILoopReward()(completions, **columns)
