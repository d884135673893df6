"""Collected episodes: what a record holds, and that nothing is lost or there twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from saccade_phone.collection.collect import Request, collect, finished, gather
from typer.testing import CliRunner

from saccade.cli import app
from saccade.errors import InputError
from saccade.scoring.judge import judge_steps, prediction_of
from saccade.scoring.profiles import get_profile
from saccade.types import Step, episodes

COMMAND = [
    sys.executable,
    "-m",
    "saccade",
    "data",
    "collect",
    "phone",
    "--only",
    "clock",
    "--scale",
    "1",
    "--workers",
    "2",
]
REQUEST = Request(6, only=("clock", "across.quiet_night"), seed=3, scale=1.0)


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Step]]:
    out = tmp_path_factory.mktemp("collected")
    return out, collect(REQUEST, out, workers=2)


def test_records_are_complete(collected: tuple[Path, list[Step]]) -> None:
    out, steps = collected
    assert len(episodes(steps)) == 6
    assert all(step.tags["outcome"] == "success" for step in steps)
    for step in steps:
        assert (out / step.image).read_bytes().startswith(b"\x89PNG")
        assert step.truth and step.prediction in step.truth
        assert step.elements and step.thought and step.instruction
        assert (step.step == 0) == (step.context == "")
        assert len(step.history) == step.step
        for element in step.key_elements:
            assert any(element.id == other.id and element.box == other.box for other in step.elements)
        boxes = [action.box for action in step.truth if action.box]
        if boxes and step.key_elements:
            assert step.key_elements[0].box.iou(boxes[0]) > 0.5
    assert {step.tags["language"] for step in steps} == {"en", "zh"}
    assert all(int(a.tags["remaining"]) > 0 for a in steps)


def test_the_oracles_own_actions_are_right_under_the_profiles(collected: tuple[Path, list[Step]]) -> None:
    _, steps = collected
    predictions = [prediction_of(step, None) for step in steps]
    for name in ("gui-r1", "cmgui"):
        judged = judge_steps(steps, predictions, get_profile(name))
        assert judged and all(each.right for each in judged)


def test_the_same_request_again_changes_nothing(collected: tuple[Path, list[Step]]) -> None:
    out, _ = collected
    before = (out / "steps.jsonl").read_bytes()
    stamps = {file: file.stat().st_mtime_ns for file in (out / "episodes").iterdir()}
    collect(REQUEST, out, workers=2)
    assert (out / "steps.jsonl").read_bytes() == before
    assert {file: file.stat().st_mtime_ns for file in (out / "episodes").iterdir()} == stamps


def test_another_request_is_refused(collected: tuple[Path, list[Step]]) -> None:
    with pytest.raises(InputError, match="other options"):
        collect(msgspec.structs.replace(REQUEST, policy="noisy"), collected[0], workers=1)


def test_interrupted_and_killed_it_ends_as_if_nothing_had_happened(tmp_path: Path) -> None:
    """Killed while it comes up, interrupted and killed in the middle of an episode: the same command goes on."""
    request, out = Request(7, policy="noisy", only=("clock",), scale=1.0), tmp_path / "out"
    command = [*COMMAND, "--policy", "noisy", "--episodes", "7", "--out", str(out)]
    chance = random.Random(5)
    for how, more in ((signal.SIGKILL, 0), (signal.SIGINT, 1), (signal.SIGKILL, 1)):
        wanted = len(finished(request, out)) + more
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        wait_until(lambda: (out / "run.json").exists() and len(finished(request, out)) >= wanted)  # noqa: B023
        time.sleep(chance.random())
        if how == signal.SIGINT:
            process.send_signal(how)
            _, said = process.communicate(timeout=15)
            assert process.returncode == 130
            assert said == "saccade: interrupted; the same command goes on from here\n"
        else:
            os.killpg(process.pid, how)
            process.communicate()
        for file in (out / "episodes").glob("*.jsonl"):
            for line in file.read_bytes().splitlines():
                msgspec.json.decode(line, type=Step)
    assert len(finished(request, out)) < 7, "it was not yet done"
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, timeout=240, check=True)
    assert json.loads(done.stdout)["episodes"] == 7
    steps = [msgspec.json.decode(line, type=Step) for line in (out / "steps.jsonl").read_bytes().splitlines()]
    ids = [step.id for step in steps]
    assert len(set(ids)) == len(ids)
    assert len(episodes(steps)) == 7 == len(finished(request, out))
    assert all((out / step.image).exists() for step in steps)
    assert not list(out.rglob("*.part"))
    assert gather(request, out) == steps
    assert any(step.tags["right"] == "no" for step in steps)


def wait_until(so: Callable[[], bool]) -> None:
    end = time.monotonic() + 120
    while not so():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["browser", "--episodes", "1"], "not on 'browser'"),
        (["phone", "--episodes", "0"], "--episodes must be at least 1"),
        (["phone", "--episodes", "1", "--policy", "clever"], "unknown player 'clever'"),
        (["phone", "--episodes", "1", "--split", "exam"], "--split is 'exam'"),
        (["phone", "--episodes", "1", "--only", "music"], "no task of the split train fits music"),
        (["phone", "--episodes", "1", "--language", "fr"], "--language is 'fr'"),
    ],
)
def test_bad_options_get_one_sentence(arguments: list[str], says: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["data", "collect", *arguments, "--out", str(tmp_path / "x")])
    assert isinstance(result.exception, InputError)
    assert says in str(result.exception)


def test_a_model_that_repeats_itself_is_helped_on(tmp_path: Path) -> None:
    """It waits and waits; each time that it has done so thrice, the oracle takes a step."""
    call = {"name": "mobile_use", "arguments": {"action": "wait", "time": 0}}
    waits = f"<think>I wait.</think>\n<tool_call>{json.dumps(call)}</tool_call>"
    (tmp_path / "script.jsonl").write_text(f"{json.dumps(waits)}\n" * 40, encoding="utf-8")
    request = Request(
        1,
        policy=f"scripted/{tmp_path / 'script.jsonl'}",
        only=("clock.start_timer",),
        interruptions=False,
        scale=1.0,
        pictures=False,
    )
    steps = collect(request, tmp_path / "out", workers=1)
    waited = [step.prediction is not None and step.prediction.type == "wait" for step in steps]
    assert waited[:8] == [True, True, True, False] * 2
    for step, own in zip(steps, waited, strict=True):
        assert (step.prediction in step.truth) != own
        assert bool(step.output) == own
    assert steps[0].tags["outcome"] == "success"
