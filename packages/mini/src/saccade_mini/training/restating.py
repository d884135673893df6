"""Rows that teach a mini to put tasks plainly.

It is told the plain wording with its slots open and fills them: which wording is meant, a reader says better
(`models.mini.reader`). Now and then it is told none and writes all of it, or the wording of another task, to which
nothing is to be answered: how likely it finds an answer then says whether the wording fits. That wording is one that
the reader could take it for, because it is between those that the mini has to choose.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

from msgspec.structs import replace as changed

from saccade.paradigms import Paradigm
from saccade.paradigms.base import Language
from saccade.paradigms.wording import language_of
from saccade.train.rows import Row
from saccade.types import Message, Step
from saccade_mini.card import READER
from saccade_mini.codec import restate_prompt
from saccade_mini.intent_classifier import Reader
from saccade_mini.model import WEIGHTS
from saccade_mini.training.paraphrase import (
    anew,
    elsewhere,
    other_wording,
    other_words,
    plain_wording,
    put_plainly,
    task_of,
)

KNOWN = 12
"""For so many tasks that can be put plainly, there is one that cannot."""
BARE, MISTAKEN = 0.2, 0.35
"""How often no wording is told, and how often that of another task."""


@cache
def shipped_reader() -> Reader | None:
    """The one that says what a task may be taken for, where the package has one."""
    file = WEIGHTS / READER
    return Reader(file) if file.is_file() else None


def mistaken(instruction: str, task: str, language: Language, wording: str, chance: random.Random) -> str:
    """The plain wording of another task that this one could be taken for, as somebody else might put it."""
    said = other_words(instruction, task, language, chance)
    reader = shipped_reader()
    found = [each.plain for each in reader.likely(said, language, least=0.0) if each.plain != wording] if reader else []
    return chance.choice(found) if found else other_wording(task, language, chance)


def restating(step: Step, paradigm: Paradigm, count: int, seed: str) -> Iterator[Row]:
    """Rows that ask to put a task plainly; to one that is not known nothing is answered."""
    known = put_plainly(step)
    told = [
        anew(step, random.Random(f"{seed}/{at}")) if at else known for at in range(count if known is not step else 1)
    ]
    chance = random.Random(f"{seed}/elsewhere")
    for _ in range(count // KNOWN):
        task = elsewhere(language_of(step.instruction), chance)
        told.append(changed(step, instruction=task, step_instruction="", tags={}, elements=[], truth=[]))
    wording, (task, language) = plain_wording(step.instruction, *task_of(step)), task_of(step)
    for each in told:
        given, answer = "", each.step_instruction
        if wording and answer and (drawn := chance.random()) >= BARE:
            given = wording
            if drawn >= 1 - MISTAKEN:
                given, answer = mistaken(step.instruction, task, language, wording, chance), ""
        prompt = restate_prompt(each.instruction, language_of(each.instruction), given)
        yield Row(f"{step.id}/restate", paradigm, [Message("user", (prompt,))], answer, each, True)
