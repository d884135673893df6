"""Extracts from recorded episodes which actions tasks of each kind do, and after what (`task_habits`), and trains the
next-action model on the same steps (`next_action_model`).
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import track

from saccade.errors import InputError
from saccade.geometry import Frame
from saccade.paradigms import get_paradigm
from saccade.train.episodes import RecordedEpisode, read_episodes
from saccade.train.rows import RowWriter
from saccade.types import Language, Step
from saccade_mini.card import READER
from saccade_mini.codec import PROMPT, Sheet
from saccade_mini.intent_classifier import IntentClassifier
from saccade_mini.next_action_model import TaskState, state_of
from saccade_mini.slots import Slots, bare
from saccade_mini.task_habits import PRESS, SWIPE, ActionNames, with_notes
from saccade_mini.training.next_action_training import LabelledState, train_next_action
from saccade_mini.training.paraphrase import plain_wording, read_slots, task_of, wordings

COMMON = 6
"""What tasks of so many wordings do, all may: touch the button that closes a notice."""
CERTAIN = 8
"""Episodes from which on it is believed that a slot is always mentioned before an action."""
TWINS = (
    ("across.unknown_number", "across.send_number", {"stranger": "entry_name"}),
    ("calendar.missing", "calendar.move_event", {"day": "on"}),
    ("chat.no_such_friend", "chat.send", {"name": "to"}),
    ("files.missing", "files.move", {"where": "place"}),
)
"""Tasks that ask for the same, of things that are not there and of others, and what the second calls the slots of the
first. Which of the two it is turns out on the way, so both learn from the episodes of either.
"""
LANGUAGES: tuple[Language, ...] = ("en", "zh")
MentionedBefore = dict[str, list[str]]


class WalkedStep(NamedTuple):
    """A step of a recorded task, as the mini sees it."""

    step: Step
    sheet: Sheet
    slots: Slots
    """With what was noted before."""
    state: TaskState
    names: ActionNames


def walk(steps: Sequence[Step], wording: str, slots: Slots) -> Iterator[WalkedStep]:
    """The steps of an episode that have a right action, each behind what had been done before."""
    paradigm = replace(get_paradigm("btl", space="phone"), frame=Frame("permille"), template=PROMPT)
    done: list[str] = []
    for row in RowWriter(paradigm, told=True).episode(steps, random.Random(0)):
        sheet, step = Sheet.read(row.messages[-1].text), row.step
        here = with_notes(slots, sheet)
        names = ActionNames(sheet, here)
        yield WalkedStep(step, sheet, here, state_of(wording, tuple(done), sheet, here), names)
        action = names.of(step.prediction, step.screen)
        done += [action.name] if action else []


@dataclass
class TaskRecord:
    """What the recorded tasks of one plain wording did."""

    before: dict[str, set[str]] = field(default_factory=dict)
    """For each action, the slots that had been mentioned whenever it was right."""
    episodes: Counter[str] = field(default_factory=Counter)
    states: list[LabelledState] = field(default_factory=list)

    def add(self, episode: RecordedEpisode, wording: str, slots: Slots) -> None:
        """Take in one episode."""
        said: list[str] = []
        met: set[str] = set()
        for at in walk(episode.steps, wording, slots):
            named = {name for name, text in slots.items() if bare(text) and any(bare(text) in each for each in said)}
            right = [action for each in at.step.truth if (action := at.names.of(each, at.step.screen))]
            for action in right:
                self.before[action.name] = self.before.get(action.name, set(slots)) & named
                met.add(action.name)
            self.states.append(LabelledState(at.state, {action.name for action in right}))
            if done := at.names.of(at.step.prediction, at.step.screen):
                said.append(done.text.lower())
        self.episodes.update(met)

    def habits(self) -> MentionedBefore:
        """Each action with what must be mentioned before it. Swipes and keys lead elsewhere, and need nothing."""
        return {
            name: [] if self.episodes[name] < CERTAIN or name.startswith((SWIPE, PRESS)) else sorted(before)
            for name, before in sorted(self.before.items())
        }


def read_records(data: Sequence[Path], console: Console | None = None) -> dict[str, TaskRecord]:
    """The records of each plain wording that recorded tasks have."""
    found, recorded = dict[str, TaskRecord](), list(read_episodes(data))
    for episode in track(recorded, "reading episodes", console=console, transient=True, disable=console is None):
        task = (episode.steps[0].instruction, *task_of(episode.steps[0]))
        if (wording := plain_wording(*task)) and (read := read_slots(*task)) is not None:
            for each, slots in ((wording, read[1]), *twins(task[1], task[2], read[1])):
                found.setdefault(each, TaskRecord()).add(episode, each, slots)
    return found


def twins(task: str, language: Language, slots: Slots) -> Iterator[tuple[str, Slots]]:
    """The plain wordings of tasks that ask for the same, with the slots under their names."""
    for one, other, named in TWINS:
        twin = {one: other, other: one}.get(task, "")
        names = named if task == one else {theirs: ours for ours, theirs in named.items()}
        for wording in wordings().get(twin, ()):
            yield wording.ways(language).known[0], {names.get(name, name): text for name, text in slots.items()}


def by_wording(found: Mapping[str, MentionedBefore], plain: Sequence[str]) -> list[MentionedBefore]:
    """Habits in the order of the plain wordings, each with what tasks do everywhere."""
    counts = Counter(name for wording in plain for name in found.get(wording, ()))
    common: MentionedBefore = {name: [] for name, count in counts.items() if count >= COMMON}
    return [{**common, **found[each]} if each in found else {} for each in plain]


def add_habits(
    data: Sequence[Path], folder: Path, console: Console | None = None, tell: Callable[[str], None] | None = None
) -> int:
    """Write habits and next-action model into a mini's classifier file; returns of how many wordings habits are known.
    """
    file = folder / READER
    if not file.is_file():
        raise InputError(f"{folder} has no {READER}: saccade mini intents writes one")
    plain, records = IntentClassifier(file).wordings, read_records(data, console)
    if not records:
        raise InputError(f"{', '.join(map(str, data))}: no recorded task of the phone that has a plain wording")
    habits = {wording: record.habits() for wording, record in records.items()}
    kept = {language: by_wording(habits, plain[language]) for language in LANGUAGES}
    known = {each: found for tongue in LANGUAGES for each, found in zip(plain[tongue], kept[tongue], strict=True)}
    states = [state for wording, record in sorted(records.items()) if known.get(wording) for state in record.states]
    learned = train_next_action(states, known, tell=tell)
    with np.load(file, allow_pickle=False) as read:
        arrays = {name: read[name] for name in read.files}
    arrays["doing"] = np.array(json.dumps(kept, ensure_ascii=False))
    arrays |= {f"routine_{name}": np.asarray(array) for name, array in learned._asdict().items()}
    half = file.with_suffix(".half.npz")  # whoever interrupts this keeps the classifier
    np.savez_compressed(half, **arrays)
    half.replace(file)
    return sum(bool(each) for found in kept.values() for each in found)
