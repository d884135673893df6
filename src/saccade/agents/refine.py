"""Refinement (GuidNav §3.4, after Reflexion): judge the finished trajectory, write a reflection, reset, try again.

Combined with guidance at each step it is the paper's full method ("integration"). The chat model judges, as in the
paper; with the world as judge it is refinement with an oracle, and everything that reports on it says so.
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
    """The screen it ended on: after its last action, or where a limit stopped it."""

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
        }


class TrajectoryJudge(Protocol):
    """Decides whether a trajectory completed its task, and why (not)."""

    def judge(self, trajectory: Trajectory) -> tuple[bool, str]: ...


class WorldJudge:
    """The world's own verdict, an oracle; or the agent's claim if the world does not judge."""

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


_VERDICT_LINE = re.compile(r"^\W*(?:final\s+)?(?:verdict|结论)\W*[:：](.*)$", re.MULTILINE | re.IGNORECASE)
_SUCCESS = re.compile(r"success|succeed|成功", re.IGNORECASE)
_FAILURE = re.compile(
    r"fail|失败|unsuccess|\b(?:not|no|never|nor|neither|without|cannot|hardly|barely|lacks?|far from)\b|n['’]t\b"
    r"|[未没沒不非无無否]",
    re.IGNORECASE,
)
"""A failure, or any negation: a success that is spoken of with one is none."""


def read_verdict(text: str) -> bool:
    """Read strictly: what stands on the last line `Verdict: …`, else the last sentence that speaks of success or
    failure, must speak of success without any negation. Everything else is a failure.

    >>> read_verdict("Verdict: success"), read_verdict("It was not a success."), read_verdict("并未成功")
    (True, False, False)
    """
    sentences = [
        each for each in re.split(r"[.!?:;。！？：；\n]", text) if re.search("succe|fail|成功|失败", each, re.I)
    ]
    said = (_VERDICT_LINE.findall(text) or sentences or [""])[-1]
    return bool(_SUCCESS.search(said)) and not _FAILURE.search(said)


@dataclass(frozen=True)
class Reflector:
    """Asks a model what to do differently after a failed attempt."""

    model: Model
    sight: VisionSettings
    language: Language = "en"
    told: bool = False
    """Is it told the world's own verdict? Only where the world is the judge; else just what stopped the attempt."""

    def reflect(self, trajectory: Trajectory, verdict: str, earlier: Sequence[str]) -> str:
        outcome = trajectory.outcome
        reason = outcome.reason if self.told or outcome.ended_by not in ("agent", "world") else ""
        variables = trajectory.variables(self.sight, self.language)
        variables |= {"verdict": verdict, "earlier": list(earlier), "reason": reason}
        messages = build_messages(TEMPLATES / f"reflect.{self.language}.j2", variables)
        answer = self.model.complete(messages, Ask(purpose="reflect", max_tokens=300))[0].text
        return " ".join(answer.split())[:LONGEST_LESSON]
