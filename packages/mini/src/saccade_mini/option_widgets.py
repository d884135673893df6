"""Choices: which of several buttons is wanted, and set already.

A task tells the options of a product in words (`color White and size M`, `颜色选白色`), and the days of an alarm in
a word (`every day`): no label is told as it stands on its button. What is wanted and not set is called by its slot, and
what is set as it should be has another name, so that nobody unsets it or goes on before all is set (`doing`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from saccade_mini.codec import Sheet

OPTIONS = "words"
"""The slot that tells options of a product."""
SET, UNWANTED, OTHER = "set", "unwanted", "other"
"""What is set as it should be, or is set and should not be; another option beside one that is wanted."""
_SPOKEN = re.compile(r" and |，")
_DAYS = (
    ("mon", "monday", "周一"), ("tue", "tuesday", "周二"), ("wed", "wednesday", "周三"), ("thu", "thursday", "周四"),
    ("fri", "friday", "周五"), ("sat", "saturday", "周六"), ("sun", "sunday", "周日"),
)  # fmt: skip
_DAY = {name: at for at, names in enumerate(_DAYS) for name in names}
_SPANS = {
    "weekday": range(5), "工作日": range(5), "weekend": range(5, 7), "周末": range(5, 7), "every day": range(7),
    "everyday": range(7), "daily": range(7), "每天": range(7), "once": range(0), "仅一次": range(0),
}  # fmt: skip
_NAMED = re.compile(rf"\b(?:on )?(?:{'|'.join(names[1] for names in _DAYS)})s?\b|周[一二三四五六日]")


def choices(sheet: Sheet, slots: Mapping[str, str]) -> dict[int, str]:
    """What touching each of these buttons does."""
    return {**dict(_days(sheet, slots)), **dict(_options(sheet, slots.get(OPTIONS, "")))}


def _options(sheet: Sheet, words: str) -> Iterator[tuple[int, str]]:
    """What is wanted, and on the same line what is not."""
    told = [each.strip().lower() for each in _SPOKEN.split(words)]
    buttons = {at: item for at, item in enumerate(sheet.items) if item.kind == "button" and item.label}
    ends = {at: (f" {item.label.lower()}", f"选{item.label.lower()}") for at, item in buttons.items()}
    wanted = {at: item for at, item in buttons.items() if any(each.endswith(ends[at]) for each in told)}
    lines = {(item.box.y0, item.box.y1) for item in wanted.values()}
    for at, item in buttons.items():
        if at in wanted:
            yield at, SET if "checked" in item.state else f"={OPTIONS}"
        elif (item.box.y0, item.box.y1) in lines:
            yield at, OTHER


def weekdays(text: str) -> set[int] | None:
    """The days that a text tells and nothing else, Monday first; nothing where it tells something else."""
    told = text.strip().lower()
    for name, span in _SPANS.items():
        if told.removeprefix("on ").removesuffix("s") == name:
            return set(span)
    named = {_DAY[each.removeprefix("on ").removesuffix("s")] for each in _NAMED.findall(told)}
    rest = _NAMED.sub("", told)
    return named if named and not re.sub(r"and|[,、和与 ]", "", rest) else None


def _days(sheet: Sheet, slots: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Where all days of a week have a button: those that a slot wants, and those that are set."""
    buttons = {at: _DAY[item.label.lower()] for at, item in enumerate(sheet.items)
               if item.kind == "button" and item.label.lower() in _DAY}  # fmt: skip
    if len(set(buttons.values())) < len(_DAYS):
        return
    told = ((slot, wanted) for slot, text in slots.items() if (wanted := weekdays(text)) is not None)
    for slot, wanted in told:
        for at, day in buttons.items():
            checked = "checked" in sheet.items[at].state
            if checked or day in wanted:
                yield at, (SET if day in wanted else UNWANTED) if checked else f"={slot}"
