"""Rows that ask for a task in its plain wording.

The prompt gives the plain wording with its slots open, and the answer fills them: which wording is meant, the intent
classifier says better. Now and then the prompt gives none, and the answer is all of it; or it gives the wording of
another task that this one could be taken for, and the answer is empty: how likely the model finds an answer then says
whether a wording fits (`task_normalizer`).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

from msgspec.structs import replace

from saccade.paradigms import Paradigm
from saccade.paradigms.wording import language_of
from saccade.train.rows import TrainingRow
from saccade.types import Language, Message, Step
from saccade_mini.card import READER
from saccade_mini.codec import restate_prompt
from saccade_mini.intent_classifier import IntentClassifier
from saccade_mini.model import WEIGHTS
from saccade_mini.training.paraphrase import (
    about_other_things,
    elsewhere,
    other_words,
    plain_wording,
    put_plainly,
    task_of,
    wordings,
)

KNOWN = 12
"""For so many rows about known tasks there is one about an unknown task."""
BARE, MISTAKEN = 0.2, 0.35
"""How often no wording is given, and how often that of another task."""


@cache
def shipped_classifier() -> IntentClassifier | None:
    """The intent classifier that ships, where the package has one."""
    file = WEIGHTS / READER
    return IntentClassifier(file) if file.is_file() else None


def mistaken_wording(instruction: str, task: str, language: Language, wording: str, chance: random.Random) -> str:
    """The plain wording of another task that this one could be taken for."""
    said = other_words(instruction, task, language, chance)
    classifier = shipped_classifier()
    intents = classifier.intents(said, language, least=0.0) if classifier else []
    found = [each.wording for each in intents if each.wording != wording]
    others = found or [each[0].ways(language).known[0] for name, each in sorted(wordings().items()) if name != task]
    return chance.choice(others)


def restating(step: Step, paradigm: Paradigm, count: int, seed: str) -> Iterator[TrainingRow]:
    """Rows for the task of an episode; one row with an empty answer where the task is not known."""
    known = put_plainly(step)
    told = [known]
    if known is not step:
        told += [about_other_things(step, random.Random(f"{seed}/{at}")) for at in range(1, count)]
    chance = random.Random(f"{seed}/elsewhere")
    for _ in range(count // KNOWN):
        task = elsewhere(language_of(step.instruction), chance)
        told.append(replace(step, instruction=task, step_instruction="", tags={}, elements=[], truth=[]))
    wording, (task, language) = plain_wording(step.instruction, *task_of(step)), task_of(step)
    for each in told:
        given, answer = "", each.step_instruction
        if wording and answer and (drawn := chance.random()) >= BARE:
            given = wording
            if drawn >= 1 - MISTAKEN:
                given, answer = mistaken_wording(step.instruction, task, language, wording, chance), ""
        prompt = restate_prompt(each.instruction, language_of(each.instruction), given)
        yield TrainingRow(f"{step.id}/restate", paradigm, [Message("user", (prompt,))], answer, each, extra=True)
