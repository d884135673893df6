"""Extracts from recorded episodes which actions tasks of each kind take, and trains the next-action model on the same
steps (`next_action_model`).
"""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from saccade.errors import InputError
from saccade.geometry import Frame
from saccade.models.torch_support import libraries
from saccade.paradigms import get_paradigm
from saccade.train.episodes import read_episodes
from saccade.train.rows import RowWriter
from saccade.types import Language, Step
from saccade_mini.card import READER
from saccade_mini.codec import PROMPT, Sheet
from saccade_mini.intent_classifier import IntentClassifier
from saccade_mini.next_action_model import TaskState, features, positions, possible, state_of
from saccade_mini.slots import Slots
from saccade_mini.task_habits import ActionNames, with_notes
from saccade_mini.training.paraphrase import LANGUAGES, plain_wording, read_slots, task_of, wordings

EPOCHS, BATCH, LEARNING_RATE = 2, 64, 0.1
RARE = 6
"""Steps in which a feature must occur to be known."""
LEAST = 0.02
"""Smaller weights are left out."""
COMMON = 6
"""What tasks of so many wordings do, all may: touch the button that closes a notice."""
TWINS = (
    ("across.unknown_number", "across.send_number", {"stranger": "entry_name"}),
    ("calendar.missing", "calendar.move_event", {"day": "on"}),
    ("chat.no_such_friend", "chat.send", {"name": "to"}),
    ("files.missing", "files.move", {"where": "place"}),
)
"""Tasks that ask for the same, of things that are not there and of others, and what the second calls the slots of the
first. Which of the two it is turns out on the way, so both learn from the episodes of either.
"""


class WalkedStep(NamedTuple):
    """A step of a recorded task, as the mini sees it."""

    step: Step
    sheet: Sheet
    slots: Slots
    """With what was noted before."""
    state: TaskState
    right: set[str]
    """Names of the right actions."""


class Sample(NamedTuple):
    """What could be done at a step: actions by features, as hashes or as places in the table, and which are right."""

    features: npt.NDArray[Any]
    right: list[bool]


def walk(steps: Sequence[Step], wording: str, slots: Slots) -> Iterator[WalkedStep]:
    """The steps of an episode that have a right action, each behind what had been done before."""
    paradigm = replace(get_paradigm("btl", space="phone"), frame=Frame("permille"), template=PROMPT)
    done: list[str] = []
    for row in RowWriter(paradigm, told=True).episode(steps, random.Random(0)):
        sheet, step = Sheet.read(row.messages[-1].text), row.step
        here = with_notes(slots, sheet)
        names = ActionNames(sheet, here)
        right = {action.name for each in step.truth if (action := names.of(each, step.screen))}
        yield WalkedStep(step, sheet, here, state_of(wording, tuple(done), sheet, here), right)
        action = names.of(step.prediction, step.screen)
        done += [action.name] if action else []


def twins(task: str, language: Language, slots: Slots) -> Iterator[tuple[str, Slots]]:
    """The plain wordings of tasks that ask for the same, with the slots under their names."""
    for one, other, named in TWINS:
        twin = {one: other, other: one}.get(task, "")
        names = named if task == one else {theirs: ours for ours, theirs in named.items()}
        for wording in wordings().get(twin, ()):
            yield wording.ways(language).known[0], {names.get(name, name): text for name, text in slots.items()}


def walk_all(data: Sequence[Path]) -> dict[str, list[WalkedStep]]:
    """The steps of all recorded tasks that have a plain wording, by that wording."""
    found: dict[str, list[WalkedStep]] = defaultdict(list)
    for episode in read_episodes(data):
        task = (episode.steps[0].instruction, *task_of(episode.steps[0]))
        if (wording := plain_wording(*task)) and (read := read_slots(*task)) is not None:
            for each, slots in ((wording, read[1]), *twins(task[1], task[2], read[1])):
                found[each] += walk(episode.steps, each, slots)
    return found


def actions_by_wording(found: Mapping[str, Collection[str]], plain: Sequence[str]) -> list[list[str]]:
    """The actions of each plain wording, with what tasks do everywhere."""
    counts = Counter(name for wording in plain for name in found.get(wording, ()))
    common = {name for name, count in counts.items() if count >= COMMON}
    return [sorted({*common, *found[each]}) if each in found else [] for each in plain]


