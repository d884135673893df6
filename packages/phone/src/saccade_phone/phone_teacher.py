"""The sandbox phone's oracle as a teacher."""

from __future__ import annotations

from typing import cast

from saccade.agents.teachers import Lesson, Teacher
from saccade.worlds.base import Observation, World
from saccade_phone.oracle import Oracle
from saccade_phone.world import PhoneWorld


class PhoneTeacher(Teacher):
    """What the oracle advises."""

    def __init__(self, world: World) -> None:
        self.oracle = Oracle(cast(PhoneWorld, world))

    def _teach(self, seen: Observation) -> Lesson:
        advice = self.oracle.advise(list(seen.screen.elements))
        first = (advice.thoughts[0], advice.phrases[0]) if advice.actions else ("", "")
        return Lesson(advice.actions, advice.key_elements, *first, advice.lost)
