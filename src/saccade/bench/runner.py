"""Runs a suite, recorded or live, in parallel. It can be killed and resumed; no case is lost or counted twice."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from itertools import count, groupby, islice
from pathlib import Path
from typing import Any, Literal

import msgspec

from saccade.agents.build import ModelCache, ask_of, guide_of, hints_of, paradigm_of
from saccade.agents.ledger import Ledger, MeteredModel
from saccade.agents.log import versions
from saccade.agents.oracle import OracleModel
from saccade.agents.policy import open_policy
from saccade.agents.settings import Settings
from saccade.bench.cases import Bench, Result
from saccade.bench.live import LiveWorker
from saccade.bench.results_store import ResultsStore
from saccade.bench.samples import keep_sample, wrong_steps
from saccade.bench.static import StaticAgent, StepTeacher
from saccade.bench.suites import Suite, live_tasks
from saccade.data.readers import DATASETS, Dataset, Sample, open_dataset
from saccade.engines.worker_pool import work_through
from saccade.errors import InputError
from saccade.models.base import Model
from saccade.scoring.profiles import get_profile
from saccade.worlds.tasks import Task

Rerun = Literal["none", "broken", "failed"]
OnResult = Callable[[Result, int, int | None], None]
"""Called for each case: its result, the number of completed cases, and of all cases (None if unknown)."""
LIVE_CASES = 100
"""Cases of a live suite if no limit is given."""
MOST_KEPT = 20
"""Most failed cases of a recording for which screenshots and a replay page are kept."""


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
    )
    work = (LiveRunner if suite.kind == "live" else RecordingRunner)(request)  # raises if the request is not valid
    with ResultsStore(request.out, bench) as store:
        drop_for_rerun(store, request.rerun)
        store.finish(list(work.run(store, on_result)))
    return store


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

    def __init__(self, request: BenchRequest) -> None:
        suite = request.suite
        self.request = request
        self.tasks: list[Task] = live_tasks(suite, request.options, request.limit or LIVE_CASES)
        if not self.tasks:
            raise InputError(f"the suite {suite.name} has no task for these options")
        for name in sorted(set(request.settings.world_options) & set(self.tasks[0].options) & set(suite.choices)):
            raise InputError(f"--with {name}: the suite {suite.name} sets it for each task; use --option {name}=VALUE")

    def run(self, store: ResultsStore, on_result: OnResult) -> Iterator[str]:
        request = self.request
        missing = [task for task in self.tasks if task.id not in store.results]
        done = len(self.tasks) - len(missing)
        for _, result in work_through(missing, partial(LiveWorker, request.settings, request.out), request.workers):
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
    return open_dataset(request.data, kind, keep_going=request.keep_going, **{**own, **request.options})


def recognises(name: str, folder: Path) -> bool:
    return folder.exists() and DATASETS.get(name).recognises(folder)


def read_cases(samples: Iterable[Sample], limit: int | None) -> Iterator[tuple[str, list[Sample]]]:
    """Episodes, and single samples that belong to no episode, each as one case."""
    scored = (sample for sample in samples if sample.step.truth)
    grouped = groupby(scored, key=lambda sample: sample.step.episode or sample.step.id)
    for id, group in islice(grouped, limit):
        yield id, list(group)


class RecordingRunner:
    """Runs recorded episodes in threads: a server model answers many in parallel, a local one answers them in turn."""

    def __init__(self, request: BenchRequest) -> None:
        self.request = request
        self.data = dataset_of(request)
        self.agents = AgentPool(request)

    def run(self, store: ResultsStore, on_result: OnResult) -> Iterator[str]:
        request, done = self.request, len(store.results)
        seen: set[str] = set()
        try:
            with ThreadPoolExecutor(request.workers) as pool:
                pending: set[Future[Result]] = set()
                for id, samples in read_cases(self.data.samples(), request.limit):
                    if id in seen:
                        raise InputError(f"{samples[0].where}: the episode or sample {id!r} appears twice")
                    seen.add(id)
                    yield id
                    if id in store.results:
                        continue
                    pending.add(pool.submit(self.agents.answer, id, samples))
                    while len(pending) >= 2 * request.workers:
                        done = _gather(pending, store, on_result, done)
                while pending:
                    done = _gather(pending, store, on_result, done)
        finally:
            self.agents.close()
        if not seen:
            raise InputError(f"{request.data} contains no sample with a true action")


def _gather(pending: set[Future[Result]], store: ResultsStore, on_result: OnResult, done: int) -> int:
    ready, _ = wait(pending, return_when=FIRST_COMPLETED)
    for future in ready:
        pending.remove(future)
        result = future.result()
        store.add(result)
        done += 1
        on_result(result, done, None)
    return done


class AgentPool:
    """One model, and one agent for each thread."""

    def __init__(self, request: BenchRequest) -> None:
        self.request = request
        self.models = ModelCache(request.settings)
        self.model = request.model
        if self.model is None:
            self.model = self.models.of_agent(request.settings.model)
        self.local = threading.local()
        self.kept, self.profile = count(), get_profile(request.suite.profile)
        self.agent()  # raises before any data is read if the settings are not valid

    def answer(self, id: str, samples: Sequence[Sample]) -> Result:
        if not hasattr(self.local, "agent"):
            self.local.agent = self.agent()
        agent: StaticAgent = self.local.agent
        result = agent.episode(id, samples)
        if result.status == "done" and wrong_steps(result, self.profile) and next(self.kept) < MOST_KEPT:
            kept = keep_sample(self.request.out, result, [sample.picture for sample in samples])
            result.run = kept.relative_to(self.request.out).as_posix()
        return result

    def agent(self) -> StaticAgent:
        settings, suite = self.request.settings, self.request.suite
        ledger, teacher = Ledger(), StepTeacher()
        paradigm, sight = paradigm_of(settings, suite.space, "en", self.model or settings.model)
        own = MeteredModel(self.model or OracleModel(teacher, paradigm, teacher.look), ledger)
        guide = guide_of(settings, self.models, teacher, own, "en")
        ask = ask_of(settings, paradigm)
        policy = open_policy(own, paradigm, settings.agent, guide=guide, ask=ask, k=settings.k)
        return StaticAgent(
            policy,
            sight,
            ledger,
            teacher,
            hints_of(settings, self.model),
            suite.level,
            settings.language,
            settings.seed,
        )

    def close(self) -> None:
        self.models.close()
