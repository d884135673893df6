"""Actions that stand against each other on one screen are judged in one reading.

A mini's question is 330 tokens and the action behind it 12: where five actions are put to it one by one, three quarters
of what is read was read before. So they stand behind their prompt side by side, each as a branch that sees the prompt
and itself, at the places it would have alone. The scores are the same, from a quarter of the tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from saccade.models.torch_support import libraries

STEM = 0
"""What all branches see. They are numbered from 1; padding is -1."""


def branched(prompt: Sequence[int], answers: Sequence[Sequence[int]]) -> dict[str, list[int]]:
    """A prompt with all of its answers, as one row."""
    row = {"input_ids": [*prompt], "position_ids": [*range(len(prompt))], "branch": [STEM] * len(prompt)}
    for number, answer in enumerate(answers, 1):
        row["input_ids"] += answer
        row["position_ids"] += range(len(prompt), len(prompt) + len(answer))
        row["branch"] += [number] * len(answer)
    return row


def collate(rows: Sequence[dict[str, Any]], pad: int) -> dict[str, Any]:
    """Rows as a batch, filled up on the right; `ends` are the rows and places where a branch ends."""
    torch, _ = libraries()
    width = max(len(row["input_ids"]) for row in rows)
    batch = {
        key: torch.tensor([row[key] + [fill] * (width - len(row[key])) for row in rows])
        for key, fill in (("input_ids", pad), ("position_ids", 0), ("branch", -1))
    }
    after = torch.nn.functional.pad(batch["branch"][:, 1:], (0, 1), value=-1)
    return batch | {"ends": ((batch["branch"] > STEM) & (after != batch["branch"])).nonzero(as_tuple=True)}


def seen(branch: Any) -> Any:
    """Which token sees which: its branch's and the stem's, as far as they stand before it. Padding sees padding."""
    torch, _ = libraries()
    other = branch[:, None, :]
    before = torch.ones(branch.shape[1], branch.shape[1], dtype=torch.bool, device=branch.device).tril()
    return ((other == STEM) | (other == branch[:, :, None]))[:, None] & before


def scores(model: Any, batch: dict[str, Any]) -> Any:
    """What a model with a score for a head gives to each branch, row after row."""
    body = model.base_model(
        input_ids=batch["input_ids"],
        position_ids=batch["position_ids"],
        attention_mask=seen(batch["branch"]),
        use_cache=False,
    )
    return model.score(body.last_hidden_state[batch["ends"]])[:, 0]
