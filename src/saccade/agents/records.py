"""The records of a run (docs/RUNS.md): a step record with everything that led to it, and `run.json`."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from saccade.actions import Action
from saccade.models.base import Usage
from saccade.types import Element, Step


class ScoredCandidate(msgspec.Struct, omit_defaults=True, frozen=True):
    """One candidate action (GuidNav): its probability under the policy and the score of the process reward model."""

    action: Action
    thought: str = ""
    probability: float = 1.0
    score: float | None = None
    """None if no process reward model was used."""


class Approval(msgspec.Struct, omit_defaults=True, frozen=True):
    """The gate's decision on an action."""

    allowed: bool
    why: str = ""
    """One sentence for a person, and for the agent if it was refused."""
    rule: str = ""
    """Name of the rule that matched; empty if none did."""
    risk: str = ""
    """pay, order, delete, send, permission, password, leave, install; empty if there is none."""
    by: Literal["sandbox", "policy", "person", "nobody"] = "sandbox"
    """Who decided; `nobody`: a person should have been asked, but none was available."""


ChosenBy = Literal["agent", "person"]


class StepSeconds(msgspec.Struct, omit_defaults=True):
    """How the duration of a step divides up, in seconds."""

    model: float = 0.0
    world: float = 0.0
    """Acting and observing the result."""
    elements: float = 0.0
    """Finding the elements of the screen."""
    person: float = 0.0
    """Checking the action, including the wait for a person's approval."""
    total: float = 0.0
    first_token: float | None = None

    @property
    def overhead(self) -> float:
        """The time that the loop itself took."""
        return self.total - self.model - self.world - self.elements - self.person


class LoggedStep(Step, omit_defaults=True, kw_only=True):
    """One line of `steps.jsonl`. `prediction` is the action, `output` the answer from which it was parsed."""

    attempt: int = 0
    prompt: list[tuple[str, str]] = msgspec.field(default_factory=list)
    """Role and text of each message; a picture is written as <image>."""
    outputs: list[str] = msgspec.field(default_factory=list)
    """All raw answers of the step in order: samples, and the retry of an answer that could not be parsed."""
    repairs: list[str] = msgspec.field(default_factory=list)
    problem: str = ""
    """Why there is no action, if there is none."""
    named: list[Element] = msgspec.field(default_factory=list)
    """The elements that the model named (BTL's blink, UILoop's ui), in pixels of the screenshot."""
    plan: str = ""
    candidates: list[ScoredCandidate] = msgspec.field(default_factory=list)
    chosen: int = 0
    choice: str = ""
    """Why this candidate was chosen: probability, score, tie, all bad."""
    approval: Approval | None = None
    acted: bool = False
    """Whether the action was sent to the world."""
    by: ChosenBy = "agent"
    """Who chose the action: a person who took over, or changed what the agent proposed, is said here."""
    edited_from: Action | None = None
    """What the agent had proposed, where a person did something else."""
    hint: str = ""
    """What a person told the agent before this step; prompts repeat it until the attempt ends."""
    asked: str = ""
    """Why the agent asked for a person at this step."""
    error: str = ""
    """Why the world could not do the action."""
    events: list[str] = msgspec.field(default_factory=list)
    url: str = ""
    app: str = ""
    """Where the step began: a URL or an app."""
    notes: list[str] = msgspec.field(default_factory=list)
    """Warnings and reflections that were part of this step's prompt."""
    reward: float = 0.0
    """The world's own reward after the action."""
    done: bool = False
    rewards: dict[str, float] = msgspec.field(default_factory=dict)
    """The parts of the paradigm's reward for this answer, if the right actions are known."""
    usage: Usage = Usage()
    seconds: StepSeconds = msgspec.field(default_factory=StepSeconds)


Status = Literal["success", "failure", "claimed", "gave up", "broken", "interrupted"]
"""`success` and `failure`: judged by the world, or a limit was reached; `claimed` and `gave up`: what the agent said,
in a world that does not judge; `broken`: the world or the model failed, not the agent."""

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
    """The text of the agent's final action."""
    steps: int = 0

    @property
    def successful(self) -> bool:
        """Judged a success, or claimed to be done in a world that does not judge."""
        return self.status in ("success", "claimed")


class Attempt(msgspec.Struct, omit_defaults=True):
    """One attempt at the task. GuidNav's refinement makes several."""

    outcome: Outcome | None = None
    """None while it is running, or if it was killed."""
    judged: bool | None = None
    """The evaluator's verdict; None if it was not asked."""
    verdict: str = ""
    reflection: str = ""
    """The lesson that is added to the prompts of the next attempt."""


class Run(msgspec.Struct, omit_defaults=True):
    """The contents of `run.json`."""

    id: str
    settings: dict[str, Any]
    """Everything needed to repeat the run: world, task, seed, paradigm, model, options, limits. No secrets."""
    versions: dict[str, str]
    started: str
    instruction: str = ""
    profile: str = ""
    """The match rule by which steps with known right actions are marked right or wrong."""
    weighting: str = ""
    """How candidates were chosen, where not by the arg max of R: prior, margin."""
    attempts: list[Attempt] = msgspec.field(default_factory=list)
    usage: Usage = Usage()
    between: Usage = Usage()
    """The part of `usage` that judging and reflecting took; the rest is recorded in the steps."""
    seconds: float = 0.0
    resumed: int = 0
    outcome: Outcome | None = None
    """The outcome of the whole run; None while it is running, or if it was killed."""
