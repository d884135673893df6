"""The reward of a completion in GRPO: the rewards of `scoring`, applied to the row that it answers.

A recipe sets them under `grpo.reward`: options of the reward's class (BTL's `weights`, UILoop's `alpha1` …), the match
profile by its name, `similarity` (of UILoop's r_lin: `models.embeddings`), and `name` to borrow another paradigm's
reward. With several paradigms in one run, options under a
paradigm's name are meant for it alone:

    reward: {profile: cmgui, btl: {weights: [0, 0, 1]}, guidnav: {name: secagent}}
"""

from __future__ import annotations

import difflib
import statistics
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, NamedTuple, get_type_hints

import msgspec
from msgspec.structs import replace

from saccade.errors import InputError, readable
from saccade.models.embeddings import open_similarity
from saccade.paradigms import PARADIGMS
from saccade.scoring.embedding_similarity import gate_shares, prepare
from saccade.scoring.profiles import get_profile
from saccade.scoring.rewards import REWARDS, Reward, RewardRow
from saccade.train.backbone import Backbone
from saccade.train.rows import TrainingRow

NOT_IN_YAML = ("paradigm", "sim")
"""Options that YAML cannot set: the paradigm is the row's own, and `similarity` names the function `sim`."""


class ScoredCompletion(NamedTuple):
    """A completion with its reward."""

    row: TrainingRow
    completion: str
    answer: str
    """The completion as the paradigm's own text."""
    parts: dict[str, float]
    total: float


class CompletionScorer:
    """Computes rewards, for each row by its own paradigm, language and frame."""

    def __init__(self, options: Mapping[str, Any], paradigms: Collection[str]) -> None:
        self._kinds: dict[str, type[Reward]] = {}
        self._options: dict[str, dict[str, Any]] = {}
        for name in sorted(set(options) & set(PARADIGMS.names()) - set(paradigms)):
            raise InputError(f"grpo.reward has options for {name}, but no row is of that paradigm")
        for name in sorted(set(paradigms)):
            given = _options_of(options, name)
            self._kinds[name] = _kind(str(given.pop("name", name)), name)
            self._options[name] = checked(self._kinds[name], given)

    def reward(self, row: TrainingRow) -> Reward:
        """The reward that the row's answers are given."""
        name = row.paradigm.name
        return self._kinds[name](paradigm=row.paradigm, **self._options[name])  # type: ignore[call-arg]

    def score(self, row: TrainingRow, completion: str, backbone: Backbone) -> ScoredCompletion:
        """One completion against what is right at its step: what `saccade reward` gives for the same record."""
        answer = backbone.answer(row.messages, completion)
        reward = self.reward(row)
        parts = reward.parts(reward_row(row, answer))
        return ScoredCompletion(row, completion, answer, parts, reward.total(parts))

    def score_all(
        self, rows: Sequence[TrainingRow], completions: Sequence[str], backbone: Backbone
    ) -> list[ScoredCompletion]:
        """Score a batch. The descriptions that it compares are embedded together: a server is asked a few times, not
        once for each completion.
        """
        batches: dict[str, list[tuple[TrainingRow, str]]] = {}
        for row, completion in zip(rows, completions, strict=True):
            batches.setdefault(row.paradigm.name, []).append((row, completion))
        for batch in batches.values():
            answered = (reward_row(row, backbone.answer(row.messages, said)) for row, said in batch)
            prepare(self.reward(batch[0][0]), answered)
        return [self.score(row, said, backbone) for row, said in zip(rows, completions, strict=True)]

    @property
    def notes(self) -> list[str]:
        """What the log says of the rewards: which similarity compares descriptions, with its shares above the gate."""
        sims = {id(sim): sim for options in self._options.values() if (sim := options.get("sim")) is not None}
        return [gate_shares(sim).sentence for sim in sims.values()]


def reward_row(row: TrainingRow, answer: str) -> RewardRow:
    """An answer with what is right at its step."""
    return RewardRow.of_step(replace(row.step, output=answer))


def _options_of(options: Mapping[str, Any], paradigm: str) -> dict[str, Any]:
    """Those for all, and those for this one."""
    names = PARADIGMS.names()
    own = options.get(paradigm, {})
    if not isinstance(own, Mapping):
        raise InputError(f"grpo.reward.{paradigm} is a mapping of options, such as {{weights: [1, 1, 1]}}")
    return {key: value for key, value in options.items() if key not in names} | dict(own)


def _kind(name: str, paradigm: str) -> type[Reward]:
    if name == paradigm and name not in REWARDS.names():
        raise InputError(
            f"{paradigm} has no reward of its own: train {', '.join(REWARDS.names())} with GRPO, or borrow one of "
            f"theirs with grpo.reward: {{name: {REWARDS.names()[-1]}}}"
        )
    return REWARDS.get(name)


def checked(kind: type[Reward], options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a reward's class, each of the type that the class says; the profile by its name."""
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
            values[name] = msgspec.convert(value, types[name])
        except msgspec.ValidationError as error:
            raise InputError(f"grpo.reward.{name} of {kind.name}: {readable(error)}") from None
    return values


def reward_metrics(scored: Sequence[ScoredCompletion]) -> Iterator[tuple[str, float]]:
    """Mean and standard deviation of each reward part over a batch, by paradigm: what is logged."""
    columns: dict[str, list[float]] = {}
    for each in scored:
        for part, value in each.parts.items():
            columns.setdefault(f"rewards/{each.row.paradigm.name}/{part}", []).append(value)
    for name, values in columns.items():
        yield f"{name}/mean", statistics.fmean(values)
        yield f"{name}/std", statistics.pstdev(values)
