"""What each of the phone's tasks does, and after what: read off recorded episodes, for `models.mini.doing`."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track

from saccade.actions import Action
from saccade.errors import InputError
from saccade.geometry import Frame, Point, Size
from saccade.models.mini.card import READER
from saccade.models.mini.doing import ANSWER, END, OPEN, TOUCH, TYPE, Deed, Slots, bare, deed
from saccade.models.mini.reader import Reader
from saccade.models.mini.text import PROMPT, SPAN, Sheet
from saccade.paradigms import get_paradigm
from saccade.paradigms.base import Language
from saccade.train.paraphrase import plain_wording, read_slots, task_of
from saccade.train.rows import RowMaker
from saccade.train.samples import Recorded, read_episodes

EVERYWHERE = 6
"""What tasks of so many wordings do, all may: touch the button that closes a notice."""
SURE = 8
"""From so many episodes on it is believed what always comes before."""
Before = dict[str, list[str]]


@dataclass
class Habit:
    """What the tasks of one plain wording do."""

    before: dict[str, set[str]] = field(default_factory=dict)
    """Of each deed, the slots that had been named whenever it was right."""
    episodes: Counter[str] = field(default_factory=Counter)

    def learn(self, recorded: Recorded, slots: Slots, maker: RowMaker) -> None:
        """From an episode: what was right at each of its steps, behind what had been done."""
        said: list[str] = []
        met: set[str] = set()
        for row in maker.episode(recorded.steps, random.Random(0)):
            sheet, step = Sheet.read(row.messages[-1].text), row.step
            named = {name for name, text in slots.items() if bare(text) and any(bare(text) in each for each in said)}
            for found in deeds(step.truth, sheet, step.screen, slots):
                self.before[found.name] = self.before.get(found.name, set(slots)) & named
                met.add(found.name)
            said += [each.said.lower() for each in deeds([step.prediction], sheet, step.screen, slots)]
        self.episodes.update(met)

    def kept(self) -> Before:
        return {
            name: sorted(before) if self.episodes[name] >= SURE else [] for name, before in sorted(self.before.items())
        }


def deeds(actions: Iterable[Action | None], sheet: Sheet, size: Size, slots: Slots) -> Iterator[Deed]:
    """What actions do on a screen, as an answer of the mini would say it."""
    for action in actions:
        match action:
            case Action(type="click" | "long_press", point=Point(x, y)):
                at = sheet.place(Point(x * SPAN / size[0], y * SPAN / size[1]))
                if at is not None and sheet.items[at].label:
                    yield deed(TOUCH, sheet.items[at].label, slots)
            case Action(type="type", text=str(text)):
                yield deed(TYPE, text, slots)
            case Action(type="open_app", text=str(text)):
                yield deed(OPEN, text, slots)
            case Action(type="answer"):
                yield deed(ANSWER, "", slots)
            case Action(type="terminate", status=str(status)):
                yield deed(END, status, slots)


def habits(data: Sequence[Path], console: Console | None = None) -> dict[str, Before]:
    """Of each plain wording that recorded tasks can be put in. Progress is shown on a console."""
    paradigm = replace(get_paradigm("btl", space="phone"), frame=Frame("permille"), template=PROMPT)
    maker, found = RowMaker(paradigm, told=True), dict[str, Habit]()
    recordings = list(read_episodes(data))
    for recorded in track(recordings, "reading episodes", console=console, transient=True, disable=console is None):
        task = (recorded.steps[0].instruction, *task_of(recorded.steps[0]))
        if (wording := plain_wording(*task)) and (read := read_slots(*task)) is not None:
            found.setdefault(wording, Habit()).learn(recorded, read[1], maker)
    return {wording: habit.kept() for wording, habit in found.items()}


def by_wording(found: Mapping[str, Before], plain: Sequence[str]) -> list[Before]:
    """In the order of the plain wordings, with what tasks do everywhere."""
    counts = Counter(name for wording in plain for name in found.get(wording, ()))
    common: Before = {name: [] for name, count in counts.items() if count >= EVERYWHERE}
    return [{**common, **found[each]} if each in found else {} for each in plain]


def add_habits(data: Sequence[Path], folder: Path, console: Console | None = None) -> int:
    """Write them into a mini's reader; how many plain wordings they are known of."""
    file = folder / READER
    if not file.is_file():
        raise InputError(f"{folder} has no {READER}: saccade train reader writes one")
    plain, found = Reader(file).plain, habits(data, console)
    if not found:
        raise InputError(f"{', '.join(map(str, data))}: no recorded task of the phone that can be put plainly")
    languages: tuple[Language, ...] = ("en", "zh")
    kept = {language: by_wording(found, plain[language]) for language in languages}
    with np.load(file, allow_pickle=False) as read:
        arrays = {name: read[name] for name in read.files}
    arrays["doing"] = np.array(json.dumps(kept, ensure_ascii=False))
    half = file.with_suffix(".half.npz")  # who interrupts this keeps the reader
    np.savez_compressed(half, **arrays)
    half.replace(file)
    return sum(bool(each) for found in kept.values() for each in found)
