"""Which elements a task speaks of.

Whether a long list holds "Fatima Said" is hard to see for a model this small: it said that what was in view was not.
Comparing words needs no model, so the prompt marks the elements whose label shares words with the task.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

WHOLE, LONG, SHORT = "=", "++", "+"
"""All of a label stands in the task; a part of several words; a single word."""
_WORD = re.compile(r"[A-Za-zÀ-ɏ']+|\d+|[一-鿿]")
_LEAST = 4
"""Letters of a word that says anything when it stands alone."""


class Matcher:
    """Compares labels with the words of a task."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._words: list[str] = []
        self._places: dict[str, list[int]] = {}
        for text in texts:
            for word in (*words_of(text), "\n"):  # no match reaches over the end of a text
                self._places.setdefault(word, []).append(len(self._words))
                self._words.append(word)

    def mark(self, label: str) -> str:
        """How much of a label the task says; nothing where it is too little to mean anything."""
        words = words_of(label)
        run = self._longest(words)
        if not run:
            return ""
        if len(run) == len(words) and telling(run):
            return WHOLE
        if len(run) > 1 and len("".join(run)) >= _LEAST - is_chinese(run[0]):
            return LONG
        return SHORT if telling(run) else ""

    def _longest(self, words: list[str]) -> list[str]:
        """The longest stretch of words that the task has as well."""
        best: list[str] = []
        for begin, word in enumerate(words):
            for place in self._places.get(word, ()):
                end = 1
                while (
                    begin + end < len(words)
                    and place + end < len(self._words)
                    and words[begin + end] == self._words[place + end]
                ):
                    end += 1
                if end > len(best):
                    best = words[begin : begin + end]
        return best


def words_of(text: str) -> list[str]:
    """Words and numbers in lower case; of Chinese the letters."""
    return _WORD.findall(text.lower())


def is_chinese(word: str) -> bool:
    return "一" <= word[0] <= "鿿"


def telling(run: list[str]) -> bool:
    """A number, two letters of Chinese or a word that is not tiny."""
    whole = "".join(run)
    return whole.isdigit() or len(whole) >= (2 if is_chinese(whole) else _LEAST)
