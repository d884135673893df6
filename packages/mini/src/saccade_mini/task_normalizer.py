"""Restates an instruction in a wording that the mini was trained on, before it acts.

The intent classifier proposes known wordings, the slot spans propose texts for their slots, and the decoder says how
likely each result is, once told the wording and once not. Each of the three counts down to a floor, so that none of
them can rule out what the others are sure of. A pure function of the instruction; results are cached.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple

from saccade.models.base import Usage
from saccade_mini.codec import Sheet, restate_prompt
from saccade_mini.generator import Generator
from saccade_mini.intent_classifier import IntentClassifier
from saccade_mini.slot_spans import fill
from saccade_mini.slots import Slots, torn

TOLD, TOLD_FLOOR = 0.3, -10.0
"""Weight and floor of the decoder's log-likelihood when it is told the wording: it is too sure of what it has not read.
These and the next were chosen on 600 wordings that were not trained on.
"""
UNTOLD, UNTOLD_FLOOR = 0.4, -4.0
"""The same when it is not told the wording."""
SPANS, SPANS_FLOOR = 0.4, -9.0
"""The same for the log-probability of the slot spans."""
TORN = 2.0
"""What each slot text counts against a reading that begins or ends within a Chinese word."""
FILLINGS, READINGS = 6, 6
"""Ways to fill each wording's slots, and readings of a task that are kept."""
CACHED = 512


class TaskReading(NamedTuple):
    """One way to understand an instruction."""

    text: str = ""
    """The instruction in a known wording; empty where it is no known task."""
    probability: float = 1.0
    """Beside the likeliest reading."""
    slots: Slots = {}  # noqa: RUF012  (nobody changes it)
    wording: str = ""
    actions: Collection[str] = ()
    """Names of what tasks of this wording do (`task_habits`)."""


class TaskNormalizer:
    """Finds the readings of instructions."""

    def __init__(self, generator: Generator, classifier: IntentClassifier) -> None:
        self._generator, self._classifier = generator, classifier
        self._cache: dict[tuple[str, str], list[TaskReading]] = {}

    def readings(self, instruction: str, language: str) -> tuple[list[TaskReading], Usage]:
        """What an instruction may mean, the likeliest first (of an unknown task one empty reading), and the cost."""
        key = (language, " ".join(instruction.split()))
        if key in self._cache:
            return self._cache[key], Usage()
        if len(self._cache) >= CACHED:
            self._cache.clear()
        self._cache[key], usage = self._read(key[1], language)
        return self._cache[key], usage

    def _read(self, task: str, language: str) -> tuple[list[TaskReading], Usage]:
        found: dict[str, TaskReading] = {}
        usage = Usage()
        for intent in self._classifier.intents(task, language):
            fillings = self._classifier.spans.fillings(intent.wording, task, language, FILLINGS)
            ways = {" ".join(fill(intent.wording, each.slots).split()): each for each in fillings}
            told, usage = self._likelihoods(restate_prompt(task, language, intent.wording), list(ways), usage)
            actions = self._classifier.habits.get(intent.wording, ())
            for (text, way), likely in zip(ways.items(), told, strict=True):
                score = intent.log_probability + TOLD * max(likely, TOLD_FLOOR)
                score += SPANS * max(way.log_probability, SPANS_FLOOR) if way.slots else 0.0
                score -= TORN * torn(way.slots, task)
                if text not in found or found[text].probability < score:
                    found[text] = TaskReading(text, score, way.slots, intent.wording, actions)
        best = sorted(found.values(), key=lambda each: -each.probability)[:READINGS]
        untold, usage = self._likelihoods(restate_prompt(task, language), [each.text for each in best], usage)
        scored = [
            each._replace(probability=each.probability + UNTOLD * max(likely, UNTOLD_FLOOR))
            for each, likely in zip(best, untold, strict=True)
        ]
        scored.sort(key=lambda each: -each.probability)
        top = scored[0].probability if scored else 0.0
        readings = [each._replace(probability=math.exp(each.probability - top)) for each in scored]
        return readings or [TaskReading()], usage

    def _likelihoods(self, prompt: str, texts: list[str], usage: Usage) -> tuple[list[float], Usage]:
        tokens = self._generator.prompt(Sheet.read(prompt))
        found = self._generator.log_likelihoods(tokens, texts)
        return found, usage + Usage(input=len(tokens), calls=1) if texts else usage
