"""UILoop appendix A, step 2: every source as (instruction, screen, action)."""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from saccade.actions import Action, plainest
from saccade.data.synthesis.comprehension_form import action_name
from saccade.data.synthesis.records import Outcome, Record, dropped, kept
from saccade.data.synthesis.stage import ItemStage, Tools
from saccade.types import Step


class NormaliseSteps(ItemStage):
    """Keeps what has an instruction, a screenshot and a right action that the form can say, which then stands first."""

    name: ClassVar[str] = "normalise_steps"
    title: ClassVar[str] = "Keep steps with an instruction, a screenshot and one action that UILoop's form can say."

    def do(self, record: Record, tools: Tools) -> Outcome:
        """Of several right actions, the first is the one that was taken, if it was right, else a touch."""
        made = []
        for step in record.steps:
            if not step.instruction.strip():
                return dropped(record, "it has no instruction")
            if not step.image:
                return dropped(record, "it has no screenshot")
            if not step.truth:
                return dropped(record, "it has no right action")
            action = told_action(step)
            if not action_name(action):
                return dropped(record, "the form has no name for its action", str(action))
            others = [each for each in step.truth if each != action]
            made.append(replace(step, truth=[action, *others]))
        return kept(replace(record, steps=made))


def told_action(step: Step) -> Action:
    """The right action that the step's thought is about."""
    return step.prediction if step.prediction in step.truth else plainest(step.truth)
