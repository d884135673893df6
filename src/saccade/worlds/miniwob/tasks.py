"""The catalog of MiniWoB++ tasks for `saccade tasks`."""

from __future__ import annotations

from saccade.worlds.miniwob.catalog import MINIWOB_20, check_task, tasks
from saccade.worlds.tasks import TaskCatalog, TaskDetails, TaskTemplate


class MiniWobTasks(TaskCatalog):
    """All installed pages; the group `miniwob-20` marks the set of twenty."""

    world = "miniwob"

    def templates(self, split: str | None = None) -> list[TaskTemplate]:
        return [TaskTemplate(name, group="miniwob-20" if name in MINIWOB_20 else "") for name in tasks()]

    def show(self, name: str, seed: int = 0, language: str = "en", split: str | None = None) -> TaskDetails:
        """The page itself says what it asks for."""
        return super().show(check_task(name), seed, language, split)


CATALOG = MiniWobTasks()
