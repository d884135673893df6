"""Worlds for one task after another: one that can take another task stays open, any other is opened for each task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from saccade.worlds import open_world, split_name
from saccade.worlds.base import World
from saccade.worlds.tasks import Task


class WorldPool:
    """The open worlds of one process. `options` are the user's (`--with`); a task's own options come before them."""

    def __init__(self, options: Mapping[str, Any] | None = None) -> None:
        self.options = dict(options or {})
        self._open: dict[str, tuple[World, dict[str, Any], frozenset[str]]] = {}
        """Kind → world, the options it was opened with, the names of those that it was configured with."""

    @contextmanager
    def world(self, task: Task) -> Iterator[World]:
        """The task's world, ready for `reset`. It is closed afterwards unless it can take another task."""
        world = self._get(task)
        try:
            yield world
        finally:
            if not world.configurable:
                world.close()

    def _get(self, task: Task) -> World:
        kind, rest = split_name(task.world)
        options = {**self.options, **task.options}
        if kind in self._open:
            world, fixed, free = self._open[kind]
            if (fixed, free) == _parted(world, options):
                world.configure(rest, {name: options[name] for name in free})
                return world
            self._open.pop(kind)[0].close()
        world = open_world(task.world, **options)
        if world.configurable:
            self._open[kind] = world, *_parted(world, options)
        return world

    def close(self) -> None:
        """Close all worlds; the next task opens its own. Also what to do after a world broke."""
        worlds = [world for world, _, _ in self._open.values()]
        self._open = {}
        for world in worlds:
            world.close()


def _parted(world: World, options: Mapping[str, Any]) -> tuple[dict[str, Any], frozenset[str]]:
    """Options that are settled when the world is opened, and the names of those that each task may change."""
    free = frozenset(options) & world.task_options
    return {name: value for name, value in options.items() if name not in free}, free
