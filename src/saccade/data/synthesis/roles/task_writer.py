"""Writes a task for a chain of transitions: what a person would ask for whose wish the chain fulfils (OS-Genesis,
second stage). It names the goal, not the steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import msgspec

from saccade.data.synthesis.roles.base import Role, UnansweredError, read_json
from saccade.data.synthesis.roles.instruction_rules import check_instruction
from saccade.data.synthesis.state_changes import Change, changes_of
from saccade.data.synthesis.state_claims import lasting, net_changes
from saccade.data.synthesis.task_wording import Clause, task
from saccade.data.synthesis.transitions import Effect, screen_title, visible_effect
from saccade.types import Language, Picture, Step

MOST_CLAUSES = 3
"""More separate effects are no task that a person would give."""
WAYS_OUT = frozenset({"back", "close", "cancel", "home", "done", "返回", "关闭", "取消", "主屏幕", "完成"})
"""Labels of what only leaves a screen: nobody asks for that."""


class Chain(NamedTuple):
    """The steps of a chain; the last one is the screen to which it led."""

    steps: tuple[Step, ...]
    language: Language
    draw: float
    """Chooses the teacher's wording; 0 ≤ draw < 1."""


class WrittenTask(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The answer. An empty instruction: the chain has no purpose, and `reason` says why."""

    instruction: str
    reason: str = ""


class TaskWriter(Role[Chain, WrittenTask]):
    """Sees the low-level instructions, and the first and the last screen."""

    name: ClassVar[str] = "task_writer"
    max_tokens: ClassVar[int] = 512

    def variables(self, subject: Chain, picture: Callable[[str], Picture]) -> dict[str, Any]:
        first, last = subject.steps[0], subject.steps[-1]
        return {
            "steps": [step.step_instruction for step in subject.steps[:-1]],
            "app": app_name(subject.steps),
            "first": picture(first.image) if first.image else "",
            "last": picture(last.image) if last.image else "",
        }

    def read(self, text: str, subject: Chain) -> WrittenTask:
        found = read_json(text, WrittenTask)
        if found.instruction.strip():
            return WrittenTask(check_instruction(found.instruction, subject.language), found.reason)
        if not found.reason.strip():
            raise ValueError("there is neither an instruction nor a reason why there is none")
        return found

    def taught(self, subject: Chain) -> WrittenTask:
        """What the screens show of the actions that had a lasting effect; else the screen that was opened."""
        if not all("state_changes" in step.tags for step in subject.steps[:-1]):
            raise UnansweredError("the world does not tell what changed")
        if any("state_changes_left_out" in step.tags for step in subject.steps):
            raise UnansweredError("the list of what changed was cut")
        try:
            clauses = ChainReading(subject.steps).clauses()
        except NoTaskError as error:
            return WrittenTask("", str(error))
        app = app_name(subject.steps)
        if [(each.kind, each.name) for each in clauses] == [("open", app)]:
            app = ""  # "Open 'Settings'", not "In Settings, open 'Settings'"
        return WrittenTask(task(clauses, app, subject.language, subject.draw))


class NoTaskError(Exception):
    """The chain has no purpose that can be put into words."""


class ChainReading:
    """What a chain did, as the screens show it. The state only tells which actions had an effect that lasts."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = steps
        self.effects = [visible_effect(step, after) for step, after in pairwise(steps)]
        self.changes = [changes_of(step.tags) for step in steps[:-1]]
        net = net_changes(change for changes in self.changes for change in changes)
        self.lasting = {path for path, _, _ in lasting(net, steps[-1].tags.get("app", ""))}
        self.elsewhere = len(lasting(net)) > len(self.lasting)

    def clauses(self) -> list[Clause]:
        """What the task asks for."""
        last = len(self.effects) - 1
        if self.elsewhere:
            raise NoTaskError("it changed something in another app")
        if not self.lasting:
            return [self._opened(last)]
        if not self._lasts(last):
            raise NoTaskError("its last action has no lasting effect")
        found = [clause for at in range(len(self.effects)) if (clause := self._clause(at)) is not None]
        if len(found) > MOST_CLAUSES:
            raise NoTaskError("it has too many separate effects")
        return found

    def _lasts(self, at: int) -> bool:
        """Did this action change data that is still changed at the end?"""
        return any(path in self.lasting for path, _, _ in net_changes(self.changes[at]))

    def _clause(self, at: int) -> Clause | None:
        effect = self.effects[at]
        if self._lasts(at):
            if not effect.name and effect.kind != "enter":
                raise NoTaskError("what was touched has no name")
            if effect.kind == "move":
                raise NoTaskError("something changed without being touched")
            return self._done(at, effect)
        if fills_form(self.changes[at]) and self._still_shown(at, effect):
            if effect.kind == "enter":
                return Clause("enter", effect.value)
            if effect.kind == "switch":
                return Clause("on" if effect.value == "on" else "off", effect.name)
            return Clause("choose", effect.name) if effect.name else None
        return None

    def _done(self, at: int, effect: Effect) -> Clause:
        about = self._about(at, effect)
        if effect.kind == "switch":
            return Clause("on" if effect.value == "on" else "off", effect.name, about)
        if effect.kind == "choose":
            return Clause("choose", effect.name, about)
        if effect.kind == "enter":
            return Clause("enter", effect.value, about)
        return Clause("do", effect.name, about or self._title(at))

    def _about(self, at: int, effect: Effect) -> str:
        """What an action was done to: something that was pressed on the way, whose name a later screen has as its
        heading.
        """
        for before in range(at - 1, -1, -1):
            name = self.effects[before].name
            headings = {screen_title(step) for step in self.steps[before + 1 : at + 1]}
            if self.effects[before].kind == "press" and name and name != effect.name and name in headings:
                return "" if self.steps[before].tags.get("app") != self.steps[-1].tags.get("app") else name
        return ""

    def _title(self, at: int) -> str:
        """The heading of the screen, if it names a thing: not the app, and not the question of a dialog."""
        title = screen_title(self.steps[at])
        return "" if title == app_name(self.steps) or title.endswith(("?", "？")) else title

    def _still_shown(self, at: int, effect: Effect) -> bool:
        """Does the screen of the last action still show what was entered or chosen?"""
        wanted = effect.value if effect.kind == "enter" else effect.name
        return bool(wanted) and any(wanted in each.text for each in self.steps[-2].elements)

    def _opened(self, last: int) -> Clause:
        """The screen that was opened: by the name that was touched if the screen shows it, else by its heading."""
        effect, after = self.effects[last], self.steps[-1]
        title = screen_title(after)
        if effect.kind != "press" or effect.name.lower() in WAYS_OUT or title in ("", screen_title(self.steps[-2])):
            raise NoTaskError("it has no lasting effect, and opened nothing")
        shown = effect.name and any(effect.name in each.text for each in after.elements)
        return Clause("open", effect.name if shown else title)


def fills_form(changes: Sequence[Change]) -> bool:
    """Did an action change what stands in the form in front, and nothing else?"""
    return bool(changes) and all(path.startswith("front.form.") for path, _, _ in changes)


def app_name(steps: Sequence[Step]) -> str:
    """What the screens call the app; empty if they do not say."""
    return steps[-1].tags.get("app_name", "")
