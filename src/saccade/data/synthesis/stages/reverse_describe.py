"""Reverse synthesis (2): a low-level instruction for each transition."""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from saccade.data.synthesis.records import Dropped, Outcome, Record, dropped
from saccade.data.synthesis.roles.base import UnansweredError
from saccade.data.synthesis.roles.transition_describer import Transition, TransitionDescriber
from saccade.data.synthesis.stage import ItemStage, Tools


class ReverseDescribe(ItemStage):
    """The describer sees the screen before with the place of the action marked, and the screen after."""

    name: ClassVar[str] = "reverse_describe"
    title: ClassVar[str] = "Write a low-level instruction for each transition."
    roles = (TransitionDescriber(),)

    def do(self, record: Record, tools: Tools) -> Outcome:
        """All transitions of an episode. One without an answer stays, without an instruction: no chain goes over it."""
        made, gone = [], []
        for step, after in zip(record.steps, record.steps[1:], strict=False):
            language = record.language
            try:
                answer = tools.ask(self.roles[0], Transition(step, after, language), language)
                if not answer.instruction:
                    gone.append(Dropped(step.id, "the describer sees nothing that a person could want"))
                made.append(replace(step, step_instruction=answer.instruction))
            except UnansweredError as error:
                tools.usage += error.usage
                gone.append(Dropped(step.id, error.reason, error.detail))
                made.append(replace(step, step_instruction=""))
        if not any(step.step_instruction for step in made):
            return Outcome([], [*gone, *dropped(record, "none of its transitions could be described").dropped])
        return Outcome([replace(record, steps=[*made, record.steps[-1]])], gone)
