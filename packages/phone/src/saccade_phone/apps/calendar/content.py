"""The calendar's events to draw from, and the holidays of a year."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache
from typing import NamedTuple

from saccade_phone.data_files import ByLanguage, Entry, table

KINDS = table("calendar", "kinds", dict[str, tuple[str, str, str, str]])


class EventTemplate(NamedTuple):
    """An event without a date."""

    kind: str
    start: str
    minutes: int
    guests: int
    title: str
    place: str
    notes: str


class EventWords(Entry):
    title: str
    place: str
    notes: str


class EventEntry(ByLanguage[EventWords]):
    kind: str
    start: str
    minutes: int
    guests: int


@cache
def event_templates(language: str) -> list[EventTemplate]:
    found = []
    for each in table("calendar", "events", list[EventEntry]):
        words = each.of(language)
        found.append(
            EventTemplate(each.kind, each.start, each.minutes, each.guests, words.title, words.place, words.notes)
        )
    return found


class Holiday(NamedTuple):
    id: str
    name: str
    date: str
    emoji: str
    off: bool
    """A day without work."""
    about: str


class HolidayEntry(Entry):
    rule: str
    """`12-25`; `05/2/6`: the second Sunday (Monday is 0) of May, -1 for the last; or a name that `day_of` knows."""
    name: str
    emoji: str
    off: bool
    about: str


HOLIDAYS = table("calendar", "holidays", ByLanguage[list[HolidayEntry]])


ALMANAC = table("calendar", "almanac", dict[int, dict[str, str]])
"""Days that follow the moon or the sun, by year, from the almanac."""


def on_weekday(year: int, month: int, count: int, weekday: int) -> date:
    """The how-manieth such weekday of a month; -1: the last."""
    if count > 0:
        first = date(year, month, 1)
        return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (count - 1))
    last = date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
    return last - timedelta(days=(last.weekday() - weekday) % 7)


def easter(year: int) -> date:
    """The Sunday after the full moon on or after March 21, by the Gregorian computus."""
    golden, century = year % 19, year // 100
    epact = (century - century // 4 - (8 * century + 13) // 25 + 19 * golden + 15) % 30
    epact -= (epact // 28) * (1 - (29 // (epact + 1)) * ((21 - golden) // 11))
    moon = date(year, 3, 21) + timedelta(days=epact)
    return moon + timedelta(days=(6 - moon.weekday()) % 7 or 7)


def day_of(rule: str, year: int) -> date | None:
    if rule == "easter":
        return easter(year)
    if "/" in rule:
        return on_weekday(year, *(int(part) for part in rule.split("/")))
    if rule in ("eve", "lantern"):
        spring = day_of("spring", year)
        return spring and spring + timedelta(days=-1 if rule == "eve" else 14)
    if not rule[0].isdigit():
        if year not in ALMANAC:
            return None
        rule = ALMANAC[year][rule]
    return date.fromisoformat(f"{year}-{rule}")


@cache
def holidays(language: str, year: int) -> list[Holiday]:
    """A year's holidays, in order."""
    found = []
    for each in HOLIDAYS.of(language):
        when = day_of(each.rule, year)
        if when is not None:
            id = f"{each.rule.replace('/', '.')}-{year}"
            found.append(Holiday(id, each.name, when.isoformat(), each.emoji, each.off, each.about))
    return sorted(found, key=lambda holiday: holiday.date)


@cache
def holidays_by_day(language: str, year: int) -> dict[str, Holiday]:
    return {holiday.date: holiday for holiday in holidays(language, year)}
