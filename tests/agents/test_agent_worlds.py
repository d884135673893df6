"""The oracle's answers in each paradigm's own format finish tasks on the phone and in MiniWoB, in a real browser.
(`benchmarks/oracle_runs.py` does 40 and 20 of them.)
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from oracle_runs import MINIWOB, PARADIGMS, Recorder, miniwob_run, phone_runs, phone_tasks
from saccade.agents.run import RunOverrides, resume_run, start_run
from saccade.agents.settings import Settings
from saccade.models.base import ModelError
from saccade.models.scripted import ScriptedModel
from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.network import AllowList
from saccade.worlds.browser.world import PHONE, Device
from saccade.worlds.miniwob.tabs import address
from saccade_phone.world import ADDRESS, PhoneWorld

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def engine() -> Iterator[BrowserEngine]:
    engine = BrowserEngine(AllowList.of((), ADDRESS, address("click-test")))
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def phone(engine: BrowserEngine) -> PhoneWorld:
    return PhoneWorld(device=Device(PHONE.width, PHONE.height, 1.0, touch=True), engine=engine)


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_the_oracle_in_every_format_on_the_phone(phone: PhoneWorld, tmp_path: Path, paradigm: str) -> None:
    tasks = phone_tasks(22)[PARADIGMS.index(paradigm) :: 11]  # others for each, one of them Chinese
    for name, log in phone_runs(phone, tasks, paradigm, tmp_path):
        assert log.run.outcome is not None and log.run.outcome.status == "success", f"{name}: {log.run.outcome}"
        judged = [step for step in log.steps if step.rewards]
        assert paradigm == "guidnav" or len(judged) == len(log.steps)
        lacking = paradigm == "uiloop"  # its answers name an element; where the teacher knows none, none is invented
        assert all(step.rewards["format"] > 0 for step in judged if step.key_elements or not lacking), name


@pytest.mark.parametrize("paradigm", PARADIGMS)
def test_a_solver_in_every_format_in_miniwob(engine: BrowserEngine, tmp_path: Path, paradigm: str) -> None:
    world = Recorder(engine)
    for task in MINIWOB[PARADIGMS.index(paradigm) : 12 : len(PARADIGMS)]:  # others for each
        log = miniwob_run(world, task, paradigm, tmp_path)
        assert log.run.outcome is not None and log.run.outcome.status == "success", f"{task}: {log.run.outcome}"


def test_the_phone_goes_on_where_a_run_broke_off(phone: PhoneWorld, tmp_path: Path) -> None:
    """The sandbox does again what was done: the second half of the answers finishes what the first half began."""
    phone.language, phone.theme, phone.task = "en", "", "clock.add_alarm"
    settings = Settings(world="phone/clock.add_alarm", model="oracle", seed=3, coordinates="pixel")
    whole = start_run(settings, tmp_path / "whole", RunOverrides(world=phone))
    answers = [step.output or "" for step in whole.steps]

    def gone(*_: object) -> str:
        raise ModelError("gone")

    half = RunOverrides(world=phone, model=ScriptedModel([*answers[:4], gone]))
    broken = start_run(settings, tmp_path / "broken", half)
    assert broken.run.outcome is not None and broken.run.outcome.status == "broken"
    phone.reset(99)
    again = resume_run(tmp_path / "broken", RunOverrides(world=phone, model=ScriptedModel(answers[4:])))
    assert again.run.outcome is not None and again.run.outcome.status == "success"
    assert [step.prediction for step in again.steps] == [step.prediction for step in whole.steps]
    assert [step.context for step in again.steps] == [step.context for step in whole.steps]
