"""The changes a task asks for: entries added, changed or removed, and single values set.

A goal is a list of changes. The judge requires that the state differs from the start by exactly these; the planner
works on those that are missing, and reverts any other. So "the right thing was ordered" and "nothing else was ordered"
are one rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Fields = Mapping[str, Any]


@dataclass(frozen=True)
class Says:
    """A text that must contain certain words; the oracle types `text`."""

    text: str
    must: tuple[str, ...] = ()

    def matches(self, value: object) -> bool:
        words = self.must or (self.text,)
        return isinstance(value, str) and all(fold(word) in fold(value) for word in words)


def fold(words: str) -> str:
    """The text without case, spaces and final punctuation, for comparing."""
    return "".join(words.casefold().split()).rstrip(".。!！?？")


def fits(wanted: object, value: object) -> bool:
    """Whether `value` is what was wanted."""
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
    """A screen that must be opened: the one that shows the answer, or that there is none."""

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
    """How a change is made: on this screen, with these values in its form, by this command.

    The planner finds the path to the screen by itself.
    """

    app: str
    screen: str
    args: Mapping[str, Any] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    commit: Any = None
    """The `Op` that does it; a widget of the screen must have it."""
    query: str = ""
    """What to type into search fields on the way."""
    through: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Arguments that screens on the path may have, such as the folders above a folder."""


Way = Need | list[Change] | None
"""How to make a change: a need; other changes that must come first; or None if it cannot be made."""
