"""Measures the desktop world with real applications on an X server without a screen.

- Step: press a key, wait until the screen has settled, take a picture of 1920×1080, find the elements; in every
  application.
- Reset: a new X server, window manager, buses, home folder and application.
- Four at once: the same step on four desktops.
- Clicks: at the centres of elements of all applications, on start screens, in menus and in dialogs: `desktop_clicks`.
- Texts: strings of mixed scripts, typed into Mousepad and read from the saved file.
- Kills: -9 of the application, the X server and a process with a world; what is left after five seconds.
- Memory: growth of this process over many steps.

Run: python benchmarks/desktop.py [--steps 60] [--clicks 300] [--texts 50] [--kills 20] [--long 500] [--only step …]
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any
from unittest.mock import patch

from desktop_clicks import LARGE, PreparedWorld, check_clicks
from saccade.actions import Action
from saccade.types import Element
from saccade.worlds.base import InfrastructureError, Observation
from saccade.worlds.desktop.applications import APPLICATIONS
from saccade.worlds.desktop.dbus import SECONDS, Bus, Call
from saccade.worlds.desktop.supervisor import MARK, belongs
from saccade.worlds.desktop.world import DesktopWorld

GOAL_STEP_MS, GOAL_RESET_S, GOAL_REACHED, GOAL_GROWTH_MB = 300.0, 3.0, 0.98, 20.0
SCRIPTS = (
    "abcdefgh XYZ 0123456789",
    "äöüßéèñçøåşğ",
    "你好世界中文输入设置时间",
    "日本語テキストひらがな",
    "한국어문장입력",
    "русскийтекст",
    "ελληνικάκείμενο",
    "עבריתטקסט",
    "العربيةنص",
    "हिन्दीपाठ",
    "ไทยข้อความ",
    "😀🎉🚀👍",
    "→←½²∑√€£¥",
    "{}[]()<>|\\~`@#$%^&*_+-=;:'\",./?",
)
STEP_KEYS = {"galculator": tuple("123456")}
HOLDER = (
    "from saccade.worlds.desktop.world import DesktopWorld\nimport sys\n"
    "world = DesktopWorld('galculator'); world.reset()\n"
    "print(world.session.folder, flush=True)\nsys.stdin.read()\n"
)


class EditorWorld(DesktopWorld):
    """Mousepad with an empty file."""

    def prepare(self, home: Path, application: str) -> list[str]:
        (home / "notes.txt").write_text("", encoding="utf-8")
        return ["notes.txt"]


def keys_of(seen: Observation) -> Iterator[Element]:
    """The calculator's digits, again and again."""
    digits = [element for element in seen.screen.elements if element.type == "button" and element.text.isdigit()]
    while True:
        yield from digits


def timed_steps(world: DesktopWorld, count: int) -> list[float]:
    """Milliseconds of clicks on the calculator, each with picture and elements."""
    keys, times = keys_of(world.reset()), []
    for _ in range(count):
        start = time.perf_counter()
        seen = world.act(Action("click", next(keys).center))
        assert len(seen.screen.elements) > 10 and seen.screen.picture is not None
        times.append(1000 * (time.perf_counter() - start))
    return times


def summary(times: list[float]) -> str:
    return f"median {median(times):.0f}, 95 % {quantiles(times, n=20)[-1]:.0f}"


def step(options: argparse.Namespace) -> bool:
    """A key that changes something in every application; the processor time of all its processes, and the calls that
    reading the elements takes, depend less on what else the machine does.
    """
    good = True
    for name in APPLICATIONS:
        times: list[float] = []
        keys = STEP_KEYS.get(name, ("right", "left"))
        with PreparedWorld(name, size=LARGE) as world, counted_calls() as calls:
            world.reset()
            assert world.session is not None
            folder, used = world.session.folder, 0.0
            for number in range(options.steps + 2):
                if number == 2:
                    calls.clear()
                    used = processor_seconds(folder)
                start = time.perf_counter()
                seen = world.act(Action("press", key=keys[number % len(keys)]))
                count = len(seen.screen.elements)
                times.append(1000 * (time.perf_counter() - start))
            used = 1000 * (processor_seconds(folder) - used) / options.steps
        good &= median(times[2:]) <= GOAL_STEP_MS
        print(
            f"step {name} at 1920×1080, {options.steps} keys: {summary(times[2:])} ms (goal {GOAL_STEP_MS:.0f}); "
            f"{used:.0f} ms of processor time, {sum(calls) / options.steps:.0f} calls in "
            f"{len(calls) / options.steps:.1f} batches for {count} elements"
        )
    return good


@contextmanager
def counted_calls() -> Iterator[list[int]]:
    """The sizes of the batches of D-Bus calls that are made meanwhile."""
    sizes: list[int] = []
    plain = Bus.call_all

    def counting(self: Bus, calls: Sequence[Call], seconds: float = SECONDS) -> list[Any]:
        sizes.append(len(calls))
        return plain(self, calls, seconds)

    with patch.object(Bus, "call_all", counting):
        yield sizes


