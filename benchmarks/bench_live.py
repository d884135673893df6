"""Measures `saccade bench` on live episodes: the speed-up of two workers over one, and whether a run that is killed ten
times gives the same results as an uninterrupted one.

    python benchmarks/bench_live.py [--episodes 200] [--single 200] [--kills 10] [--scale 1]
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import msgspec

from saccade.bench.results_store import read_results


def command(out: Path, episodes: int, workers: int, scale: float) -> list[str]:
    how = ["--limit", str(episodes), "--workers", str(workers), "--option", f"scale={scale}", "--out", str(out)]
    return [sys.executable, "-m", "saccade", "bench", "phone", "--model", "oracle", *how, "--json"]


def timed(out: Path, episodes: int, workers: int, scale: float) -> float:
    began = time.monotonic()
    subprocess.run(command(out, episodes, workers, scale), check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - began


def killed(out: Path, episodes: int, scale: float, kills: int, seconds: float) -> None:
    """Kill the command at random moments with SIGKILL, then run it to its end."""
    chance = random.Random(2)
    for _ in range(kills):
        process = subprocess.Popen(command(out, episodes, 2, scale), stdout=subprocess.DEVNULL, start_new_session=True)
        time.sleep(chance.uniform(2.0, 2.0 + 1.2 * seconds / kills))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    subprocess.run(command(out, episodes, 2, scale), check=True, stdout=subprocess.DEVNULL)


def verdicts(out: Path) -> dict[str, tuple[bool, int, int]]:
    return {each.id: (each.success, each.turns, each.usage.tokens) for each in read_results(out)[0]}


def main_table(out: Path) -> object:
    """The first table without its notes, which contain the date."""
    table = msgspec.json.decode((out / "report.json").read_bytes())[0]
    return {key: value for key, value in table.items() if key != "notes"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--single", type=int, default=200)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--scale", type=float, default=1.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        two, one, broken = Path(folder, "two"), Path(folder, "one"), Path(folder, "broken")
        seconds = timed(two, given.episodes, 2, given.scale)
        good = sum(verdict[0] for verdict in verdicts(two).values())
        print(f"2 workers: {given.episodes} episodes in {seconds:.0f} s, {good} done", flush=True)
        killed(broken, given.episodes, given.scale, given.kills, seconds)
        same = verdicts(two) == verdicts(broken) and main_table(two) == main_table(broken)
        print(f"killed {given.kills} times: {'the same' if same else 'A DIFFERENT'} table and verdicts", flush=True)
        alone = timed(one, given.single, 1, given.scale)
        ratio = (alone / given.single) / (seconds / given.episodes)
        print(f"1 worker: {given.single} episodes in {alone:.0f} s; two are {ratio:.2f} times as fast (goal: 1.6)")
    return 0 if same and ratio >= 1.6 else 1


if __name__ == "__main__":
    sys.exit(main())
