"""Training of the mini's intent classifier: from many wordings of each task to the plain one (`intent_classifier`), and
with it of the slot spans (`slot_span_training`).

A linear model over words, with a narrow middle. Of each wording 40 % of the features are left out at random each time,
so that no word becomes the only hint; that is what lets it understand wordings it has not read. What fills the slots is
drawn as well.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from saccade.errors import InputError
from saccade.models.torch_support import libraries
from saccade.types import Language
from saccade_mini.card import READER
from saccade_mini.intent_classifier import features
from saccade_mini.training.paraphrase import KEPT_BACK, elsewhere, filled, wordings
from saccade_mini.training.slot_span_training import SlotWeights, SlotWording, train_slot_spans

WIDTH = 64
EPOCHS = 6
RARE = 4
"""Wordings in which a feature must occur to be known."""
BATCH = 256
LEFT_OUT, DROPPED = 0.4, 0.2
"""Dropout of the features, and of the middle."""
LEARNING_RATE = 8e-3
WEIGHT_DECAY = 0.05
SMOOTHING = 0.05
UNKNOWN = 1200
"""How many tasks of apps that the phone does not have are drawn in each language."""
LANGUAGES: tuple[Language, ...] = ("en", "zh")


class LabelledWording(NamedTuple):
    """A wording, and which task it means."""

    way: str
    language: Language
    task: int


class Sample(NamedTuple):
    places: list[int]
    """Of its features, in the table."""
    task: int


def labelled_wordings() -> tuple[list[LabelledWording], list[LabelledWording], dict[Language, list[str]]]:
    """Wordings to train on and to measure on, and the plain wording of each task. The last task stands for unknown
    ones, and has an empty plain wording.
    """
    chance = random.Random(0)
    known = [wording for _, found in sorted(wordings().items()) for wording in found]
    train: list[LabelledWording] = []
    held: list[LabelledWording] = []
    for language in LANGUAGES:
        for task, wording in enumerate(known):
            ways = wording.ways(language)
            train += [LabelledWording(way, language, task) for way in ways.known]
            for at, way in enumerate(ways.more):
                (held if at % KEPT_BACK == 0 else train).append(LabelledWording(way, language, task))
        train += [LabelledWording(elsewhere(language, chance), language, len(known)) for _ in range(UNKNOWN)]
    plain = {language: [*(wording.ways(language).known[0] for wording in known), ""] for language in LANGUAGES}
    return train, held, plain


def train_classifier(out: Path, seed: int = 0, tell: Callable[[str], None] | None = None) -> float:
    """Train, write the result into a mini's folder, and return the accuracy on held-back wordings."""
    torch, _ = libraries()
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{out} cannot be a folder: {error.strerror}") from None
    torch.manual_seed(seed)
    chance = random.Random(seed)
    train, measured, plain = labelled_wordings()
    taught = slot_wordings(train, plain)
    counts = Counter(feature for each in train for feature in set(features(each.way)))
    known = sorted(feature for feature, count in counts.items() if count >= RARE)
    place = {feature: at for at, feature in enumerate(known)}
    held = [sample(each, place, chance) for each in measured]
    table = torch.nn.EmbeddingBag(len(known), WIDTH, mode="sum")
    torch.nn.init.normal_(table.weight, 0, 0.05)
    tasks = torch.nn.Linear(WIDTH, len(plain["en"]))
    parameters = [*table.parameters(), *tasks.parameters()]
    steps = EPOCHS * (len(train) // BATCH + 1)
    optimizer = torch.optim.AdamW(parameters, lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, total_steps=steps)
    right = 0.0
    for epoch in range(EPOCHS):
        chance.shuffle(train)
        for begin in range(0, len(train), BATCH):
            batch = [sample(each, place, chance, LEFT_OUT) for each in train[begin : begin + BATCH]]
            wanted = torch.tensor([each.task for each in batch])
            found = logits(torch, table, tasks, batch, DROPPED)
            loss = torch.nn.functional.cross_entropy(found, wanted, label_smoothing=SMOOTHING)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        with torch.no_grad():
            likeliest = logits(torch, table, tasks, held).argmax(1).tolist()
        right = sum(one == each.task for one, each in zip(likeliest, held, strict=True)) / len(held)
        if tell:
            tell(f"epoch {epoch + 1} of {EPOCHS}: {right:.1%} of {len(held):,} held-back wordings understood")
    save(out, known, table, tasks, plain, train_slot_spans(taught, slot_wordings(measured, plain), seed, tell))
    return right


def slot_wordings(labelled: list[LabelledWording], plain: dict[Language, list[str]]) -> list[SlotWording]:
    """The wordings of tasks that have a plain one, for the slot spans."""
    return [
        SlotWording(each.way, each.language, found) for each in labelled if (found := plain[each.language][each.task])
    ]


def sample(each: LabelledWording, place: dict[int, int], chance: random.Random, left_out: float = 0.0) -> Sample:
    """A wording about something that is drawn, with some of its features left out."""
    found = features(filled(each.way, each.language, chance))
    return Sample([place[one] for one in found if one in place and chance.random() >= left_out], each.task)


def logits(torch: Any, table: Any, tasks: Any, batch: list[Sample], dropped: float = 0.0) -> Any:
    """The logits of each sample: a sum over its features, divided by the root of their number."""
    counts = torch.tensor([len(each.places) for each in batch])
    begins = torch.cat([torch.zeros(1, dtype=torch.long), counts.cumsum(0)[:-1]])
    inside = table(torch.tensor([place for each in batch for place in each.places]), begins)
    inside = inside / counts.clamp(min=1).float().sqrt()[:, None]
    return tasks(torch.nn.functional.dropout(inside, dropped))


def save(
    out: Path, known: list[int], table: Any, tasks: Any, plain: dict[Language, list[str]], spans: SlotWeights
) -> None:
    """Write the classifier's file, with the table in 8 bits: it is nearly all of the file."""
    words = table.weight.detach().numpy()
    scale = float(np.abs(words).max()) / 127
    np.savez_compressed(
        out / READER,
        known=np.array(known, dtype=np.uint32),
        words=np.round(words / scale).astype(np.int8),
        scale=np.float32(scale),
        tasks=tasks.weight.detach().numpy().T.astype(np.float16),
        bias=tasks.bias.detach().numpy().astype(np.float16),
        plain=np.array(json.dumps(plain, ensure_ascii=False)),
        edges=spans.known,
        edge_weights=spans.weights,
    )
