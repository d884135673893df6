"""Searches answers to one prompt: the likeliest, its runners-up, and answers with a given action.

Runners-up branch off where the decoder was most in doubt while it wrote the first answer. Sampling would not find them:
a small model is sure of itself, and eight samples are eight times the same answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from saccade.actions import Action
from saccade.models.base import Ask, Usage
from saccade.paradigms.base import Paradigm
from saccade.types import Screen
from saccade_mini.codec import Sheet
from saccade_mini.decode import Cache, TokenChoice, greedy
from saccade_mini.forced_decoding import forced_choice
from saccade_mini.generator import Generator, Output
from saccade_mini.slots import Slots
from saccade_mini.task_habits import ActionNames, TaskAction
from saccade_mini.token_constraints import ForcedPrefix, RunnersUp

TRIES = 8
"""Runners-up that are written, side by side."""
LEAST = 0.01
"""The smallest probability that is stated for a candidate."""
_CANDIDATE = re.compile(r"\s*G1: (.*)\nP1: ", re.DOTALL)
"""GuidNav's answer with one candidate."""


class Answer(NamedTuple):
    """An answer of the decoder, parsed."""

    text: str
    action: Action | None
    task_action: TaskAction | None
    probability: float
    whole: bool


@dataclass
class AnswerSearch:
    """One prompt while answers to it are searched."""

    generator: Generator
    paradigm: Paradigm
    screen: Screen
    sheet: Sheet
    slots: Slots
    ask: Ask
    usage: Usage = field(default_factory=Usage)
    prompt: list[int] = field(init=False)
    names: ActionNames = field(init=False)
    _cache: Cache = field(init=False)

    def __post_init__(self) -> None:
        self.prompt = self.generator.prompt(self.sheet)
        self.names = ActionNames(self.sheet, self.slots)
        self._cache = Cache(self.generator.network, 1, len(self.prompt) + self.generator.room(self.prompt, self.ask))

    def answers(self) -> Iterator[Answer]:
        """The likeliest answer, then others with other actions."""
        runners_up = RunnersUp(self.generator.constrained(self.sheet, greedy))
        [first] = self._write(1, runners_up)
        seen = [self._parsed(first, 1.0)]
        yield seen[0]
        prefixes = list(runners_up.prefixes(self.generator.end, TRIES))
        choose = ForcedPrefix([each for _, each in prefixes], self.generator.constrained(self.sheet, greedy))
        for (probability, _), output in zip(prefixes, self._write(len(prefixes), choose), strict=True):
            other = self._parsed(output, probability)
            if other.whole and other.action and all(other.action != each.action for each in seen):
                seen.append(other)
                yield other

    def forced(self, name: str, probability: float = 1.0) -> Answer | None:
        """An answer with the action of this name, where there is one."""
        choose = forced_choice(self.generator, self.paradigm, self.sheet, self.screen, name, self.slots)
        if choose is None:
            return None
        [output] = self._write(1, choose)
        found = self._parsed(output, probability)
        return found if found.whole and found.task_action and found.task_action.name == name else None

    def _write(self, rows: int, choose: TokenChoice) -> list[Output]:
        self._cache.length = min(self._cache.length, len(self.prompt) - 1)  # the last token gives the first logits
        fresh = len(self.prompt) - self._cache.length
        found = self.generator.write(self.prompt, rows, choose, self.ask, self._cache)
        self.usage += Usage(input=fresh, output=sum(each.count for each in found), calls=1)
        return found

    def _parsed(self, output: Output, probability: float) -> Answer:
        text = self.generator.text(self.sheet, output)
        action = self.paradigm.parse(text, self.screen).reply.action
        return Answer(text, action, self.names.of(action, self.screen.size), probability, output.whole)


def distinct(answers: Iterable[Answer | None], most: int) -> list[Answer]:
    """The first answers with different actions."""
    found: dict[Action, Answer] = {}
    for each in answers:
        if each is not None and each.action is not None:
            found.setdefault(each.action, each)
        if len(found) == most:
            break
    return list(found.values())


def joined(answers: Sequence[Answer]) -> str:
    """GuidNav answers of one candidate each as one answer of several, each with its probability; empty where one of
    them is not in the format.
    """
    bodies = [found[1] for each in answers if (found := _CANDIDATE.match(each.text))]
    if len(bodies) < len(answers):
        return ""
    others = [min(max(each.probability, LEAST), 0.5) for each in answers[1:]]
    stated = enumerate(zip(bodies, [max(1 - sum(others), 0.5), *others], strict=True), 1)
    return "\n".join(f"G{at}: {body}\nP{at}: {probability:.2g}" for at, (body, probability) in stated)
