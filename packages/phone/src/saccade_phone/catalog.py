"""What there is to do on the phone, as a table: apps, kind, how long the oracle takes, where it belongs."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

import msgspec

from saccade_phone.draw import Language
from saccade_phone.session import Session, roll_out
from saccade_phone.splits import Group, group_of
from saccade_phone.tasks import Task, tasks

Kind = Literal["do", "ask", "infeasible"]
LENGTHS = "lengths.json"
SEEDS = 5


class Row(msgspec.Struct, frozen=True):
    """One template."""

    name: str
    apps: tuple[str, ...]
    kind: Kind
    group: Group
    steps: dict[str, tuple[int, int, int]]
    """For each language: the fewest, the median and the most steps the oracle took, scrolling apart."""
    example: dict[str, str]


class Measured(msgspec.Struct, frozen=True):
    """What was found out by playing."""

    kind: Kind
    steps: dict[str, tuple[int, int, int]]
    example: dict[str, str]


def measure(task: Task) -> Measured:
    """Let the oracle play it on some phones."""
    steps: dict[str, tuple[int, int, int]] = {}
    example: dict[str, str] = {}
    kind: Kind = "do"
    languages: tuple[Language, ...] = ("en", "zh")
    for language in languages:
        lengths = []
        for seed in range(SEEDS):
            session = Session.begin(task.name, seed, language, split="train")
            kind = "ask" if session.goal.answer is not None else "infeasible" if session.goal.infeasible else "do"
            example.setdefault(language, session.goal.instruction)
            lengths.append(len(roll_out(session).moves))
        steps[language] = min(lengths), round(statistics.median(lengths)), max(lengths)
    return Measured(kind, steps, example)


@cache
def measured() -> dict[str, Measured]:
    """What `saccade phone catalog --measure` last wrote: playing all takes half a minute."""
    text = files("saccade_phone.tasks").joinpath(LENGTHS).read_bytes()
    return msgspec.json.decode(text, type=dict[str, Measured])


def catalog() -> list[Row]:
    """All templates, by app."""
    known = measured()
    rows = []
    for name, task in tasks().items():
        found = known[name] if name in known else measure(task)
        rows.append(Row(name, task.apps, found.kind, group_of(task), found.steps, found.example))
    return sorted(rows, key=lambda row: (len(row.apps) > 1, row.name))


def write_measured(found: Mapping[str, Measured], place: Path | None = None) -> Path:
    """Write what was measured to `place`, else to the package's own table; returns where."""
    place = place or Path(__file__).parent / "tasks" / LENGTHS
    place.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    return place
