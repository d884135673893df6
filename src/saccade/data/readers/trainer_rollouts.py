"""Answers that a trainer sampled, as its own log holds them. With each answer stands the truth that `saccade data
export` wrote into the row, so that the log alone is enough to score.

verl              rollouts/STEP.jsonl (`trainer.rollout_data_dir`): input, output, gts, score, step, and reward parts
ms-swift          completions.jsonl (`--log_completions`): one line a step with lists of prompt, completion, solution
saccade train     samples.jsonl: one line an answer, with the record of its row
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import msgspec

from saccade.errors import InputError
from saccade.scoring.completion_reward import read_record
from saccade.types import Step

ENDING = re.compile(r"(\s*<\|\w+\|>)+\s*$")
"""Special tokens with which an answer ends; trainers decode them as text."""


class VerlRollouts:
    """One answer a line."""

    @staticmethod
    def recognises(value: dict[str, Any]) -> bool:
        return {"input", "output", "gts", "score"} <= value.keys()

    @staticmethod
    def steps(value: dict[str, Any]) -> Iterator[Step]:
        yield answered(value["gts"], value["output"], value.get("step"), value["score"])


class MsSwiftCompletions:
    """All answers of an update on one line, as lists."""

    @staticmethod
    def recognises(value: dict[str, Any]) -> bool:
        return {"prompt", "completion", "solution"} <= value.keys() and isinstance(value["completion"], list)

    @staticmethod
    def steps(value: dict[str, Any]) -> Iterator[Step]:
        truths, completions = value["solution"], value["completion"]
        if not isinstance(truths, list) or len(truths) != len(completions):
            raise ValueError("solution: expected a list with one truth for each completion")
        columns = [listed(value.get(name)) for name in ("step", "SaccadeReward")]
        for truth, completion, step, score in zip_longest(truths, completions, *columns):
            if truth is not None:
                yield answered(truth, completion, step, score)


class SaccadeSamples:
    """Answers that `saccade train grpo` kept."""

    @staticmethod
    def recognises(value: dict[str, Any]) -> bool:
        return {"completion", "answer", "reward", "record"} <= value.keys()

    @staticmethod
    def steps(value: dict[str, Any]) -> Iterator[Step]:
        record = msgspec.json.encode(value["record"]).decode()
        yield answered(record, value["answer"], value.get("step"), value["reward"])


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def answered(truth: Any, completion: Any, update: Any, score: Any) -> Step:
    """The truth's step with an answer to it: raw, and parsed where it can be, because raw coordinates are those of the
    picture that the model saw. The reward is in the tags, and so is the trainer's step. Answers to one row are no
    episode.
    """
    if not isinstance(truth, str) or not isinstance(completion, str):
        raise ValueError("expected the truth and the answer as text: export the rows with saccade data export")
    try:
        record = read_record(truth)
        output = ENDING.sub("", completion)
        parsed = record.reader().parse(output, record.view)
    except InputError as error:
        raise ValueError(str(error)) from None
    told = {"update": update, "reward": score}
    values = {name: getattr(record, name) for name in Step.__struct_fields__}
    values |= {"episode": "", "step": 0, "output": output, "prediction": parsed.reply.action}
    values["tags"] = {**record.tags, "coordinates": record.format.coordinates} | {
        name: str(tag) for name, tag in told.items() if tag is not None
    }
    return Step(**values)
