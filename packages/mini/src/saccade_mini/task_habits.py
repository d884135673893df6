"""What a task does, and after what.

Sure of itself, the mini now and then opens the chat above the one that the task names, turns on the switch that is in
view, or saves a form without the name. Who deletes a chat touches that chat and a handful of buttons that are the same
on every phone, and confirms only behind the chat's name: this is read off the recorded episodes of each task
(`train.doing`). An answer that does anything else, or too early, gets a second thought.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from saccade.geometry import Point
from saccade_mini.codec import Sheet
from saccade_mini.match import LONG, WHOLE, Matcher
from saccade_mini.numeric_widgets import DATE, Figures
from saccade_mini.option_widgets import choices
from saccade_mini.row_disambiguation import astray
from saccade_mini.slots import LEAST, bare, holds, parts

Slots = Mapping[str, str]
Known = Mapping[str, Collection[str]]
"""What a task does, by name, and which of its slots have been named before."""
TOUCH, HOLD, TYPE, OPEN, ANSWER, END = "touch", "hold", "type", "open", "answer", "end"
SWIPE, PRESS = "swipe", "press"
_VERBS = {
    "tap": TOUCH, "click": TOUCH, "longpress": HOLD, "type": TYPE, "open": OPEN, "openapp": OPEN, "answer": ANSWER,
    "terminate": END, "taskcomplete": END, "taskimpossible": END, "swipe": SWIPE, "scroll": SWIPE,
    "systembutton": PRESS, "pressback": PRESS, "presshome": PRESS, "back": PRESS, "home": PRESS, "enter": PRESS,
    "pressenter": PRESS, "navigateback": PRESS, "navigatehome": PRESS,
}  # fmt: skip
"""In any format, without dashes."""
_SUCCESS = {"taskcomplete": "success", "taskimpossible": "failure"}
_OPPOSITE = {"up": "down", "down": "up", "left": "right", "right": "left"}
_WHEEL = " wheel "
ELSEWHERE = " elsewhere"
"""In the row of something that is not meant."""
_DIGITS = re.compile(r"\d+")
_TOLD = re.compile(r" · [^\d$¥].*")
_DAY = re.compile(rf"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), )?{DATE}(?: 周[一二三四五六日])?", re.IGNORECASE)
NOTES = {"en": "Noted: {}. ", "zh": "记下：{}。"}
"""How a thought or a summary keeps in mind what was looked up."""
_NOTED = re.compile(r"(?:Noted: |记下：)(.+?)(?:\.(?: |\Z)|。)")
NOTED = "noted"
"""The slot of what was noted on a screen before, to be used on another."""


class Deed(NamedTuple):
    """Something done: what it is called in every task of its kind, and what it names in this one."""

    name: str
    said: str = ""

    @property
    def touches(self) -> bool:
        return self.name.startswith((TOUCH, HOLD))


def deed(kind: str, said: str, slots: Slots) -> Deed:
    """What is done, with the slots that it names in place of what fills them, without figures and dates."""
    told = said.lower()
    named = "+".join(sorted(name for name, text in slots.items() if any(holds(told, each) for each in parts(text))))
    if kind in (TOUCH, HOLD, TYPE):
        return Deed(f"{kind} ={named}" if named else kind if kind == TYPE else f"{kind} {undated(said)}", said)
    return Deed(f"{kind} {said}".strip())


def undated(label: str) -> str:
    """What a label says on any day, whatever the number, and whatever is told behind a dot (`Home · Robin Hale …`)."""
    return _DIGITS.sub("0", _DAY.sub("0", _TOLD.sub(" ·", label)))


class View:
    """A screen, with what a task speaks of."""

    def __init__(self, sheet: Sheet, slots: Slots) -> None:
        self.sheet, self.slots, self.figures = sheet, slots, Figures(sheet, slots)
        self._astray, self._choices = astray(sheet, slots), choices(sheet, slots)

    def deed(self, kind: str, at: int) -> Deed:
        """What is done by touching or holding an item."""
        label, name = self.sheet.items[at].label, self._choices.get(at) or self.figures.name(at)
        if at in self._astray:
            return Deed(f"{kind} {undated(label)}{ELSEWHERE}", label)
        return Deed(f"{kind} {name}", label) if name else deed(kind, label, self.slots)

    def swipe(self, turn: str, place: Point | None) -> Deed:
        """What is done by a finger that swipes from a place: a list, or one of several wheels."""
        wheel = self.figures.at(place)
        return Deed(f"{SWIPE} {turn}{f'{_WHEEL}{wheel}' if wheel else ''}".strip())

    def targets(self, name: str) -> list[int]:
        """Which elements a deed of this name touches or holds, or which wheel it turns."""
        kind = name.partition(" ")[0]
        if kind == SWIPE:
            return self.figures.scrolls(wheel_of(name))
        if kind not in (TOUCH, HOLD):
            return []
        return [
            at for at, item in enumerate(self.sheet.items)
            if item.label and not item.scrolls and self.deed(kind, at).name == name
        ]  # fmt: skip


def wheel_of(name: str) -> str:
    """Which wheel a deed of this name turns; nothing where it turns none."""
    return name.partition(_WHEEL)[2] if name.startswith(SWIPE) else ""


def aware(slots: Slots, sheet: Sheet) -> Slots:
    """What a task speaks of, and what was noted of other screens, as a thought or a summary says it."""
    found = (_NOTED.match(text) for part, text in sheet.parts if part in ("thought", "context"))
    noted = next((each[1] for each in found if each), "")
    return {**slots, NOTED: noted} if noted else slots


def object_in(answer: str) -> tuple[str, dict[str, Any] | None]:
    """The first object of an answer that holds no other, which is its action in any format: as it is written, and read
    where that can be.
    """
    found = re.search(r"\{[^{}]*\}", answer)
    try:
        return (found[0], msgspec.json.decode(found[0], type=dict[str, Any])) if found else ("", None)
    except msgspec.DecodeError:
        return found[0] if found else "", None


def turn_of(value: Mapping[str, Any]) -> str:
    """Where a finger swipes to in an action of any format; nothing where it cannot be told."""
    if turn := value.get("direction"):
        return str(turn).lower()
    if turn := value.get("input_text"):  # UILoop names what comes into view
        return _OPPOSITE.get(str(turn).lower(), "")
    try:
        (x0, y0), (x1, y1) = value["coordinate"], value["coordinate2"]
        return ("left", "right")[x1 > x0] if abs(x1 - x0) > abs(y1 - y0) else ("up", "down")[y1 > y0]
    except (KeyError, TypeError, ValueError):
        return ""


def place_in(value: Mapping[str, Any], sheet: Sheet) -> Point | None:
    """Where an action of any format begins, if it says so."""
    for key in ("position", "point", "coordinate"):
        match value.get(key):
            case [int() | float() as x, int() | float() as y]:
                return Point(x, y)
    return next((item.point for item in sheet.items if item.id == value.get("id")), None)


def deed_in(answer: str, sheet: Sheet, at: int | None, slots: Slots) -> Deed | None:
    """What an answer does, in any format, where it points at an item of a screen, or at none."""
    value = object_in(answer)[1] or {}
    verb = next((str(value[key]) for key in ("function", "action", "action_type") if key in value), "")
    verb = verb.lower().replace("_", "")
    text = str(value.get("text") or value.get("input_text") or "")
    match _VERBS.get(verb):
        case "touch" | "hold" as kind:
            return None if at is None or not sheet.items[at].label else View(sheet, slots).deed(kind, at)
        case "end":
            return deed(END, _SUCCESS.get(verb) or str(value.get("status") or text), slots)
        case "answer":
            return deed(ANSWER, "", slots)
        case "swipe":
            return View(sheet, slots).swipe(turn_of(value), place_in(value, sheet))
        case "press":
            return deed(
                PRESS, str(value.get("button") or verb.removeprefix("press").removeprefix("navigate")).lower(), slots
            )
        case str(kind):
            return deed(kind, text, slots)
    return None


def able(done: Deed, known: Known, slots: Slots, said: Iterable[str], task: Matcher) -> bool:
    """May a task do this now, behind what was named before? Where nothing is known of it, it may do everything. Nobody
    holds what is only ever touched.
    """
    if not known:
        return True
    if done.name.startswith(HOLD) and done.name not in known:
        return False
    if done.touches and done.name not in known and not done.name.startswith(f"{TOUCH} ="):
        return task.mark(done.said) in (WHOLE, LONG)
    missing = [bare(slots[name]) for name in known.get(done.name, ()) if name in slots]
    told = [each.lower() for each in said]
    return all(any(names(each, slot) for each in told) for slot in missing)


def names(said: str, slot: str) -> bool:
    """Does it name what fills a slot, or a good part of it?"""
    return slot in said or (len(said) >= LEAST - (not said.isascii()) and said in slot)
