"""The rows of a training: episodes written in the recipe's formats, measured, and divided into trained and held back.

Nothing is dropped in silence: a row that a format cannot say, or that is too long, is left out and counted by its
reason; a file that cannot be read ends the reading with its name and line.
"""

from __future__ import annotations

import multiprocessing
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from msgspec.structs import replace as changed

from saccade.data.episode_rows import resized, rows_of_episode
from saccade.data.recorded_episodes import held_back, read_episodes
from saccade.data.training_rows import RowWriter, TrainingRow
from saccade.errors import InputError
from saccade.paradigms import get_paradigm
from saccade.train.arguments import worker_count
from saccade.train.backbone import Backbone
from saccade.train.packed import PackedRows, pack
from saccade.train.recipe import Recipe, Variant

FEW = 500
"""Up to so many episodes, worker processes take longer to start than they save."""
T = TypeVar("T")


@dataclass
class RowSet:
    """What is trained on, and what is held back to measure."""

    train: Any = field(default_factory=list)
    """A list of `TrainingRow`, or `PackedRows`."""
    held_back: Any = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    """Tokens of each training row."""
    thinned: dict[int, list[int]] = field(default_factory=dict)
    """The same with at most so many elements, for each limit of the backbone's phases."""
    extra: list[int] = field(default_factory=list)
    """The places of the training rows that came from `Backbone.extra_rows`."""
    left_out: Counter[str] = field(default_factory=Counter)
    """How many rows are missing, by reason."""
    too_long: list[int] = field(default_factory=list)
    """Tokens of each row that was left out for its length."""


def read_rows(recipe: Recipe, backbone: Backbone, tell: Callable[[str], None] | None = None) -> RowSet:
    """All rows of a recipe. `tell` is called with sentences about what was left out."""
    episodes = list(read_episodes(recipe.data))
    writers = [writer_of(variant, recipe, backbone) for variant in recipe.formats]
    shares = [variant.share for variant in recipe.formats]
    places, held = divide(len(episodes), recipe)
    limits = sorted({phase.elements for phase in backbone.phases() if phase.elements and not phase.practice})
    rows = RowSet(thinned={limit: [] for limit in limits})
    packed = recipe.stage == "sft" and backbone.sight is None

    def write(at: int) -> EpisodeRows:
        """An episode in all its formats, with the length of each row: the whole work of one process call."""
        found: list[TrainingRow] = []
        left_out: Counter[str] = Counter()
        for index in chosen(shares, places[at]):
            seed = f"{recipe.seed}/{at}/{index}"
            words = random.Random(f"{seed}/words")
            retell = partial(backbone.retell, recipe=recipe, chance=words)
            found += rows_of_episode(
                writers[index], episodes[at], seed, recipe.stage, recipe.grounding, left_out, retell
            )
        if recipe.stage == "sft":
            found += backbone.extra_rows(episodes[at].steps[0], writers[0].paradigm, f"{recipe.seed}/{at}/extra")
        sizes = [backbone.sizes(row.messages, row.answer, limits) for row in found]
        if recipe.stage == "sft":
            found = [light(row) for row in found]
        extra = [row.extra for row in found]
        return EpisodeRows([pack(row) for row in found] if packed else found, sizes, extra, left_out)

    if packed:
        rows.train, rows.held_back = PackedRows(writers[0].paradigm), PackedRows(writers[0].paradigm)
    workers = worker_count(recipe) if backbone.sight is None else 0  # a picture may be a function, which cannot be sent
    for at, made in enumerate(spread(write, len(episodes), workers)):
        rows.left_out += made.left_out
        keep_short(made, rows, recipe, held_back=at in held)
    report(rows, recipe, tell)
    return rows


class EpisodeRows(NamedTuple):
    """The rows of one episode."""

    rows: Sequence[TrainingRow | bytes]
    sizes: list[list[int]]
    """Of each row: tokens as it is, then at each limit of elements."""
    extra: list[bool]
    left_out: Counter[str]


def light(row: TrainingRow) -> TrainingRow:
    """A row without what only rewards need, which is most of what would be sent from process to process."""
    return row._replace(step=changed(row.step, elements=[], key_elements=None, truth=[]))


