"""The same task in other words, and about other things.

A task that is always put in the same three ways teaches a small model those ways and nothing about language. For each
task template of the phone there are a hundred more wordings in each language, with slots for what varies (`{name}`).
They serve training only: the wordings of the test split stand elsewhere, and were not seen when these were written.

And values that come again and again are learned by heart instead of being read. So what fills a slot is renamed now and
then, to words drawn from a large vocabulary, wherever it stands in the episode: task, screens, thoughts, actions.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from saccade.scoring.similarity import vocabulary
from saccade.types import Language, Step
from saccade_mini.slots import DATES, FORMS, SLOT, TIMES, pattern

FOLDER = Path(__file__).parent / "paraphrases"
ELSEWHERE = FOLDER / "other" / "elsewhere.json"
"""Tasks of apps that the phone does not have."""
NAMES = frozenset(
    "name title entry_name who_name event_title mail_subject mail_name subject ware what words body note review "
    "each_text other file_name new company person_name street stranger topic place s old secret a b one two "
    "offer_name folder to listed office_p".split()
)
"""Slots that may hold any text: it is read, found again, or typed."""
FIXED = frozenset({"settings"})
"""Apps whose slots are the names of their own switches and pages."""
PHRASES = frozenset("en zh verb ask frage before ahead kind said label why how region words line_count".split())
"""Slots that are a part of the sentence, and stay as they are."""
UPTO = {"stars": 5, "count": 12, "minutes": 90, "level": 100}
"""The largest number that makes sense in a slot."""
LONGEST_NAME = 5
"""Words, or pairs of characters, of a made-up name."""
KEPT_BACK = 16
"""Every so many-th wording is not trained on: rows that are held back are told in these."""
WORD_LOSS, LOST = 0.4, 0.1
"""How often an instruction loses words, and how likely each of them then is: no word is to be the only hint."""
LANGUAGES: tuple[Language, ...] = ("en", "zh")
_WORD = re.compile(r"[A-Za-z']+ ?|[一-鿿]")


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


class LabelledWording(NamedTuple):
    """A wording with its slots open, which task it means, and that task's plain wording."""

    text: str
    language: Language
    task: int
    plain: str


@cache
def words(language: Language) -> tuple[str, ...]:
    """English words, or single Chinese characters."""
    if language == "zh":
        return tuple(sorted(word for word in vocabulary() if len(word) == 1 and "一" <= word <= "鿿"))
    return tuple(sorted(word for word in vocabulary() if word.isascii() and word.isalpha() and 3 <= len(word) <= 9))


@cache
def wordings() -> dict[str, list[Wording]]:
    """All wordings, by task."""
    found: dict[str, list[Wording]] = {}
    for file in sorted(FOLDER.glob("*.json")):
        for wording in msgspec.json.decode(file.read_bytes(), type=list[Wording]):
            found.setdefault(wording.task, []).append(wording)
    return found


@cache
def unknown_tasks() -> dict[Language, list[str]]:
    found: dict[Language, list[str]] = msgspec.json.decode(ELSEWHERE.read_bytes())
    return found


def elsewhere(language: Language, chance: random.Random) -> str:
    """A task of an app that the phone does not have, about things that are made up."""
    like = "名" if language == "zh" else "Name"
    return chance.choice(unknown_tasks()[language]).format(x=made_up(like, chance), y=made_up(like, chance))


def labelled_wordings(unknown: int) -> tuple[list[LabelledWording], list[LabelledWording]]:
    """Wordings of all tasks, to train on and to measure on. The last task stands for unknown ones, of which `unknown`
    are drawn in each language; its plain wording is empty.
    """
    chance = random.Random(0)
    known = [wording for _, found in sorted(wordings().items()) for wording in found]
    train: list[LabelledWording] = []
    held: list[LabelledWording] = []
    for language in LANGUAGES:
        for task, ways in enumerate(wording.ways(language) for wording in known):
            train += [LabelledWording(way, language, task, ways.known[0]) for way in ways.known]
            for at, way in enumerate(ways.more):
                (train if at % KEPT_BACK else held).append(LabelledWording(way, language, task, ways.known[0]))
        train += [LabelledWording(elsewhere(language, chance), language, len(known), "") for _ in range(unknown)]
    return train, held


def read_slots(instruction: str, task: str, language: Language) -> tuple[Ways, dict[str, str]] | None:
    """The wordings of a task, and what fills their slots in this instruction; None where that is not certain."""
    for wording in wordings().get(task, ()):
        ways = wording.ways(language)
        for way in ways.known:
            if (found := pattern(way).match(instruction)) is not None and clear(way):
                return ways, found.groupdict()
    return None


def clear(way: str) -> bool:
    """Is it certain where each slot ends? Of two in a row one must have a known form."""
    pairs = re.findall(r"\{(\w+)\}(?=\{(\w+)\})", way)
    return all(first in FORMS or second in FORMS for first, second in pairs)


def other_words(instruction: str, task: str, language: Language, chance: random.Random, held: bool = False) -> str:
    """Another wording of an instruction, of those that are trained on or those that are held back; the same one where
    none is known.
    """
    if (read := read_slots(instruction, task, language)) is None:
        return instruction
    ways, slots = read
    able = fitting(ways, frozenset(slots), held)
    if not able:
        return instruction
    way = chance.choice(able)
    return (way if held or chance.random() >= WORD_LOSS else without_words(way, chance)).format(**slots)


