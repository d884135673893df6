"""Processes that compose screens while the network trains, and the pools that hold the last of them."""

from __future__ import annotations

import multiprocessing
import queue
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

from saccade_vision.training.compose import DrawingResources
from saccade_vision.training.compose_layouts import compose

if TYPE_CHECKING:
    from saccade_vision.training.widget_data import ScreenPool

MOST_KEPT = 1500
PHONE_SHARE = 0.35
TAKEN_AT_ONCE = 12
FIRST = 60
WAIT_SECONDS = 120


def work(made: Any, icons: Path | None, fonts: Path | None, seed: int) -> None:
    """Compose one screen after another, for ever."""
    resources = DrawingResources(icons, fonts)
    chance = random.Random(seed)
    while True:
        made.put(compose(chance.getrandbits(48), resources, chance.random() < PHONE_SHARE))


class ComposedScreens:
    """Screens from worker processes; older ones are replaced by new ones at random."""

    def __init__(self, icons: Path | None, fonts: Path | None, workers: int, seed: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.made: Any = context.Queue(maxsize=4 * max(1, workers))
        self.chance = random.Random(seed)
        self.processes = [
            context.Process(target=work, args=(self.made, icons, fonts, 1000 * seed + number), daemon=True)
            for number in range(workers)
        ]
        for process in self.processes:
            process.start()

    def fill(self, pools: dict[str, ScreenPool], device: str, wait: bool = False) -> None:
        """Take what was made since the last call. `wait`: until there are some screens of each kind."""
        from saccade_vision.training.widget_data import labelled  # noqa: PLC0415  (workers need no torch)

        if not self.processes:
            return
        taken = 0
        while taken < TAKEN_AT_ONCE or (wait and min(len(pool.screens) for pool in pools.values()) < FIRST):
            try:
                pixels, elements = self.made.get(timeout=WAIT_SECONDS if wait else 0.0005)
            except queue.Empty:
                return
            taken += 1
            screen = labelled(pixels, elements)
            screen = screen._replace(picture=screen.picture.to(device))
            pool = pools["phone" if pixels.shape[0] > pixels.shape[1] else "desktop"]
            if len(pool.screens) < MOST_KEPT:
                pool.add(screen, "composed")
            else:
                pool.screens[self.chance.randrange(MOST_KEPT)] = screen

    def close(self) -> None:
        for process in self.processes:
            process.kill()
