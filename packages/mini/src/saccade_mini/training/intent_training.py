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
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from saccade.errors import InputError
from saccade.models.torch_support import libraries
from saccade_mini.card import READER
from saccade_mini.intent_classifier import features
from saccade_mini.training.paraphrase import LANGUAGES, LabelledWording, filled, labelled_wordings
from saccade_mini.training.slot_span_training import train_slot_spans

WIDTH, EPOCHS, BATCH, LEARNING_RATE, WEIGHT_DECAY, SMOOTHING = 64, 6, 256, 8e-3, 0.05, 0.05
RARE = 4
"""Wordings in which a feature must occur to be known."""
LEFT_OUT, DROPPED = 0.4, 0.2
"""Dropout of the features, and of the middle."""
UNKNOWN = 1200
"""How many tasks of apps that the phone does not have are drawn in each language."""


def train_classifier(out: Path, seed: int = 0, tell: Callable[[str], None] | None = None) -> float:
    """Train, write the result into a mini's folder, and return the accuracy on held-back wordings."""
    torch, _ = libraries()
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{out} cannot be a folder: {error.strerror}") from None
    torch.manual_seed(seed)
    chance = random.Random(seed)
    train, held = labelled_wordings(UNKNOWN)
    spans = train_slot_spans([each for each in train if each.plain], held, seed, tell)
    counts = Counter(feature for each in train for feature in set(features(each.text)))
    known = sorted(feature for feature, count in counts.items() if count >= RARE)
    place = {feature: at for at, feature in enumerate(known)}
    plain = {each: [""] * (1 + max(way.task for way in train)) for each in LANGUAGES}
    for way in train:
        plain[way.language][way.task] = way.plain
    table = torch.nn.EmbeddingBag(len(known), WIDTH, mode="sum")
    torch.nn.init.normal_(table.weight, 0, 0.05)
    tasks = torch.nn.Linear(WIDTH, len(plain["en"]))

    def logits(ways: Sequence[LabelledWording], left_out: float = 0.0, dropped: float = 0.0) -> Any:
        """A sum over the features of each wording, divided by the root of their number."""
        found = [features(filled(way.text, way.language, chance)) for way in ways]
        rows = [[place[one] for one in row if one in place and chance.random() >= left_out] for row in found]
        counts = torch.tensor([len(row) for row in rows])
        begins = torch.cat([torch.zeros(1, dtype=torch.long), counts.cumsum(0)[:-1]])
        inside = table(torch.tensor([one for row in rows for one in row]), begins)
        inside = inside / counts.clamp(min=1).float().sqrt()[:, None]
        return tasks(torch.nn.functional.dropout(inside, dropped))

    parameters = [*table.parameters(), *tasks.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    steps = EPOCHS * (len(train) // BATCH + 1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, total_steps=steps)
    right = 0.0
    for epoch in range(EPOCHS):
        chance.shuffle(train)
        for begin in range(0, len(train), BATCH):
            batch = train[begin : begin + BATCH]
            wanted = torch.tensor([each.task for each in batch])
            found = logits(batch, LEFT_OUT, DROPPED)
            loss = torch.nn.functional.cross_entropy(found, wanted, label_smoothing=SMOOTHING)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        with torch.no_grad():
            likeliest = logits(held).argmax(1).tolist()
        right = sum(one == each.task for one, each in zip(likeliest, held, strict=True)) / len(held)
        if tell:
            tell(f"epoch {epoch + 1} of {EPOCHS}: {right:.1%} of {len(held):,} held-back wordings understood")
    save(out / READER, known, table, tasks, plain=np.array(json.dumps(plain, ensure_ascii=False)), **spans)
    return right


def save(file: Path, known: list[int], table: Any, tasks: Any, **more: Any) -> None:
    """Write the classifier's file, with the table in 8 bits: it is nearly all of the file."""
    words = table.weight.detach().numpy()
    scale = float(np.abs(words).max()) / 127
    np.savez_compressed(
        file,
        known=np.array(known, dtype=np.uint32),
        words=np.round(words / scale).astype(np.int8),
        scale=np.float32(scale),
        tasks=tasks.weight.detach().numpy().T.astype(np.float16),
        bias=tasks.bias.detach().numpy().astype(np.float16),
        **more,
    )
