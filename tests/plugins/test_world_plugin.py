"""examples/plugins/counter_world.py from a folder elsewhere: run, bench, collect, kill and resume, training rows."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner, Result

from saccade.cli import app
from saccade.data.recorded_episodes import read_episodes
from saccade.data.training_rows import RowWriter
from saccade.errors import InputError
from saccade.paradigms import get_paradigm
from saccade.plugins import load_plugin, plugins_loaded
from saccade.types import Step, episodes
from saccade.worlds import WORLDS, open_world

PLUGIN = Path(__file__).parents[2] / "examples" / "plugins" / "counter_world.py"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test works in a folder outside the repository, and does its jobs in this process unless it says
    `--engine local`.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SACCADE_ENGINE", "inline")
    return tmp_path


def saccade(*words: str) -> Result:
    return CliRunner().invoke(app, list(words))


def good(*words: str) -> str:
    result = saccade(*words, "--plugin", str(PLUGIN))
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout


def records(file: Path) -> list[Step]:
    return msgspec.json.Decoder(Step).decode_lines(file.read_bytes())


def test_the_oracle_runs_in_it_and_its_steps_are_marked(elsewhere: Path) -> None:
    said = good("run", "--world", "counter/3", "--model", "oracle", "--with", "start=1", "--out", "run")
    assert "Set the counter to 3" in said and said.count("✓") == 3 and "success" in said
    steps = [json.loads(line) for line in (elsewhere / "run/steps.jsonl").read_text().splitlines()]
    assert [step["prediction"]["type"] for step in steps] == ["click", "click", "terminate"]
    assert steps[0]["key_elements"][0]["text"] == "+" and (elsewhere / "run/replay.html").exists()


@pytest.mark.parametrize("place", ["before", "between", "after", "equals"])
def test_the_option_may_stand_anywhere(place: str) -> None:
    words = {
        "before": ["--plugin", str(PLUGIN), "worlds", "list", "--json"],
        "between": ["worlds", "--plugin", str(PLUGIN), "list", "--json"],
        "after": ["worlds", "list", "--json", "--plugin", str(PLUGIN)],
        "equals": ["worlds", "list", f"--plugin={PLUGIN}", "--json"],
    }[place]
    result = saccade(*words)
    told = {row["name"]: row for row in map(json.loads, result.stdout.splitlines())}
    assert told["counter"]["ready"] and "two buttons" in told["counter"]["about"]
    assert "counter" not in WORLDS.names(), "it was loaded for that command only"


def test_it_is_measured_in_several_processes(elsewhere: Path) -> None:
    words = ["bench", "counter", "--model", "oracle", "--limit", "7", "--out", "bench", "--json"]
    good(*words, "--engine", "local", "--workers", "2")
    lines = [json.loads(line) for line in (elsewhere / "bench/results.jsonl").read_text().splitlines()]
    assert len(lines) == 7 and all(line["outcome"]["status"] == "success" for line in lines)
    runs = [json.loads((elsewhere / "bench" / line["run"] / "run.json").read_text()) for line in lines]
    assert {run["settings"]["world"] for run in runs} == {f"counter/{goal}" for goal in (1, 2, 3, 5, -2)}


def test_world_options_reach_every_task(elsewhere: Path) -> None:
    """Also in a world that is opened anew for each task."""
    good("bench", "counter", "--model", "oracle", "--limit", "6", "--with", "start=0", "--out", "bench", "--json")
    lines = [json.loads(line) for line in (elsewhere / "bench/results.jsonl").read_text().splitlines()]
    assert [line["turns"] for line in sorted(lines, key=lambda line: str(line["id"]))] == [3, 2, 2, 3, 4, 6]
    opened = elsewhere / "opened_each.py"
    opened.write_text(
        PLUGIN.read_text(encoding="utf-8").replace("    def configure(", "    def reconfigure("), encoding="utf-8"
    )
    words = ["bench", "counter", "--model", "oracle", "--limit", "6", "--with", "start=0", "--out", "anew", "--json"]
    assert saccade(*words, "--plugin", str(opened)).exit_code == 0
    again = [json.loads(line) for line in (elsewhere / "anew/results.jsonl").read_text().splitlines()]
    assert {line["id"]: line["turns"] for line in again} == {line["id"]: line["turns"] for line in lines}


def test_collected_records_are_complete_and_become_training_rows(elsewhere: Path) -> None:
    said = good("data", "collect", "counter", "--episodes", "6", "--player", "noisy", "--out", "data", "--json")
    told = json.loads(said)
    assert told["outcomes"] == {"success": 6}
    steps = records(elsewhere / "data/steps.jsonl")
    assert len(steps) == told["steps"] and len(episodes(steps)) == 6
    for step in steps:
        assert (elsewhere / "data" / step.image).read_bytes().startswith(b"\x89PNG")
        assert step.truth and step.thought and step.instruction and step.tags["player"] == "noisy"
        assert (step.prediction in step.truth) == (step.tags["right"] == "yes")
        assert int(step.tags["missing"]) == 0 or step.key_elements
        assert (step.step == 0) == (step.summary == "") and (step.step < 2) == (step.context == "")
    for before, after in pairwise(steps):
        assert after.step == 0 or after.context == before.summary
    (recorded, *_) = read_episodes([elsewhere / "data"])
    for paradigm in ("btl", "secagent"):
        writer = RowWriter(get_paradigm(paradigm, space="phone"), told=True)
        rows = list(writer.episode(recorded.steps, random.Random(0)))
        assert len(rows) == len(recorded.steps) and all(row.messages and row.answer for row in rows)


def test_one_world_is_collected_with_seeds_of_its_own(elsewhere: Path) -> None:
    words = ["data", "collect", "counter/5", "--episodes", "3", "--seed", "10", "--option", "colour=khaki"]
    good(*words, "--out", "data")
    assert {step.instruction for step in records(elsewhere / "data/steps.jsonl")} == {"Set the counter to 5"}
    assert json.loads((elsewhere / "data/run.json").read_text())["options"] == {"colour": "khaki"}
    result = saccade(*words, "--option", "start=2", "--out", "data", "--plugin", str(PLUGIN))
    assert isinstance(result.exception, InputError) and "other options" in str(result.exception)


def test_killed_and_interrupted_it_ends_as_if_nothing_had_happened(elsewhere: Path) -> None:
    """Killed while it comes up, interrupted and killed in the middle: the same command goes on."""
    words = ["data", "collect", "counter", "--episodes", "12", "--player", "noisy", "--out", "out"]
    processes = ["--engine", "local", "--workers", "2"]
    command = [sys.executable, "-m", "saccade", *words, *processes, "--plugin", str(PLUGIN)]
    out, chance = elsewhere / "out", random.Random(5)
    for how in (signal.SIGKILL, signal.SIGINT, signal.SIGKILL):
        before = done(out)
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        end = time.monotonic() + 60
        while done(out) <= before and process.poll() is None:
            assert time.monotonic() < end
            time.sleep(0.002)
        time.sleep(0.02 * chance.random())
        if how == signal.SIGINT:
            process.send_signal(how)
            _, said = process.communicate(timeout=20)
            assert process.returncode in (0, 130)
            assert process.returncode == 0 or said == "saccade: interrupted; the same command goes on from here\n"
        else:
            os.killpg(process.pid, how)
            process.communicate()
        for file in (out / "episodes").glob("*.jsonl"):
            records(file)
    good(*words)
    steps = records(out / "steps.jsonl")
    assert len({step.id for step in steps}) == len(steps) and len(episodes(steps)) == 12
    assert all((out / step.image).exists() for step in steps) and not list(out.rglob("*.part"))
    good("data", "collect", "counter", "--episodes", "12", "--player", "noisy", "--out", "whole")
    assert records(elsewhere / "whole/steps.jsonl") == steps, "nobody can tell that it was broken off"


def done(out: Path) -> int:
    return len(list((out / "episodes").glob("*.jsonl")))


def test_its_tasks_are_listed_and_shown() -> None:
    rows = [json.loads(line) for line in good("tasks", "list", "--json").splitlines()]
    assert [row["name"] for row in rows] == ["1", "2", "3", "5", "-2"], "a plug-in's tasks come before built-in ones"
    shown = json.loads(good("tasks", "show", "5", "--world", "counter", "--seed", "3", "--json"))
    assert shown["instruction"] == "Set the counter to 5" and shown["success"] is True
    assert shown["oracle"][-1] == "stopped"


def test_in_a_program() -> None:
    with plugins_loaded([]):
        assert load_plugin(PLUGIN) is load_plugin(str(PLUGIN)), "once is enough"
        with open_world("counter/2", start=0) as world:
            teacher = world.teacher()
            seen = world.reset(0)
            while teacher is not None and not seen.done:
                seen = world.act(teacher.teach(seen).truth[0])
            assert world.succeeded(seen)
