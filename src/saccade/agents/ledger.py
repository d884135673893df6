"""Counts the tokens, cost and time that a run has used, and checks them against its limits."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec

from saccade.agents.records import EndedBy
from saccade.models.base import Ask, Completion, Model, Purpose, Usage
from saccade.types import Message


class Limits(msgspec.Struct, frozen=True, omit_defaults=True):
    """Limits of a run. 0 means no limit."""

    steps: int = 30
    seconds: float = 0.0
    tokens: int = 0
    cost: float = 0.0
    """US dollars, if the model's prices are known."""

    def reached(self, steps: int, seconds: float, usage: Usage) -> tuple[EndedBy, float, float] | None:
        """The first limit that was reached: its name, its value, and how much was used."""
        if self.steps and steps >= self.steps:
            return "steps", self.steps, steps
        if self.seconds and seconds >= self.seconds:
            return "seconds", self.seconds, seconds
        if self.tokens and usage.tokens >= self.tokens:
            return "tokens", self.tokens, usage.tokens
        if self.cost and usage.cost >= self.cost:
            return "cost", self.cost, usage.cost
        return None


@dataclass
class Ledger:
    """Sums up usage and time of all model calls, in total and by purpose."""

    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    purposes: dict[Purpose, Usage] = field(default_factory=dict)

    def add(self, ask: Ask, completions: Sequence[Completion], seconds: float) -> None:
        used = sum((completion.usage for completion in completions), Usage())
        self.usage += used
        self.seconds += seconds
        self.purposes[ask.purpose] = self.purposes.get(ask.purpose, Usage()) + used


class MeteredModel(Model):
    """Wraps a model and records the usage of each call in a ledger."""

    def __init__(self, model: Model, ledger: Ledger) -> None:
        self.name, self.model, self.ledger = model.name, model, ledger
        self.template, self.coordinates = model.template, model.coordinates
        self.reads, self.summarises, self.reflects = model.reads, model.summarises, model.reflects
        self.judges, self.temperature = model.judges, model.temperature
        self.policy = model.policy

    def complete(self, messages: Sequence[Message], ask: Ask) -> list[Completion]:
        began = time.perf_counter()
        completions: list[Completion] = []
        try:
            completions = self.model.complete(messages, ask)
            return completions
        finally:
            self.ledger.add(ask, completions, time.perf_counter() - began)

    def warning(self, world: str) -> str:
        return self.model.warning(world)

    def close(self) -> None:
        self.model.close()
