"""The same task in other words, and about other things.

A task that is always put in the same three ways teaches a small model those ways and nothing about language. For each
task template of the phone there are a hundred more wordings in each language, with slots for what varies (`{name}`).
They serve training only: the wordings of the test split stand elsewhere, and were not seen when these were written.

And values that come again and again are learned by heart instead of being read. So what fills a slot is renamed now and
then, to words drawn from a large vocabulary, wherever it stands in the episode: task, screens, thoughts, actions.

Other rows ask for a task in its plain wording (`restating`). The prompt gives that wording with its slots open, and the
answer fills them: which wording is meant, the intent classifier says better. Now and then the prompt gives none, and
the answer is all of it; or it gives the wording of another task that this one could be taken for, and the answer is
empty: how likely the model finds an answer then says whether a wording fits (`task_normalizer`).
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path

import msgspec
from msgspec.structs import replace

from saccade.data.training_rows import TrainingRow
from saccade.paradigms import Paradigm
from saccade.paradigms.wording import language_of
from saccade.scoring.similarity import vocabulary
from saccade.types import Language, Message, Step
from saccade_mini.card import READER
from saccade_mini.codec import restate_prompt
from saccade_mini.intent_classifier import open_classifier
from saccade_mini.model import WEIGHTS
from saccade_mini.slots import DATES, FORMS, SLOT, TIMES, pattern

NAMES = frozenset(
    "name title entry_name who_name event_title mail_subject mail_name subject ware what words body note review "
    "each_text other file_name new company person_name street stranger topic place s old secret a b one two "
    "offer_name folder to listed office_p".split()
)
"""Slots that may hold any text: it is read, found again, or typed."""
FIXED = frozenset({"settings"})
"""Apps whose slots are the names of their own switches and pages."""
UPTO = {"stars": 5, "count": 12, "minutes": 90, "level": 100}
"""The largest number that makes sense in a slot."""
KEPT_BACK = 16
"""Every so many-th wording is not trained on: rows that are held back are told in these."""
BARE, MISTAKEN = 0.2, 0.35
"""Of the rows that ask for a plain wording, how many give none, and how many that of another task."""


class Ways(msgspec.Struct, frozen=True):
    """The wordings of a task in one language: those of recordings, the plainest first, and more."""

    known: tuple[str, ...]
    more: tuple[str, ...]


class Wording(msgspec.Struct, frozen=True):
    """A task's wordings in both languages. A task with two sides (on and off) has two of these."""

    task: str
    en: Ways
    zh: Ways

    def ways(self, language: Language) -> Ways:
        return self.zh if language == "zh" else self.en


@cache
def words(language: Language) -> tuple[str, ...]:
    """English words, or single Chinese characters."""
    form = re.compile("[一-鿿]" if language == "zh" else "[A-Za-z]{3,9}")
    return tuple(sorted(filter(form.fullmatch, vocabulary())))


@cache
def wordings() -> dict[str, list[Wording]]:
    """All wordings, by task."""
    found: dict[str, list[Wording]] = {}
    for file in sorted(Path(__file__).with_name("paraphrases").glob("*.json")):
        for wording in msgspec.json.decode(file.read_bytes(), type=list[Wording]):
            found.setdefault(wording.task, []).append(wording)
    return found


@cache
def slots_of(way: str) -> set[str]:
    return set(SLOT.findall(way))


def task_of(step: Step) -> tuple[str, Language]:
    """The task template and the language of a recorded step."""
    return step.tags.get("task", ""), "zh" if step.tags.get("language") == "zh" else "en"


def read_slots(instruction: str, task: str, language: Language) -> tuple[Ways, dict[str, str]] | None:
    """The wordings of a task, and what fills their slots in this instruction; None where it is in none of them."""
    for wording in wordings().get(task, ()):
        ways = wording.ways(language)
        for way in ways.known:
            if (found := pattern(way).match(instruction)) is not None:
                return ways, found.groupdict()
    return None


def other_words(instruction: str, task: str, language: Language, chance: random.Random, held: bool = False) -> str:
    """Another wording of an instruction, of those trained on or of those held back; the same where none is known."""
    if (read := read_slots(instruction, task, language)) is None:
        return instruction
    ways, slots = read
    able = fitting(ways, frozenset(slots), held)
    return chance.choice(able).format(**slots) if able else instruction


