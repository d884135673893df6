"""How fast the studio is with many runs: indexing, the first page, search, memory.

    python benchmarks/studio_index.py make FOLDER --runs 10000 --steps 100
    python benchmarks/studio_index.py measure FOLDER [--database postgres]

`make` writes runs as `saccade run` would: about 2 kB a step, English and Chinese, one step in ten with a known right
action. `measure` starts a studio over the folder, waits until all is indexed, and asks for pages and for 200 different
searches: words that every run has, phrases, parts of words, Chinese, numbers, words that no run has. Then it starts the
studio again with nothing of the database in memory (PostgreSQL is restarted, its files leave the system's cache), and
asks for the first page and the same searches in another order.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from saccade.studio.index.measurement_reader import id_of
from throwaway_postgres import postgres, restart

VERBS = ["open", "set", "delete", "send", "find", "move", "rename", "share", "mute", "archive"]
NOUNS = ["alarm", "contact", "message", "photo", "note", "calendar", "playlist", "order", "ticket", "invoice", "folder"]
NAMES = ["Amsel", "Birke", "Chen Wei", "Dorado", "Espresso", "Fjord", "Garnet", "Hibiscus", "Indigo", "Juniper"]
CHINESE = ["设置", "闹钟", "联系人", "消息", "照片", "日历", "订单", "删除", "发送", "打开", "音乐", "天气", "地图"]
STATUSES = ["success", "failure", "claimed", "gave up", "broken"]
SUITES, MODELS = ["phone", "miniwob", "desktop"], ["openai/a-3b", "openai/b-7b", "mini", "oracle"]


def sentence(draw: random.Random, words: int) -> str:
    if draw.random() < 0.3:
        return "".join(draw.choices(CHINESE, k=words))
    return " ".join(draw.choice((VERBS, NOUNS, NAMES)[at % 3]) for at in range(words))


def step_line(draw: random.Random, number: int, instruction: str) -> bytes:
    elements: list[dict[str, Any]] = [
        {"id": at, "box": [x := draw.randrange(900), y := draw.randrange(2000), x + 120, y + 80], "text": noun}
        for at, noun in enumerate(draw.choices(NOUNS, k=12))
    ]
    action = {"type": "click", "point": [draw.randrange(1080), draw.randrange(2400)]}
    thought = sentence(draw, 30)
    step = {
        "id": f"s-{number}",
        "instruction": instruction,
        "step": number,
        "screen": [1080, 2400],
        "elements": elements,
        "prediction": action,
        "output": f"<think>{thought}</think><action>{json.dumps(action)}</action>",
        "thought": thought,
        "prompt": [["system", "You act on a phone. " * 10], ["user", instruction]],
        "usage": {"input": 1800, "output": 90, "cost": 0.0004, "calls": 1},
        "seconds": {"total": 1.5, "model": 1.2},
    }
    if draw.random() < 0.1:
        step["truth"] = [{"type": "click", "point": elements[0]["box"][:2]}]
    return json.dumps(step, ensure_ascii=False).encode() + b"\n"


def make(folder: Path, runs: int, steps: int) -> None:
    draw = random.Random(0)
    variants = [step_line(draw, 0, "") for _ in range(4_000)]
    size = 0
    for at in range(runs):
        run = folder / f"group-{at % 50:02}" / f"run-{at:06}"
        run.mkdir(parents=True, exist_ok=True)
        instruction = f"{sentence(draw, 8)} {at}"
        outcome = {"status": draw.choice(STATUSES), "ended_by": "agent", "reason": "the task is done", "steps": steps}
        about = {
            "id": f"run-{at}",
            "settings": {"world": f"phone/{draw.choice(NOUNS)}", "model": draw.choice(MODELS), "paradigm": "btl"},
            "versions": {},
            "started": f"2026-11-{1 + at % 28:02}T{at % 24:02}:{at % 60:02}:00+00:00",
            "instruction": instruction,
            "outcome": outcome,
            "usage": {"input": 1800 * steps, "output": 90 * steps, "cost": 0.0004 * steps},
            "seconds": 1.5 * steps,
        }
        (run / "run.json").write_text(json.dumps(about, ensure_ascii=False))
        text = json.dumps(instruction, ensure_ascii=False).encode()
        with (run / "steps.jsonl").open("wb") as file:
            for number in range(steps):
                line = draw.choice(variants).replace(b'"instruction": ""', b'"instruction": ' + text, 1)
                line = line.replace(b'"step": 0', b'"step": %d' % number, 1)
                size += file.write(line)
    print(f"{runs:,} runs, {runs * steps:,} steps, {size / 1e9:.2f} GB ({size // max(1, runs * steps):,} bytes a step)")


def fetch(address: str) -> tuple[float, str]:
    begun = time.perf_counter()
    with urllib.request.urlopen(address, timeout=120) as answer:
        text = answer.read().decode()
    return time.perf_counter() - begun, text


def memory(pid: int, field: str = "VmHWM") -> float:
    found = re.search(rf"{field}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def studio(folder: Path, database: str) -> Iterator[tuple[int, str]]:
    """A studio in a process of its own: its process id and address."""
    command = [sys.executable, "-m", "saccade", "studio", str(folder), "--port", "0", "--database", database]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield server.pid, server.stdout.readline().split()[-1].rstrip("/")
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)


def measure(folder: Path, database: str, files: Path, forget: Callable[[], object], searches: int = 200) -> None:
    """`files`: where the database keeps its files; `forget` empties what it holds in memory."""
    begun = time.perf_counter()
    with studio(folder, database) as (pid, address):
        slowest = 0.0
        while True:
            took, text = fetch(f"{address}/runs/state")
            state = json.loads(text)
            slowest = max(slowest, took, fetch(f"{address}/runs")[0])
            if state["looked"]:
                break
            time.sleep(1)
        took = time.perf_counter() - begun
        steps = state["steps"]
        print(f"indexed {state['runs']:,} runs, {steps:,} steps in {took:.0f} s: {steps / took:,.0f} steps/s; ", end="")
        print(f"slowest /runs meanwhile {slowest * 1000:.0f} ms; most memory {memory(pid):.0f} MB")
        grow(folder, address)
        ask(address)
        search(address, queries(random.Random(1), searches), "warm")
        before = cpu_seconds(pid)
        time.sleep(20)
        print(f"at rest: {(cpu_seconds(pid) - before) / 20:.1%} of a core; ", end="")
        print(f"memory {memory(pid, 'VmRSS'):.0f} MB, most {memory(pid):.0f} MB")
    size = sum(file.stat().st_size for file in files.rglob("*") if file.is_file())
    print(f"database on disk: {size / 1e6:.0f} MB")
    forget()
    drop_from_cache(files)
    with studio(folder, database) as (pid, address):
        print(f"after a start, nothing in memory: first page {fetch(f'{address}/runs')[0] * 1000:.0f} ms")
        search(address, queries(random.Random(2), searches), "after a start")
        print(f"most memory {memory(pid):.0f} MB")


def grow(folder: Path, address: str) -> None:
    """How long it takes until 100 new steps of one run are in the index."""
    runs = sorted(folder.glob("*/run-*"))
    run = runs[os.getpid() % len(runs)].resolve()
    file = run / "steps.jsonl"
    length, lines = file.stat().st_size, file.read_bytes().splitlines(keepends=True)
    with file.open("ab") as stream:
        stream.writelines(lines[:100])
    last = len(lines) + min(len(lines), 100) - 1
    begun = time.perf_counter()
    while time.perf_counter() - begun < 60:
        try:
            fetch(f"{address}/runs/{id_of(run)}/steps/{last}")
            break
        except urllib.error.HTTPError:
            time.sleep(0.02)
    print(f"100 new steps of one run are there after {time.perf_counter() - begun:.1f} s")
    os.truncate(file, length)


def drop_from_cache(files: Path) -> None:
    """What the system holds of these files in memory is given back."""
    os.sync()
    for file in files.rglob("*"):
        if file.is_file():
            with file.open("rb") as stream:
                os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def queries(draw: random.Random, count: int) -> list[str]:
    """What a person may search for; the same ones in another order for another seed."""
    of_all = random.Random(0)
    found = []
    for at in range(count):
        words = [of_all.choice((VERBS, NOUNS, NAMES)[number % 3]) for number in range(of_all.randint(1, 5))]
        text = " ".join(words)
        found.append(
            (
                text,
                text[of_all.randrange(len(text) - 2) :],
                text[: of_all.randint(2, len(text))],
                "".join(of_all.choices(CHINESE, k=of_all.randint(1, 4))),
                "".join(of_all.choices("abcdefghij ", k=of_all.randint(2, 8))),
                str(of_all.randrange(10_000)),
                of_all.choice(["<think>", '"type": "click"', '"point": [', "</action>", "the", "Wei"]),
                " ".join(of_all.sample(NAMES, 3)),
            )[at % 8]
        )
    draw.shuffle(found)
    return found


def search(address: str, wanted: list[str], when: str) -> None:
    """Ask for each once: the first, half of them, 95 % of them, the slowest."""
    times = [(fetch(f"{address}/runs?q={urllib.parse.quote(query)}")[0] * 1000, query) for query in wanted]
    ordered = sorted(times)
    half, most = ordered[len(ordered) // 2][0], ordered[int(0.95 * len(ordered))][0]
    print(f"{len(times)} searches {when}: first {times[0][0]:.0f} ms, median {half:.0f}, p95 {most:.0f}, ", end="")
    print("slowest " + ", ".join(f"{took:.0f} ({query!r})" for took, query in ordered[:-4:-1]))


def ask(address: str) -> None:
    """Pages and searches, each five times: the median and the slowest."""
    some = re.search(r'href="/runs/([0-9a-f]{12})"', fetch(f"{address}/runs")[1])
    assert some is not None
    pages = {
        "first page": "/runs",
        "by cost": "/runs?sort=cost",
        "filtered": "/runs?model=mini&status=success",
        "a run": f"/runs/{some[1]}",
        "a step": f"/runs/{some[1]}?step=50",
    }
    for query in ("alarm", "设置闹钟", "设置", "al", "delete playlist Garnet", "xyzzy quux", "the", '"type": "click"'):
        pages[f"search {query!r}"] = f"/runs?q={urllib.parse.quote(query)}"
    for name, page in pages.items():
        times = [fetch(address + page)[0] * 1000 for _ in range(5)]
        print(f"{name}: first {times[0]:.0f} ms, median {statistics.median(times):.0f} ms, most {max(times):.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["make", "measure"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--searches", type=int, default=200)
    parser.add_argument("--database", default="", help="postgres: a cluster for this measurement alone")
    given = parser.parse_args()
    if given.what == "make":
        make(given.folder, given.runs, given.steps)
        return
    if given.database == "postgres":
        with postgres() as address:
            measure(
                given.folder, address, Path(address.partition("host=")[2]), lambda: restart(address), given.searches
            )
        return
    with tempfile.TemporaryDirectory() as scratch:
        measure(
            given.folder,
            given.database or f"sqlite:///{scratch}/studio.db",
            Path(scratch),
            lambda: None,
            given.searches,
        )


if __name__ == "__main__":
    main()
