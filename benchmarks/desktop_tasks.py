"""Lets the scripted oracles, the random model, and a server that answers in other makers' formats do desktop tasks.

    python benchmarks/desktop_tasks.py [--seeds 5] [--random-seeds 3] [--group pcmanfm] [--workers 1] [--out FOLDER]

Every template is done with each seed in English and Chinese. Goals: the oracle does all, the random model below 3 %;
five tasks are done in each format (`desktop_formats.py`; `--no-formats` leaves them out).
`--out` keeps the runs with their replay pages; `--measure` writes how many steps the oracle took into the table that
`saccade tasks list --world desktop` shows.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

from desktop_formats import FORMATS
from desktop_formats import report as report_formats
from saccade.bench.cases import Result
from saccade.bench.results_store import read_results
from saccade.worlds.desktop.tasks.catalog import write_lengths

GOAL_RANDOM = 0.03


def play(model: str, seeds: int, given: argparse.Namespace, out: Path) -> list[Result]:
    """What became of each task."""
    how = ["--limit", "100000", "--workers", str(given.workers), "--option", f"seeds={seeds}", "--out", str(out)]
    how += ["--option", f"group={given.group}"] if given.group else []
    command = [sys.executable, "-m", "saccade", "bench", "desktop", "--model", model, *how, "--json"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return read_results(out)[0]


def report(model: str, results: list[Result]) -> float:
    """Print the share of tasks that were done, and the templates that are not as they should be."""
    tried = Counter(result.tags["task"] for result in results)
    done = Counter(result.tags["task"] for result in results if result.success)
    share = done.total() / max(tried.total(), 1)
    print(f"{model}: {done.total()} of {tried.total()} ({share:.1%}), {len(tried)} templates", flush=True)
    for name in tried:
        if done[name] != (tried[name] if model == "oracle" else 0):
            print(f"    {name}: {done[name]} of {tried[name]}", flush=True)
    return share


def lengths(results: list[Result]) -> dict[str, dict[str, list[int]]]:
    """For each template and language, how many steps the episodes took that were done."""
    found: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        if result.success:
            found[result.tags["task"]][result.tags["language"]].append(result.turns)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--random-seeds", type=int, default=3)
    parser.add_argument("--group", default="", help="one application only")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, help="a folder to keep the runs in")
    parser.add_argument("--measure", action="store_true", help="write the oracle's numbers of steps")
    parser.add_argument("--no-formats", action="store_true", help="leave out the formats of other makers")
    given = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as folder:
        out = given.out or Path(folder)
        if given.seeds:
            results = play("oracle", given.seeds, given, out / "oracle")
            good = report("oracle", results) == 1
            if given.measure:
                write_lengths(lengths(results))
        if given.random_seeds:
            results = play("random", given.random_seeds, given, out / "random")
            good = report("random", results) < GOAL_RANDOM and good
    if not given.no_formats:
        good = report_formats(FORMATS) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
