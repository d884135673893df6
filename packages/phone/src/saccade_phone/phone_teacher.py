"""The sandbox phone's oracle as a teacher."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from saccade.actions import Action
from saccade.worlds.base import InfrastructureError
from saccade.worlds.observation import Observation
from saccade.worlds.teachers import Lesson, Teacher
from saccade_phone.facts import facts_in_view
from saccade_phone.oracle import Oracle, ShownPhone
from saccade_phone.session import roll_out

JOINT = "; "
"""Between the facts of the tag `noted`."""


class PhoneWithTask(ShownPhone, Protocol):
    """A phone with a task, as the teacher needs it; `PhoneWorld` is one."""

    task: str
    seed: int
    episode: int
    """Counts the resets."""


class PhoneTeacher(Teacher):
    """What the oracle advises, with the facts that were read on the way.

    Tags: task, app, screen, language, mode, font, seed, noted (facts read so far), remaining (steps to the goal).
    """

    def __init__(self, world: PhoneWithTask, by_sight: bool = False) -> None:
        self.world, self.oracle = world, Oracle(world, by_sight)
        self.noted: dict[str, None] = {}
        self.left: int | None = None
        """Steps to the goal; None where that must be found out."""
        self._episode = -1

    def _teach(self, seen: Observation) -> Lesson:
        elements = list(seen.screen.elements)
        if self._episode != self.world.episode:
            self._episode, self.noted, self.left = self.world.episode, {}, None
        self.noted |= dict.fromkeys(facts_in_view(self.world.session, elements))
        try:
            advice = self.oracle.advise(elements, self.noted)
        except LookupError as error:
            raise InfrastructureError(f"the oracle found something on the phone that is not drawn: {error}") from error
        first = (advice.thoughts[0], advice.phrases[0]) if advice.actions else ("", "")
        return Lesson(
            advice.actions,
            advice.key_elements,
            *first,
            advice.lost,
            tags=self._screen_tags(),
            thoughts=advice.thoughts,
            phrases=advice.phrases,
            instruction=self.world.session.goal.instruction,
        )

    def _screen_tags(self) -> dict[str, str]:
        world, state = self.world, self.world.session.state
        tags = {
            "task": world.task,
            "app": world.session.machine.front,
            "screen": str(world.session.machine.top["screen"]),
            "language": str(state["language"]),
            "mode": str(state["theme"]["mode"]),
            "font": str(state["theme"]["font"]),
            "seed": str(world.seed),
        }
        return tags | {"noted": JOINT.join(self.noted)} if self.noted else tags

    def tags(self, seen: Observation) -> Mapping[str, str]:
        """Also how many steps are left: the last one included, scrolling left out."""
        lesson = self.teach(seen)
        if self.left is None:
            try:
                self.left = len(roll_out(self.world.session, sight=self.oracle.told(self.noted)).moves)
            except LookupError as error:
                raise InfrastructureError(f"the planner cannot play on: {error}") from error
        return {**lesson.tags, "remaining": str(self.left)}

    def acted(self, action: Action) -> None:
        """After a right action one step less is left; after a wrong one the planner must look again (0.1 s)."""
        right = self._last is not None and action in self._last[1].truth
        if self.left is not None:
            self.left = self.left - (action.type != "swipe") if right and self.left > 1 else None
