"""Times BrowserGym's steps on one MiniWoB page. Runs under BrowserGym's own interpreter; `world_step.py` starts it.

Run: PYTHON benchmarks/browsergym_worker.py PAGES TASK STEPS CHROMIUM  (prints one JSON object)
"""

from __future__ import annotations

import contextlib
import functools
import http.server
import json
import os
import sys
import threading
import time
from importlib import import_module
from typing import Any


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        return


def serve(folder: str) -> int:
    """Serve the task pages on localhost, because BrowserGym needs a URL; returns the port."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def find_checkbox(observation: dict[str, Any]) -> str:
    """BrowserGym's id of a checkbox; clicking it repeatedly never ends the episode."""
    for node in observation["axtree_object"]["nodes"]:
        if node.get("role", {}).get("value") == "checkbox" and "browsergym_id" in node:
            return str(node["browsergym_id"])
    raise LookupError("there is no checkbox on the page")


def use_chromium(chromium: str) -> None:
    """Make BrowserGym use the system's Chromium for all its windows, including the chat."""
    from playwright.sync_api import BrowserType  # noqa: PLC0415

    launch = BrowserType.launch

    def launch_this(self: BrowserType, **options: Any) -> Any:
        return launch(self, **{**options, "executable_path": chromium})

    BrowserType.launch = launch_this  # type: ignore[method-assign]


def measure(task: str, steps: int, **options: Any) -> list[float]:
    """Milliseconds of each step."""
    import_module("browsergym.miniwob")  # registers the tasks
    gymnasium = import_module("gymnasium")
    world = gymnasium.make(f"browsergym/miniwob.{task}", **options)
    observation, _ = world.reset(seed=0)
    action = f"click('{find_checkbox(observation)}')"
    times = []
    for _ in range(steps):
        begun = time.perf_counter()
        observation, _, terminated, _, _ = world.step(action)
        times.append(1000 * (time.perf_counter() - begun))
        if terminated or observation["last_action_error"]:
            raise RuntimeError(f"the step failed: {observation['last_action_error'] or 'the episode ended'}")
    world.close()
    return times


def main() -> None:
    pages, task, steps, chromium = sys.argv[1:5]
    os.environ["MINIWOB_URL"] = f"http://127.0.0.1:{serve(pages)}/miniwob/"
    use_chromium(chromium)
    with contextlib.redirect_stdout(sys.stderr):
        result = {
            "default": measure(task, int(steps)),
            "without pauses": measure(task, int(steps), pre_observation_delay=0.0, slow_mo=0),
        }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
