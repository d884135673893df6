"""The papers' training rewards, by paradigm."""

from __future__ import annotations

from saccade.registry import Registry
from saccade.scoring.rewards.base import Reward, RewardRow

REWARDS: Registry[type[Reward]] = Registry(
    "reward",
    {
        "btl": "saccade.scoring.rewards.btl:BTLReward",
        "uiloop": "saccade.scoring.rewards.uiloop:UILoopReward",
        "secagent": "saccade.scoring.rewards.secagent:SecAgentReward",
    },
)

__all__ = ["REWARDS", "Reward", "RewardRow"]
