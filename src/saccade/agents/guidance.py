"""Guidance (GuidNav §3.3): of several candidates, the one that a process reward model likes best.

A process reward model says how good an action is: R(x, h_t, s_t, a_t). It may be a trained one, a chat model that is
asked for a score, or an oracle; without one the policy's own probability decides. That makes direct prompting (k = 1),
top-k (k = 3, no reward), GuidNav (k = 3 with a reward) and oracle top-k the same code with other settings.

The rule, in this order:
1. Candidates with the same action are one; their probabilities add up (at most 1).
2. The highest score wins. A score that is missing or not a number counts as none, below all others.
3. Of equal scores (within `TIE`), the higher probability wins; of equal probabilities, the one proposed first.
4. All bad: if no score reaches `floor`, or there are no scores, the reward model has no say, and the policy's own first
   choice (the most probable, then the first) is taken.
5. Not in the paper: with a `prior`, so much of the policy's own probability counts beside each score, and with a
   `margin`, the winner must be ahead of the policy's first choice by that much, or that is taken. A policy that knows
   its tasks is then overruled only where it is in doubt and the reward model is not.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec.structs import replace

from saccade.actions import Action
from saccade.agents.loop_detector import same_action
from saccade.agents.records import LoggedStep, ScoredCandidate
from saccade.models.base import Ask, Model
from saccade.paradigms.prompts import build_messages
from saccade.paradigms.wording import in_words
from saccade.scoring.profiles import MatchContext, Profile, get_profile
from saccade.types import Language, Screen
from saccade.worlds.base import Observation
from saccade.worlds.teachers import Teacher

TIE = 1e-6
TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Case:
    """One moment of a run: what a policy decides on and what a process reward model judges an action on."""

    instruction: str
    summary: str
    """What happened so far (h_t): the running summary, or the lines of the history."""
    screen: Screen
    seen: Observation
    """The same screen with its world around it: for oracles."""
    steps: Sequence[LoggedStep] = ()
    """The steps of this attempt so far, as the run's log has them. A policy that remembers computes its state from
    these alone, so that a resumed run and parallel runs decide exactly alike.
    """
    attempt: int = 0
    """Which attempt this is, from 0."""


class RewardWeighting(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How much a process reward model counts beside a policy. All zeros: the arg max of R (GuidNav eq. 6)."""

    prior: float = 0.0
    """This times the policy's own probability is added to each score."""
    margin: float = 0.0
    """By how much the best score must exceed that of the policy's first choice to be taken in its place."""

    @property
    def note(self) -> str:
        """What tables and runs print; empty for the arg max."""
        used = [f"{name} {value:g}" for name, value in (("prior", self.prior), ("margin", self.margin)) if value]
        return f"not the arg max of R: {', '.join(used)}" if used else ""


class ProcessReward(ABC):
    """R(x, h_t, s_t, a_t) for several actions at once."""

    @property
    def weighting(self) -> RewardWeighting:
        """How it asks to be weighted beside the policy, where the user does not say otherwise."""
        return RewardWeighting()

    @abstractmethod
    def scores(self, case: Case, actions: Sequence[Action]) -> list[float]:
        """One score for each action; NaN where there is none."""


@dataclass(frozen=True)
class OracleReward(ProcessReward):
    """1 for an action that is right by the rule of the suite or world at hand, else 0: oracle top-k, the ceiling of any
    reward model.
    """

    teacher: Teacher
    profile: Profile

    @classmethod
    def by(cls, teacher: Teacher, profile: str) -> OracleReward:
        return cls(teacher, get_profile(profile))

    def scores(self, case: Case, actions: Sequence[Action]) -> list[float]:
        truth = self.teacher.teach(case.seen).truth
        scene = MatchContext(case.screen.size, case.screen.elements, False)
        return [float(self.profile.judge(action, truth, scene).right) for action in actions]


@dataclass(frozen=True)
class ChatReward(ProcessReward):
    """A chat model that is asked for a score between 0 and 1."""

    model: Model
    language: Language = "en"
    ask: Ask = Ask(purpose="reward", max_tokens=256)  # noqa: RUF009  (frozen)

    def scores(self, case: Case, actions: Sequence[Action]) -> list[float]:
        return [self.score(case, action) for action in actions]

    def score(self, case: Case, action: Action) -> float:
        variables = {
            "image": case.screen.picture,
            "instruction": case.instruction,
            "summary": case.summary,
            "action": in_words(action, case.screen, self.language),
            "point": [round(action.point.x), round(action.point.y)] if action.point else None,
        }
        messages = build_messages(TEMPLATES / f"reward.{self.language}.j2", variables)
        return read_score(self.model.complete(messages, self.ask)[0].text)


def read_score(text: str) -> float:
    """The last number between 0 and 1 in an answer; NaN if there is none."""
    found = [
        float(word) for word in re.findall(r"(?<![\d.])(?:0?\.\d{1,6}|[01](?:\.\d{1,6})?)(?![\d.]*\d)", text[-2_000:])
    ]
    return next((value for value in reversed(found) if value <= 1), math.nan)


def merge(candidates: Sequence[ScoredCandidate], screen: Screen) -> list[ScoredCandidate]:
    """Actions that are the same, but for a jitter, are one candidate."""
    found: list[ScoredCandidate] = []
    for candidate in candidates:
        at = next((at for at, other in enumerate(found) if same_action(candidate.action, other.action, screen)), None)
        if at is None:
            found.append(candidate)
        else:
            found[at] = replace(found[at], probability=min(1.0, found[at].probability + candidate.probability))
    return found


@dataclass(frozen=True)
class Guide:
    """Chooses among candidates by the rule above."""

    reward: ProcessReward | None = None
    floor: float = 0.0
    """Scores at or below this are bad."""
    weighting: RewardWeighting = RewardWeighting()  # noqa: RUF009  (frozen)

    def choose(self, candidates: Sequence[ScoredCandidate], case: Case) -> tuple[list[ScoredCandidate], int, str]:
        """The candidates, merged and scored; which one; and why."""
        merged = merge(candidates, case.screen)
        first = max(range(len(merged)), key=lambda at: (merged[at].probability, -at))
        if len(merged) == 1:
            return merged, 0, "the only candidate"
        if self.reward is None:
            return merged, first, "the most probable"
        given = self.reward.scores(case, [each.action for each in merged])
        scores = [score if math.isfinite(score) else None for score in given]
        merged = [replace(each, score=score) for each, score in zip(merged, scores, strict=True)]
        known = [score for score in scores if score is not None]
        if not known or max(known) <= self.floor:
            why = "all bad" if known else "no score"
            return merged, first, f"{why}: the policy's first choice"
        worth = {
            at: score + self.weighting.prior * merged[at].probability
            for at, score in enumerate(scores)
            if score is not None
        }
        highest = max(worth.values())
        if first in worth and highest - worth[first] < self.weighting.margin:
            return merged, first, "no score is far enough ahead of the policy's first choice"
        best = [at for at, value in worth.items() if value >= highest - TIE]
        chosen = max(best, key=lambda at: (merged[at].probability, -at))
        what = "score" if not self.weighting.prior else "score with its probability"
        return merged, chosen, f"the highest {what}" if len(best) == 1 else "a tie of scores: the most probable of them"
