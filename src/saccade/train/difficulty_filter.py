"""How likely the model gives each row's recorded answer: GRPO learns only from rows that it gets right now and then.

A row that is answered the same way every time has no advantages, and still costs a whole group of answers; after SFT
most rows are like that. The probability of the recorded answer takes one forward pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from saccade.data.training_rows import TrainingRow
from saccade.models.torch_support import libraries
from saccade.records import add_line, read_grown
from saccade.train.backbone import Backbone

FILE = "answer_probabilities.jsonl"


class AnswerProbability(msgspec.Struct, frozen=True):
    """A line of that file: with which probability the model gives the recorded answer of a row."""

    row: int
    id: str
    probability: float


def answer_probabilities(
    backbone: Backbone, rows: Sequence[TrainingRow], file: Path, batch: int, track: Callable[..., Any]
) -> list[float]:
    """With which probability the model gives each row's recorded answer. Results are written to `file` as they are
    found, and those that are there already are not computed again.
    """
    found, whole = read_grown(file, AnswerProbability)
    known = {each.row: each.probability for each in found}
    asked = sorted((at for at in range(len(rows)) if at not in known), key=lambda at: len(rows[at].messages[0].text))
    with file.open("ab") as kept:
        kept.truncate(whole)
        for begin in track(range(0, len(asked), batch)):
            numbers = asked[begin : begin + batch]
            known.update(zip(numbers, probabilities(backbone, [rows[at] for at in numbers]), strict=True))
            for at in numbers:
                add_line(kept, AnswerProbability(at, rows[at].id, known[at]))
    return [known[at] for at in range(len(rows))]


def probabilities(backbone: Backbone, rows: Sequence[TrainingRow]) -> list[float]:
    """Of each row's recorded answer as a whole."""
    torch, _ = libraries()
    model = backbone.model.eval()
    batch = backbone.collate_answers([backbone.encode(row.messages, row.answer) for row in rows])
    targets = batch.pop("targets").to(model.device)
    with torch.no_grad():
        logits = model(**{key: value.to(model.device) for key, value in batch.items()}, use_cache=False).logits
    logs = torch.log_softmax(logits.float(), dim=-1).gather(-1, targets.clamp(min=0)[..., None]).squeeze(-1)
    return [round(each, 6) for each in (logs * (targets != -100)).sum(-1).exp().tolist()]
