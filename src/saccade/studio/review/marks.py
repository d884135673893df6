"""Decisions as rectangles, choices and texts: the three things that annotation programs can ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from saccade.actions import Action, read_action
from saccade.errors import readable
from saccade.geometry import Box
from saccade.untrusted import decode_json

ACTION_TEXT = "action"


class Rectangle(NamedTuple):
    """A box on a picture, with a label and, where one belongs to it, a text."""

    page: int
    """Which of the item's pictures, from 0."""
    box: Box
    label: str
    text: str = ""


class Choice(NamedTuple):
    """One of several answers."""

    page: int
    name: str
    value: str


class Words(NamedTuple):
    """A text that was written."""

    page: int
    name: str
    text: str


Mark = Rectangle | Choice | Words


class Interface(NamedTuple):
    """What has to be asked: labels of rectangles, whether they carry a text, choices by name, names of texts."""

    labels: Sequence[str] = ()
    described: bool = False
    choices: Mapping[str, Sequence[str]] = {}
    texts: Sequence[str] = ()


def action_mark(action: Action, page: int) -> Mark:
    """An action: a rectangle labelled with its type where that says everything, otherwise its JSON as a text."""
    box = action.box
    drawable = box is not None and action.point is not None and action.text != ""
    if drawable and box is not None and Action(action.type, box.center, box, text=action.text) == action:
        return Rectangle(page, box, action.type, action.text or "")
    return Words(page, ACTION_TEXT, msgspec.json.encode(action).decode())


def mark_action(mark: Mark) -> Action | None:
    """The action that a mark stands for; None if it stands for something else."""
    if isinstance(mark, Rectangle):
        value = {"type": mark.label, "point": mark.box.center, "box": mark.box, "text": mark.text or None}
        return read_action({name: each for name, each in value.items() if each is not None})
    if isinstance(mark, Words) and mark.name == ACTION_TEXT:
        try:
            return read_action(decode_json(mark.text))
        except msgspec.DecodeError as error:
            raise ValueError(f"{ACTION_TEXT}: not JSON: {readable(error)}") from None
    return None


def choice(marks: Sequence[Mark], name: str, page: int = 0) -> str | None:
    """The answer to a question; None if it was not answered."""
    found = (mark.value for mark in marks if isinstance(mark, Choice) and (mark.page, mark.name) == (page, name))
    return next(found, None)


def words(marks: Sequence[Mark], name: str, page: int = 0) -> str:
    """A text; empty if none was written."""
    found = (mark.text for mark in marks if isinstance(mark, Words) and (mark.page, mark.name) == (page, name))
    return next(found, "")


def answered(marks: Sequence[Mark], name: str, page: int = 0) -> bool:
    """The answer to a yes-or-no question; `ValueError` if there is none."""
    value = choice(marks, name, page)
    if value not in ("yes", "no"):
        raise ValueError(f"{name}: it is {value!r}: choose yes or no")
    return value == "yes"
