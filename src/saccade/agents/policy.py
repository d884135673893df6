"""From a situation to an action: prompt, sample, parse, repair, choose.

`POLICIES` holds the ways in which a model can be driven. `plain` asks the model and takes what it answers; `reflection`
has it think its answer over once (GuidNav's baseline); a package may bring another (a subclass of `Policy`) for a model
that needs more than its prompt, through entry-point group `saccade.policies`. A policy keeps no state between steps:
what it must remember it computes from `Case.steps`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from saccade.actions import Action
from saccade.agents.guidance import TEMPLATES, Case, Guide
from saccade.agents.records import LoggedStep, ScoredCandidate
from saccade.models.base import Ask, Completion, Model
from saccade.paradigms.base import Paradigm, Parsed, Situation
from saccade.paradigms.prompts import build_messages
from saccade.registry import Registry
from saccade.types import Message

POLICIES: Registry[Callable[..., Policy]] = Registry(
    "policy",
    {"plain": "saccade.agents.policy:Policy", "reflection": "saccade.agents.reflection:ReflectionPolicy"},
    group="policies",
    accepts=callable,
)
"""From a model, a paradigm and the fields of `Policy` by name to a policy."""
QUOTED = 4_000
"""Characters of an unreadable answer that are shown to the model again."""


@dataclass
class Decision:
    """What the model wants to do, and how it came about."""

    messages: list[Message]
    outputs: list[str] = field(default_factory=list)
    parsed: Parsed | None = None
    """The answer that the action was read from; of an unreadable step, the last one."""
    output: str = ""
    candidates: list[ScoredCandidate] = field(default_factory=list)
    chosen: int = 0
    choice: str = ""
    first_token: float | None = None

    @property
    def action(self) -> Action | None:
        return self.candidates[self.chosen].action if self.candidates else None

    @property
    def thought(self) -> str:
        if self.candidates and self.candidates[self.chosen].thought:
            return self.candidates[self.chosen].thought
        return self.parsed.reply.think if self.parsed else ""

    def logged(self, **about: Any) -> LoggedStep:
        """The record of a step: what is known about it, and this answer."""
        step = LoggedStep(
            **about,
            prediction=self.action,
            output=self.output,
            thought=self.thought,
            prompt=[(message.role, message.text) for message in self.messages],
            outputs=self.outputs,
            candidates=self.candidates if len(self.candidates) > 1 else [],
            chosen=self.chosen,
            choice=self.choice,
        )
        if self.parsed is not None:
            reply = self.parsed.reply
            step.repairs, step.problem = list(self.parsed.repairs), self.parsed.problem if self.action is None else ""
            step.named, step.plan, step.summary = list(reply.elements), reply.plan, reply.summary
        return step


def open_policy(model: Model, paradigm: Paradigm, name: str = "", **parts: Any) -> Policy:
    """The policy of that name for a model, by default the one that the model asks for itself. `parts` are `guide`,
    `ask` and `k`.
    """
    return POLICIES.get(name or model.policy)(model=model, paradigm=paradigm, **parts)


@dataclass(frozen=True)
class Policy:
    """A model under a paradigm, with its guide. Subclasses override `messages` and `complete`, or all of `decide`."""

    model: Model
    paradigm: Paradigm
    guide: Guide = field(default_factory=Guide)
    ask: Ask = Ask()  # noqa: RUF009  (frozen)
    k: int = 1
    """How many candidates are proposed: in one answer where the paradigm says so (GuidNav), else in as many samples."""

    def decide(self, situation: Situation, case: Case, seed: int | None = None) -> Decision:
        """Whatever the model writes, this does not raise: what cannot be read, twice, is a decision without action."""
        return self.decide_on(self.messages(situation, case), case, seed)

    def decide_on(self, messages: list[Message], case: Case, seed: int | None = None) -> Decision:
        """Ask, read, repair once, choose."""
        decision = Decision(messages)
        ask = replace(self.ask, seed=seed, n=1 if self.paradigm.candidates else self.k)
        read = self._read(decision, self.complete(decision.messages, ask, case), case)
        if not any(parsed.reply.action for parsed in read):
            again = self._repair(decision, read[-1].problem)
            once = replace(ask, purpose="repair", n=1)
            read = self._read(decision, self.model.complete(again, once), case)
        candidates = proposals(read)
        if candidates:
            decision.candidates, decision.chosen, decision.choice = self.guide.choose(candidates, case)
        self._settle(decision, read)
        return decision

    def messages(self, situation: Situation, case: Case) -> list[Message]:
        """The prompt of a step. A subclass may tell the model more than the situation does."""
        return self.paradigm.messages(situation)

    def complete(self, messages: Sequence[Message], ask: Ask, case: Case) -> list[Completion]:
        """The model's answers. A subclass may choose among several, or guide how they are decoded."""
        return self.model.complete(messages, ask)

    def _read(self, decision: Decision, completions: Sequence[Completion], case: Case) -> list[Parsed]:
        decision.outputs += [completion.text for completion in completions]
        if decision.first_token is None:
            decision.first_token = completions[0].first_token
        read = []
        for completion in completions:
            parsed = self.paradigm.parse(completion.text, case.screen)
            if parsed.reply.action is None and completion.finish == "length":
                cut = f"it was cut off after {completion.usage.output or self.ask.max_tokens} tokens"
                parsed = replace(parsed, problem=f"{parsed.problem}; {cut}" if parsed.problem else cut)
            read.append(parsed)
        return read

    def _repair(self, decision: Decision, problem: str) -> list[Message]:
        """One more turn, that quotes the answer and says what was wrong with it."""
        wrong = Message("assistant", (decision.outputs[-1][:QUOTED] or "…",))
        template = TEMPLATES / f"repair.{self.paradigm.language}.j2"
        return [*decision.messages, wrong, *build_messages(template, {"problem": problem.rstrip(".")})]

    @staticmethod
    def _settle(decision: Decision, read: Sequence[Parsed]) -> None:
        """Which answer the action stands in."""
        action = decision.action
        for parsed, output in zip(read, decision.outputs[-len(read) :], strict=True):
            said = {candidate.action for candidate in parsed.reply.candidates} | {parsed.reply.action}
            if action is None or action in said:
                decision.parsed, decision.output = parsed, output
                return


def proposals(read: Sequence[Parsed]) -> list[ScoredCandidate]:
    """All actions that were proposed: with stated probabilities, or as a share of the samples."""
    found = []
    for parsed in read:
        reply = parsed.reply
        if reply.candidates:
            found += [ScoredCandidate(each.action, each.thought, each.probability) for each in reply.candidates]
        elif reply.action is not None:
            found.append(ScoredCandidate(reply.action, reply.think, 1 / len(read)))
    return found
