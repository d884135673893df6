"""The reward of a completion in GRPO: the rewards of `scoring`, applied to the row that it answers.

A recipe sets them under `grpo.reward` (`scoring.reward_options` says how).
"""

from __future__ import annotations

import statistics
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from saccade.data.training_rows import TrainingRow
from saccade.errors import InputError
from saccade.models.embeddings import open_similarity
from saccade.paradigms import PARADIGMS
from saccade.scoring.embedding_similarity import gate_shares, prepare
from saccade.scoring.reward_options import choose_reward
from saccade.scoring.rewards import Reward, RewardRow
from saccade.train.backbone import Backbone


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
        for name in sorted(set(options) & set(PARADIGMS.names()) - set(paradigms)):
            raise InputError(f"grpo.reward has options for {name}, but no row is of that paradigm")
        self._choices = {name: choose_reward(options, name, open_similarity) for name in sorted(set(paradigms))}

    def reward(self, row: TrainingRow) -> Reward:
        """The reward that the row's answers are given."""
        return self._choices[row.paradigm.name].reward(row.paradigm)

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
        sims = {id(sim): sim for _, options in self._choices.values() if (sim := options.get("sim")) is not None}
        return [gate_shares(sim).sentence for sim in sims.values()]


def reward_row(row: TrainingRow, answer: str) -> RewardRow:
    """An answer with what is right at its step."""
    return RewardRow.of_step(replace(row.step, output=answer))


def reward_metrics(scored: Sequence[ScoredCompletion]) -> Iterator[tuple[str, float]]:
    """Mean and standard deviation of each reward part over a batch, by paradigm: what is logged."""
    columns: dict[str, list[float]] = {}
    for each in scored:
        for part, value in each.parts.items():
            columns.setdefault(f"rewards/{each.row.paradigm.name}/{part}", []).append(value)
    for name, values in columns.items():
        yield f"{name}/mean", statistics.fmean(values)
        yield f"{name}/std", statistics.pstdev(values)
