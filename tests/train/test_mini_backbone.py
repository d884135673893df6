"""The mini as it is trained: which tokens it answers for, what varies, and what practice asks."""

from __future__ import annotations

import random

import pytest
import torch

from saccade.models.mini.text import MOST, PROMPT, SPECIAL, names_in
from saccade.paradigms import get_paradigm
from saccade.train.drills import drill
from saccade.train.mini import END, PAD, MiniBackbone
from saccade.train.recipe import Recipe
from saccade.train.rows import Row, RowMaker


@pytest.fixture(scope="module")
def mini() -> MiniBackbone:
    return MiniBackbone.open(Recipe(stage="sft", model="mini"))


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    paradigm = get_paradigm("btl", frame=MiniBackbone.frame, space="phone", template=PROMPT)
    maker = RowMaker(paradigm, told=True, points=True)
    return [row for seed in range(20) for row in maker.episode(drill(seed), random.Random(0))]


def test_it_has_the_size_it_says(mini: MiniBackbone) -> None:
    assert sum(weight.numel() for weight in mini.model.parameters()) == pytest.approx(28e6, rel=0.02)
    assert mini.processing.convert_tokens_to_ids(list(SPECIAL)) == list(range(len(SPECIAL)))


def test_only_the_answer_is_learned(mini: MiniBackbone, rows: list[Row]) -> None:
    for row in rows:
        whole, prompt = mini.encode(row.messages, row.answer), mini.encode(row.messages, None)["input_ids"]
        count = len(prompt)
        assert whole["input_ids"][:count] == prompt
        assert whole["labels"][:count] == [-100] * count
        assert whole["labels"][count:] == whole["input_ids"][count:]
        assert whole["labels"][-1] == END
        said = mini.processing.decode(whole["input_ids"][count:-1], skip_special_tokens=True)
        assert row.paradigm.parse(mini.answer(row.messages, said), row.step.view).reply.action is not None


def test_a_short_list_keeps_what_is_pointed_at(mini: MiniBackbone, rows: list[Row]) -> None:
    shortened = 0
    for at, row in enumerate(rows):
        whole = mini.encode(row.messages, row.answer)
        thin = mini.encode(row.messages, row.answer, random.Random(at), most=3)
        split = next(at for at, label in enumerate(thin["labels"]) if label != -100)
        text = mini.processing.decode(thin["input_ids"][:split], skip_special_tokens=False)
        answer = mini.processing.decode(thin["input_ids"][split:], skip_special_tokens=False)
        assert names_in(answer) <= names_in(text)
        assert len(names_in(text)) <= max(3, len(names_in(answer)))
        shortened += len(thin["input_ids"]) < len(whole["input_ids"])
    assert shortened > len(rows) / 2


def test_practice_asks_for_nothing_but_what_stands_there(mini: MiniBackbone) -> None:
    first = mini.processing.convert_tokens_to_ids("<e0>")
    pointer = mini.processing.convert_tokens_to_ids("<p>")
    for seed in range(30):
        sample = mini.practice(random.Random(seed), 12)
        ids, labels = sample["input_ids"], sample["labels"]
        assert len(ids) == len(labels)
        begin = ids.index(pointer)
        assert all(label == -100 for label in labels[:begin])
        asked = [at for at, label in enumerate(labels) if label != -100]
        assert asked
        for at in asked:
            assert ids[at] == labels[at]
            before = ids[at - 1]
            places = [spot for spot in range(begin) if ids[spot : spot + 2] == [before, labels[at]]]
            assert places, "what is asked for stands in the list, behind the same token"
        assert any(first <= labels[at] < first + MOST for at in asked)
    assert mini.practice(random.Random(1), 12) == mini.practice(random.Random(1), 12)


def test_what_fills_up_a_batch_changes_nothing(mini: MiniBackbone, rows: list[Row]) -> None:
    """No mask is needed: the loss is that of each row alone."""
    samples = [mini.encode(row.messages, row.answer) for row in sorted(rows, key=lambda row: len(row.answer))[:3]]
    samples.append(mini.encode(rows[0].messages, rows[0].answer))
    batch = mini.collate(samples)
    assert (batch["input_ids"][:, -1] == PAD).any()
    mini.model.eval()
    with torch.no_grad():
        together = mini.model(input_ids=batch["input_ids"]).logits
        for at, sample in enumerate(samples):
            alone = mini.model(input_ids=torch.tensor([sample["input_ids"]])).logits[0]
            assert torch.allclose(together[at, : len(alone)], alone, atol=1e-4)
