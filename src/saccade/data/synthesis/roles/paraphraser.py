"""Puts an instruction in other words (SecAgent §3.2 (1): "paraphrases and expands")."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import msgspec

from saccade.data.synthesis.roles.base import Role, read_json
from saccade.data.synthesis.roles.instruction_rules import check_instruction
from saccade.types import Language, Picture

FIXED = re.compile(r"\d+(?:[.:/]\d+)*|(?<!\w)'([^']+)'|\"([^\"]+)\"|“([^”]+)”|「([^」]+)」|‘([^’]+)’|《([^》]+)》")
"""Numbers, times, and what stands in quotes: another wording must keep them."""


class WantedWordings(NamedTuple):
    """What the paraphraser is asked for."""

    instruction: str
    wanted: int
    language: Language


class Wordings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the paraphraser answers."""

    wordings: list[str]


class Paraphraser(Role[WantedWordings, Wordings]):
    """The same task as other people would say it."""

    name: ClassVar[str] = "paraphraser"
    temperature: ClassVar[float] = 0.8

    def variables(self, subject: WantedWordings, picture: Callable[[str], Picture]) -> dict[str, Any]:
        return {**subject._asdict(), "fixed": fixed_parts(subject.instruction)}

    def read(self, text: str, subject: WantedWordings) -> Wordings:
        found = read_json(text, Wordings)
        written = [check_instruction(each, subject.language) for each in found.wordings]
        if not 1 <= len(written) <= subject.wanted:
            raise ValueError(f"there are {len(written)} wordings: write 1 to {subject.wanted}")
        if len({*written, subject.instruction}) <= len(written):
            raise ValueError("a wording repeats the instruction or another wording")
        for each in written:
            for part in fixed_parts(subject.instruction):
                if part not in each:
                    raise ValueError(f"the wording {each[:60]!r} lost {part!r}: names, texts and numbers must stay")
        return Wordings(written)

    def taught(self, subject: WantedWordings) -> Wordings:
        """The world words each of its tasks itself, in one of many ways by the task's seed: there is nothing to add."""
        return Wordings([])

    def guessed(self, subject: WantedWordings) -> Wordings:
        return Wordings([])


def fixed_parts(instruction: str) -> list[str]:
    """Numbers and quoted texts of an instruction, in order.

    >>> fixed_parts("Set an alarm for 7:30 called 'Gym', and 2 more")
    ['7:30', 'Gym', '2']
    """
    return list(dict.fromkeys(next(filter(None, found.groups()), found[0]) for found in FIXED.finditer(instruction)))
