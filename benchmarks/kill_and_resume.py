"""Kills runs on the phone with SIGKILL at random moments and resumes them; they must end like an uninterrupted run.

python benchmarks/kill_and_resume.py [--kills 30] [--task clock.add_alarm]
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from saccade.agents.log import read_run, read_steps
from saccade.agents.records import LoggedStep

SACCADE = [sys.executable, "-m", "saccade", "run"]


def command(task: str, out: Path) -> list[str]:
    if (out / "run.json").exists():
        return [*SACCADE, "--resume", str(out), "--json"]
    task_options = ["--world", f"phone/{task}", "--seed", "3", "--with", "scale=1"]
    return [*SACCADE, *task_options, "--model", "oracle", "--json", "--out", str(out)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--task", default="clock.add_alarm")
    given = parser.parse_args()
    chance, kills, finished, lost = random.Random(1), 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder, "whole")
        subprocess.run(command(given.task, whole), check=True, capture_output=True)
        wanted = [step.prediction for step in read_steps(whole)[0]]
        out, seen = Path(folder, "out"), list[LoggedStep]()
        while kills < given.kills or finished == 0:
            process = subprocess.Popen(command(given.task, out), stdout=subprocess.DEVNULL, start_new_session=True)
            if kills < given.kills:
                time.sleep(chance.uniform(0.5, 6.0))
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)  # with its browser
                    kills += 1
            process.wait()
            if not (out / "run.json").exists():
                continue
            steps, _ = read_steps(out)
            lost += sum(step not in steps for step in seen)
            seen = steps
            outcome = read_run(out).outcome
            if outcome is not None and outcome.status not in ("broken", "interrupted"):  # those can be resumed
                finished += 1
                assert [step.prediction for step in steps] == wanted, (
                    "the actions differ from those of the uninterrupted run"
                )
                shutil.rmtree(out)
                seen = []
    print(f"{kills} kills, {finished} runs finished like the uninterrupted one, {lost} logged steps lost")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
