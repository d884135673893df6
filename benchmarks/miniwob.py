"""Runs every scripted MiniWoB solver on twenty seeds: success rate, episodes per second and per core.

An episode is a reset, the solver's actions, and the elements of each screen; one browser, one page at a time. The
command fails if any episode does.

Run: python benchmarks/miniwob.py [--seeds 20] [TASK …]
"""

from __future__ import annotations

import argparse
import sys
import time

from memory import cpu_seconds
from saccade.errors import MissingError
from saccade.worlds.base import InfrastructureError
from saccade.worlds.miniwob.solvers import SOLVED, LostError, solve
from saccade.worlds.miniwob.world import MiniWobWorld

LEAST_TASKS = 25


def outcome(world: MiniWobWorld, task: str, seed: int) -> str:
    """Empty for a success, otherwise what went wrong."""
    try:
        end = solve(world, task, seed)
    except (LostError, InfrastructureError) as error:
        return f"seed {seed}: {error}"
    if end.done and end.reward > 0:
        return ""
    return f"seed {seed}: reward {end.reward:g}{'' if end.done else ', not done'}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*", default=list(SOLVED), metavar="TASK")
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args()
    failed: dict[str, list[str]] = {}
    started = time.perf_counter()
    with MiniWobWorld() as world:
        for task in options.tasks:
            begun = time.perf_counter()
            problems = [problem for seed in range(options.seeds) if (problem := outcome(world, task, seed))]
            rate = options.seeds / (time.perf_counter() - begun)
            share = 100 * (options.seeds - len(problems)) / options.seeds
            print(f"{task:28s} {share:5.1f} %  {rate:5.1f} episodes/s  {'; '.join(problems[:2])}", flush=True)
            if problems:
                failed[task] = problems
        used = cpu_seconds()
    episodes, seconds = options.seeds * len(options.tasks), time.perf_counter() - started
    lost = sum(map(len, failed.values()))
    print(
        f"{len(options.tasks)} tasks × {options.seeds} seeds: {episodes - lost} of {episodes} episodes succeeded, "
        f"{episodes / seconds:.1f} episodes/s, {episodes / used:.1f} a second of one core; "
        f"{len(options.tasks) - len(failed)} tasks at 100 % "
        f"(goal: all, and at least {LEAST_TASKS})"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except MissingError as error:
        print(error, file=sys.stderr)
        sys.exit(3)
