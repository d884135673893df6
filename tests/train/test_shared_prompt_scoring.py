"""Answers side by side behind one prompt: the same scores and gradients as one by one."""

from __future__ import annotations

from typing import Any

import pytest
from train_data import TINY_QWEN3

from saccade.train.shared_prompt_scoring import branched, collate, scores, seen

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.train
PAD = 0
ASKED: list[tuple[list[int], list[list[int]]]] = [
    ([5, 6, 7, 8, 9, 10], [[20, 21, 22], [23], [24, 25]]),
    ([11, 12, 13], [[23], [26, 27, 28, 29, 30]]),
]


@pytest.fixture
def model() -> Any:
    import transformers  # noqa: PLC0415

    torch.manual_seed(3)
    config = transformers.Qwen3Config(**TINY_QWEN3, num_labels=1)
    return transformers.Qwen3ForSequenceClassification(config)


def alone(model: Any) -> Any:
    rows = [prompt + answer for prompt, answers in ASKED for answer in answers]
    return torch.cat([model(input_ids=torch.tensor([row])).logits[:, 0] for row in rows])


def test_scores_and_gradients_are_those_of_answers_that_stand_alone(model: Any) -> None:
    batch = collate([branched(*each) for each in ASKED], PAD)
    assert batch["input_ids"].shape == (2, 12) and int((batch["branch"] >= 0).sum()) == 12 + 9
    found = []
    for given in (alone(model), scores(model, batch)):
        model.zero_grad()
        (given * torch.tensor([1.0, -2.0, 3.0, -1.0, 2.0])).sum().backward()
        found.append((given.detach(), {name: each.grad.clone() for name, each in model.named_parameters()}))
    (wanted, slopes), (got, own) = found
    assert wanted.std() > 0.1, "there is something to compare"
    torch.testing.assert_close(got, wanted)
    for name, slope in slopes.items():
        torch.testing.assert_close(own[name], slope, atol=1e-4, rtol=1e-3)


def test_a_branch_sees_the_prompt_and_itself() -> None:
    mask = seen(collate([branched([5, 6], [[7, 8], [9]])], PAD)["branch"])[0, 0]
    assert mask.int().tolist() == [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 1, 1, 1, 0], [1, 1, 0, 0, 1]]
