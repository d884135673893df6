"""The templates of desktop tasks by name, and which of them belong to which split."""

from __future__ import annotations

from functools import cache
from typing import Any

from saccade.errors import InputError
from saccade.worlds.desktop.tasks import across, galculator, gnumeric, mousepad, pcmanfm, ristretto, sqlitebrowser
from saccade.worlds.desktop.tasks.template import SPLITS, DesktopTask
from saccade.worlds.tasks import TaskCatalog, TaskTemplate

LANGUAGES = ("en", "zh")
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

    def world_options(self, language: str, split: str | None) -> dict[str, Any]:
        return {"language": language, "split": split or SPLITS[0]}


def _row(task: type[DesktopTask]) -> TaskTemplate:
    example = {language: task(0, language).instruction for language in LANGUAGES}
    return TaskTemplate(task.name, task.apps, task.kind, "held_out" if task.held_out else "", {}, example)


CATALOG = DesktopTasks()
