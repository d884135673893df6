"""What the mini is trained on: rows as tokens, other wordings, practice, tempting wrong actions."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from training_data import SIZE, call, write_calls

from saccade.actions import Action
from saccade.errors import InputError
from saccade.geometry import Point, Size
from saccade.scoring.profiles import MatchContext, get_profile
from saccade.train.batch_schedule import BatchSchedule, schedule_phases
from saccade.train.episodes import RecordedEpisode
from saccade.train.prm_dataset import labelled_actions
from saccade.train.recipe import Prm, Recipe, Variant
from saccade.train.rows import NOTES, TrainingRow
from saccade.train.samples import read_rows
from saccade.types import Step
from saccade_mini import task_habits
from saccade_mini.codec import MOST, SPECIAL, Sheet, names_in
from saccade_mini.model import WEIGHTS
from saccade_mini.training.backbone import END, PAD, MiniBackbone, load_tokenizer
from saccade_mini.training.hard_negatives import actions, hard_negatives, misunderstood, tempting_actions, understood
from saccade_mini.training.restating import KNOWN

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


@pytest.fixture(scope="module")
def rows(mini: MiniBackbone, tmp_path_factory: pytest.TempPathFactory) -> list[TrainingRow]:
    return rows_of(mini, write_calls(tmp_path_factory.mktemp("rows")))


# -- tokens ------------------------------------------------------------------------------------------------------------


def test_only_the_answer_is_learned(mini: MiniBackbone, rows: list[TrainingRow]) -> None:
    assert len(rows) == 12
    for row in rows:
        whole, prompt = mini.encode(row.messages, row.answer), mini.encode(row.messages, None)["input_ids"]
        count = len(prompt)
        assert whole["input_ids"][:count] == prompt and whole["labels"][:count] == [-100] * count
        assert whole["labels"][count:] == whole["input_ids"][count:] and whole["labels"][-1] == END
        said = mini.processing.decode(whole["input_ids"][count:-1], skip_special_tokens=True)
        assert row.paradigm.parse(mini.answer(row.messages, said), row.step.view).reply.action is not None
        size, short, same = mini.sizes(row.messages, row.answer, [1, 99])
        assert short < size == same == len(whole["input_ids"])
    swipes = [mini.processing.decode(mini.encode(row.messages, row.answer)["input_ids"]) for row in rows[::3]]
    assert all("<s>" in each and "<up>" in each for each in swipes), "a swipe is pointed at"


def test_a_short_list_keeps_what_is_pointed_at(mini: MiniBackbone, rows: list[TrainingRow]) -> None:
    for at, row in enumerate(rows):
        thin = mini.encode(row.messages, row.answer, random.Random(at), most=2)
        split = next(at for at, label in enumerate(thin["labels"]) if label != -100)
        text = mini.processing.decode(thin["input_ids"][:split], skip_special_tokens=False)
        answer = mini.processing.decode(thin["input_ids"][split:], skip_special_tokens=False)
        assert names_in(answer) <= names_in(text) and len(names_in(text)) <= max(2, len(names_in(answer)))
        assert len(thin["input_ids"]) < len(mini.encode(row.messages, row.answer)["input_ids"])


def test_a_batch_is_padded_on_the_right(mini: MiniBackbone, rows: list[TrainingRow]) -> None:
    batch = mini.collate([mini.encode(row.messages, row.answer) for row in rows[:3]])
    assert batch["input_ids"].shape[1] % 16 == 0 and (batch["input_ids"][:, -1] == PAD).any()
    assert ((batch["input_ids"] != PAD) == batch["attention_mask"].bool()).all()
    assert mini.processing.convert_tokens_to_ids(list(SPECIAL)) == list(range(len(SPECIAL)))


def test_practice_asks_for_nothing_but_what_stands_there(mini: MiniBackbone) -> None:
    first, pointer = mini.processing.convert_tokens_to_ids(["<e0>", "<p>"])
    for seed in range(30):
        sample = mini.practice(random.Random(seed), 12)
        ids, labels = sample["input_ids"], sample["labels"]
        begin = ids.index(pointer)
        asked = [at for at, label in enumerate(labels) if label != -100]
        assert asked and min(asked) > begin
        for at in asked:
            assert ids[at] == labels[at]
            places = [spot for spot in range(begin) if ids[spot : spot + 2] == [ids[at - 1], labels[at]]]
            assert places, "what is asked for stands in the list, behind the same token"
        assert any(first <= labels[at] < first + MOST for at in asked)
    assert mini.practice(random.Random(1), 12) == mini.practice(random.Random(1), 12)


# -- wordings ----------------------------------------------------------------------------------------------------------


def test_rows_tell_the_task_plainly_and_ask_for_it(tmp_path: Path) -> None:
    rows = rows_of(backbone_of(restate=2 * KNOWN), write_calls(tmp_path, 1))
    acting, asking = [row for row in rows if not row.extra], [row for row in rows if row.extra]
    assert len(acting) == 3 and len(asking) == 2 * KNOWN + 2
    for row in acting:
        lines = row.messages[0].text.splitlines()
        assert "task: Call Ada Moss" in lines and "step: Call Ada Moss" in lines
        other = row.reworded("Ring her")[0].text.splitlines()
        assert "task: Ring her" in other and "step: Call Ada Moss" in other
    assert asking[0].answer in ("Call Ada Moss", "") and "task: Call Ada Moss" in asking[0].messages[0].text
    assert len({row.answer for row in asking}) > 5
    silent = [row for row in asking if not row.answer and "\nstep: " not in row.messages[0].text]
    assert len(silent) == 2, "tasks of apps that the phone does not have"
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
    lessons = [{"elements": 2, "share": 1, "practice": True}, {"elements": 9, "share": 1, "restate": True}]
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
    assert NOTES == task_habits.NOTES, "what training writes, the policy reads"


# -- hard negatives ----------------------------------------------------------------------------------------------------

SHEET = Sheet.read('@btl en\ntask: Call Ann\n#1 button "Ann" [500, 250] [0, 200, 1000, 300]')


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("touch =name", Action("click", Point(180, 200))),
        ("hold =name", Action("long_press", Point(180, 200))),
        ("swipe up", Action("swipe", direction="up")),
        ("press back", Action("press", key="back")),
        ("end failure", Action("terminate", status="failure")),
        ("open Clock", Action("open_app", text="Clock")),
        ("type =name", Action("type", text="Ann")),
        ("type =noted", None),
        ("touch Save", None),
        ("answer", None),
    ],
)
def test_names_as_actions(name: str, wanted: Action | None) -> None:
    assert list(actions(name, SHEET, Size(360, 800), {"name": "Ann"})) == ([wanted] if wanted else [])


def test_what_such_tasks_do_at_other_times_tempts() -> None:
    steps = call()
    task = understood(steps[0])
    assert task is not None and task.text == "Call Ada Moss"
    found = tempting_actions(steps, task)
    assert set(found) == {step.id for step in steps}
    assert any(each.type == "open_app" for each in found["c0-0"]), "where such tasks begin"
    dance = Step(id="1", instruction="Dance", screen=SIZE, truth=[Action("wait")])
    assert understood(dance) is None
    assert hard_negatives([dance], random.Random(0), 2, 1.0) == ([dance], {})
    assert not hard_negatives(steps, random.Random(0), 0, 0.0).actions


def test_a_reward_model_is_told_a_wrong_meaning_and_taught_right_labels() -> None:
    mini = backbone_of(restate=1, tempting=2, misread=1.0)
    recipe = Recipe(stage="prm", model="mini", prm=Prm(profile="cmgui", negatives=3))
    rows = list(labelled_actions(RecordedEpisode(Path(), call()), mini, recipe, "0", Counter()))
    (told,) = {row.step.step_instruction for row in rows}
    task = understood(call()[0])
    assert task is not None and told != task.text, "the whole episode is understood in one other way"
    other = misunderstood(call()[0], task, random.Random(0))
    assert other is not None and set(other.slots.values()) <= set(task.slots.values())
    profile = get_profile("cmgui")
    for row in rows:
        context = MatchContext(row.step.screen, row.step.elements, row.step.grounding)
        assert profile.judge(row.action, row.step.truth, context).right == (row.label == 1)
        assert row.prompt.kind == "mini" and row.answer
