"""Runs a suite, recorded or live, in parallel. It can be killed and resumed; no case is lost or counted twice."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec

from saccade.agents.log import versions
from saccade.agents.settings import Settings
from saccade.bench.cases import Bench, Result
from saccade.bench.live import LiveWorker, run_folder
from saccade.bench.predictions import PredictionsRunner
from saccade.bench.recorded_answers import AgentPool, RecordingWorker, carried
from saccade.bench.results_store import ResultsStore
from saccade.bench.samples import SampleKeeper
from saccade.bench.suites import Draw, Suite, live_tasks
from saccade.data.draw import draw_per_group
from saccade.data.readers import DATASETS, Dataset, Sample, open_dataset
from saccade.engines import Engine, publish
from saccade.engines.local import LocalEngine
from saccade.errors import InputError
from saccade.models.base import Model
from saccade.scoring.profiles import get_profile
from saccade.worlds.tasks import Task

Rerun = Literal["none", "broken", "failed"]
OnResult = Callable[[Result, int, int | None], None]
"""Called for each case: its result, the number of completed cases, and of all cases (None if unknown)."""
LIVE_CASES = 100
"""Cases of a live suite if no limit is given."""
LOOKED_AT = 20
"""Cases that are looked at for pictures before the model is asked anything."""
DRAW_OPTIONS = ("draw", "draw_seed")
"""Options of every suite of recordings; the others are those of its reader."""


@dataclass
class BenchRequest:
    """What to measure, and how: the options of `saccade bench`."""

    suite: Suite
    settings: Settings
    out: Path
    data: Path | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    limit: int | None = None
    workers: int = 1
    rerun: Rerun = "none"
    keep_going: bool = False
    label: str = ""
    model: Model | None = None
    """Used instead of the model in the settings; for recordings only."""
    blind: bool = False
    """Measure a model that reads pictures on a recording without any. It is marked in every table."""
    predictions: Path | None = None
    """A file of answers to measure in place of a model's."""
    similarity: str = ""
    """What compares descriptions in UILoop's figures, by its name (`models.embeddings`)."""
    engine: Engine = field(default_factory=LocalEngine)
    """Works through live tasks; recordings are answered in threads unless the engine has other machines."""


def measure(request: BenchRequest, on_result: OnResult = lambda result, done, total: None) -> ResultsStore:
    """Run all cases that are not completed yet, then write `steps.jsonl`. Returns the store with all results."""
    suite = request.suite
    bench = Bench(
        suite.name,
        msgspec.to_builtins(request.settings),
        versions(),
        str(request.data.resolve()) if request.data else "",
        {name: str(value) for name, value in request.options.items()},
        request.limit,
        label=request.label,
        similarity=request.similarity,
        predictions=str(request.predictions.resolve()) if request.predictions else "",
    )
    work = runner_of(request)  # raises if the request is not valid
    bench.left_out = work.left_out
    with ResultsStore(request.out, bench) as store:
        drop_for_rerun(store, request.rerun)
        store.finish(list(work.run(store, on_result)))
    return store


def runner_of(request: BenchRequest) -> Runner:
    if request.model is not None and not request.engine.shares_disk:
        raise InputError("a model that is given as an object cannot be sent to other machines: name it in the settings")
    if request.predictions is not None:
        if request.suite.kind == "live":
            raise InputError(f"{request.suite.name} is a live suite, and --predictions are answers to a recording")
        return PredictionsRunner(
            request.predictions,
            request.suite,
            request.out,
            request.settings.coordinates,
            request.limit,
            request.keep_going,
        )
    return LiveRunner(request) if request.suite.kind == "live" else RecordingRunner(request)


class Runner(Protocol):
    """Adds the results of all cases to the store, and yields the names of the cases in their order."""

    left_out: int
    """Lines of a file of predictions that could not be read."""

    def run(self, store: ResultsStore, on_result: OnResult) -> Iterator[str]: ...


