"""The same task in other words, and about other things.

A task that is always put in the same three ways teaches a small model those ways and nothing about language. For each
template of the phone there are a hundred more wordings in each language, with slots for what varies (`{name}`). They
serve training only: the wordings of the test split stand elsewhere and were not seen when these were written.

And values that come again and again are learned by heart instead of being read. So what fills a slot is renamed now
and then, to words drawn from a large vocabulary, wherever it stands in the episode: task, screens, thoughts, actions.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

import msgspec
from msgspec.structs import replace

from saccade.paradigms.base import Language
from saccade.types import Step
from saccade_mini.slots import DATES, FORMS, SLOT, TIMES, pattern
from saccade_mini.training.drills import words

FOLDER = Path(__file__).parent / "paraphrases"
ELSEWHERE = FOLDER / "other" / "elsewhere.json"
"""Tasks of apps that the phone does not have: there is nothing to put plainly."""
NAMES = frozenset(
    "name title entry_name who_name event_title mail_subject mail_name subject ware what words body note review "
    "each_text other file_name new company person_name street stranger topic place s old secret a b one two "
    "offer_name folder to listed office_p".split()
)
"""Slots whose value may be anything: it is read, found again, or typed."""
FIXED = frozenset({"settings"})
"""Apps whose slots are the names of their own switches and pages."""
PHRASES = frozenset("en zh verb ask frage before ahead kind said label why how region words line_count".split())
"""Slots that are a part of the sentence: they stay as they are."""
UPTO = {"stars": 5, "count": 12, "minutes": 90, "level": 100}
"""Numbers that make sense."""
LONGEST_NAME = 5
"""Words, or pairs of characters, of a name that is made up."""
KEPT_BACK = 16
"""Every so many-th of the other wordings is not trained on: what was held back is told in these."""
WORN, LOST = 0.4, 0.1
"""How often an instruction is worn, and how likely each of its words is then lost: no word is to be the only hint."""
_WORD = re.compile(r"[A-Za-z']+ ?|[一-鿿]")


class Ways(msgspec.Struct, frozen=True):
    """Of one language: how a task is put in recordings, and how it may be put as well."""

    known: tuple[str, ...]
    more: tuple[str, ...]


class Wording(msgspec.Struct, frozen=True):
    """A task's wordings. A task with two sides (on and off) has two of these."""

    task: str
    en: Ways
    zh: Ways

    def ways(self, language: Language) -> Ways:
        return self.zh if language == "zh" else self.en


@cache
def wordings() -> dict[str, list[Wording]]:
    """All that ship, by task."""
    found: dict[str, list[Wording]] = {}
    for file in sorted(FOLDER.glob("*.json")):
        for wording in msgspec.json.decode(file.read_bytes(), type=list[Wording]):
            found.setdefault(wording.task, []).append(wording)
    return found


@cache
def _elsewhere() -> dict[Language, list[str]]:
    found: dict[Language, list[str]] = msgspec.json.decode(ELSEWHERE.read_bytes())
    return found


def elsewhere(language: Language, chance: random.Random) -> str:
    """A task of an app that the phone does not have, about things that are made up."""
    like = "名" if language == "zh" else "Name"
    return chance.choice(_elsewhere()[language]).format(x=made_up(like, chance), y=made_up(like, chance))


def read_slots(instruction: str, task: str, language: Language) -> tuple[Ways, dict[str, str]] | None:
    """The wordings of a task, and what fills their slots in this instruction; None where that is not certain."""
    for wording in wordings().get(task, ()):
        ways = wording.ways(language)
        for way in ways.known:
            if (found := pattern(way).match(instruction)) is not None and clear(way):
                return ways, found.groupdict()
    return None


def clear(way: str) -> bool:
    """Can it be told where each slot ends? Two in a row need one of a known form."""
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
    return (way if held or chance.random() >= WORN else worn(way, chance)).format(**slots)


@lru_cache(maxsize=4096)
def fitting(ways: Ways, slots: frozenset[str], held: bool) -> tuple[str, ...]:
    """The other wordings that these slots can fill, of those that are trained on or of those that are held back."""
    return tuple(more for at, more in enumerate(ways.more) if (at % KEPT_BACK == 0) == held and slots_of(more) <= slots)


def plainly(instruction: str, task: str, language: Language) -> str:
    """The plainest wording of a task, whichever it came in; nothing where it is not known."""
    if (read := read_slots(instruction, task, language)) is None:
        return ""
    ways, slots = read
    return ways.known[0].format(**slots) if slots_of(ways.known[0]) <= slots.keys() else instruction


def plain_wording(instruction: str, task: str, language: Language) -> str:
    """The plainest wording of a task with its slots open; nothing where it is not known."""
    read = read_slots(instruction, task, language)
    return read[0].known[0] if read and slots_of(read[0].known[0]) <= read[1].keys() else ""


def other_wording(task: str, language: Language, chance: random.Random) -> str:
    """The plain wording of another task, every other time of the same app."""
    app = task.partition(".")[0] + "."
    alike = [name for name in sorted(wordings()) if name != task and name.startswith(app)]
    others = alike if alike and chance.random() < 0.5 else [name for name in sorted(wordings()) if name != task]
    return chance.choice(wordings()[chance.choice(others)]).ways(language).known[0]


def anew(step: Step, chance: random.Random) -> Step:
    """A task of the same kind about other things, in its plainest wording as well, without its screen: whatever fills a
    slot is drawn, so that nothing but reading tells what it is.
    """
    bare = replace(step, elements=[], key_elements=[], truth=[], prediction=None)
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


def worn(way: str, chance: random.Random) -> str:
    """A wording with words lost here and there, its slots untouched."""
    pieces = re.split(r"(\{\w+\})", way)
    pieces[::2] = (_WORD.sub(lambda word: "" if chance.random() < LOST else word[0], piece) for piece in pieces[::2])
    return "".join(pieces)


def renamed(steps: Sequence[Step], chance: random.Random) -> list[Step]:
    """An episode about other things: what fills the slots of its task is called something else throughout."""
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
    return step.tags.get("task", ""), "zh" if step.tags.get("language") == "zh" else "en"


def about_others(steps: Sequence[Step], share: float, chance: random.Random) -> list[Step]:
    """An episode about other things this often."""
    return renamed(steps, chance) if steps and chance.random() < share else list(steps)


def in_other_words(steps: Sequence[Step], share: float, chance: random.Random) -> list[Step]:
    """An episode whose task is put in other words this often."""
    if not steps or chance.random() >= share:
        return list(steps)
    first = steps[0].instruction
    said = other_words(first, *task_of(steps[0]), chance)
    return [replace(step, instruction=said) if step.instruction == first else step for step in steps]


def put_plainly(step: Step) -> Step:
    """With the plainest wording of its task beside the one it came in."""
    plain = plainly(step.instruction, *task_of(step))
    return replace(step, step_instruction=plain) if plain else step
