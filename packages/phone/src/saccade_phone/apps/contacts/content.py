"""Draw the contacts: the people of the phone, eighteen others, some services, and the last calls."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any

from saccade_phone.app import Data
from saccade_phone.data_files import ByLanguage, Words, table
from saccade_phone.seeded_random import Draw

INITIALS_OF = table("contacts", "initials", dict[str, str])
INITIALS = {sign: letter for letter, signs in INITIALS_OF.items() for sign in signs}
"""The letter under which a Chinese name is listed, by its first character's pinyin."""

NAMES = table("contacts", "names", ByLanguage[tuple[str, ...]])
SERVICES = table("contacts", "services", tuple[tuple[str, str, str], ...])
FACES = table("contacts", "faces", list[str])
COMPANIES = table("contacts", "companies", tuple[Words, ...])
"""More than there are people, so that all have different ones."""
GROUPS = table("contacts", "groups", dict[str, Words])


@lru_cache(4096)
def days_ago(now: str, at: str) -> int:
    return (date.fromisoformat(now[:10]) - date.fromisoformat(at[:10])).days


def awake(at: datetime) -> datetime:
    """A time between midnight and eight is moved to the evening before."""
    return at - timedelta(hours=at.hour + 2) if at.hour < 8 else at


def initial(name: str) -> str:
    """The letter under which a name is listed."""
    first = name[:1].upper()
    return first if "A" <= first <= "Z" else INITIALS.get(first, "#")


def by_initial(names: Mapping[str, str]) -> dict[str, list[str]]:
    """Ids by the letter under which their names are listed, in order."""
    found: dict[str, list[str]] = {}
    for letter, _, id in sorted((initial(name), name, id) for id, name in names.items()):
        found.setdefault(letter, []).append(id)
    return found


def build(draw: Draw) -> Data:
    """The phone's people, eighteen others, and four services."""
    companies = draw.shuffled(COMPANIES)
    known = [(person.id, person.name, person.phone, person.email, person.emoji) for person in draw.people]
    taken = {person.name for person in draw.people}
    names = [name for name in NAMES.of(draw.language) if name not in taken]
    for at, name in enumerate(draw.sample(names, 18)):
        known.append((f"k{at + 1}", name, number(draw), address(draw, name, at), draw.choice(FACES)))
    people = {
        id: {
            "name": name,
            "phone": phone,
            "email": email,
            "emoji": emoji,
            "company": draw.t(*companies.pop()),
            "birthday": birthday(draw),
            "favorite": draw.chance(0.15),
            "group": draw.choice(("family", "friends", "friends", "work", "work", "school", "")),
        }
        for id, name, phone, email, emoji in known
    }
    for at, (en, zh, emoji) in enumerate(draw.sample(SERVICES, 4)):
        blank = {"email": "", "company": "", "birthday": "", "favorite": False, "group": "services"}
        people[f"s{at + 1}"] = {"name": draw.t(en, zh), "phone": number(draw), "emoji": emoji, **blank}
    groups = {id: {"name": draw.t(*names)} for id, names in GROUPS.items()}
    strangers = [number(draw) for _ in range(5)]
    blocked = {f"b{at + 1}": {"number": number(draw)} for at in range(3)}
    blocked["b4"] = {"number": strangers[0]}
    return {
        "people": people,
        "groups": groups,
        "blocked": blocked,
        "calls": calls(draw, people, strangers),
        "history": [],
    }


def number(draw: Draw) -> str:
    digits = "".join(str(draw.integer(0, 9)) for _ in range(8))
    return draw.t(f"555-{digits[:3]}-{digits[3:7]}", f"1{draw.choice('35789')}{draw.integer(0, 9)}{digits}")


def address(draw: Draw, name: str, at: int) -> str:
    host = draw.choice(("mailbox.example", "post.example", "letters.example"))
    return f"{draw.t(name.partition(' ')[0].lower(), f'mail{draw.integer(1000, 9999)}')}.{at + 30}@{host}"


def birthday(draw: Draw) -> str:
    return (date(1956, 1, 1) + timedelta(days=draw.integer(0, 18000))).isoformat()


def calls(draw: Draw, people: Mapping[str, Any], strangers: list[str]) -> dict[str, Any]:
    """Thirty calls of the last days, newest first; no two at the same time of day."""
    numbers = [person["phone"] for person in people.values()]
    regulars = draw.sample(numbers, 14)
    found: dict[str, Any] = {}
    hours: set[str] = set()
    at = draw.now
    while len(found) < 30:
        at = awake(at - timedelta(minutes=draw.integer(20, 600)))
        if at.strftime("%H:%M") in hours:
            continue
        hours.add(at.strftime("%H:%M"))
        kind = draw.choice(("in", "out", "out", "missed", "missed"))
        called = draw.choice(strangers) if kind != "out" and draw.chance(0.25) else draw.choice(regulars)
        seconds = 0 if kind == "missed" else draw.integer(8, 1900)
        found[f"l{len(found) + 1}"] = {
            "number": called,
            "kind": kind,
            "at": at.isoformat(timespec="minutes"),
            "seconds": seconds,
            "hidden": False,
        }
    return found
