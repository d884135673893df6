"""A desktop with a task: its files are put into the home folder, and the files in the end are judged."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from saccade.actions import Action
from saccade.errors import check_choices
from saccade.worlds.base import InfrastructureError, Observation
from saccade.worlds.desktop.tasks.catalog import LANGUAGES, find_task
from saccade.worlds.desktop.tasks.home_files import Files, read_files, write_files
from saccade.worlds.desktop.tasks.oracle import TaskScreen
from saccade.worlds.desktop.tasks.teacher import DesktopTeacher
from saccade.worlds.desktop.tasks.template import SPLITS, DesktopTask, Ending
from saccade.worlds.desktop.world import DesktopWorld
from saccade.worlds.teachers import Teacher


class DesktopTaskWorld(DesktopWorld):
    """`task` is a template's name. `reward` is 1 if the agent ends rightly (`terminate`, or `answer` where something
    was asked) with the files as they should be, and `done` then.
    """

    judges = True
    task_options = frozenset({"language", "split"})

    def __init__(self, task: str, *, language: str = "en", split: str = "train", **options: Any) -> None:
        self.template = find_task(task)
        self._take(language, split)
        super().__init__(self.template.apps[0], **options)
        self.seed = 0
        self.episode: DesktopTask = self.template(0, language, split)
        self.done: list[Action] = []
        """What was done since the start."""
        self.problems: list[str] = []
        """Why the last episode was no success."""
        self._over: Observation | None = None
        self._looked = False

    def configure(self, task: str, options: Mapping[str, Any]) -> None:
        self.template = find_task(task)
        self._take(str(options.get("language", self.language)), str(options.get("split", self.split)))

    def _take(self, language: str, split: str) -> None:
        check_choices({"language": (language, LANGUAGES), "split": (split, SPLITS)})
        self.language, self.split = language, split

    def reset(self, seed: int | None = None, task: str | None = None) -> Observation:
        if task:
            self.template = find_task(task)
        self.seed = random.randrange(2**31) if seed is None else seed
        self.episode = self.template(self.seed, self.language, self.split)
        self.application = self.template.apps[0]
        self.done, self.problems, self._over, self._looked = [], [], None, False
        return self._look(super().reset(self.seed))

    def prepare(self, home: Path, application: str) -> Sequence[str]:
        write_files(home, self.episode.files)
        return self.episode.arguments

    def act(self, action: Action) -> Observation:
        if self._over is not None:
            return Observation(self._over.screen, error="the episode is over: reset the world", done=True)
        seen = self._look(super().act(action))
        self.done.append(action)
        if action.type in ("terminate", "answer"):
            display = next((each.text for each in seen.screen.elements if each.type == "input"), "")
            self.problems = self.episode.problems(Ending(action, self.user_files(), display, self._looked))
            seen.done, seen.reward = True, float(not self.problems)
            self._over = seen
        return seen

    def _look(self, seen: Observation) -> Observation:
        """Note whether this screen shows that the task cannot be done."""
        if self.episode.kind == "infeasible" and not self._looked:
            with suppress(LookupError):
                self._looked = self.episode.looked(TaskScreen(list(seen.screen.elements), {}))
        return seen

    def user_files(self) -> Files:
        """The user's files as they are now."""
        if self.session is None:
            raise InfrastructureError("the world was not reset yet")
        return read_files(self.session.home)

    def teacher(self, **options: Any) -> Teacher:
        return DesktopTeacher(self)

    def _observe(self, error: str) -> Observation:
        seen = super()._observe(error)
        seen.instruction = self.episode.instruction
        return seen
