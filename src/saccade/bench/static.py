"""Recorded samples: the model answers each step of an episode as it was recorded, whatever it answered before.

What it remembers is its own, as in live runs: SecAgent's summary, GuidNav's h_t. The annotated summary of the step that
is asked (C_t) is a part of the answer and is never shown; `context="annotated"` shows that of the step before, C_{t-1}.
"""

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
from saccade.agents.policy import Decision, Policy
from saccade.agents.records import LoggedStep, StepSeconds
from saccade.agents.reference_model import ReferenceModel
from saccade.bench.cases import Result
from saccade.data.readers.base import Sample
from saccade.models.base import Ask, ModelError
from saccade.models.families import VisionSettings
from saccade.paradigms.base import Turn
from saccade.paradigms.wording import in_words, language_of
from saccade.types import Screen, Step
from saccade.worlds.base import Observation
from saccade.worlds.teachers import Lesson, Teacher

SEEDS_APART = 1_000_003
"""Between the seeds of two tries of the same step."""


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
    context: Literal["own", "annotated"] = "own"
    """Whose summary a prompt shows: the model's own previous one, or C_{t-1} of the record."""
    tries: int = 1
    """How often an episode is answered (pass@n). All tries are steps of the result, told apart by `attempt`."""
    memory: Memory = field(init=False)
    """Of the try that is under way."""

    def episode(self, id: str, samples: Sequence[Sample]) -> Result:
        """All steps of a case. A model that breaks breaks the case, and it can be done again."""
        language = language_of(samples[0].step.instruction) if self.language == "auto" else self.language
        paradigm = dataclasses.replace(self.policy.paradigm, language=language)
        self.policy = dataclasses.replace(self.policy, paradigm=paradigm)
        steps: list[LoggedStep] = []
        began, used = time.perf_counter(), self.ledger.usage
        try:
            for attempt in range(self.tries):
                self.begin()
                steps += [self.answer(sample, at, attempt) for at, sample in enumerate(samples)]
        except ModelError as error:
            return Result(id=id, status="broken", problem=str(error), tags=samples[0].step.tags)
        tokens = [step.seconds.first_token for step in steps if step.seconds.first_token is not None]
        return Result(
            id=id,
            tags=samples[0].step.tags,
            steps=steps,
            turns=len(steps),
            usage=self.ledger.usage - used,
            weighting=self.policy.guide.weighting.note,
            seconds=round(time.perf_counter() - began, 4),
            model_seconds=round(sum(step.seconds.model for step in steps), 4),
            first_token=fmean(tokens) if tokens else None,
        )

    def begin(self) -> None:
        """Forget the episode, or the try, before."""
        self.memory = Memory(self.policy.paradigm, self.sight)
        if isinstance(self.policy.model, MeteredModel) and isinstance(self.policy.model.model, ReferenceModel):
            self.policy.model.model.begin()

    def answer(self, sample: Sample, at: int, attempt: int = 0) -> LoggedStep:
        """One step: the history is the recorded one. Where the paradigm has the model summarise (GuidNav §3.1, h_t), it
        is asked before each step but the first, and this step's screen is the one after the last action.
        """
        step, memory = sample.step, self.memory
        began, used, before = time.perf_counter(), self.ledger.usage, self.ledger.seconds
        screen = Screen(step.screen, sample.picture, step.elements)
        seen = Observation(screen, instruction=step.instruction)
        self.teacher.show(step, seen)
        memory.lines = list(step.history)
        if self.context == "annotated":
            memory.context = step.context
        else:
            memory.summarise(self.policy.model, screen, Ask(purpose="summarise", max_tokens=300))
        seed = self.seed + at + attempt * SEEDS_APART
        hinted = hinted_elements(self.hints, seen, self.teacher, self.seed + at)
        situation = memory.situation(step.instruction, screen, hinted, ())
        if self.level == "low":
            situation = dataclasses.replace(situation, step_instruction=step.step_instruction)
        case = Case(step.instruction, memory.context or "; ".join(step.history), screen, seen)
        decision = self.policy.decide(situation, case, seed)
        logged = self.logged(step, decision, memory.context)
        if self.tries > 1:
            logged.attempt, logged.tags = attempt, {**step.tags, "attempt": str(attempt)}
            logged.episode = step.episode or step.id
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
        """The model's own summary and thought stay; screenshots and h_t go with what was really done, the recorded
        action.
        """
        memory, step, paradigm = self.memory, sample.step, self.policy.paradigm
        memory.context, memory.thought = logged.summary or memory.context, logged.thought
        memory.pending = (logged.thought, in_words(step.truth[0], step.view, paradigm.language))
        if sample.picture is not None:
            shown = self.sight.show(sample.picture) or sample.picture
            memory.turns.append(Turn(shown, paradigm.call(step.truth[0], Screen(step.screen, None, step.elements))))
