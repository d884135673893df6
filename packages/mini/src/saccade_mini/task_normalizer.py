"""Putting a task plainly: in words of the training, before the mini acts on it.

The reader says which of the plain wordings a task may mean, the decoder fills each one's slots with words of the task
(`copying`), the edges find other places that may fill them, and the likeliest of all is taken.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from saccade.models.base import Ask, Usage
from saccade_mini.codec import Sheet, restate_prompt
from saccade_mini.decode import Weighed, chooser
from saccade_mini.generator import Writer
from saccade_mini.intent_classifier import Choice, Reader
from saccade_mini.next_action_model import Routine
from saccade_mini.paraphrase_check import Guess, against, ranked
from saccade_mini.slot_decoding import Copying, Wording, bytes_of
from saccade_mini.slot_spans import Places
from saccade_mini.slots import filled, joined, odd, torn
from saccade_mini.task_habits import Known, Slots

RESTATED = 96
"""Tokens of a task that is put plainly."""
DOUBTFUL = -5.0
"""Less likely slots are filled once more without the rule about quotations."""
FILLING, UNREAD = 0.3, -10.0
"""How much it counts how likely the decoder finds what fills a wording's slots, beside how likely the reader finds the
wording, and how unlikely is too unlikely to count more: the decoder is too sure of what it has not read. These and the
next were chosen on 600 wordings that were not trained on (docs/RESULTS.md).
"""
FREE, UNTOLD = 0.4, -4.0
"""The same for how likely the decoder finds all of it, when it was not told the wording."""
AROUND, ODD_PLACE = 0.4, -9.0
"""The same for how well what fills the slots stands where it stands (`edges`)."""
TRIED, WEIGHED = 6, 6
"""Ways to fill a wording's slots that are tried beside the decoder's own; the best of all are weighed once more."""
REMEMBERED = 512
"""Tasks of which it is remembered."""


class Told(NamedTuple):
    """What a task that was put plainly speaks of, what the apps are called that it needs, and what is done in them."""

    slots: Slots = {}  # noqa: RUF012  (nobody changes it)
    apps: Sequence[str] = ()
    doing: Known = {}  # noqa: RUF012
    wording: str = ""
    """The plain one, with its slots open."""


class Reading(NamedTuple):
    """One way to understand a task."""

    text: str
    chance: float
    """How likely it is beside the likeliest."""


class Plainly:
    """Puts tasks plainly, each once. Without a reader, the decoder writes all of it."""

    def __init__(self, writer: Writer, reader: Reader | None) -> None:
        self._writer, self._reader = writer, reader
        tokens = map(writer.tokenizer.id_to_token, range(writer.card.vocabulary))
        self._texts = [bytes_of(token) if token else None for token in tokens]
        self._plain: dict[tuple[str, str], list[Reading]] = {}
        """Tasks of each language, put plainly, in all ways that may be meant, the likeliest first."""
        self._now = ("", "")
        """The task of the last prompt."""
        self._told: dict[str, Told] = {}
        """What else is known of a task that was put plainly."""

    def add_to(self, sheet: Sheet, deadline: float) -> Usage:
        """Tell the task plainly besides, unless the prompt does already."""
        task = sheet.part("task")
        if not self._writer.card.restates or not task or any(part == "step" for part, _ in sheet.parts):
            self._now = ("", "")
            return Usage()
        key, usage = (sheet.language, task), Usage()
        if key not in self._plain:
            if len(self._plain) >= REMEMBERED:
                self._plain.clear()
                self._told.clear()
            guesses, usage = self._put(task, sheet.language, Ask(deadline=deadline))
            costs = [against(task, each) for each in guesses]
            self._plain[key] = [
                Reading(each.text, math.exp(costs[0] - cost)) for each, cost in zip(guesses, costs, strict=True)
            ]
        self._now = key
        sheet.parts = self.read(sheet, 0).parts
        return usage

    def read(self, sheet: Sheet, at: int) -> Sheet:
        """The same prompt with its task, which is that of the last one, understood in one of the ways it may be."""
        if self._now not in self._plain:
            return sheet
        parts = [(part, text) for part, text in sheet.parts if part != "step"]
        if readings := self._plain[self._now][at:]:
            parts.insert([part for part, _ in parts].index("task") + 1, ("step", readings[0].text))
        return replace(sheet, parts=parts)

    def chance(self, at: int) -> float:
        """How likely a reading of the last prompt's task is beside the first; 0 where there are not so many."""
        readings = self._plain.get(self._now, [])
        return readings[at].chance if at < len(readings) else 0.0

    def text(self, at: int) -> str:
        """A reading of the last prompt's task; the task itself where there are not so many."""
        readings = self._plain.get(self._now, [])
        return readings[at].text if at < len(readings) else self._now[1]

    @property
    def language(self) -> str:
        """Of the last prompt's task."""
        return self._now[0] or "en"

    def wording(self, at: int) -> str:
        """The plain wording of a reading, with its slots open."""
        return self._told.get(self.text(at), Told()).wording

    @property
    def apps(self) -> set[str]:
        """What all apps are called that known tasks need."""
        return {name for names in self._reader.apps.values() for name in names} if self._reader else set()

    @property
    def routine(self) -> Routine | None:
        """What says what known tasks do next."""
        return self._reader.routine if self._reader else None

    def drop(self, sheet: Sheet) -> None:
        """It was none of the known tasks after all."""
        self._plain[sheet.language, sheet.part("task")] = []
        sheet.parts = [(part, text) for part, text in sheet.parts if part != "step"]

    def told(self, sheet: Sheet) -> Told:
        """What is known of a prompt's task."""
        return self._told.get(sheet.part("step"), Told())

    def _put(self, task: str, language: str, ask: Ask) -> tuple[list[Guess], Usage]:
        """A task in words of the training, the likeliest first; nothing if it is not one of those."""
        asked, began, writer = Sheet.read(restate_prompt(task, language)), time.monotonic(), self._writer
        prompt = writer.prompt(asked)
        if self._reader is None:
            _, [answer] = writer.write(asked, prompt, 1, RESTATED, chooser(0.0, 1.0, None), ask, began)
            line = writer.line(answer)
            return [Guess(line, 0.0)] if line else [], Usage(input=len(prompt), output=answer.count, calls=1)
        guesses: list[Guess] = []
        usage = Usage()
        for choice in self._reader.likely(task, language):
            if writer.card.fills:
                asked = Sheet.read(restate_prompt(task, language, choice.plain))
                prompt = writer.prompt(asked)
            texts, spent = self._fillings(choice.plain, task, asked, prompt, ask, began)
            usage += spent
            places = None
            if self._reader.edges is not None and time.monotonic() - began < ask.deadline:
                places = self._reader.edges.read(choice.plain, task, language)
                able = (" ".join(each.text.split()) for each in places.fill(TRIED))
                tried = list(dict.fromkeys([*texts, *able]))
                texts = dict(zip(tried, writer.likely(prompt, tried), strict=True))
                usage += Usage(input=len(prompt), calls=1)
            guesses += [guess_of(task, text, choice, written, places) for text, written in texts.items()]
            apps, doing = self._reader.apps.get(choice.plain, []), self._reader.doing.get(choice.plain, {})
            self._told |= {text: Told(filled(choice.plain, text), apps, doing, choice.plain) for text in texts}
        guesses = ranked(task, guesses)[:WEIGHED]
        if len(guesses) > 1 and time.monotonic() - began < ask.deadline:
            prompt = writer.prompt(Sheet.read(restate_prompt(task, language)))
            free = writer.likely(prompt, [one.text for one in guesses])
            guesses = [
                one._replace(likely=one.likely + FREE * max(each, UNTOLD))
                for one, each in zip(guesses, free, strict=True)
            ]
            usage += Usage(input=len(prompt), calls=1)
        return ranked(task, guesses), usage

    def _fillings(self, plain: str, task: str, asked: Sheet, prompt: list[int], ask: Ask, began: float
                  ) -> tuple[dict[str, float], Usage]:  # fmt: skip
        """How the decoder fills a wording's slots, and the logarithm of how likely it finds that."""
        texts: dict[str, float] = {}
        usage = Usage()
        for quoting in (True, False):
            copying = Copying(Wording(plain, task, quoting), self._texts, self._writer.end)
            weighed = Weighed(copying)
            _, [answer] = self._writer.write(asked, prompt, 1, RESTATED, weighed, ask, began)
            usage += Usage(input=len(prompt), output=answer.count, calls=1)
            written = weighed.likely(answer.count)
            if copying.whole():
                texts[self._writer.line(answer)] = written
            if written > DOUBTFUL:
                break
        return texts, usage


def guess_of(task: str, text: str, choice: Choice, written: float, places: Places | None) -> Guess:
    """A filled wording, weighed by the reader, by the decoder that was told it, and by the edges if they were asked."""
    likely = choice.likely + FILLING * max(written, UNREAD)
    if places is not None and (slots := filled(choice.plain, text)):
        likely += AROUND * max(places.likely(slots), ODD_PLACE)
    faults = odd(choice.plain, text) + torn(choice.plain, text, task)
    return Guess(text, likely, faults, joined(choice.plain, text, task))
