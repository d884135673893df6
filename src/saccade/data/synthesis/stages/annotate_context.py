"""The semantic context and the thought of each step (SecAgent §3.2 (5))."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec.structs import replace

from saccade.actions import plainest
from saccade.data.synthesis.records import Outcome, Record, kept
from saccade.data.synthesis.roles.base import Role
from saccade.data.synthesis.roles.context_annotator import ContextAnnotator, StepInContext
from saccade.data.synthesis.stage import ItemStage, Tools
from saccade.paradigms.wording import in_words


class AnnotateContext(ItemStage):
    """Goes through an episode in order: each step is shown the context that was written for the step before."""

    name: ClassVar[str] = "annotate_context"
    title: ClassVar[str] = "Write the running context and the thought of each step."
    roles: ClassVar[tuple[Role[Any, Any], ...]] = (ContextAnnotator(),)

    def do(self, record: Record, tools: Tools) -> Outcome:
        made, previous, done = [], "", list[str]()
        for step in record.steps:
            told = StepInContext(step, previous, tuple(step.history or done), record.language)
            answer = tools.ask(self.roles[0], told, record.language)
            made.append(replace(step, context=previous, summary=answer.context, thought=answer.thought))
            previous = answer.context
            done.append(in_words(step.prediction or plainest(step.truth), step.view, record.language))
        return kept(replace(record, steps=made))
