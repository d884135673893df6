"""Measures answers that were given elsewhere: a file of them gets the tables, report and comparisons of a measurement,
without a model (`saccade bench SUITE --predictions FILE`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from saccade.agents.records import LoggedStep, ScoredCandidate
from saccade.bench.cases import Result
from saccade.bench.results_store import ResultsStore
from saccade.bench.samples import SampleKeeper
from saccade.bench.suites import Suite
from saccade.data.predictions import read_predictions
from saccade.errors import InputError
from saccade.geometry import Frame
from saccade.models.base import Usage
from saccade.paradigms import Paradigm, get_paradigm
from saccade.scoring.profiles import get_profile
from saccade.types import Picture


class PredictionsRunner:
    """Turns the records of a file into results. All are read anew each time: it costs no model call, and the file may
    have changed.
    """

    def __init__(
        self, file: Path, suite: Suite, out: Path, coordinates: str | None, limit: int | None, keep_going: bool
    ) -> None:
        self.file, self.suite, self.out = file, suite, out
        read = RawAnswers(file, coordinates)
        lines, bad = read_predictions(file, LoggedStep, keep_going)
        self.left_out = len(bad)
        cases = grouped(file, lines)
        self.results = [
            result_of(id, [read.parsed(step) for step in steps]) for id, steps in islice(cases.items(), limit)
        ]

    def run(self, store: ResultsStore, on_result: Callable[[Result, int, int | None], None]) -> Iterator[str]:
        keeper = SampleKeeper(self.out, get_profile(self.suite.profile))
        self.results = [store.without_keys(result) for result in self.results]
        for at, result in enumerate(self.results, 1):
            keeper.keep(result, [self.picture(step) for step in result.steps])
            on_result(result, at, len(self.results))
        store.replace(self.results)
        yield from (result.id for result in self.results)

    def picture(self, step: LoggedStep) -> Picture | None:
        """The screenshot, where it lies beside the file or in a folder there, and nowhere else."""
        place = self.file.parent.resolve()
        path = (place / step.image).resolve()
        return Picture(str(path), step.screen) if path.is_relative_to(place) and path.is_file() else None


@dataclass
class RawAnswers:
    """Parses raw outputs in the format that their record names."""

    file: Path
    coordinates: str | None = None

    def __post_init__(self) -> None:
        self.forms: dict[str, Paradigm] = {}

    def form(self, name: str) -> Paradigm:
        if name not in self.forms:
            form = get_paradigm(name)
            try:
                form = replace(form, frame=Frame.parse(self.coordinates)) if self.coordinates else form
            except ValueError as error:
                raise InputError(f"--coordinates: {error}") from None
            self.forms[name] = form
        return self.forms[name]

    def parsed(self, step: LoggedStep) -> LoggedStep:
        """The step with the action, elements and reasoning of its raw output, unless it has a prediction already."""
        if step.prediction is not None or step.output is None:
            return step
        if not step.paradigm:
            raise InputError(f"{self.file}: {step.id}: paradigm: missing, so its raw output cannot be read")
        found = self.form(step.paradigm).parse(step.output, step.view)
        reply = found.reply
        step.prediction, step.named, step.plan = reply.action, list(reply.elements), reply.plan
        step.thought, step.summary = reply.think or step.thought, reply.summary or step.summary
        step.repairs, step.problem = list(found.repairs), found.problem
        if len(reply.candidates) > 1:
            step.candidates = [
                ScoredCandidate(each.action, each.thought, each.probability) for each in reply.candidates
            ]
        return step


def grouped(file: Path, lines: list[tuple[int, LoggedStep]]) -> dict[str, list[LoggedStep]]:
    """The records by case, in order; an answer that is given twice is an error."""
    cases: dict[str, list[LoggedStep]] = {}
    seen: dict[tuple[object, ...], int] = {}
    for number, step in lines:
        key = (step.episode, step.step, step.attempt, step.tags.get("attempt")) if step.episode else (step.id,)
        if (first := seen.setdefault(key, number)) != number:
            what = f"step {step.step} of the episode {step.episode!r}" if step.episode else f"the id {step.id!r}"
            raise InputError(f"{file}:{number}: {what} is in line {first} already: a sample has one answer")
        cases.setdefault(step.episode or step.id, []).append(step)
    for steps in cases.values():
        steps.sort(key=lambda step: (step.attempt, step.step))
    return cases


def result_of(id: str, steps: list[LoggedStep]) -> Result:
    """A case with what its records say about its costs."""
    seconds = [step.seconds for step in steps]
    return Result(
        id=id,
        tags=steps[0].tags,
        steps=steps,
        turns=len(steps),
        usage=sum((step.usage for step in steps), Usage()),
        seconds=round(sum(each.total for each in seconds), 4),
        model_seconds=round(sum(each.model for each in seconds), 4),
    )
