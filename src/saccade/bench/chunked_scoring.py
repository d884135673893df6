"""Verdicts on a large file of step records, chunk by chunk in the workers of an engine: the same as all at once.

A verdict depends on its step alone, so chunks can be judged anywhere; figures and their intervals are computed from all
verdicts together. Workers send back verdicts, not steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from saccade.engines import Engine
from saccade.scoring.evaluate import Evaluation, chosen_profiles, judge_by
from saccade.scoring.judge import JudgedStep, Prediction
from saccade.scoring.profiles import get_profile
from saccade.types import Step

CHUNK = 1000
"""Steps of one job."""
Predict = Callable[[Sequence[Step]], list[Prediction]]
Verdict = tuple[int, bool, bool, bool | None]
"""Which step of the chunk; then as in `JudgedStep`."""


class Verdicts(NamedTuple):
    """What a worker found in a chunk, by the names of profiles."""

    judged: dict[str, list[Verdict]]
    left_out: dict[str, str]


class ScoringWorker:
    """Judges chunks of steps. `predict` must be importable, or a `functools.partial` of such a function."""

    def __init__(self, names: str, predict: Predict) -> None:
        self.names, self.predict = names, predict

    def do(self, job: tuple[int, list[Step]], folder: Path) -> Verdicts:
        _, steps = job
        found = judge_by(self.names, steps, self.predict(steps))
        places = {id(step): at for at, step in enumerate(steps)}
        judged = {
            rule.name: [(places[id(each.step)], each.type_right, each.right, each.oracle) for each in verdicts]
            for rule, verdicts in found.judged
        }
        return Verdicts(judged, found.left_out)

    def close(self) -> None:
        """Nothing to give back."""


def judge_in_chunks(names: str, steps: Sequence[Step], predict: Predict, engine: Engine, workers: int) -> Evaluation:
    """What `judge_by` gives for all steps at once."""
    jobs = [(at, list(steps[at : at + CHUNK])) for at in range(0, len(steps), CHUNK)]
    found: dict[int, Verdicts] = {}
    for (at, _), verdicts, _ in engine.work_through(jobs, partial(ScoringWorker, names, predict), workers):
        found[at] = verdicts
    left_out = {name: why for at, _ in reversed(jobs) for name, why in found[at].left_out.items()}
    judged = []
    for name in chosen_profiles(names):
        verdicts = [
            JudgedStep(chunk[place], type_right, right, oracle)
            for at, chunk in jobs
            for place, type_right, right, oracle in found[at].judged.get(name, [])
        ]
        if verdicts and name not in left_out:
            judged.append((get_profile(name), verdicts))
    return Evaluation(judged, {name: left_out[name] for name in chosen_profiles(names) if name in left_out})
