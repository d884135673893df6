"""Measures speed and memory of the AndroidControl reader on synthetic shards with pictures of several sizes.

A real shard has 2.5 GB, about 760 episodes; a step has a screenshot of about 600 KB and an accessibility tree of about
100 KB. Pictures here are random bytes: `stored` cannot be compressed, so GZIP stores them unchanged; `coded` compress
to 0.91 of their length, as real screenshots do, so each byte must be decoded; `plain` are uncompressed shards. One
core; pictures are not decoded. Times are CPU times, so that other work on the machine does not matter.

    python benchmarks/readers.py [--sizes 0,20,200,1000] [--megabytes 200] [--elements]
    python benchmarks/readers.py --gigabytes 10      # memory only: one long file through a pipe, and 20 shards
"""

from __future__ import annotations

import argparse
import json
import os
import struct
import tempfile
import threading
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from saccade.data.readers.androidcontrol import AndroidControl
from saccade.data.tfrecord import frame, inflater, records

GOAL = 2_000
STEPS = 5
"""Steps of an episode; the real average is 5.5."""
VIEW = "com.example.application.messages:id"
Values = Sequence[bytes] | Sequence[int] | Sequence[float]


# -- writing shards (also for tests) ----------------------------------------------------------------------------------


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def field(number: int, value: bytes | int | str) -> bytes:
    """One field of a message: a number, a text, or another message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def example(features: Mapping[str, Values]) -> bytes:
    """A `tf.train.Example` with lists of bytes, integers or floats."""
    return field(1, b"".join(field(1, field(1, name) + field(2, feature(values))) for name, values in features.items()))


def feature(values: Values) -> bytes:
    if not values:
        return b""
    if isinstance(values[0], bytes):
        return field(1, b"".join(field(1, value) for value in values if isinstance(value, bytes)))
    if isinstance(values[0], float):
        return field(2, field(1, struct.pack(f"<{len(values)}f", *values)))
    return field(3, field(1, b"".join(varint(value) for value in values if isinstance(value, int))))


def shard(path: Path, messages: Iterable[bytes], gzip: bool = True) -> Path:
    """A TFRecord file."""
    data = b"".join(map(frame, messages))
    path.write_bytes(zlib.compress(data, 6, 31) if gzip else data)
    return path


_FLAG_NAMES = (
    "checkable checked clickable editable enabled focusable focused long_clickable password scrollable selected visible"
)
FLAGS = {name: number for number, name in enumerate(_FLAG_NAMES.split(), 12)}
"""Field numbers of a node's flags."""


def node(
    id: int, box: Sequence[int], flags: str = "enabled visible", children: Sequence[int] = (), **texts: str
) -> bytes:
    """A node of an accessibility tree. Texts: kind, description, hint, text, name, tooltip."""
    numbers = {"kind": 3, "description": 4, "hint": 5, "text": 7, "name": 10, "tooltip": 31}
    out = field(1, id) + field(2, b"".join(field(side, value) for side, value in enumerate(box, 1)))
    out += b"".join(field(numbers[name], text) for name, text in texts.items())
    out += b"".join(field(FLAGS[flag], 1) for flag in flags.split())
    return out + (field(25, b"".join(map(varint, children))) if children else b"")


def forest(*windows: Sequence[bytes]) -> bytes:
    """Windows of nodes."""
    return b"".join(field(1, field(3, 7) + field(11, b"".join(field(1, each) for each in nodes))) for nodes in windows)


def episode(
    id: int, actions: Sequence[object], pictures: Sequence[bytes], trees: Sequence[bytes] = ()
) -> dict[str, Values]:
    """An episode of AndroidControl, as a record's features."""
    return {
        "episode_id": [id],
        "goal": [f"Reach the goal of episode {id}".encode()],
        "screenshots": pictures,
        "accessibility_trees": trees or [b""] * len(pictures),
        "screenshot_widths": [1080] * len(pictures),
        "screenshot_heights": [2400] * len(pictures),
        "actions": [json.dumps(action).encode() for action in actions],
        "step_instructions": [f"Do step {at}".encode() for at in range(len(actions))],
    }


# -- measuring --------------------------------------------------------------------------------------------------------


def picture(size: int, kind: str, chance: np.random.Generator) -> bytes:
    if kind != "coded":
        return chance.bytes(size)
    weights = np.exp(-np.arange(256) / 84)
    return chance.choice(256, size, p=weights / weights.sum()).astype(np.uint8).tobytes()


def screen(rows: int = 80) -> bytes:
    """A tree of about 100 KB: a list of rows, each with an icon and two texts."""
    app = field(6, "com.example.application.messages") + field(8, -1) + field(9, -1) + field(11, 417)
    app += b"".join(field(24, field(1, 1 << number)) for number in (2, 3, 6, 7, 8, 9, 11))
    app += b"".join(field(24, field(1, number)) for number in (16908342, 16908376, 16908377)) + field(27, 12)
    nodes = [node(0, (0, 0, 1080, 2400), children=range(1, 4 * rows, 4), kind="android.widget.FrameLayout")]
    for row in range(rows):
        first, top = 4 * row + 1, 2400 * row // rows
        box, inner, below = (0, top, 1080, top + 40), (60, top, 900, top + 20), range(first + 1, first + 4)
        nodes += [
            node(first, box, "enabled visible clickable focusable", below, kind="android.view.ViewGroup"),
            node(first + 1, (0, top, 40, top + 40), kind="android.widget.ImageView", description=f"Icon {row}"),
            node(first + 2, inner, kind="android.widget.TextView", text=f"Row {row} of the list", name=f"{VIEW}/title"),
            node(first + 3, inner, kind="android.widget.TextView", text=f"What row {row} says in a few words and more"),
        ]
    return forest([each + field(10, f"{VIEW}/row_of_the_list_of_messages_that_came_in_today") + app for each in nodes])


