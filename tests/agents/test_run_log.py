"""A run on disk: whatever moment it is killed at, the log loads and the run can go on."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from recordings import DONE, TAP, record, run, say

from forks import Forks
from saccade.actions import Action
from saccade.agents.log import RunLog, read_run, read_steps
from saccade.agents.records import LoggedStep
from saccade.agents.run import RunOverrides, resume_run, start_run
from saccade.agents.settings import Settings
from saccade.errors import InputError
from saccade.models.base import ModelError
from saccade.models.scripted import ScriptedModel

STEPS = 12
KILLS = 30
ACTIONS = [TAP if at % 2 else Action("type", text=f"字 {at}") for at in range(STEPS - 1)] + [DONE]
PROGRAM = """
import sys, time
from pathlib import Path
sys.path[:0] = sys.argv[3:]
from recordings import say
from saccade.agents.run import RunOverrides, resume_run, start_run
from saccade.agents.settings import Settings
from saccade.agents.log import read_steps
from test_run_log import ACTIONS
from saccade.models.scripted import ScriptedModel

recording, out = Path(sys.argv[1]), Path(sys.argv[2])

def slowly(text):
    def answer(messages, ask):
        time.sleep(0.02)
        return text
    return answer

def main():
    resumed = (out / "run.json").exists()
    done = len(read_steps(out)[0]) if resumed else 0
    outside = RunOverrides(model=ScriptedModel([slowly(answer) for answer in answers[done:]]))
    resume_run(out, outside) if resumed else start_run(settings, out, outside)

answers = [say("btl", action) for action in ACTIONS]
settings = Settings(world=f"replay:{recording}", model="scripted")
start_run(settings, out.with_name("warm"), RunOverrides(model=ScriptedModel(answers)))  # warms caches
"""


@pytest.mark.slow
def test_killed_at_random_moments_it_loses_at_most_the_step_in_flight(tmp_path: Path) -> None:
    recording, out = record(tmp_path / "recording", (TAP,) * (STEPS + 1)), tmp_path / "out"
    here = Path(__file__).parent
    chance, kills, whole = random.Random(11), 0, 0
    seen: list[LoggedStep] = []
    with Forks(PROGRAM, str(recording), str(out), str(here), str(here.parent)) as forks:
        for _ in range(10 * KILLS):
            forks.begin()
            if kills % 3:  # in the middle of its steps; else while it comes up
                wanted = size(out) + chance.randint(1, 3 * 6_000)
                forks.wait(lambda: size(out) >= wanted, 20)  # noqa: B023
            time.sleep(chance.uniform(0.0, 0.03))
            kills += forks.kill()
            if (out / "run.json").exists():
                read_run(out)
                steps, _ = read_steps(out)
                assert steps[: len(seen)] == seen, "nothing that was kept is ever lost"
                assert [step.step for step in steps] == list(range(len(steps)))
                assert all((out / step.image).stat().st_size > 100 for step in steps)
                seen = steps
                if read_run(out).outcome is not None:
                    whole += 1
                    assert [step.prediction for step in steps] == ACTIONS
                    for file in (*out.glob("screens/*"), out / "run.json", out / "steps.jsonl"):
                        file.unlink()
                    seen = []
            if kills >= KILLS and whole:
                return
    pytest.fail(f"{kills} kills, {whole} whole runs")


def size(folder: Path) -> int:
    file = folder / "steps.jsonl"
    return file.stat().st_size if file.exists() else 0


def test_half_a_line_at_the_end_is_cut_off(tmp_path: Path) -> None:
    def broken(*_: object) -> str:
        raise ModelError("gone")

    log, _ = run(tmp_path, [say("btl", TAP), say("btl", TAP), broken])
    file = log.folder / "steps.jsonl"
    file.write_bytes(file.read_bytes()[:-30])
    again = resume_run(log.folder, RunOverrides(model=ScriptedModel([say("btl", TAP), say("btl", DONE)])))
    assert again.run.outcome is not None and again.run.outcome.status == "claimed"
    assert [step.step for step in read_steps(log.folder)[0]] == [0, 1, 2] and again.run.resumed == 1


def test_what_the_agent_remembers_survives(tmp_path: Path) -> None:
    def broken(*_: object) -> str:
        raise ModelError("gone")

    log, _ = run(tmp_path, [say("secagent", TAP, summary="opened it"), broken], paradigm="secagent")
    model = ScriptedModel([say("secagent", DONE)])
    resume_run(log.folder, RunOverrides(model=model))
    asked = model.asked[0][1]
    text = "\n".join(message.text for message in asked)
    assert "Summary so far: opened it" in text and "Action taken on it" in text and text.count("<image>") == 2


def test_a_killed_refinement_goes_on_with_its_lessons(tmp_path: Path) -> None:
    judged: dict[str, Any] = {"truths": (TAP,) * 2, "world_options": {"profile": "btl"}, "judge": "world"}

    def broken(*_: object) -> str:
        raise ModelError("gone")

    back = say("btl", Action("press", key="back"))
    log, _ = run(tmp_path, [back, broken], retries=1, others={"reflect": ["Tap it."]}, **judged)
    assert len(log.run.attempts) == 2 and log.run.outcome is not None and log.run.outcome.status == "broken"
    model = ScriptedModel([say("btl", TAP)] * 2)
    again = resume_run(log.folder, RunOverrides(model=model))
    assert again.run.outcome is not None and again.run.outcome.status == "success" and len(again.run.attempts) == 2
    assert "Tap it." in model.asked[0][1][-1].text


def test_a_run_that_is_over_is_not_gone_on_with(tmp_path: Path) -> None:
    log, _ = run(tmp_path, [say("btl", DONE)])
    with pytest.raises(InputError, match="nothing to resume"):
        resume_run(log.folder, RunOverrides(model=ScriptedModel([])))


def test_wrong_folders(tmp_path: Path) -> None:
    log, _ = run(tmp_path, [say("btl", DONE)])
    with pytest.raises(InputError, match="already contains a run"):
        RunLog.begin(log.folder, {})
    with pytest.raises(InputError, match="there is no run"):
        resume_run(tmp_path / "nowhere")
    (log.folder / "run.json").write_text("{")
    with pytest.raises(InputError, match="cannot read"):
        resume_run(log.folder)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write"):
        start_run(Settings(world="phone"), tmp_path / "file" / "out")


def test_the_log_is_a_recording(tmp_path: Path) -> None:
    """What one agent did can be replayed, scored and learned from: its steps are step records."""
    log, _ = run(tmp_path, [say("btl", TAP), say("btl", DONE)])
    model = ScriptedModel([say("uiloop", TAP), say("uiloop", DONE)])
    again = start_run(
        Settings(world=f"replay:{log.folder}", paradigm="uiloop"), tmp_path / "again", RunOverrides(model=model)
    )
    assert again.run.instruction == "Look for hats" and len(again.steps) == 2
    line = msgspec.json.decode((log.folder / "steps.jsonl").read_bytes().splitlines()[0])
    assert line["truth"] and line["output"] and line["paradigm"] == "btl"
