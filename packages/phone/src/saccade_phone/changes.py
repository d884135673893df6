"""What a task wants, said as differences between two states of the phone.

A goal is a list of changes: this was added, that was changed, that is gone. The judge asks that the state differs from
the start by just these and nothing else; the planner asks which are still missing, and which must be taken back. So
"the right thing was ordered" and "nothing else was ordered" are one rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Fields = Mapping[str, Any]


@dataclass(frozen=True)
class Says:
    """A text that is judged by what it must contain; the oracle types `text`."""

    text: str
    must: tuple[str, ...] = ()

    def matches(self, value: object) -> bool:
        words = self.must or (self.text,)
        return isinstance(value, str) and all(fold(word) in fold(value) for word in words)


def fold(words: str) -> str:
    """Texts are compared without case, blanks and end stops."""
    return "".join(words.casefold().split()).rstrip(".。!！?？")


def fits(wanted: object, value: object) -> bool:
    """Is `value` what was wanted?"""
    if isinstance(wanted, Says):
        return wanted.matches(value)
    if isinstance(wanted, str) and isinstance(value, str):
        return fold(wanted) == fold(value)
    return wanted == value


def plain(wanted: Any) -> Any:
    """What the oracle enters for a wanted value."""
    return wanted.text if isinstance(wanted, Says) else wanted


@dataclass(frozen=True)
class Added:
    """A new entry in the collection `path` (`app.name`) with these fields."""

    path: str
    fields: Fields = field(default_factory=dict)


@dataclass(frozen=True)
class Changed:
    """An entry that was there has these fields now."""

    path: str
    id: str
    fields: Fields = field(default_factory=dict)


@dataclass(frozen=True)
class Removed:
    """An entry that was there is gone."""

    path: str
    id: str


@dataclass(frozen=True)
class Value:
    """A single value (`app.name`: a setting, a choice) is this now."""

    path: str
    value: Any


Change = Added | Changed | Removed | Value


def added(path: str, **fields: Any) -> Added:
    return Added(path, fields)


def changed(path: str, id: str, **fields: Any) -> Changed:
    return Changed(path, id, fields)


@dataclass(frozen=True)
class See:
    """A screen that must be looked at: where the answer stands, or where it shows that there is none."""

    app: str
    screen: str
    args: Mapping[str, Any] = field(default_factory=dict)
    query: str = ""
    """What to type into search fields on the way."""
    through: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """As in `Need`."""
    widget: str = ""
    """A text that must have been scrolled into view."""


def see(app: str, screen: str, *, query: str = "", widget: str = "", **args: Any) -> See:
    return See(app, screen, args, query, widget=widget)


@dataclass(frozen=True)
class Need:
    """Where and how something is done: on this screen, with these values in its form, by this deed.

    The planner finds the way there by itself.
    """

    app: str
    screen: str
    args: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    commit: Any = None
    """The `Op` that does it; some widget of the screen must carry it."""
    query: str = ""
    """What to type into search fields on the way."""
    through: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Arguments that screens on the way may have (folders above a folder)."""


Way = Need | list[Change] | None
"""How to bring a change about: a need; other changes that must come first; or None, if it cannot be done."""