@lru_cache(maxsize=4096)
def fitting(ways: Ways, slots: frozenset[str], held: bool) -> tuple[str, ...]:
    """The other wordings that these slots can fill, of those that are trained on or of those that are held back."""
    return tuple(more for at, more in enumerate(ways.more) if (at % KEPT_BACK == 0) == held and slots_of(more) <= slots)


def plain_wording(step: Step) -> tuple[str, dict[str, str]]:
    """The plainest wording of a recorded task with its slots open, and what fills them; empty where it is not known."""
    ways, slots = read_slots(step.instruction, *task_of(step)) or (None, {})
    return (ways.known[0], slots) if ways and slots_of(ways.known[0]) <= slots.keys() else ("", slots)


def put_plainly(step: Step) -> Step:
    """A step with its task in the plainest wording besides, where that is known."""
    plain, slots = plain_wording(step)
    return replace(step, step_instruction=plain.format(**slots)) if plain else step


def about_other_things(step: Step, chance: random.Random) -> Step:
    """A task of the same kind about other things, in its plainest wording, without its screen: whatever fills a slot is
    drawn, so that nothing but reading tells what it is.
    """
    wording, slots = plain_wording(step)
    plain = wording.format(**{slot: other_value(slot, value, chance) for slot, value in slots.items()})
    bare = replace(step, elements=[], key_elements=None, truth=[], prediction=None)
    return replace(bare, instruction=plain, step_instruction=plain)


def other_value(slot: str, value: str, chance: random.Random) -> str:
    """Something else that could fill a slot: a time, a date, a number, or a name of the same shape."""
    if slot in TIMES or re.fullmatch(FORMS["time"], value):
        return f"{chance.randrange(24):02}:{chance.randrange(0, 60, 5):02}"
    if slot in DATES:
        return re.sub(r"\d+(?=日|$)", str(chance.randint(1, 28)), value)
    if slot in UPTO:
        return str(chance.randint(1, UPTO[slot]))
    if re.fullmatch(r"[\d-]{4,}", value):
        return re.sub(r"\d", lambda _: str(chance.randrange(10)), value)
    return other_name(value, chance) if slot in NAMES else value


def other_name(value: str, chance: random.Random) -> str:
    """Words as many, of the same script and case; what a file ends with stays."""
    stem, dot, ending = value.rpartition(".")
    if dot and ending.isalnum() and 2 <= len(ending) <= 4:
        return other_name(stem, chance) + dot + ending
    if re.search("[一-鿿]", value):
        return re.sub("[一-鿿]", lambda _: chance.choice(words("zh")), value)
    drawn = ((word, chance.choice(words("en"))) for word in value.split(" "))
    cased = ((word, new.capitalize() if word[:1].isupper() else new) for word, new in drawn)
    return " ".join(word if re.search(r"\d", word) else new for word, new in cased)


def renamed(steps: Sequence[Step], chance: random.Random) -> list[Step]:
    """An episode about other things: the texts of its slots are replaced throughout."""
    task, language = task_of(steps[0])
    read = read_slots(steps[0].instruction, task, language)
    if read is None or task.partition(".")[0] in FIXED:
        return list(steps)
    text = msgspec.json.encode(list(steps)).decode()
    for slot, value in sorted(read[1].items(), key=lambda pair: -len(pair[1])):
        if slot in NAMES and len(value) >= 2:
            old, new = (msgspec.json.encode(each).decode()[1:-1] for each in (value, other_name(value, chance)))
            text = text.replace(old, new)
    return msgspec.json.decode(text, type=list[Step])


def mistaken(step: Step, wording: str, chance: random.Random) -> list[str]:
    """The plain wordings of other tasks that this one could be taken for."""
    said = other_words(step.instruction, *task_of(step), chance)
    intents = open_classifier(WEIGHTS / READER).intents(said, task_of(step)[1], least=0.0)
    return [intent.wording for intent in intents if intent.wording != wording]


def restating(step: Step, paradigm: Paradigm, count: int, seed: str) -> Iterator[TrainingRow]:
    """Rows for the task of an episode, about other things each; one row with an empty answer where it is not known."""
    wording, _ = plain_wording(step)
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
