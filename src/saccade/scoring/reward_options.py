"""A paradigm's reward with the options of a recipe's block `grpo.reward`, checked.

Options are those of the reward's class (BTL's `weights`, UILoop's `alpha1` …), the match profile by its name, and
`name` to borrow another paradigm's reward. With several paradigms in one run, options under a paradigm's name are meant
for it alone:

    reward: {profile: cmgui, btl: {weights: [0, 0, 1]}, guidnav: {name: secagent}}

`similarity` (of UILoop's r_lin) names what compares descriptions. Opening it may need a server or a model, which this
room knows nothing of: `models.embeddings.open_similarity` does it, and is handed in.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, NamedTuple, get_type_hints

import msgspec

from saccade.errors import InputError, readable
from saccade.paradigms import PARADIGMS, Paradigm
from saccade.scoring.profiles import get_profile
from saccade.scoring.rewards import REWARDS, Reward
from saccade.scoring.similarity import Similarity, similarity
from saccade.typed_values import to_type

NOT_IN_YAML = ("paradigm", "sim")
"""Options that YAML cannot set: the paradigm is the row's own, and `similarity` names the function `sim`."""


def default_similarity(name: str) -> Similarity:
    """The only similarity that needs nothing from outside this room."""
    if name not in ("", similarity.name):
        raise InputError(
            f"the similarity {name!r} is not known here: hand in saccade.models.embeddings.open_similarity"
        )
    return similarity


class RewardChoice(NamedTuple):
    """The reward of one paradigm's answers, and its options."""

    kind: type[Reward]
    options: dict[str, Any]

    def reward(self, paradigm: Paradigm) -> Reward:
        """The reward for answers of this paradigm as its row was written: with its switches and frame."""
        return self.kind(paradigm=paradigm, **self.options)  # type: ignore[call-arg]


def choose_reward(
    options: Mapping[str, Any], paradigm: str, open_similarity: Callable[[str], Similarity] = default_similarity
) -> RewardChoice:
    """The reward that a paradigm's answers are given."""
    given = options_of(options, paradigm)
    kind = reward_kind(str(given.pop("name", paradigm)), paradigm)
    return RewardChoice(kind, checked(kind, given, open_similarity))


def options_of(options: Mapping[str, Any], paradigm: str) -> dict[str, Any]:
    """Those for all, and those for this one."""
    names = PARADIGMS.names()
    own = options.get(paradigm, {})
    if not isinstance(own, Mapping):
        raise InputError(f"grpo.reward.{paradigm} is a mapping of options, such as {{weights: [1, 1, 1]}}")
    return {key: value for key, value in options.items() if key not in names} | dict(own)


def reward_kind(name: str, paradigm: str) -> type[Reward]:
    """A reward by its name; a paradigm without one of its own must borrow another's."""
    if name == paradigm and name not in REWARDS.names():
        raise InputError(
            f"{paradigm} has no reward of its own: train {', '.join(REWARDS.names())} with GRPO, or borrow one of "
            f"theirs with grpo.reward: {{name: {REWARDS.names()[-1]}}}"
        )
    return REWARDS.get(name)


def checked(
    kind: type[Reward],
    options: Mapping[str, Any],
    open_similarity: Callable[[str], Similarity] = default_similarity,
) -> dict[str, Any]:
    """Options of a reward's class, each of the type that the class says; profile and similarity by their names."""
    known = [field.name for field in fields(kind) if field.name not in NOT_IN_YAML]  # type: ignore[arg-type]
    types, values = get_type_hints(kind), dict[str, Any]()
    if "sim" in types:
        known.append("similarity")
        values["sim"] = open_similarity(str(options.get("similarity", "")))
    for name, value in options.items():
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise InputError(f"the {kind.name} reward has no option {name!r}{hint}: use {', '.join(known)}")
        if name == "similarity":
            continue
        if name == "profile":
            values[name] = get_profile(str(value))
            continue
        try:
            values[name] = to_type(value, types[name])
        except msgspec.ValidationError as error:
            raise InputError(f"grpo.reward.{name} of {kind.name}: {readable(error)}") from None
    return values
