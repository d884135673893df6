"""One runner for recordings and live tasks: parallel; after any kill it goes on, with no case lost or counted twice."""

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
from saccade.bench.results_store import Store
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
"""Called for each case: its result, how many are done, of how many (None where that is not known)."""
LIVE_CASES = 100
"""A live suite without a limit."""
KEPT = 20
"""So many failed cases of a recording are kept to look at."""


@dataclass
class Order:
    """What the user asked for."""

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
    """Instead of the one that the settings name; recordings only."""


def measure(order: Order, on_result: OnResult = lambda result, done, total: None) -> Store:
    """Do what is not done yet; all results, in the end with `steps.jsonl` beside them."""
    suite = order.suite
    bench = Bench(
        suite.name,
        msgspec.to_builtins(order.settings),
        versions(),
        str(order.data.resolve()) if order.data else "",
        {name: str(value) for name, value in order.options.items()},
        order.limit,
        label=order.label,
    )
    work = (Live if suite.kind == "live" else Recordings)(order)  # what is wrong with the order shows here
    with Store(order.out, bench) as store:
        again(store, order.rerun)
        store.finish(list(work.carry_out(store, on_result)))
    return store


def again(store: Store, rerun: Rerun) -> None:
    """Which of the old results are thrown away, to be done again."""
    if rerun == "none":
        return
    failed = [each.id for each in store.results.values() if each.status == "broken"
              or (rerun == "failed" and (not each.success if each.outcome else wrong(each)))]  # fmt: skip
    store.drop(failed)


def wrong(result: Result) -> bool:
    """An answer that could not be read, or no step answered: what is wrong by a rule is known only to the tables."""
    return any(step.prediction is None for step in result.steps)


# -- live tasks --------------------------------------------------------------------------------------------------------


class Live:
    """Tasks in processes, each with a browser of its own."""

    def __init__(self, order: Order) -> None:
        suite = order.suite
        self.order = order
        self.tasks: list[Task] = live_tasks(suite, order.options, order.limit or LIVE_CASES)
        if not self.tasks:
            raise InputError(f"the suite {suite.name} has no task for these options")
        for name in sorted(set(order.settings.world_options) & set(self.tasks[0].options) & set(suite.choices)):
            raise InputError(f"--with {name}: the suite {suite.name} sets it for each task; use --option {name}=VALUE")

    def carry_out(self, store: Store, on_result: OnResult) -> Iterator[str]:
        order = self.order
        missing = [task for task in self.tasks if task.id not in store.results]
        done = len(self.tasks) - len(missing)
        for _, result in work_through(missing, partial(LiveWorker, order.settings, order.out), order.workers):
            store.add(result)
            done += 1
            on_result(result, done, len(self.tasks))
        yield from (task.id for task in self.tasks)


# -- recordings --------------------------------------------------------------------------------------------------------


def dataset_of(order: Order) -> Dataset:
    """The reader that knows the folder."""
    suite = order.suite
    if order.data is None:
        raise InputError(f"{suite.name} needs its data: --data FOLDER")
    names = [name for name in suite.datasets if len(suite.datasets) == 1 or knows(name, order.data)]
    kind = names[0] if names else suite.datasets[0]
    choices = DATASETS.get(kind).choices
    own = {name: value for name, value in suite.options.items() if name in choices}
    return open_dataset(order.data, kind, keep_going=order.keep_going, **{**own, **order.options})


def knows(name: str, folder: Path) -> bool:
    return folder.exists() and DATASETS.get(name).recognises(folder)


def cases(samples: Iterable[Sample], limit: int | None) -> Iterator[tuple[str, list[Sample]]]:
    """Episodes; samples that belong to none are cases of their own."""
    scored = (sample for sample in samples if sample.step.truth)
    grouped = groupby(scored, key=lambda sample: sample.step.episode or sample.step.id)
    for id, group in islice(grouped, limit):
        yield id, list(group)


class Recordings:
    """Episodes in threads: a model on a server answers many at a time, a local one takes them in turn."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self.data = dataset_of(order)
        self.answerers = Answerers(order)

    def carry_out(self, store: Store, on_result: OnResult) -> Iterator[str]:
        order, done = self.order, len(store.results)
        seen: set[str] = set()
        try:
            with ThreadPoolExecutor(order.workers) as pool:
                flying: set[Future[Result]] = set()
                for id, samples in cases(self.data.samples(), order.limit):
                    if id in seen:
                        raise InputError(f"{samples[0].where}: the episode or sample {id!r} is there twice")
                    seen.add(id)
                    yield id
                    if id in store.results:
                        continue
                    flying.add(pool.submit(self.answerers.answer, id, samples))
                    while len(flying) >= 2 * order.workers:
                        done = _gather(flying, store, on_result, done)
                while flying:
                    done = _gather(flying, store, on_result, done)
        finally:
            self.answerers.close()
        if not seen:
            raise InputError(f"{order.data} holds no sample with a truth to score against")


def _gather(flying: set[Future[Result]], store: Store, on_result: OnResult, done: int) -> int:
    ready, _ = wait(flying, return_when=FIRST_COMPLETED)
    for future in ready:
        flying.remove(future)
        result = future.result()
        store.add(result)
        done += 1
        on_result(result, done, None)
    return done


class Answerers:
    """One model, and an agent for each thread that asks it."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self.models = ModelCache(order.settings)
        self.model = order.model
        if self.model is None:
            self.model = self.models.of_agent(order.settings.model)
        self.local = threading.local()
        self.kept, self.profile = count(), get_profile(order.suite.profile)
        self.agent()  # what is wrong with the settings shows before anything is read

    def answer(self, id: str, samples: Sequence[Sample]) -> Result:
        if not hasattr(self.local, "agent"):
            self.local.agent = self.agent()
        agent: StaticAgent = self.local.agent
        result = agent.episode(id, samples)
        if result.status == "done" and wrong_steps(result, self.profile) and next(self.kept) < KEPT:
            kept = keep_sample(self.order.out, result, [sample.picture for sample in samples])
            result.run = kept.relative_to(self.order.out).as_posix()
        return result

    def agent(self) -> StaticAgent:
        settings, suite = self.order.settings, self.order.suite
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
