"""The notes, notes with a fact to ask for, and to-do lists that a phone's content is drawn from."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from saccade_phone.data_files import ByLanguage, Entry, table

FOLDERS = table("notes", "folders", dict[str, tuple[str, str, str]])
COLORS = table("notes", "colors", dict[str, tuple[str, str, str, str]])


class NoteWords(Entry):
    title: str
    lines: list[str]


class FactWords(NoteWords):
    label: str
    pattern: str
    """What is asked for; each # becomes a digit."""


class TodoWords(Entry):
    name: str
    items: list[str]


class NoteEntry(ByLanguage[NoteWords]):
    folder: str
    emoji: str


class FactEntry(ByLanguage[FactWords]):
    folder: str
    emoji: str


class TodoEntry(ByLanguage[TodoWords]):
    id: str
    emoji: str


class NoteText(NamedTuple):
    """A note's text. `pattern` is empty unless it holds a fact."""

    folder: str
    emoji: str
    title: str
    body: str
    label: str = ""
    pattern: str = ""


class TodoList(NamedTuple):
    id: str
    name: str
    emoji: str
    items: list[str]


@cache
def notes(language: str) -> list[NoteText]:
    found = []
    for each in table("notes", "notes", tuple[NoteEntry, ...]):
        words = each.of(language)
        found.append(NoteText(each.folder, each.emoji, words.title, "\n".join(words.lines)))
    return found


@cache
def facts(language: str) -> list[NoteText]:
    """Notes with one line `label: …` that a question may be about."""
    found = []
    for each in table("notes", "facts", tuple[FactEntry, ...]):
        words = each.of(language)
        body = "\n".join(words.lines)
        found.append(NoteText(each.folder, each.emoji, words.title, body, words.label, words.pattern))
    return found


def fact_line(language: str, label: str) -> str:
    """How the line of a fact begins."""
    return f"{label}：" if language == "zh" else f"{label}: "


@cache
def todo_lists(language: str) -> list[TodoList]:
    found = []
    for each in table("notes", "todo_lists", tuple[TodoEntry, ...]):
        words = each.of(language)
        found.append(TodoList(each.id, words.name, each.emoji, words.items))
    return found
