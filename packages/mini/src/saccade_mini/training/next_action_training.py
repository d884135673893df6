"""Training of the next-action model (`next_action_model`) on the steps of recorded episodes."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from saccade.models.torch_support import libraries
from saccade_mini.next_action_model import Hashes, TaskState, features, positions, possible

EPOCHS = 2
BATCH = 64
LEARNING_RATE = 0.1
RARE = 6
"""Steps in which a feature must occur to be known."""
LEAST = 0.02
"""Smaller weights are left out."""


class LabelledState(NamedTuple):
    """A step of an episode: where the task stood, and which actions would have been right."""

    state: TaskState
    right: Collection[str]


class NextActionWeights(NamedTuple):
    """The arrays of a `NextActionModel`."""

    known: Hashes
    weights: npt.NDArray[np.int8]
    scale: float


class _Sample(NamedTuple):
    features: npt.NDArray[Any]
    """Actions by features: first hashes, then their positions in the table."""
    right: list[bool]


def samples(states: Sequence[LabelledState], known: Mapping[str, Collection[str]]) -> list[_Sample]:
    """The steps at which something right is known and can be done, and something wrong as well."""
    found = []
    for state, right in states:
        actions = known[state.wording]
        names = possible(state, actions)
        good = [name in right for name in names]
        if any(good) and not all(good):
            found.append(_Sample(features(state, names, actions), good))
    return found


def train_next_action(
    states: Sequence[LabelledState],
    known: Mapping[str, Collection[str]],
    seed: int = 0,
    tell: Callable[[str], None] | None = None,
) -> NextActionWeights:
    """A weight for each feature, so that a softmax over what could be done makes likely what was right."""
    torch, _ = libraries()
    torch.manual_seed(seed)
    taught = samples(states, known)
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
    large = np.abs(weights) >= LEAST
    scale = float(np.abs(weights).max(initial=1e-6)) / 127
    return NextActionWeights(kept[large], np.round(weights[large] / scale).astype(np.int8), scale)


def cross_entropy(torch: Any, table: Any, batch: Sequence[_Sample]) -> Any:
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
