"""Transitions of a walk: the screen before, the action, the screen after; and what a person sees of them.

Everything here is read from the screens. What really changed in a sandbox is `state_claims`' business.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Literal, NamedTuple

import msgspec

from saccade.actions import Action
from saccade.types import Element, Step

LETTER = re.compile(r"[^\W_]")
WORD = re.compile(r"[^\W\d_]")
ON = frozenset({"checked", "selected", "pressed"})
"""States of an element that is switched on or chosen."""
SWITCHES = frozenset({"switch", "checkbox"})
PASSING = frozenset({"focused", "hover", "active"})
"""States that say nothing about what a screen shows."""
LONGEST_NAME = 40
NEAR = 0.5
"""Overlap (intersection over union) from which two boxes are the same place."""

EffectKind = Literal["switch", "choose", "enter", "press", "move"]


class Effect(NamedTuple):
    """What an action visibly did."""

    kind: EffectKind
    """`switch`: something is on or off now; `choose`: one of several is chosen; `enter`: a text stands in a field;
    `press`: something was touched, and the screen changed in another way; `move`: scrolled, went back, waited.
    """
    name: str = ""
    """What was touched, as a person would call it; empty if it has no name."""
    value: str = ""
    """`on` or `off` of a switch; the text that was typed."""


def action_done(step: Step) -> Action | None:
    """What was done on a screen: in a walk its prediction, in a trajectory its truth; None on the last screen."""
    action = step.prediction or (step.truth[0] if step.truth else None)
    return None if action is not None and action.type == "terminate" else action


def touched(step: Step) -> Element | None:
    """The element that an action was done on."""
    action = action_done(step)
    if action is None or action.point is None:
        return None
    told = step.tags.get("element", "")
    known = step.view.element(int(told)) if told.isascii() and told.isdigit() else None
    return known or step.view.element_at(action.point)


def short_name(element: Element, elements: Sequence[Element]) -> str:
    """What a person would call an element: of a row with several texts the first, without pictures and badges on
    pictures; empty if no text of it has a letter or digit.
    """
    inside = [each for each in elements if each.id != element.id and each.text and element.box.contains(each.center)]
    pictures = [each for each in inside if not LETTER.search(each.text)]
    texts = [
        each.text
        for each in inside
        if LETTER.search(each.text) and not any(picture.box.contains(each.center) for picture in pictures)
    ]
    texts.sort(key=lambda text: not WORD.search(text))  # a number alone is a badge, if there is a word too
    name = " ".join((texts[0] if texts and not element.leaf else element.text or element.caption).split())
    return name if LETTER.search(name) and len(name) <= LONGEST_NAME else ""


def screen_title(step: Step) -> str:
    """The first heading of a screen; empty if there is none."""
    headings = [each for each in step.elements if each.type == "heading" and LETTER.search(each.text)]
    return " ".join(headings[0].text.split())[:LONGEST_NAME] if headings else ""


def is_on(element: Element) -> bool:
    return bool(ON & set(element.state.split()))


def same_place(element: Element, elements: Sequence[Element]) -> Element | None:
    """The element of another screen that stands where this one stood."""
    alike = [each for each in elements if each.type == element.type and each.box.iou(element.box) >= NEAR]
    return max(alike, key=lambda each: (each.text == element.text, each.box.iou(element.box)), default=None)


def visible_effect(step: Step, after: Step) -> Effect:
    """What the action of a step did, as the two screens show it."""
    action, element = action_done(step), touched(step)
    assert action is not None
    name = short_name(element, step.elements) if element is not None else ""
    if action.type in ("type", "select"):
        return Effect("enter" if action.type == "type" else "choose", name, action.text or "")
    if action.type not in ("click", "long_press", "double_click", "right_click"):
        return Effect("move")
    twin = same_place(element, after.elements) if element is not None else None
    if element is None or twin is None or is_on(twin) == is_on(element) or screen_title(step) != screen_title(after):
        return Effect("press", name)
    if element.type in SWITCHES:
        return Effect("switch", name, "on" if is_on(twin) else "off")
    if is_on(twin) and element.type != "tab":
        return Effect("choose", name)
    return Effect("press", name)


def screen_key(step: Step, states: bool = True) -> str:
    """Equal for equal screens: the app, the address, and types, texts and states of the elements; without elements,
    the picture. Without `states`, a switch that is on and one that is off are the same.
    """
    shown = [
        (each.type, each.text, " ".join(sorted(set(each.state.split()) - PASSING)) if states else "")
        for each in step.elements
        if each.box.y0 > TOP_BAR * step.screen.height
    ]
    seen = (step.tags.get("app", ""), step.tags.get("url", ""), shown or step.image)
    return blake2b(msgspec.json.encode(seen), digest_size=12).hexdigest()


TOP_BAR = 0.035
"""The share of the height in which phones show the time and the battery."""
