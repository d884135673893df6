"""How sure a model is of each row's answer: GRPO can only learn from those of which it is neither sure nor ignorant.

A row that is answered the same way every time has no advantages, and still costs a whole group of answers; after SFT
most rows are like that. How likely the recorded answer is takes one reading of the row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from saccade.models.torch_support import libraries
from saccade.records import add_line, read_grown
from saccade.train.backbone import Backbone
from saccade.train.rows import Row


class Sure(msgspec.Struct, frozen=True):
    """A line of sure.jsonl: with which probability the model gives the recorded answer of a row."""

    row: int
    id: str
    probability: float


def how_sure(backbone: Backbone, rows: Sequence[Row], file: Path, batch: int, track: Callable[..., Any]
             ) -> list[float]:  # fmt: skip
    """With which probability the model gives each row's recorded answer. What is found is written to `file` as it is
    found; what is there already is not asked again.
    """
    found, whole = read_grown(file, Sure)
    known = {each.row: each.probability for each in found}
    asked = sorted((at for at in range(len(rows)) if at not in known), key=lambda at: len(rows[at].messages[0].text))
    with file.open("ab") as kept:
        kept.truncate(whole)
        for begin in track(range(0, len(asked), batch)):
            numbers = asked[begin : begin + batch]
            known.update(zip(numbers, probabilities(backbone, [rows[at] for at in numbers]), strict=True))
            for at in numbers:
                add_line(kept, Sure(at, rows[at].id, known[at]))
    return [known[at] for at in range(len(rows))]


def probabilities(backbone: Backbone, rows: Sequence[Row]) -> list[float]:
    """Of each row's recorded answer as a whole."""
    torch, _ = libraries()
    from saccade.train.sft import answers_only  # noqa: PLC0415  (imports torch)

    model = backbone.model.eval()
    batch = answers_only(backbone.collate, [backbone.encode(row.messages, row.answer) for row in rows])
    targets = batch.pop("targets").to(model.device)
    with torch.no_grad():
        logits = model(**{key: value.to(model.device) for key, value in batch.items()}, use_cache=False).logits
    logs = torch.log_softmax(logits.float(), dim=-1).gather(-1, targets.clamp(min=0)[..., None]).squeeze(-1)
    return [round(each, 6) for each in (logs * (targets != -100)).sum(-1).exp().tolist()]
