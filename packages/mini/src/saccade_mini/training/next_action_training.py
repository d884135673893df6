"""Training of what a task does next (`models.mini.routine`), on the steps of recorded episodes."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from saccade.models.torch_support import libraries
from saccade_mini.next_action_model import Numbers, Routine, Scene, hints, placed, possible, shared_hints

EPOCHS = 2
BATCH = 64
LEARNING_RATE = 0.1
RARE = 6
"""A hint is known from so many steps on in which a deed that has it could be done."""
LEAST = 0.02
"""Weights closer to nothing are left out."""


class Moment(NamedTuple):
    """A step of an episode: where the task stood, and which deeds would have been right."""

    scene: Scene
    right: Collection[str]


class Learned(NamedTuple):
    known: Numbers
    weights: npt.NDArray[np.int8]
    scale: float


class _Sample(NamedTuple):
    hints: npt.NDArray[Any]
    """Deeds by hints: their numbers, and then their places in the table."""
    right: list[bool]


def samples(moments: Sequence[Moment], known: Mapping[str, Collection[str]]) -> list[_Sample]:
    """Those in which something right is known and can be done."""
    found = []
    for scene, right in moments:
        deeds = known[scene.wording]
        names = possible(scene, deeds)
        good = [name in right for name in names]
        if any(good) and not all(good):
            found.append(_Sample(hints(scene, names, deeds), good))
    return found


def train_routine(moments: Sequence[Moment], known: Mapping[str, Collection[str]], seed: int = 0,
                  tell: Callable[[str], None] | None = None, before: Routine | None = None) -> Learned:  # fmt: skip
    """A weight for each hint, so that what was right is likely among what could be done. Where it goes on from what was
    learned before, what is said of tasks of any wording stays as it was, for the others' sake.
    """
    torch, _ = libraries()
    torch.manual_seed(seed)
    taught = samples(moments, known)
    every, counts = distinct(each.hints for each in taught)
    old, weights = before.table if before else (np.zeros(0, np.uint32), np.zeros(0, np.float32))
    kept = np.union1d(every[counts >= RARE], old)
    taught = [each._replace(hints=placed(each.hints, kept)) for each in taught]
    table = torch.nn.EmbeddingBag(len(kept) + 1, 1, mode="sum")
    torch.nn.init.zeros_(table.weight)
    if before:
        table.weight.data[placed(old, kept), 0] = torch.from_numpy(weights)
        shared, _ = distinct(
            shared_hints(each.scene, possible(each.scene, known[each.scene.wording])) for each in moments
        )
        free = torch.ones_like(table.weight)
        free[placed(np.intersect1d(shared, old), kept)] = 0
        table.weight.register_hook(lambda slope: slope * free)
    optimizer = torch.optim.Adagrad(table.parameters(), lr=LEARNING_RATE)
    order, chance = list(range(len(taught))), random.Random(seed)
    for epoch in range(EPOCHS):
        chance.shuffle(order)
        total = 0.0
        for begin in range(0, len(order), BATCH):
            batch = [taught[at] for at in order[begin : begin + BATCH]]
            loss = unlikely(torch, table, batch)
            optimizer.zero_grad()
            loss.mean().backward()
            optimizer.step()
            total += float(loss.detach().sum())
        if tell:
            tell(f"epoch {epoch + 1} of {EPOCHS}: {total / max(1, len(taught)):.3f} on {len(taught):,} steps")
    weights = table.weight.detach().numpy()[:-1, 0]
    telling = np.abs(weights) >= LEAST
    scale = float(np.abs(weights).max(initial=1e-6)) / 127
    return Learned(kept[telling], np.round(weights[telling] / scale).astype(np.int8), scale)


def distinct(found: Iterable[Numbers]) -> tuple[Numbers, npt.NDArray[np.int64]]:
    """All numbers, and in how many arrays each is."""
    each = [np.unique(one) for one in found]
    return np.unique(np.concatenate(each or [np.zeros(0, np.uint32)]), return_counts=True)


def unlikely(torch: Any, table: Any, batch: Sequence[_Sample]) -> Any:
    """Of each sample, minus the logarithm of how likely what was right is."""
    places = torch.from_numpy(np.concatenate([each.hints.ravel() for each in batch]))
    widths = np.concatenate([np.full(len(each.right), each.hints.shape[1]) for each in batch])
    begins = torch.from_numpy(np.concatenate([[0], np.cumsum(widths)[:-1]]).astype(np.int32))
    scores = table(places, begins)[:, 0]
    owner = torch.from_numpy(np.repeat(np.arange(len(batch)), [len(each.right) for each in batch]))
    right = torch.tensor([good for each in batch for good in each.right])
    top = torch.full((len(batch),), -torch.inf).scatter_reduce(0, owner, scores.detach(), "amax")
    shares = (scores - top[owner]).exp()
    nothing = torch.zeros(len(batch))
    return nothing.index_add(0, owner, shares).log() - (nothing.index_add(0, owner, shares * right) + 1e-9).log()
