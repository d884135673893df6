"""A tiny mini that knows one recording by heart: enough to see a whole run succeed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from random_mini import make_qwen3, make_tokenizer

from saccade.geometry import Frame
from saccade.paradigms import get_paradigm
from saccade.train.rows import RowWriter, TrainingRow
from saccade.types import Step
from saccade_mini.card import Card
from saccade_mini.codec import PROMPT, Sheet
from saccade_mini.training.backbone import MiniBackbone
from saccade_mini.training.onnx_export import write_mini

PARADIGMS = ("btl", "uiloop", "secagent", "guidnav")


def rows_of(steps: Sequence[Step], name: str) -> list[TrainingRow]:
    """What is to be learned, as training makes it."""
    switches: dict[str, Any] = {"k": 1} if name == "guidnav" else {}
    paradigm = get_paradigm(name, frame=Frame.parse("permille"), template=PROMPT, **switches)
    adapt = MiniBackbone(None, None).adapt
    return list(RowWriter(paradigm, told=True, adapt=adapt).episode(steps, random.Random(0)))


def teach_mini(folder: Path, steps: Sequence[Step], epochs: int = 200) -> Path:
    """Write a folder for `mini/PATH` that answers these steps right, in every paradigm."""
    import torch  # noqa: PLC0415
    from tokenizers import Tokenizer  # noqa: PLC0415

    folder.mkdir(parents=True)
    rows = [row for name in PARADIGMS for row in rows_of(steps, name)]
    sheets = [Sheet.read(row.messages[0].text) for row in rows]
    texts = [(sheet.prompt(), sheet.compress(row.answer)) for sheet, row in zip(sheets, rows, strict=True)]
    file = make_tokenizer(folder / "tokenizer.json", texts=[text for pair in texts for text in pair])
    tokenizer = Tokenizer.from_file(str(file))
    model = make_qwen3(tokenizer.get_vocab_size(), initial=0.02).train()
    pairs = [[tokenizer.encode(text).ids for text in pair] for pair in texts]
    longest = max(len(prompt) + len(answer) for prompt, answer in pairs)
    tokens = torch.zeros(len(pairs), longest, dtype=torch.long)
    labels = torch.full_like(tokens, -100)
    for at, (prompt, answer) in enumerate(pairs):
        tokens[at, : len(prompt) + len(answer)] = torch.tensor(prompt + answer)
        labels[at, len(prompt) : len(prompt) + len(answer)] = torch.tensor(answer)
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=0.0)
    for _ in range(epochs):
        loss = model(input_ids=tokens, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < 0.01:
            break
    assert loss.item() < 0.02, f"it has not learned its lesson: {loss.item():.3f}"
    return write_mini(model.eval(), file, folder, Card(version="taught"), bits=8)
