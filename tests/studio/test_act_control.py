"""The person at the page as a run's loop sees one: what waits, what a command changes, and what comes too late."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import pytest

pytest.importorskip("fastapi", reason="needs the extra studio")
from gate_table import CLICK, Table, element, shows

from saccade.actions import Action
from saccade.agents.approval import ApprovalQuestion, StoppedByPerson
from saccade.agents.control import NextStep, Review
from saccade.agents.records import LoggedStep
from saccade.geometry import Size
from saccade.studio.live.control import PageControl
from saccade.studio.live.messages import Command, Event

T = TypeVar("T")
SEEN = shows(element("Send"))
STEP = LoggedStep(screen=Size(1000, 1000), prediction=CLICK, elements=list(SEEN.screen.elements))
BACK = Action("press", key="back")


class Waiting:
    """A control, and what its methods return to a run that waits in another thread."""

    def __init__(self, paused: bool = False, record: bool = False, answer: float = 5.0) -> None:
        self.events: list[Event] = []
        self.control = PageControl(self.events.append, record, paused, answer)
        self.control.begin(Table())
        self._pool = ThreadPoolExecutor(1)

    def run(self, phase: str, method: Callable[..., T], *about: object) -> Future[T]:
        """Call it in the other thread, and wait until the run waits in a phase."""
        future = self._pool.submit(method, *about)
        end = time.monotonic() + 5
        while self.control.state.phase != phase and time.monotonic() < end:
            time.sleep(0.002)
        assert self.control.state.phase == phase
        return future

    def say(self, do: str, **more: object) -> None:
        self.control.command(Command(do, **more))  # type: ignore[arg-type]


def test_a_proposal_waits_only_while_the_run_is_paused() -> None:
    run = Waiting()
    assert run.control.review(STEP, SEEN) == Review()
    run.say("pause")
    waits = run.run("paused", run.control.review, STEP, SEEN)
    assert run.control.state.words["en"] == "tap @ [50, 50] · Send"
    run.say("step")
    assert waits.result(5) == Review() and run.control.state.paused
    waits = run.run("paused", run.control.review, STEP, SEEN)
    run.say("edit", action=BACK)
    assert waits.result(5) == Review(BACK)
    waits = run.run("paused", run.control.review, STEP, SEEN)
    run.say("hint", text=" the blue one ")
    assert waits.result(5) == Review(again=True), "it was decided without the hint"
    assert run.control.next_step(SEEN) == NextStep(hint="the blue one")
    assert run.control.next_step(SEEN) == NextStep()


def test_the_person_acts_looks_and_hands_back() -> None:
    run = Waiting()
    run.say("act", action=BACK)
    assert run.control.next_step(SEEN) == NextStep(), "nobody has taken over"
    run.say("take_over")
    assert run.control.review(STEP, SEEN) == Review(again=True)
    waits = run.run("person", run.control.next_step, SEEN)
    run.say("act", action=BACK)
    assert waits.result(5) == NextStep(BACK)
    waits = run.run("person", run.control.next_step, SEEN)
    run.say("look")
    assert waits.result(5) == NextStep(look=True, ask_again=True)
    waits = run.run("person", run.control.next_step, SEEN)
    run.say("instruction", text="Go home")
    run.say("hand_back")
    assert waits.result(5) == NextStep(look=True, instruction="Go home")


def test_questions_of_the_gate() -> None:
    """An answer to an earlier question changes nothing; to take over is to refuse; nobody answers."""
    question = ApprovalQuestion("Tidy up", CLICK, "Delete", risk="delete")
    run = Waiting(answer=0.3)
    first = run.run("question", run.control.ask, question)
    run.say("answer", answer="yes", question=1)
    assert first.result(5) == "yes"
    second = run.run("question", run.control.ask, question)
    run.say("answer", answer="yes", question=1)
    assert second.result(5) == "nobody"
    third = run.run("question", run.control.ask, question)
    run.say("take_over")
    assert third.result(5) == "no"


def test_requests_for_a_person() -> None:
    run = Waiting()
    assert run._pool.submit(run.control.ask_person, "log in", 0.05).result(5) is False, "nobody came"
    waits = run.run("request", run.control.ask_person, "log in", 5.0)
    run.say("decline")
    assert waits.result(5) is False
    waits = run.run("request", run.control.ask_person, "log in", 5.0)
    run.say("take_over")
    assert waits.result(5) is True and run.control.state.taken


def test_stop_ends_every_wait() -> None:
    for phase, name, about in (
        ("paused", "review", (STEP, SEEN)),
        ("question", "ask", (ApprovalQuestion("", CLICK),)),
        ("request", "ask_person", ("log in", 5.0)),
    ):
        run = Waiting(paused=True)
        waits = run.run(phase, getattr(run.control, name), *about)
        run.say("stop")
        with pytest.raises(StoppedByPerson):
            waits.result(5)


def test_a_recording_cannot_be_handed_back_and_ends_once() -> None:
    run = Waiting(record=True)
    waits = run.run("person", run.control.next_step, SEEN)
    run.say("hand_back")
    done = Action("terminate", status="success")
    run.say("finish", action=done, text="Send it", succeeded=False)
    run.say("finish", action=done, text="Again")
    assert waits.result(5) == NextStep(done, instruction="Send it")
    assert run.control.finished is not None and not run.control.finished.succeeded


def test_a_secret_that_no_vault_takes_is_said_and_asked_for_again() -> None:
    run = Waiting(record=True)
    waits = run.run("person", run.control.next_step, SEEN)
    run.say("act", action=Action("type", text="123"), secret=True)
    run.say("act", action=Action("type", text="12345"), secret=True)
    assert waits.result(5) == NextStep(Action("type", text="{secret.typed_1}"))
    assert "a secret has 4 to" in run.control.state.trouble
