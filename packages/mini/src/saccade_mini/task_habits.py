"""Names actions alike in all tasks of a kind, so that their episodes can be compared.

An action is named by the slots that it mentions instead of their texts: touching "Ann Lee" is `touch =name` in a task
to call Ann Lee. Which actions tasks of each kind take was extracted from recorded episodes (`reader.npz`);
`next_action_model` chooses among them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from saccade.actions import Action
from saccade.geometry import PERMILLE, Box, Point, Size
from saccade_mini.codec import SCREEN, Sheet, stroke
from saccade_mini.match import LONG, WHOLE, Matcher
from saccade_mini.numeric_widgets import DATE, NumericWidgets
from saccade_mini.seen_elements import FIELD, read_alike
from saccade_mini.slots import Slots, mentions, parts

TOUCH, HOLD, TYPE, OPEN, ANSWER, END = "touch", "hold", "type", "open", "answer", "end"
SWIPE, PRESS = "swipe", "press"
_WHEEL = " wheel "
_DETAILS = re.compile(r" · [^\d$¥].*")
"""Details behind a dot (`Home · Robin Hale …`). Without them, dates and numbers, labels are alike in all episodes."""
_DAY = re.compile(rf"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), )?{DATE}(?: 周[一二三四五六日])?", re.IGNORECASE)
_NOTED = re.compile(r"(?:Noted: |记下：)(.+?)(?:\.(?: |\Z)|。)")
"""How a thought or a summary keeps what was looked up on an earlier screen."""
NOTED = "noted"
"""The slot of what was noted on an earlier screen."""
FREE = "¿"
"""Stands for a text that the decoder is to write itself."""


class TaskAction(NamedTuple):
    """An action of a task."""

    name: str
    """What it is called in every task of its kind."""
    text: str = ""
    """The label that it touches, or what it types."""
    seen: str = ""
    """The type of what it touches, if that was found in a picture: texts are read with mistakes there."""


class ActionNames:
    """Names the actions of one screen of a task, and finds those of a name."""

    def __init__(self, sheet: Sheet, slots: Slots) -> None:
        self.sheet, self.slots, self.widgets = sheet, slots, NumericWidgets(sheet, slots)

    def of(self, action: Action | None, size: Size) -> TaskAction | None:
        """An action on a screen of this size in pixels; None where nothing with a label is touched."""
        match action:
            case Action(type="click" | "long_press" as kind, point=Point() as point):
                at = self.sheet.place(PERMILLE.encode(point, size))
                if at is not None and self.sheet.items[at].label:
                    return self.item(TOUCH if kind == "click" else HOLD, at)
            case Action(type="type", text=str(text)):
                named = self.slots_in(text)
                return TaskAction(f"{TYPE} ={named}" if named else TYPE, text)
            case Action(type="open_app", text=str(text)):
                return TaskAction(f"{OPEN} {text}")
            case Action(type="answer"):
                return TaskAction(ANSWER)
            case Action(type="swipe", direction=str(direction), start=start):
                begin = PERMILLE.encode(start, size) if start else None
                wheels = (_WHEEL + each.name for each in self.widgets.wheels if begin and each.box.contains(begin))
                return TaskAction(f"{SWIPE} {direction}{next(wheels, '')}")
            case Action(type="press", key=str(key)):
                return TaskAction(f"{PRESS} {key.lower()}")
            case Action(type="terminate", status=str(status)):
                return TaskAction(f"{END} {status}")
        return None

    def item(self, kind: str, at: int) -> TaskAction:
        """Touching or holding an item."""
        label = self.sheet.items[at].label
        named = self.slots_in(label)
        undated = re.sub(r"\d+", "0", _DAY.sub("0", _DETAILS.sub(" ·", label)))
        name = self.widgets.name(at) or (f"={named}" if named else undated)
        return TaskAction(f"{kind} {name}", label, self.sheet.items[at].kind if self.sheet.pictured else "")

    def actions(self, name: str, size: Size) -> Iterator[tuple[Action, Box | None]]:
        """The actions of this name on a screen, and the box of what each touches, in pixels."""
        kind, _, rest = name.partition(" ")
        items = self.sheet.items
        if kind in (TOUCH, HOLD):
            for at, item in enumerate(items):
                if item.label and not item.scrolls and self.item(kind, at).name == name:
                    box = PERMILLE.decode_box(item.box, size)
                    yield Action("click" if kind == TOUCH else "long_press", point=box.center), box
        elif kind == SWIPE:
            direction = rest.partition(" ")[0]
            for area in (*(item.box for item in items if item.scrolls), SCREEN):
                start, end = stroke(PERMILLE.decode_box(area, size), direction)
                action = Action("swipe", direction=direction, start=start, end=end)  # type: ignore[arg-type]
                if self.of(action, size) == TaskAction(name):
                    yield action, None
        elif kind == TYPE:
            yield Action("type", text=self.slots.get(rest.removeprefix("="), FREE).strip('“”"')), None
        elif kind == OPEN:
            yield Action("open_app", text=rest), None
        elif kind == PRESS:
            yield Action("press", key=rest), None
        elif kind == END:
            yield Action("terminate", status=rest), None  # type: ignore[arg-type]
        elif kind == ANSWER:
            yield Action("answer", text=FREE), None

    def slots_in(self, text: str) -> str:
        """The names of the slots that a text mentions, joined by +."""
        said = text.lower()
        return "+".join(sorted(s for s, full in self.slots.items() if any(mentions(said, p) for p in parts(full))))


def wheel_of(name: str) -> str:
    """The wheel that an action of this name turns, or empty."""
    return name.partition(_WHEEL)[2] if name.startswith(SWIPE) else ""


def with_notes(slots: Slots, sheet: Sheet) -> Slots:
    """A task's slots, and what was noted on an earlier screen."""
    found = (_NOTED.match(text) for part, text in sheet.parts if part in ("thought", "context"))
    noted = next((each[1] for each in found if each), "")
    return {**slots, NOTED: noted} if noted else slots


def allowed(action: TaskAction, habits: Collection[str], task: Matcher) -> bool:
    """Do tasks with these `habits` do this? They touch what such tasks touch, what fills a slot, what they mention; in
    a picture what may be one of these, and any field: it shows what it holds, and its name may stand beside it.
    """
    if not habits or action.name in habits or not action.name.startswith((TOUCH, HOLD)) or action.seen == FIELD:
        return True
    mentioned = action.name.startswith(f"{TOUCH} =") or task.mark(action.text) in (WHOLE, LONG)
    name, touched = action.name.partition(" ")[2], (each.partition(" ")[2] for each in habits if each.startswith(TOUCH))
    mentioned = mentioned or (action.seen != "" and any(read_alike(name, each) for each in touched))
    return mentioned and not action.name.startswith(HOLD)
