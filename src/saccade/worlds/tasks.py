"""Tasks of worlds: one to be done (`Task`), and the list of those that a world knows (`TaskCatalog`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import msgspec

from saccade.errors import InputError
from saccade.registry import Registry, instance_of
from saccade.worlds import open_world
from saccade.worlds.base import World

LONGEST = 50
"""So many steps of a teacher are shown at most."""


class Task(msgspec.Struct, frozen=True, omit_defaults=True):
    """One task to be done: where, with which seed and options."""

    id: str
    world: str
    """As on the command line: phone/TASK, miniwob/TASK …"""
    seed: int
    options: dict[str, Any] = msgspec.field(default_factory=dict)
    """Of the world."""
    tags: dict[str, str] = msgspec.field(default_factory=dict)
    """What tables group by, and records are tagged with: app, language, group, length."""


class TaskTemplate(msgspec.Struct, frozen=True, omit_defaults=True):
    """One row of `saccade tasks list`."""

    name: str
    apps: tuple[str, ...] = ()
    kind: str = ""
    """What it asks for, in the catalog's own terms: do, ask, infeasible …"""
    group: str = ""
    """What it is kept for, where some tasks are held out for tests."""
    steps: dict[str, tuple[int, int, int]] = msgspec.field(default_factory=dict)
    """For each language: the fewest, the median and the most steps that the teacher takes."""
    example: dict[str, str] = msgspec.field(default_factory=dict)
    """For each language: an instruction."""


class TaskDetails(msgspec.Struct, frozen=True, omit_defaults=True):
    """One task with its parameters drawn, as `saccade tasks show` prints it."""

    name: str
    seed: int
    instruction: str
    apps: tuple[str, ...] = ()
    goal: tuple[str, ...] = ()
    """What must be so in the end, in words."""
    oracle: tuple[str, ...] = ()
    """What the teacher does, step by step."""
    success: bool | None = None
    """Did the teacher reach the goal? None where there is no teacher."""


class TaskCatalog(ABC):
    """The tasks that a world knows. One class and one entry in the group `saccade.tasks`."""

    world: ClassVar[str]
    """How the world is opened: `WORLD/TASK`."""
    languages: ClassVar[tuple[str, ...]] = ("en",)
    splits: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def templates(self, split: str | None = None) -> list[TaskTemplate]:
        """All task templates in the order of the list; with a split, those that belong to it."""

    def world_options(self, language: str, split: str | None) -> dict[str, Any]:
        """Options with which the world is opened to show a task."""
        return {}

    def instruction(self, task: Task) -> str:
        """What a task says, where that is known without opening its world; else empty."""
        return ""

    def show(self, name: str, seed: int = 0, language: str = "en", split: str | None = None) -> TaskDetails:
        """One task. By default the world is opened, and its teacher, if there is one, plays the task."""
        template = next((each for each in self.templates() if each.name == name), None)
        if template is None:
            raise InputError(f"there is no task {name!r} in {self.world}: saccade tasks list shows them")
        with open_world(f"{self.world}/{name}", **self.world_options(language, split)) as world:
            return _played(world, template, seed)


def _played(world: World, template: TaskTemplate, seed: int) -> TaskDetails:
    seen = world.reset(seed)
    instruction, teacher = seen.instruction, world.teacher()
    done: list[str] = []
    while teacher is not None and not seen.done and len(done) < LONGEST:
        lesson = teacher.teach(seen)
        if lesson.lost or not lesson.truth:
            break
        action = lesson.truth[0]
        done.append(lesson.phrase_of(action) or action.name)
        seen = world.act(action)
    success = None if teacher is None else world.succeeded(seen)
    return TaskDetails(template.name, seed, instruction, template.apps, oracle=tuple(done), success=success)


TASKS: Registry[TaskCatalog] = Registry(
    "world with a list of tasks",
    {"miniwob": "saccade.worlds.miniwob.tasks:CATALOG", "desktop": "saccade.worlds.desktop.tasks.catalog:CATALOG"},
    group="tasks",
    accepts=instance_of(TaskCatalog),
)


def default_catalog() -> str:
    """The catalog that is meant where none is named: a plug-in's before a built-in one."""
    return (TASKS.plugged() or TASKS.names())[0]
