"""Rows: which of several buttons that are called the same is meant.

Each dish of a menu has a button that adds it, and each thing in a cart has four: `Increase` does not say of what. The
decoder takes the right one most of the time, and SecAgent's format, which tells no elements first, least. What is
meant stands in the row of something that the task names (`doing`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from saccade_mini.codec import Item, Sheet
from saccade_mini.slots import LEAST, parts

LEAVING = frozenset({"Deselect", "取消选择"})
"""Buttons that leave out what the task does not name: it is to buy these and no others."""
CHANGED = {"Increase": "less", "增加": "less", "Decrease": "more", "减少": "more"}
"""Buttons that change a number, and how it compares with the one that is wanted whenever they are touched: in recorded
episodes all but 5 of 890 times.
"""
ADDING = frozenset(label for label, how in CHANGED.items() if how == "less")
_COUNT = re.compile(r"\d{1,4}\Z")
_MANY = re.compile(r"(\d{1,4}) ?(?:[份个件杯×x] ?)?(?=[^\W\d_])")
_TITLES = ("button", "text")


def astray(sheet: Sheet, slots: Mapping[str, str]) -> frozenset[int]:
    """The buttons of rows that are not meant, where any row is of something that the task names; where none is, only
    those that add: nobody adds what is not named.
    """
    things = dict(_things(slots))
    columns: dict[tuple[float, float], list[int]] = {}
    for at, item in enumerate(sheet.items):
        if item.kind == "button" and item.label:
            columns.setdefault((item.box.x0, item.box.x1), []).append(at)
    found: set[int] = set()
    for column in columns.values():
        labels = {sheet.items[at].label for at in column}
        if len(labels) < len(column) and things and not any(_named(label, things) for label in labels):
            found |= _elsewhere(sheet.items, column, things)
    return frozenset(found)


def listed(slots: Mapping[str, str]) -> int:
    """How many things a task lists with how many of each: `2 × Nuts and 1 × Shoes` are three."""
    found = (_MANY.match(part) for text in slots.values() for part in parts(text)[1:])
    return sum(int(each[1]) for each in found if each)


def _elsewhere(items: Sequence[Item], column: Sequence[int], things: Mapping[str, int]) -> set[int]:
    """Of buttons below each other, those in rows that are not meant: a row begins behind the button above, or where
    what scrolls begins. Of a row without a title nobody knows what it is.
    """
    repeated = {label for label, count in Counter(item.label for item in items).items() if count > 1}
    begin, found, told = 0, set[int](), False
    for at in column:
        begin = max([begin, *(place + 1 for place in range(begin, at) if items[place].scrolls)])
        row, button = items[begin:at], items[at]
        titles = [item.label for item in row if item.kind in _TITLES and item.label not in repeated]
        named = {thing for label in titles for thing in _named(label, things)}
        told = told or bool(named)
        if button.label in ADDING:
            named -= {thing for thing in named if things[thing] in _numbers(row)}
        if not titles or bool(named) == (button.label in LEAVING):
            found.add(at)
        begin = at + 1
    return found if told else {at for at in found if items[at].label in ADDING}


def _numbers(row: Sequence[Item]) -> set[int]:
    """How many there may be: what cannot be told is one if it can be fewer."""
    told = {int(item.label) for item in row if item.kind == "text" and _COUNT.match(item.label)}
    return told or {1 for item in row if CHANGED.get(item.label) == "more"}


def _named(label: str, things: Mapping[str, int]) -> list[str]:
    """What it is about: it holds a thing, or a thing that was read too long holds its first word of Chinese."""
    told = label.lower()
    first = told.partition(" ")[0]
    known = len(first) >= LEAST and not first.isascii()
    return [thing for thing in things if thing in told or (known and first in thing)]


def _things(slots: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """What a task speaks of, and how many of it: as is said with it, or what the task counts; otherwise 0."""
    count = _COUNT.match(slots.get("count", ""))
    counted = int(count[0]) if count else 0
    for text in slots.values():
        for part in parts(text):
            many = _MANY.match(part)
            thing = part[many.end() :] if many else part
            if len(thing) > 1 and not thing.isdecimal():
                yield thing, int(many[1]) if many else counted
