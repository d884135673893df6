"""The same task in other words.

A task that is always put in the same three ways teaches a small model those ways and nothing about language. For each
template of the phone there are two dozen more wordings in each language, with slots for what varies (`{name}`). They
serve training only: the wordings of the test split stand elsewhere and were not seen when these were written.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec
from msgspec.structs import replace

from saccade.paradigms.base import Language
from saccade.types import Step

FOLDER = Path(__file__).parent / "paraphrases"
_PIECE = re.compile(r"((?:[^{}]|\{\{|\}\})*)(?:\{(\w+)\})?")


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
def pattern(way: str) -> re.Pattern[str]:
    """What reads the slots of a wording off an instruction."""
    known: set[str] = set()
    parts = []
    for text, slot in _PIECE.findall(way):
        parts.append(re.escape(text.replace("{{", "{").replace("}}", "}")))
        if slot:
            parts.append(f"(?P={slot})" if slot in known else f"(?P<{slot}>.+?)")
            known.add(slot)
    return re.compile("".join(parts) + r"\Z", re.DOTALL)


def other_words(instruction: str, task: str, language: Language, chance: random.Random) -> str:
    """Another wording of an instruction; the same one where none is known."""
    for wording in wordings().get(task, ()):
        ways = wording.ways(language)
        for way in ways.known:
            if (found := pattern(way).match(instruction)) is not None:
                slots = found.groupdict()
                able = [more for more in ways.more if set(re.findall(r"\{(\w+)\}", more)) <= slots.keys()]
                return chance.choice(able).format(**slots) if able else instruction
    return instruction


def paraphrased(steps: Sequence[Step], share: float, chance: random.Random) -> list[Step]:
    """An episode, told in other words this often."""
    if not steps or chance.random() >= share:
        return list(steps)
    first = steps[0]
    language: Language = "zh" if first.tags.get("language") == "zh" else "en"
    said = other_words(first.instruction, first.tags.get("task", ""), language, chance)
    return [replace(step, instruction=said) if step.instruction == first.instruction else step for step in steps]
