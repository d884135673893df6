"""`saccade run` and `saccade view`, as a person or a script calls them."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command import CommandResult, saccade
from fake_openai import serving, slow, streamed
from recordings import DONE, TAP, record, say

from saccade.actions import Action

RUN = [sys.executable, "-m", "saccade", "run"]


def script(path: Path, *answers: str) -> str:
    path.write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    return f"scripted/{path}"


def call(*words: str) -> CommandResult:
    return saccade("run", *words)


@pytest.mark.browser
def test_the_oracle_does_a_task_of_the_phone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = call(
        "--world",
        "phone/settings.brightness",
        "--model",
        "oracle",
        "--language",
        "zh",
        "--seed",
        "4",
        "--out",
        str(out),
        "--with",
        "scale=1",
    )
    assert done.returncode == 0, done.stderr
    assert "success" in done.stdout and "点击" in done.stdout and "亮度" in done.stdout
    assert (out / "replay.html").stat().st_size > 10_000
    steps = [json.loads(line) for line in (out / "steps.jsonl").read_text().splitlines()]
    assert steps[-1]["done"] is True and json.loads((out / "run.json").read_text())["outcome"]["status"] == "success"


def test_json_lines_for_scripts(tmp_path: Path) -> None:
    recording = record(tmp_path / "recording", (TAP,) * 3)
    model = script(tmp_path / "script", say("btl", TAP), say("btl", DONE))
    done = call("--world", f"replay:{recording}", "--model", model, "--out", str(tmp_path / "out"), "--json")
    assert done.returncode == 0, done.stderr
    first, *steps, last = [json.loads(line) for line in done.stdout.splitlines()]
    assert first["instruction"] == "Look for hats" and len(steps) == 2
    assert steps[0]["prediction"]["type"] == "click" and steps[0]["usage"]["calls"] == 1
    assert last["outcome"]["status"] == "claimed" and Path(last["replay"]).exists()


def test_exit_code_1_if_it_was_not_done(tmp_path: Path) -> None:
    recording = record(tmp_path / "recording", (TAP,) * 3)
    done = call(
        "--world",
        f"replay:{recording}",
        "--model",
        script(tmp_path / "s", *[say("btl", TAP)] * 2),
        "--max-steps",
        "2",
        "--out",
        str(tmp_path / "out"),
    )
    assert done.returncode == 1 and "the limit of 2 steps was reached" in done.stdout


def test_a_server_that_speaks_openai(tmp_path: Path) -> None:
    recording = record(tmp_path / "recording", (TAP,) * 3)
    with serving(streamed(say("btl", TAP)), streamed(say("btl", DONE))) as server:
        done = call(
            "--world",
            f"replay:{recording}",
            "--model",
            "openai/tiny-vl",
            "--base-url",
            server.url,
            "--out",
            str(tmp_path / "out"),
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "said it is done" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--model", "oracle"], "say where: --world"),
        (["--world", "phone/clock.add_alarm"], "say who: --model"),
        (["--world", "phone/clock.add_alrm", "--model", "oracle"], "clock.add_alarm"),
        (["--world", "moon/crater", "--model", "oracle"], "unknown world 'moon'"),
        (["--world", "replay:{r}", "--model", "gpt-4o"], "unknown model 'gpt-4o'"),
        (["--world", "replay:{r}", "--model", "oracle", "--paradigm", "blt"], "did you mean btl?"),
        (["--world", "replay:{r}", "--model", "oracle", "--hints", "some"], "hints"),
        (["--world", "replay:{r}", "--model", "oracle", "--elements", "some"], "unknown element source 'some'"),
        (["--world", "replay:{r}", "--model", "oracle", "--coordinates", "miles"], "--coordinates"),
        (["--world", "replay:{r}", "--model", "oracle", "--set", "window"], "NAME=VALUE"),
        (["--world", "replay:{r}", "--model", "oracle", "--set", "colour=red"], "colour"),
        (["--world", "replay:{r}", "--model", "oracle", "--with", "colour=red"], "colour"),
        (["--world", "replay:{r}", "--model", "oracle", "--k", "0"], "--k must be at least 1"),
        (["--world", "replay:{r}", "--model", "oracle", "--max-steps", "-1"], "negative"),
        (["--world", "replay:{r}", "--model", "oracle", "--policy", "reckless"], "reckless"),
        (["--world", "replay:{r}", "--model", "oracle", "--secrets", "nowhere.yaml"], "nowhere.yaml"),
        (["--world", "replay:{r}", "--model", "scripted/nowhere"], "cannot read the script"),
        (["--world", "replay:nowhere", "--model", "oracle"], "there is no recording nowhere"),
        (["--resume", "nowhere"], "there is no run in nowhere"),
    ],
)
def test_bad_input_is_one_sentence(tmp_path: Path, words: list[str], said: str) -> None:
    recording = record(tmp_path / "recording", (TAP,))
    words = [word.replace("{r}", str(recording)) for word in words]
    done = call("--out", str(tmp_path / "out"), *words)
    assert done.returncode == 2 and said in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_folder_with_a_run_is_not_overwritten(tmp_path: Path) -> None:
    recording = record(tmp_path / "recording", (TAP,))
    words = [
        "--world",
        f"replay:{recording}",
        "--model",
        script(tmp_path / "s", say("btl", DONE)),
        "--out",
        str(tmp_path / "out"),
    ]
    assert call(*words).returncode == 0
    again = call(*words)
    assert again.returncode == 2 and "already contains a run" in again.stderr and "Traceback" not in again.stderr


def test_ctrl_c_says_how_to_go_on_and_it_does(tmp_path: Path) -> None:
    recording, out = record(tmp_path / "recording", (TAP,) * 40), tmp_path / "out"
    with serving(*[slow(0.3, streamed(say("btl", TAP)))] * 30) as server:
        words = [
            "--world",
            f"replay:{recording}",
            "--model",
            "openai/slow",
            "--base-url",
            server.url,
            "--out",
            str(out),
        ]
        process = subprocess.Popen([*RUN, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(300):
            if (out / "steps.jsonl").exists() and (out / "steps.jsonl").stat().st_size:
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=20)
        assert process.returncode == 130 and f"saccade run --resume {out}" in errors and "Traceback" not in errors
        server.script = [streamed(say("btl", DONE))]
        again = call("--resume", str(out))
    assert again.returncode == 0, again.stdout + again.stderr
    assert "steps were done before" in again.stdout


def test_view_writes_the_page_of_any_run(tmp_path: Path) -> None:
    recording = record(tmp_path / "recording", (TAP,))
    call(
        "--world",
        f"replay:{recording}",
        "--model",
        script(tmp_path / "s", say("btl", DONE)),
        "--out",
        str(tmp_path / "o"),
    )
    (tmp_path / "o/replay.html").unlink()
    done = saccade("view", tmp_path / "o")
    assert done.returncode == 0 and (tmp_path / "o/replay.html").exists()
    wrong = saccade("view", tmp_path)
    assert wrong.returncode == 2 and "there is no run" in wrong.stderr


@pytest.mark.browser
def test_on_a_real_site_a_person_is_asked_on_the_terminal(tmp_path: Path, server: str) -> None:
    """A pseudo-terminal stands in for the person: yes to the first question, no to the second."""
    model = script(tmp_path / "s", *[say("btl", TAP)] * 2, say("btl", DONE))
    words = [*RUN, "Look around", "--world", f"{server}/", "--model", model, "--out", str(tmp_path / "out")]
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(words[0], words)
    said, answers = b"", [b"y\n", b"n\n"]
    try:
        while True:
            said += os.read(terminal, 4096)
            if answers and said.rstrip().endswith((b"]", b"?", b":", b">")):
                os.write(terminal, answers.pop(0))
    except OSError:
        pass
    os.waitpid(pid, 0)
    steps = [json.loads(line) for line in (tmp_path / "out/steps.jsonl").read_text().splitlines()]
    assert [step["approval"]["by"] for step in steps] == ["person", "person", "policy"]
    assert steps[0]["approval"]["allowed"] is True and steps[1]["approval"]["allowed"] is False


def test_the_world_as_judge_is_said_on_the_terminal_and_the_page(tmp_path: Path) -> None:
    recording = record(tmp_path / "recording", (TAP,))
    words = ["--world", f"replay:{recording}", "--with", "profile=btl", "--retries", "1", "--no-reflect"]
    wrong, right = say("btl", Action("press", key="back")), say("btl", TAP)
    model = script(tmp_path / "script", wrong, right)
    done = call(*words, "--judge", "world", "--model", model, "--out", str(tmp_path / "world"))
    assert done.returncode == 0 and "judged by the world" in done.stdout and "attempt 2" in done.stdout
    assert '"judged_by_world":true' in (tmp_path / "world/replay.html").read_text()
    judged = [json.dumps({"act": wrong, "judge": "It was not a success."}), json.dumps({"act": right})]
    (tmp_path / "judging").write_text("\n".join(judged) + "\n")
    done = call(*words, "--model", f"scripted/{tmp_path / 'judging'}", "--out", str(tmp_path / "model"))
    assert "judged by the world" not in done.stdout and "attempt 2" in done.stdout
    assert '"judged_by_world":false' in (tmp_path / "model/replay.html").read_text()


def test_a_reward_means_three_candidates_and_a_prior_is_said(tmp_path: Path) -> None:
    recording = record(tmp_path / "recording", (TAP,) * 2)
    model = script(tmp_path / "script", *[say("btl", TAP)] * 3, *[say("btl", DONE)] * 3)
    words = ["--world", f"replay:{recording}", "--model", model, "--reward", "oracle", "--prior", "0.5"]
    done = call(*words, "--out", str(tmp_path / "out"))
    assert done.returncode == 0 and "choice of candidates: not the arg max of R: prior 0.5" in done.stdout
    assert json.loads((tmp_path / "out/run.json").read_text())["settings"]["k"] == 3
