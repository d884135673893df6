"""The templates of desktop tasks by name, and which of them belong to which split."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from saccade.errors import InputError
from saccade.untrusted import decode_json, read_bytes
from saccade.worlds.desktop.tasks import across, galculator, gnumeric, mousepad, pcmanfm, ristretto, sqlitebrowser
from saccade.worlds.desktop.tasks.goal_words import goal_in_words
from saccade.worlds.desktop.tasks.template import SPLITS, DesktopTask
from saccade.worlds.tasks import TaskCatalog, TaskDetails, TaskTemplate

LANGUAGES = ("en", "zh")
LENGTHS = "lengths.json"
_MODULES = (mousepad, galculator, pcmanfm, gnumeric, ristretto, sqlitebrowser, across)


@cache
def templates() -> dict[str, type[DesktopTask]]:
    """All templates, by application."""
    found = [each for module in _MODULES for each in vars(module).values() if isinstance(each, type)]
    return {each.name: each for each in found if issubclass(each, DesktopTask) and "name" in vars(each)}


def find_task(name: str) -> type[DesktopTask]:
    if name not in templates():
        raise InputError(f"there is no desktop task {name!r}: saccade tasks list --world desktop shows them")
    return templates()[name]


def in_split(split: str | None) -> list[type[DesktopTask]]:
    """The templates that a split draws from: held-out ones are only in test."""
    return [each for each in templates().values() if split in (None, "test") or not each.held_out]


def groups() -> tuple[str, ...]:
    """The applications that have tasks."""
    return tuple(dict.fromkeys(each.group() for each in templates().values()))


class DesktopTasks(TaskCatalog):
    """What `saccade tasks` shows of the desktop."""

    world = "desktop"
    languages = LANGUAGES
    splits = SPLITS

    def templates(self, split: str | None = None) -> list[TaskTemplate]:
        return [_row(each) for each in in_split(split)]

    def show(self, name: str, seed: int = 0, language: str = "en", split: str | None = None) -> TaskDetails:
        goal = goal_in_words(find_task(name)(seed, language, split or SPLITS[0]))
        return replace(super().show(name, seed, language, split), goal=goal)

    def world_options(self, language: str, split: str | None) -> dict[str, Any]:
        return {"language": language, "split": split or SPLITS[0]}


@cache
def oracle_lengths() -> dict[str, dict[str, tuple[int, int, int]]]:
    """For each template and language: the fewest, the median and the most steps of its oracle, as measured by
    `benchmarks/desktop_tasks.py --measure`: playing all takes half an hour.
    """
    text = files("saccade.worlds.desktop.tasks").joinpath(LENGTHS).read_bytes()
    return decode_json(text, dict[str, dict[str, tuple[int, int, int]]])


def write_lengths(steps: Mapping[str, Mapping[str, Sequence[int]]], place: Path | None = None) -> None:
    """Write how many steps the oracle took in each language; templates that were not played keep what is there."""
    place = place or Path(__file__).parent / LENGTHS
    known = decode_json(read_bytes(place)) if place.exists() else {}
    for name, found in steps.items():
        known[name] = {
            language: (min(each), round(statistics.median(each)), max(each)) for language, each in sorted(found.items())
        }
    lines = [f" {msgspec.json.encode(name).decode()}: {msgspec.json.encode(known[name]).decode()}" for name in known]
    place.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _row(task: type[DesktopTask]) -> TaskTemplate:
    example = {language: task(0, language).instruction for language in LANGUAGES}
    group = "held_out" if task.held_out else ""
    return TaskTemplate(task.name, task.apps, task.kind, group, oracle_lengths().get(task.name, {}), example)


CATALOG = DesktopTasks()
