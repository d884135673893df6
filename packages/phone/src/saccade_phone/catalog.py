"""The phone's task templates: apps, kind, how many steps the oracle takes, and what they are kept for."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

import msgspec

from saccade.worlds import split_name
from saccade.worlds.tasks import Task as WorldTask
from saccade.worlds.tasks import TaskCatalog, TaskDetails, TaskTemplate
from saccade_phone.seeded_random import SPLITS, Language
from saccade_phone.session import Session, roll_out
from saccade_phone.splits import group_of, templates
from saccade_phone.tasks import Task, find_task, tasks
from saccade_phone.wordings import key_of, read_wordings

Kind = Literal["do", "ask", "infeasible"]
LENGTHS = "lengths.json"
SEEDS = 5


class Measured(msgspec.Struct, frozen=True):
    """What the oracle's runs on a template showed."""

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


def catalog() -> list[TaskTemplate]:
    """All templates, by app."""
    known = measured()
    rows = []
    for name, task in tasks().items():
        found = known[name] if name in known else measure(task)
        rows.append(TaskTemplate(name, task.apps, found.kind, group_of(task), found.steps, found.example))
    return sorted(rows, key=lambda row: (len(row.apps) > 1, row.name))


def write_measured(found: Mapping[str, Measured], place: Path | None = None) -> Path:
    """Write what was measured to `place`, else to the package's own table; returns where."""
    place = place or Path(__file__).parent / "tasks" / LENGTHS
    place.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    return place


class PhoneTasks(TaskCatalog):
    """The phone's templates for `saccade tasks`; the oracle plays them without a browser."""

    world = "phone"
    languages = ("en", "zh")
    splits = SPLITS

    def templates(self, split: str | None = None) -> list[TaskTemplate]:
        if split is None:
            return catalog()
        inside = {task.name for task in templates(split)}  # type: ignore[arg-type]
        return [row for row in catalog() if row.name in inside]

    def instruction(self, task: WorldTask) -> str:
        """The task's own words, or those of the file of wordings."""
        name, language, told = split_name(task.world)[1], task.options.get("language", "en"), task.options
        if "wordings" in told and (said := read_wordings(str(told["wordings"])).get(key_of(name, task.seed, language))):
            return said
        session = Session.begin(name, task.seed, language, split=told.get("split"), theme=told.get("theme", ""))
        return session.goal.instruction

    def show(self, name: str, seed: int = 0, language: str = "en", split: str | None = None) -> TaskDetails:
        """What is said, what must be so in the end, and the oracle's moves."""
        template = find_task(name, tasks())
        session = Session.begin(name, seed, language, split=split)  # type: ignore[arg-type]
        played, goal = roll_out(session), session.goal
        wanted = [str(change) for change in goal.changes]
        if goal.answer is not None:
            wanted.append(f"answer {goal.answer!r}")
        if goal.infeasible:
            wanted.append("say that it cannot be done (terminate failure)")
        moves = [" ".join(filter(None, (move.kind, move.id, move.text))) for move in played.moves]
        return TaskDetails(
            template.name, seed, goal.instruction, template.apps, tuple(wanted), tuple(moves), played.success
        )


CATALOG = PhoneTasks()
