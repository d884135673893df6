"""Predicts the next action of a known task: a linear model over what was done so far and what is in view.

The decoder is sure of itself where it goes wrong: it scrolls where everybody searches, or goes on behind the last step.
Behind the same action, with the same things in view, tasks of one wording nearly always do the same next. Each pair of
an action and a feature has a weight; a softmax over the possible actions gives their probabilities. Trained on recorded
episodes, kept in `reader.npz`.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from saccade_mini.codec import Sheet
from saccade_mini.numeric_widgets import compare
from saccade_mini.slots import Slots
from saccade_mini.task_habits import HOLD, NOTED, TOUCH, TYPE, ActionNames, wheel_of

Hashes = npt.NDArray[np.uint32]
TURNED = {"up": "less", "down": "more"}
"""A wheel that shows less than is wanted is turned up."""
CHANGED = {"Increase": "less", "增加": "less", "Decrease": "more", "减少": "more"}
"""How the number beside a button compares with the one that is wanted, whenever it is touched (885 of 890 times)."""
SAVING = frozenset({"Save", "保存"})
"""Buttons that nobody touches before all wheels stand right: none of 189 times in recorded episodes."""
WHEEL_PART = re.compile(r"\.(?:\d|length)(?=[ +])")
"""A part of a slot that a wheel sets."""
UNCHANGED = ("nothing changed", "没有变化")
"""How a prompt says that the last action did nothing."""
DIGITS = 3
"""Of a number that counts something."""
OFTEN = 4
"""Counts above this are the same."""
_ACTION, _FEATURE = np.uint32(2654435761), np.uint32(2246822519)
"""Odd multipliers that give each pair of an action and a feature a hash of its own."""


class TaskState(NamedTuple):
    """Where a task stands: what the model's features are computed from."""

    wording: str
    """The known wording, with its slots open."""
    done: Sequence[str]
    """Names of all actions so far."""
    seen: Mapping[str, str]
    """Names of what could be touched, from the top, and the state of each."""
    counts: Sequence[str] = ()
    """How numbers on the screen compare with those of the task."""
    unchanged: bool = False
    """Did the last action change nothing?"""


def state_of(wording: str, done: Sequence[str], sheet: Sheet, slots: Slots) -> TaskState:
    """Where a task stands on a screen."""
    names = ActionNames(sheet, slots)
    seen: dict[str, str] = {}
    for at, item in enumerate(sheet.items):
        if item.label and not item.scrolls:
            seen.setdefault(names.item(TOUCH, at).name, item.state)
    seen |= {f"wheel {wheel.name}": "" for wheel in names.widgets.wheels} | ({NOTED: ""} if NOTED in slots else {})
    counts = [*_counted(names), *names.widgets.compared()]
    unchanged = any(part == "done" and text in UNCHANGED for part, text in sheet.parts)
    return TaskState(wording, done, seen, counts, unchanged)


def _counted(names: ActionNames) -> list[str]:
    """How the number beside what the task mentions compares with the number that the task tells."""
    items = names.sheet.items
    named = [item for item in items if not item.label.isdigit() and names.slots_in(item.label)]
    numbers = [item for item in items if item.label.isdecimal() and len(item.label) <= DIGITS]
    pairs = [(abs(each.point.y - item.point.y), int(each.label)) for item in named for each in numbers]
    told = [(slot, text) for slot, text in sorted(names.slots.items()) if text.isdecimal() and len(text) <= DIGITS]
    return [f"{slot} {compare(min(pairs)[1], int(text))}" for slot, text in told if pairs]


def possible(state: TaskState, known: Collection[str]) -> list[str]:
    """The known actions that can be done on this screen and make sense there."""
    return [name for name in known if _in_view(name, state.seen) and not _useless(name, state.counts)]


def _in_view(name: str, seen: Collection[str]) -> bool:
    """Is there what the action touches or turns?"""
    if wheel := wheel_of(name):
        return f"wheel {wheel}" in seen
    if name == f"{TYPE} ={NOTED}":
        return NOTED in seen
    return not name.startswith((TOUCH, HOLD)) or _touched(name) in seen


