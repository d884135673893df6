"""What a desktop task is: files at the start, an instruction, files in the end, and the next step from any screen."""

from __future__ import annotations

import random
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from saccade.actions import Action, Status
from saccade.worlds.desktop.tasks.home_files import Content, Files, plain
from saccade.worlds.desktop.tasks.oracle import OracleStep, TaskScreen
from saccade.worlds.desktop.tasks.words import WORDS

Kind = Literal["do", "ask", "infeasible"]
SPLITS = ("train", "validation", "test")


@dataclass(frozen=True)
class Ending:
    """How an agent left a task: its last action, the user's files, and what the calculator shows."""

    action: Action
    files: Files
    display: str = ""
    looked: bool = True
    """Was on a screen what shows that the task cannot be done?"""


class DesktopTask(ABC):
    """One template with its parameters drawn: the same seed, language and split always give the same task."""

    name: ClassVar[str]
    apps: ClassVar[tuple[str, ...]]
    """The first one is started."""
    kind: ClassVar[Kind] = "do"
    held_out: ClassVar[bool] = False
    """Is it kept for tests?"""
    en: ClassVar[str]
    zh: ClassVar[str]
    """The instruction, with the names of `values` in braces."""

    def __init__(self, seed: int, language: str = "en", split: str = "train") -> None:
        self.random = random.Random(f"{self.name}/{split}/{seed}")
        self.language = language
        self.values: dict[str, Any] = {}
        self.files: dict[str, Content] = {}
        self.arguments: Sequence[str] = ()
        self.answer = ""
        self.display = ""
        """What the calculator must show in the end."""
        self.goal: dict[str, Content] | None = None
        """The files in the end; None: as they were."""
        self.set_up()
        self.files = plain(self.files)
        self.goal = self.files if self.goal is None else plain(self.goal)

    @abstractmethod
    def set_up(self) -> None:
        """Draw the parameters: set `values`, `files`, `arguments` and `goal`, `answer` or `display`."""

    @abstractmethod
    def next_move(self, see: TaskScreen) -> OracleStep | None:
        """What to do next on this screen; None if all is done. `LookupError` if something is not on the screen."""

    @abstractmethod
    def near_misses(self) -> dict[str, Ending]:
        """Endings that are almost right, by what is wrong with them. The judge must reject each: at least three."""

    @classmethod
    def group(cls) -> str:
        """The application, or `several`."""
        return cls.apps[0] if len(cls.apps) == 1 else "several"

    def looked(self, see: TaskScreen) -> bool:
        """Is on the screen what shows that the task cannot be done? Who gives up without having seen it has guessed."""
        return True

    # -- drawing parameters -------------------------------------------------------------------------------------------

    def word(self, kind: str) -> str:
        """One of the words of a kind."""
        return self.words(kind, 1)[0]

    def words(self, kind: str, count: int) -> list[str]:
        """Different words of a kind, in the task's language."""
        return self.random.sample(WORDS[self.language][kind], count)

    def add_other_files(self, count: int = 2) -> None:
        """Some files that must stay as they are."""
        for stem in self.words("files", len(WORDS[self.language]["files"])):
            if count and not any(name.startswith(stem) for name in self.files):
                self.files[f"{stem}.txt"] = self.word("lines")
                count -= 1

    # -- judging ------------------------------------------------------------------------------------------------------

    @property
    def instruction(self) -> str:
        text: str = self.zh if self.language == "zh" else self.en
        return text.format(**self.values)

    @property
    def last_action(self) -> Action:
        """How it is ended rightly."""
        if self.kind == "ask":
            return Action("answer", text=self.answer)
        return Action("terminate", status="failure" if self.kind == "infeasible" else "success")

    def written(self) -> dict[str, Content]:
        """The files in the end as they are written: a formula in place of what it gives."""
        return dict(self.goal or {})

    def ending(
        self, files: Files | None = None, *, answer: str = "", display: str = "", status: Status | None = None
    ) -> Ending:
        """The right ending, but with other files, another answer, display or status."""
        action = Action("answer", text=answer) if answer else self.last_action
        action = Action("terminate", status=status) if status else action
        return Ending(action, self.written() if files is None else files, display or self.display)

    @property
    def touched(self) -> set[str]:
        """Paths that are not the same in the end as at the start."""
        assert self.goal is not None
        paths = {*self.files, *self.goal}
        return {path for path in paths if self.files.get(path, "") != self.goal.get(path, "") or self._new(path)}

    def _new(self, path: str) -> bool:
        return (path in self.files) != (path in (self.goal or {}))

    def problems(self, ending: Ending) -> list[str]:
        """What is not as it should be; nothing if the task was done."""
        found = [] if self._ended_rightly(ending.action) else [f"ended with {ending.action.name}"]
        found += [] if ending.looked or self.kind != "infeasible" else ["gave up without having looked"]
        goal, files = self.goal or {}, dict(ending.files)
        found += [f"{path} is missing" for path in goal if path not in files]
        found += [f"{path} should not be there" for path in files if path not in goal]
        found += [f"{path} has another content" for path in goal if path in files and files[path] != goal[path]]
        if self.display and not same_answer(ending.display, self.display):
            found.append(f"the calculator shows {ending.display!r}")
        return found

    def _ended_rightly(self, action: Action) -> bool:
        if self.kind == "ask":
            # A format without a verb for answers says them in its last message.
            said = action.type == "answer" or (action.type == "terminate" and action.status == "success")
            return said and same_answer(action.text or "", self.answer)
        return action.type == "terminate" and action.status == self.last_action.status


def same_answer(given: str, wanted: str) -> bool:
    """Do two answers say the same? A number may stand in a sentence, if it is the only one.

    >>> same_answer("It is 1,250 euros.", "1250"), same_answer("“Lin Na”", "lin na"), same_answer("12 or 13", "12")
    (True, True, False)
    """
    number = r"-?\d+(?:\.\d+)?"
    if re.fullmatch(number, wanted):
        found = re.findall(number, re.sub(r"(?<=\d)[,\s](?=\d{3}\b)", "", given))
        return len(found) == 1 and abs(float(found[0]) - float(wanted)) < 1e-6

    def bare(text: str) -> str:
        return " ".join(text.casefold().strip(" .。!！\"'“”「」《》").split())

    return bare(given) == bare(wanted)