def processor_seconds(folder: Path) -> float:
    """Of this process and all of a desktop."""
    ticks = 0
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if belongs(entry.name, str(folder)):
                ticks += sum(map(int, (entry / "stat").read_text().rpartition(")")[2].split()[11:13]))
        except OSError:
            continue
    return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def reset(options: argparse.Namespace) -> bool:
    good = True
    for name in APPLICATIONS:
        times: list[float] = []
        with DesktopWorld(name, size=LARGE) as world:
            for _ in range(3):
                start = time.perf_counter()
                count = len(world.reset().screen.elements)
                times.append(time.perf_counter() - start)
        good &= median(times) <= GOAL_RESET_S
        print(f"reset {name}: median {median(times):.1f} s of 3, {count} elements (goal {GOAL_RESET_S:.0f} s)")
    return good


def four(options: argparse.Namespace) -> bool:
    times: list[float] = []
    count: int = options.steps // 2

    def work() -> None:
        with DesktopWorld("galculator", size=LARGE) as world:
            times.extend(timed_steps(world, count))

    start = time.perf_counter()
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rate = len(times) / (time.perf_counter() - start)
    print(
        f"four desktops at once: {len(times)} steps, {summary(times)} ms, {rate:.1f} steps/s with starting and ending"
    )
    return len(times) == 4 * count


def clicks(options: argparse.Namespace) -> bool:
    good, done = check_clicks(options.clicks)
    share = good / max(done, 1)
    print(f"clicks: {good} of {done} reached their element, {share:.1%} (goal {GOAL_REACHED:.0%})")
    return share >= GOAL_REACHED


def texts(options: argparse.Namespace) -> bool:
    draw, wrong = random.Random(0), 0
    with EditorWorld("mousepad") as world:
        world.reset()
        assert world.session is not None
        file = world.session.home / "notes.txt"
        for number in range(options.texts):
            parts = ["".join(draw.choices(script, k=6)) for script in draw.sample(SCRIPTS, 4)]
            text = f"{number}: " + " ".join(parts)
            world.act(Action("press", key="ctrl+a"))
            world.act(Action("type", text=text))
            world.act(Action("press", key="ctrl+s"))
            deadline = time.monotonic() + 3
            while (got := file.read_text(encoding="utf-8").removesuffix("\n")) != text and time.monotonic() < deadline:
                time.sleep(0.05)
            if got != text:
                wrong += 1
                print(f"  {got!r} instead of {text!r}")
    print(f"texts: {options.texts - wrong} of {options.texts} strings of mixed scripts exact")
    return not wrong


# -- kills ------------------------------------------------------------------------------------------------------------


def left(folder: Path) -> bool:
    """Is there a process or a folder five seconds later?"""
    mark, deadline = f"{MARK}={folder}".encode(), time.monotonic() + 5
    while time.monotonic() < deadline:
        processes = 0
        for entry in Path("/proc").glob("[0-9]*/environ"):
            try:
                processes += mark in entry.read_bytes()
            except OSError:
                continue
        if not processes and not folder.exists():
            return False
        time.sleep(0.1)
    return True


def kills(options: argparse.Namespace) -> bool:
    told, remains = 0, 0
    for victim in ("galculator", "the X server"):
        with DesktopWorld("galculator") as world:
            for _ in range(options.kills):
                world.reset()
                assert world.session is not None
                folder = world.session.folder
                os.kill(world.session.processes[victim], signal.SIGKILL)
                try:
                    for _ in range(3):
                        world.act(Action("wait", seconds=0.1))
                except InfrastructureError:
                    told += 1
                remains += left(folder)
    for _ in range(options.kills):
        child = subprocess.Popen(
            [sys.executable, "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert child.stdout is not None
        folder = Path(child.stdout.readline().strip())
        child.kill()
        child.wait()
        remains += left(folder)
    print(
        f"kills: {told} of {2 * options.kills} told as infrastructure; "
        f"{remains} of {3 * options.kills} left a process or a folder"
    )
    return told == 2 * options.kills and not remains


def memory(options: argparse.Namespace) -> bool:
    """Growth of the largest memory of this process after the first fifth of the steps."""
    with DesktopWorld("galculator", size=LARGE) as world:
        timed_steps(world, options.long // 5)
        before = resident()
        timed_steps(world, options.long - options.long // 5)
        growth = resident() - before
    print(f"memory: {growth:+.1f} MB in {options.long - options.long // 5} steps (goal {GOAL_GROWTH_MB:.0f})")
    return growth <= GOAL_GROWTH_MB


def resident() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * resource.getpagesize() / 2**20


PARTS: tuple[Callable[[argparse.Namespace], bool], ...] = (step, reset, four, clicks, texts, kills, memory)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, count in (("steps", 60), ("clicks", 300), ("texts", 50), ("kills", 20), ("long", 500)):
        parser.add_argument(f"--{name}", type=int, default=count)
    parser.add_argument("--only", nargs="*", choices=[part.__name__ for part in PARTS])
    options = parser.parse_args()
    chosen = [part for part in PARTS if not options.only or part.__name__ in options.only]
    results = {part.__name__: part(options) for part in chosen}
    print(", ".join(f"{name}: {'ok' if good else 'NOT MET'}" for name, good in results.items()))
    return 0 if all(results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
