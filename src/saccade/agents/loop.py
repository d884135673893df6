"""The loop: observe → elements → prompt → sample → parse → check → act → log."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from saccade.actions import Action
from saccade.agents.approval import Gate, StoppedByPerson
from saccade.agents.elements import ElementHints, hinted_elements
from saccade.agents.endings import ending_text
from saccade.agents.guidance import Case
from saccade.agents.ledger import Ledger, Limits
from saccade.agents.log import RunLog
from saccade.agents.loop_detector import LoopDetector
from saccade.agents.memory import Memory
from saccade.agents.policy import Decision, Policy
from saccade.agents.records import EndedBy, LoggedStep, Outcome, Status, StepSeconds
from saccade.agents.redact import redact
from saccade.errors import MissingError
from saccade.models.base import Ask, ModelError
from saccade.models.families import VisionSettings
from saccade.paradigms.base import Language
from saccade.scoring.rewards import REWARDS
from saccade.scoring.rewards.base import RewardRow
from saccade.types import Element
from saccade.worlds.base import InfrastructureError, Observation, World, check_observation
from saccade.worlds.teachers import Teacher

MOST_UNREADABLE = 3
MOST_REFUSED = 3
"""A run ends after this many steps in a row without a parsable answer, or with a refused action."""

OnStep = Callable[[LoggedStep], None]
"""Called after each step, to show progress."""


@dataclass
class Agent:
    """Everything that an attempt needs except the world."""

    policy: Policy
    gate: Gate
    ledger: Ledger
    limits: Limits = field(default_factory=Limits)
    sight: VisionSettings = field(default_factory=lambda: VisionSettings.of("", (3136, 1_003_520)))
    hints: ElementHints = "none"
    teacher: Teacher | None = None
    seed: int = 0
    on_step: OnStep = lambda step: None
    began: float = field(default_factory=time.monotonic)
    before: float = 0.0
    """Seconds that the run took before it was interrupted and resumed."""
    current: Observation | None = None
    """The current screen: the oracle reads it, and after an attempt its judge sees it."""

    @property
    def language(self) -> Language:
        return self.policy.paradigm.language


def run_attempt(
    agent: Agent, world: World, seen: Observation, log: RunLog, number: int, lessons: Sequence[str] = ()
) -> Outcome:
    """One attempt at the task, from the screen `seen` on, until it is done, given up, or stopped. `lessons` are the
    reflections of earlier attempts. If the log already has steps of this attempt, the attempt continues after them.
    """
    state = AttemptState(agent, world, log, number, lessons)
    try:
        while (end := state.limit()) is None:
            seen, end = state.step(seen)
            if end is not None:
                break
    except InfrastructureError as error:
        end = state.ended("broken", "world", ending_text("world", agent.language, error))
    except ModelError as error:
        end = state.ended("broken", "model", ending_text("model", agent.language, error))
    except StoppedByPerson:
        end = state.ended("interrupted", "person", ending_text("person", agent.language))
    return end


class AttemptState:
    """An attempt in progress."""

    def __init__(self, agent: Agent, world: World, log: RunLog, number: int, lessons: Sequence[str]) -> None:
        self.agent, self.world, self.log, self.number = agent, world, log, number
        self.lessons = list(lessons)
        self.done = log.of_attempt(number)
        self.memory = Memory.of_log(agent.policy.paradigm, agent.sight, self.done, log.folder)
        self.loop_detector = LoopDetector()
        self.warnings: list[str] = []
        self.unreadable = self.refused = 0

    def limit(self) -> Outcome | None:
        seconds = time.monotonic() - self.agent.began + self.agent.before
        reached = self.agent.limits.reached(len(self.done), seconds, self.agent.ledger.usage)
        return None if reached is None else self.ended("failure", reached[0], self._why(*reached))

    def ended(
        self, status: Status, by: EndedBy, reason: str, seen: Observation | None = None, answer: str = ""
    ) -> Outcome:
        return Outcome(status, by, reason, seen.reward if seen else 0.0, answer, len(self.done))

    def _why(self, ending: str, *values: object) -> str:
        return ending_text(ending, self.agent.language, *values)

    # -- one step -------------------------------------------------------------------------------------------------

    def step(self, seen: Observation) -> tuple[Observation, Outcome | None]:
        """Decide, act and log one step. Returns the next screen, and the outcome if the attempt is over."""
        agent, began = self.agent, time.perf_counter()
        agent.current = seen
        spent, used = StepSeconds(), agent.ledger.usage
        model_before = agent.ledger.seconds
        elements = self._elements(seen, spent)
        notes = [*self.lessons, *self.warnings]
        decision = self._decide(seen, notes)
        spent.model, spent.first_token = agent.ledger.seconds - model_before, decision.first_token
        step = self._record(seen, elements, decision, notes)
        after = self._act(decision.action, seen, step, spent)
        step.usage = agent.ledger.usage - used
        spent.total = time.perf_counter() - began
        step.seconds = spent
        self.log.step(step, seen.screen.picture)
        self.done.append(step)
        self.memory.add(step, seen.screen.picture)
        agent.on_step(step)
        agent.current = after
        return after, self._end(step, after)

    def _elements(self, seen: Observation, spent: StepSeconds) -> list[Element]:
        began = time.perf_counter()
        elements = list(seen.screen.elements)
        spent.elements = time.perf_counter() - began
        return elements

    def _decide(self, seen: Observation, notes: Sequence[str]) -> Decision:
        agent, at = self.agent, len(self.done)
        instruction = self.log.run.instruction
        self.memory.summarise(agent.policy.model, seen.screen, Ask(purpose="summarise", max_tokens=300))
        hinted = hinted_elements(agent.hints, seen, agent.teacher, agent.seed + at)
        situation = self.memory.situation(instruction, seen.screen, hinted, notes)
        summary = self.memory.context or "; ".join(self.memory.lines)
        case = Case(instruction, summary, seen.screen, seen, tuple(self.done), self.number)
        return agent.policy.decide(situation, case, agent.seed + at)

    def _record(
        self, seen: Observation, elements: list[Element], decision: Decision, notes: Sequence[str]
    ) -> LoggedStep:
        run = self.log.run
        lesson = self.agent.teacher.teach(seen) if self.agent.teacher else None
        at = len(self.done)
        step = decision.logged(
            id=f"{run.id}-{self.number}-{at:03}",
            episode=f"{run.id}-{self.number}",
            step=at,
            attempt=self.number,
            instruction=run.instruction,
            screen=seen.screen.size,
            history=list(self.memory.lines),
            context=self.memory.context,
            elements=elements,
            key_elements=lesson.annotated if lesson else None,
            truth=list(lesson.truth) if lesson else [],
            paradigm=self.agent.policy.paradigm.name,
            url=seen.url,
            app=seen.app,
            notes=list(notes),
        )
        self._reward(step)
        return step

    def _reward(self, step: LoggedStep) -> None:
        """Log the reward that training would give for this answer."""
        if step.truth and step.paradigm in REWARDS.names():
            reward = REWARDS.get(step.paradigm)(paradigm=self.agent.policy.paradigm)  # type: ignore[call-arg]
            try:
                parts = reward.parts(RewardRow.of_step(step))
            except MissingError:  # word vectors that are not installed: the reward only informs, and the run goes on
                return
            step.rewards = {**parts, "total": reward.total(parts)}

    def _act(self, action: Action | None, seen: Observation, step: LoggedStep, spent: StepSeconds) -> Observation:
        """Ask the gate, then act; what went wrong becomes a warning in the next prompt."""
        self.warnings = []
        zh = self.agent.language == "zh"
        if action is None:
            self.unreadable += 1
            said = f"上一个回答无法读取：{step.problem}" if zh else f"The last answer could not be read: {step.problem}"
            self.warnings.append(said)
            return seen
        self.unreadable = 0
        began = time.perf_counter()
        step.approval = self.agent.gate.check(action, seen, self.world)
        spent.person = time.perf_counter() - began
        if not step.approval.allowed:
            self.refused += 1
            self.warnings.append(step.approval.why)
            return seen
        self.refused = 0
        self.loop_detector.watch(action, seen.screen)
        began = time.perf_counter()
        after = redact(check_observation(self.world.act(action), self.world, "act"), self.world.vault)
        spent.world = time.perf_counter() - began
        step.acted, step.error, step.events = True, after.error, list(after.events)
        step.reward, step.done = after.reward, after.done
        if after.error:
            said = f"上一个动作没有成功：{after.error}" if zh else f"The last action did not work: {after.error}"
            self.warnings.append(said)
        return after

    # -- end of the attempt -------------------------------------------------------------------------------------------

    def _end(self, step: LoggedStep, after: Observation) -> Outcome | None:
        action = step.prediction
        if self.unreadable >= MOST_UNREADABLE:
            return self.ended("failure", "unreadable", self._why("unreadable", MOST_UNREADABLE))
        if self.refused >= MOST_REFUSED:
            said = step.approval.why if step.approval else ""
            return self.ended("failure", "refused", self._why("refused", MOST_REFUSED, said))
        last = action is not None and step.acted and action.type in ("terminate", "answer")
        answer = (action.text or "") if action is not None and last else ""
        if after.done:
            status: Status = "success" if self.world.succeeded(after) else "failure"
            reason = self._why("done" if status == "success" else "not done")
            return self.ended(status, "agent" if last else "world", reason, after, answer)
        if action is not None and last:
            return self._ended_by_agent(action, after, answer)
        note, stop = self.loop_detector.check(after.screen, self.agent.language) if step.acted else ("", False)
        if stop:
            return self.ended("failure", "loop", self._why("loop"))
        self.warnings += [note] if note else []
        return None

    def _ended_by_agent(self, action: Action, after: Observation, answer: str) -> Outcome:
        """The agent ended the attempt, and the world has not judged it."""
        if self.world.judges:
            return self.ended("failure", "agent", self._why("too early"), after, answer)
        if action.status == "failure":
            return self.ended("gave up", "agent", self._why("given up"), after, answer)
        return self.ended("claimed", "agent", self._why("claimed"), after, answer)
