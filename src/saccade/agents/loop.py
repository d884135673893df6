"""The loop: observe → elements → prompt → sample → parse → check → act → log."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import ParamSpec, TypeVar

from saccade.actions import Action
from saccade.agents.approval import Gate, StoppedByPerson
from saccade.agents.control import NextStep, RunControl, hint_note, request_answer, request_of
from saccade.agents.elements import ElementHints, hinted_elements
from saccade.agents.endings import ending_text
from saccade.agents.guidance import Case
from saccade.agents.ledger import Ledger, Limits
from saccade.agents.log import RunLog
from saccade.agents.loop_detector import LoopDetector
from saccade.agents.memory import Memory
from saccade.agents.policy import Decision, Policy
from saccade.agents.records import (
    Approval,
    ChosenBy,
    EndedBy,
    LoggedStep,
    Outcome,
    ScoredCandidate,
    Status,
    StepSeconds,
)
from saccade.agents.redact import redact
from saccade.errors import MissingError
from saccade.models.base import Ask, ModelError
from saccade.models.families import VisionSettings
from saccade.paradigms.base import Language, Situation
from saccade.scoring.rewards import REWARDS
from saccade.scoring.rewards.base import RewardRow
from saccade.types import Element
from saccade.worlds.base import InfrastructureError, Observation, World, check_observation, key_name
from saccade.worlds.teachers import Teacher

MOST_UNREADABLE = 3
MOST_REFUSED = 3
"""A run ends after this many steps in a row without a parsable answer, or with a refused action."""

LOOKING = frozenset(("swipe", "hover", "wait", "answer", "terminate"))
"""Actions that do nothing but look, or end the run."""

P = ParamSpec("P")
T = TypeVar("T")
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
    control: RunControl = field(default_factory=RunControl)
    person_seconds: float = 0.0
    """How long the run waits where the agent asks for a person; 0: it cannot ask."""
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
    except KeyboardInterrupt:
        state.keep_unfinished(ending_text("interrupted", agent.language))
        raise
    state.keep_unfinished(end.reason)
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
        self.hints = [step.hint for step in self.done if step.hint]
        self.request_answer = ""
        """What became of the agent's request for a person, until a prompt has said it."""
        self.unreadable = self.refused = 0
        self.in_progress: Callable[[], LoggedStep] | None = None
        """The record of the step in progress, as far as it is known: its screen, and what the model is asked."""

    def keep_unfinished(self, why: str) -> None:
        """Log the step in progress, if the attempt ends before it is done."""
        if self.in_progress is not None and self.agent.current is not None:
            step = self.in_progress()
            step.error = why
            self.log.unfinished(step, self.agent.current.screen.picture)

    def limit(self) -> Outcome | None:
        seconds = time.monotonic() - self.agent.began + self.agent.before
        own = sum(step.by == "agent" for step in self.done)  # a person may take as many as it needs
        reached = self.agent.limits.reached(own, seconds, self.agent.ledger.usage)
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
        spent, used = StepSeconds(), agent.ledger.usage
        model_before = agent.ledger.seconds
        seen, step = self._chosen(seen, spent)
        spent.model = agent.ledger.seconds - model_before
        after = self._act(step.prediction, seen, step, spent)
        step.usage = agent.ledger.usage - used
        spent.total = time.perf_counter() - began
        step.seconds = spent
        self.in_progress = None
        self.log.step(step, seen.screen.picture)
        self.done.append(step)
        self.memory.add(step, seen.screen.picture)
        agent.on_step(step)
        agent.current = after
        return after, self._end(step, after)

    def _chosen(self, seen: Observation, spent: StepSeconds) -> tuple[Observation, LoggedStep]:
        """The next step, not done yet: the agent's, as the person beside it lets it pass, or the person's own. Also the
        screen that it begins on.
        """
        agent, dropped, hints = self.agent, None, list[str]()
        while True:
            wish = self._with_person(spent, agent.control.next_step, seen)
            seen = self._heed(wish, seen)
            hints += [self.world.vault.redact(wish.hint)] if wish.hint else []
            agent.current = seen
            if wish.ask_again:
                continue
            elements = self._elements(seen, spent)
            if wish.action is not None:
                own = Decision([], candidates=[ScoredCandidate(wish.action)])
                step = self._record(seen, elements, own, [], "person")
                step.edited_from, step.hint = dropped, "\n".join(hints)
                return seen, step
            told = [hint_note(hint, agent.language) for hint in self.hints]
            notes = [*self.lessons, *told, *self.warnings, *filter(None, [self.request_answer])]
            decision = self._decide(seen, notes)
            spent.first_token = decision.first_token
            step = self._record(seen, elements, decision, notes, "agent")
            step.hint = "\n".join(hints)
            said = self._with_person(spent, agent.control.review, step, seen)
            if not said.again:
                self.request_answer = ""
                if said.action is not None and said.action != step.prediction:
                    step.by, step.edited_from, step.prediction = "person", step.prediction, said.action
                return seen, step
            dropped = step.prediction

    def _with_person(self, spent: StepSeconds, wait: Callable[P, T], *about: P.args, **more: P.kwargs) -> T:
        """Waiting for a person counts as that, and not towards the limit of seconds."""
        began = time.perf_counter()
        found = wait(*about, **more)
        waited = time.perf_counter() - began
        spent.person += waited
        self.agent.began += waited
        return found

    def _heed(self, wish: NextStep, seen: Observation) -> Observation:
        """Take over a new instruction and a hint, and look again where a person acted outside of the run. Sandboxes
        stay as they are, and waiting in them would be an action.
        """
        if wish.instruction:
            self.log.run.instruction = self.agent.gate.instruction = self.world.vault.redact(wish.instruction)
            self.log.save()
        self.hints += [self.world.vault.redact(wish.hint)] if wish.hint else []
        if wish.look and self.world.real:
            now = self.world.act(Action("wait", seconds=0))
            return redact(check_observation(now, self.world, "act"), self.world.vault)
        return seen

    def _elements(self, seen: Observation, spent: StepSeconds) -> list[Element]:
        began = time.perf_counter()
        elements = list(seen.screen.elements)
        spent.elements += time.perf_counter() - began
        return elements

    def _decide(self, seen: Observation, notes: Sequence[str]) -> Decision:
        agent, at = self.agent, len(self.done)
        instruction = self.log.run.instruction
        self.memory.summarise(agent.policy.model, seen.screen, Ask(purpose="summarise", max_tokens=300))
        hinted = hinted_elements(agent.hints, seen, agent.teacher, agent.seed + at)
        situation = self.memory.situation(instruction, seen.screen, hinted, notes)
        summary = self.memory.context or "; ".join(self.memory.lines)
        case = Case(instruction, summary, seen.screen, seen, tuple(self.done), self.number)
        self.in_progress = partial(self._unanswered, seen, situation, case, notes)
        if not self.log.steps:  # a run that is killed before its first step still shows its first screen
            self.keep_unfinished("")
        return agent.policy.decide(situation, case, agent.seed + at)

    def _unanswered(self, seen: Observation, situation: Situation, case: Case, notes: Sequence[str]) -> LoggedStep:
        """The record of a step to which there is no answer yet."""
        decision = Decision(self.agent.policy.messages(situation, case))
        return self._about(decision, seen, list(seen.screen.elements), notes, "agent")

    def _record(
        self, seen: Observation, elements: list[Element], decision: Decision, notes: Sequence[str], by: ChosenBy
    ) -> LoggedStep:
        lesson = self.agent.teacher.teach(seen) if self.agent.teacher else None
        step = self._about(decision, seen, elements, notes, by)
        step.key_elements = lesson.annotated if lesson else None
        step.truth = list(lesson.truth) if lesson else []
        self._reward(step)
        return step

    def _about(
        self, decision: Decision, seen: Observation, elements: list[Element], notes: Sequence[str], by: ChosenBy
    ) -> LoggedStep:
        run, at = self.log.run, len(self.done)
        return decision.logged(
            id=f"{run.id}-{self.number}-{at:03}",
            episode=f"{run.id}-{self.number}",
            step=at,
            attempt=self.number,
            instruction=run.instruction,
            screen=seen.screen.size,
            history=list(self.memory.lines),
            context=self.memory.context,
            elements=elements,
            paradigm=self.agent.policy.paradigm.name if by == "agent" else "",
            by=by,
            url=seen.url,
            app=seen.app,
            notes=list(notes),
        )

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
        if self.agent.person_seconds and step.by == "agent" and (why := request_of(action)):
            return self._ask_person(why, seen, step, spent)
        began = time.perf_counter()
        gate = self.agent.gate if step.by == "agent" else self.agent.gate.of_person()
        step.approval = gate.check(action, seen, self.world)
        spent.person += time.perf_counter() - began
        if not step.approval.allowed:
            self.refused += 1
            self.warnings.append(step.approval.why)
            return seen
        self.refused = 0
        if step.by == "agent":
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

    def _ask_person(self, why: str, seen: Observation, step: LoggedStep, spent: StepSeconds) -> Observation:
        """The agent asks for a person: wait for one. What the person does are steps of their own."""
        step.asked, seconds = why, self.agent.person_seconds
        came = self._with_person(spent, self.agent.control.ask_person, why, seconds)
        answer = request_answer(came, seconds, self.agent.language)
        if not came:
            step.approval = Approval(False, answer, by="nobody")
        self.refused = 0 if came else self.refused + 1
        self.request_answer = answer
        return seen

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
            return self.ended(status, step.by if last else "world", reason, after, answer)
        if action is not None and last:
            return self._ended_by_agent(action, after, answer, step.by)
        watched = step.acted and step.by == "agent"
        note, stop = self.loop_detector.check(after.screen, self.agent.language) if watched else ("", False)
        if stop:
            return self.ended("failure", "loop", self._why("loop"))
        self.warnings += [note] if note else []
        return None

    def _ended_by_agent(self, action: Action, after: Observation, answer: str, by: EndedBy) -> Outcome:
        """The agent, or the person in its place, ended the attempt, and the world has not judged it."""
        if self.world.judges:
            return self.ended("failure", by, self._why("too early"), after, answer)
        if action.status == "failure":
            return self.ended("gave up", by, self._why("given up"), after, answer)
        if action.type == "terminate" and (refusal := last_refusal(self.done)):
            return self.ended("failure", "refused", self._why("refusal stands", refusal), after, answer)
        return self.ended("claimed", by, self._why("claimed"), after, answer)


def last_refusal(steps: Sequence[LoggedStep]) -> str:
    """Why an action was refused after which nothing else was done; empty if there is none. Scrolling, waiting and going
    back do nothing else. In the place of a risky deed (paying, deleting …) counts only one of the same risk: who may
    not delete, and looks around, has not deleted.
    """
    done: set[str] | None = None
    for step in reversed(steps):
        approval, action = step.approval, step.prediction
        if approval is not None and not approval.allowed and not step.asked:
            deed = approval.risk not in ("", "leave")
            if done is None or (deed and approval.risk not in done):
                return approval.why
        back = action is not None and action.type == "press" and key_name(str(action.key)) in ("back", "home")
        if step.acted and not step.error and action is not None and action.type not in LOOKING and not back:
            done = (done or set()) | ({approval.risk} if approval is not None else set())
    return ""
