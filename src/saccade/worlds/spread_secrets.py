"""Finds secrets that are spread over several texts of a screen: one letter for each, a card number in four fields.

All texts are joined, as they follow each other in the page and as they lie on the screen, in rows and in columns, and
searched without spaces and punctuation. When in doubt, too much is found rather than too little.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from saccade.geometry import Box
from saccade.worlds.secrets import SHORTEST, Vault

WHOLE = 6
"""Values with fewer letters and digits must begin where a text begins and end where one ends: they occur by chance."""
PIECE = 3
LINE = 0.6
"""Texts whose middles differ by less than this share of their height are in one row."""

Found = tuple[str, frozenset[int]]
"""The name of a secret, and the places of the texts that show it together."""


def letters(text: str) -> str:
    """Letters and digits alone, in one spelling.

    >>> letters("４111-１１ a\u200bB"), letters("x²")
    ('411111ab', 'x2')
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(letter for letter in plain if letter.isalnum())


def spread_secrets(texts: Sequence[str], boxes: Sequence[Box | None], vault: Vault) -> list[Found]:
    """All secrets in these texts, taken together. A text without a box is found only in the order that is given."""
    plain = [letters(text) for text in texts]
    said = [at for at, text in enumerate(plain) if text]
    values = [(name, value) for name, secret in vault.secrets.items() if len(value := _value(secret.value)) >= SHORTEST]
    placed = [(at, box) for at in said if (box := boxes[at]) is not None]
    across = _lines([(at, (b.y0, b.y1), b.x0) for at, b in placed])
    down = _lines([(at, (b.x0, b.x1), b.y0) for at, b in placed])
    found = [each for order in (said, across, down) for each in _in_order(order, plain, values)]
    return list(dict.fromkeys(found))


def shares_letters(text: str, value: str) -> bool:
    """May the text be a part of the value? Three letters in a row are in both, or all of a shorter text is."""
    plain, whole = letters(text), letters(value)
    pieces = {plain[at : at + PIECE] for at in range(max(1, len(plain) - PIECE + 1))}
    return bool(plain) and any(piece in whole or piece[::-1] in whole for piece in pieces)


def _value(value: str) -> str:
    return letters(value) if len(letters(value)) >= SHORTEST else ""


def _in_order(order: Sequence[int], plain: Sequence[str], values: Sequence[tuple[str, str]]) -> Iterator[Found]:
    joined = "".join(plain[at] for at in order)
    starts = [0, *accumulate(len(plain[at]) for at in order)]
    borders = set(starts)
    for name, value in values:
        for spelled in {value, value[::-1]}:
            begin = joined.find(spelled)
            while begin >= 0:
                end = begin + len(spelled)
                if len(spelled) >= WHOLE or (begin in borders and end in borders):
                    first, last = bisect_right(starts, begin) - 1, bisect_right(starts, end - 1) - 1
                    yield name, frozenset(order[first : last + 1])
                begin = joined.find(spelled, begin + 1)


def _lines(placed: Sequence[tuple[int, tuple[float, float], float]]) -> list[int]:
    """The texts line by line; each is given with its extent across the line and where in the line it begins."""
    lines: list[list[tuple[float, int]]] = []
    middle = height = 0.0
    for at, (low, high), along in sorted(placed, key=lambda each: sum(each[1])):
        own = (low + high) / 2
        if not lines or own - middle > LINE * min(height, high - low):
            lines.append([])
        middle, height = own, high - low
        lines[-1].append((along, at))
    return [at for line in lines for _, at in sorted(line)]
