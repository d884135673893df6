"""Reads what a training leaves (docs/TRAIN.md): recipe.yaml, log.jsonl and samples.jsonl.

Files are read a part at a time: a log grows while it is looked at, and may hold anything.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from saccade.errors import InputError
from saccade.studio.folder_walk import short_id, walk_folders
from saccade.studio.served_files import file_inside
from saccade.untrusted import decode_json, open_file

LONGEST_LINE = 4 * 2**20
MOST_CURVES = 200
MOST_POINTS = 2_000
"""Points of a curve in one answer: more are thinned out evenly."""
LONGEST_NAME = 120
LONGEST_RECIPE = 64 * 1024
SECONDS = 4.0
MOST_SAMPLES = 64
"""Answers of a step that are shown."""
GROUPS: tuple[tuple[str, str], ...] = (
    ("loss", r"(held_back_)?(loss|mse)$"),
    ("right", r"held_back_|.*accuracy|mean_token_accuracy$"),
    ("reward", r"reward$|reward_std$|eval_reward"),
    ("parts", r"rewards/.*mean$"),
    ("groups", r"groups/|frac_reward"),
    ("kl", r"kl$|entropy$"),
    ("clip", r"clip_ratio"),
    ("rate", r"learning_rate$"),
    ("gradient", r"gradient$"),
    ("length", r"completions/.*(length|ratio)$"),
    ("speed", r".*_per_second$"),
    ("memory", r"memory"),
)
"""Charts in their order: name, and which keys of the log are its curves. What fits none is a chart of its own."""
NOT_CURVES = frozenset({"step", "epoch"})


class FoundTraining(NamedTuple):
    """A folder with the log of a training."""

    id: str
    path: Path
    root: Path
    label: str

    def file(self, name: str) -> Path | None:
        """One of its files; None if there is none inside the folder."""
        try:
            return file_inside(self.path, name)
        except InputError:
            return None

    def recipe(self) -> str:
        """The recipe as it was written, cut. It is shown, never interpreted."""
        file = self.file("recipe.yaml")
        if file is None:
            return ""
        with open_file(file) as opened:
            return opened.read(LONGEST_RECIPE).decode("utf-8", "replace")

    def stage(self) -> str:
        """`sft`, `grpo` or `prm`, as the recipe says."""
        found = re.search(r"^stage:\s*([\w-]{1,20})\s*$", self.recipe(), re.MULTILINE)
        return found[1] if found else ""

    def changed(self) -> float:
        """When its log was written last, in seconds since 1970."""
        file = self.file("log.jsonl")
        return file.stat().st_mtime if file is not None else 0.0


def find_trainings(roots: Sequence[Path]) -> Iterator[tuple[str, FoundTraining]]:
    """Trainings in these folders."""
    for folder in walk_folders(roots):
        if {"recipe.yaml", "log.jsonl"} <= folder.files:
            identity = short_id(folder.path, folder.root)
            yield identity, FoundTraining(identity, folder.path, folder.root, folder.label)
            folder.descend = False
        elif "run.json" in folder.files:
            folder.descend = False


class LogPart(msgspec.Struct):
    """A part of a log: curves by name, as pairs of step and value, and from which byte to go on."""

    curves: dict[str, list[tuple[float, float]]] = msgspec.field(default_factory=dict)
    next: int = 0
    restarted: bool = False
    """The log is shorter than it was: it was begun anew, and these are its curves from the beginning."""
    more: bool = False
    """There is more to read at once."""


def read_log(file: Path, after: int = 0) -> LogPart:
    """What a log says from a byte on, within a few seconds; lines that are no records are left out."""
    part = LogPart()
    size = file.stat().st_size
    if after > size or after < 0:
        part.restarted, after = True, 0
    end = time.monotonic() + SECONDS
    part.next = after
    for at, line in whole_lines(file, after):
        part.next = at
        record = _record(line)
        step: Any = record.get("step")
        if step is None or not _is_number(step):
            continue
        for name, value in record.items():
            if name in NOT_CURVES or not _is_number(value) or len(name) > LONGEST_NAME:
                continue
            if name in part.curves or len(part.curves) < MOST_CURVES:
                part.curves.setdefault(name, []).append((step, value))
        if time.monotonic() > end:
            part.more = True
            break
    part.curves = {name: thinned(points) for name, points in part.curves.items()}
    return part


def whole_lines(file: Path, after: int = 0) -> Iterator[tuple[int, bytes]]:
    """Lines that end, each with the byte behind it; of a line that is too long only the place is told."""
    with open_file(file) as opened:
        opened.seek(after)
        while line := opened.readline(LONGEST_LINE):
            long = len(line) == LONGEST_LINE and not line.endswith(b"\n")
            while long and line and not line.endswith(b"\n"):
                line = opened.readline(LONGEST_LINE)
            if not line.endswith(b"\n"):
                return
            yield opened.tell(), b"" if long else line


def _record(line: bytes) -> dict[str, Any]:
    try:
        value = decode_json(line)
    except msgspec.DecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _is_number(value: object) -> bool:
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300 and math.isfinite(value)
    )


def thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """At most `MOST_POINTS` of the points, evenly, the last one among them."""
    every = max(1, -(-len(points) // MOST_POINTS))
    return points[(len(points) - 1) % every :: every]


def charts(names: Sequence[str]) -> list[tuple[str, list[str]]]:
    """The names of curves as charts, in the order of `GROUPS`."""
    found: dict[str, list[str]] = {name: [] for name, _ in GROUPS}
    for curve in names:
        group = next((name for name, pattern in GROUPS if re.match(pattern, curve)), curve)
        found.setdefault(group, []).append(curve)
    return [(name, curves) for name, curves in found.items() if curves]


class TrainingSample(msgspec.Struct):
    """A line of samples.jsonl: an answer that a model gave in training, with its reward."""

    step: int
    id: str = ""
    instruction: str = ""
    completion: str = ""
    answer: str = ""
    parts: dict[str, float] = msgspec.field(default_factory=dict)
    reward: float = 0.0
    advantage: float = 0.0


class _OnlyStep(msgspec.Struct):
    step: int


def sampled_steps(file: Path) -> list[int]:
    """The steps that left samples."""
    found: dict[int, None] = {}
    end = time.monotonic() + SECONDS
    for _, line in whole_lines(file):
        try:
            found[decode_json(line, _OnlyStep).step] = None
        except msgspec.MsgspecError:
            continue
        if time.monotonic() > end:
            break
    return sorted(found)


def samples_of(file: Path, step: int) -> list[TrainingSample]:
    """The answers of a step, in their order: those to one row follow one another."""
    found: list[TrainingSample] = []
    end = time.monotonic() + SECONDS
    for _, line in whole_lines(file):
        try:
            sample = decode_json(line, TrainingSample)
        except msgspec.MsgspecError:
            continue
        if sample.step == step:
            found.append(sample)
        if len(found) >= MOST_SAMPLES or time.monotonic() > end:
            break
    return found
