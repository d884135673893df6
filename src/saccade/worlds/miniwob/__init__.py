"""The MiniWoB++ world: 130 small seeded web tasks, each with its own success check."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from saccade.worlds.base import World
from saccade.worlds.browser import chromium
from saccade.worlds.miniwob import catalog
from saccade.worlds.miniwob.catalog import MINIWOB_20, task_set, tasks
from saccade.worlds.readiness import Readiness, check
from saccade.worlds.record_options import opened_from_records

ALL: tuple[str, ...]
"""The names of all tasks."""


@opened_from_records()
def open_miniwob(task: str = "", **options: Any) -> World:
    """A task by name; without one, `click-test`. Options are those of `MiniWobWorld`."""
    import_module("saccade.worlds.browser.engine")  # first: its error says what to install without Playwright
    from saccade.worlds.miniwob.world import MiniWobWorld  # noqa: PLC0415  (Playwright is an extra)

    return MiniWobWorld(task or "click-test", **options)


def readiness() -> Readiness:
    about = "small seeded web tasks with their own success checks"
    return check("miniwob/TASK", about, lambda: f"{len(catalog.tasks())} tasks", chromium)


def __getattr__(name: str) -> tuple[str, ...]:
    """Look up `ALL` lazily: the pages may not be installed."""
    if name == "ALL":
        return catalog.tasks()  # `tasks` is also the name of a module, which hides the function once it is loaded
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["ALL", "MINIWOB_20", "open_miniwob", "task_set", "tasks"]
