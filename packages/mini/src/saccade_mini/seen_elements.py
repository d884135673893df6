"""Reads elements that were found in a picture as those of a page tree, which the mini was trained on.

A parser of pictures (`--elements vision`) calls things by what they look like: a row is a list item, a button without
text is an icon with the icon's meaning for a name ("add"). Trees of phones call both buttons, and the second by what it
is for ("New contact"). Trees have no icons with names, and rows that can be touched are never list items there, so
what comes from a tree stays as it is.

`icon_names.json` has the names that pages give to icons, by meaning, as counted on training screens
(`saccade_vision.training.icon_words`). Where there are several, the task decides (`chosen_names`): a task to add a
contact touches "New contact". Else the most frequent one is taken.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from rapidfuzz import fuzz

from saccade.geometry import Box, Point
from saccade_mini.items import Item

NAMES = Path(__file__).parent / "icon_names.json"
PICTURES = frozenset(("icon", "image"))
ROW, FIELD, DAY = "listitem", "input", "gridcell"
TICKED = frozenset(("switch", "checkbox", "radio"))
"""What is switched on and off by a touch."""
WHEEL_ROWS = 3
"""So many numbers below each other, alike in height, are a wheel."""
DAYS_BESIDE = 5
"""So many numbers beside each other are days of a month, where each weekday has a column."""
ALIGNED = 0.3
"""How far the middles of a column's numbers are apart at most, across, as a share of their width."""
ALIKE = 85
"""From this similarity of their letters on, in percent, two texts may be the same."""
LEFT_END = 0.2
"""The part of a row where its picture stands, as a share of its width."""


@cache
def icon_names() -> dict[str, dict[str, list[str]]]:
    """By language and meaning, the most frequent name first."""
    read: dict[str, dict[str, list[str]]] = json.loads(NAMES.read_text(encoding="utf-8"))
    return read


def are_pictured(items: Sequence[Item]) -> bool:
    """Were these found in a picture? Trees of phones have neither list items nor icons with names."""
    return any(item.kind == ROW or (item.kind in PICTURES and item.label) for item in items)


def as_in_trees(items: Sequence[Item], language: str) -> list[Item]:
    """The items in the words of trees."""
    return [_as_in_trees(item, language) for item in _with_wheels(_with_days(_without_parts_of_rows(items)))]


def _as_in_trees(item: Item, language: str) -> Item:
    if item.kind == ROW:
        return replace(item, kind="button")
    if item.kind in PICTURES and item.label:
        names = icon_names().get(language, {}).get(item.label, [])
        label = names[0] if names else item.label[:1].upper() + item.label[1:]
        return replace(item, kind="button", label=label, names=tuple(names))
    return item


def chosen_names(items: Sequence[Item], touched: Collection[str]) -> list[Item]:
    """The items, where an icon may have several names with one that tasks of this kind touch."""
    return [
        next((replace(item, label=name) for name in item.names if name in touched), item)
        if len(item.names) > 1
        else item
        for item in items
    ]


def read_alike(one: str, other: str) -> bool:
    """Are two texts alike but for what reading a picture adds, loses or takes for another sign, as in `Q Search`?"""
    letters, others = ("".join(filter(str.isalpha, text.lower())) for text in (one, other))
    return bool(letters) and fuzz.ratio(letters, others) >= ALIKE


def with_focus(items: Sequence[Item], touched: Point | None) -> list[Item]:
    """The items; the field at a point has the focus."""
    held = [item for item in items if item.kind == FIELD and touched is not None and item.box.contains(touched)]
    if not held or any("focused" in item.state for item in items):
        return list(items)
    return [replace(item, state=f"{item.state} focused".strip()) if item is held[0] else item for item in items]


def _without_parts_of_rows(items: Sequence[Item]) -> list[Item]:
    """The items, each row as one: without the row where a switch has its text, since all that it is for is the switch,
    and without pictures at a row's left end, which say what the row says.
    """
    rows = [item for item in items if item.kind == ROW]
    switches = [item for item in items if item.kind in TICKED and item.label]

    def has_switch(row: Item) -> bool:
        return any(row.label.startswith(each.label) and _beside(each, row) for each in switches)

    def at_left_end(item: Item) -> bool:
        return any(_beside(item, row) and 0 <= item.point.x - row.box.x0 <= LEFT_END * row.box.width for row in rows)

    return [
        item
        for item in items
        if not (item.kind == ROW and has_switch(item)) and not (item.kind in PICTURES and at_left_end(item))
    ]


def _beside(item: Item, row: Item) -> bool:
    return row.box.y0 <= item.point.y <= row.box.y1


def _with_days(items: Sequence[Item]) -> list[Item]:
    """The items, with the days of a month as cells of a grid. Its first and last weeks may be short."""
    numbers = [item for item in items if item.kind == ROW and item.label.isdecimal()]
    weeks = [[each for each in numbers if each.box.y0 <= item.point.y <= each.box.y1] for item in numbers]
    columns = {each.box for week in weeks if len(week) >= DAYS_BESIDE for each in week}
    days = [item for item in numbers if any(_within(item.box, box) for box in columns)]
    return [replace(item, kind=DAY) if item in days else item for item in items]


def _within(cell: Box, column: Box) -> bool:
    return abs(cell.center.x - column.center.x) <= ALIGNED * column.width and cell.width <= 2 * column.width


def _with_wheels(items: Sequence[Item]) -> list[Item]:
    """The items, with rows of numbers below each other as the options of a wheel, all as wide as the widest. The middle
    one is chosen: a longer wheel tells the height where another's list begins or ends.
    """
    found, wheels = list(items), list[list[int]]()
    left = [at for at, item in enumerate(items) if item.kind == ROW and item.label.isdecimal()]
    while left:
        first = items[left[0]].box
        column = [at for at in left if abs(items[at].box.center.x - first.center.x) <= ALIGNED * first.width]
        left = [at for at in left if at not in column]
        if len(column) < WHEEL_ROWS:
            continue
        x0, x1 = min(items[at].box.x0 for at in column), max(items[at].box.x1 for at in column)
        wheels.append(column)
        for at in column:
            found[at] = replace(items[at], kind="option", box=items[at].box._replace(x0=x0, x1=x1))
    longest = [items[at].box for at in max(wheels, key=len, default=[])]
    middle = (longest[0].y0 + longest[-1].y1) / 2 if len(longest) % 2 else -1
    for at in (at for wheel in wheels if not any(items[at].state for at in wheel) for at in wheel):
        if items[at].box.y0 <= middle <= items[at].box.y1:
            found[at] = replace(found[at], state="selected")
    return found
