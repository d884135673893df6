"""Ordinals in instructions: "the second 'Buy' button", “第二个“购买”按钮”, and which element of a screen they mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from saccade.types import Element, Language

_NAMES = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_DIGITS = "一二三四五六七八九"
_COUNTERS = "[个项条张行列排位款首封只家部道份件]"
_PATTERNS = {
    "en": re.compile(
        rf"\b(?P<number>{'|'.join(_NAMES)}|\d+(?:st|nd|rd|th))(?![-\w])"
        r"(?P<back>\s+(?:to\s+last|from\s+the\s+(?:bottom|end)))?|\bthe\s+(?P<last>last)(?![-\w])",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        rf"(?P<back>倒数)?第(?P<number>[{_DIGITS}十两]+|\d+){_COUNTERS}|(?P<last>最后)一?{_COUNTERS}",
    ),
}


class Ordinal(NamedTuple):
    """One ordinal as it was written; a negative number counts from the end."""

    text: str
    number: int

    def place(self, count: int) -> int:
        """Which of `count` elements it means."""
        return self.number if self.number > 0 else count + 1 + self.number


def ordinals_in(text: str, language: Language) -> list[Ordinal]:
    """All ordinals of a text.

    >>> ordinals_in("Tap the second 'Buy' button", "en"), ordinals_in("点击倒数第十二个按钮", "zh")
    ([Ordinal(text='second', number=2)], [Ordinal(text='倒数第十二个', number=-12)])
    """
    return [Ordinal(found[0], _number(found)) for found in _PATTERNS[language].finditer(text)]


def _number(found: re.Match[str]) -> int:
    if found["last"]:
        return -1
    word = found["number"].casefold()
    if word in _NAMES:
        number = _NAMES.index(word) + 1
    elif digits := re.match(r"\d{1,4}", word):
        number = int(digits[0])
    else:  # Chinese numerals up to 99
        tens, ten, ones = word.replace("两", "二").rpartition("十")
        number = (10 * ((_DIGITS.find(tens) + 1) or 1) if ten else 0) + (_DIGITS.find(ones) + 1 if ones else 0)
    return -number if found["back"] else number


def reading_order(elements: Sequence[Element]) -> list[Element]:
    """From top to bottom, each row from left to right: an element whose centre lies above the bottom of the row's first
    one belongs to its row.
    """
    rows: list[list[Element]] = []
    for element in sorted(elements, key=lambda each: each.center.y):
        if rows and element.center.y < rows[-1][0].box.y1:
            rows[-1].append(element)
        else:
            rows.append([element])
    return [element for row in rows for element in sorted(row, key=lambda each: each.center.x)]
