"""Says whether a try did what its instruction asks, where the world does not judge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import msgspec

from saccade.data.synthesis.records import Record
from saccade.data.synthesis.roles.base import Role, UnansweredError, read_json
from saccade.paradigms.wording import in_words
from saccade.types import Picture

LAST_SCREENS = 2


class CompletionVerdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Done or not, and why."""

    done: bool
    reason: str


class CompletionJudge(Role[Record, CompletionVerdict]):
    """Sees the instruction, all actions and the last screens."""

    name: ClassVar[str] = "completion_judge"

    def variables(self, subject: Record, picture: Callable[[str], Picture]) -> dict[str, Any]:
        actions = [in_words(step.prediction, step.view, subject.language) for step in subject.steps if step.prediction]
        pictures = [picture(step.image) for step in subject.steps[-LAST_SCREENS:] if step.image]
        return {"instruction": subject.step.instruction, "actions": actions, "pictures": pictures}

    def read(self, text: str, subject: Record) -> CompletionVerdict:
        found = read_json(text, CompletionVerdict)
        if not found.reason.strip():
            raise ValueError("there is no reason: write it in one sentence")
        return found

    def taught(self, subject: Record) -> CompletionVerdict:
        """Done if each action was one that the teacher calls right, and the last one ended the episode."""
        if not all(step.truth for step in subject.steps):
            raise UnansweredError("the world does not judge, and the teacher does not know the task")
        right = all(step.prediction in step.truth for step in subject.steps)
        return CompletionVerdict(right, "each action was right" if right else "an action was not right")

    def guessed(self, subject: Record) -> CompletionVerdict:
        """What the policy itself says at the end."""
        last = subject.steps[-1].prediction
        claimed = last is not None and last.type in ("terminate", "answer") and last.status != "failure"
        return CompletionVerdict(claimed, "the policy says so")
