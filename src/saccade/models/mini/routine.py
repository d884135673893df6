"""What a task does next: a linear model over what it has done so far and what is in view.

The decoder acts on screens that it has not seen, and is sure of itself where it goes wrong: it scrolls where everybody
searches, or goes on behind the last step. What tasks of the same plain wording did next is no matter of reading: behind
the same deed, with the same things in view, it is nearly always the same. Each deed that a task may do has a weight for
each of these hints; a softmax over those that are possible says how likely each is. Trained on recorded episodes
(`train.routine`), kept in the reader's file, and asked for a second thought (`acting`).
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from saccade.models.mini.doing import HOLD, TOUCH, Slots, deed
from saccade.models.mini.text import Sheet

Numbers = npt.NDArray[np.uint32]
LONGEST = 3
"""Digits of a number that counts something."""
OFTEN = 2
"""What was done so often or more is the same."""
_DEED, _HINT = np.uint32(2654435761), np.uint32(2246822519)
"""Odd numbers: each pair of a deed and a hint has a number of its own."""


class Scene(NamedTuple):
    """Where a task stands."""

    wording: str
    """Plain, with its slots open."""
    done: Sequence[str]
    """The names of all deeds so far."""
    seen: Mapping[str, str]
    """The names of what could be touched, from the top, and the state of each."""
    counts: str = ""
    """Of numbers that the task tells, whether more or less stands there."""


def scene_of(wording: str, done: Sequence[str], sheet: Sheet, slots: Slots) -> Scene:
    """Where a task stands on a screen."""
    return Scene(wording, done, in_view(sheet, slots), counted(sheet, slots))


def counted(sheet: Sheet, slots: Slots) -> str:
    """How the number beside what the task speaks of compares with the one that it tells: small models cannot."""
    named = [item for item in sheet.items if "=" in deed(TOUCH, item.label, slots).name and not item.label.isdigit()]
    numbers = [item for item in sheet.items if item.label.isdecimal() and len(item.label) <= LONGEST]
    found = []
    for name, text in sorted(slots.items()):
        if text.isdecimal() and len(text) <= LONGEST and named and numbers:
            pairs = ((abs(each.point.y - item.point.y), int(each.label)) for item in named for each in numbers)
            shown = min(pairs)[1]
            found.append(f"{name} {'more' if shown > int(text) else 'less' if shown < int(text) else 'same'}")
    return " ".join(found)


def in_view(sheet: Sheet, slots: Slots) -> dict[str, str]:
    """What could be touched on a screen, and the state of each."""
    found: dict[str, str] = {}
    for item in sheet.items:
        if item.label and not item.scrolls:
            found.setdefault(deed(TOUCH, item.label, slots).name, item.state)
    return found


def possible(scene: Scene, known: Collection[str]) -> list[str]:
    """Of what such tasks do, what can be done here."""
    return [name for name in known if touched(name) in scene.seen or not name.startswith((TOUCH, HOLD))]


def touched(name: str) -> str:
    """What is held could be touched."""
    return TOUCH + name.removeprefix(HOLD) if name.startswith(HOLD) else name


def hints(scene: Scene, names: Sequence[str], known: Collection[str]) -> Numbers:
    """What speaks for or against each deed, as numbers, deeds by hints: what was done last and before, which slots were
    named, what is in view; and of the deed itself how often it was done and which state its element has.
    """
    wording, done = scene.wording, scene.done
    last, before = (done[-back] if len(done) >= back else "" for back in (1, 2))
    title = next(iter(scene.seen), "")
    named = " ".join(sorted({each for each in done if "=" in each}))
    shared = ["", f"last {last}"]
    own = [
        "", f"last {last}", f"two {before}|{last}", f"named {named}", f"title {title}|{last}", f"counts {scene.counts}",
        *(f"sees {each}" for each in scene.seen if each in known), *(f"did {each}" for each in dict.fromkeys(done)),
    ]  # fmt: skip
    common = [*map(number, shared), *(number(f"{wording}|{each}") for each in own)]
    rows = []
    for name in names:
        times, state = min(OFTEN, done.count(name)), scene.seen.get(touched(name), "")
        alone = [f"times {times}", f"{wording}|times {times}", f"{wording}|state {state}|{last}"]
        rows.append([*common, *map(number, alone)])
    deeds = np.array([number(name) for name in names], dtype=np.uint32)
    return np.asarray(deeds[:, None] * _DEED + np.array(rows, dtype=np.uint32) * _HINT)


def placed(hints: Numbers, kept: Numbers) -> npt.NDArray[np.int32]:
    """Where in a table each hint stands; one that is not kept, behind its end."""
    if not len(kept):
        return np.zeros(hints.shape, dtype=np.int32)
    places = np.searchsorted(kept, hints).clip(max=len(kept) - 1)
    return np.where(kept[places] == hints, places, len(kept)).astype(np.int32)


def number(text: str) -> int:
    return zlib.crc32(text.encode())


class Routine:
    """The weights, at work."""

    KEPT = ("known", "weights", "scale")
    """What it is made of, in a file."""

    def __init__(self, known: Numbers, weights: npt.NDArray[np.int8], scale: npt.ArrayLike) -> None:
        if len(known) != len(weights):
            raise ValueError("each hint has one weight")
        self._known, self._weights, self._scale = known, np.append(weights, np.int8(0)), float(np.asarray(scale))

    def chances(self, scene: Scene, known: Collection[str]) -> dict[str, float]:
        """How likely each deed is that such tasks do and that can be done here."""
        names = possible(scene, known)
        if not names:
            return {}
        weights = self._weights[placed(hints(scene, names, known), self._known)]
        scores = weights.sum(axis=1, dtype=np.float64) * self._scale
        chances = np.exp(scores - scores.max())
        return dict(zip(names, (chances / chances.sum()).tolist(), strict=True))
