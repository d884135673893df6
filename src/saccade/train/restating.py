"""Rows that teach a mini to put tasks plainly.

It is told the plain wording with its slots open and fills them: which wording is meant, a reader says better
(`models.mini.reader`). Now and then it is told none and writes all of it, or the wording of another task, to which
nothing is to be answered: how likely it finds an answer then says whether the wording fits.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from msgspec.structs import replace as changed

from saccade.models.mini.text import restate_prompt
from saccade.paradigms import Paradigm
from saccade.paradigms.wording import language_of
from saccade.train.paraphrase import anew, elsewhere, other_wording, plain_wording, put_plainly, task_of
from saccade.train.rows import Row
from saccade.types import Message, Step

KNOWN = 12
"""For so many tasks that can be put plainly, there is one that cannot."""
BARE, MISTAKEN = 0.2, 0.2
"""How often no wording is told, and how often that of another task."""


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
            mistaken = drawn >= 1 - MISTAKEN
            given, answer = (other_wording(task, language, chance), "") if mistaken else (wording, answer)
        prompt = restate_prompt(each.instruction, language_of(each.instruction), given)
        yield Row(f"{step.id}/restate", paradigm, [Message("user", (prompt,))], answer, each, True)
