"""What a task does next: a linear model over what it has done so far and what is in view.

The decoder acts on screens that it has not seen, and is sure of itself where it goes wrong: it scrolls where everybody
searches, or goes on behind the last step. What tasks of the same plain wording did next is no matter of reading: behind
the same deed, with the same things in view, it is nearly always the same. Each deed that a task may do has a weight for
each of these hints; a softmax over those that are possible says how likely each is. Trained on recorded episodes
(`train.routine`), kept in the reader's file, and asked for a second thought (`acting`).
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from saccade_mini.codec import Sheet
from saccade_mini.numeric_widgets import against
from saccade_mini.row_disambiguation import ADDING, CHANGED, listed
from saccade_mini.task_habits import ELSEWHERE, HOLD, NOTED, TOUCH, TYPE, Slots, View, deed, wheel_of

Numbers = npt.NDArray[np.uint32]
LONGEST = 3
"""Digits of a number that counts something."""
TURNED = {"up": "less", "down": "more"}
"""Where a wheel shows less than is wanted, it is turned up."""
SAVING = frozenset({"Save", "保存"})
"""Buttons that nobody touches before all wheels stand right: in recorded episodes none of 189 times."""
FIGURE = re.compile(r"\.(?:\d|length)(?=[ +])")
"""A part of a slot that a wheel sets."""
UNCHANGED = ("nothing changed", "没有变化")
"""How a prompt says that the last action did nothing."""
OFTEN = 4
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
    counts: Sequence[str] = ()
    """Of numbers that the task tells, whether more or less stands there."""
    still: bool = False
    """Did nothing change?"""


def scene_of(wording: str, done: Sequence[str], sheet: Sheet, slots: Slots) -> Scene:
    """Where a task stands on a screen."""
    view = View(sheet, slots)
    counts = [*counted(sheet, slots), *view.figures.compared()]
    if total := listed(slots):
        counts.append(f"list.adds {against(sum(each.removeprefix(f'{TOUCH} ') in ADDING for each in done), total)}")
    return Scene(wording, done, in_view(view), counts, still(sheet))


def still(sheet: Sheet) -> bool:
    return any(part == "done" and text in UNCHANGED for part, text in sheet.parts)


def counted(sheet: Sheet, slots: Slots) -> list[str]:
    """How the number beside what the task speaks of compares with the one that it tells: small models cannot."""
    named = [item for item in sheet.items if "=" in deed(TOUCH, item.label, slots).name and not item.label.isdigit()]
    numbers = [item for item in sheet.items if item.label.isdecimal() and len(item.label) <= LONGEST]
    found = []
    for name, text in sorted(slots.items()):
        if text.isdecimal() and len(text) <= LONGEST and named and numbers:
            pairs = ((abs(each.point.y - item.point.y), int(each.label)) for item in named for each in numbers)
            shown = min(pairs)[1]
            found.append(f"{name} {against(shown, int(text))}")
    return found


def in_view(view: View) -> dict[str, str]:
    """What could be touched on a screen, and the state of each; which wheels could be turned; what was noted."""
    found: dict[str, str] = {}
    for at, item in enumerate(view.sheet.items):
        if item.label and not item.scrolls:
            found.setdefault(view.deed(TOUCH, at).name, item.state)
    more = [f"wheel {each.name}" for each in view.figures.wheels] + [NOTED] * (NOTED in view.slots)
    return found | dict.fromkeys(more, "")


def possible(scene: Scene, known: Collection[str]) -> list[str]:
    """Of what such tasks do, what can be done here."""
    return [name for name in known if (needed(name) in scene.seen or not needed(name)) and not vain(name, scene.counts)]


def vain(name: str, counts: Collection[str]) -> bool:
    """Does it turn a wheel away from all that is wanted of it, set one that stands right, change a number that is right
    or make it worse, add what is not wanted, or save before all wheels stand right?
    """
    kind, _, label = name.partition(" ")
    if kind == TOUCH and label.endswith(ELSEWHERE):
        return label.removesuffix(ELSEWHERE) in ADDING
    if kind == TOUCH and label in SAVING:
        wheels = {alike(each) for each in counts if FIGURE.search(each)}
        return any(f"{each.partition(' ')[0]} same" not in wheels for each in wheels)
    if kind == TOUCH and FIGURE.search(f"{label} "):
        return all(f"{each} same" in counts for each in label.removeprefix("=").split("+"))
    wheel = wheel_of(name)
    wanted = TURNED.get(name.split(" ")[1]) if wheel else CHANGED.get(label) if kind == TOUCH else None
    if wanted is None:
        return False
    hows = [how for part, _, how in (alike(each).partition(" ") for each in counts) if part == wheel]
    return bool(hows) and wanted not in hows


def needed(name: str) -> str:
    """What must be in view to do this; nothing where it can be done everywhere."""
    if wheel := wheel_of(name):
        return f"wheel {wheel}"
    if name == f"{TYPE} ={NOTED}":
        return NOTED
    return touched(name) if name.startswith((TOUCH, HOLD)) else ""


def touched(name: str) -> str:
    """What is held could be touched."""
    return TOUCH + name.removeprefix(HOLD) if name.startswith(HOLD) else name


def hints(scene: Scene, names: Sequence[str], known: Collection[str]) -> Numbers:
    """What speaks for or against each deed, as numbers, deeds by hints: what was done last and before, how often in a
    row, which slots were named and which are there, what is in view and in which state, how numbers compare; and of the
    deed itself how often it was done and which state its element has.
    """
    wording, done = scene.wording, scene.done
    last, before = (done[-back] if len(done) >= back else "" for back in (1, 2))
    title = next(iter(scene.seen), "")
    named = " ".join(sorted({each for each in done if "=" in each}))
    there = " ".join(sorted(each for each in scene.seen if "=" in each))
    again = again_and_again(scene)
    own = [
        "", f"last {last}", f"two {before}|{last}", f"named {named}", f"title {title}|{last}", f"again {again}",
        f"noted {NOTED in scene.seen}|{last}",
        f"there {there}", f"there {there}|named {named}", f"there {there}|last {last}",
        *(f"counts {each}" for each in scene.counts), *(f"counts {each}|{last}" for each in scene.counts),
        *(f"sees {each}" for each in scene.seen if each in known),
        *(f"sees {each}|{state}" for each, state in scene.seen.items() if state and each in known),
        *(f"did {each}" for each in dict.fromkeys(done)),
    ]  # fmt: skip
    common = [number(f"{wording}|{each}") for each in own]
    rows = []
    for name in names:
        times, state = min(OFTEN, done.count(name)), scene.seen.get(touched(name), "")
        alone = [f"{wording}|times {times}", f"{wording}|state {state}|{last}"]
        rows.append([*common, *map(number, alone)])
    return np.concatenate([shared_hints(scene, names), _pairs(names, rows)], axis=1)


def shared_hints(scene: Scene, names: Sequence[str]) -> Numbers:
    """Those that say the same in a task of any wording."""
    last = scene.done[-1] if scene.done else ""
    common = ["", f"last {last}", f"again {again_and_again(scene)}"]
    common += [f"counts {each}" for each in set(map(alike, scene.counts))]
    return _pairs(names, [[number(each) for each in (*common, f"times {min(OFTEN, scene.done.count(name))}")]
                          for name in names])  # fmt: skip


def again_and_again(scene: Scene) -> str:
    """What was done last, how often in a row, and if that changed nothing."""
    last = scene.done[-1] if scene.done else ""
    run = next((at for at, each in enumerate(reversed(scene.done)) if each != last), len(scene.done))
    return f"{last}|{min(OFTEN, run)}|{scene.still}"


def _pairs(names: Sequence[str], hints: Sequence[Sequence[int]]) -> Numbers:
    """Of each deed with each of its hints."""
    deeds = np.array([number(name) for name in names], dtype=np.uint32)
    return np.asarray(deeds[:, None] * _DEED + np.array(hints, dtype=np.uint32) * _HINT)


def alike(count: str) -> str:
    """How a number compares, whichever slot tells it: `time.2 more` and `start.2 more` are both `2 more`."""
    name, _, how = count.rpartition(" ")
    return f"{name.partition('.')[2]} {how}"


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

    @property
    def table(self) -> tuple[Numbers, npt.NDArray[np.float32]]:
        """Its hints, and the weight of each."""
        return self._known, self._weights[:-1].astype(np.float32) * np.float32(self._scale)

    def chances(self, scene: Scene, known: Collection[str]) -> dict[str, float]:
        """How likely each deed is that such tasks do and that can be done here."""
        names = possible(scene, known)
        if not names:
            return {}
        weights = self._weights[placed(hints(scene, names, known), self._known)]
        scores = weights.sum(axis=1, dtype=np.float64) * self._scale
        chances = np.exp(scores - scores.max())
        return dict(zip(names, (chances / chances.sum()).tolist(), strict=True))
