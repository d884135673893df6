"""Compare lines that were read with the lines that a page shows.

Texts are compared without white space and case, and in compatibility form (full-width letters are letters). Lines
belong together where one covers at least half of the other's height and they share some of their width. Readers may cut
a line in two or join neighbours, which is not wrong on a screen, so that:

- a true line is *found* if the lines read in its place, joined from left to right, contain it with similarity >= 0.8
  (1 - edit distance / longer length; the best-matching part of the same length, where more was read there);
- a line read is *right* if it is contained in the same way in the true lines in its place.

Cut-off, covered and faded lines are not asked for, and what is read in their place is not counted. Emojis are pictures:
a letter read there is wrong. Lines without a letter or digit are not counted on either side.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein
from rapidfuzz.fuzz import partial_ratio_alignment

from saccade.geometry import Box
from saccade_vision.training.text_screens import TrueLine
from saccade_vision.types import TextLine

ALIKE = 0.8


@dataclass(frozen=True, slots=True)
class TextComparison:
    """For each true line whether it was found, for each line read whether it is right; None is not counted."""

    found: list[bool | None]
    right: list[bool | None]


def compare(true: Sequence[TrueLine], read: Sequence[TextLine]) -> TextComparison:
    """Which true lines were found, and which read lines are right."""
    true = [line for line in true if plain(line.text)]
    pairs = {(a, b) for a, one in enumerate(true) for b, other in enumerate(read) if together(one.box, other.box)}
    found: list[bool | None] = []
    for a, one in enumerate(true):
        near = joined([(read[b].box, read[b].text) for b in range(len(read)) if (a, b) in pairs])
        found.append(contains(near, plain(one.text)) if one.whole else None)
    right: list[bool | None] = []
    for b, other in enumerate(read):
        here = [true[a] for a in range(len(true)) if (a, b) in pairs]
        text = plain(other.text)
        good = contains(joined([(line.box, line.text) for line in here]), text)
        right.append(good if text and (good or all(line.whole for line in here)) else None)
    return TextComparison(found, right)


def joined(lines: list[tuple[Box, str]]) -> str:
    """The plain texts of some lines in order: rows from top to bottom, each from left to right."""
    rows: list[list[tuple[Box, str]]] = []
    for box, text in sorted(lines, key=lambda line: line[0].center.y):
        if rows and box.center.y - rows[-1][0][0].center.y < box.height / 2:
            rows[-1].append((box, text))
        else:
            rows.append([(box, text)])
    return "".join(plain(text) for row in rows for _, text in sorted(row, key=lambda line: line[0].x0))


def plain(text: str) -> str:
    """Letters, digits and signs without spaces and case; nothing where there is no letter or digit.

    >>> plain("Ａdd  5 "), plain("☕"), plain("· ·")
    ('add5', '', '')
    """
    kept = "".join(unicodedata.normalize("NFKC", text).casefold().split())
    return kept if any(one.isalnum() for one in kept) else ""


def contains(whole: str, part: str) -> bool:
    """Is `part` in `whole`, but for a fifth of its characters?

    >>> contains("settingswi-fi", "wi-fi"), contains("set", "settings"), contains("settin9s", "settings")
    (True, False, True)
    """
    if not part or not whole:
        return False
    if len(whole) <= len(part):
        return Levenshtein.normalized_similarity(whole, part) >= ALIKE
    best = partial_ratio_alignment(part, whole)
    if best is None:
        return False
    piece = whole[best.dest_start : best.dest_end]
    return max(Levenshtein.normalized_similarity(one, part) for one in (piece, whole)) >= ALIKE


def together(one: Box, other: Box) -> bool:
    """Side by side in the same line, sharing at least a tenth of the narrower one's width."""
    high = min(one.y1, other.y1) - max(one.y0, other.y0)
    wide = min(one.x1, other.x1) - max(one.x0, other.x0)
    return high >= 0.5 * min(one.height, other.height) and wide >= 0.1 * min(one.width, other.width) and wide > 0
