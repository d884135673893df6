"""The person at the page, as a run's loop sees one: commands come from one thread, and the run waits in another."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

from saccade.actions import Action
from saccade.agents.approval import Answer, ApprovalQuestion, StoppedByPerson
from saccade.agents.approval.action_effect import one_line
from saccade.agents.approval.ask import action_in_words, risk_in_words
from saccade.agents.control import NextStep, Review, RunControl
from saccade.agents.log import RunLog
from saccade.agents.records import LoggedStep
from saccade.errors import InputError
from saccade.paradigms.wording import in_words
from saccade.studio.live.messages import MOST_ELEMENTS, MOST_ROWS, Command, Event, Phase, Question, Row, State
from saccade.studio.live.typed_secrets import hide_typed
from saccade.worlds.base import Observation, World

LONGEST_TEXT = 4_000
"""Characters of a hint or an instruction."""


class PageControl(RunControl):
    """Waits for the page's commands and tells the page the state. `tell` is called with each event, in order."""

    def __init__(self, tell: Callable[[Event], None], record: bool, paused: bool, answer_seconds: float) -> None:
        self.tell = tell
        self.state = State(record=record, paused=paused, taken=record)
        self.answer_seconds = answer_seconds
        self.finished: Command | None = None
        """How the person ended a recording."""
        self._changed = threading.Condition()
        self._world: World | None = None
        self._shown: Observation | None = None
        self._acts: deque[Command] = deque()
        self._reviewed: Review | None = None
        self._answered: Answer | None = None
        self._came: bool | None = None
        self._hint = self._instruction = ""
        self._look = self._stopped = False
        self._questions = 0

    # -- from the page -------------------------------------------------------------------------------------------------

    def command(self, command: Command) -> None:
        """Take a command. One that no longer fits, because the run has gone on, changes nothing."""
        with self._changed:
            getattr(self, f"do_{command.do}")(command)
            self._publish()
            self._changed.notify_all()

    def do_pause(self, command: Command) -> None:
        self.state.paused = True

    def do_resume(self, command: Command) -> None:
        self.state.paused = False
        self._say(Review())

    def do_step(self, command: Command) -> None:
        self.state.paused = True
        self._say(Review())

    def do_edit(self, command: Command) -> None:
        if command.action is not None:
            self._say(Review(command.action))

    def do_again(self, command: Command) -> None:
        self._say(Review(again=True))

    def do_stop(self, command: Command) -> None:
        self._stopped = True

    def do_take_over(self, command: Command) -> None:
        self.state.taken = True
        self._say(Review(again=True))
        if self.state.phase == "request":
            self._came = True
        if self.state.phase == "question":  # the person does it differently
            self._answered = "no"

    def do_hand_back(self, command: Command) -> None:
        if self.state.taken and not self.state.record:
            self.state.taken, self._look = False, True

    def do_act(self, command: Command) -> None:
        if self.state.taken and command.action is not None:
            self._acts.append(command)

    def do_look(self, command: Command) -> None:
        self._look = self.state.taken

    def do_hint(self, command: Command) -> None:
        self._hint = "\n".join(filter(None, [self._hint, command.text.strip()[:LONGEST_TEXT]]))
        self._say(Review(again=True))

    def do_instruction(self, command: Command) -> None:
        if text := command.text.strip()[:LONGEST_TEXT]:
            self._instruction = self.state.instruction = text
        self._say(Review(again=True))

    def do_answer(self, command: Command) -> None:
        asked = self.state.question
        if asked is not None and command.question == asked.number:
            self._answered = command.answer

    def do_decline(self, command: Command) -> None:
        if self.state.phase == "request":
            self._came = False

    def do_finish(self, command: Command) -> None:
        if self.state.record and self.finished is None and command.action is not None:
            self.finished = command
            self.do_instruction(command)
            self._acts.append(command)

    def _say(self, review: Review) -> None:
        """Of a proposal that waits."""
        if self.state.phase == "paused":
            self._reviewed = review

    # -- from the run --------------------------------------------------------------------------------------------------

    def begin(self, world: World) -> None:
        self._world = world
        self.state.actions, self.state.space = sorted(world.actions), world.space

    def next_step(self, seen: Observation) -> NextStep:
        with self._changed:
            self._show(seen)
            action = self._act_of_person(seen) if self.state.taken else None
            look, self._look = self._look and action is None, False
            if look and self.state.taken:
                return NextStep(look=True, ask_again=True)
            hint, instruction = self._hint, self._instruction
            self._hint = self._instruction = ""
            self._enter("agent")
        return NextStep(action, look, hint=hint, instruction=instruction)

    def _act_of_person(self, seen: Observation) -> Action | None:
        """What the person does; None if the run was handed back, or the screen is to be read again."""
        assert self._world is not None
        while True:
            self._wait("person", lambda: bool(self._acts) or self._look or not self.state.taken)
            if not self._acts:
                return None
            command = self._acts.popleft()
            assert command.action is not None
            try:
                return hide_typed(command.action, command.secret, seen, self._world)
            except InputError as error:
                self.state.trouble = str(error)

    def review(self, step: LoggedStep, seen: Observation) -> Review:
        with self._changed:
            self._show(seen)  # a new one, where the person acted outside of the run
            self.state.proposal, self.state.thought = step.prediction, step.thought
            self.state.words = proposed_words(step)
            if self.state.taken:
                self._drop_proposal()
                return Review(again=True)
            if not self.state.paused:
                self._enter("agent")
                return Review()
            self._reviewed = Review(again=True) if self._hint or self._instruction else None
            self._wait("paused", lambda: self._reviewed is not None)
            assert self._reviewed is not None
            if self._reviewed.again:
                self._drop_proposal()
            self._enter("agent")
            return self._reviewed

    def _drop_proposal(self) -> None:
        self.state.proposal, self.state.thought, self.state.words = None, "", {}

    def ask_person(self, why: str, seconds: float) -> bool:
        with self._changed:
            self.state.request, self._came = why, None
            self._wait("request", lambda: self._came is not None, seconds)
            self.state.request = ""
            self._enter("agent")
            return bool(self._came)

    def ask(self, question: ApprovalQuestion) -> Answer:
        """The approval gate's question. Without an answer in time the action is refused."""
        with self._changed:
            self._questions += 1
            self.state.question, self._answered = shown_question(question, self._questions), None
            self._wait("question", lambda: self._answered is not None, self.answer_seconds)
            self.state.question = None
            self._enter("agent")
            return self._answered or "nobody"

    def started(self, log: RunLog) -> None:
        with self._changed:
            self.state.instruction, self.state.phase = log.run.instruction, "agent"
            self.state.rows, self.state.steps = [row_of(step) for step in log.steps[-MOST_ROWS:]], len(log.steps)
            self._publish()

    def stepped(self, step: LoggedStep) -> None:
        """A step was done and logged."""
        with self._changed:
            row = row_of(step)
            self.state.rows.append(row)
            del self.state.rows[:-MOST_ROWS]
            self.state.steps += 1
            self.state.trouble = row.trouble if step.by == "person" else ""
            if step.by == "person" and not step.acted:  # the page may show something else by now
                self._look = self.state.taken
            self._drop_proposal()
            self._publish()

    def stop(self) -> None:
        """End the run at the next place where it asks."""
        self.command(Command("stop"))

    # -- waiting and telling -------------------------------------------------------------------------------------------

    def _wait(self, phase: Phase, ready: Callable[[], bool], seconds: float | None = None) -> None:
        """Wait in a phase until it is ready, at most for so long. Raises `StoppedByPerson` if the run is to end."""
        self.state.until = time.time() + seconds if seconds is not None else 0.0
        self._enter(phase)
        self._changed.wait_for(lambda: self._stopped or ready(), seconds)
        self.state.until = 0.0
        self._stop_if_told()

    def _enter(self, phase: Phase) -> None:
        self.state.phase = phase
        self._publish()
        self._stop_if_told()

    def _stop_if_told(self) -> None:
        if self._stopped:
            raise StoppedByPerson

    def _publish(self) -> None:
        self.tell(Event(self.state))

    def _show(self, seen: Observation) -> None:
        """Tell the page a new screen."""
        if seen is self._shown:
            return
        self._shown = seen
        picture = seen.screen.picture
        self.state.screen += 1
        (width, height), self.state.place = seen.screen.size, seen.url or seen.app
        self.state.size = (width, height)
        elements = list(seen.screen.elements)[:MOST_ELEMENTS]
        self.tell(Event(self.state, picture.data() if picture is not None else b"", elements))


