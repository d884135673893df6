"""Compares the numbers on a screen with those that a task asks for: picker wheels and calendar days.

Wheels are columns of numbers that are turned, as for the hour and the minute of an alarm. The same number stands on
both, so a label does not say what is touched, and whether a wheel stands right or which way to turn it is arithmetic,
which a small model cannot do. So an action on a wheel or a calendar is named by the part of the time or date that it
sets (`time.1` is the hour, `day.day` the day of the month), and where the widget stands is compared with the task.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from saccade.geometry import Box
from saccade_mini.codec import Sheet
from saccade_mini.slots import Slots

DAY = 24 * 60
LEAST = 2
"""Numbers in view that make a column a wheel."""
REPLACED = "old"
"""The slot of a value that is to be changed: it is not what is wanted."""
LENGTH = "length"
"""The name of a wheel that sets a duration."""
_TIME = re.compile(r"(?<!\d)(\d{1,2}):(\d{2})(?!\d)")
_NUMBER = re.compile(r"\d{1,2}\Z")
_LENGTH = re.compile(r"(?:(\d+) ?(?:h|小时))? ?(?:(\d+) ?(?:m|分))?\Z")
_MONTHS = "january february march april may june july august september october november december".split()
_SHORT = [month[:3] for month in _MONTHS]
_NAMED = "|".join(f"{month[:3]}(?:{month[3:]})?" for month in _MONTHS)
DATE = rf"(?:(\d{{1,2}})月(\d{{1,2}})日|\b({_NAMED}) (\d{{1,2}})\b|\d{{4}}-(\d{{2}})-(\d{{2}}))"
_MONTH = re.compile(rf"(?:\d{{4}}年(\d{{1,2}})月|({_NAMED}) \d{{4}})\Z", re.IGNORECASE)


class Wheel(NamedTuple):
    name: str
    """1 for the leftmost and so on, or `length`."""
    values: dict[int, int]
    """The number that each item shows; minutes on a wheel that sets a duration."""
    box: Box


def date_of(text: str) -> tuple[int, int] | None:
    """Month and day of the first date in a text."""
    found = re.search(DATE, text, re.IGNORECASE)
    return (month_number(found[1] or found[3] or found[5]), int(found[2] or found[4] or found[6])) if found else None


def month_number(month: str) -> int:
    """The number of a month that is given in figures or by its English name."""
    return int(month) if month.isdecimal() else _SHORT.index(month[:3].lower()) + 1


class NumericWidgets:
    """The wheels and the calendar of one screen, with what a task wants of them."""

    def __init__(self, sheet: Sheet, slots: Slots) -> None:
        self._sheet = sheet
        self.wheels = _wheels(sheet)
        self._wanted = _wanted(slots, any(each.name == LENGTH for each in self.wheels)) if self.wheels else {}
        titles = (_MONTH.match(item.label) for item in sheet.items)
        self._month = next((month_number(found[1] or found[2]) for found in titles if found), 0)
        """The month that a calendar's title shows; 0 where there is none."""
        self._dates = {slot: date for slot, text in sorted(slots.items()) if (date := date_of(text)) is not None}

    def name(self, at: int) -> str:
        """What touching an item sets: a part of a slot (`=time.1`) or another number of a wheel; else empty."""
        item, named, other = self._sheet.items[at], list[str](), ""
        if item.kind == "gridcell" and self._month and _NUMBER.match(item.label):
            named = [f"{slot}.day" for slot, date in self._dates.items() if date == (self._month, int(item.label))]
        elif wheel := next((each for each in self.wheels if at in each.values), None):
            named = [each for each, want in self._parts(wheel) if want == wheel.values[at]]
            other = f"wheel {wheel.name}"
        return f"={'+'.join(named)}" if named else other

    def compared(self) -> list[str]:
        """Of each part of a slot, whether its wheel stands there (`same`), shows it (`there`), or shows `more` or
        `less`; of each date, how the shown month compares and whether a button shows the date.
        """
        dates, items = self._dates.items(), self._sheet.items
        found = [f"{slot}.month {compare(self._month, month)}" for slot, (month, _) in dates if self._month]
        on_buttons = {date for item in items if item.kind == "button" and (date := date_of(item.label))}
        found += [f"{slot} {'shown' if date in on_buttons else 'other'}" for slot, date in dates if on_buttons]
        for wheel in self.wheels:
            chosen = {value for at, value in wheel.values.items() if "selected" in items[at].state}
            shown = wheel.values.values()
            for name, want in self._parts(wheel):
                there = "there" if want in shown else compare(max(shown), want)
                found.append(f"{name} {'same' if want in chosen else there}")
        return found

    def _parts(self, wheel: Wheel) -> list[tuple[str, int]]:
        return [(f"{slot}.{wheel.name}", want) for (slot, name), want in self._wanted.items() if name == wheel.name]


def compare(shown: int, wanted: int) -> str:
    return "same" if shown == wanted else "more" if shown > wanted else "less"


def _value_of(label: str) -> tuple[bool, int] | None:
    """Whether an option is a duration, and its number; None where it is no number."""
    if _NUMBER.match(label):
        return False, int(label)
    found = _LENGTH.match(label)
    return (True, 60 * int(found[1] or 0) + int(found[2] or 0)) if found and any(found.groups()) else None


def _wheels(sheet: Sheet) -> list[Wheel]:
    """Columns of options that are numbers, from the left."""
    columns: dict[tuple[float, float, bool], dict[int, int]] = {}
    for at, item in enumerate(sheet.items):
        if item.kind == "option" and (read := _value_of(item.label)) is not None:
            columns.setdefault((item.box.x0, item.box.x1, read[0]), {})[at] = read[1]
    wheels, count = [], 0
    for (x0, x1, lasts), values in sorted(columns.items()):
        if len(values) >= LEAST:
            count += not lasts
            boxes = [sheet.items[at].box for at in values]
            box = Box(x0, min(each.y0 for each in boxes), x1, max(each.y1 for each in boxes))
            wheels.append(Wheel(LENGTH if lasts else str(count), values, box))
    return wheels


def _wanted(slots: Slots, lasting: bool) -> dict[tuple[str, str], int]:
    """Where each wheel should stand, by slot and wheel. If one sets a duration, it stands for the slot `end`."""
    found = ((slot, _TIME.search(text)) for slot, text in sorted(slots.items()) if slot != REPLACED)
    times = {slot: (int(time[1]), int(time[2])) for slot, time in found if time is not None}
    wanted = {(slot, str(at)): part for slot, time in times.items() for at, part in enumerate(time, 1)}
    if lasting and {"start", "end"} <= times.keys():
        first, last = (60 * times[slot][0] + times[slot][1] for slot in ("start", "end"))
        wanted = {each: part for each, part in wanted.items() if each[0] != "end"}
        wanted["end", LENGTH] = (last - first) % DAY
    return wanted
