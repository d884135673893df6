"""Keeps training and test data apart: no shared screen and no shared instruction (UILoop App. A, step 6).

Screens are the same by their perceptual hash: another time in the status bar makes no other screen, another page of the
same app does. Instructions are shared if they are less than 6 edits apart (SecAgent §3.3).

Two ways to split. `split` keeps rows that are connected, by a chain of shared screens, near instructions or episodes,
on one side. Where all tasks begin on the same home screen, or instructions are so short that each is near another, that
is one group: then `split_dropping` draws the test side first and drops the training rows that share something with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import msgspec
import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from saccade.data.check import normalised
from saccade.data.draw import rank
from saccade.data.instruction_filter import near_pairs
from saccade.errors import InputError
from saccade.screens.marks import open_picture
from saccade.screens.perceptual_hash import SAME_SCREEN, SCREEN_GRID, difference_hash, near_hashes
from saccade.types import Picture, Step

if TYPE_CHECKING:
    from numpy.typing import NDArray

Value = TypeVar("Value")


class IsolationSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What counts as shared."""

    most_bits: int = SAME_SCREEN
    """Screens whose hashes differ by at most so many bits are the same."""
    least_edits: int = 6
    """Instructions less than so many edits apart are the same; 1: equal ones only. Letters and digits count."""


class Row(NamedTuple):
    """What isolation looks at in a step."""

    id: str
    instruction: str = ""
    screen: int | None = None
    """The hash of its screenshot; None: it has none."""
    episode: str = ""


class Split(NamedTuple):
    """Positions of the rows on each side, in order."""

    train: list[int]
    test: list[int]
    dropped: list[int]
    """On neither side: training rows that share something with the test side."""
    groups: int
    largest: int
    """Rows of the largest group."""


class Violation(NamedTuple):
    """Something that both sides share."""

    kind: str
    """`screen` or `instruction`."""
    train: str
    test: str
    """The ids of the two rows."""


def isolation_rows(steps: Iterable[Step], picture: Callable[[str], Picture]) -> list[Row]:
    """The rows of steps; `picture` opens an image by its name. Each image is read once.

    Samples without an episode belong together if they show the same picture: one screen has many grounding samples, and
    a draw of single ones would leave hardly a screen that only one side has.
    """
    hashes: dict[str, int | None] = {"": None}
    rows = []
    for step in steps:
        if step.image not in hashes:
            hashes[step.image] = _screen_hash(step.image, picture)
        said = normalised(step.instruction or step.step_instruction)
        rows.append(Row(step.id, said, hashes[step.image], step.episode or step.image))
    return rows


def _screen_hash(image: str, picture: Callable[[str], Picture]) -> int:
    try:
        return difference_hash(open_picture(picture(image).data()), SCREEN_GRID)
    except (OSError, ValueError) as error:
        raise InputError(f"the picture {image} cannot be compared with others: {error}") from None


# -- splits -----------------------------------------------------------------------------------------------------------


def split(rows: Sequence[Row], share: float, seed: int, settings: IsolationSettings | None = None) -> Split:
    """Draw whole groups for the test side, up to `share` of all rows."""
    return _drawn(rows, _grouped(rows, settings or IsolationSettings()), share, seed)


def split_dropping(rows: Sequence[Row], share: float, seed: int, settings: IsolationSettings | None = None) -> Split:
    """Draw episodes and equal instructions for the test side, and drop training rows that share something with it."""
    drawn = _drawn(rows, _grouped(rows, None), share, seed)
    test, train = [rows[at] for at in drawn.test], [rows[at] for at in drawn.train]
    shared = {at for _, near in _shared(train, test, settings or IsolationSettings()) for at, _ in near}
    return drawn._replace(
        train=[row for at, row in enumerate(drawn.train) if at not in shared],
        dropped=[row for at, row in enumerate(drawn.train) if at in shared],
    )


def _drawn(rows: Sequence[Row], labels: NDArray[np.int64], share: float, seed: int) -> Split:
    """The order of groups depends on the seed and the first of their ids alone, not on the order of the rows."""
    if not 0 <= share <= 1:
        raise InputError(f"the share of test data is {share}: use a number from 0 to 1")
    groups: dict[int, list[int]] = {}
    for at, label in enumerate(labels.tolist()):
        groups.setdefault(label, []).append(at)
    most, test = round(share * len(rows)), set[int]()
    for members in sorted(groups.values(), key=lambda each: rank(min(rows[at].id for at in each), seed)):
        if len(test) + len(members) <= most:
            test.update(members)
    largest = max(map(len, groups.values()), default=0)
    return Split([at for at in range(len(rows)) if at not in test], sorted(test), [], len(groups), largest)


