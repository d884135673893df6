"""Lets the scripted oracles and the random model do the desktop's tasks.

    python benchmarks/desktop_tasks.py [--seeds 5] [--random-seeds 2] [--group pcmanfm] [--workers 1]

Every template is done with each seed in English and Chinese. Goals: the oracle does all, the random model below 3 %.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from saccade.bench.results_store import read_results

GOAL_RANDOM = 0.03


def successes(model: str, seeds: int, group: str, workers: int, out: Path) -> tuple[Counter[str], Counter[str]]:
    """How often each template was done, and how often it was tried."""
    how = ["--limit", "100000", "--workers", str(workers), "--option", f"seeds={seeds}", "--out", str(out), "--json"]
    how += ["--option", f"group={group}"] if group else []
    command = [sys.executable, "-m", "saccade", "bench", "desktop", "--model", model, *how]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    done: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    for result in read_results(out)[0]:
        name = result.id.rsplit("-", 2)[0]
        tried[name] += 1
        done[name] += result.success
    return done, tried


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--random-seeds", type=int, default=2)
    parser.add_argument("--group", default="", help="one application only")
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for model, seeds in (("oracle", given.seeds), ("random", given.random_seeds)):
            if not seeds:
                continue
            done, tried = successes(model, seeds, given.group, given.workers, Path(folder, model))
            share = done.total() / max(tried.total(), 1)
            print(f"{model}: {done.total()} of {tried.total()} ({share:.1%}), {len(tried)} templates", flush=True)
            odd = [name for name in tried if (done[name] != tried[name] if model == "oracle" else done[name])]
            for name in odd:
                print(f"    {name}: {done[name]} of {tried[name]}", flush=True)
            good = good and (share == 1 if model == "oracle" else share < GOAL_RANDOM)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
