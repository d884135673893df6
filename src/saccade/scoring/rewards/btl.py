"""The BTL reward: process and outcome (BTL-UI §3.3, eq. 3-7).

R = R_format + R_blink + R_link, each in [0, 1]. The parts are independent: format asks the strict parse, blink and
link use whatever the tolerant parse could read. Where nobody annotated the key elements, or answers have no blink
section, there is no R_blink and the total has one term less.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from saccade.actions import Action, ActionType
from saccade.geometry import Box
from saccade.paradigms.base import Paradigm, Parsed
from saccade.paradigms.btl import BTL
from saccade.scoring.assignment import first_matched
from saccade.scoring.profiles.base import Profile
from saccade.scoring.profiles.btl import BTLProfile
from saccade.scoring.rewards.base import Completion, Reward, RewardRow
from saccade.types import Element

NON_INTERACTIVE: frozenset[ActionType] = frozenset(
    {"swipe", "press", "wait", "open_app", "open_url", "answer", "terminate"}
)
"""A* of eq. 6: actions that touch no element, for which looking at none is right."""

RELEASED_WEIGHTS = (0.1, 0.3, 0.6)
"""Format, blink and link in the released code; the paper adds them unweighted."""


def priority(rank: int, most: int = 5) -> float:
    """s(·) of eq. 6, which the paper leaves open: 1 − (r − 1)/λ, so 1, 0.8, 0.6, 0.4, 0.2 for ranks 1 to 5."""
    return max(0.0, 1 - (rank - 1) / most)


def blink_reward(
    predicted: Sequence[Box],
    annotated: Sequence[Box],
    action: Action | None,
    tau: float = 0.5,
    scores: Sequence[float] | None = None,
    most: int = 5,
) -> float:
    """Eq. 6. `annotated` is in priority order; of those matched with IoU ≥ τ, the one that scores highest counts.
    `scores` holds s(y) for each annotated box; by default `priority` of its rank, with `most` as λ. A predicted box
    that is there more than once counts once.
    """
    if not predicted:
        return float(not annotated or (action is not None and action.type in NON_INTERACTIVE))
    if not annotated:
        return 0.0
    order: Sequence[int] = range(len(annotated))
    if scores is not None and any(a < b for a, b in pairwise(scores)):
        order = sorted(order, key=lambda j: -scores[j])
    j = first_matched(predicted, annotated, order, tau)
    if j is None:
        return 0.0
    return priority(j + 1, most) if scores is None else scores[j]


@dataclass(frozen=True)
class BTLReward(Reward):
    """The reward with its settings."""

    name = "btl"
    part_names = ("format", "blink", "link")

    paradigm: Paradigm = field(default_factory=BTL)
    profile: Profile = field(default_factory=BTLProfile)
    weights: tuple[float, float, float] = (1, 1, 1)
    tau: float = 0.5
    max_elements: int | None = None
    """λ of s(·) and the most annotated elements that count; by default the paradigm's own, so that a run has one λ."""
    empty_by_truth: bool = False
    """Against answers that name nothing and swipe, which earn blink on every tap step: where elements are annotated,
    P = ∅ is right only if a *true* action touches none (a ∈ A* of eq. 6 read for the truth, not for the prediction)."""

    def incomplete(self, row: RewardRow) -> bool:
        return row.key_elements is None and "elements" in self.paradigm.answer_parts

    def parts(self, row: RewardRow) -> dict[str, float]:
        parsed = self.paradigm.parse(row.text, row.screen)
        found = {"format": float(parsed.strict)}
        if row.key_elements is not None and "elements" in self.paradigm.answer_parts:
            found["blink"] = self._blink(parsed, row.key_elements, row.truth)
        found["link"] = float(self.profile.judge(parsed.reply.action, row.truth, row.context).right)
        return found

    def _blink(self, parsed: Parsed, key_elements: Sequence[Element], truth: Sequence[Action]) -> float:
        """R_blink; 0 where no blink section could be read, which is not the same as one that names nothing."""
        if not parsed.elements_read:
            return 0.0
        action = parsed.reply.action
        if self.empty_by_truth:
            action = next((each for each in truth if each.type in NON_INTERACTIVE), None)
        own: int = getattr(self.paradigm, "max_elements", 5)
        most = self.max_elements or own
        predicted = [element.box for element in parsed.reply.elements]
        annotated = [element.box for element in key_elements[:most]]
        return blink_reward(predicted, annotated, action, self.tau, most=most)

    def total(self, parts: Mapping[str, float]) -> float:
        form, blink, link = self.weights
        return form * parts["format"] + blink * parts.get("blink", 0.0) + link * parts["link"]


def btl_reward(completions: Sequence[Completion], **columns: Any) -> list[float]:
    """The paper's BTL reward, as TRL calls it.

    >>> answer = '<blink>None</blink><think>go back</think><link>{"Plan": "", "Action": {"function": "Back"}}</link>'
    >>> columns = {"truth": [[{"type": "press", "key": "back"}]], "screen": [[1080, 2400]]}
    >>> btl_reward([answer], **columns, key_elements=[[]])  # annotated: nothing on this screen matters
    [3.0]
    >>> btl_reward([answer], **columns)  # not annotated: no blink term
    [2.0]
    """
    return BTLReward()(completions, **columns)
