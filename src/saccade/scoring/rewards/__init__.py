"""The papers' training rewards, by paradigm."""

from __future__ import annotations

from saccade.registry import Registry, subclass_of
from saccade.scoring.rewards.base import Reward, RewardRow

REWARDS: Registry[type[Reward]] = Registry(
    "reward",
    {
        "btl": "saccade.scoring.rewards.btl:BTLReward",
        "uiloop": "saccade.scoring.rewards.uiloop:UILoopReward",
        "secagent": "saccade.scoring.rewards.secagent:SecAgentReward",
    },
    accepts=subclass_of(Reward),
)

__all__ = ["REWARDS", "Reward", "RewardRow"]
