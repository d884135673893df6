"""Two processes on one folder, run or database: the second is told in one sentence, and nothing is changed or done
twice. A process that was killed owns nothing.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from command import saccade
from recordings import DONE, TAP, record, say

from saccade.agents.log import read_run, read_steps
from saccade.data.write import write_dataset
from saccade.errors import InputError
from saccade.geometry import Size
from saccade.records import lock_file, lock_folder, write_steps
from saccade.studio.live.messages import Command, Event, Start
from saccade.types import Step
from saccade.untrusted import decode_json


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def step_records(folder: Path) -> Path:
    folder.mkdir()
    steps = [Step(id=f"s{at}", episode="e", step=at, instruction="Look for hats", screen=Size(100, 200), truth=[DONE])
             for at in range(3)]  # fmt: skip
    write_steps(folder / "steps.jsonl", steps)
    return folder / "steps.jsonl"


# -- folders -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ["run", "x", "--world", "phone", "--model", "oracle"],
        ["bench", "phone", "--model", "oracle", "--limit", "1"],
        ["bench", "phone", "--model", "oracle", "--limit", "1", "--engine", "ray"],
        ["data", "collect", "phone", "--episodes", "1"],
        ["data", "walk", "phone", "--steps", "1"],
    ],
    ids=lambda words: " ".join(words[:2] + words[-2:]),
)
def test_a_second_command_on_a_folder_is_refused(tmp_path: Path, words: list[str]) -> None:
    out = tmp_path / "out"
    out.mkdir()
    with lock_folder(out, "at work in", "wait"):
        before = files_of(out)
        done = saccade(*words, "--out", out)
        assert done.returncode == 2 and f"another process (pid {os.getpid()}) is" in done.stderr, done.stderr
        assert done.stderr.count("\n") == 1 and "another --out" in done.stderr + " or end it first: another --out"
        assert files_of(out) == before


@pytest.mark.train
@pytest.mark.parametrize("stage", ["sft", "grpo", "prm"])
def test_a_second_training_in_a_folder_is_refused(tmp_path: Path, stage: str) -> None:
    pytest.importorskip("trl")
    data, model, out = step_records(tmp_path / "data"), tmp_path / "model", tmp_path / "out"
    (tmp_path / "r.yaml").write_text(f"stage: {stage}\nparadigm: btl\n")
    model.mkdir()
    (model / "config.json").write_text("{}")
    (model / "model.safetensors").write_bytes(b"")
    (out / "checkpoints" / "checkpoint-3").mkdir(parents=True)
    command: list[str | Path] = [
        "train",
        stage,
        "--config",
        tmp_path / "r.yaml",
        "--model",
        model,
        "--data",
        data,
        "--out",
        out,
    ]
    with lock_folder(out, "training in", "wait"):
        before = files_of(out)
        for more in (list[str](), ["--anew"]):
            done = saccade(*command, *more)
            assert done.returncode == 2 and "is training in" in done.stderr, done.stderr
        assert files_of(out) == before and (out / "checkpoints" / "checkpoint-3").is_dir()
    assert "is training in" not in saccade(*command).stderr, "the lock went with its process"


def test_of_two_that_write_one_data_set_the_second_is_refused(tmp_path: Path) -> None:
    from saccade.data.readers import open_dataset  # noqa: PLC0415

    file, out = step_records(tmp_path / "data"), tmp_path / "out"
    out.mkdir()
    with lock_file(out / "steps.jsonl.part", out, "writing", "wait") as other:
        other.write(b"half")
        other.flush()
        with pytest.raises(InputError, match=r"is writing .*: wait for it, or choose another --out"):
            write_dataset(open_dataset(file, "steps"), out, "none")
        assert list(files_of(out)) == ["steps.jsonl.part"]
    assert write_dataset(open_dataset(file, "steps"), out, "none").steps == 3
    assert list(files_of(out)) == ["steps.jsonl"] and len((out / "steps.jsonl").read_bytes().splitlines()) == 3


def test_of_two_exports_the_second_is_refused(tmp_path: Path) -> None:
    file, out = step_records(tmp_path / "data"), tmp_path / "out"
    with lock_file(tmp_path / "out.lock", out, "exporting to", "wait"):
        done = saccade("data", "export", "ms-swift", file, "--paradigm", "btl", "--out", out)
        assert done.returncode == 2 and "is exporting to" in done.stderr
    done = saccade("data", "export", "ms-swift", file, "--paradigm", "btl", "--out", out)
    assert not (tmp_path / "out.lock").exists() and not (tmp_path / "out.part").exists(), done.stderr


def test_of_two_studios_on_one_database_the_second_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("fastapi", reason="needs the extra studio")
    database = tmp_path / "studio.db"
    command = [sys.executable, "-m", "saccade", "studio", str(tmp_path), "--port", "0",
               "--database", f"sqlite:///{database}"]  # fmt: skip
    first = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert first.stdout is not None and "http" in first.stdout.readline()
        second = saccade(*command[3:])
        assert second.returncode == 2 and f"another process (pid {first.pid})" in second.stderr
        assert "another --database" in second.stderr and second.stderr.count("\n") == 1
    finally:
        first.kill()
        first.communicate()
    with lock_file(database.with_name("studio.db.lock"), database, "", ""):
        pass  # the killed studio owns it no more


# -- a run that is taken over while it is resumed ----------------------------------------------------------------------


@contextmanager
def studio_run(start: Start) -> Iterator[subprocess.Popen[bytes]]:
    """The process in which a studio carries out a run."""
    process = subprocess.Popen(
        [sys.executable, "-m", "saccade.studio.live.worker"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    try:
        tell(process, start)
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def tell(process: subprocess.Popen[bytes], message: Start | Command) -> None:
    assert process.stdin is not None
    process.stdin.write(msgspec.json.encode(message) + b"\n")
    process.stdin.flush()


def wait_for(process: subprocess.Popen[bytes], phase: str) -> Event:
    assert process.stdout is not None
    while line := process.stdout.readline():
        event = decode_json(line, Event)
        if event.state is not None and event.state.phase == phase:
            return event
    raise AssertionError(f"it ended before it was {phase}")


def test_a_run_that_a_person_has_taken_over_is_resumed_by_nobody_else(tmp_path: Path) -> None:
    """By the studio and on the command line, in both orders, and after a kill."""
    recording = record(tmp_path / "recording", [TAP] * 6)
    (tmp_path / "script.jsonl").write_bytes(
        b"".join(msgspec.json.encode(say("btl", TAP)) + b"\n" for _ in range(6))
    )  # a line an answer
    settings = {"world": f"replay:{recording}", "model": f"scripted/{tmp_path / 'script.jsonl'}"}
    folder = tmp_path / "run"
    with studio_run(Start(settings, str(folder), paused=True)) as first:
        wait_for(first, "paused")
        tell(first, Command("step"))
        while not read_steps(folder)[0]:
            wait_for(first, "paused")
        tell(first, Command("take_over"))
        wait_for(first, "person")
        before = read_steps(folder)
        assert len(before[0]) == 1
        with studio_run(Start({}, str(folder), resume=True)) as second:
            state = wait_for(second, "ended").state
            assert state is not None and f"another process (pid {first.pid}) is carrying out the run" in state.error
        done = saccade("run", "--resume", folder)
        assert done.returncode == 2 and f"another process (pid {first.pid})" in done.stderr
        assert read_steps(folder) == before
        tell(first, Command("act", action=TAP))
        while len(read_steps(folder)[0]) < 2:  # the person goes on undisturbed
            wait_for(first, "person")
        os.killpg(first.pid, signal.SIGKILL)
        first.wait()
    with studio_run(Start({}, str(folder), resume=True, paused=True)) as third:
        wait_for(third, "paused")
        assert saccade("run", "--resume", folder).returncode == 2
        tell(third, Command("resume"))
        wait_for(third, "ended")
    steps = read_steps(folder)[0]
    assert [step.step for step in steps] == list(range(6)) and [step.by for step in steps[:3]] == [
        "agent",
        "person",
        "agent",
    ]
    assert read_run(folder).resumed == 1 and read_run(folder).outcome is not None
