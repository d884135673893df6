"""Searches answers to one prompt: the likeliest, its runners-up, and answers with a given action.

Runners-up branch off where the decoder was most in doubt while it wrote the first answer. Sampling would not find them:
a small model is sure of itself, and eight samples are eight times the same answer.

Forced decoding: an action that somebody else has chosen is rendered by the paradigm itself. Where a format names
elements first (BTL-UI's blink, UILoop's ui), the answer is made to begin with the element that is meant, so that the
thought fits. Up to the token that opens the action the decoder is free; from there on it can only write that action.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from saccade.actions import Action
from saccade.geometry import Box
from saccade.models.base import Ask, Usage
from saccade.paradigms.base import Paradigm, Reply
from saccade.types import Element, Screen
from saccade_mini.codec import Sheet
from saccade_mini.decode import Cache, TokenChoice, greedy
from saccade_mini.generator import VERB_FORMS, Generator, Output
from saccade_mini.slots import Slots
from saccade_mini.task_habits import FREE, ActionNames, TaskAction
from saccade_mini.token_constraints import ForcedPrefix, RunnersUp, token_tree

TRIES = 8
"""Runners-up that are written, side by side."""
LEAST = 0.01
"""The smallest probability that is stated for a candidate."""
_VERB = re.compile(rf"(?P<before>.*?)<f(?P<form>{'|'.join(map(str, VERB_FORMS))})>(?P<rest>(?P<verb>\w*).*)", re.DOTALL)
"""A compressed answer, by where its action begins."""
_CANDIDATE = re.compile(r"\s*G1: (.*)\nP1: ", re.DOTALL)
"""GuidNav's answer with one candidate."""


class Answer(NamedTuple):
    """An answer of the decoder, parsed."""

    text: str
    action: Action | None
    task_action: TaskAction | None
    probability: float
    whole: bool


class AnswerSearch:
    """One prompt while answers to it are searched."""

    def __init__(
        self, generator: Generator, paradigm: Paradigm, screen: Screen, sheet: Sheet, slots: Slots, ask: Ask
    ) -> None:
        self.generator, self.paradigm, self.screen, self.sheet, self.ask = generator, paradigm, screen, sheet, ask
        self.usage, self.prompt, self.names = Usage(), generator.prompt(sheet), ActionNames(sheet, slots)
        self._cache = Cache(generator.network, 1, len(self.prompt) + generator.room(self.prompt, ask))
        self._written, self._others = list[Answer](), self._answers()

    def answers(self) -> Iterator[Answer]:
        """The likeliest answer, then others with other actions. Each is written once, however often it is asked for."""
        yield from self._written
        for answer in self._others:
            self._written.append(answer)
            yield answer

    def _answers(self) -> Iterator[Answer]:
        runners_up = RunnersUp(self.generator.constrained(self.sheet, greedy))
        [first] = self._write(1, runners_up)
        likeliest = self._parsed(first, 1.0)
        yield likeliest
        actions = [likeliest.action]
        prefixes = list(runners_up.prefixes(self.generator.end, TRIES))
        choose = ForcedPrefix([each for _, each in prefixes], self.generator.constrained(self.sheet, greedy))
        for (probability, _), output in zip(prefixes, self._write(len(prefixes), choose), strict=True):
            other = self._parsed(output, probability)
            if other.whole and other.action and other.action not in actions:
                actions.append(other.action)
                yield other

    def forced(self, name: str, probability: float = 1.0) -> Answer | None:
        """An answer with the action of this name; None where the screen or the declared actions have none."""
        actions = self.names.actions(name, self.screen.size)
        rendered = [found for each in actions if (found := self._rendered(*each)) is not None]
        if not rendered:
            return None
        prefixes, forms, suffixes = zip(*rendered, strict=True)
        openers = {self.generator.form(forms[0]): token_tree(map(self.generator.encode, suffixes))}
        prefix = self.generator.encode(prefixes[0]) if len(rendered) == 1 else []
        choose = ForcedPrefix([prefix], self.generator.constrained(self.sheet, greedy, openers))
        [output] = self._write(1, choose)
        answer = self._parsed(output, probability)
        return answer if answer.whole and answer.task_action and answer.task_action.name == name else None

    def _rendered(self, action: Action, box: Box | None) -> tuple[str, int, str] | None:
        """An action in the paradigm's format: how the answer begins if it names the element first, the form that opens
        the action, and what follows. None where the format has no word for it or the prompt does not declare it.
        """
        named = (Element(1, box),) if box is not None else ()
        try:
            text = self.paradigm.render(Reply(action, named, think=".", plan="."), self.screen)
        except ValueError:
            return None
        found = _VERB.match(self.sheet.compress(text))
        if found is None or (self.sheet.actions and found["verb"] not in self.sheet.actions):
            return None
        pointer = re.match(r".*?<e\d+>", found["before"], re.DOTALL)
        return pointer[0] if pointer else "", int(found["form"]), found["rest"].partition(FREE)[0].removesuffix("<end>")

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
    """One GuidNav answer with several candidates, of answers with one each; empty if one is not in the format."""
    bodies = [found[1] for each in answers if (found := _CANDIDATE.match(each.text))]
    if len(bodies) < len(answers):
        return ""
    others = [min(max(each.probability, LEAST), 0.5) for each in answers[1:]]
    stated = enumerate(zip(bodies, [max(1 - sum(others), 0.5), *others], strict=True), 1)
    return "\n".join(f"G{at}: {body}\nP{at}: {probability:.2g}" for at, (body, probability) in stated)
