"""Writes the semantic context and the thought of each step (SecAgent §3.2 (5)).

C_t says what was done before step t, and is written from C_{t-1} and the step before; the thought says why the right
action comes next.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import msgspec

from saccade.actions import plainest
from saccade.data.collect.episode import running_summary
from saccade.data.synthesis.roles.base import Role, UnansweredError, read_json
from saccade.data.synthesis.roles.instruction_rules import in_language
from saccade.paradigms.wording import in_words
from saccade.types import Language, Picture, Step

LONGEST_CONTEXT, LONGEST_THOUGHT = 800, 1_000
COORDINATES = re.compile(r"[\[(]\s*\d+(?:\.\d+)?\s*[,，]\s*\d+(?:\.\d+)?(?:\s*[,，]\s*\d+(?:\.\d+)?)*\s*[\])]")


class StepInContext(NamedTuple):
    """What the annotator is asked about."""

    step: Step
    previous: str
    """C_{t-1}."""
    done: tuple[str, ...]
    """What the earlier steps did, in words."""
    language: Language


class ContextAndThought(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the annotator answers."""

    context: str
    thought: str


class ContextAnnotator(Role[StepInContext, ContextAndThought]):
    """Asked about one step after another."""

    name: ClassVar[str] = "context_annotator"

    def variables(self, subject: StepInContext, picture: Callable[[str], Picture]) -> dict[str, Any]:
        step = subject.step
        return {
            "instruction": step.instruction,
            "previous": subject.previous,
            "last": subject.done[-1] if subject.done else "",
            "action": in_words(plainest(step.truth), step.view, subject.language),
            "image": picture(step.image) if step.image else "",
        }

    def read(self, text: str, subject: StepInContext) -> ContextAndThought:
        found = read_json(text, ContextAndThought)
        context, thought = found.context.strip(), found.thought.strip()
        if subject.done and not context:
            raise ValueError("context is empty, and something was done before this step: say what")
        if not subject.done and context:
            raise ValueError("this is the first step: nothing was done before it, so context must be empty")
        if not thought:
            raise ValueError("thought is empty: say why the action comes next")
        if len(context) > LONGEST_CONTEXT or len(thought) > LONGEST_THOUGHT:
            raise ValueError(f"context may have {LONGEST_CONTEXT} characters, thought {LONGEST_THOUGHT}")
        for name, said in (("context", context), ("thought", thought)):
            if found_at := COORDINATES.search(said):
                raise ValueError(f"{name} has coordinates ({found_at[0]}): name the element instead")
            if said and not in_language(said, subject.language):
                raise ValueError(f"{name} is not in the language of the task")
        return ContextAndThought(context, thought)

    def taught(self, subject: StepInContext) -> ContextAndThought:
        """What the teacher wrote while the episode was played."""
        if not subject.step.thought:
            raise UnansweredError("no teacher wrote thoughts for its steps")
        return ContextAndThought(subject.step.summary, subject.step.thought)

    def guessed(self, subject: StepInContext) -> ContextAndThought:
        """The actions in a row, and the action itself as the thought."""
        next_action = in_words(plainest(subject.step.truth), subject.step.view, subject.language)
        said = (
            f"接下来的操作：{next_action}。"
            if subject.language == "zh"
            else f"The action that comes next: {next_action}."
        )
        return ContextAndThought(running_summary(subject.done, subject.language), said)
