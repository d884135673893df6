"""Engines beside each other: the same phone episodes on local processes and on two Ray nodes, one of which is killed.

python benchmarks/engines.py dispatch             # time of a warm job that does nothing
python benchmarks/engines.py local ray --out DIR  # throughput of both, and are the results the same?
python benchmarks/engines.py killed --out DIR     # one of two nodes killed -9 three times; compared with `local`

Each word is one part; folders that are there are not measured again.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
import time
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from saccade.agents.log import read_steps
from saccade.agents.settings import Settings
from saccade.bench.cases import Result
from saccade.bench.results_store import read_results
from saccade.bench.runner import BenchRequest, measure
from saccade.bench.suites import get_suite
from saccade.engines import Engine, open_engine

KILLED_AFTER = (6, 16, 26)
"""So many results are there when a node is killed."""
TASKS = {"split": "train", "only": "clock settings contacts", "scale": 1.0}
TIMES = ("seconds", "model_seconds", "first_token", "tries")
TIMES_OF_STEPS = ("id", "episode", "seconds")
"""Ids of runs contain the time."""


class Nothing:
    """A worker whose job takes no time."""

    def do(self, job: int, folder: Path) -> int:
        return job

    def close(self) -> None:
        """Nothing to give back."""


class TwoNodes:
    """Two Ray nodes on this machine, with one core each; the second can be killed and replaced."""

    def __init__(self) -> None:
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # listen on the loopback address
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        from ray.cluster_utils import Cluster  # noqa: PLC0415

        self.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        self.second = self.cluster.add_node(num_cpus=1)
        self.kills = 0
        self.killed_at: float | None = None

    @property
    def address(self) -> str:
        return str(self.cluster.address)

    def kill_second(self) -> None:
        """SIGKILL to its raylet, in the middle of an episode."""
        time.sleep(1.0)
        os.kill(self.second.all_processes["raylet"][0].process.pid, signal.SIGKILL)
        self.killed_at = time.monotonic()
        self.kills += self.second.all_processes["raylet"][0].process.wait() == -signal.SIGKILL

    def replace_second(self) -> None:
        """Another node joins some seconds after the kill. Ray starts nodes in the main thread only."""
        if self.killed_at is not None and time.monotonic() - self.killed_at > 3.0:
            self.killed_at = None
            self.second = self.cluster.add_node(num_cpus=1)

    def close(self) -> None:
        self.cluster.shutdown()


def dispatch() -> dict[str, float]:
    """Milliseconds from one result to the next of a job that does nothing, by engine."""
    found = {}
    for name in ("local", "ray"):
        with open_engine(name) as engine:
            times = [time.perf_counter() for _ in engine.work_through(range(200), Nothing, 1)]
            found[name] = round(1000 * median(after - before for before, after in pairwise(times)), 2)
    return found


def run(out: Path, episodes: int, engine: Engine, nodes: TwoNodes | None = None) -> dict[str, Any]:
    """Measure the oracle on the phone; with `nodes`, one is killed now and then."""
    times: list[float] = []
    killers: list[threading.Thread] = []

    def on_result(result: Result, done: int, total: int | None) -> None:
        times.append(time.perf_counter())
        if nodes is not None:
            nodes.replace_second()
        if nodes is not None and done in KILLED_AFTER:
            killers.append(threading.Thread(target=nodes.kill_second))
            killers[-1].start()

    settings = Settings(world="phone", model="oracle", paradigm="secagent")
    request = BenchRequest(get_suite("phone"), settings, out, options=TASKS, limit=episodes, workers=2, engine=engine)
    began = time.perf_counter()
    measure(request, on_result)
    for each in killers:
        each.join()
    return {
        "episodes": len(times),
        "seconds": round(times[-1] - began, 1),
        "first_result_seconds": round(times[0] - began, 1),
        "episodes_per_minute_warm": round(60 * (len(times) - 1) / (times[-1] - times[0]), 2),
        "kills": nodes.kills if nodes is not None else 0,
    }


def differences(one: Path, other: Path) -> list[str]:
    """What is not the same in the results of two measurements, apart from times; and what is there twice."""
    found = []
    first, second = ({each.id: each for each in read_results(folder)[0]} for folder in (one, other))
    for folder, results in ((one, first), (other, second)):
        lines = (folder / "results.jsonl").read_bytes().count(b"\n")
        if lines != len(results):
            found.append(f"{folder}: {lines} lines for {len(results)} results")
        if folders := {each.name for each in (folder / "runs").iterdir()} ^ {
            Path(each.run).name for each in results.values()
        }:
            found.append(f"{folder}: folders without a result, or results without a folder: {sorted(folders)}")
        if (folder / ".tries").exists():
            found.append(f"{folder}: unpublished tries are left")
    for id in sorted(first.keys() | second.keys()):
        if id not in first or id not in second:
            found.append(f"{id} is missing in one")
        elif verdict(first[id]) != verdict(second[id]):
            found.append(f"{id} differs")
    return found


def other_screens(one: Path, other: Path) -> list[str]:
    """Episodes with the same result, but not with the same steps and pictures to the last pixel."""
    first, second = ({each.id: each for each in read_results(folder)[0]} for folder in (one, other))
    common = sorted(first.keys() & second.keys())
    return [id for id in common if content(one, first[id]) != content(other, second[id])]


def verdict(result: Result) -> Any:
    """A result without times: how it ended, turns, right steps, tokens."""
    return {name: value for name, value in msgspec.to_builtins(result).items() if name not in TIMES}


def content(folder: Path, result: Result) -> Any:
    """Its steps and pictures, without times. They may differ after a swipe: how far a list scrolls depends on how fast
    Chromium gets the touches.
    """
    steps = [msgspec.to_builtins(step) for step in read_steps(folder / result.run)[0]]
    for step in steps:
        for name in TIMES_OF_STEPS:
            step.pop(name, None)
    pictures = {path.name: path.read_bytes() for path in (folder / result.run / "screens").iterdir()}
    return steps, pictures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="+", choices=["dispatch", "local", "ray", "killed"])
    parser.add_argument("--out", type=Path, default=Path("runs/engines"))
    parser.add_argument("--episodes", type=int, default=40)
    given = parser.parse_args()
    wrong: list[str] = []
    for part in given.parts:
        out: Path = given.out / part
        if part == "dispatch":
            print(json.dumps({"dispatch_milliseconds": dispatch()}), flush=True)
            continue
        with ExitStack() as stack:
            nodes = TwoNodes() if part != "local" else None
            if nodes is not None:
                stack.callback(nodes.close)
            engine = stack.enter_context(open_engine(f"ray:{nodes.address}" if nodes else "local"))
            told = run(out, given.episodes, engine, nodes if part == "killed" else None)
        if part != "local" and (given.out / "local").exists():
            told["differences"] = differences(given.out / "local", out)
            told["other_screens"] = other_screens(given.out / "local", out)
            wrong += told["differences"]
        print(json.dumps({part: told, "load": os.getloadavg()[0]}), flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
