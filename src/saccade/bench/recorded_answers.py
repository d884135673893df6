"""Answers to recorded samples: agents that share one model, in the threads of a process or in workers elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from saccade.agents.build import ModelCache, ask_of, guide_of, hints_of, paradigm_of, reference_model
from saccade.agents.ledger import Ledger, MeteredModel
from saccade.agents.policy import open_policy
from saccade.agents.settings import Settings
from saccade.bench.cases import Result
from saccade.bench.static import StaticAgent, StepTeacher
from saccade.bench.suites import Suite, get_suite
from saccade.data.element_filling import ElementFinder, job_of, with_elements
from saccade.data.readers import Sample
from saccade.errors import InputError
from saccade.geometry import Frame
from saccade.models.base import Model
from saccade.screens.element_source import TREE

EXACT = Frame("pixel", digits=15)
"""How the oracle writes places: AITZ's rule calls a point right only if it is exactly the true one."""


class AgentPool:
    """One model, and one agent for each thread. `model` is used instead of the one in the settings."""

    def __init__(self, suite: Suite, settings: Settings, model: Model | None = None) -> None:
        self.suite, self.settings = suite, settings
        self.models = ModelCache(settings)
        self.model = model if model is not None else self.models.of_agent(settings.model)
        self.local = threading.local()
        self.hints = hints_of(settings, self.model)
        self.agent()  # raises before any data is read if the settings are not valid
        self.finder()

    def is_blind(self, sample: Sample) -> bool:
        """Does a prompt show nothing of this screen? The oracle knows the answer without."""
        found = sample.step.elements or (self.settings.elements != TREE and sample.picture is not None)
        if self.model is None or (self.hints == "parsed" and found):
            return False
        return self.model.reads != "pictures" or sample.picture is None

    def answer(self, id: str, samples: Sequence[Sample]) -> Result:
        if not hasattr(self.local, "agent"):
            self.local.agent = self.agent()
            self.local.finder = self.finder()
        agent: StaticAgent = self.local.agent
        samples = [self.seen(sample, self.local.finder) for sample in samples]
        result = agent.episode(id, samples)
        blind = {sample.step.id for sample in samples if self.is_blind(sample)}
        result.blind = sum(step.id in blind for step in result.steps)
        return result

    def finder(self) -> ElementFinder | None:
        elements = self.settings.elements
        return None if elements == TREE else ElementFinder(elements)

    def seen(self, sample: Sample, finder: ElementFinder | None) -> Sample:
        """A sample with the elements that the settings ask for: its own, or what a source finds in its picture."""
        job = job_of(sample) if finder is not None else None
        if finder is None or job is None:
            return sample
        try:
            return with_elements(sample, finder.find(job))
        except ValueError as error:
            raise InputError(f"{sample.where}: {error}") from None

    def agent(self) -> StaticAgent:
        settings, suite = self.settings, self.suite
        ledger, teacher = Ledger(), StepTeacher()
        paradigm, sight = paradigm_of(settings, suite.space, "en", self.model or settings.model)
        if self.model is None and settings.coordinates is None:
            paradigm = replace(paradigm, frame=EXACT)
        own = MeteredModel(self.model or reference_model(settings.model, teacher, paradigm, teacher.look), ledger)
        guide = guide_of(settings, self.models, teacher, own, "en", suite.profile)
        ask = ask_of(settings, paradigm, self.model)
        policy = open_policy(own, paradigm, settings.agent, guide=guide, ask=ask, k=settings.k)
        return StaticAgent(
            policy,
            sight,
            ledger,
            teacher,
            self.hints,
            suite.level,
            settings.language,
            settings.seed,
            settings.context,
            settings.tries,
        )

    def close(self) -> None:
        self.models.close()


class RecordingWorker:
    """Answers cases in a worker of `saccade.engines`."""

    def __init__(self, suite: str, settings: Settings) -> None:
        self.agents = AgentPool(get_suite(suite), settings)

    def do(self, job: tuple[str, list[Sample]], folder: Path) -> Result:
        return self.agents.answer(*job)

    def close(self) -> None:
        self.agents.close()


def carried(sample: Sample) -> Sample:
    """The sample with its picture's bytes, which another machine can read; one that cannot be read stays as it is."""
    if sample.picture is None or isinstance(sample.picture.source, bytes):
        return sample
    try:
        return sample._replace(picture=replace(sample.picture, source=sample.picture.data()))
    except OSError:
        return sample
