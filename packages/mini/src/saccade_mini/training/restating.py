"""Rows that ask for a task in its plain wording.

The prompt gives the plain wording with its slots open, and the answer fills them: which wording is meant, the intent
classifier says better. Now and then the prompt gives none, and the answer is all of it; or it gives the wording of
another task that this one could be taken for, and the answer is empty: how likely the model finds an answer then says
whether a wording fits (`task_normalizer`).
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from saccade.data.training_rows import TrainingRow
from saccade.paradigms import Paradigm
from saccade.paradigms.wording import language_of
from saccade.types import Message, Step
from saccade_mini.card import READER
from saccade_mini.codec import restate_prompt
from saccade_mini.intent_classifier import open_classifier
from saccade_mini.model import WEIGHTS
from saccade_mini.training.paraphrase import about_other_things, other_words, plain_wording, put_plainly, task_of

BARE, MISTAKEN = 0.2, 0.35
"""How often no wording is given, and how often that of another task."""


def mistaken(step: Step, wording: str, chance: random.Random) -> list[str]:
    """The plain wordings of other tasks that this one could be taken for."""
    said = other_words(step.instruction, *task_of(step), chance)
    intents = open_classifier(WEIGHTS / READER).intents(said, task_of(step)[1], least=0.0)
    return [intent.wording for intent in intents if intent.wording != wording]


def restating(step: Step, paradigm: Paradigm, count: int, seed: str) -> Iterator[TrainingRow]:
    """Rows for the task of an episode, about other things each; one row with an empty answer where it is not known."""
    wording = plain_wording(step)
    told = [put_plainly(step)]
    if wording:
        told += [about_other_things(step, random.Random(f"{seed}/{at}")) for at in range(1, count)]
    chance = random.Random(seed)
    for each in told:
        given, answer = "", each.step_instruction
        if wording and (drawn := chance.random()) >= BARE:
            given = wording
            if drawn >= 1 - MISTAKEN and (others := mistaken(step, wording, chance)):
                given, answer = chance.choice(others), ""
        prompt = restate_prompt(each.instruction, language_of(each.instruction), given)
        yield TrainingRow(f"{step.id}/restate", paradigm, [Message("user", (prompt,))], answer, each, extra=True)
