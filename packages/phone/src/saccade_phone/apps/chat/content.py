"""Draw the chat app's data: threads, groups, messages, moments."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from saccade_phone.app import Data
from saccade_phone.apps.contacts.content import awake
from saccade_phone.data_files import ByLanguage, Words, table
from saccade_phone.seeded_random import Draw


class GroupEntry(ByLanguage[list[str]]):
    """A group and what was said in it: `0:` is the phone's owner, the other numbers are members."""

    name: Words
    emoji: str


TALKS = table("chat", "talks", tuple[ByLanguage[list[str]], ...])
"""Chats with one person: `<` marks what they wrote, `>` what the owner wrote."""

GROUPS = table("chat", "groups", tuple[GroupEntry, ...])

CHATTER = table("chat", "chatter", ByLanguage[list[str]])

POSTS = table("chat", "posts", tuple[tuple[str, str, str], ...])
REMARKS = table("chat", "remarks", tuple[Words, ...])
SIGNATURES = table("chat", "signatures", tuple[Words, ...])
PLACES = table("chat", "places", tuple[Words, ...])
SEARCHES = table("chat", "searches", tuple[Words, ...])
FACES = table("chat", "faces", tuple[str, ...])
"""What a group's picture can be."""


def build(draw: Draw) -> Data:
    """A thread with each person, six groups, moments with likes and comments."""
    threads: dict[str, Any] = {}
    lines: list[tuple[str, list[tuple[str, str]]]] = []
    for person, talk in zip(draw.people, draw.sample(TALKS, len(draw.people)), strict=True):
        threads[person.id] = _thread(draw, person.name, person.emoji, [person.id])
        said = [(person.id if line[0] == "<" else "me", line[1:]) for line in talk.of(draw.language)]
        lines.append((person.id, said))
    for at, group in enumerate(draw.sample(GROUPS, 6)):
        members = [person.id for person in draw.sample(draw.people, draw.integer(3, 8))]
        threads[f"g{at + 1}"] = _thread(draw, draw.t(*group.name), group.emoji, sorted(members))
        script = [*(CHATTER.of(draw.language) if at == 0 else ()), *group.of(draw.language)]
        said = [("me" if line[0] == "0" else members[int(line[0]) - 1], line[2:]) for line in script]
        lines.append((f"g{at + 1}", said))
    friends = {
        person.id: {
            "name": person.name,
            "emoji": person.emoji,
            "remark": "",
            "starred": draw.chance(0.2),
            "signature": draw.t(*words),
            "region": draw.t(*draw.choice(PLACES)),
        }
        for person, words in zip(draw.people, draw.sample(SIGNATURES, len(draw.people)), strict=True)
    }
    posts, comments = _moments(draw)
    return {
        "threads": threads,
        "messages": _messages(draw, lines),
        "friends": friends,
        "posts": posts,
        "comments": comments,
        "status": "",
        "receipts": draw.chance(0.5),
        "by_phone": draw.chance(0.5),
        "history": [draw.t(*words) for words in draw.sample(SEARCHES, 3)],
    }


def _thread(draw: Draw, name: str, emoji: str, members: list[str]) -> dict[str, Any]:
    return {
        "name": name,
        "emoji": emoji,
        "members": members,
        "pinned": draw.chance(0.15),
        "muted": draw.chance(0.2),
        "unread": draw.integer(1, 6) if draw.chance(0.3) else 0,
    }


def message(thread: str, sender: str, text: str, at: str) -> dict[str, Any]:
    return {
        "thread": thread,
        "sender": sender,
        "text": text,
        "at": at,
        "forwarded": "",
        "reply": "",
        "starred": False,
        "deleted": False,
    }


def _messages(draw: Draw, lines: list[tuple[str, list[tuple[str, str]]]]) -> dict[str, Any]:
    """Messages with times; each thread is older than the one before."""
    found: list[dict[str, Any]] = []
    age = timedelta(minutes=draw.integer(3, 20))
    for thread, said in draw.shuffled(lines):
        at = awake(draw.now - age)
        for sender, words in reversed(said):
            found.append(message(thread, sender, words, at.isoformat(timespec="minutes")))
            at = awake(at - timedelta(minutes=draw.choice((1, 1, 2, 3, 5, 12, 50))))
        age += timedelta(minutes=draw.integer(20, 700))
    found.reverse()
    found.sort(key=lambda each: str(each["at"]))
    return {f"m{at + 1}": each for at, each in enumerate(found)}


def _moments(draw: Draw) -> tuple[dict[str, Any], dict[str, Any]]:
    """Moments with comments: the third and the ninth are the owner's, most other authors have one."""
    authors = [person.id for person in draw.sample(draw.people, 11)]
    authors[2:2], authors[8:8] = ["me"], ["me"]
    authors.append(authors[0])
    posts: dict[str, Any] = {}
    comments: dict[str, Any] = {}
    at = draw.now
    for number, (author, (en, zh, emoji)) in enumerate(zip(authors, draw.sample(POSTS, len(authors)), strict=True)):
        at = awake(at - timedelta(minutes=draw.integer(25, 900)))
        id = f"p{number + 1}"
        others = [person.id for person in draw.people if person.id != author]
        posts[id] = {
            "author": author,
            "text": draw.t(en, zh),
            "emoji": emoji,
            "at": at.isoformat(timespec="minutes"),
            "liked": False,
            "likes": draw.sample(others, draw.integer(0, 5)),
            "audience": "all",
        }
        for who, words in zip(draw.sample(others, 3), draw.sample(REMARKS, draw.integer(0, 3)), strict=False):
            comments[f"c{len(comments) + 1}"] = {"post": id, "author": who, "text": draw.t(*words)}
    return posts, comments
