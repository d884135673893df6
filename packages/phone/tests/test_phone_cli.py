"""`saccade phone` and its subcommands, as a person or a script calls them."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from saccade.errors import InputError
from saccade_phone.catalog import measured
from saccade_phone.cli import app
from saccade_phone.tasks import tasks
from saccade_phone.ui_kits import UI_KITS


def lines(*arguments: str) -> list[dict[str, object]]:
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_help_names_every_subcommand() -> None:
    said = CliRunner().invoke(app, ["--help"]).stdout
    assert all(name in said for name in ("open", "setup", "catalog", "rollout", "shots", "--task"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--language", "fr"], "--language is 'fr': use en, zh"),
        (["open", "--theme", "pink"], "--theme is 'pink'"),
        (["--task", "clock.fly"], "there is no task 'clock.fly'"),
        (["--seed", "4", "setup"], "saccade phone setup"),
        (["rollout", "solitaire"], "no task of solitaire"),
        (["shots", "solitaire"], "APP is 'solitaire'"),
        (["shots", "clock", "--themes", "light,pink"], "--themes is 'pink'"),
        (["shots", "clock", "--kit", "bootstrap"], "--kit is 'bootstrap'"),
        (["catalog", "--out", "x.json"], "--out is for --measure"),
    ],
)
def test_bad_input_gets_one_sentence(arguments: list[str], says: str) -> None:
    result = CliRunner().invoke(app, arguments)
    assert isinstance(result.exception, InputError), result.output
    assert says in str(result.exception)


def test_a_port_is_checked() -> None:
    assert CliRunner().invoke(app, ["--port", "70000"]).exit_code == 2
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = CliRunner().invoke(app, ["--port", str(taken.getsockname()[1])])
    assert "choose another --port" in str(result.exception)


def test_the_phone_by_hand_ends_with_ctrl_c() -> None:
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "saccade", "phone", "--language", "zh", "--task", "clock.add_alarm"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )
    assert process.stdout is not None
    said = process.stdout.readline() + process.stdout.readline()
    address = said[said.index("http://") :].split()[0]
    with urllib.request.urlopen(address, timeout=10) as page:
        assert b"phone.js" in page.read()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert "the task is not done" in out
    assert "Traceback" not in err


def test_setup_says_where_the_kits_are() -> None:
    assert str(UI_KITS.folder.parent) in CliRunner().invoke(app, ["setup"]).stdout


def test_catalog() -> None:
    assert {row["name"] for row in lines("catalog")} == set(measured())
    assert "clock.add_alarm" in CliRunner().invoke(app, ["catalog"]).stdout


def test_rollout() -> None:
    report = lines("rollout", "clock.add_alarm", "--seeds", "1")[0]
    assert report["problems"] == [] and len(report["steps"]) == 4  # type: ignore[arg-type]
    assert len(lines("rollout", "clock", "--seeds", "1")) == sum(name.startswith("clock.") for name in tasks())
    said = CliRunner().invoke(app, ["rollout", "clock.add_alarm", "--seeds", "1", "--trace"]).stdout
    assert "    terminate success" in said and "1 tasks, 0 problems" in said


@pytest.mark.browser
def test_shots(tmp_path: Path) -> None:
    found = lines("shots", "clock", "--out", str(tmp_path))
    assert {"clock-alarms-en-light", "clock-alarms-zh-light"} <= {each["screen"] for each in found}
    assert all(each["problems"] == [] for each in found)
    with Image.open(tmp_path / "clock-alarms-en-light.png") as picture:
        assert picture.size == (360, 800)
