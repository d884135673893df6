"""Measures the sandbox phone: success of the oracle and of other players, speed, and memory growth.

python benchmarks/phone.py                      # a short run
python benchmarks/phone.py --episodes 1000      # the figures of docs/PHONE.md
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from memory import cpu_seconds, megabytes
from saccade.bench.suites import training_tasks
from saccade.data.collect.collector import Report, Request, collect
from saccade.worlds.base import InfrastructureError
from saccade_phone.session import Session
from saccade_phone.world import PhoneWorld

SECONDS_BETWEEN = 20.0


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--episodes", type=int, default=60)
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--players", default="oracle,recovering,random")
    options.add_argument("--split", default="test")
    options.add_argument("--scale", type=float, default=3.0, help="scale of the screenshots: 3 gives 1080×2400")
    options.add_argument("--out", type=Path, help="folder to keep the collected episodes")
    given = options.parse_args()
    resets()
    for player in given.players.split(","):
        run(player, given.split, given.episodes, given.workers, given.scale, given.out)


def resets(count: int = 30) -> None:
    """Time to reset to a given state, including the screenshot."""
    with PhoneWorld(theme="light") as world:
        world.reset(0)
        sessions = [Session.free(seed, "zh", theme="light") for seed in range(count)]
        times = []
        for session in sessions:
            begin = time.perf_counter()
            world.put(session)
            times.append(1000 * (time.perf_counter() - begin))
    print(f"reset to a given state: median {statistics.median(times):.0f} ms, longest {max(times):.0f} ms")


def run(player: str, split: str, episodes: int, workers: int, scale: float, out: Path | None) -> None:
    """Run one player on random tasks of the split, with random seeds and languages."""
    outcomes: Counter[str] = Counter()
    steps: list[tuple[float, float, int]] = []
    """When each episode ended, the processor time used until then, and its steps."""
    memory: list[float] = []
    stop = threading.Event()
    watcher = threading.Thread(target=watch, args=(memory, stop), daemon=True)
    watcher.start()

    def on_episode(report: Report) -> None:
        outcomes[report.outcome] += 1
        steps.append((time.perf_counter(), cpu_seconds(), report.steps))

    with tempfile.TemporaryDirectory() as scratch:
        folder = (out or Path(scratch)) / f"{player}-{split}"
        seed = random.Random(player).randrange(90)
        request = Request("phone", episodes, player, {"split": split, "scale": scale}, seed)
        try:
            collect(request, training_tasks("phone", episodes, request.options, seed), folder, workers, on_episode)
        except InfrastructureError as error:
            print(error)
    stop.set()
    print(f"{player} on {split}: {dict(outcomes)}")
    if len(steps) <= workers:
        return
    counted = steps[workers:]  # the first episode of each worker includes starting its browser
    spent, used = (after - before for after, before in zip(counted[-1][:2], steps[workers - 1][:2], strict=True))
    rate = sum(count for *_, count in counted) / spent
    playable = episodes - outcomes["lost"]
    share = 100 * outcomes["success"] / max(playable, 1)
    print(f"  {outcomes['success']} of {episodes} succeeded, {share:.1f} % of those not lost")
    print(f"  {sum(count for *_, count in steps)} steps, {rate:.1f} steps/s with {workers} phones and screenshots")
    print(f"  {len(counted) / spent:.2f} episodes/s, {len(counted) / used:.2f} a second of one core")
    if len(memory) > 3:
        early, late = statistics.mean(memory[1:4]), statistics.mean(memory[-4:-1])
        print(f"  memory of all processes: {early:.0f} MB early, {late:.0f} MB late, at most {max(memory):.0f}")


def watch(memory: list[float], stop: threading.Event) -> None:
    while not stop.wait(SECONDS_BETWEEN):
        memory.append(megabytes())


if __name__ == "__main__":
    main()
