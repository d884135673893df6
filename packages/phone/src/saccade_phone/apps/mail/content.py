"""Draw the mails from the letters in data/mail.json.

Letters without a sender are from one of the phone's people. `fact` names the one thing that can be asked about the
letter, which stands in it as {amount}, {code}, {time}, {gate}, {room} or {spot}.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, NamedTuple

from saccade_phone.data_files import ByLanguage, Entry, Words, table
from saccade_phone.seeded_random import Draw


class Letter(NamedTuple):
    emoji: str
    name: str
    address: str
    fact: str
    subject: str
    body: str


class LetterWords(Entry):
    subject: str
    body: list[str]
    """Paragraphs."""
    emoji: str = ""
    name: str = ""
    address: str = ""


class LetterEntry(ByLanguage[LetterWords]):
    fact: str = ""


def letters(name: str) -> ByLanguage[tuple[Letter, ...]]:
    """The letters of one table, in both languages."""
    entries = table("mail", name, tuple[LetterEntry, ...])
    return ByLanguage(*(tuple(_letter(each.of(language), each.fact) for each in entries) for language in ("en", "zh")))


def _letter(words: LetterWords, fact: str) -> Letter:
    return Letter(words.emoji, words.name, words.address, fact, words.subject, "\n".join(words.body))


SERVICE = letters("service")

PERSONAL = letters("personal")

SPAM = letters("spam")

SENT = letters("sent")

DRAFTS = letters("drafts")


FOLDERS = table("mail", "folders", tuple[Words, ...])
PLACES = table("mail", "places", dict[str, ByLanguage[tuple[str, ...]]])


def facts(draw: Draw) -> dict[str, str]:
    """What one letter may speak of."""
    day = draw.day(1, 20)
    sums, pence = draw.integer(12, 480), draw.integer(1, 99)
    return {
        "amount": draw.t(f"${sums}.{pence:02}", f"¥{sums}.{pence:02}"),
        "code": str(draw.integer(100000, 999999)),
        "time": f"{draw.integer(8, 19):02}:{draw.choice(('00', '10', '15', '20', '30', '40', '45'))}",
        "day": draw.t(f"{day:%B} {day.day}", f"{day.month}月{day.day}日"),
        "month": draw.t(f"{draw.today:%B}", f"{draw.today.month}月"),
        "me": draw.t("Robin", "苏晴"),
        **{kind: draw.choice(names.of(draw.language)) for kind, names in PLACES.items()},
    }


def written(draw: Draw, letter: Letter, folder: str, account: dict[str, str], days: tuple[int, int]) -> dict[str, Any]:
    """A letter as a mail in a folder, so many days old."""
    at = draw.now - timedelta(minutes=draw.integer(days[0] * 1440 + 9, days[1] * 1440))
    person, known = draw.choice(draw.people), facts(draw)
    mine = folder in ("sent", "drafts")
    name, sender, emoji = letter.name or person.name, letter.address or person.email, letter.emoji or person.emoji
    sign = account["name"] if mine else name
    if letter.address:
        body = draw.t(
            f"Dear {known['me']},\n{letter.body}\nKind regards,\n{sign}",
            f"{known['me']}，您好：\n{letter.body}\n——{sign}",
        )
    else:
        body = draw.t(f"Hi,\n{letter.body}\nBest wishes,\n{sign.split()[0]}", f"你好：\n{letter.body}\n——{sign}")
    return {
        "folder": folder,
        "origin": "inbox",
        "reply": "",
        "forward": "",
        "sender": account["email"] if mine else sender,
        "name": account["name"] if mine else name,
        "emoji": "🙂" if mine else emoji,
        "to": [person.email] if mine else [account["email"]],
        "subject": letter.subject,
        "body": body.format(**known),
        "at": at.isoformat(sep=" ", timespec="minutes"),
        "read": folder not in ("inbox", "spam") or draw.chance(0.65),
        "starred": folder not in ("spam", "trash", "drafts") and draw.chance(0.15),
        "fact": {"kind": letter.fact, "value": known[letter.fact]} if letter.fact else {},
    }
