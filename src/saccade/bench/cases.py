"""Records of a measurement. A case is the smallest unit that is run as a whole: a live task, a recorded episode, or a
single recorded sample.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from saccade.agents.records import LoggedStep, Outcome
from saccade.models.base import Usage

Status = Literal["done", "broken"]


class Result(msgspec.Struct, omit_defaults=True, kw_only=True):
    """One line of `results.jsonl`, written when a case is completed; a case without a line is not completed."""

    id: str
    status: Status = "done"
    """`broken`: the world or the model failed, not the agent; such a case is not counted and can be run again."""
    problem: str = ""
    tries: int = 1
    """How often a live task was begun, because its world or model broke."""
    tags: dict[str, str] = msgspec.field(default_factory=dict)
    steps: list[LoggedStep] = msgspec.field(default_factory=list)
    """The answered steps of a recorded case, of all its tries (`attempt`). The steps of live tasks are in the folder of
    the run."""
    outcome: Outcome | None = None
    """The outcome of a live task."""
    attempts: int = 1
    turns: int = 0
    """Actions taken, or steps answered."""
    right_steps: int = 0
    """For a live task whose world has an oracle: the number of right actions."""
    judged_steps: int = 0
    usage: Usage = Usage()
    seconds: float = 0.0
    model_seconds: float = 0.0
    first_token: float | None = None
    """Mean seconds to the first token over the answers of the case, if the model streams."""
    weighting: str = ""
    """How candidates were chosen, where not by the arg max of R."""
    run: str = ""
    """The folder of the run or sample, with its replay page, relative to the folder of the measurement."""
    blind: int = 0
    """Steps that the model answered without seeing the screen, because the recording has no picture of it."""

    @property
    def success(self) -> bool:
        return self.outcome is not None and self.outcome.successful


class Bench(msgspec.Struct, omit_defaults=True):
    """The contents of `bench.json`: what was measured, and with which settings. A folder has one measurement."""

    suite: str
    settings: dict[str, Any]
    versions: dict[str, str]
    data: str = ""
    data_options: dict[str, str] = msgspec.field(default_factory=dict)
    limit: int | None = None
    cases: int = 0
    label: str = ""
    """Its name in tables; model and paradigm by default."""
    similarity: str = ""
    """What compares descriptions in UILoop's figures; the default where nothing is said."""
    predictions: str = ""
    """The file of answers that were measured in place of a model's."""
    left_out: int = 0
    """Lines of that file that could not be read."""
