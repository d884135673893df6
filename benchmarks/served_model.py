"""One served model for 64 episodes at a time: is a step lost, and is the server kept busy?

python benchmarks/served_model.py [--full queue|refuse] [--slots 32] [--rate 60] [--tokens 90] [--steps 20]

A small server on 127.0.0.1 speaks the chat completions API and streams a fixed answer at `rate` tokens a second in each
of its `slots`. When all are taken, calls wait in its queue, as vLLM and SGLang do by default (`queue`), or are refused
with status 429 (`refuse`). The episodes are those of `saccade bench` in the world of examples/plugins/counter_world.py,
one process each. Throughput is counted from the moment when all processes have called until 90 % of the steps are done:
before it, processes start; after it, there are fewer episodes left than slots.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

from saccade.actions import Action
from saccade.agents.log import read_steps
from saccade.bench.results_store import read_results
from saccade.geometry import Point, Size
from saccade.paradigms import Reply, get_paradigm
from saccade.types import Screen

PLUGIN = Path(__file__).parents[1] / "examples" / "plugins" / "counter_world.py"
PIECES = 10
"""Of so many pieces a streamed answer consists."""
BUTTONS = Point(100, 450), Point(260, 450)
SIZE = Size(360, 640)


class Server:
    """Answers at a given rate in a given number of slots, and writes down when."""

    def __init__(self, slots: int, seconds: float, refuses: bool) -> None:
        self.slots, self.seconds, self.refuses = slots, seconds, refuses
        self.free = asyncio.Semaphore(slots)
        self.connected: list[float] = []
        self.answered: list[float] = []
        self.refused = 0
        form, chance = get_paradigm("btl", space="phone"), random.Random(0)
        self.answers = [
            form.render(Reply(Action("click", chance.choice(BUTTONS)), think="on"), Screen(SIZE)) for _ in range(100)
        ]

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        called = False
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.lower().split(b"\r\n")
                length = next((int(line[15:]) for line in lines if line.startswith(b"content-length:")), None)
                if length is None:  # no call: the command asks whether anybody is there
                    writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                    continue
                if not called:
                    self.connected.append(time.time())
                    called = True
                await reader.readexactly(length)
                await self.answer(writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def answer(self, writer: asyncio.StreamWriter) -> None:
        if self.refuses and self.free.locked():
            self.refused += 1
            writer.write(b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()
            return
        async with self.free:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
            text, began = self.answers[len(self.answered) % len(self.answers)], time.monotonic()
            size = len(text) // PIECES + 1
            for at in range(PIECES):
                await asyncio.sleep(max(0.0, began + (at + 1) * self.seconds / PIECES - time.monotonic()))
                delta = {"choices": [{"index": 0, "delta": {"content": text[at * size : (at + 1) * size]}}]}
                self.send(writer, json.dumps(delta))
            self.send(writer, json.dumps({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}))
            self.send(writer, "[DONE]")
            writer.write(b"0\r\n\r\n")
            self.answered.append(time.time())
            await writer.drain()

    def send(self, writer: asyncio.StreamWriter, data: str) -> None:
        event = f"data: {data}\n\n".encode()
        writer.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")


def serve(line: Connection, slots: int, seconds: float, refuses: bool) -> None:
    """The server's process: tells its port, and at the end what it saw."""

    async def live() -> None:
        server = Server(slots, seconds, refuses)
        listener = await asyncio.start_server(server.talk, "127.0.0.1", 0, limit=1 << 24)
        line.send(listener.sockets[0].getsockname()[1])
        await asyncio.to_thread(line.recv)
        line.send((server.connected, server.answered, server.refused))

    asyncio.run(live())


def measure(port: int, workers: int, steps: int, out: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "saccade",
        "bench",
        "counter",
        "--plugin",
        str(PLUGIN),
        "--out",
        str(out),
        "--json",
    ]
    command += ["--model", "openai/fixed", "--base-url", f"http://127.0.0.1:{port}/v1", "--paradigm", "btl"]
    command += ["--workers", str(workers), "--limit", str(workers), "--option", f"seeds={workers // 5 + 1}"]
    command += ["--coordinates", "pixel", "--max-steps", str(steps)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"OMP_NUM_THREADS": "1"})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", choices=["queue", "refuse"], default="queue")
    parser.add_argument("--workers", type=int, default=64)
    parser.add_argument("--slots", type=int, default=32)
    parser.add_argument("--rate", type=float, default=60.0)
    parser.add_argument("--tokens", type=int, default=90)
    parser.add_argument("--steps", type=int, default=20)
    given = parser.parse_args()
    seconds = given.tokens / given.rate
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(
        target=serve, args=(theirs, given.slots, seconds, given.full == "refuse"), daemon=True
    )
    server.start()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        measure(ours.recv(), given.workers, given.steps, out)
        results = read_results(out)[0]
        logged = sum(len(read_steps(out / each.run)[0]) for each in results)
    ours.send(None)
    connected, answered, refused = ours.recv()
    begin, end = sorted(connected)[given.workers - 1], sorted(answered)[int(0.9 * len(answered))]
    rate = sum(begin <= at <= end for at in answered) / (end - begin)
    capacity = given.slots / seconds
    wanted = given.workers * given.steps
    told = {
        "full": given.full,
        "episodes": len(results),
        "broken": sum(each.status != "done" for each in results),
        "steps_logged": logged,
        "steps_wanted": wanted,
        "calls_answered": len(answered),
        "calls_refused": refused,
        "window_seconds": round(end - begin, 1),
        "steps_per_second": round(rate, 2),
        "capacity": round(capacity, 2),
        "share_of_capacity": round(rate / capacity, 3),
        "load": os.getloadavg()[0],
    }
    print(json.dumps(told), flush=True)
    return 0 if logged == wanted == len(answered) and rate >= 0.9 * capacity else 1


if __name__ == "__main__":
    sys.exit(main())
