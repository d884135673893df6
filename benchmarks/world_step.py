"""Measures one step in the browser: act, wait until the page has settled, take a screenshot, find the elements.

Part one is a page of 350 nodes on a 1080×2400 phone, and the memory of one and of two such worlds in one browser. Part
two is a MiniWoB page, against BrowserGym's own step on the same page and the same Chromium, in turns; BrowserGym needs
an environment of its own (it pins an old Playwright):

    python3 -m venv bgym && bgym/bin/pip install browsergym-core browsergym-miniwob

Run: python benchmarks/world_step.py [--browsergym bgym/bin/python]   (or set SACCADE_BROWSERGYM_PYTHON)
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median, quantiles

from memory import cpu_seconds, megabytes
from saccade.actions import Action
from saccade.worlds.base import Observation
from saccade.worlds.browser.engine import find_chromium
from saccade.worlds.browser.world import PHONE, BrowserWorld
from saccade.worlds.miniwob.catalog import pages
from saccade.worlds.miniwob.world import MiniWobWorld

WORKER = Path(__file__).with_name("browsergym_worker.py")
STEPS = 60
ROUNDS = 3
"""How often Saccade and BrowserGym take turns, so that a change of the machine's load meets both."""
GOAL_MS = 200.0
GOAL_RATIOS = {"default": 12.0, "without pauses": 4.0}
TASK = "click-checkboxes-large"
ROWS = 49
"""Each row has seven elements; with the seven around them that makes 350."""


def phone_page(height: int) -> bytes:
    """A contact list whose rows, `height` CSS pixels each, react to a tap."""
    row = (
        "<li onclick=\"this.classList.toggle('on')\"><i>☎</i><b>{0}</b><span>Contact {0} <em>mobile</em></span>"
        "<button>Call</button><button>Edit</button></li>"
    )
    style = (
        "body{margin:0;font:12px sans-serif}ul{margin:0;padding:0}li{display:flex;gap:8px;overflow:hidden}"
        f"li{{height:{height}px}}"
        "li.on{background:#cde}span{flex:1}button{font-size:9px;padding:0 6px}"
    )
    rows = "".join(row.format(number) for number in range(1, ROWS + 1))
    head = "<meta charset=utf-8><meta name=viewport content='width=device-width'>"
    return f"<!doctype html>{head}<style>{style}</style><ul>{rows}</ul>".encode()


def serve(body: bytes) -> str:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/"


def timed(act: Callable[[Action], Observation], actions: list[Action]) -> list[float]:
    """Milliseconds of each whole step, without two warm-up steps: from the second on, elements are found beside the
    screenshot.
    """
    times = []
    for action in [actions[0], actions[0], *actions]:
        begun = time.perf_counter()
        seen = act(action)
        found = len(seen.screen.elements)
        times.append(1000 * (time.perf_counter() - begun))
        if seen.error or not found or seen.done:
            raise RuntimeError(f"the step failed: {seen.error or 'no elements, or the episode ended'}")
    return times[2:]


def timing_line(name: str, times: list[float]) -> str:
    p90 = quantiles(times, n=10)[-1]
    return f"{name:58s} median {median(times):7.1f} ms   p90 {p90:7.1f} ms   ({len(times)} steps)"


def phone(name: str, height: int) -> None:
    with BrowserWorld(serve(phone_page(height)), device=PHONE) as world:
        rows = [each for each in world.reset().screen.elements if each.text.startswith("Contact")]
        begun = cpu_seconds()
        times = timed(world.act, [Action("click", rows[at % len(rows)].center) for at in range(STEPS)])
        spent = 1000 * (cpu_seconds() - begun) / (STEPS + 2)
    verdict = "ok" if median(times) <= GOAL_MS else "ABOVE THE GOAL"
    print(timing_line(f"350 nodes on a 1080×2400 phone, {name}", times), f"{spent:.0f} ms of processor time a step;")
    print(f"goal: median at most {GOAL_MS:.0f} ms: {verdict}", flush=True)


def memory() -> None:
    """Memory of a browser (with Playwright's driver) that shows the phone page, and of one more world in it."""
    page = serve(phone_page(15))
    with BrowserWorld(page, device=PHONE) as first:
        len(first.reset().screen.elements)
        one = megabytes(own=False)
        with BrowserWorld(page, device=PHONE, engine=first.engine) as second:
            len(second.reset().screen.elements)
            print(f"memory (PSS): {one:.0f} MB a browser, {megabytes(own=False) - one:.0f} MB more for a second world")


def miniwob() -> list[float]:
    with MiniWobWorld(TASK) as world:
        box = next(each for each in world.reset(0).screen.elements if each.type == "checkbox")
        return timed(world.act, [Action("click", box.center)] * (STEPS // ROUNDS))


def browsergym(python: str) -> dict[str, list[float]]:
    """Milliseconds of BrowserGym's steps, by the kind of its settings."""
    command = [python, str(WORKER), str(pages()), TASK, str(STEPS // ROUNDS // 2), find_chromium()]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if ran.returncode:
        raise RuntimeError(f"BrowserGym failed:\n{ran.stderr[-2000:]}")
    found: dict[str, list[float]] = json.loads(ran.stdout)
    return found


def compare(python: str) -> None:
    """Saccade and, if there is an interpreter for it, BrowserGym on one MiniWoB page."""
    ours: list[float] = []
    theirs: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        ours += miniwob()
        for name, times in (browsergym(python) if python else {}).items():
            theirs.setdefault(name, []).extend(times)
    print(timing_line(f"MiniWoB {TASK}, Saccade", ours))
    for name, times in theirs.items():
        ratio = median(times) / median(ours)
        verdict = "ok" if ratio >= GOAL_RATIOS[name] else "MISSED"
        print(timing_line(f"MiniWoB {TASK}, BrowserGym, {name}", times), f"{ratio:.1f} × ours")
        print(f"goal: at least {GOAL_RATIOS[name]:.0f} × ours: {verdict}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--browsergym", default=os.environ.get("SACCADE_BROWSERGYM_PYTHON", ""), metavar="PYTHON")
    options = parser.parse_args()
    print(f"load of this machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    phone("half visible", 32)
    phone("all visible", 15)
    memory()
    python = options.browsergym
    if not python:
        print("BrowserGym is not measured: give its interpreter with --browsergym or SACCADE_BROWSERGYM_PYTHON")
    elif not Path(python).is_file():
        print(f"BrowserGym is not measured: there is no {python}")
        python = ""
    compare(python)
    return 0


if __name__ == "__main__":
    sys.exit(main())
