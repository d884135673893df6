"""Training of the slot spans: where what fills a slot begins and ends (`slot_spans`).

Each wording is filled, half the time with what the phone's tasks speak of, else with drawn words; which span of the
result is which slot is then known. 30 % of the features are left out at random each time, so that no word becomes the
only hint.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from saccade.models.torch_support import libraries
from saccade_mini.slot_spans import LONGEST, MOST, features, lengths, units
from saccade_mini.slots import DATES, SLOT
from saccade_mini.training.paraphrase import (
    LANGUAGES,
    PHRASES,
    LabelledWording,
    other_value,
    read_slots,
    slots_of,
    wordings,
)
from saccade_phone.session import Session

EPOCHS, BATCH, LEARNING_RATE, LEFT_OUT = 2, 64, 0.03, 0.3
RARE = 3
"""Wordings in which a feature must occur to be known."""
REAL = 0.5
"""How often a slot holds a text of some task of the phone."""
DRAWN, FIRST_SEED = 16, 90_000
"""Tasks drawn of each template and language, for the texts of their slots."""
SlotTexts = Mapping[tuple[str, str], Sequence[Mapping[str, str]]]
"""By language and plain wording: texts that fill the slots together."""


class SlotSample(NamedTuple):
    """A slot of a filled wording: features of each beginning, each end and each length, and its first and last unit."""

    begins: list[list[int]]
    ends: list[list[int]]
    sizes: list[int]
    first: int
    last: int

    @property
    def right(self) -> int:
        """The place of its span among all, first units by last units."""
        return self.first * len(self.begins) + self.last


def slot_texts(plain: set[str], count: int = DRAWN) -> SlotTexts:
    """What fills the slots in tasks of the training split."""
    found: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for task in (task for task, each in sorted(wordings().items()) if any(way.en.known[0] in plain for way in each)):
        for language in LANGUAGES:
            for seed in range(FIRST_SEED, FIRST_SEED + count):
                said = Session.begin(task, seed, language, split="train").goal.instruction
                if (read := read_slots(said, task, language)) is not None:
                    found.setdefault((language, read[0].known[0]), []).append(read[1])
    return found


def slot_samples(way: LabelledWording, known: SlotTexts, chance: random.Random) -> Iterator[SlotSample]:
    """The slots of a wording, filled with something drawn."""
    texts, zh = known.get((way.language, way.plain)), way.language == "zh"
    real = chance.choice(texts) if texts else {}
    text, spans = "", []
    for at, piece in enumerate(SLOT.split(way.text)):
        if not at % 2:
            text += piece.replace("{{", "{").replace("}}", "}")
            continue
        value = real.get(piece, "")
        if not value or (piece not in PHRASES and chance.random() >= REAL):
            like = ("7月1日" if zh else "July 1") if piece in DATES else ("名" if zh else "Name")
            value = other_value(piece, value or like, chance)
        spans.append((piece, len(text), len(text) + len(value)))
        text += value
    found = units(text)
    begins = {unit.begin: at for at, unit in enumerate(found)}
    ends = {unit.end: at for at, unit in enumerate(found)}
    for slot, begin, end in spans:
        first, last = begins.get(begin), ends.get(end)
        if first is not None and last is not None and last - first < MOST:
            yield SlotSample(*features(found, slot, way.plain), lengths(slot, way.language), first, last)


def train_slot_spans(
    train: Sequence[LabelledWording],
    held: Sequence[LabelledWording],
    seed: int = 0,
    tell: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """The arrays of `SlotSpans`: from wordings to weights, measured on the wordings that are `held` back."""
    torch, _ = libraries()
    chance, known = random.Random(seed), slot_texts({way.plain for way in train})
    samples = (one for way in train for one in slot_samples(way, known, chance))
    counts = Counter(feature for one in samples for feature in {*one.begins[one.first], *one.ends[one.last]})
    able = {feature for feature, count in counts.items() if count >= RARE}
    able |= {feature for way in train for slot in slots_of(way.text) for feature in lengths(slot, way.language)}
    place = {feature: at for at, feature in enumerate(sorted(able))}
    weights = torch.nn.EmbeddingBag(len(place), 1, mode="sum", sparse=True)
    torch.nn.init.zeros_(weights.weight)
    optimizer = torch.optim.SparseAdam(list(weights.parameters()), lr=LEARNING_RATE)
    order, measured = list(train), [one for way in held for one in slot_samples(way, known, random.Random(0))]
    for epoch in range(EPOCHS):
        chance.shuffle(order)
        samples = (one for way in order for one in slot_samples(way, known, chance))
        while batch := list(islice(samples, BATCH)):
            optimizer.zero_grad()
            scored = zip(batch, scores(torch, weights, place, batch, chance, LEFT_OUT), strict=True)
            losses = [torch.nn.functional.cross_entropy(found, torch.tensor(one.right)) for one, found in scored]
            (sum(losses) / len(losses)).backward()
            optimizer.step()
        with torch.no_grad():
            likeliest = [int(found.argmax()) for found in scores(torch, weights, place, measured, chance)]
        right = sum(at == one.right for at, one in zip(likeliest, measured, strict=True)) / max(1, len(measured))
        if tell:
            tell(f"slot spans, epoch {epoch + 1} of {EPOCHS}: {right:.1%} of the slots of held-back wordings found")
    learned = weights.weight.detach().numpy()[:, 0].astype(np.float16)
    return {"edges": np.array(list(place), dtype=np.uint32), "edge_weights": learned}


def scores(
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
        begins += range(len(flat), len(flat) + len(one.sizes))
        flat += [place[size] for size in one.sizes]
    values = weights(torch.tensor(flat), torch.tensor(begins))[:, 0]
    for one in batch:
        count = len(one.begins)
        begin, end, sizes, values = values.split([count, count, LONGEST + 1, len(values) - 2 * count - LONGEST - 1])
        places = torch.arange(count)
        size = places[None, :] - places[:, None] + 1
        found = begin[:, None] + end[None, :] + sizes[size.clamp(0, LONGEST)]
        yield found.masked_fill((size < 1) | (size > MOST), -1e9).flatten()
