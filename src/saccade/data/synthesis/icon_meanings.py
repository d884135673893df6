"""What icons mean: symbol words and the function that an instruction names instead (SecAgent §3.1, step 3).

The table goes into the annotator's prompt, and `grounding_rules` checks answers by it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from saccade.typed_values import to_type
from saccade.types import Language
from saccade.untrusted import read_yaml

TABLE = Path(__file__).with_name("icon_meanings.yaml")


class IconMeaning(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One icon: the words for what it shows, and its function, in both languages."""

    en: list[str]
    zh: list[str]
    means: Mapping[Language, str]

    def symbols(self, language: Language) -> list[str]:
        words: list[str] = getattr(self, language)
        return words


class Symbol(NamedTuple):
    """A word for a symbol that was found in a text, and the function to be named instead."""

    word: str
    means: str


@cache
def icon_meanings() -> list[IconMeaning]:
    """The whole table."""
    return to_type(read_yaml(TABLE), list[IconMeaning])


def meanings_for_prompt(language: Language) -> str:
    """The table as lines of a prompt: `magnifier, magnifying glass, loupe: search`."""
    comma, colon = (", ", ": ") if language == "en" else ("、", "：")
    return "\n".join(f"{comma.join(icon.symbols(language))}{colon}{icon.means[language]}" for icon in icon_meanings())


@cache
def _pattern(language: Language) -> tuple[re.Pattern[str], dict[str, str]]:
    """A symbol is meant where its word stands alone or with a word such as "icon", not as a part of a longer name: a
    "bell pepper" and a "heart rate" are no symbols.
    """
    means = {word.casefold(): icon.means[language] for icon in icon_meanings() for word in icon.symbols(language)}
    words = "|".join(sorted(map(re.escape, means), key=len, reverse=True))
    if language == "zh":
        after = r"(?=(?:形状?|样式|状|形)?的?(?:图标|按钮|符号|标志|图案)|[，。,.；;！!]|\s*$)"
        return re.compile(rf"({words}){after}", re.IGNORECASE), means
    shape = r"[\s-]+(?:shaped?|like|style|symbol|icon|button|sign|logo|glyph)\b"
    after = rf"(?={shape}|\s*[,.;!]|\s*$|\s+(?:in|at|on|next|near|to|of)\b)"
    return re.compile(rf"(?<![\w'-])({words}){after}", re.IGNORECASE), means


def symbol_in(text: str, language: Language) -> Symbol | None:
    """The first word of a text that names a symbol in place of its function.

    >>> symbol_in("Tap the magnifier icon", "en")
    Symbol(word='magnifier', means='search')
    >>> symbol_in("Tap the bell pepper picture", "en") is None
    True
    """
    pattern, means = _pattern(language)
    found = pattern.search(text)
    return Symbol(found[1], means[found[1].casefold()]) if found else None