def member(size: int, kind: str, count: int) -> bytes:
    """A block of episodes, compressed with GZIP unless plain. A file of any length is a repetition of this block."""
    chance = np.random.default_rng(size)
    tree = screen()
    actions = [
        {"action_type": "click", "x": 540, "y": 700},
        {"action_type": "scroll", "direction": "down"},
        {"action_type": "input_text", "text": "tea"},
        {"action_type": "open_app", "app_name": "Maps"},
        {"action_type": "navigate_back"},
    ]
    data = b""
    for id in range(count):
        pictures = [picture(size, kind, chance) for _ in range(STEPS + 1)]
        data += frame(example(episode(id, actions, pictures, [tree] * (STEPS + 1))))
    return data if kind == "plain" else zlib.compress(data, 6, 31)


def resident() -> float:
    """Current resident memory of this process in megabytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure(folder: Path, elements: bool) -> tuple[int, float, float, float]:
    """Steps, CPU seconds, and memory in megabytes at the start and at its maximum."""
    before = most = resident()
    begun, steps = time.process_time(), 0
    for sample in AndroidControl(folder, split="all", elements="yes" if elements else "no").samples():
        steps += 1
        if sample.step.step == 0:
            most = max(most, resident())
    return steps, time.process_time() - begun, before, most


def table(sizes: Sequence[int], megabytes: int, elements: bool) -> None:
    print(f"inflating with {inflater().__name__}; trees of {len(screen()) / 1000:.0f} KB, read: {elements}")
    for kind in ("stored", "coded", "plain"):
        for size in sizes if kind != "coded" else [size for size in sizes if size]:
            episodes = max(2, min(40, 10_000_000 // max(size * 1000 * (STEPS + 1), 100_000)))
            block = member(size * 1000, kind, episodes)
            inflated = len(block if kind == "plain" else zlib.decompress(block, 31))
            times = max(1, round(megabytes * 1e6 / inflated))
            with tempfile.TemporaryDirectory() as folder:
                with (Path(folder) / "android_control-00000-of-00001").open("wb") as file:
                    for _ in range(times):
                        file.write(block)
                with ProcessPoolExecutor(1, get_context("spawn")) as fresh:
                    steps, seconds, before, most = fresh.submit(measure, Path(folder), elements).result()
            speed, share = inflated * times / 1e6 / seconds, len(block) / inflated
            print(
                f"{kind:6s} {size:5d} KB: {steps / seconds:8,.0f} steps/s (goal {GOAL:,}), {speed:6,.0f} MB/s "
                f"(GZIP to {share:.2f}), memory {before:.0f} → {most:.0f} MB, {steps} steps",
                flush=True,
            )


def measure_memory(gigabytes: float) -> None:
    """Memory while reading one long file (through a pipe, so that it needs no disk space), then 20 shards."""
    block = member(1_000_000, "stored", 4)
    with tempfile.TemporaryDirectory() as folder:
        pipe = Path(folder) / "pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(
            target=write_repeatedly, args=(pipe, block, int(gigabytes * 1e9 / len(block))), daemon=True
        )
        writer.start()
        print_memory("one file", ((record.read, record.number) for record in records(pipe)))
        writer.join()
        first = Path(folder) / "android_control-00000-of-00020"
        with first.open("wb") as file:
            for _ in range(int(gigabytes * 1e9 / 20 / len(block))):
                file.write(block)
        for number in range(1, 20):
            (Path(folder) / f"android_control-{number:05d}-of-00020").hardlink_to(first)
        data = AndroidControl(Path(folder), split="all")
        print_memory("20 shards", ((data.progress.done, at) for at, _ in enumerate(data.samples(), 1)))


def write_repeatedly(pipe: Path, block: bytes, times: int) -> None:
    with pipe.open("wb") as out:
        for _ in range(times):
            out.write(block)


def print_memory(name: str, readings: Iterator[tuple[int, int]]) -> None:
    """Print the memory at each gigabyte."""
    marks, last = [resident()], (0, 0)
    for last in readings:
        if last[0] >= len(marks) * 1e9:
            marks.append(resident())
    memory = " ".join(f"{mark:.0f}" for mark in marks)
    print(f"{name}: {last[0] / 1e9:.1f} GB, {last[1]:,} read; MB of memory at each GB: {memory}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="0,20,200,1000", help="sizes of a picture in KB")
    parser.add_argument("--megabytes", type=int, default=200, help="uncompressed size of each file")
    parser.add_argument("--elements", action="store_true", help="read the accessibility trees too")
    parser.add_argument("--gigabytes", type=float, default=0, help="measure memory only, on this much data")
    options = parser.parse_args()
    if options.gigabytes:
        measure_memory(options.gigabytes)
    else:
        table([int(size) for size in options.sizes.split(",")], options.megabytes, options.elements)


if __name__ == "__main__":
    main()
