"""Slots of a wording: `{name}` in "Call {name}", and what may fill them."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from saccade_mini.paraphrase_check import QUOTED

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
JOINTS = "的了里"
"""Letters that join words; hardly a name has one."""
_CLOCK = re.compile(rf"{_TIME}|\d{{4}}-\d{{2}}-\d{{2}}")
"""No name of anybody or anything has these in it, though they may stand nearby, as in `told like 09:30`."""
_GROUP = re.compile(r"\A(?:the group |群聊)")
_LISTED = re.compile(r" and |, |、|和|与")
LEAST = 3
"""Letters that a label has in common with a longer slot, to stand for it; of Chinese one fewer."""
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
    """Which parts of a task have the form of a slot; nothing where any part may fill it. No part of a longer number,
    but a time may end with a colon, or be one of two with a dash between.
    """
    if slot not in FORMS or slot in OPEN:
        return None
    joints = "[:.]" if slot in TIMES else "[:.-]"
    return [found.span() for found in re.finditer(rf"(?<!\d)(?<!\d{joints})(?:{FORMS[slot]})(?!{joints}?\d)", task)]


def filled(way: str, said: str) -> dict[str, str]:
    """The slots of a wording, with what fills them."""
    found = pattern(way).match(said)
    return found.groupdict() if found else {}


def joined(way: str, said: str, task: str) -> int:
    """How many slots hold a letter that joins words in Chinese, as `上班的上官婉` does, in words that nobody quoted."""
    quoted = " ".join(one or other for one, other in QUOTED.findall(task))
    return sum(any(each in text for each in JOINTS) for text in filled(way, said).values() if text not in quoted)


def torn(way: str, said: str, task: str) -> int:
    """How often what fills a slot begins or ends within a word of Chinese, as `斯德哥尔` does in `搬去了斯德哥尔摩`."""
    within = _within(task)
    found = 0
    for text in filled(way, said).values():
        places = [at for at in range(len(task)) if task.startswith(text, at)] if text else []
        found += min(((at in within) + (at + len(text) in within) for at in places), default=0)
    return found


@lru_cache(maxsize=64)
def _within(task: str) -> frozenset[int]:
    """The places of a task that are within a word."""
    import rjieba  # noqa: PLC0415  (its dictionary is read when it is imported)

    return frozenset(
        place for word, begin, end in rjieba.tokenize(task, "default", hmm=False) for place in range(begin + 1, end)
        if not word.isascii()
    )  # fmt: skip


def odd(way: str, said: str) -> int:
    """How many slots hold what another one holds as well, for a task seldom speaks of the same thing twice; and how
    many hold a time that are neither for times nor quoted.
    """
    slots = filled(way, said)
    free = {slot for slot in slots if slot not in FORMS and not re.search(rf'[“"]\{{{slot}\}}[”"]', way)}
    timed = sum(_CLOCK.search(slots[slot]) is not None for slot in free)
    return len(slots) - len(set(map(str.casefold, slots.values()))) + timed


def holds(said: str, part: str) -> bool:
    """Is it said? A number only as a whole: 15 minutes are not 5."""
    if part not in said or not (part[0].isdecimal() or part[-1].isdecimal()):
        return part in said
    return re.search(rf"(?<!\d){re.escape(part)}(?!\d)", said) is not None


def parts(text: str) -> list[str]:
    """What fills a slot: all of it, or each of several things that it lists."""
    whole = bare(text)
    return [each for each in (whole, *_LISTED.split(whole)) if len(each) >= min(LEAST - 1, len(whole) or 1)]


def bare(text: str) -> str:
    """What fills a slot, without the quotation marks that it may have, and without saying that it is a group."""
    return _GROUP.sub("", text).strip('“”" ').lower()
