"""Who knows what would be right: the oracle of the sandbox phone, the truth of a recording, a given list of actions.

One teacher serves all that need the truth: oracle choice among candidates, key and false elements in prompts (UILoop
Table 3), rewards beside each step, and a model that answers rightly in any paradigm's own format.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from saccade.actions import Action
from saccade.types import Element
from saccade.worlds.base import Observation, World
from saccade.worlds.replay import ReplayWorld


@dataclass(frozen=True)
class Lesson:
    """What would be right on one screen."""

    truth: Sequence[Action] = ()
    """Every right action, the best first; none if the task is lost."""
    key_elements: Sequence[Element] = ()
    thought: str = ""
    phrase: str = ""
    """What the first action will have done, for a summary."""
    lost: str = ""


class Teacher(ABC):
    """Looks over the agent's shoulder at one world, once for each screen: asked again, it says the same."""

    _last: tuple[Observation, Lesson] | None = None

    def teach(self, seen: Observation) -> Lesson:
        if self._last is None or self._last[0] is not seen:
            self._last = seen, self._teach(seen)
        return self._last[1]

    @abstractmethod
    def _teach(self, seen: Observation) -> Lesson: ...


@dataclass
class ScriptTeacher(Teacher):
    """A list of actions, one for each screen."""

    actions: Sequence[Action]
    at: int = 0

    def _teach(self, seen: Observation) -> Lesson:
        if self.at >= len(self.actions):
            return Lesson(lost=f"the script has only {len(self.actions)} actions")
        self.at += 1
        action = self.actions[self.at - 1]
        element = seen.screen.element_at(action.point) if action.point is not None else None
        return Lesson([action], [element] if element else [], "The script says so.", action.name)


@dataclass
class RecordedTeacher(Teacher):
    """The truth of the recorded step that is shown."""

    world: ReplayWorld

    def _teach(self, seen: Observation) -> Lesson:
        step = self.world.step
        return Lesson(step.truth, step.key_elements, step.thought)


def teacher_of(world: World) -> Teacher | None:
    """The teacher that comes with a world, if it has one."""
    if isinstance(world, ReplayWorld):
        return RecordedTeacher(world)
    if world.name == "phone" and world.judges:
        from saccade_phone.phone_teacher import PhoneTeacher  # noqa: PLC0415  (Playwright is an extra)

        return PhoneTeacher(world)
    return None