def writer_of(variant: Variant, recipe: Recipe, backbone: Backbone) -> RowWriter:
    """A writer of rows. Each paradigm sees pictures at its own size, unless the recipe gives one for all."""
    switches = dict(variant.switches)
    if isinstance(switches.get("template"), str):
        switches["template"] = Path(switches["template"])
    paradigm = get_paradigm(variant.paradigm, **switches)
    sight = resized(backbone.sight, recipe.pixels or paradigm.pixels) if backbone.sight else None
    paradigm = replace(paradigm, frame=sight.frame if sight else backbone.frame)
    if backbone.template:
        paradigm = replace(paradigm, template=backbone.template)
    return RowWriter(paradigm, sight, recipe.elements == "parsed" or sight is None, backbone.adapt)


def divide(count: int, recipe: Recipe) -> tuple[list[float], set[int]]:
    """For each episode a place between 0 and 1, evenly spread; and which episodes are held back."""
    order = list(range(count))
    random.Random(f"{recipe.seed}/variants").shuffle(order)
    places = [0.0] * count
    for rank, at in enumerate(order):
        places[at] = (rank + 0.5) / count
    return places, held_back(count, recipe.held_back, recipe.seed)


def chosen(shares: Sequence[float], place: float) -> Iterator[int]:
    """The variants in which an episode is written. Laid end to end around a circle of length 1, those that cover its
    place: shares that add up to 1 write each episode once, shares of 1 write it in every format.
    """
    end = 0.0
    for at, share in enumerate(shares):
        begin, end = end, end + share
        yield from [at] * sum(begin <= place + turn < end for turn in range(int(end) + 1))


def spread(work: Callable[[int], T], count: int, workers: int) -> list[T]:
    """The results of `work` for each number, by several processes where there is much to do."""
    if not workers or count < FEW:
        return [work(at) for at in range(count)]
    global _work  # noqa: PLW0603  (a fork inherits it: only numbers and results are sent)
    _work = work
    try:
        with multiprocessing.get_context("fork").Pool(workers) as pool:
            return pool.map(_do, range(count), chunksize=32)
    finally:
        _work = None


_work: Callable[[int], Any] | None = None


def _do(at: int) -> Any:
    assert _work is not None
    return _work(at)


def keep_short(made: EpisodeRows, rows: RowSet, recipe: Recipe, held_back: bool) -> None:
    """Add an episode's rows that are not too long."""
    for row, sizes, extra in zip(made.rows, made.sizes, made.extra, strict=True):
        if sizes[0] > recipe.longest:
            rows.too_long.append(sizes[0])
        elif held_back:
            rows.held_back.append(row)
        else:
            rows.extra += [len(rows.train)] if extra else []
            rows.train.append(row)
            rows.lengths.append(sizes[0])
            for limit, size in zip(rows.thinned, sizes[1:], strict=True):
                rows.thinned[limit].append(size)


def report(rows: RowSet, recipe: Recipe, tell: Callable[[str], None] | None) -> None:
    """Tell how many rows there are and why others are not; without any, refuse to train."""
    if rows.too_long:
        rows.left_out[f"longer than {recipe.longest} tokens, up to {max(rows.too_long)} (longest)"] = len(rows.too_long)
    if not rows.train:
        common = [f": {count} left out because {reason}" for reason, count in rows.left_out.most_common(1)]
        raise InputError("the data gives no row to train on" + "".join(common))
    if tell is None:
        return
    held = f", {len(rows.held_back)} held back" if rows.held_back else ""
    tell(f"{len(rows.train):,} rows of {sum(rows.lengths) // len(rows.train)} tokens on average{held}")
    for reason, count in rows.left_out.most_common(5):
        tell(f"{count} rows left out: {reason}")
    if recipe.stage == "grpo":
        lacking = [row.id for row in rows.train if row.paradigm.untaught_because(row.step)]
        if lacking:
            tell(f"{len(lacking)} rows have no key elements ({', '.join(lacking[:3])} …): no reward for naming them")