def add_next_action(data: Sequence[Path], folder: Path, tell: Callable[[str], None] | None = None) -> int:
    """Write actions and weights into a mini's classifier file; returns of how many wordings the actions are known."""
    file = folder / READER
    if not file.is_file():
        raise InputError(f"{folder} has no {READER}: saccade mini intents writes one")
    plain, walked = IntentClassifier(file).wordings, walk_all(data)
    if not walked:
        raise InputError(f"{', '.join(map(str, data))}: no recorded task of the phone that has a plain wording")
    done = {wording: {name for at in steps for name in at.right} for wording, steps in walked.items()}
    kept = {language: actions_by_wording(done, plain[language]) for language in LANGUAGES}
    known = {each: found for tongue in LANGUAGES for each, found in zip(plain[tongue], kept[tongue], strict=True)}
    steps = [at for wording in sorted(walked) if known.get(wording) for at in walked[wording]]
    with np.load(file, allow_pickle=False) as read:
        arrays = {name: read[name] for name in read.files}
    arrays["doing"] = np.array(json.dumps(kept, ensure_ascii=False))
    arrays |= {f"routine_{name}": array for name, array in train_next_action(steps, known, tell=tell).items()}
    half = file.with_suffix(".half.npz")  # whoever interrupts this keeps the classifier
    np.savez_compressed(half, **arrays)
    half.replace(file)
    return sum(map(bool, known.values()))


def train_next_action(
    steps: Sequence[WalkedStep],
    known: Mapping[str, Collection[str]],
    seed: int = 0,
    tell: Callable[[str], None] | None = None,
) -> dict[str, npt.NDArray[Any]]:
    """A weight for each feature, so that a softmax over what could be done makes likely what was right."""
    torch, _ = libraries()
    torch.manual_seed(seed)
    taught = [sample for at in steps if any((sample := sample_of(at, known)).right) and not all(sample.right)]
    every = [np.unique(each.features) for each in taught] or [np.zeros(0, np.uint32)]
    hashes, counts = np.unique(np.concatenate(every), return_counts=True)
    kept = hashes[counts >= RARE]
    taught = [each._replace(features=positions(each.features, kept)) for each in taught]
    table = torch.nn.EmbeddingBag(len(kept) + 1, 1, mode="sum")
    torch.nn.init.zeros_(table.weight)
    optimizer = torch.optim.Adagrad(table.parameters(), lr=LEARNING_RATE)
    chance = random.Random(seed)
    for epoch in range(EPOCHS):
        chance.shuffle(taught)
        total = 0.0
        for begin in range(0, len(taught), BATCH):
            loss = cross_entropy(torch, table, taught[begin : begin + BATCH])
            optimizer.zero_grad()
            loss.mean().backward()
            optimizer.step()
            total += float(loss.detach().sum())
        if tell:
            tell(f"epoch {epoch + 1} of {EPOCHS}: {total / max(1, len(taught)):.3f} on {len(taught):,} steps")
    weights = table.weight.detach().numpy()[:-1, 0]
    large, scale = np.abs(weights) >= LEAST, float(np.abs(weights).max(initial=1e-6)) / 127
    rounded = np.round(weights[large] / scale).astype(np.int8)
    return {"known": kept[large], "weights": rounded, "scale": np.asarray(scale)}


def sample_of(at: WalkedStep, known: Mapping[str, Collection[str]]) -> Sample:
    actions = known[at.state.wording]
    names = possible(at.state, actions)
    return Sample(
        features(at.state, names, actions) if names else np.zeros((0, 0)), [name in at.right for name in names]
    )


def cross_entropy(torch: Any, table: Any, batch: Sequence[Sample]) -> Any:
    """Of each sample, minus the logarithm of the probability of what was right."""
    places = torch.from_numpy(np.concatenate([each.features.ravel() for each in batch]))
    widths = np.concatenate([np.full(len(each.right), each.features.shape[1]) for each in batch])
    begins = torch.from_numpy(np.concatenate([[0], np.cumsum(widths)[:-1]]).astype(np.int32))
    scores = table(places, begins)[:, 0]
    owner = torch.from_numpy(np.repeat(np.arange(len(batch)), [len(each.right) for each in batch]))
    right = torch.tensor([good for each in batch for good in each.right])
    top = torch.full((len(batch),), -torch.inf).scatter_reduce(0, owner, scores.detach(), "amax")
    shares = (scores - top[owner]).exp()
    nothing = torch.zeros(len(batch))
    return nothing.index_add(0, owner, shares).log() - (nothing.index_add(0, owner, shares * right) + 1e-9).log()
