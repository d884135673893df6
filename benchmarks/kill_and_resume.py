"""Kills runs, measurements and collections on the phone with SIGKILL at random moments, whole or in part, and goes on
with them: they must end like uninterrupted ones, with each case once, and leave no process behind after 5 s.

python benchmarks/kill_and_resume.py [run bench collect parent worker browser] [--kills 30] [--cases 3] [--seconds S]

run, bench, collect: the command with all that it started. parent: a measurement's first process alone. worker, browser:
one of its worker processes or browsers; the command itself must cope.

What must be equal to an uninterrupted command: of a run its outcome and every action, in order; of a measurement each
case once, with its outcome and number of actions; of a collection each episode once, with every action. Pictures and
times are not compared. What was on disk before a kill must be there, and the same, after it. The work is small, so
that 30 kills of a kind take a few minutes on one core: one task of the phone at scale 1, or three of them. With
--seconds a kind stops after so long, having done fewer kills; --seed draws other moments, so that kills can be done in
parts.
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
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from saccade.agents.log import read_run, read_steps
from saccade.bench.results_store import read_results
from saccade.records import read_grown
from saccade.types import Step

SACCADE = [sys.executable, "-m", "saccade"]
MARK = "SACCADE_KILL_MARK"
LEFT_SECONDS = 5.0
TASK = "clock.add_alarm"


class Kind(NamedTuple):
    """A command that is killed, and what it has done so far, by name."""

    command: Callable[[Path, int], list[str]]
    """For an output folder and a number of cases."""
    done: Callable[[Path], dict[str, Any]]
    over: Callable[[Path, int], bool]


class Tally(NamedTuple):
    """What came of one kind."""

    kills: int
    finished: int
    lost: int
    """Things that were done before a kill and were not there, or were otherwise, after it."""
    different: int
    """Ends that were not like that of the uninterrupted command: something is missing or there twice."""
    left: int
    """Processes that were there 5 s after a kill of all or of their parent."""
    slowest: float
    """Seconds until the last process had ended."""


def run_command(out: Path, cases: int) -> list[str]:
    if (out / "run.json").exists():
        return [*SACCADE, "run", "--resume", str(out), "--json"]
    options = ["--world", f"phone/{TASK}", "--seed", "3", "--with", "scale=1", "--model", "oracle"]
    return [*SACCADE, "run", *options, "--json", "--out", str(out)]


def run_done(out: Path) -> dict[str, Any]:
    if not (out / "run.json").exists():
        return {}
    outcome = read_run(out).outcome
    found: dict[str, Any] = {f"{at}": (each.attempt, each.prediction) for at, each in enumerate(read_steps(out)[0])}
    return found | ({"outcome": (outcome.status, outcome.ended_by)} if outcome is not None else {})


def run_over(out: Path, cases: int) -> bool:
    outcome = read_run(out).outcome if (out / "run.json").exists() else None
    return outcome is not None and outcome.status not in ("broken", "interrupted")  # those can be resumed


def bench_command(out: Path, cases: int) -> list[str]:
    options = ["--model", "oracle", "--limit", str(cases), "--workers", "2", "--seed", "3", "--with", "scale=1"]
    return [*SACCADE, "bench", "phone", *options, "--out", str(out)]


def bench_done(out: Path) -> dict[str, Any]:
    lines, _ = read_results(out) if (out / "results.jsonl").exists() else ([], 0)
    return {each.id: (each.status, each.turns) for each in lines}


def bench_over(out: Path, cases: int) -> bool:
    lines = (out / "results.jsonl").read_bytes().count(b"\n") if (out / "results.jsonl").exists() else 0
    return lines == len(bench_done(out)) == cases and (out / "report.json").exists()


def collect_command(out: Path, cases: int) -> list[str]:
    options = ["--episodes", str(cases), "--workers", "2", "--seed", "3", "--option", "scale=1"]
    return [*SACCADE, "data", "collect", "phone", *options, "--out", str(out)]


def collect_done(out: Path) -> dict[str, Any]:
    found = {}
    for file in sorted((out / "episodes").glob("*.jsonl")):
        found[file.stem] = [step.truth for step in read_grown(file, Step)[0]]
    return found


def collect_over(out: Path, cases: int) -> bool:
    return (out / "steps.jsonl").exists() and len(collect_done(out)) == cases


BENCH = Kind(bench_command, bench_done, bench_over)
KINDS = {
    "run": Kind(run_command, run_done, run_over),
    "bench": BENCH,
    "collect": Kind(collect_command, collect_done, collect_over),
    "parent": BENCH,
    "worker": BENCH,
    "browser": BENCH,
}


def processes(mark: str) -> dict[int, str]:
    """Number and command line of each process that has the mark in its environment and has not ended."""
    found = {}
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            ours = folder.name.isdigit() and f"{MARK}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0")
            if ours and ") Z " not in (folder / "stat").read_text():
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                found[int(folder.name)] = line
    return found


def kill(name: str, process: subprocess.Popen[bytes], mark: str, chance: random.Random) -> bool:
    """Kill what this kind kills; False if there is none of it at the moment."""
    if name in ("run", "bench", "collect"):
        os.killpg(process.pid, signal.SIGKILL)
        return True
    if name == "parent":
        process.kill()
        return True
    word = "spawn_main" if name == "worker" else "--type=renderer" if chance.random() < 0.3 else "chromium"
    chosen = [number for number, line in processes(mark).items() if word in line]
    if not chosen:
        return False
    with suppress(ProcessLookupError):
        os.kill(chance.choice(chosen), signal.SIGKILL)
    return True


def left_after(mark: str) -> tuple[int, float]:
    """How many processes are there after `LEFT_SECONDS`, and when the last one ended. Those left are ended here."""
    began = time.monotonic()
    while (there := processes(mark)) and time.monotonic() - began < LEFT_SECONDS:
        time.sleep(0.05)
    for number in there:
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    return len(there), time.monotonic() - began


def tried(name: str, given: argparse.Namespace, folder: Path) -> Tally:
    """Kill one kind so many times, starting anew whenever it has come to its end."""
    kind, chance, kills, cases = KINDS[name], random.Random(given.seed), given.kills, given.cases
    began = time.monotonic()
    subprocess.run(kind.command(folder / "whole", cases), check=True, capture_output=True)
    usual, wanted = time.monotonic() - began, kind.done(folder / "whole")
    tally, seen = Tally(0, 0, 0, 0, 0, 0.0), dict[str, Any]()
    out, started = folder / "out", time.monotonic()
    while tally.kills < kills or tally.finished == 0:
        mark = f"{name}-{time.monotonic_ns()}"
        enough = tally.kills >= kills or time.monotonic() - started > given.seconds
        process = subprocess.Popen(
            kind.command(out, cases), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            env=os.environ | {MARK: mark},
        )  # fmt: skip
        if not enough:
            time.sleep(chance.uniform(0.1, 0.9) * usual)
            tally = tally._replace(kills=tally.kills + (process.poll() is None and kill(name, process, mark, chance)))
        process.wait()
        left, seconds = left_after(mark)
        tally = tally._replace(left=tally.left + left, slowest=max(tally.slowest, seconds))
        done = kind.done(out)
        lost = [key for key, value in seen.items() if key != "outcome" and done.get(key) != value]
        tally = tally._replace(lost=tally.lost + len(lost))
        if lost:
            print(f"{name}: was there before the kill: { {key: seen[key] for key in lost} }", file=sys.stderr)
        seen = done
        if kind.over(out, cases):
            tally = tally._replace(finished=tally.finished + 1, different=tally.different + (done != wanted))
            for key in sorted(wanted.keys() | done.keys()):
                if done.get(key) != wanted.get(key):
                    print(f"{name} {key}: expected {wanted.get(key)}, found {done.get(key)}", file=sys.stderr)
            if done != wanted and given.keep is not None:
                shutil.copytree(out, given.keep / f"{name}-{tally.finished}")
            shutil.rmtree(out)
            seen = {}
            if enough:
                break
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", default=list(KINDS), metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--cases", type=int, default=3, help="of a measurement or a collection")
    parser.add_argument("--seed", type=int, default=1, help="of the moments of the kills")
    parser.add_argument("--keep", type=Path, help="keep what ended otherwise here")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="kill no more of a kind after so long")
    given = parser.parse_args()
    bad = 0
    for name in given.kinds:
        with tempfile.TemporaryDirectory() as folder:
            tally = tried(name, given, Path(folder))
        bad += tally.lost + tally.different + tally.left
        print(msgspec.json.encode({"kind": name, **tally._asdict()}).decode(), flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
