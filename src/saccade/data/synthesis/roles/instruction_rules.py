"""Rules that every text of a model must follow, whichever role wrote it."""

from __future__ import annotations

import re

from saccade.types import Language

LONGEST_INSTRUCTION = 240
FEWEST_WORDS = {"en": 3, "zh": 4}
"""Words of an English instruction, characters of a Chinese one."""
CHINESE, LATIN = re.compile(r"[\u4e00-\u9fff]"), re.compile(r"[A-Za-z]")
PLACEHOLDER = re.compile(r"[\[<{][^\]>}]*[\]>}]|\bX{2,}\b|某[个某人]|\b(?:some(?:one|body)|something)\b", re.IGNORECASE)
"""What stands for a value instead of being one: nobody can tell whether such a task is done."""


def in_language(text: str, language: Language) -> bool:
    """Is a text in a language? Names in the other one do no harm: Chinese text has a Chinese character, English text
    more letters than those.
    """
    chinese = len(CHINESE.findall(text))
    return chinese > 0 if language == "zh" else chinese < max(1, len(LATIN.findall(text)))


def check_instruction(text: str, language: Language) -> str:
    """An instruction with single spaces; `ValueError` says what is wrong with it."""
    said = " ".join(text.split())
    quoted = said[:60]
    words = len(re.findall(r"[\u4e00-\u9fff]|\w+", said)) if language == "zh" else len(said.split())
    if words < FEWEST_WORDS[language]:
        raise ValueError(f"the instruction {quoted!r} is too short to say what is wanted")
    if len(said) > LONGEST_INSTRUCTION:
        raise ValueError(f"the instruction {quoted!r}… is longer than {LONGEST_INSTRUCTION} characters")
    if not in_language(said, language):
        raise ValueError(f"the instruction {quoted!r} is not in the language that was asked for")
    if found := PLACEHOLDER.search(said):
        raise ValueError(f"the instruction {quoted!r} has {found[0]!r} in place of a value: write a real one")
    return said
