"""SecAgent's reward: 0.5 for the triplet format, 1 for a right action (§4.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from saccade.paradigms.base import Paradigm
from saccade.paradigms.secagent import SecAgent
from saccade.scoring.profiles.base import Profile
from saccade.scoring.profiles.cmgui import CMGUIProfile
from saccade.scoring.rewards.base import Completion, Reward, RewardRow


@dataclass(frozen=True)
class SecAgentReward(Reward):
    """The reward with its settings. The parts already carry the paper's values and add up to the total."""

    name = "secagent"
    part_names = ("format", "action")

    paradigm: Paradigm = field(default_factory=SecAgent)
    profile: Profile = field(default_factory=CMGUIProfile)
    format_value: float = 0.5
    action_value: float = 1.0

    def parts(self, row: RewardRow) -> dict[str, float]:
        parsed = self.paradigm.parse(row.text, row.screen)
        right = self.profile.judge(parsed.reply.action, row.truth, row.context).right
        return {"format": self.format_value * parsed.strict, "action": self.action_value * right}

    def total(self, parts: Mapping[str, float]) -> float:
        return parts["format"] + parts["action"]


def secagent_reward(completions: Sequence[Completion], **columns: Any) -> list[float]:
    """The paper's reward, as TRL calls it.

    >>> call = '{"name": "mobile_use", "arguments": {"action": "type", "text": "早上好"}}'
    >>> answer = f"<summary>None</summary><think>输入问候</think><tool_call>{call}</tool_call>"
    >>> secagent_reward([answer], truth=[[{"type": "type", "text": "早上好"}]], screen=[[1080, 2400]])
    [1.5]
    """
    return SecAgentReward()(completions, **columns)
