"""Figures: what the numbers on a screen have to do with those that a task tells.

Wheels are columns of numbers that are turned, as for the hour and the minute of an alarm. The same number stands on
both, so a label does not say what is touched: the mini set 05 twice where 05:05 was wanted, and saved. Days of a month
look like any number. And whether a wheel or a date stands right already, or which way to turn, is arithmetic, of which
a small model knows nothing. So what is done there is called by the part of the time or the date that it sets, and what
stands there is compared with what should (`doing`, `routine`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from saccade.geometry import Box, Point
from saccade_mini.codec import Sheet

DAY = 24 * 60
"""Minutes."""
LEAST = 2
"""Numbers on a wheel that are in view."""
REPLACED = "old"
"""The slot of what is to change, which is not what is wanted."""
LENGTH = "length"
"""What the wheel is called that says how long something lasts."""
_TIME = re.compile(r"(?<!\d)(\d{1,2}):(\d{2})(?!\d)")
_NUMBER = re.compile(r"\d{1,2}\Z")
_LENGTH = re.compile(r"(?:(\d+) ?(?:h|小时))? ?(?:(\d+) ?(?:m|分))?\Z")
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_SHORT = [month[:3] for month in MONTHS]
_NAMED = "|".join(f"{month[:3]}(?:{month[3:]})?" for month in MONTHS)
DATE = rf"(?:\d{{1,2}}月\d{{1,2}}日|\b(?:{_NAMED}) \d{{1,2}}\b|\d{{4}}-\d{{2}}-\d{{2}})"
"""In any language."""
_PARTS = re.compile(rf"(\d{{1,2}})月(\d{{1,2}})日|({_NAMED}) (\d{{1,2}})|\d{{4}}-(\d{{2}})-(\d{{2}})", re.IGNORECASE)
_MONTH = re.compile(rf"(?:\d{{4}}年(\d{{1,2}})月|({_NAMED}) \d{{4}})\Z", re.IGNORECASE)


class Wheel(NamedTuple):
    name: str
    """1 for the leftmost, and so on."""
    values: dict[int, int]
    """The number that each item shows: minutes where it says how long something lasts."""
    box: Box


def value_of(label: str) -> tuple[bool, int] | None:
    """Whether an option is a length of time, and its number; nothing where it is none."""
    if _NUMBER.match(label):
        return False, int(label)
    found = _LENGTH.match(label)
    return (True, 60 * int(found[1] or 0) + int(found[2] or 0)) if found and any(found.groups()) else None


def date_of(text: str) -> tuple[int, int] | None:
    """The first date in a text, as month and day."""
    whole = re.search(DATE, text, re.IGNORECASE)
    found = _PARTS.match(whole[0]) if whole else None
    if found is None:
        return None
    month = found[1] or found[5] or _SHORT.index(found[3][:3].lower()) + 1
    return int(month), int(found[2] or found[6] or found[4])


def month_of(label: str) -> int:
    """The month that a calendar shows; 0 where it is no such label."""
    found = _MONTH.match(label)
    return 0 if found is None else int(found[1] or _SHORT.index(found[2][:3].lower()) + 1)


class Figures:
    """Of one screen, with what a task wants of them."""

    def __init__(self, sheet: Sheet, slots: Mapping[str, str]) -> None:
        self._sheet = sheet
        self.wheels = list(_wheels(sheet))
        self._wanted = _wanted(slots, any(each.name == LENGTH for each in self.wheels)) if self.wheels else {}
        self._month = next(filter(None, (month_of(item.label) for item in sheet.items)), 0)
        self._dates = {slot: date for slot, text in sorted(slots.items()) if (date := date_of(text)) is not None}

    def name(self, at: int) -> str:
        """What is set by touching an item: a part of a slot, or another number of a wheel; nothing where that is not
        known.
        """
        item = self._sheet.items[at]
        if item.kind == "gridcell" and self._month and _NUMBER.match(item.label):
            named = [slot for slot, date in self._dates.items() if date == (self._month, int(item.label))]
            return f"={'+'.join(f'{slot}.day' for slot in named)}" if named else ""
        for wheel in self.wheels:
            if at in wheel.values:
                named = [each for each, want in self._of(wheel) if want == wheel.values[at]]
                return f"={'+'.join(named)}" if named else f"wheel {wheel.name}"
        return ""

    def at(self, place: Point | None) -> str:
        """The wheel that is turned there."""
        return next((each.name for each in self.wheels if place is not None and each.box.contains(place)), "")

    def scrolls(self, name: str) -> list[int]:
        """The elements that turn a wheel."""
        boxes = [each.box for each in self.wheels if each.name == name]
        around = [at for at, item in enumerate(self._sheet.items)
                  if item.scrolls and any(item.box.contains(box.center) for box in boxes)]  # fmt: skip
        return sorted(around, key=lambda at: self._sheet.items[at].box.area)[:1]

    def compared(self) -> list[str]:
        """Of each part of a slot, whether its wheel stands there, shows it, or shows more or less; of each date, if
        the month is shown, or a later or an earlier one, and if a button shows the day.
        """
        dates = self._dates.items()
        found = [f"{slot}.month {against(self._month, month)}" for slot, (month, _) in dates if self._month]
        shown = {date for item in self._sheet.items if item.kind == "button" and (date := date_of(item.label))}
        found += [f"{slot} {'shown' if date in shown else 'other'}" for slot, date in dates if shown]
        for wheel in self.wheels:
            stands = {value for at, value in wheel.values.items() if "selected" in self._sheet.items[at].state}
            found += [f"{name} {standing(stands, wheel.values.values(), want)}" for name, want in self._of(wheel)]
        return found

    def _of(self, wheel: Wheel) -> list[tuple[str, int]]:
        return [(f"{slot}.{wheel.name}", want) for (slot, name), want in self._wanted.items() if name == wheel.name]


def against(stands: int, wanted: int) -> str:
    return "same" if stands == wanted else "more" if stands > wanted else "less"


def standing(stands: Collection[int], shown: Collection[int], wanted: int) -> str:
    """A number that is shown can be touched, whichever stands there."""
    if wanted in stands:
        return "same"
    return "there" if wanted in shown else against(max(shown), wanted)


def _wheels(sheet: Sheet) -> list[Wheel]:
    """Columns of options that are numbers, from the left."""
    columns: dict[tuple[float, float, bool], dict[int, int]] = {}
    for at, item in enumerate(sheet.items):
        if item.kind == "option" and (read := value_of(item.label)) is not None:
            columns.setdefault((item.box.x0, item.box.x1, read[0]), {})[at] = read[1]
    wheels, count = [], 0
    for (x0, x1, lasts), values in sorted(columns.items()):
        if len(values) >= LEAST:
            count += not lasts
            boxes = [sheet.items[at].box for at in values]
            box = Box(x0, min(each.y0 for each in boxes), x1, max(each.y1 for each in boxes))
            wheels.append(Wheel(LENGTH if lasts else str(count), values, box))
    return wheels


def _wanted(slots: Mapping[str, str], lasting: bool) -> dict[tuple[str, str], int]:
    """Of each slot that tells a time, where which wheel should stand. Where one says how long it lasts, two times are
    that, and the end is set nowhere else.
    """
    times = {slot: (int(found[1]), int(found[2])) for slot, text in sorted(slots.items())
             if slot != REPLACED and (found := _TIME.search(text)) is not None}  # fmt: skip
    wanted = {(slot, str(at)): part for slot, time in times.items() for at, part in enumerate(time, 1)}
    if lasting and {"start", "end"} <= times.keys():
        first, last = (60 * times[slot][0] + times[slot][1] for slot in ("start", "end"))
        wanted = {each: part for each, part in wanted.items() if each[0] != "end"}
        wanted["end", LENGTH] = (last - first) % DAY
    return wanted