@lru_cache(maxsize=4096)
def fitting(ways: Ways, slots: frozenset[str], held: bool) -> tuple[str, ...]:
    """The other wordings that these slots can fill, of those that are trained on or of those that are held back."""
    return tuple(more for at, more in enumerate(ways.more) if (at % KEPT_BACK == 0) == held and slots_of(more) <= slots)


def plain_wording(instruction: str, task: str, language: Language) -> str:
    """The plainest wording of a task with its slots open; nothing where it is not known."""
    read = read_slots(instruction, task, language)
    return read[0].known[0] if read and slots_of(read[0].known[0]) <= read[1].keys() else ""


def about_other_things(step: Step, chance: random.Random) -> Step:
    """A task of the same kind about other things, in its plainest wording as well, without its screen: whatever fills a
    slot is drawn, so that nothing but reading tells what it is.
    """
    bare = replace(step, elements=[], key_elements=None, truth=[], prediction=None)
    if (read := read_slots(step.instruction, *task_of(step))) is None:
        return bare
    ways, slots = read
    drawn = {slot: other_value(slot, value, chance) for slot, value in slots.items()}
    able = [way for way in ways.known if slots_of(way) <= drawn.keys()]
    plain = ways.known[0] if ways.known[0] in able else able[0]
    return replace(bare, instruction=chance.choice(able).format(**drawn), step_instruction=plain.format(**drawn))


def other_value(slot: str, value: str, chance: random.Random) -> str:
    """Something else that could fill a slot: a time, a date, a number, or a name of any shape."""
    if slot in TIMES or re.fullmatch(FORMS["time"], value):
        return f"{chance.randrange(24):02}:{chance.randrange(0, 60, 5):02}"
    if slot in DATES:
        return re.sub(r"\d+(?=日|$)", str(chance.randint(1, 28)), value)
    if slot in UPTO:
        return str(chance.randint(1, UPTO[slot]))
    if re.fullmatch(r"[\d-]{4,}", value):
        return re.sub(r"\d", lambda _: str(chance.randrange(10)), value)
    if slot in PHRASES or chance.random() < 0.2:
        return value
    return other_name(value, chance) if chance.random() < 0.4 else made_up(value, chance)


def filled(way: str, language: Language, chance: random.Random) -> str:
    """A wording about something: its slots hold what might stand there. Parts of the sentence are left out."""
    like = ("名", "7月1日") if language == "zh" else ("Name", "July 1")
    values = {slot: "" if slot in PHRASES else other_value(slot, like[slot in DATES], chance) for slot in slots_of(way)}
    return way.format(**values)


def made_up(like: str, chance: random.Random) -> str:
    """A name of any length, in the script of another; now and then with a number."""
    count = chance.randint(1, LONGEST_NAME)
    if any("一" <= letter <= "鿿" for letter in like):
        name = "".join(chance.choices(words("zh"), k=chance.randint(2, 2 * LONGEST_NAME)))
    else:
        drawn = chance.choices(words("en"), k=count)
        name = " ".join(word.capitalize() if at == 0 or count < 3 else word for at, word in enumerate(drawn))
    return f"{name}{chance.choice(['', ' '])}{chance.randrange(100)}" if chance.random() < 0.1 else name


@cache
def slots_of(way: str) -> set[str]:
    return set(SLOT.findall(way))


def without_words(way: str, chance: random.Random) -> str:
    """A wording without some of its words, its slots untouched."""
    pieces = re.split(r"(\{\w+\})", way)
    pieces[::2] = (_WORD.sub(lambda word: "" if chance.random() < LOST else word[0], piece) for piece in pieces[::2])
    return "".join(pieces)


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


def other_name(value: str, chance: random.Random) -> str:
    """Words as long and as many, of the same script; what a file ends with stays."""
    stem, dot, ending = value.rpartition(".")
    if dot and ending.isalnum() and 2 <= len(ending) <= 4:
        return other_name(stem, chance) + dot + ending
    chinese, english = words("zh"), words("en")
    if any("一" <= letter <= "鿿" for letter in value):
        return "".join(chance.choice(chinese) if "一" <= letter <= "鿿" else letter for letter in value)
    return " ".join(
        word if any(letter.isdigit() for letter in word) else _cased(chance.choice(english), word)
        for word in value.split(" ")
    )


def _cased(word: str, like: str) -> str:
    return word.capitalize() if like[:1].isupper() else word


def task_of(step: Step) -> tuple[str, Language]:
    """The task template and the language of a recorded step."""
    return step.tags.get("task", ""), "zh" if step.tags.get("language") == "zh" else "en"


def in_other_words(steps: Sequence[Step], share: float, chance: random.Random) -> list[Step]:
    """An episode whose task is put in other words, as often as `share` says."""
    if not steps or chance.random() >= share:
        return list(steps)
    first = steps[0].instruction
    said = other_words(first, *task_of(steps[0]), chance)
    return [replace(step, instruction=said) if step.instruction == first else step for step in steps]


def put_plainly(step: Step) -> Step:
    """A step with its task in the plainest wording besides, where that is known."""
    if (read := read_slots(step.instruction, *task_of(step))) is None:
        return step
    plain, slots = read[0].known[0], read[1]
    return replace(
        step, step_instruction=plain.format(**slots) if slots_of(plain) <= slots.keys() else step.instruction
    )
