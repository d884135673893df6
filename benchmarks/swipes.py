"""Measures how far the same swipe scrolls, on an idle machine and beside busy processes, and whether the page has come
to rest when the observation is taken.

python benchmarks/swipes.py [--swipes 40] [--busy 2] [--only NAME]

Each swipe begins at the same scroll offset. `where` counts the offsets that were found half a second after the step;
`later` is the most pixels that the page scrolled on after the observation.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median

from saccade.actions import Action
from saccade.worlds.browser.world import DESKTOP, PHONE, BrowserWorld
from saccade_phone.world import PhoneWorld
from world_step import phone_page, serve

SCROLLED = "document.scrollingElement"
FIRST_OFFSET = 100
"""Where each swipe begins, in CSS pixels from the top, so that it can go both ways."""
LATER_SECONDS = 0.5
SWIPES = (Action("swipe", direction="up"), Action("swipe", direction="down"))


def tall_page(device: str) -> tuple[BrowserWorld, str]:
    world = BrowserWorld(serve(phone_page(64)), device={"desktop": DESKTOP, "phone": PHONE}[device])
    world.reset()
    return world, SCROLLED


def phone_contacts() -> tuple[BrowserWorld, str]:
    world = PhoneWorld()
    world.reset(seed=3)
    world.act(Action("open_app", text="Contacts"))
    return world, "document.querySelector('.p-page > .p-body')"


WORLDS: dict[str, Callable[[], tuple[BrowserWorld, str]]] = {
    "touch": lambda: tall_page("phone"),
    "wheel": lambda: tall_page("desktop"),
    "sandbox phone": phone_contacts,
}


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    """So many processes that never rest, until the end of the block."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def measure_swipes(world: BrowserWorld, scrolled: str, swipes: int) -> str:
    """How far swipes went, and how long each step took."""

    def scroll_offset() -> float:
        return float(world.engine.run(world.tabs.page.evaluate(f"{scrolled}.scrollTop"), 5))

    where: dict[str, Counter[float]] = {str(swipe.direction): Counter() for swipe in SWIPES}
    later, times = 0.0, []
    for at in range(swipes):
        swipe = SWIPES[at % 2]
        world.engine.run(
            world.tabs.page.evaluate(f"{scrolled}.scrollTop = {FIRST_OFFSET if at % 2 == 0 else 5 * FIRST_OFFSET}"), 5
        )
        time.sleep(0.2)
        begun = time.perf_counter()
        error = world.act(swipe).error
        times.append(1000 * (time.perf_counter() - begun))
        if error:
            raise RuntimeError(error)
        seen = scroll_offset()
        time.sleep(LATER_SECONDS)
        later = max(later, abs(scroll_offset() - seen))
        where[str(swipe.direction)][scroll_offset()] += 1
    ends = "; ".join(f"{way} {dict(sorted(found.items()))}" for way, found in where.items())
    return f"where {ends}; later {later:g}; step {median(times):.0f} ms"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--swipes", type=int, default=40)
    parser.add_argument("--busy", type=int, default=2, help="busy processes beside the second half")
    parser.add_argument("--only", choices=tuple(WORLDS))
    given = parser.parse_args()
    for name in [given.only] if given.only else WORLDS:
        world, scrolled = WORLDS[name]()
        with world:
            for busy in (0, given.busy):
                with busy_processes(busy):
                    found = measure_swipes(world, scrolled, given.swipes)
                print(f"{name}, {busy} busy processes: {found}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
