"""Refinement (GuidNav §3.4, after Reflexion): judge the finished trajectory, write a reflection, reset, try again.

Combined with guidance at each step it is the paper's full method; without reflections it is pass@n; with the world as
judge it is refinement with an oracle.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from saccade.agents.guidance import TEMPLATES
from saccade.agents.records import LoggedStep, Outcome
from saccade.models.base import Ask, Model
from saccade.models.families import VisionSettings
from saccade.paradigms.base import Language
from saccade.paradigms.prompts import build_messages
from saccade.paradigms.wording import in_words
from saccade.types import Message, Picture

LAST_SCREENS = 2
LONGEST_LESSON = 1_000


@dataclass(frozen=True)
class Trajectory:
    """A finished attempt."""

    instruction: str
    steps: Sequence[LoggedStep]
    outcome: Outcome
    folder: Path
    last: Picture | None = None
    """The screen it ended on."""

    def variables(self, sight: VisionSettings, language: Language) -> dict[str, Any]:
        """The variables of the judge and reflection templates."""
        pictures = [
            Picture(str(self.folder / step.image), step.screen) for step in self.steps[-LAST_SCREENS:] if step.image
        ]
        pictures += [self.last] if self.last is not None else []
        history = [in_words(step.prediction, step.view, language) for step in self.steps if step.prediction]
        return {
            "instruction": self.instruction,
            "pictures": [sight.show(picture) for picture in pictures[-LAST_SCREENS:]],
            "history": history,
            "answer": self.outcome.answer,
            "reason": self.outcome.reason,
        }


class TrajectoryJudge(Protocol):
    """Decides whether a trajectory completed its task, and why (not)."""

    def judge(self, trajectory: Trajectory) -> tuple[bool, str]: ...


class WorldJudge:
    """The world's own verdict, or the agent's claim if the world does not judge."""

    def judge(self, trajectory: Trajectory) -> tuple[bool, str]:
        return trajectory.outcome.successful, trajectory.outcome.reason


@dataclass(frozen=True)
class ChatJudge:
    """A chat model as evaluator: it sees the instruction, the actions and the last screens."""

    model: Model
    sight: VisionSettings
    language: Language = "en"

    def judge(self, trajectory: Trajectory) -> tuple[bool, str]:
        text = self.model.complete(self.messages(trajectory), Ask(purpose="judge", max_tokens=400))[0].text
        return read_verdict(text), text.strip()[:LONGEST_LESSON]

    def messages(self, trajectory: Trajectory) -> list[Message]:
        return build_messages(TEMPLATES / f"judge.{self.language}.j2", trajectory.variables(self.sight, self.language))


def read_verdict(text: str) -> bool:
    """True if the last "success" or "failure" in the text is "success"; False if there is neither."""
    words = re.findall(r"success|failure|成功|失败", text.lower())
    return bool(words) and words[-1] in ("success", "成功")


@dataclass(frozen=True)
class Reflector:
    """Asks a model what to do differently after a failed attempt."""

    model: Model
    sight: VisionSettings
    language: Language = "en"

    def reflect(self, trajectory: Trajectory, verdict: str, earlier: Sequence[str]) -> str:
        variables = trajectory.variables(self.sight, self.language) | {"verdict": verdict, "earlier": list(earlier)}
        messages = build_messages(TEMPLATES / f"reflect.{self.language}.j2", variables)
        answer = self.model.complete(messages, Ask(purpose="reflect", max_tokens=300))[0].text
        return " ".join(answer.split())[:LONGEST_LESSON]
