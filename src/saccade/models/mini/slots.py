"""Slots of a wording: `{name}` in "Call {name}", and what may fill them."""

from __future__ import annotations

import re
from functools import cache

SLOT = re.compile(r"\{(\w+)\}")
_TIME = r"\d{1,2}:\d{2}"
DATE = r"\d{1,2}月\d{1,2}日|[A-Z][a-z]+ \d{1,2}"
_PHONE = r"[\d-]+"
TIMES = frozenset({"time", "start", "end", "alarm_time"})
DATES = frozenset({"day", "on"})
FORMS = {
    **dict.fromkeys(TIMES, _TIME), **dict.fromkeys(DATES, DATE), **dict.fromkeys(("phone", "person_phone"), _PHONE),
    "count": r"\d+", "stars": r"\d", "minutes": r"\d+", "level": r"\d+", "region": ".+?区|.+?县|.+?",
}  # fmt: skip
"""Slots that look like nothing else."""
OPEN = frozenset({"region"})
"""Of those, the ones that may hold anything."""
_PIECE = re.compile(r"((?:[^{}]|\{\{|\}\})*)(?:\{(\w+)\})?")


@cache
def pattern(way: str) -> re.Pattern[str]:
    """What reads the slots of a wording off an instruction."""
    known: set[str] = set()
    parts = []
    for text, slot in _PIECE.findall(way):
        parts.append(re.escape(text.replace("{{", "{").replace("}}", "}")))
        if slot:
            parts.append(f"(?P={slot})" if slot in known else f"(?P<{slot}>{FORMS.get(slot, '.+?')})")
            known.add(slot)
    return re.compile("".join(parts) + r"\Z", re.DOTALL)


def fillings(slot: str, task: str) -> list[tuple[int, int]] | None:
    """Which parts of a task have the form of a slot; nothing where any part may fill it. No part of a longer number."""
    if slot not in FORMS or slot in OPEN:
        return None
    return [found.span() for found in re.finditer(rf"(?<![\d:.-])(?:{FORMS[slot]})(?![\d:-])", task)]


def slots_in(way: str, said: str) -> list[str]:
    """What fills the slots of a wording."""
    found = pattern(way).match(said)
    return list(found.groupdict().values()) if found else []


def repeated(way: str, said: str) -> int:
    """How many slots hold what another one holds as well: a task seldom speaks of the same thing twice."""
    values = [value.casefold() for value in slots_in(way, said)]
    return len(values) - len(set(values))