class _Groups:
    """Connected components; pairs may be given in any number of parts."""

    def __init__(self, count: int) -> None:
        self.labels = np.arange(count, dtype=np.int64)

    def join(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> None:
        one, other = self.labels[left], self.labels[right]
        new = one != other
        if new.any():
            count = len(self.labels)
            graph = coo_matrix((np.ones(int(new.sum()), dtype=bool), (one[new], other[new])), shape=(count, count))
            self.labels = connected_components(graph, directed=False)[1][self.labels].astype(np.int64)


def _grouped(rows: Sequence[Row], settings: IsolationSettings | None) -> NDArray[np.int64]:
    """A label for each row: rows with the same label belong on one side. Without settings, only equal instructions and
    episodes connect rows.

    Besides the rows, each instruction, episode and screen is a node of the graph, so that it is compared once.
    """
    texts, episodes = _Column(row.instruction for row in rows), _Column(row.episode for row in rows)
    screens = _Column(row.screen for row in rows if settings is not None)
    count = len(rows)
    first_episode = count + len(texts.values)
    first_screen = first_episode + len(episodes.values)
    groups = _Groups(first_screen + len(screens.values))
    for column, first in ((texts, count), (episodes, first_episode), (screens, first_screen)):
        groups.join(column.rows, column.places + first)
    if settings is not None:
        for left, right in near_hashes(screens.values, screens.values, SCREEN_GRID, settings.most_bits):
            groups.join(left + first_screen, right + first_screen)

        def joined() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
            labels = groups.labels[count:first_episode]
            return labels, labels

        for left, right in near_pairs(texts.values, texts.values, settings.least_edits, joined):
            groups.join(left + count, right + count)
    return groups.labels[:count]


class _Column(Generic[Value]):
    """The different values of a column, and which row has which; rows without a value are left out."""

    def __init__(self, column: Iterable[Value | None] = ()) -> None:
        places: dict[Value, int] = {}
        pairs = [
            (row, places.setdefault(each, len(places))) for row, each in enumerate(column) if each not in ("", None)
        ]
        self.values: list[Value] = list(places)
        self.rows, self.places = np.array(pairs, dtype=np.int64).reshape(-1, 2).T


# -- what is shared ---------------------------------------------------------------------------------------------------


def violations(train: Sequence[Row], test: Sequence[Row], settings: IsolationSettings | None = None) -> list[Violation]:
    """What both sides share: for each row of the test side at most one screen and one instruction."""
    found = []
    for kind, pairs in _shared(test, train, settings or IsolationSettings()):
        found += [Violation(kind, train[other].id, test[at].id) for at, other in pairs]
    return found


def _shared(
    left: Sequence[Row], right: Sequence[Row], settings: IsolationSettings
) -> list[tuple[str, list[tuple[int, int]]]]:
    """For each kind, the rows of `left` that share something with a row of `right`, with the first such row."""
    one, other = _Column(row.screen for row in left), _Column(row.screen for row in right)
    screens = _first_pairs(one, other, near_hashes(one.values, other.values, SCREEN_GRID, settings.most_bits))
    said, also = _Column(row.instruction for row in left), _Column(row.instruction for row in right)
    texts = _first_pairs(said, also, near_pairs(said.values, also.values, settings.least_edits))
    return [("screen", screens), ("instruction", texts)]


def _first_pairs(
    left: _Column[Value], right: _Column[Value], near: Iterable[tuple[NDArray[np.int64], NDArray[np.int64]]]
) -> list[tuple[int, int]]:
    """Rows of `left` whose value is near one of `right`, each with the first such row of `right`."""
    first_row = np.full(len(right.values), np.iinfo(np.int64).max)
    np.minimum.at(first_row, right.places, right.rows)
    nearest = np.full(len(left.values), np.iinfo(np.int64).max)
    for values, others in near:
        np.minimum.at(nearest, values, first_row[others])
    found = nearest[left.places]
    there = found < np.iinfo(np.int64).max
    return list(zip(left.rows[there].tolist(), found[there].tolist(), strict=True))
