"""Why steps went wrong: UILoop's three classes (App. D), told apart by a rule instead of by hand.

A model must find the element that matters, know what it is, and do the right thing with it. A failed step is classed by
the first of the three that went wrong:

- Locate: of what the answer names, nothing lies at an element that a right action touches. Paradigms that name no
  elements (SecAgent, GuidNav, most others) still point at one when they tap: the tap stands for what they found.
- Lingualize: the element was found, but what the answer says of it does not fit it. Only answers that describe elements
  can be classed so (UILoop, BTL's json dialect); in all others such an error counts as one of the other two.
- Leverage: the element is right, or none was to be touched, and the action is wrong.
- not named: the answer names no element and touches none, or cannot be read at all: nobody can tell what it saw.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

from saccade.agents.records import LoggedStep
from saccade.geometry import Box, Point
from saccade.paradigms import PARADIGMS, get_paradigm
from saccade.paradigms.wording import in_words, quoted
from saccade.scoring.similarity import similarity
from saccade.types import Element

NEAR = 0.04
"""As a share of the screen's diagonal, so r_loc of at least 0.96: how far from an element's centre a place may lie and
still mean it. AitW calls two touches this close one place; on a phone it is half a row of a list."""
SAME = 0.35
"""The least similarity of two descriptions of one thing. Of the 363 golden triples (docs/SIMILARITY.md) 15 % of the
paraphrases lie below it, and 73 % of the unrelated texts: no other threshold divides the English ones better."""
TOUCHES = frozenset({"click", "long_press", "double_click", "right_click", "hover", "select", "type", "drag"})
"""Actions that may touch an element. The icon's box of `open_app` is only another way to do it."""

Error = Literal["locate", "lingualize", "leverage", "not named"]
ERRORS: tuple[Error, ...] = ("locate", "lingualize", "leverage", "not named")
Basis = Literal["elements", "tap", "action"]
BASES: dict[Basis, str] = {
    "elements": "the elements that the answer names",
    "tap": "where it taps",
    "action": "the kind of action alone",
}
"""What the class was told from."""


class Diagnosis(NamedTuple):
    """The class of a failed step, and why."""

    error: Error
    basis: Basis
    why: str


def diagnose(step: LoggedStep) -> Diagnosis:
    """The class of a step that is known to have failed."""
    if step.prediction is None and not step.named:
        return Diagnosis("not named", "action", f"it {_did(step)}")
    wanted = targets(step)
    if wanted and (step.named or names_elements(step.paradigm)):
        return by_elements(step, wanted)
    if wanted:
        return by_tap(step, wanted)
    if step.named and step.key_elements:
        return by_elements(step, step.key_elements)
    return Diagnosis("leverage", "action", f"no element was to be touched; it {_did(step)}")


def names_elements(paradigm: str) -> bool:
    """Do answers of this paradigm name elements? Then to name none is to find none."""
    return paradigm in PARADIGMS.names() and "elements" in get_paradigm(paradigm).answer_parts


def targets(step: LoggedStep) -> list[Element]:
    """The key elements that a right action touches. Data without key elements has at least the truth's own places."""
    places = [
        truth.box or Box.at(truth.point) for truth in step.truth if truth.type in TOUCHES and truth.point is not None
    ]
    places += [Box.at(truth.start) for truth in step.truth if truth.type == "drag" and truth.start is not None]
    key = [
        element
        for element in step.key_elements or ()
        if any(means(place.center, element, step) or place.contains(element.center) for place in places)
    ]
    return key or [_at(step, place) for place in places]


def _at(step: LoggedStep, place: Box) -> Element:
    """A place of the truth as an element, with what the screen says there."""
    under = step.view.element_at(place.center)
    return Element(0, place, text=under.text if under else "", caption=under.caption if under else "")


def means(point: Point, element: Element, step: LoggedStep) -> bool:
    """Does a place mean this element: in its box, or close to its centre and on no other element?"""
    if element.box.contains(point):
        return True
    under = step.view.element_at(point)
    if under is not None and not under.box.contains(element.center):
        return False
    return point.distance(element.center) <= NEAR * math.hypot(*step.screen)


def by_elements(step: LoggedStep, wanted: Sequence[Element]) -> Diagnosis:
    """Where the answer names elements: r_loc and r_lin of those that are wanted, then the action."""
    found = [(element, target) for target in wanted for element in step.named if means(element.center, target, step)]
    if not found:
        if not step.named:
            return Diagnosis("locate", "elements", f"it names no element; {_called(wanted[0])} was wanted")
        pairs = [(element.center.distance(target.center), target) for target in wanted for element in step.named]
        away, target = min(pairs, key=lambda pair: pair[0])
        return Diagnosis(
            "locate", "elements", f"the nearest element that it names is {away:.0f} px from {_called(target)}"
        )
    fits = [(fit, element, target) for element, target in found if (fit := _fit(element, target)) is not None]
    if fits and (best := max(fits, key=lambda each: each[0]))[0] < SAME:
        fit, element, target = best
        said = quoted(element.caption or element.text)
        return Diagnosis("lingualize", "elements", f"it says {said} of {_called(target)} (similarity {fit:.2f})")
    return Diagnosis("leverage", "elements", f"it names {_called(found[0][1])}, but it {_did(step)}")


def _fit(element: Element, target: Element) -> float | None:
    """How well a description fits: by what the element is for, or by what it says. None if either side says nothing."""
    said, known = element.caption or element.text, [text for text in (target.caption, target.text) if text]
    return max(similarity(text, said) for text in known) if said and known else None


def by_tap(step: LoggedStep, wanted: Sequence[Element]) -> Diagnosis:
    """Where the answer names no elements: what its action touches."""
    action = step.prediction
    place = None if action is None or action.type not in TOUCHES else action.point or action.start
    if place is not None:
        if any(means(place, target, step) for target in wanted):
            return Diagnosis("leverage", "tap", f"{_called(wanted[0])} was wanted, but it {_did(step)}")
        return Diagnosis("locate", "tap", f"it {_did(step)}, not {_called(wanted[0])}")
    if action is not None and action.type in {truth.type for truth in step.truth}:
        return Diagnosis("leverage", "action", f"the kind of action is right, but it {_did(step)}")
    return Diagnosis("not named", "action", f"it {_did(step)}: which element it looked for is not known")


def _called(element: Element) -> str:
    x, y = element.center
    return quoted(element.text or element.caption) if element.text or element.caption else f"[{x:.0f}, {y:.0f}]"


def _did(step: LoggedStep) -> str:
    return in_words(step.prediction, step.view) if step.prediction else "gave no answer that can be read"
