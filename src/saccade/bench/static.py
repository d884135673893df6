"""Recorded samples: the model answers each step of an episode as it was recorded, whatever it answered before."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Literal

from saccade.agents.elements import ElementHints, hinted_elements
from saccade.agents.guidance import Case
from saccade.agents.ledger import Ledger, MeteredModel
from saccade.agents.memory import Memory
from saccade.agents.oracle import OracleModel
from saccade.agents.policy import Decision, Policy
from saccade.agents.records import LoggedStep, StepSeconds
from saccade.bench.cases import Result
from saccade.data.readers.base import Sample
from saccade.models.base import ModelError
from saccade.models.families import VisionSettings
from saccade.paradigms.base import Turn
from saccade.paradigms.wording import language_of
from saccade.types import Screen, Step
from saccade.worlds.base import Observation
from saccade.worlds.teachers import Lesson, Teacher


@dataclass
class StepTeacher(Teacher):
    """Knows the truth of the sample that is asked."""

    step: Step | None = None
    seen: Observation | None = None

    def show(self, step: Step, seen: Observation) -> None:
        self.step, self.seen = step, seen

    def look(self) -> Observation:
        assert self.seen is not None
        return self.seen

    def _teach(self, seen: Observation) -> Lesson:
        assert self.step is not None
        return Lesson(self.step.truth, self.step.key_elements, self.step.thought)


@dataclass
class StaticAgent:
    """Answers samples. One for each thread: it remembers the episode that it is in."""

    policy: Policy
    sight: VisionSettings
    ledger: Ledger
    teacher: StepTeacher
    hints: ElementHints = "none"
    level: str = "high"
    """`low`: the step's own instruction is told as well."""
    language: Literal["auto", "en", "zh"] = "auto"
    seed: int = 0
    turns: list[Turn] = field(default_factory=list)
    context: str = ""
    thought: str = ""

    def episode(self, id: str, samples: Sequence[Sample]) -> Result:
        """All steps of a case. A model that breaks breaks the case, and it can be done again."""
        self.turns, self.context, self.thought = [], "", ""
        if isinstance(self.policy.model, MeteredModel) and isinstance(self.policy.model.model, OracleModel):
            self.policy.model.model.begin()
        language = language_of(samples[0].step.instruction) if self.language == "auto" else self.language
        paradigm = dataclasses.replace(self.policy.paradigm, language=language)
        self.policy = dataclasses.replace(self.policy, paradigm=paradigm)
        steps: list[LoggedStep] = []
        began, used = time.perf_counter(), self.ledger.usage
        try:
            for sample in samples:
                steps.append(self.answer(sample, len(steps)))
        except ModelError as error:
            return Result(id=id, status="broken", problem=str(error), tags=samples[0].step.tags)
        tokens = [step.seconds.first_token for step in steps if step.seconds.first_token is not None]
        return Result(
            id=id,
            tags=samples[0].step.tags,
            steps=steps,
            turns=len(steps),
            usage=self.ledger.usage - used,
            seconds=round(time.perf_counter() - began, 4),
            model_seconds=round(sum(step.seconds.model for step in steps), 4),
            first_token=fmean(tokens) if tokens else None,
        )

    def answer(self, sample: Sample, at: int) -> LoggedStep:
        """One step: the history is the recorded one; the summary is the data's, else the model's own."""
        step = sample.step
        began, used, before = time.perf_counter(), self.ledger.usage, self.ledger.seconds
        screen = Screen(step.screen, sample.picture, step.elements)
        seen = Observation(screen, instruction=step.instruction)
        self.teacher.show(step, seen)
        memory = Memory(
            self.policy.paradigm,
            self.sight,
            list(step.history),
            step.context or self.context,
            self.turns,
            thought=self.thought,
        )
        hinted = hinted_elements(self.hints, seen, self.teacher, self.seed + at)
        situation = memory.situation(step.instruction, screen, hinted, ())
        if self.level == "low":
            situation = dataclasses.replace(situation, step_instruction=step.step_instruction)
        case = Case(step.instruction, memory.context or "; ".join(step.history), screen, seen)
        decision = self.policy.decide(situation, case, self.seed + at)
        logged = self.logged(step, decision, memory.context)
        logged.usage = self.ledger.usage - used
        total = time.perf_counter() - began
        logged.seconds = StepSeconds(self.ledger.seconds - before, total=total, first_token=decision.first_token)
        self.remember(sample, logged)
        return logged

    def logged(self, step: Step, decision: Decision, context: str) -> LoggedStep:
        """The record with the answer. What the record itself predicted, if anything, is not ours."""
        answered = ("prediction", "output", "thought", "summary")
        about = {name: getattr(step, name) for name in Step.__struct_fields__ if name not in answered}
        return decision.logged(**about | {"paradigm": self.policy.paradigm.name, "context": context})

    def remember(self, sample: Sample, logged: LoggedStep) -> None:
        """Earlier screenshots go with what was really done on them."""
        self.context, self.thought = logged.summary or self.context, logged.thought
        if sample.picture is not None and sample.step.truth:
            shown = self.sight.show(sample.picture) or sample.picture
            screen = Screen(sample.step.screen, None, sample.step.elements)
            self.turns.append(Turn(shown, self.policy.paradigm.call(sample.step.truth[0], screen)))
