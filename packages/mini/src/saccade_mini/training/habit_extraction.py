"""What each of the phone's tasks does, after what, and what next: read off recorded episodes, for `models.mini.doing`
and `models.mini.routine`.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import track

from saccade.actions import Action
from saccade.errors import InputError
from saccade.geometry import Frame, Point, Size
from saccade.paradigms import get_paradigm
from saccade.paradigms.base import Language
from saccade.train.rows import RowMaker
from saccade.train.samples import Recorded, read_episodes
from saccade.types import Step
from saccade_mini.card import READER
from saccade_mini.codec import PROMPT, SPAN, Sheet
from saccade_mini.intent_classifier import Reader
from saccade_mini.next_action_model import Scene, scene_of
from saccade_mini.slots import bare
from saccade_mini.task_habits import (
    ANSWER,
    END,
    HOLD,
    OPEN,
    PRESS,
    SWIPE,
    TOUCH,
    TYPE,
    Deed,
    Slots,
    View,
    aware,
    deed,
)
from saccade_mini.training.next_action_training import Moment, train_routine
from saccade_mini.training.paraphrase import plain_wording, read_slots, task_of, wordings

EVERYWHERE = 6
"""What tasks of so many wordings do, all may: touch the button that closes a notice."""
SURE = 8
"""From so many episodes on it is believed what always comes before."""
TWINS = (
    ("across.unknown_number", "across.send_number", {"stranger": "entry_name"}),
    ("calendar.missing", "calendar.move_event", {"day": "on"}),
    ("chat.no_such_friend", "chat.send", {"name": "to"}),
    ("files.missing", "files.move", {"where": "place"}),
)
"""Tasks that ask for the same, of things that are not there and of others, and what the second calls the slots of the
first: which one it is, nobody knows before having looked. So both learn from the episodes of either.
"""
Before = dict[str, list[str]]


@dataclass
class Habit:
    """What the tasks of one plain wording do."""

    before: dict[str, set[str]] = field(default_factory=dict)
    """Of each deed, the slots that had been named whenever it was right."""
    episodes: Counter[str] = field(default_factory=Counter)
    moments: list[Moment] = field(default_factory=list)

    def learn(self, recorded: Recorded, wording: str, slots: Slots) -> None:
        """From an episode: what was right at each of its steps, behind what had been done."""
        said: list[str] = []
        met: set[str] = set()
        for at in walked(recorded.steps, wording, slots):
            named = {name for name, text in slots.items() if bare(text) and any(bare(text) in each for each in said)}
            right = list(deeds(at.step.truth, at.sheet, at.step.screen, at.slots))
            for found in right:
                self.before[found.name] = self.before.get(found.name, set(slots)) & named
                met.add(found.name)
            self.moments.append(Moment(at.scene, {found.name for found in right}))
            said += [each.said.lower() for each in at.did]
        self.episodes.update(met)

    def kept(self, known: Mapping[str, Collection[str]]) -> Before:
        """With what was known before. Swipes and keys lead elsewhere, and need nothing before."""
        found = {}
        for name, before in sorted(self.before.items()):
            old = known.get(name)
            if self.episodes[name] < SURE or name.startswith((SWIPE, PRESS)):
                found[name] = sorted(old or ())
            else:
                found[name] = sorted(before if old is None else before & {*old})
        return {**{name: [*old] for name, old in known.items()}, **found}


class Walked(NamedTuple):
    """A step of a recorded task, as the mini would see it."""

    step: Step
    sheet: Sheet
    slots: Slots
    """With what was noted before."""
    scene: Scene
    did: list[Deed]


def walked(steps: Sequence[Step], wording: str, slots: Slots) -> Iterator[Walked]:
    """The steps of an episode, each behind what had been done; those without a right action are passed over."""
    paradigm = replace(get_paradigm("btl", space="phone"), frame=Frame("permille"), template=PROMPT)
    done: list[str] = []
    for row in RowMaker(paradigm, told=True).episode(steps, random.Random(0)):
        sheet, step = Sheet.read(row.messages[-1].text), row.step
        here = aware(slots, sheet)
        did = list(deeds([step.prediction], sheet, step.screen, here))
        yield Walked(step, sheet, here, scene_of(wording, tuple(done), sheet, here), did)
        done += [each.name for each in did]


def deeds(actions: Iterable[Action | None], sheet: Sheet, size: Size, slots: Slots) -> Iterator[Deed]:
    """What actions do on a screen, as an answer of the mini would say it."""

    def spot(point: Point) -> Point:
        return Point(point.x * SPAN / size[0], point.y * SPAN / size[1])

    view = View(sheet, slots)
    for action in actions:
        match action:
            case Action(type="click" | "long_press" as kind, point=Point() as point):
                at = sheet.place(spot(point))
                if at is not None and sheet.items[at].label:
                    yield view.deed(TOUCH if kind == "click" else HOLD, at)
            case Action(type="type", text=str(text)):
                yield deed(TYPE, text, slots)
            case Action(type="open_app", text=str(text)):
                yield deed(OPEN, text, slots)
            case Action(type="answer"):
                yield deed(ANSWER, "", slots)
            case Action(type="swipe", direction=str(turn), start=start):
                yield view.swipe(turn, spot(start) if start else None)
            case Action(type="press", key=str(key)):
                yield deed(PRESS, key.lower(), slots)
            case Action(type="terminate", status=str(status)):
                yield deed(END, status, slots)


def habits(data: Sequence[Path], console: Console | None = None) -> dict[str, Habit]:
    """Of each plain wording that recorded tasks can be put in. Progress is shown on a console."""
    found, recordings = dict[str, Habit](), list(read_episodes(data))
    for recorded in track(recordings, "reading episodes", console=console, transient=True, disable=console is None):
        task = (recorded.steps[0].instruction, *task_of(recorded.steps[0]))
        if (wording := plain_wording(*task)) and (read := read_slots(*task)) is not None:
            for each, slots in ((wording, read[1]), *twins(task[1], task[2], read[1])):
                found.setdefault(each, Habit()).learn(recorded, each, slots)
    return found


def twins(task: str, language: Language, slots: Slots) -> Iterator[tuple[str, Slots]]:
    """The plain wordings of tasks that ask for the same, with its slots under their names."""
    for one, other, named in TWINS:
        twin = {one: other, other: one}.get(task, "")
        names = named if task == one else {theirs: ours for ours, theirs in named.items()}
        for wording in wordings().get(twin, ()):
            yield wording.ways(language).known[0], {names.get(name, name): text for name, text in slots.items()}


def by_wording(found: Mapping[str, Before], plain: Sequence[str]) -> list[Before]:
    """In the order of the plain wordings, with what tasks do everywhere."""
    counts = Counter(name for wording in plain for name in found.get(wording, ()))
    common: Before = {name: [] for name, count in counts.items() if count >= EVERYWHERE}
    return [{**common, **found[each]} if each in found else {} for each in plain]


def add_habits(data: Sequence[Path], folder: Path, console: Console | None = None,
               tell: Callable[[str], None] | None = None, *, more: bool = False) -> int:  # fmt: skip
    """Write them into a mini's reader; how many plain wordings they are known of. With `more` it goes on from what the
    reader knows: tasks that are not in the data stay as they are.
    """
    file = folder / READER
    if not file.is_file():
        raise InputError(f"{folder} has no {READER}: saccade train reader writes one")
    reader, found = Reader(file), habits(data, console)
    plain = reader.plain
    if not found:
        raise InputError(f"{', '.join(map(str, data))}: no recorded task of the phone that can be put plainly")
    languages: tuple[Language, ...] = ("en", "zh")
    old = {each: doing for each, doing in reader.doing.items() if doing and more}
    before = old | {wording: habit.kept(old.get(wording, {})) for wording, habit in found.items()}
    kept = {language: by_wording(before, plain[language]) for language in languages}
    known = {each: doing for tongue in languages for each, doing in zip(plain[tongue], kept[tongue], strict=True)}
    moments = [moment for wording, habit in sorted(found.items()) if known.get(wording) for moment in habit.moments]
    learned = train_routine(moments, known, tell=tell, before=reader.routine if more else None)
    with np.load(file, allow_pickle=False) as read:
        arrays = {name: read[name] for name in read.files}
    arrays["doing"] = np.array(json.dumps(kept, ensure_ascii=False))
    arrays |= {f"routine_{name}": np.asarray(array) for name, array in learned._asdict().items()}
    half = file.with_suffix(".half.npz")  # who interrupts this keeps the reader
    np.savez_compressed(half, **arrays)
    half.replace(file)
    return sum(bool(each) for found in kept.values() for each in found)
