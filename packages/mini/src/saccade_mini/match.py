"""Marks the elements that a task mentions.

Whether a long list holds "Fatima Said" is hard to see for a model this small, but comparing words needs no model: the
prompt marks each element whose label shares words with the task.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

WHOLE, LONG, SHORT = "=", "++", "+"
"""All of a label stands in the task; a part of several words; a single word."""
_WORD = re.compile(r"[A-Za-zÀ-ɏ']+|\d+|[一-鿿]")
_LEAST = 4
"""Letters of a word that counts when it stands alone."""


class Matcher:
    """Compares labels with the words of a task."""

    def __init__(self, texts: Iterable[str]) -> None:
        words = [_WORD.findall(text.lower()) for text in texts]
        self._known = {word for text in words for word in text}
        self._texts = "\n".join(f"|{'|'.join(text)}|" for text in words)

    def mark(self, label: str) -> str:
        """How much of a label the task says; empty where it is too little to mean anything."""
        words = _WORD.findall(label.lower())
        run = self._longest(words)
        whole = "".join(run)
        chinese = whole[:1] >= "一"
        counts = whole.isdigit() or len(whole) >= (2 if chinese else _LEAST)
        if run == words and counts and run:
            return WHOLE
        return LONG if len(run) > 1 and len(whole) >= _LEAST - chinese else SHORT if counts else ""

    def _longest(self, words: list[str]) -> list[str]:
        """The longest run of words that a text of the task has as well."""
        if self._known.isdisjoint(words):
            return []
        sizes = range(len(words), 0, -1)
        runs = (words[begin : begin + size] for size in sizes for begin in range(len(words) - size + 1))
        return next((run for run in runs if f"|{'|'.join(run)}|" in self._texts), [])