def row_of(step: LoggedStep) -> Row:
    """A step as the list of steps shows it."""
    refused = step.approval.why if step.approval is not None and not step.approval.allowed else ""
    trouble = step.problem or refused or step.error
    return Row(step.step, step.by, words_of(step), trouble, step.edited_from is not None, step.asked)


def words_of(step: LoggedStep) -> dict[str, str]:
    """The action of a step in both languages; empty if there is none."""
    if step.prediction is None:
        return {}
    return {"en": in_words(step.prediction, step.view, "en"), "zh": in_words(step.prediction, step.view, "zh")}


def proposed_words(step: LoggedStep) -> dict[str, str]:
    """What the agent wants to do, in both languages, with the text of the element that it touches."""
    action = step.prediction
    if action is None:
        return {}
    place = action.point or action.start
    hit = step.view.element_at(place) if place is not None else None
    target = f" · {one_line(hit.text or hit.caption)}" if hit is not None else ""
    return {"en": action_in_words(action) + target, "zh": action_in_words(action, zh=True) + target}


def shown_question(question: ApprovalQuestion, number: int) -> Question:
    return Question(
        number,
        {"en": action_in_words(question.action), "zh": action_in_words(question.action, zh=True)},
        {"en": risk_in_words(question.risk), "zh": risk_in_words(question.risk, zh=True)},
        question.rule,
        question.target,
        question.now,
        question.leads,
        question.place,
    )
