"""Process reward models by name, for `--reward NAME[/REST]`: `oracle`, `model`, `prm/PATH`, those of plug-ins.

Any other name is that of a chat model, which is asked for a score between 0 and 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from saccade.agents.guidance import ChatReward, OracleReward, ProcessReward
from saccade.agents.ledger import Ledger, MeteredModel
from saccade.errors import InputError
from saccade.models.base import Model
from saccade.registry import Registry
from saccade.types import Language
from saccade.worlds.teachers import Teacher

PROCESS_REWARDS: Registry[Callable[..., ProcessReward]] = Registry(
    "process reward",
    {
        "oracle": "saccade.agents.process_rewards:open_oracle_reward",
        "model": "saccade.agents.process_rewards:open_own_reward",
        "prm": "saccade.agents.trained_reward:open_trained_reward",
    },
    group="process_rewards",
    accepts=callable,
)
"""`open(rest, *, policy, ledger, teacher, language, profile, **options) -> ProcessReward`. `rest` is what stands behind
the name, `policy` the model that acts, `ledger` where use is written down, `teacher` who knows what is right if anybody
does, `profile` the match rule of the suite or world, and `options` are the model's (--model-with). Take what is needed
and ignore the rest with `**_`.
"""


def open_process_reward(
    name: str,
    *,
    policy: Model,
    ledger: Ledger | None,
    teacher: Teacher | None,
    language: Language,
    open_model: Callable[[str], Model],
    options: dict[str, Any],
    profile: str,
) -> ProcessReward:
    """The process reward of that name; `open_model` opens a chat model."""
    kind, _, rest = name.partition("/")
    if kind in PROCESS_REWARDS.names():
        given = {**options, "policy": policy, "ledger": ledger, "teacher": teacher, "language": language}
        given["profile"] = profile
        return PROCESS_REWARDS.get(kind)(rest, **given)
    return ChatReward(metered(open_model(name), ledger), language)


def metered(model: Model, ledger: Ledger | None) -> Model:
    return model if ledger is None else MeteredModel(model, ledger)


def open_oracle_reward(rest: str, *, profile: str, teacher: Teacher | None = None, **_: Any) -> ProcessReward:
    """1 for what the world's teacher says is right, else 0, by the rule at hand. `oracle/PROFILE` names another."""
    if teacher is None:
        raise InputError("--reward oracle needs a world that knows what is right: a task of the phone, or a recording")
    return OracleReward.by(teacher, rest or profile)


def open_own_reward(
    rest: str, *, policy: Model, ledger: Ledger | None = None, language: Language = "en", **_: Any
) -> ProcessReward:
    """The model that acts, asked for a score as well."""
    if rest:
        raise InputError(f"--reward model/{rest}: model means the one that acts; name another by itself, {rest}")
    return ChatReward(metered(policy, ledger), language)