def drop_for_rerun(store: ResultsStore, rerun: Rerun) -> None:
    """Remove old results whose cases are to be run again."""
    if rerun == "none":
        return

    def failed(result: Result) -> bool:
        return not result.success if result.outcome else has_unreadable_answer(result)

    found = store.results.values()
    store.drop([each.id for each in found if each.status == "broken" or (rerun == "failed" and failed(each))])


def has_unreadable_answer(result: Result) -> bool:
    """Is there an answer that could not be parsed? Whether other answers are wrong depends on the rule of the table."""
    return any(step.prediction is None for step in result.steps)


# -- live tasks --------------------------------------------------------------------------------------------------------


class LiveRunner:
    """Runs live tasks in processes, each with its own world."""

    left_out = 0

    def __init__(self, request: BenchRequest) -> None:
        suite = request.suite
        self.request = request
        self.tasks: list[Task] = live_tasks(suite, request.options, request.limit or LIVE_CASES)
        if request.settings.tries > 1 or request.settings.context != "own":
            raise InputError(
                f"--tries and --context are for recordings, and {suite.name} is live: repeat its tasks with --retries"
            )
        if not self.tasks:
            raise InputError(f"the suite {suite.name} has no task for these options")
        for name in sorted(set(request.settings.world_options) & set(self.tasks[0].options) & set(suite.choices)):
            raise InputError(f"--with {name}: the suite {suite.name} sets it for each task; use --option {name}=VALUE")

    def run(self, store: ResultsStore, on_result: OnResult) -> Iterator[str]:
        request = self.request
        missing = [task for task in self.tasks if task.id not in store.results]
        done = len(self.tasks) - len(missing)
        settings = msgspec.structs.replace(request.settings, profile=request.suite.profile)
        work = request.engine.work_through(missing, partial(LiveWorker, settings), request.workers, request.out)
        for task, result, folder in work:
            if folder.is_dir():
                publish(folder, request.out / run_folder(task))
            store.add(result)
            done += 1
            on_result(result, done, len(self.tasks))
        yield from (task.id for task in self.tasks)


# -- recordings --------------------------------------------------------------------------------------------------------


def dataset_of(request: BenchRequest) -> Dataset:
    """The data set in the folder, with the reader that recognises it."""
    suite = request.suite
    if request.data is None:
        raise InputError(f"{suite.name} needs its data: --data FOLDER")
    names = [name for name in suite.datasets if len(suite.datasets) == 1 or recognises(name, request.data)]
    kind = names[0] if names else suite.datasets[0]
    choices = DATASETS.get(kind).choices
    own = {name: value for name, value in suite.options.items() if name in choices}
    given = {name: value for name, value in request.options.items() if name not in DRAW_OPTIONS}
    return open_dataset(request.data, kind, keep_going=request.keep_going, **{**own, **given})


def recognises(name: str, folder: Path) -> bool:
    return folder.exists() and DATASETS.get(name).recognises(folder)


Case = tuple[str, list[Sample]]
"""A case's name and its samples."""


def case_id(sample: Sample) -> str:
    """An episode is one case, and so is a sample that belongs to none."""
    return sample.step.episode or sample.step.id


def read_cases(
    samples: Iterable[Sample], limit: int | None, drawn: Collection[str] | None = None
) -> Iterator[tuple[str, list[Sample]]]:
    """The first `limit` cases, of those that were drawn."""
    scored = (sample for sample in samples if sample.step.truth and (drawn is None or case_id(sample) in drawn))
    for id, group in islice(groupby(scored, key=case_id), limit):
        yield id, list(group)


def drawn_cases(request: BenchRequest) -> frozenset[str] | None:
    """The cases of a seeded draw (`--option draw=paper` or `draw=N`); None: all. A draw reads the data once more."""
    written, seed = request.options.get("draw"), request.options.get("draw_seed", 0)
    if written is None and "draw_seed" not in request.options:
        return None
    suite, own = request.suite, request.suite.draw
    if type(seed) is not int:
        raise InputError(f"--option draw_seed={seed}: write a whole number")
    if written == "paper":
        if own is None:
            raise InputError(f"--option draw=paper: no paper draws from {suite.name}; write draw=N for N cases")
    elif type(written) is int and written > 0:
        own = replace(own, count=written) if own else Draw(written)
    else:
        known = "paper, or " if own else ""
        raise InputError(f"--option draw={written}: write {known}a number of cases, as draw=100")
    groups = draw_per_group(
        (sample for sample in dataset_of(request).samples() if sample.step.truth),
        own.count,
        seed,
        case_id,
        lambda sample: sample.step.tags.get(own.tag, ""),
    )
    found = {name: ids for name, ids in groups.items() if name in own.groups or not own.groups}
    if groups and not found:
        raise InputError(
            f"{request.data}: the draw takes {', '.join(own.groups)} ({own.tag}), and there is none of them"
        )
    return frozenset(id for ids in found.values() for id in ids)


