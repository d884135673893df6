"""What a run leaves behind (docs/RUNS.md): a step record (SPEC §8) with all that led to it, and the run's own page."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from saccade.actions import Action
from saccade.models.base import Usage
from saccade.types import Element, Step


class Scored(msgspec.Struct, omit_defaults=True, frozen=True):
    """One candidate (GuidNav): what was proposed, how sure the policy was, what the process reward model says."""

    action: Action
    thought: str = ""
    probability: float = 1.0
    score: float | None = None
    """None where nobody scored it."""


class Approval(msgspec.Struct, omit_defaults=True, frozen=True):
    """What the gate said of an action."""

    allowed: bool
    why: str = ""
    """One sentence for a person, and for the agent if it was refused."""
    rule: str = ""
    """The rule that matched; empty if none did."""
    risk: str = ""
    """pay, order, delete, send, permission, password, leave, install; empty where there is none."""
    by: Literal["sandbox", "policy", "person", "nobody"] = "sandbox"


class Spent(msgspec.Struct, omit_defaults=True):
    """Where a step's seconds went."""

    model: float = 0.0
    world: float = 0.0
    """Acting, and looking at what came of it."""
    elements: float = 0.0
    """Finding the elements of the screen."""
    person: float = 0.0
    """Waiting for an answer to `may I?`."""
    total: float = 0.0
    first_token: float | None = None

    @property
    def overhead(self) -> float:
        """What the loop itself took."""
        return self.total - self.model - self.world - self.elements - self.person


class LoggedStep(Step, omit_defaults=True, kw_only=True):
    """One line of `steps.jsonl`. `prediction` is the action, `output` the answer that it was read from."""

    attempt: int = 0
    prompt: list[tuple[str, str]] = msgspec.field(default_factory=list)
    """Role and text of each message; pictures stand as <image>."""
    outputs: list[str] = msgspec.field(default_factory=list)
    """All raw answers of the step in their order: samples, and the second try of one that could not be read."""
    repairs: list[str] = msgspec.field(default_factory=list)
    problem: str = ""
    """Why there is no action, where there is none."""
    named: list[Element] = msgspec.field(default_factory=list)
    """The elements that the model named (BTL's blink, UILoop's ui), in pixels of the screenshot."""
    plan: str = ""
    summary: str = ""
    """The running summary after this answer."""
    candidates: list[Scored] = msgspec.field(default_factory=list)
    chosen: int = 0
    choice: str = ""
    """Why this candidate: probability, score, tie, all bad."""
    approval: Approval | None = None
    acted: bool = False
    """Did the action reach the world?"""
    error: str = ""
    """Why the world could not do it."""
    events: list[str] = msgspec.field(default_factory=list)
    url: str = ""
    app: str = ""
    """Where the step began."""
    notes: list[str] = msgspec.field(default_factory=list)
    """Warnings and reflections in this step's prompt."""
    reward: float = 0.0
    """The world's own, after the action."""
    done: bool = False
    rewards: dict[str, float] = msgspec.field(default_factory=dict)
    """The paradigm's reward for this answer, part by part, where the right actions are known."""
    usage: Usage = Usage()
    seconds: Spent = msgspec.field(default_factory=Spent)


Status = Literal["success", "failure", "claimed", "gave up", "broken", "interrupted"]
"""`success` and `failure` are a world's verdict, or a limit's; `claimed` and `gave up` the agent's own last word where
nobody judges; `broken`: the world or the model failed, not the agent."""

EndedBy = Literal[
    "agent", "world", "steps", "seconds", "tokens", "cost", "loop", "unreadable", "refused", "model", "person", "error"
]


class Outcome(msgspec.Struct, omit_defaults=True):
    """How an attempt ended."""

    status: Status
    ended_by: EndedBy
    reason: str = ""
    """One sentence for a person."""
    reward: float = 0.0
    answer: str = ""
    """The agent's last words."""
    steps: int = 0

    @property
    def well(self) -> bool:
        return self.status in ("success", "claimed")


class Attempt(msgspec.Struct, omit_defaults=True):
    """One go at the task. GuidNav's refinement makes several."""

    outcome: Outcome | None = None
    """None while it goes on, or if it was killed."""
    judged: bool | None = None
    """What the evaluator says of it; None if nobody was asked."""
    verdict: str = ""
    reflection: str = ""
    """What the next attempt is told."""


class Run(msgspec.Struct, omit_defaults=True):
    """`run.json`."""

    id: str
    settings: dict[str, Any]
    """All that is needed to do it again: world, task, seed, paradigm, model, switches, limits. No secret."""
    versions: dict[str, str]
    started: str
    instruction: str = ""
    attempts: list[Attempt] = msgspec.field(default_factory=list)
    usage: Usage = Usage()
    between: Usage = Usage()
    """What judging and reflecting took of it; the rest stands with the steps."""
    seconds: float = 0.0
    resumed: int = 0
    outcome: Outcome | None = None
    """Of the whole run; None while it goes on, or if it was killed."""
