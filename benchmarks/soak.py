"""Soak test of the browser world: memory growth over 1,000 steps, and recovery after 20 killed browsers.

Run: python benchmarks/soak.py [--steps N] [--kills N]
"""

from __future__ import annotations

import argparse
import functools
import http.server
import os
import random
import signal
import threading
import time
from pathlib import Path

from memory import descendants, megabytes
from saccade.actions import Action
from saccade.geometry import Point
from saccade.worlds.base import InfrastructureError
from saccade.worlds.browser.world import PHONE, BrowserWorld

PAGES = Path(__file__).parents[1] / "tests" / "worlds" / "pages"


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def serve() -> str:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(PAGES)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def random_action(rng: random.Random) -> Action:
    x, y = rng.randrange(1080), rng.randrange(2400)
    match rng.randrange(4):
        case 0:
            return Action("swipe", direction=rng.choice(["up", "down"]))
        case 1:
            return Action("type", text="memory", point=Point(150, 400))
        case 2:
            return Action("press", key="ctrl+a")
    return Action("click", Point(x, y))


def growth(steps: int, url: str) -> None:
    rng = random.Random(0)
    with BrowserWorld(f"{url}/hands.html", device=PHONE) as world:
        world.reset()
        warm = max(50, steps // 10)
        start = time.monotonic()
        for at in range(steps + warm):
            observation = world.act(random_action(rng))
            len(observation.screen.elements)
            if at == warm:
                before = megabytes()
        after = megabytes()
        rate = (steps + warm) / (time.monotonic() - start)
        share = 100 * (after - before) / before
        verdict = "ok" if share < 10 else "TOO MUCH"
        print(
            f"{steps} steps: {before:.0f} MB → {after:.0f} MB, {share:+.1f} % (goal < 10 %) {verdict}; "
            f"{rate:.1f} steps/s"
        )


def kills(times: int, url: str) -> None:
    rng = random.Random(1)
    came_back = 0
    longest = 0.0
    with BrowserWorld(f"{url}/hands.html", device=PHONE) as world:
        for _ in range(times):
            world.reset()
            for _ in range(rng.randrange(4)):
                world.act(random_action(rng))
            killer = threading.Timer(rng.random() * 0.4, kill_browser)
            killer.start()
            start = time.monotonic()
            try:
                for _ in range(10):
                    world.act(random_action(rng))
            except InfrastructureError:
                came_back += 1
            longest = max(longest, time.monotonic() - start)
            killer.join()
        came_back += world.reset().error == ""
    verdict = "ok" if came_back == times + 1 and longest < 60 else "FAILED"
    print(
        f"{times} kills: {came_back - 1} ended with an infrastructure error, "
        f"none hung (longest {longest:.1f} s) {verdict}"
    )


def kill_browser() -> None:
    for pid in descendants():
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            continue
        if b"--remote-debugging-pipe" in line and b"--type=" not in line:
            os.kill(pid, signal.SIGKILL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=20)
    options = parser.parse_args()
    url = serve()
    kills(options.kills, url)
    growth(options.steps, url)


if __name__ == "__main__":
    main()
