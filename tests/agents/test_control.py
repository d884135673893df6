"""A person beside the agent: pause, edit, act instead, hint, a new instruction, requests for a person."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from recordings import DONE, TAP, record, say
from terminal import on_a_terminal

from saccade.actions import Action
from saccade.agents.approval import Gate, StoppedByPerson
from saccade.agents.control import REQUEST, NextStep, Review, RunControl, request_of
from saccade.agents.ledger import Limits
from saccade.agents.log import RunLog
from saccade.agents.records import LoggedStep
from saccade.agents.replay_page import build_page, read_recording
from saccade.agents.run import RunOverrides, resume_run, start_run
from saccade.agents.settings import Settings
from saccade.data.self_improvement import without_thoughts
from saccade.geometry import Point
from saccade.models.scripted import ScriptedModel
from saccade.worlds.base import Observation
from saccade.worlds.replay import ReplayWorld

BACK = Action("press", key="back")
OTHER = Action("click", Point(150, 230))


class Person(RunControl):
    """Says what was prepared, in order; then nothing."""

    def __init__(self, steps: Sequence[NextStep] = (), reviews: Sequence[Review] = (), comes: bool = False) -> None:
        self.steps, self.reviews, self.comes = list(steps), list(reviews), comes
        self.asked: list[str] = []

    def next_step(self, seen: Observation) -> NextStep:
        return self.steps.pop(0) if self.steps else NextStep()

    def review(self, step: LoggedStep, seen: Observation) -> Review:
        return self.reviews.pop(0) if self.reviews else Review()

    def ask_person(self, why: str, seconds: float) -> bool:
        self.asked.append(why)
        return self.comes


def run(tmp_path: Path, beside: RunControl, *actions: Action, **settings: Any) -> tuple[RunLog, ScriptedModel]:
    if not (tmp_path / "recording").exists():
        record(tmp_path / "recording", (TAP,) * 6)
    model = ScriptedModel([say("btl", action) for action in actions])
    made = Settings(world=f"replay:{tmp_path / 'recording'}", model="scripted", **settings)
    return start_run(made, tmp_path / "run", RunOverrides(model=model, control=beside)), model


def prompts(model: ScriptedModel) -> list[str]:
    return ["\n".join(message.text for message in messages) for _, messages in model.asked]


def test_an_edited_action_is_done_instead_and_the_log_says_so(tmp_path: Path) -> None:
    log, model = run(tmp_path, Person(reviews=[Review(OTHER)]), TAP, DONE)
    first, last = log.steps
    assert (first.prediction, first.edited_from, first.by) == (OTHER, TAP, "person")
    assert (last.by, last.edited_from) == ("agent", None)
    assert first.thought == "because" and without_thoughts(first).thought == "", "it was about another action"
    assert "a person did this" in prompts(model)[1]
    assert '"edited"' in build_page(read_recording(log.folder), log.folder)


def test_a_person_takes_over_and_hands_back(tmp_path: Path) -> None:
    """The dropped proposal is kept with the person's first step; the agent's limit of steps does not count theirs."""
    person = Person([NextStep(), NextStep(OTHER), NextStep(BACK)], [Review(again=True)])
    log, model = run(tmp_path, person, TAP, TAP, DONE, limits=Limits(steps=2))
    assert [step.by for step in log.steps] == ["person", "person", "agent", "agent"]
    assert [step.edited_from for step in log.steps] == [TAP, None, None, None]
    assert [step.prediction for step in log.steps[:2]] == [OTHER, BACK]
    assert log.run.outcome is not None and log.run.outcome.ended_by == "agent"
    assert log.steps[0].usage.calls == 1, "the answer that was dropped was paid for"
    assert not log.steps[1].paradigm and len(model.asked) == 3


def test_a_hint_stays_and_a_new_instruction_replaces_the_old_one(tmp_path: Path) -> None:
    person = Person([NextStep(hint="the blue one"), NextStep(instruction="Look for coats")])
    log, model = run(tmp_path, person, TAP, TAP, DONE)
    first, second, third = prompts(model)
    assert "A person says: the blue one" in first and "Look for hats" in first
    assert "A person says: the blue one" in third and "Look for coats" in second
    assert [step.hint for step in log.steps] == ["the blue one", "", ""]
    assert [step.instruction for step in log.steps] == ["Look for hats", "Look for coats", "Look for coats"]
    assert log.run.instruction == "Look for coats"


class Stopping(Person):
    def review(self, step: LoggedStep, seen: Observation) -> Review:
        if not self.reviews:
            raise StoppedByPerson
        return super().review(step, seen)


def test_a_stopped_run_with_a_persons_steps_goes_on(tmp_path: Path) -> None:
    person = Stopping([NextStep(OTHER), NextStep(hint="soon done")], [Review()])
    log, _ = run(tmp_path, person, TAP, TAP)
    assert log.run.outcome is not None and (log.run.outcome.status, log.run.outcome.ended_by) == (
        "interrupted",
        "person",
    )
    assert [step.by for step in log.steps] == ["person", "agent"]
    model = ScriptedModel([say("btl", DONE)])
    again = resume_run(log.folder, RunOverrides(model=model))
    assert [step.by for step in again.steps] == ["person", "agent", "agent"]
    assert "A person says: soon done" in prompts(model)[0] and "a person did this" in prompts(model)[0]
    assert again.run.outcome is not None and again.run.outcome.status == "claimed"


@pytest.mark.parametrize(("comes", "told"), [(True, "A person has helped"), (False, "Nobody came within 5 seconds")])
def test_an_agent_asks_for_a_person(tmp_path: Path, comes: bool, told: str) -> None:
    asks = Action("terminate", status="failure", text=f"{REQUEST} a captcha  is shown")
    person = Person([NextStep(), NextStep(OTHER)] if comes else [], comes=comes)
    log, model = run(tmp_path, person, asks, DONE, person=5.0)
    assert person.asked == ["a captcha is shown"]
    assert (log.steps[0].asked, log.steps[0].acted) == ("a captcha is shown", False)
    assert REQUEST in prompts(model)[0] and told in prompts(model)[1]
    assert "asked for a person: a captcha is shown" in prompts(model)[1]
    assert [step.by for step in log.steps] == (["agent", "person", "agent"] if comes else ["agent", "agent"])
    assert log.run.outcome is not None and log.run.outcome.status == "claimed"


def test_without_the_setting_such_a_text_is_only_a_text(tmp_path: Path) -> None:
    asks = Action("terminate", status="failure", text=f"{REQUEST} why")
    person = Person(comes=True)
    log, model = run(tmp_path, person, asks)
    assert not person.asked and log.run.outcome is not None and log.run.outcome.status == "gave up"
    assert REQUEST not in prompts(model)[0]


def test_requests() -> None:
    assert request_of(Action("answer", text="{person}")) == "it does not say why"
    assert request_of(Action("type", text="{person} x")) is None and request_of(None) is None
    assert request_of(Action("answer", text="I met a {person}")) is None


def test_what_a_person_does_is_not_asked_for_but_forbidden_things_stay_forbidden() -> None:
    from gate_table import CLICK, Table, element, shows  # noqa: PLC0415

    seen = shows(element("Delete"))
    assert not Gate().check(CLICK, seen, Table()).allowed
    allowed = Gate().of_person().check(CLICK, seen, Table())
    assert (allowed.allowed, allowed.by) == (True, "person")
    script = Action("open_url", text="javascript:alert(1)")
    assert not Gate().of_person().check(script, seen, Table()).allowed
    late = Gate(ask=lambda question: "nobody").check(CLICK, seen, Table())
    assert (late.allowed, late.by) == (False, "nobody")


@pytest.mark.parametrize("how", ["taken over", "edited"])
def test_taking_over_or_editing_does_not_lift_what_the_rules_forbid(tmp_path: Path, how: str) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text("default: allow\nrules: [{name: never, decision: deny, action: click}]", encoding="utf-8")
    taken = Person([NextStep(TAP)])
    edited = Person(reviews=[Review(TAP)])
    log, _ = run(tmp_path, taken if how == "taken over" else edited, OTHER, DONE, policy=str(policy))
    first = log.steps[0]
    assert (first.by, first.prediction, first.acted) == ("person", TAP, False)
    assert first.approval is not None and (first.approval.rule, first.approval.by) == ("never", "policy")


def test_what_a_person_saw_must_still_be_there() -> None:
    """A page that swaps its button between the studio's picture and the person's click is not clicked."""
    from functools import partial  # noqa: PLC0415

    from gate_table import CLICK, Table, element, shows  # noqa: PLC0415

    from saccade.worlds.base import CurrentTarget  # noqa: PLC0415

    seen = shows(element("Show more"))
    now = partial(CurrentTarget, url="https://shop.example/")
    same, swapped = now((element("Show more"),), words=("Show more", "a title")), now((element("Delete account"),))
    gate = Gate(allowed_hosts=["shop.example"]).of_person()
    assert gate.check(CLICK, seen, Table([same])).allowed
    refused = gate.check(CLICK, seen, Table([swapped]))
    assert not refused.allowed and "Delete account" in refused.why and "look again" in refused.why
    swapped_while_judged = gate.check(CLICK, seen, Table([same, swapped]))
    assert not swapped_while_judged.allowed


def test_a_person_who_ends_the_attempt_is_named(tmp_path: Path) -> None:
    log, _ = run(tmp_path, Person([NextStep(DONE)]))
    assert log.run.outcome is not None and (log.run.outcome.status, log.run.outcome.ended_by) == ("claimed", "person")


class Looking(ReplayWorld):
    """A real place whose screen another hand may change."""

    real = True


def test_a_person_who_acted_outside_has_the_screen_read_again(tmp_path: Path) -> None:
    """In a real place before anybody decides, and without a step of its own; a sandbox stays as it is."""
    record(tmp_path / "recording", (TAP,) * 6)
    for kind, screens in ((Looking, ["shots/0", "shots/1"]), (ReplayWorld, ["shots/0", "shots/0"])):
        world = kind(tmp_path / "recording")
        person = Looker([NextStep(look=True, ask_again=True), NextStep(look=True)])
        overrides = RunOverrides(world=world, model=ScriptedModel([say("btl", DONE)]), control=person)
        made = Settings(world="replay:x", model="scripted", policy=str(tmp_path / "all.yaml"))
        (tmp_path / "all.yaml").write_text("default: allow\nrules: []\n", "utf-8")
        log = start_run(made, tmp_path / f"run-{kind.__name__}", overrides)
        assert [step.by for step in log.steps] == ["agent"] and person.shown == screens


class Looker(Person):
    def __init__(self, steps: Sequence[NextStep]) -> None:
        super().__init__(steps)
        self.shown: list[str] = []

    def next_step(self, seen: Observation) -> NextStep:
        assert seen.screen.picture is not None
        self.shown.append("/".join(Path(str(seen.screen.picture.source)).with_suffix("").parts[-2:]))
        return super().next_step(seen)


ASKING = """
import sys
from saccade.agents.control import TerminalControl
control = TerminalControl()
came = control.ask_person("log in\x1b[2J", 5.0)
open(sys.argv[1], "w").write(f"{came} {control.next_step(None).look}")
"""


@pytest.mark.parametrize(("typed", "answer"), [(b"\n", "True True"), (b"n\n", "False False")])
def test_the_terminal_shows_a_request(tmp_path: Path, typed: bytes, answer: str) -> None:
    said, found = on_a_terminal(ASKING, b"nobody can): ", typed, tmp_path / "answer")
    assert b"The agent asks for a person: log in [2J" in said and found == answer