def _useless(name: str, counts: Collection[str]) -> bool:
    """Does it turn a wheel away from what is wanted, set one that stands right, save before all stand right, or change
    a number that is right or make it worse?
    """
    kind, _, label = name.partition(" ")
    if kind == TOUCH and label in SAVING:
        wheels = {_without_slot(each) for each in counts if WHEEL_PART.search(each)}
        return any(f"{each.partition(' ')[0]} same" not in wheels for each in wheels)
    if kind == TOUCH and WHEEL_PART.search(f"{label} "):
        return all(f"{each} same" in counts for each in label.removeprefix("=").split("+"))
    wheel = wheel_of(name)
    wanted = TURNED.get(name.split(" ")[1]) if wheel else CHANGED.get(label) if kind == TOUCH else None
    found = [how for part, _, how in (_without_slot(each).partition(" ") for each in counts) if part == wheel]
    return wanted is not None and bool(found) and wanted not in found


def _touched(name: str) -> str:
    """The name of touching what an action holds."""
    return TOUCH + name.removeprefix(HOLD) if name.startswith(HOLD) else name


def features(state: TaskState, names: Sequence[str], known: Collection[str]) -> Hashes:
    """What speaks for or against each action, as hashes, actions by features: what was done last and before, how often
    in a row, which slots were named and which are in view, what is in view in which state, how numbers compare; and of
    the action itself how often it was done and which state its element has. Some count in tasks of any wording as well.
    """
    wording, done = state.wording, state.done
    last, before = (done[-back] if len(done) >= back else "" for back in (1, 2))
    run = next((at for at, each in enumerate(reversed(done)) if each != last), len(done))
    repeated, title = f"again {last}|{min(OFTEN, run)}|{state.unchanged}", next(iter(state.seen), "")
    named = " ".join(sorted({each for each in done if "=" in each}))
    there = " ".join(sorted(each for each in state.seen if "=" in each))
    own = ["", f"last {last}", repeated, f"two {before}|{last}", f"named {named}", f"title {title}|{last}"]
    own += [f"there {there}", f"there {there}|named {named}", f"there {there}|last {last}"]
    own += [f"counts {each}" for each in state.counts] + [f"counts {each}|{last}" for each in state.counts]
    own += [f"sees {each}" for each in state.seen if each in known]
    own += [f"sees {each}|{how}" for each, how in state.seen.items() if how and each in known]
    own += [f"did {each}" for each in dict.fromkeys(done)] + [f"noted {NOTED in state.seen}|{last}"]
    shared = ["", f"last {last}", repeated, *(f"counts {each}" for each in set(map(_without_slot, state.counts)))]
    common = list(map(_hash, [*shared, *(f"{wording}|{each}" for each in own)]))
    rows = []
    for name in names:
        times, how = f"times {min(OFTEN, done.count(name))}", state.seen.get(_touched(name), "")
        rows.append([*common, *map(_hash, (times, f"{wording}|{times}", f"{wording}|state {how}|{last}"))])
    actions = np.array(list(map(_hash, names)), dtype=np.uint32)
    return np.asarray(actions[:, None] * _ACTION + np.array(rows, dtype=np.uint32) * _FEATURE)


def _without_slot(count: str) -> str:
    """A comparison without its slot: `time.2 more` and `start.2 more` are both `2 more`."""
    name, _, how = count.rpartition(" ")
    return f"{name.partition('.')[2]} {how}"


def _hash(text: str) -> int:
    return zlib.crc32(text.encode())


class NextActionModel:
    """The trained weights."""

    def __init__(self, known: Hashes, weights: npt.NDArray[np.int8], scale: npt.ArrayLike) -> None:
        self._known, self._weights, self._scale = known, weights, float(np.asarray(scale))

    def probabilities(self, state: TaskState, known: Collection[str]) -> dict[str, float]:
        """Of each known action that is possible, the likeliest first."""
        names = possible(state, known)
        if not names:
            return {}
        hashes = features(state, names, known)
        places = np.searchsorted(self._known, hashes).clip(max=len(self._known) - 1)
        weights = np.where(self._known[places] == hashes, self._weights[places], 0)
        scores = weights.sum(axis=1, dtype=np.float64) * self._scale
        found = np.exp(scores - scores.max())
        found /= found.sum()
        return dict(sorted(zip(names, found.tolist(), strict=True), key=lambda each: -each[1]))
