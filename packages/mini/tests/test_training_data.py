"""What the mini is trained on: rows as tokens, other wordings, practice."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from training_data import call, write_calls

from saccade.data.training_rows import TrainingRow
from saccade.errors import InputError
from saccade.train.batch_schedule import BatchSchedule, schedule_phases
from saccade.train.recipe import Recipe, Variant
from saccade.train.samples import read_rows
from saccade_mini.codec import MOST
from saccade_mini.model import WEIGHTS
from saccade_mini.training.backbone import MiniBackbone, load_tokenizer

pytestmark = pytest.mark.train
PHONE = (Variant(paradigm="btl", switches={"space": "phone"}),)


def backbone_of(**options: Any) -> MiniBackbone:
    recipe = Recipe(stage="sft", model="mini", backbone=options)
    return MiniBackbone(None, load_tokenizer(WEIGHTS / "tokenizer.json"), MiniBackbone.read_options(recipe))


@pytest.fixture(scope="module")
def mini() -> MiniBackbone:
    return backbone_of()


def rows_of(mini: MiniBackbone, data: Path, **more: Any) -> list[TrainingRow]:
    recipe = Recipe(stage="sft", model="mini", data=(str(data),), elements="parsed", variants=PHONE, **more)
    return list(read_rows(recipe, mini).train)


def test_only_the_answer_is_learned(mini: MiniBackbone, tmp_path: Path) -> None:
    rows = rows_of(mini, write_calls(tmp_path))
    assert len(rows) == 12
    for row in rows:
        whole, prompt = mini.encode(row.messages, row.answer), mini.encode(row.messages, None)["input_ids"]
        ids, labels, count = whole["input_ids"], whole["labels"], len(prompt)
        assert ids[:count] == prompt and labels[:count] == [-100] * count and labels[count:] == ids[count:]
        said = mini.processing.decode(ids[count:-1], skip_special_tokens=True)
        assert ids[-1] == mini.processing.eos_token_id
        assert row.paradigm.parse(mini.answer(row.messages, said), row.step.view).reply.action is not None
        size, short, same = mini.sizes(row.messages, row.answer, [1, 99])
        assert short < size == same == len(ids)
    swipes = [mini.processing.decode(mini.encode(row.messages, row.answer)["input_ids"]) for row in rows[::3]]
    assert all("<s>" in each and "<up>" in each for each in swipes), "a swipe is pointed at"


def test_practice_asks_for_nothing_but_what_stands_there(mini: MiniBackbone) -> None:
    first, pointer = mini.processing.convert_tokens_to_ids(["<e0>", "<p>"])
    for seed in range(30):
        sample = mini.practice(random.Random(seed), 12)
        ids, labels = sample["input_ids"], sample["labels"]
        begin = ids.index(pointer)
        asked = [at for at, label in enumerate(labels) if label != -100]
        assert asked and min(asked) > begin
        listed = list(itertools.pairwise(ids[:begin]))
        for at in asked:
            assert ids[at] == labels[at]
            assert (ids[at - 1], ids[at]) in listed, "what is asked for stands in the list, behind the same token"
        assert any(first <= labels[at] < first + MOST for at in asked)
    assert mini.practice(random.Random(1), 12) == mini.practice(random.Random(1), 12)


def test_rows_tell_the_task_plainly_and_ask_for_it(tmp_path: Path) -> None:
    rows = rows_of(backbone_of(restate=24), write_calls(tmp_path, 1))
    acting, asking = [row for row in rows if not row.extra], [row for row in rows if row.extra]
    assert len(acting) == 3 and len(asking) == 24
    for row in acting:
        lines = row.messages[0].text.splitlines()
        assert "task: Call Ada Moss" in lines and "step: Call Ada Moss" in lines
        other = row.reworded("Ring her")[0].text.splitlines()
        assert "task: Ring her" in other and "step: Call Ada Moss" in other
    assert asking[0].answer in ("Call Ada Moss", "") and "task: Call Ada Moss" in asking[0].messages[0].text
    assert len({row.answer for row in asking}) > 5
    for row in asking:
        given = row.messages[0].text.partition("\nstep: ")[2]
        assert bool(row.answer) == (given in ("", "Call {name}")), "nothing fits the wording of another task"
    unknown = replace(call()[0], instruction="Dance", tags={})
    (row,) = backbone_of(restate=4).extra_rows(unknown, acting[0].paradigm, "0")
    assert row.answer == ""


def test_instructions_are_drawn_anew_and_others_for_measuring() -> None:
    mini, step = backbone_of(paraphrase=1.0), call()[0]
    trained = {mini.reword(step, random.Random(at), held=False) for at in range(300)}
    held = {mini.reword(step, random.Random(at), held=True) for at in range(300)}
    assert len(trained) > 60 and 3 <= len(held) <= 30 and not trained & held
    assert backbone_of().reword(step, random.Random(0), held=False) == "Call Ada Moss"
    recipe = Recipe(stage="grpo", model="mini")
    told = [mini.retell(call(), recipe, random.Random(at)) for at in range(20)]
    assert all(len({each.instruction for each in steps}) == 1 for steps in told), "one episode, one wording"
    assert len({steps[0].instruction for steps in told}) > 10
    assert any("Ada Moss" not in str(steps) for steps in told), "about somebody else"


def test_phases_are_the_lessons(tmp_path: Path) -> None:
    lessons = [{"elements": 2, "share": 1, "practice": True}, {"elements": 9, "share": 1, "extra_only": True}]
    mini = backbone_of(restate=4, curriculum=[*lessons, {"elements": 3, "share": 2, "tokens": 100}])
    recipe = Recipe(stage="sft", model="mini", data=(str(write_calls(tmp_path)),), variants=PHONE, steps=8, tokens=400)
    rows = read_rows(recipe, mini)
    batches = list(BatchSchedule(recipe, schedule_phases(rows, mini)))
    assert [batch[0].practice for batch in batches] == [True] * 2 + [False] * 6
    assert all(rows.train[each.row].extra for batch in batches[2:4] for each in batch)
    assert [batch[0].elements for batch in batches[4:]] == [3] * 4
    assert max(rows.thinned[3]) < max(rows.lengths)
    with pytest.raises(InputError, match="only extra rows, and there are none"):
        none = backbone_of(curriculum=lessons)
        schedule_phases(read_rows(recipe, none), none)


def test_options_are_checked() -> None:
    with pytest.raises(InputError, match=r"mine\.yaml: backbone: .*paraphrse.*the settings of this backbone are para"):
        MiniBackbone.read_options(Recipe(stage="sft", backbone={"paraphrse": 1}), "mine.yaml")
    for rest in ("", "new", str(WEIGHTS)):
        MiniBackbone.check(rest)
    with pytest.raises(InputError, match="not the folder of a mini"):
        MiniBackbone.check("nowhere")
