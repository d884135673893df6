"""A teacher knows the right actions on the screen that a world shows: an oracle, or the truth of a recording.

One teacher serves all that need the truth: oracle choice among candidates (GuidNav §3.3), key and false elements in
prompts (UILoop Table 3), rewards beside each step, data collection, and a model that answers rightly in any paradigm's
own format. `World.teacher()` gives a world's own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from saccade.actions import Action
from saccade.errors import InputError
from saccade.plugins import source_of
from saccade.types import Element
from saccade.worlds.observation import Observation


@dataclass(frozen=True)
class Lesson:
    """What would be right on one screen."""

    truth: Sequence[Action] = ()
    """Every right action, the best first; none if the task is lost."""
    key_elements: Sequence[Element] | None = None
    """The elements that matter for this step, most important first; None if the teacher does not know them."""
    thought: str = ""
    """Why the first action is right."""
    phrase: str = ""
    """What the first action will have done, for a summary of later steps."""
    lost: str = ""
    """Why no action leads to the goal any more; empty while one does."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """What collected records say about this screen: app, language …"""
    thoughts: Sequence[str] = ()
    """Where each of `truth` has a reason of its own: one for each, in the same order."""
    phrases: Sequence[str] = ()
    """Where each of `truth` has a phrase of its own: one for each, in the same order."""
    instruction: str = ""
    """What collected records give as the task, where the agent was told it in other words."""

    @property
    def annotated(self) -> list[Element] | None:
        """The key elements as a step record holds them."""
        return None if self.key_elements is None else list(self.key_elements)

    def thought_of(self, action: Action) -> str:
        """Why an action of `truth` is right."""
        return self._own(self.thoughts, action) or self.thought

    def phrase_of(self, action: Action) -> str:
        """What an action of `truth` will have done; empty for any other action."""
        if action not in self.truth:
            return ""
        return self._own(self.phrases, action) or (self.phrase if action == self.truth[0] else "")

    def _own(self, texts: Sequence[str], action: Action) -> str:
        at = self.truth.index(action) if action in self.truth else -1
        return texts[at] if 0 <= at < len(texts) else ""


class Teacher(ABC):
    """Looks at the screens of one world, once at each: asked again about the same one, it says the same."""

    _last: tuple[Observation, Lesson] | None = None

    def teach(self, seen: Observation) -> Lesson:
        """What would be right on the screen that the world shows now."""
        if self._last is None or self._last[0] is not seen:
            lesson = self._teach(seen)
            if not isinstance(lesson, Lesson):
                own = type(self)._teach
                said = f"{own.__qualname__} returned {type(lesson).__name__}: it must return a Lesson"
                raise InputError(f"{source_of(own)}: {said}")
            self._last = seen, lesson
        return self._last[1]

    @abstractmethod
    def _teach(self, seen: Observation) -> Lesson: ...

    def tags(self, seen: Observation) -> Mapping[str, str]:
        """What a collected record says about this screen. Override it for tags that take time to find out: an agent
        that only runs never asks for them.
        """
        return self.teach(seen).tags

    def acted(self, action: Action) -> None:  # noqa: B027  (most need not know)
        """Which action was taken on the screen that was taught last. Data collection calls it after each step, for
        teachers that keep count.
        """
