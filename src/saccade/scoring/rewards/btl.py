"""The BTL reward: process and outcome (BTL-UI §3.3, eq. 3-7).

R = R_format + R_blink + R_link, each in [0, 1]. The parts are independent: format asks the strict parse, blink and
link use whatever the tolerant parse could read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any

from saccade.actions import Action, ActionType
from saccade.geometry import Box
from saccade.paradigms.base import Paradigm
from saccade.paradigms.btl import BTL
from saccade.scoring.assignment import first_matched
from saccade.scoring.profiles.base import Profile
from saccade.scoring.profiles.btl import BTLProfile
from saccade.scoring.rewards.base import Completion, Reward, RewardRow

NON_INTERACTIVE: frozenset[ActionType] = frozenset(
    {"swipe", "press", "wait", "open_app", "open_url", "answer", "terminate"}
)
"""A* of eq. 6: actions that touch no element, for which looking at none is right."""

RELEASED_WEIGHTS = (0.1, 0.3, 0.6)
"""Format, blink and link in the released code; the paper adds them unweighted."""


def priority(rank: int, most: int = 5) -> float:
    """s(·) of eq. 6, which the paper leaves open: 1 − (r − 1)/λ, so 1, 0.8, 0.6, 0.4, 0.2 for ranks 1 to 5."""
    return max(0.0, 1 - (rank - 1) / most)


@lru_cache(maxsize=256)
def _scores(count: int, most: int) -> tuple[float, ...]:
    return tuple(priority(rank, most) for rank in range(1, count + 1))


def blink_reward(
    predicted: Sequence[Box],
    annotated: Sequence[Box],
    action: Action | None,
    tau: float = 0.5,
    scores: Sequence[float] | None = None,
) -> float:
    """Eq. 6. `annotated` is in priority order; of those matched with IoU ≥ τ, the one that scores highest counts.
    `scores` holds s(y) for each annotated box; by default `priority` of its rank.
    """
    if not predicted:
        return float(not annotated or (action is not None and action.type in NON_INTERACTIVE))
    if not annotated:
        return 0.0
    order: Sequence[int] = range(len(annotated))
    if scores is None:
        scores = _scores(len(annotated), 5)
    elif any(a < b for a, b in pairwise(scores)):
        order = sorted(order, key=lambda j: -scores[j])
    j = first_matched(predicted, annotated, order, tau)
    return 0.0 if j is None else scores[j]


@dataclass(frozen=True)
class BTLReward(Reward):
    """The reward with its settings."""

    name = "btl"

    paradigm: Paradigm = field(default_factory=BTL)
    profile: Profile = field(default_factory=BTLProfile)
    weights: tuple[float, float, float] = (1, 1, 1)
    tau: float = 0.5
    max_elements: int = 5
    """λ of s(·): the configured most, not the number annotated."""

    def parts(self, row: RewardRow) -> dict[str, float]:
        parsed = self.paradigm.parse(row.text, row.screen)
        reply = parsed.reply
        blink = blink_reward(
            [element.box for element in reply.elements],
            [element.box for element in row.key_elements or ()],
            reply.action,
            self.tau,
            None if self.max_elements == 5 else _scores(len(row.key_elements or ()), self.max_elements),
        )
        link = self.profile.judge(reply.action, row.truth, row.context).right
        return {"format": float(parsed.strict), "blink": blink, "link": float(link)}

    def total(self, parts: Mapping[str, float]) -> float:
        form, blink, link = self.weights
        return form * parts["format"] + blink * parts["blink"] + link * parts["link"]


def btl_reward(completions: Sequence[Completion], **columns: Any) -> list[float]:
    """The paper's BTL reward, as TRL calls it.

    >>> answer = '<blink>None</blink><think>go back</think><link>{"Plan": "", "Action": {"function": "Back"}}</link>'
    >>> btl_reward([answer], truth=[[{"type": "press", "key": "back"}]], screen=[[1080, 2400]])
    [3.0]
    """
    return BTLReward()(completions, **columns)
