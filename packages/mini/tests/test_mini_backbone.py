"""The mini as it is trained: which tokens it answers for, what varies, and what practice asks."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest
import torch
from msgspec.structs import replace

from saccade.actions import Action
from saccade.errors import InputError
from saccade.geometry import Box, Point, Size
from saccade.paradigms import get_paradigm
from saccade.records import write_steps
from saccade.train.recipe import Lesson, Recipe, Variant
from saccade.train.rows import Row, RowMaker
from saccade.train.samples import read_rows
from saccade.train.sft import Timetable, stages
from saccade.types import Element, Step
from saccade_mini.codec import MOST, PROMPT, SPECIAL, names_in
from saccade_mini.training.backbone import END, PAD, MiniBackbone
from saccade_mini.training.drills import drill
from saccade_mini.training.restating import KNOWN


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


def told_by_phone(instruction: str = "Call Ada Moss") -> list[Step]:
    tags = {"task": "contacts.call", "language": "en"}
    done = [Action("click", Point(50, 25)), Action("terminate", status="success")]
    return [
        Step(id=f"p-{at}", episode="p", step=at, instruction=instruction, screen=Size(100, 100), truth=[action],
             elements=[Element(1, Box(0, 0, 100, 50), "button", "Ada Moss")], thought="So be it.", tags=tags)
        for at, action in enumerate(done)
    ]  # fmt: skip


def test_rows_tell_the_task_plainly_and_ask_for_it(mini: MiniBackbone, tmp_path: Path) -> None:
    write_steps(tmp_path / "steps.jsonl", [*told_by_phone(), replace(drill(3)[0], episode="d", step=0)])
    recipe = Recipe(stage="sft", model="mini", data=(str(tmp_path),), elements="parsed", restate=4,
                    variants=(Variant(paradigm="btl", switches={"space": "phone"}),))  # fmt: skip
    rows = read_rows(recipe, mini).train
    acting = [row for row in rows if not row.restates and row.id.startswith("p")]
    asking = [row for row in rows if row.restates]
    assert len(acting) == 2
    assert len(asking) == 5, "four of what is known, one of what is not"
    for row in acting:
        lines = row.messages[0].text.splitlines()
        assert lines[1:3] == ["task: Call Ada Moss", "step: Call Ada Moss"]
        assert row.told("Ring her")[0].text.splitlines()[1:3] == ["task: Ring her", "step: Call Ada Moss"]
    assert asking[0].messages[0].text == "@restate en\ntask: Call Ada Moss"
    assert asking[0].answer == "Call Ada Moss"
    assert len({row.answer for row in asking[:4]}) == 4
    assert asking[4].answer == "", "nobody taught it how to put this one"
    for row in rows:
        assert len(mini.encode(row.messages, row.answer)["input_ids"]) == mini.sizes(row.messages, row.answer, ())[0]


def test_to_a_task_of_another_phone_nothing_is_answered(mini: MiniBackbone, tmp_path: Path) -> None:
    write_steps(tmp_path / "steps.jsonl", told_by_phone())
    recipe = Recipe(stage="sft", model="mini", data=(str(tmp_path),), elements="parsed", restate=2 * KNOWN)
    asking = [row for row in read_rows(recipe, mini).train if row.restates]
    silent = [row for row in asking if not row.answer and "\nstep: " not in row.messages[0].text]
    assert (len(asking), len(silent)) == (2 * KNOWN + 2, 2)
    for row in silent:
        taught = [token for token in mini.encode(row.messages, row.answer)["labels"] if token != -100]
        assert taught == [END]


def test_a_lesson_may_have_tasks_only(mini: MiniBackbone, tmp_path: Path) -> None:
    write_steps(tmp_path / "steps.jsonl", told_by_phone())
    recipe = Recipe(stage="sft", model="mini", data=(str(tmp_path),), elements="parsed", restate=4, steps=4, tokens=200,
                    curriculum=(Lesson(elements=9, share=1, restate=True), Lesson(elements=9, share=1)))  # fmt: skip
    rows = read_rows(recipe, mini)
    batches = list(Timetable(recipe, stages(recipe, rows, mini)))
    drawn = [{rows.train[draw.row].restates for draw in batch} for batch in batches]
    assert drawn[:2] == [{True}, {True}]
    assert {False} <= set.union(*drawn[2:])
    none = msgspec.structs.replace(recipe, restate=0)
    with pytest.raises(InputError, match="set restate"):
        stages(none, read_rows(none, mini), mini)
