"""One line of text that several widgets share is several texts: the entries of a menu bar, a row of tabs.

The detector takes words that stand close together for one line, and such a line lies in no single widget. Where its
characters stand in several widgets, each widget gets its own. Words are not cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from saccade.geometry import Box
from saccade_vision.types import TextLine

OWNED = 0.75
"""The share of a line's characters that must stand in widgets: a sentence is not cut because something in it was taken
for a widget.
"""


def split_line(line: TextLine, widgets: Sequence[Box]) -> list[TextLine]:
    """The parts of a line that stand in different widgets, or between them; the line itself if there are not two such
    widgets, or if nobody knows where its characters stand.
    """
    across = [box for box in widgets if box.y0 <= line.box.center.y <= box.y1]
    if len(across) < 2 or len(line.places) != len(line.text):
        return [line]
    owners = _owners(line, across)
    owned = sum(owner is not None for owner in owners)
    if len({owner for owner in owners if owner is not None}) < 2 or owned < OWNED * len(owners):
        return [line]
    parts = []
    for _, run in groupby(range(len(owners)), key=lambda at: owners[at]):
        at = list(run)
        if line.text[at[0] : at[-1] + 1].strip():
            parts.append(_part(line, at[0], at[-1]))
    return parts


def _owners(line: TextLine, widgets: Sequence[Box]) -> list[int | None]:
    """The widget in which each character stands: that of the middle of its word. A space belongs to the word before it.
    Where nothing is spaced, as in Chinese, each character is a word.
    """
    found: list[int | None] = []
    for word in _words(line.text):
        middle = (line.places[word[0]] + line.places[word[1]]) / 2
        holding = [at for at, box in enumerate(widgets) if box.x0 <= middle <= box.x1]
        owner = min(holding, key=lambda at: widgets[at].area) if holding else None
        found += [owner] * (word[1] + 1 - len(found))
    return found + [found[-1] if found else None] * (len(line.text) - len(found))


def _words(text: str) -> list[tuple[int, int]]:
    """First and last place of each word; a character that is not of an alphabet with spaces is one by itself."""
    words: list[tuple[int, int]] = []
    open_word = False
    for at, letter in enumerate(text):
        if letter.isspace():
            open_word = False
        elif letter.isascii() and open_word:
            words[-1] = (words[-1][0], at)
        else:
            words.append((at, at))
            open_word = letter.isascii()
    return words


def _part(line: TextLine, first: int, last: int) -> TextLine:
    """A part of a line; its ends lie half a character beside its outer characters."""
    text = line.text[first : last + 1]
    begin, end = first + len(text) - len(text.lstrip()), last - (len(text) - len(text.rstrip()))
    half = line.box.width / max(1, len(line.text)) / 2
    x0 = line.box.x0 if begin == 0 else line.places[begin] - half
    x1 = line.box.x1 if end == len(line.text) - 1 else line.places[end] + half
    box = Box(x0, line.box.y0, max(x1, x0 + 1), line.box.y1)
    return TextLine(box, line.text[begin : end + 1], line.confidence, line.places[begin : end + 1])
