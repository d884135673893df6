"""A run folder belongs to one process at a time: two that resume one run would both act."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from recordings import DONE, TAP, run, say

from saccade.agents.log import RunLog
from saccade.agents.run import RunOverrides, resume_run
from saccade.errors import InputError
from saccade.models.base import ModelError
from saccade.models.scripted import ScriptedModel

HOLDS = """
import sys, time
from pathlib import Path
from saccade.agents.run import RunOverrides, resume_run
from saccade.models.scripted import ScriptedModel

def waits(messages, ask):
    print("acting", flush=True)
    time.sleep(60)

resume_run(Path(sys.argv[1]), RunOverrides(model=ScriptedModel([waits])))
"""


def broken(*_: object) -> str:
    raise ModelError("gone")


def test_a_second_resume_is_refused_until_the_first_process_is_gone(tmp_path: Path) -> None:
    log, _ = run(tmp_path, [say("btl", TAP), broken])
    first = subprocess.Popen([sys.executable, "-c", HOLDS, str(log.folder)], stdout=subprocess.PIPE, text=True)
    try:
        assert first.stdout is not None and first.stdout.readline() == "acting\n"
        before = {file.name: file.read_bytes() for file in log.folder.glob("*.json*")}
        with pytest.raises(InputError, match=rf"another process \(pid {first.pid}\) is carrying out the run in"):
            resume_run(log.folder, RunOverrides(model=ScriptedModel([say("btl", DONE)])))
        assert {file.name: file.read_bytes() for file in log.folder.glob("*.json*")} == before
    finally:
        first.send_signal(signal.SIGKILL)
        first.wait()
    again = resume_run(log.folder, RunOverrides(model=ScriptedModel([say("btl", DONE)])))
    assert again.run.outcome is not None and again.run.outcome.status == "claimed"


def test_a_folder_is_claimed_from_the_start_and_free_after_the_end(tmp_path: Path) -> None:
    with RunLog.begin(tmp_path / "new", {"world": "phone"}):
        with pytest.raises(InputError, match=f"pid {os.getpid()}"):
            RunLog.begin(tmp_path / "new", {"world": "phone"})
        with pytest.raises(InputError, match=f"pid {os.getpid()}"):
            RunLog.resume(tmp_path / "new")
    RunLog.resume(tmp_path / "new").close()


def test_a_folder_without_a_run_is_left_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no run"):
        RunLog.resume(tmp_path)
    assert list(tmp_path.iterdir()) == []
