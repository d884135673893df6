"""The first stage of the navigation flywheel: what is to be carried out, or to be written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import msgspec

from saccade.data.synthesis.navigation_plan import TASK_FILE, Start, app_records, task_records
from saccade.data.synthesis.records import Dropped, Record
from saccade.data.synthesis.stage import Settings, Tools, WholeStage
from saccade.types import Language
from saccade.untrusted import JsonDecoder, read_bytes
from saccade.worlds.tasks import Task


class PlanTasksSettings(Settings, frozen=True):
    """Settings of `plan_tasks`; PLAN gives them."""

    apps: dict[str, str] = msgspec.field(default_factory=dict)
    instructions: int = 0
    starts: dict[Language, Start] = msgspec.field(default_factory=dict)


class PlanTasks(WholeStage):
    """The world's own tasks, then the lists of instructions that a model is to write."""

    name: ClassVar[str] = "plan_tasks"
    title: ClassVar[str] = "Take the world's own tasks, and the apps for which a model writes instructions."
    kind: ClassVar[type[Settings]] = PlanTasksSettings

    def do(self, records: Iterator[Record], tools: Tools) -> Iterator[Record | Dropped]:
        settings: PlanTasksSettings = self.settings
        file = tools.out / TASK_FILE
        tasks = JsonDecoder(Task).decode_lines(read_bytes(file)) if file.is_file() else []
        lists = list(app_records(settings.apps, settings.starts, settings.instructions))
        self.facts |= {"tasks of the world": len(tasks), "lists to be written": len(lists)}
        yield from task_records(tasks)
        yield from lists
