"""All task templates by name: one module for each app, and the `across_*` modules for tasks that need several apps."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from saccade_phone.tasks.base import TASKS, Goal, Params, Task, UnfitError, find_task, task

MODULES = (
    "settings",
    "contacts",
    "chat",
    "mail",
    "calendar",
    "clock",
    "notes",
    "files",
    "shop",
    "food",
    "music",
    "travel",
    "across_people",
    "across_time",
    "across_talk",
    "across_money",
    "across_trips",
)


@cache
def tasks() -> dict[str, Task]:
    """All templates, loaded when first asked for."""
    for name in MODULES:
        import_module(f"{__name__}.{name}")
    return dict(TASKS)


__all__ = ["Goal", "Params", "Task", "UnfitError", "find_task", "task", "tasks"]
