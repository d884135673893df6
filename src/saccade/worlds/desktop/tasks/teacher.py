"""The scripted oracles as a teacher."""

from __future__ import annotations

from typing import Protocol

from saccade.actions import Action
from saccade.worlds.desktop.tasks.home_files import Files
from saccade.worlds.desktop.tasks.oracle import TaskScreen
from saccade.worlds.desktop.tasks.template import DesktopTask
from saccade.worlds.observation import Observation
from saccade.worlds.teachers import Lesson, Teacher


class TaskDesktop(Protocol):
    """A desktop with a task, as the teacher needs it."""

    episode: DesktopTask
    done: list[Action]

    def user_files(self) -> Files: ...


class DesktopTeacher(Teacher):
    """Advises the next step of the task's oracle. Tags: task, app, language."""

    def __init__(self, world: TaskDesktop) -> None:
        self.world = world
        self._episode: DesktopTask | None = None
        self._notes: dict[str, str] = {}

    def _teach(self, seen: Observation) -> Lesson:
        task = self.world.episode
        if self._episode is not task:
            self._episode, self._notes = task, {}
        tags = {"task": task.name, "app": seen.app, "language": task.language}
        files = self.world.user_files()
        if damaged := sorted(_differing(files, task.files) - task.touched):
            return Lesson(lost=f"{', '.join(damaged)} should be as at the start", tags=tags)
        view = TaskScreen(
            list(seen.screen.elements), files, tuple(self.world.done), task.language, seen.app, self._notes
        )
        try:
            move = task.next_move(view)
        except LookupError as error:
            if view.just_pressed("escape"):
                return Lesson(lost=str(error), tags=tags)
            move = view.press("escape")  # closes a menu or a dialog that is in the way
        if move is None:
            return Lesson([task.last_action], [], *_ending(task), tags=tags)
        return Lesson([move.action], move.elements, move.thought, move.phrase, tags=tags)


def _differing(one: Files, other: Files) -> set[str]:
    return {path for path in {*one, *other} if path not in one or path not in other or one[path] != other[path]}


def _ending(task: DesktopTask) -> tuple[str, str]:
    texts = {
        ("do", "en"): ("All is done, so I stop.", "stopped"),
        ("do", "zh"): ("全部完成，结束。", "结束了"),
        ("ask", "en"): ("Now I know the answer.", "answered"),
        ("ask", "zh"): ("现在我知道答案了。", "回答了"),
        ("infeasible", "en"): ("What is asked for is not there, so this cannot be done.", "gave up"),
        ("infeasible", "zh"): ("要求的东西不存在，所以无法完成。", "放弃了"),
    }
    return texts[task.kind, task.language]
