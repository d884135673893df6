"""Finding words in what a screen says, however it is spelled.

A page that wants to be misread writes `D e l e t e`, or `Dеlеtе` with Cyrillic letters. Texts are folded to one plain
spelling before words are looked for: whole words in Latin letters, any part of a text in Chinese.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path

from saccade.worlds.strict import read_yaml

HAN = "\u2e80-\u2fdf\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
LONGEST = 2_000
"""Characters of a text that are looked at."""

_CYRILLIC_AND_GREEK = (
    "аa бb вb гr дd еe ёe зe иu йu кk лl мm нh оo пn рp сc тt уy хx ьb эe яr іi їi јj ѕs ԁd ԛq ԝw һh ґr ӏl "
    "αa βb γy δd εe ζz ηn θo ιi κk λl μu νv οo πn ρp σo ςs τt υu φo χx ωw"
)
_OTHERS = (
    "ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ɪi ᴊj ᴋk ʟl ᴍm ɴn ᴏo ᴘp ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz ıi łl øo đd ɑa ɡg ƒf ħh ŧt ƚl ʋv ɩi ʝj "
    "ᗞd ᒪl օo ոn սu հh ցg ѡw ℮e ⅼl"
)
_ALIKE = {ord(pair[0]): pair[1] for pair in f"{_CYRILLIC_AND_GREEK} {_OTHERS}".split()} | {
    start + at: chr(ord("a") + at) for start in (0x1F130, 0x1F150, 0x1F170, 0x1F1E6) for at in range(26)
}
"""Letters that look like Latin ones; then letters in squares, in circles, and of flags."""
_DIGITS = ({ord(a): b for a, b in zip("0134578@$!|", "oleastbasil", strict=True)}, {ord("1"): "i"})
_HAN = re.compile(f"[{HAN}]")
_APART = re.compile(r"(?<![a-z0-9])(?:[a-z][\W_]+){2,}[a-z](?![a-z0-9])")
_PIECES = re.compile(r"(?<![a-z0-9])(?:[a-z]{1,4}[\W_]+)+[a-z]{1,4}(?![a-z0-9])")
_BETWEEN_HAN = re.compile(rf"(?<=[{HAN}])[\W_]+(?=[{HAN}])")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_JOINTS = re.compile(r"[\W_]+")


@lru_cache(maxsize=8192)
def fold(text: str) -> str:
    """One plain spelling: no accents, no look-alikes, nothing invisible, no spaces between single letters.

    >>> fold("D e l\\u200b e t e"), fold("Ｄеlеtе Ａccount"), fold("删 除")
    ('delete', 'delete account', '删除')
    """
    text = unicodedata.normalize("NFKC", text[:LONGEST]).casefold()
    text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) not in ("Mn", "Cf", "Co"))
    text = text.translate(_ALIKE)
    text = _APART.sub(lambda match: _JOINTS.sub("", match[0]), text)
    return " ".join(_BETWEEN_HAN.sub("", text).split())


@lru_cache(maxsize=8192)
def spellings(text: str) -> str:
    """All readings of a text one after the other: folded, with `camelCase` taken apart, with pieces of words put
    together, with digits for letters.
    """
    plain = fold(text)
    pieces = _PIECES.sub(lambda match: _JOINTS.sub("", match[0]), plain)
    leet = [plain.translate(_DIGITS[0]), plain.translate(_DIGITS[0] | _DIGITS[1])]
    readings = [plain, fold(_CAMEL.sub(" ", text)), pieces, *leet]
    return " \n ".join(dict.fromkeys(readings))


def readable(text: str) -> bool:
    """Does it say something in letters that the lists of words know, English or Chinese? Signs alone do not, nor other
    scripts and languages with accents.
    """
    plain = unicodedata.normalize("NFKC", text[:LONGEST]).casefold()
    letters = [c for c in plain if unicodedata.category(c)[0] == "L"]
    return bool(letters) and all("a" <= c <= "z" or _HAN.match(c) for c in letters)


class Words:
    """A list of words and phrases. In Latin letters they match whole words, with a `*` at the end any ending. An entry
    with a `=` before it must be all that a text says.
    """

    def __init__(self, entries: Iterable[str]) -> None:
        self.entries = tuple(entries)
        patterns = [_pattern(entry) for entry in self.entries]
        self._pattern = re.compile("|".join(sorted(patterns, key=len, reverse=True))) if patterns else None

    def __bool__(self) -> bool:
        return bool(self.entries)

    def find(self, texts: Iterable[str]) -> bool:
        return self._pattern is not None and any(self._pattern.search(spellings(text)) for text in texts)


def _pattern(entry: str) -> str:
    word = fold(entry.removeprefix("=").removesuffix("*")) or entry
    if entry.startswith("="):
        return rf"(?:\A|\n )[\W_]*{re.escape(word)}[\W_]*(?:\n|\Z)"
    if not re.fullmatch(r"[a-z0-9\W_]*[a-z][a-z0-9\W_]*", word, re.ASCII) or _HAN.search(word):
        return re.escape(word)
    inner = r"[\W_]+".join(re.escape(part) for part in _JOINTS.split(word) if part)
    return rf"(?<![a-z]){inner}" if entry.endswith("*") else rf"(?<![a-z]){inner}(?![a-z])"


@cache
def word_lists() -> Mapping[str, tuple[str, ...]]:
    """The lists that come with the package: one for each risk, and some more."""
    lists = read_yaml(Path(__file__).with_name("words.yaml"), "list of words")
    return {name: tuple(word for line in lines for word in line) for name, lines in lists.items()}
