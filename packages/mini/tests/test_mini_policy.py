"""The policy: its state comes from the run's log alone, so that resumed and parallel runs decide as one run alone."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest

from saccade.actions import Action
from saccade.agents.build import build
from saccade.agents.guidance import Case
from saccade.agents.ledger import Ledger
from saccade.agents.log import RunLog
from saccade.agents.policy import Decision
from saccade.agents.run import RunOverrides, resume_run, start_run
from saccade.agents.settings import Settings
from saccade.geometry import Box, Size
from saccade.models.scripted import ScriptedModel
from saccade.paradigms.base import Situation
from saccade.types import Element, Screen
from saccade.worlds.base import Observation, World
from saccade_mini.model import WEIGHTS, MiniModel

SIZE = Size(1000, 1000)
PAGES = {
    "home": ["Mail", "Clock", "Contacts", "Files"],
    "contacts": ["Search contacts", "Ada Moss", "Ben Cole", "New contact"],
    "card": ["Back", "Ada Moss", "Call", "Message"],
    "calling": ["Calling…", "End call"],
}
CALL = "Call Ada Moss"
Alone = Callable[[str], RunLog]


class AddressBook(World):
    """Three screens of a phone: enough to call somebody."""

    name, real, space, judges = "addressbook", False, "phone", True
    actions = frozenset({"click", "open_app", "terminate", "swipe", "press"})

    def __init__(self, breaks_at: int = 99) -> None:
        self.page, self.acted, self.breaks_at = "home", 0, breaks_at

    def reset(self, seed: int | None = None, task: str | None = None) -> Observation:
        self.page, self.acted = "home", 0
        return self.seen()

    def act(self, action: Action) -> Observation:
        self.acted += 1
        if self.acted > self.breaks_at:
            raise KeyboardInterrupt
        label = next((each.text for each in self.elements() if action.point and each.box.contains(action.point)), "")
        steps = {("home", "Contacts"): "contacts", ("contacts", "Ada Moss"): "card", ("card", "Call"): "calling"}
        self.page = steps.get((self.page, (action.text or "") if action.type == "open_app" else label), self.page)
        return self.seen(action.type == "terminate")

    def close(self) -> None: ...

    def elements(self) -> list[Element]:
        labels = enumerate(PAGES[self.page])
        return [Element(at + 1, Box(0, 100 + 200 * at, 1000, 280 + 200 * at), "button", each) for at, each in labels]

    def seen(self, done: bool = False) -> Observation:
        screen = Screen(SIZE, None, self.elements())
        return Observation(screen, instruction=CALL, done=done, reward=float(done and self.page == "calling"))


@pytest.fixture(scope="module")
def mini() -> MiniModel:
    return MiniModel(WEIGHTS, threads=1)


def run(mini: MiniModel, folder: Path, paradigm: str = "btl", breaks_at: int = 99) -> RunLog:
    settings = Settings(world="addressbook", model="mini", paradigm=paradigm)
    return start_run(settings, folder, RunOverrides(world=AddressBook(breaks_at), model=mini))


@pytest.fixture(scope="module")
def alone(mini: MiniModel, tmp_path_factory: pytest.TempPathFactory) -> Alone:
    """A run in a format with nothing beside it, carried out once."""
    return cache(lambda paradigm: run(mini, tmp_path_factory.mktemp("alone") / "run", paradigm))


def outputs(log: RunLog) -> list[list[str]]:
    return [step.outputs for step in log.steps]


@pytest.mark.parametrize("paradigm", ["btl", "uiloop", "secagent", "guidnav"])
def test_a_known_task_is_done(alone: Alone, paradigm: str) -> None:
    log = alone(paradigm)
    assert log.run.outcome is not None and log.run.outcome.status == "success", [step.prediction for step in log.steps]


def test_a_resumed_run_goes_on_as_if_nothing_had_happened(mini: MiniModel, alone: Alone, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(mini, tmp_path / "broken", breaks_at=2)
    other = MiniModel(WEIGHTS, threads=1)  # another process would have no memory either
    resumed = resume_run(tmp_path / "broken", RunOverrides(world=AddressBook(), model=other))
    assert outputs(resumed) == outputs(alone("btl")) and len(outputs(resumed)) == 4


def test_parallel_runs_of_one_model_do_not_disturb_each_other(mini: MiniModel, alone: Alone, tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(run, mini, tmp_path / each, each) for each in ("btl", "secagent")]
        assert [outputs(job.result()) for job in jobs] == [outputs(alone(each)) for each in ("btl", "secagent")]


def decide(mini: MiniModel, log: RunLog, at: int, attempt: int = 0, k: int = 1) -> Decision:
    """What the policy decides at a step of a run, given the steps before."""
    settings = Settings(world="addressbook", model="mini", paradigm="guidnav" if k > 1 else "btl", k=k)
    agent, step = build(settings, AddressBook(), CALL, Ledger(), mini).agent, log.steps[at]
    situation = Situation(CALL, step.view, history=step.history, elements=step.elements)
    case = Case(CALL, "", step.view, Observation(step.view), tuple(log.steps[:at]), attempt)
    return agent.policy.decide(situation, case)


def test_each_attempt_uses_the_next_reading_of_the_task(mini: MiniModel, alone: Alone) -> None:
    readings, _ = mini.normalizer.readings(CALL, "en")
    assert readings[0].text == CALL and len(readings) > 1
    for attempt in (0, 1):
        assert f"step: {readings[attempt].text}\n" in decide(mini, alone("btl"), 0, attempt).messages[-1].text


def test_candidates_differ_the_likeliest_first(mini: MiniModel, alone: Alone) -> None:
    decision = decide(mini, alone("btl"), 1, k=3)
    assert len({str(each.action) for each in decision.candidates}) == 3
    first = decision.candidates[0]
    assert all(first.probability > each.probability > 0 for each in decision.candidates[1:])
    assert first.action.point is not None and first.action.point.y == pytest.approx(390, abs=2), "Ada Moss"


def test_what_was_read_is_metered_once(tmp_path: Path) -> None:
    calls = [step.usage.calls for step in run(MiniModel(WEIGHTS, threads=1), tmp_path / "run").steps]
    assert calls[0] > calls[1] == calls[2] > 0


def test_it_drives_no_other_model(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="drives the model mini, not scripted"):
        overrides = RunOverrides(world=AddressBook(), model=ScriptedModel(["x"]))
        start_run(Settings(world="addressbook", agent="mini", paradigm="btl"), tmp_path / "run", overrides)