class RecordingRunner:
    """Runs recorded episodes in threads: a server model answers many in parallel, a local one answers them in turn.
    With an engine of other machines, each worker has a model of its own.
    """

    left_out = 0

    def __init__(self, request: BenchRequest) -> None:
        self.request = request
        self.data = dataset_of(request)
        self.agents = AgentPool(request.suite, request.settings, request.model)
        self.keeper = SampleKeeper(request.out, get_profile(request.suite.profile))
        self.drawn = drawn_cases(request)
        if not request.blind and self.agents.model is not None:
            self.refuse_blind(self.agents.model)

    def cases(self) -> Iterator[tuple[str, list[Sample]]]:
        return read_cases(self.data.samples(), self.request.limit, self.drawn)

    def refuse_blind(self, model: Model) -> None:
        """Raise if the model would not see a single screen: its figures would look like any others."""
        first = [sample for _, samples in islice(self.cases(), LOOKED_AT) for sample in samples]
        self.data.problems.clear()
        if first and all(map(self.agents.is_blind, first)):
            raise InputError(
                f"{self.request.data} has no {model.reads}, and {model.name} knows screens by nothing else: give data "
                f"with {model.reads}, or measure it all the same with --blind, which is marked in every table"
            )

    def run(self, store: ResultsStore, on_result: OnResult) -> Iterator[str]:
        done, order = len(store.results), list[str]()
        answered = self.in_threads if self.request.engine.shares_disk else self.on_engine
        try:
            for samples, answer in answered(self.missing(store, order)):
                result = store.without_keys(answer)
                self.keeper.keep(result, [sample.picture for sample in samples])
                store.add(result)
                done += 1
                on_result(result, done, None)
        finally:
            self.agents.close()
        if not order:
            raise InputError(f"{self.request.data} contains no sample with a true action")
        yield from order

    def missing(self, store: ResultsStore, order: list[str]) -> Iterator[Case]:
        """The cases that have no result yet; the names of all are added to `order` as they are read."""
        seen: set[str] = set()
        for id, samples in self.cases():
            if id in seen:
                raise InputError(f"{samples[0].where}: the episode or sample {id!r} appears twice")
            seen.add(id)
            order.append(id)
            if id not in store.results:
                yield id, samples

    def in_threads(self, cases: Iterable[Case]) -> Iterator[tuple[list[Sample], Result]]:
        """One model for all."""
        with ThreadPoolExecutor(self.request.workers) as pool:
            pending: dict[Future[Result], list[Sample]] = {}
            for id, samples in cases:
                pending[pool.submit(self.agents.answer, id, samples)] = samples
                while len(pending) >= 2 * self.request.workers:
                    yield from _gather(pending)
            while pending:
                yield from _gather(pending)

    def on_engine(self, cases: Iterable[Case]) -> Iterator[tuple[list[Sample], Result]]:
        """On other machines, each worker with a model of its own; pictures travel with their samples."""
        request = self.request
        make = partial(RecordingWorker, request.suite.name, request.settings)
        jobs = ((id, list(map(carried, samples))) for id, samples in cases)
        for (_, samples), result, _ in request.engine.work_through(jobs, make, request.workers):
            yield samples, result


def _gather(pending: dict[Future[Result], list[Sample]]) -> Iterator[tuple[list[Sample], Result]]:
    ready, _ = wait(pending, return_when=FIRST_COMPLETED)
    for future in ready:
        yield pending.pop(future), future.result()
