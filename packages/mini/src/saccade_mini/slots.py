"""Slots of a task's wording, `{name}` in "Call {name}", and the texts that fill them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache

SLOT = re.compile(r"\{(\w+)\}")
QUOTED = re.compile('“([^”]*)”|"([^"]*)"')
TIMES = frozenset({"time", "start", "end", "alarm_time"})
DATES = frozenset({"day", "on"})
FORMS = {
    **dict.fromkeys(TIMES, r"\d{1,2}:\d{2}"),
    **dict.fromkeys(DATES, r"\d{1,2}月\d{1,2}日|[A-Z][a-z]+ \d{1,2}"),
    **dict.fromkeys(("phone", "person_phone"), r"[\d-]+"),
    **dict.fromkeys(("count", "minutes", "level"), r"\d+"),
    "stars": r"\d",
    "region": ".+?区|.+?县|.+?",
}
"""Slots whose texts have a form of their own."""
OPEN = frozenset({"region"})
"""Of those, the slots that may hold other texts as well."""
LEAST = 2
"""Characters of a thing that a slot's text lists."""
_GROUP = re.compile(r"\A(?:the group |群聊)")
_LIST = re.compile(r" and |, |、|和|与")

Slots = Mapping[str, str]


@cache
def pattern(wording: str) -> re.Pattern[str]:
    """Matches instructions in this wording, with a group for each slot."""
    written = re.sub(r"\\\{(\w+)\\\}", r"(?P=\1)", re.escape(wording))
    for slot in dict.fromkeys(SLOT.findall(wording)):
        written = written.replace(f"(?P={slot})", f"(?P<{slot}>{FORMS.get(slot, '.+?')})", 1)
    return re.compile(written + r"\Z", re.DOTALL)


def fillings(slot: str, task: str) -> list[tuple[int, int]] | None:
    """The parts of a task that have the form of a slot; None where any part may fill it. A part of a longer number does
    not count, but a time may end with a colon, or be one of two with a dash between.
    """
    if slot not in FORMS or slot in OPEN:
        return None
    joints = "[:.]" if slot in TIMES else "[:.-]"
    return [found.span() for found in re.finditer(rf"(?<!\d)(?<!\d{joints})(?:{FORMS[slot]})(?!{joints}?\d)", task)]


def mentions(said: str, part: str) -> bool:
    """Does a text contain another? Numbers count only as a whole: 15 minutes are not 5."""
    if part not in said or not (part[0].isdecimal() or part[-1].isdecimal()):
        return part in said
    return re.search(rf"(?<!\d){re.escape(part)}(?!\d)", said) is not None


def parts(text: str) -> list[str]:
    """A slot's text in lower case, without quotation marks and without "the group", and each thing that it lists."""
    whole = _GROUP.sub("", text).strip('“”" ').lower()
    return [each for each in (whole, *_LIST.split(whole)) if len(each) >= min(LEAST, len(whole) or 1)]


def torn(slots: Slots, task: str) -> int:
    """How often a slot's text begins or ends within a Chinese word of the task, as `官婉` does in `认识了上官婉`."""
    inside, found = _inside_words(task), 0
    for text in filter(None, slots.values()):
        places = (at for at in range(len(task)) if task.startswith(text, at))
        found += min(((at in inside) + (at + len(text) in inside) for at in places), default=0)
    return found


@lru_cache(maxsize=64)
def _inside_words(task: str) -> frozenset[int]:
    """The places inside the Chinese words of a text."""
    import rjieba  # noqa: PLC0415  (its dictionary is read when it is imported)

    words = rjieba.tokenize(task, "default", hmm=False)
    return frozenset(place for word, begin, end in words if not word.isascii() for place in range(begin + 1, end))
