"""The reward of a completion that another trainer sampled: text and one JSON string in, named numbers out.

The string is the row's step record with the format of its answers (`AnswerRecord`), so that a trainer's table needs one
column for the truth and a reward file is a few lines (`saccade data export` writes one):

    from saccade.scoring.completion_reward import CompletionReward

    REWARD = CompletionReward({"weights": [1, 1, 1]})

    def compute_score(data_source, solution_str, ground_truth, extra_info=None, **_):
        return REWARD.score(solution_str, ground_truth)

It needs no torch, and gives what `saccade reward` and `saccade train grpo` give for the same record, to the last digit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any

import msgspec

from saccade.errors import InputError, readable
from saccade.geometry import Frame
from saccade.paradigms import Paradigm, get_paradigm
from saccade.scoring.embedding_similarity import prepare
from saccade.scoring.reward_options import RewardChoice, choose_reward, default_similarity
from saccade.scoring.rewards import Reward, RewardRow
from saccade.scoring.similarity import Similarity
from saccade.types import Step
from saccade.untrusted import JsonDecoder, decode_json

NO_SWITCHES = ("frame", "language", "template")
"""Fields of a paradigm that say how it asks, or that have a place of their own."""


class AnswerFormat(msgspec.Struct, frozen=True, omit_defaults=True):
    """How the answers to a row are to be read. The prompt's language is not part of it: no format reads an answer
    differently for it.
    """

    coordinates: str = "pixel"
    """The frame of coordinates, as `Frame.parse` reads it."""
    switches: dict[str, Any] = msgspec.field(default_factory=dict)
    """The paradigm's switches."""

    @classmethod
    def of(cls, paradigm: Paradigm) -> AnswerFormat:
        """The format of a paradigm's answers: its frame, and the switches that are not as usual."""
        usual = get_paradigm(paradigm.name)
        switches = {
            each.name: getattr(paradigm, each.name) for each in fields(paradigm) if each.name not in NO_SWITCHES
        }
        return cls(str(paradigm.frame), {name: now for name, now in switches.items() if now != getattr(usual, name)})

    def paradigm(self, name: str) -> Paradigm:
        """The paradigm that reads such answers."""
        return _opened(name, self.coordinates, msgspec.json.encode(self.switches, order="deterministic"))


@lru_cache(maxsize=64)
def _opened(name: str, coordinates: str, switches: bytes) -> Paradigm:
    return replace(get_paradigm(name, **decode_json(switches)), frame=Frame.parse(coordinates))


class AnswerRecord(Step, omit_defaults=True, kw_only=True):
    """A step record with the format of its answers; its `paradigm` is set."""

    format: AnswerFormat = AnswerFormat()

    def reader(self) -> Paradigm:
        """The paradigm that reads its answers."""
        return self.format.paradigm(self.paradigm)

    @classmethod
    def of(cls, step: Step, paradigm: Paradigm) -> AnswerRecord:
        """The step of a row in this paradigm's format, without what was done or said when it was recorded."""
        values = {name: getattr(step, name) for name in Step.__struct_fields__}
        values |= {"paradigm": paradigm.name, "prediction": None, "output": None}
        return cls(**values, format=AnswerFormat.of(paradigm))


_DECODER = JsonDecoder(AnswerRecord)


def read_record(text: str | bytes) -> AnswerRecord:
    """The truth as a trainer hands it back."""
    try:
        return _DECODER.decode(text)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError) as error:
        raise InputError(
            f"the truth of a row is no step record ({readable(error)}): export the rows again with saccade data export"
        ) from None


class CompletionReward:
    """Rewards completions by the paradigm of their records. `options` are those of a recipe's `grpo.reward`."""

    def __init__(
        self,
        options: Mapping[str, Any] | None = None,
        open_similarity: Callable[[str], Similarity] = default_similarity,
    ) -> None:
        self._options, self._open = dict(options or {}), open_similarity
        self._choices: dict[str, RewardChoice] = {}

    def score(self, completion: str, truth: str) -> dict[str, float]:
        """The reward of one completion: `score`, and its parts as the paper names them. A part that a row cannot have
        (it has no key elements) is 0: verl wants the same names for all rows.
        """
        return self.score_all([completion], [truth])[0]

    def score_all(self, completions: Sequence[str], truths: Sequence[str]) -> list[dict[str, float]]:
        """The rewards of a batch. Descriptions that it compares are embedded together: a server is asked a few times,
        not once for each completion.
        """
        records = [read_record(truth) for truth in truths]
        batches: dict[str, list[AnswerRecord]] = {}
        for record, completion in zip(records, completions, strict=True):
            record.output = completion
            batches.setdefault(record.paradigm, []).append(record)
        for batch in batches.values():
            prepare(self._reward(batch[0]), map(RewardRow.of_step, batch))
        return [self._scored(record) for record in records]

    def _scored(self, record: AnswerRecord) -> dict[str, float]:
        reward = self._reward(record)
        parts = reward.parts(RewardRow.of_step(record))
        return {"score": reward.total(parts), **dict.fromkeys(reward.part_names, 0.0), **parts}

    def _reward(self, record: AnswerRecord) -> Reward:
        name = record.paradigm
        if name not in self._choices:
            self._choices[name] = choose_reward(self._options, name, self._open)
        return self._choices[name].reward(record.reader())
