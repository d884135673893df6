"""How fast the studio is with many runs: indexing, the first page, search, memory.

    python benchmarks/studio_index.py make FOLDER --runs 10000 --steps 100
    python benchmarks/studio_index.py measure FOLDER [--database postgres]

`make` writes runs as `saccade run` would: about 2 kB a step, English and Chinese, one step in ten with a known right
action. `measure` starts a studio over the folder, waits until all is indexed, and asks for pages.
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
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from throwaway_postgres import postgres

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


def measure(folder: Path, database: str) -> None:
    command = [sys.executable, "-m", "saccade", "studio", str(folder), "--port", "0", "--database", database]
    begun = time.perf_counter()
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1].rstrip("/")
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
        print(f"slowest /runs meanwhile {slowest * 1000:.0f} ms; most memory {memory(server.pid):.0f} MB")
        ask(address)
        before = cpu_seconds(server.pid)
        time.sleep(20)
        print(f"at rest: {(cpu_seconds(server.pid) - before) / 20:.1%} of a core; ", end="")
        print(f"memory {memory(server.pid, 'VmRSS'):.0f} MB, most {memory(server.pid):.0f} MB")
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)


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
    parser.add_argument("--database", default="", help="postgres: a cluster for this measurement alone")
    given = parser.parse_args()
    if given.what == "make":
        make(given.folder, given.runs, given.steps)
        return
    if given.database == "postgres":
        with postgres() as address:
            measure(given.folder, address)
        return
    with tempfile.TemporaryDirectory() as scratch:
        measure(given.folder, given.database or f"sqlite:///{scratch}/studio.db")


if __name__ == "__main__":
    main()
