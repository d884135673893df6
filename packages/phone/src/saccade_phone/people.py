"""Draw the people of a phone: contacts, chats, mails and calendars all have the same ones."""

from __future__ import annotations

from saccade_phone.data_files import ByLanguage, table
from saccade_phone.seeded_random import Draw, Person

COUNT = 14
FIRST_NAMES = table("people", "first_names", ByLanguage[list[str]])
LAST_NAMES = table("people", "last_names", ByLanguage[list[str]])
FACES = table("people", "faces", list[str])


def people(draw: Draw) -> list[Person]:
    """Fourteen people whose first names and last names all differ, so that each can be told by either."""
    first, last = draw.sample(FIRST_NAMES.of(draw.language), COUNT), draw.sample(LAST_NAMES.of(draw.language), COUNT)
    found = []
    for at in range(COUNT):
        name = draw.t(f"{first[at]} {last[at]}", f"{last[at]}{first[at]}")
        digits = "".join(str(draw.integer(0, 9)) for _ in range(8))
        phone = draw.t(f"555-{digits[:3]}-{digits[3:7]}", f"1{draw.choice('35789')}{draw.integer(0, 9)}{digits}")
        host = draw.choice(("mailbox.example", "post.example", "letters.example"))
        email = f"{draw.t(first[at].lower(), f'user{digits[:5]}')}.{at + 1}@{host}"
        found.append(Person(f"u{at + 1}", name, phone, email, FACES[at]))
    return found
