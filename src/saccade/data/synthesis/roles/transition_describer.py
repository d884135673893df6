"""Describes a transition of a walk: one low-level instruction for what an action did (OS-Genesis, first stage)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import msgspec

from saccade.data.synthesis.grounding_marker import draw_marker
from saccade.data.synthesis.roles.base import Role, UnansweredError, read_json
from saccade.data.synthesis.roles.instruction_rules import check_instruction
from saccade.data.synthesis.task_wording import low_level
from saccade.data.synthesis.transitions import action_done, touched, visible_effect
from saccade.geometry import Box
from saccade.paradigms.wording import in_words
from saccade.types import Language, Picture, Step

AROUND = 0.02
"""Where an action has a point and no element is known there: the box to be marked, as a share of the longer side."""


class Transition(NamedTuple):
    """A screen with what was done on it, and the screen after."""

    step: Step
    after: Step
    language: Language


class LowLevelInstruction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The answer. Empty: nothing that a person could want was done."""

    instruction: str


class TransitionDescriber(Role[Transition, LowLevelInstruction]):
    """Sees both screens, the place of the action marked on the first."""

    name: ClassVar[str] = "transition_describer"
    max_tokens: ClassVar[int] = 256

    def variables(self, subject: Transition, picture: Callable[[str], Picture]) -> dict[str, Any]:
        step, element = subject.step, touched(subject.step)
        action = action_done(step)
        assert action is not None
        box = element.box if element is not None else None
        if box is None and action.point is not None:
            reach, (x, y) = AROUND * max(step.screen), action.point
            box = Box(x - reach, y - reach, x + reach, y + reach)
        before: Picture | str = picture(step.image) if step.image else ""
        if isinstance(before, Picture) and box is not None:
            before = Picture(draw_marker(before.data(), box, step.screen)[0])
        return {
            "before": before,
            "marked": box is not None,
            "after": picture(subject.after.image) if subject.after.image else "",
            "action": in_words(action, step.view, subject.language),
            "type": element.type if element is not None else "",
            "text": element.text if element is not None else "",
        }

    def read(self, text: str, subject: Transition) -> LowLevelInstruction:
        found = read_json(text, LowLevelInstruction)
        if not found.instruction.strip():
            return LowLevelInstruction("")
        return LowLevelInstruction(check_instruction(found.instruction, subject.language))

    def taught(self, subject: Transition) -> LowLevelInstruction:
        """From the element that was touched, and what the screen after shows of it."""
        action = action_done(subject.step)
        assert action is not None
        said = low_level(visible_effect(subject.step, subject.after), action, subject.language)
        if not said:
            raise UnansweredError("what was touched has no name")
        return LowLevelInstruction(said)

    def guessed(self, subject: Transition) -> LowLevelInstruction:
        """The screens tell as much without a teacher."""
        return self.taught(subject)
