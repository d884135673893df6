"""Forced decoding: the decoder's own answer, but with an action that somebody else has chosen.

The action is rendered by the paradigm itself. Where a format names elements first (BTL-UI's blink, UILoop's ui), the
answer is made to begin with the element that is meant, so that the thought fits. Up to the token that opens the action
the decoder is free; from there on it can only write the given action.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from saccade.actions import Action
from saccade.geometry import Box, Size
from saccade.paradigms.base import Paradigm, Reply
from saccade.types import Element, Screen
from saccade_mini.codec import SCREEN, SPAN, Sheet, stroke
from saccade_mini.decode import TokenChoice, greedy
from saccade_mini.generator import VERB_FORMS, Generator
from saccade_mini.slots import Slots
from saccade_mini.task_habits import ANSWER, END, HOLD, OPEN, PRESS, SWIPE, TOUCH, TYPE, ActionNames, TaskAction
from saccade_mini.token_constraints import ForcedPrefix, token_tree

FREE = "¿"
"""Stands for a text that the decoder is to write itself."""


class RenderedAction(NamedTuple):
    """An answer with an action, compressed."""

    prefix: str
    """How the answer begins if it names the element first; else empty."""
    form: int
    """The form that opens the action."""
    suffix: str
    """All that follows."""


def forced_choice(
    generator: Generator, paradigm: Paradigm, sheet: Sheet, screen: Screen, name: str, slots: Slots
) -> TokenChoice | None:
    """A token choice that writes an answer with an action of this name; None where the screen or the declared actions
    have none.
    """
    found = (render(paradigm, sheet, screen, *each) for each in actions_of(name, sheet, slots, screen.size))
    rendered = [each for each in found if each is not None]
    if not rendered:
        return None
    suffixes = token_tree(generator.encode(each.suffix) for each in rendered)
    choose = generator.constrained(sheet, greedy, {generator.form(rendered[0].form): suffixes})
    return ForcedPrefix([generator.encode(rendered[0].prefix) if len(rendered) == 1 else []], choose)


def actions_of(name: str, sheet: Sheet, slots: Slots, size: Size) -> Iterator[tuple[Action, Box | None]]:
    """The actions of this name on a screen, and the box of what each touches, in pixels."""
    kind, _, rest = name.partition(" ")
    names = ActionNames(sheet, slots)
    if kind in (TOUCH, HOLD):
        for at in names.targets(name):
            box = _pixels(sheet.items[at].box, size)
            yield Action("click" if kind == TOUCH else "long_press", point=box.center), box
    elif kind == SWIPE:
        for area in (*(item.box for item in sheet.items if item.scrolls), SCREEN):
            start, end = stroke(_pixels(area, size), rest.partition(" ")[0])
            action = Action("swipe", direction=rest.partition(" ")[0], start=start, end=end)  # type: ignore[arg-type]
            if names.of(action, size) == TaskAction(name):
                yield action, None
    elif kind == TYPE:
        yield Action("type", text=slots.get(rest.removeprefix("="), FREE).strip('“”"')), None
    elif kind == OPEN:
        yield Action("open_app", text=rest), None
    elif kind == PRESS:
        yield Action("press", key=rest), None
    elif kind == END:
        yield Action("terminate", status=rest), None  # type: ignore[arg-type]
    elif kind == ANSWER:
        yield Action("answer", text=FREE), None


def render(paradigm: Paradigm, sheet: Sheet, screen: Screen, action: Action, box: Box | None) -> RenderedAction | None:
    """An action in a paradigm's format; None where it has no word for it or the prompt does not declare it."""
    named = (Element(1, box),) if box is not None else ()
    try:
        text = sheet.compress(paradigm.render(Reply(action, named, think=".", plan="."), screen))
    except ValueError:
        return None
    for form in VERB_FORMS:
        before, found, suffix = text.partition(f"<f{form}>")
        if found:
            verb = re.match(r"\w*", suffix)
            if sheet.actions and (verb is None or verb[0] not in sheet.actions):
                return None
            pointer = re.match(r".*?<e\d+>", before, re.DOTALL)
            return RenderedAction(pointer[0] if pointer else "", form, suffix.partition(FREE)[0].removesuffix("<end>"))
    return None


def _pixels(box: Box, size: Size) -> Box:
    (width, height), (x0, y0, x1, y1) = size, box
    return Box(x0 * width / SPAN, y0 * height / SPAN, x1 * width / SPAN, y1 * height / SPAN)
