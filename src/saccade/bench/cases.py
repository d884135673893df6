"""Results and the description of a measurement. A case is the smallest thing that is done as a whole: a live task, an
episode of a recording, or a single sample of it.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from saccade.agents.records import LoggedStep, Outcome
from saccade.models.base import Usage

Status = Literal["done", "broken"]


class Result(msgspec.Struct, omit_defaults=True, kw_only=True):
    """One line of `results.jsonl`, written when a case is done: a case has one line, or is not done."""

    id: str
    status: Status = "done"
    """`broken`: the world or the model failed, not the agent; such a case counts nowhere, and can be run again."""
    problem: str = ""
    tries: int = 1
    tags: dict[str, str] = msgspec.field(default_factory=dict)
    steps: list[LoggedStep] = msgspec.field(default_factory=list)
    """Of a recording: what was answered at each step. Live steps are in the run's own folder."""
    outcome: Outcome | None = None
    """Of a live task."""
    attempts: int = 1
    turns: int = 0
    """Actions taken, or steps answered."""
    right_steps: int = 0
    """Of a live task whose world has an oracle: how many actions were among the right ones."""
    judged_steps: int = 0
    usage: Usage = Usage()
    seconds: float = 0.0
    model_seconds: float = 0.0
    first_token: float | None = None
    """Mean over the case's answers, where the model streams."""
    run: str = ""
    """The folder of the run or of the sample, with its replay page, relative to the bench's."""

    @property
    def success(self) -> bool:
        return self.outcome is not None and self.outcome.successful


class Bench(msgspec.Struct, omit_defaults=True):
    """`bench.json`: what was measured, and with what. A folder takes no other."""

    suite: str
    settings: dict[str, Any]
    versions: dict[str, str]
    data: str = ""
    data_options: dict[str, str] = msgspec.field(default_factory=dict)
    limit: int | None = None
    cases: int = 0
    label: str = ""
    """How tables call it; model and paradigm by default."""
