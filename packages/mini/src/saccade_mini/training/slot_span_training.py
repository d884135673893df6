"""Training of the slot spans: where what fills a slot begins and ends (`slot_spans`).

Each wording is filled, half the time with what the phone's tasks speak of, else with drawn words; which span of the
result is which slot is then known. 30 % of the features are left out at random each time, so that no word becomes the
only hint.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from saccade.models.torch_support import libraries
from saccade.types import Language
from saccade_mini.slot_spans import LONGEST, MOST, features, lengths, units
from saccade_mini.slots import DATES, SLOT
from saccade_mini.training.paraphrase import PHRASES, other_value, read_slots, slots_of, wordings
from saccade_phone.session import Session

EPOCHS = 2
BATCH = 64
LEARNING_RATE = 0.03
LEFT_OUT = 0.3
RARE = 3
"""Wordings in which a feature must occur to be known."""
REAL = 0.5
"""How often a slot holds a text of some task of the phone."""
DRAWN = 16
"""Tasks drawn of each template and language, for the texts of their slots."""
FIRST_SEED = 90_000

Contents = Mapping[tuple[str, str], Sequence[Mapping[str, str]]]
"""By language and plain wording: what fills the slots together."""


class SlotWording(NamedTuple):
    """A wording, and the plain one that means the same."""

    text: str
    language: Language
    plain: str


class SlotSample(NamedTuple):
    """A slot of a filled wording: features of each beginning, each end and each length."""

    begins: list[list[int]]
    ends: list[list[int]]
    sizes: list[int]
    first: int
    last: int
    """The first and last unit of its text."""


class SlotWeights(NamedTuple):
    """Hashes of the features, in order, and the weight of each."""

    known: npt.NDArray[np.uint32]
    weights: npt.NDArray[np.float16]


def contents(plain: set[str], count: int = DRAWN) -> Contents:
    """What fills the slots in tasks of the training split, by language and plain wording."""
    found: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    languages: tuple[Language, ...] = ("en", "zh")
    able = [task for task, ways in sorted(wordings().items()) if any(way.en.known[0] in plain for way in ways)]
    for task in able:
        for language in languages:
            for seed in range(FIRST_SEED, FIRST_SEED + count):
                said = Session.begin(task, seed, language, split="train").goal.instruction
                if (read := read_slots(said, task, language)) is not None:
                    found.setdefault((language, read[0].known[0]), []).append(read[1])
    return found


def filled_wording(way: SlotWording, known: Contents, chance: random.Random) -> tuple[str, list[tuple[str, int, int]]]:
    """A wording with texts in its slots, and the span of each slot."""
    real = known.get((way.language, way.plain))
    held = chance.choice(real) if real else {}
    values = {slot: value_of(slot, held.get(slot, ""), way.language, chance) for slot in sorted(slots_of(way.text))}
    text, spans = "", []
    for at, piece in enumerate(SLOT.split(way.text)):
        if at % 2:
            spans.append((piece, len(text), len(text) + len(values[piece])))
            text += values[piece]
        else:
            text += piece.replace("{{", "{").replace("}}", "}")
    return text, spans


def value_of(slot: str, real: str, language: Language, chance: random.Random) -> str:
    if real and (slot in PHRASES or chance.random() < REAL):
        return real
    usual = ("7月1日" if language == "zh" else "July 1") if slot in DATES else ("名" if language == "zh" else "Name")
    return other_value(slot, real or usual, chance)


def slot_samples(way: SlotWording, known: Contents, chance: random.Random) -> Iterator[SlotSample]:
    """The slots of a wording, filled with something drawn."""
    text, spans = filled_wording(way, known, chance)
    found = units(text)
    begins = {unit.begin: at for at, unit in enumerate(found)}
    ends = {unit.end: at for at, unit in enumerate(found)}
    for slot, begin, end in spans:
        first, last = begins.get(begin), ends.get(end)
        if first is not None and last is not None and last - first < MOST:
            yield SlotSample(*features(found, slot, way.plain), lengths(slot, way.language), first, last)


def train_slot_spans(
    train: Sequence[SlotWording], held: Sequence[SlotWording], seed: int = 0, tell: Callable[[str], None] | None = None
) -> SlotWeights:
    """From wordings to weights, measured on the wordings that are `held` back."""
    torch, _ = libraries()
    chance, known = random.Random(seed), contents({way.plain for way in train})
    counts = Counter(
        feature
        for way in train
        for one in slot_samples(way, known, chance)
        for feature in {*one.begins[one.first], *one.ends[one.last]}
    )
    able = {feature for feature, count in counts.items() if count >= RARE}
    able |= {feature for way in train for slot in slots_of(way.text) for feature in lengths(slot, way.language)}
    place = {feature: at for at, feature in enumerate(sorted(able))}
    weights = torch.nn.EmbeddingBag(len(place), 1, mode="sum", sparse=True)
    torch.nn.init.zeros_(weights.weight)
    optimizer = torch.optim.SparseAdam(list(weights.parameters()), lr=LEARNING_RATE)
    order = list(train)
    for epoch in range(EPOCHS):
        chance.shuffle(order)
        for batch in batched((one for way in order for one in slot_samples(way, known, chance)), BATCH):
            losses = [
                torch.nn.functional.cross_entropy(scores[None], torch.tensor([right(one)]))
                for one, scores in zip(batch, scored(torch, weights, place, batch, chance, LEFT_OUT), strict=True)
            ]
            optimizer.zero_grad()
            (sum(losses) / len(losses)).backward()
            optimizer.step()
        if tell:
            right_share = measured(torch, weights, place, held, known)
            tell(
                f"slot spans, epoch {epoch + 1} of {EPOCHS}: {right_share:.1%} of the slots of held-back wordings found"
            )
    return SlotWeights(np.array(list(place), dtype=np.uint32), weights.weight.detach().numpy()[:, 0].astype(np.float16))


def measured(torch: Any, weights: Any, place: Mapping[int, int], held: Sequence[SlotWording], known: Contents) -> float:
    chance = random.Random(0)
    ones = [one for way in held for one in slot_samples(way, known, chance)]
    with torch.no_grad():
        found = [
            int(scores.argmax()) == right(one)
            for one, scores in zip(ones, scored(torch, weights, place, ones, chance), strict=True)
        ]
    return sum(found) / max(1, len(found))


def right(one: SlotSample) -> int:
    return one.first * len(one.begins) + one.last


def batched(ones: Iterator[SlotSample], size: int) -> Iterator[list[SlotSample]]:
    batch: list[SlotSample] = []
    for one in ones:
        batch.append(one)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def scored(
    torch: Any,
    weights: Any,
    place: Mapping[int, int],
    batch: Sequence[SlotSample],
    chance: random.Random,
    left_out: float = 0.0,
) -> Iterator[Any]:
    """For each slot the scores of all spans, first units by last units."""
    flat: list[int] = []
    begins: list[int] = []
    for one in batch:
        for row in (*one.begins, *one.ends):
            begins.append(len(flat))
            flat += [place[each] for each in row if each in place and chance.random() >= left_out]
        for size in one.sizes:
            begins.append(len(flat))
            flat.append(place[size])
    values = weights(torch.tensor(flat), torch.tensor(begins))[:, 0]
    at = 0
    for one in batch:
        count = len(one.begins)
        begin, end, sizes = values[at : at + 2 * count + LONGEST + 1].split([count, count, LONGEST + 1])
        at += 2 * count + LONGEST + 1
        places = torch.arange(count)
        size = places[None, :] - places[:, None] + 1
        scores = begin[:, None] + end[None, :] + sizes[size.clamp(0, LONGEST)]
        yield scores.masked_fill((size < 1) | (size > MOST), -1e9).flatten()
