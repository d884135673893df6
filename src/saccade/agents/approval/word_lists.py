"""Finds words in screen texts, also in disguised spellings.

A hostile page may write `D e l e t e`, or `Dеlеtе` with Cyrillic letters. Texts are normalised to one plain spelling
before they are searched: for whole words in Latin letters, for any substring in Chinese.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path

from saccade.worlds.strict_yaml import read_yaml

HAN = "\u2e80-\u2fdf\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
LONGEST = 2_000
"""Characters of a text that are searched; the rest is ignored."""

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
"""Letters that look like Latin ones; then squared letters, circled letters and flag letters."""
_DIGITS = ({ord(a): b for a, b in zip("0134578@$!|", "oleastbasil", strict=True)}, {ord("1"): "i"})
_HAN = re.compile(f"[{HAN}]")
_APART = re.compile(r"(?<![a-z0-9])(?:[a-z][\W_]+){2,}[a-z](?![a-z0-9])")
_PIECES = re.compile(r"(?<![a-z0-9])(?:[a-z]{1,4}[\W_]+)+[a-z]{1,4}(?![a-z0-9])")
_BETWEEN_HAN = re.compile(rf"(?<=[{HAN}])[\W_]+(?=[{HAN}])")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_JOINTS = re.compile(r"[\W_]+")


@lru_cache(maxsize=8192)
def fold(text: str) -> str:
    """Normalise a text: no accents, look-alike letters, invisible characters, or spaces between single letters.

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
    """All normalised readings of a text, joined: plain, `camelCase` split, fragments of words joined, digits read as
    letters.
    """
    plain = fold(text)
    pieces = _PIECES.sub(lambda match: _JOINTS.sub("", match[0]), plain)
    leet = [plain.translate(_DIGITS[0]), plain.translate(_DIGITS[0] | _DIGITS[1])]
    readings = [plain, fold(_CAMEL.sub(" ", text)), pieces, *leet]
    return " \n ".join(dict.fromkeys(readings))


def readable(text: str) -> bool:
    """Does the text consist of letters that the word lists cover, English or Chinese? Texts of symbols only, and texts
    in other scripts or with accented letters, are not readable in this sense.
    """
    plain = unicodedata.normalize("NFKC", text[:LONGEST]).casefold()
    letters = [c for c in plain if unicodedata.category(c)[0] == "L"]
    return bool(letters) and all("a" <= c <= "z" or _HAN.match(c) for c in letters)


class WordList:
    """A list of words and phrases to search for. Latin ones match whole words, or any ending with a final `*`. An entry
    with a leading `=` must be the whole text.
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
    """The lists in word_lists.yaml: one for each risk, and confirm, search and slide."""
    lists = read_yaml(Path(__file__).with_name("word_lists.yaml"), "word lists")
    return {name: tuple(word for line in lines for word in line) for name, lines in lists.items()}
