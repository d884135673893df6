"""Comprehension data: sentences about key elements, reasoning, the rules for both, and UILoop's own form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import saccade
from fake_openai import serving, whole
from handmade_screens import made, mail_step, scroll_step, switch_step, write
from msgspec.structs import replace

from saccade.actions import Action
from saccade.data.readers import open_dataset
from saccade.data.readers.steps import StepsFile
from saccade.data.readers.ui_comprehension import UIComprehension
from saccade.data.synthesis.comprehension_form import action_name, comprehension_record, input_text
from saccade.data.synthesis.roles.base import UnansweredError
from saccade.data.synthesis.roles.comprehension_annotator import (
    COMPREHENSION_ANNOTATOR,
    Comprehension,
    DoneAction,
    problems_of,
)
from saccade.data.synthesis.stages.normalise_steps import told_action
from saccade.geometry import Point
from saccade.paradigms.wording import language_of
from saccade.types import Step

MAIL = 'this element is a button that says "Mail": opens the app Mail.'
THINKS = [
    'The task is "Send Ann a mail that says "hello""; done before: tapped "Home".',
    'On this screen the button "Mail" matters.',
    "The task needs Mail.",
    'So the next action is to tap the button "Mail".',
]


def subject(step: Step) -> DoneAction:
    return DoneAction(step, told_action(step), list(step.elements), language_of(step.instruction))


def answer(description: str = MAIL, *thinks: str, ids: tuple[int, ...] = (3,)) -> str:
    elements = [{"id": id, "description": description} for id in ids]
    return json.dumps({"elements": elements, "thinks": thinks or ["The mail app is needed, so I open it."]})


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole pipeline with the teacher, once."""
    folder = tmp_path_factory.mktemp("comprehension")
    records = write(folder / "records")
    done = saccade("data", "comprehend", str(records), "--out", str(folder / "out"), "--json")
    assert done.returncode == 0, done.stderr
    return folder / "out"


def test_what_the_teacher_writes() -> None:
    english = COMPREHENSION_ANNOTATOR.taught(subject(mail_step()))
    assert [(each.id, each.description) for each in english.elements] == [(3, MAIL)]
    assert english.thinks == THINKS
    chinese = COMPREHENSION_ANNOTATOR.taught(subject(switch_step()))
    assert [each.description for each in chinese.elements] == [
        "该元素是显示“蓝牙”的开关，已勾选：将“蓝牙”切换为关闭。",
        "该元素是显示“名称”的输入框，已获得焦点：输入框“名称”。",
    ]
    assert chinese.thinks == [
        "任务是“关闭蓝牙”，此前的操作：向上滑动。",
        "这个界面上重要的元素是开关“蓝牙”、输入框“名称”。",
        "这里需要的是“蓝牙”。",
        "因此下一步：点击开关“蓝牙”。",
    ]
    for step, told in ((mail_step(), english), (switch_step(), chinese)):
        assert problems_of(told, subject(step)) == [], "the teacher keeps the rules for models"
    with pytest.raises(UnansweredError, match="nothing on its screen matters"):
        COMPREHENSION_ANNOTATOR.taught(subject(scroll_step()))


def test_what_simple_rules_write() -> None:
    """The target first, though nobody annotated anything."""
    step = replace(switch_step(), key_elements=None)
    guessed = COMPREHENSION_ANNOTATOR.guessed(subject(step))
    assert guessed.elements[0].description == "该元素是显示“蓝牙”的开关，已勾选。"
    assert problems_of(guessed, subject(step)) == [] and len(guessed.elements) == 3


GOOD = (
    answer("This element is the mail app's icon, which opens it."),
    answer('this element says "[3, 4] px" and opens the app.'),
    answer(MAIL, *["A sentence."] * 5),
    answer(MAIL, 'The button says "ground truth", so I tap it.'),
    answer(MAIL, "Among three, four (5) and 6 the second fits."),
)
BAD = (
    (answer(ids=(9,)), "there is no element 9"),
    (answer(ids=(3, 3)), "element 3 is named twice"),
    (json.dumps({"elements": [], "thinks": ["A."]}), "0 elements are described"),
    (json.dumps({"elements": [{"id": 3, "description": MAIL}], "thinks": []}), "0 thinks"),
    (answer(MAIL, *["A sentence."] * 6), "there are 6 thinks"),
    (answer("The button opens the mail app."), "must begin with 'this element'"),
    (answer("this element opens the mail app"), "must end with a full stop"),
    (answer("this element.\nIt opens."), "one line"),
    (answer("this element " + "a" * 400 + "."), "1 to 400 characters"),
    (answer("this element at [30, 80] opens the app."), "has coordinates"),
    (answer("this element (30，80) opens the app."), "has coordinates"),
    (answer("this element, 30 px wide, opens the app."), "has coordinates"),
    (answer(MAIL, "I tap x=30."), "think 1 has coordinates"),
    (answer(MAIL, "The given action is a click."), "was given"),
    (answer(MAIL, "According to the ground truth it is Mail."), "was given"),
    (answer(MAIL, "I was told to tap it."), "was given"),
    (answer(MAIL, "The target area is provided."), "one JSON object|was given|nothing"),
    (answer(MAIL, "根据给定的动作，点击它。"), "was given"),
    (answer(MAIL, "标准答案是点击。"), "was given"),
)


def test_rules_for_a_models_answer() -> None:
    for text in GOOD:
        assert isinstance(COMPREHENSION_ANNOTATOR.read(text, subject(mail_step())), Comprehension), text
    for text, problem in BAD:
        with pytest.raises(ValueError, match=problem):
            COMPREHENSION_ANNOTATOR.read(text, subject(mail_step()))
    with pytest.raises(ValueError, match="must begin with '该元素'"):
        COMPREHENSION_ANNOTATOR.read(answer("this element is a switch.", ids=(2,)), subject(switch_step()))


def test_the_form_of_the_published_set(out: Path) -> None:
    """Every field of the paper's record; two right actions, of which the touch is told."""
    lines = [json.loads(line) for file in sorted(out.glob("records-*.jsonl")) for line in file.open()]
    record = next(line for line in lines if line["id"] == "m-0")
    assert record == {
        "id": "m-0",
        "instruction": 'Send Ann a mail that says "hello"',
        "image": record["image"],
        "gt_action": "click",
        "gt_bbox": [10, 60, 50, 100],
        "gt_input_text": "no input text",
        "history": 'Step 1: tapped "Home"',
        "image_size": [100, 200],
        "group": "mobile",
        "Key UI Elements": [f"Located at [30, 80], {MAIL}"],
        "Reasoning_Chains": THINKS,
    }
    assert {line["id"] for line in lines} == {"m-0", "s-1"}, "nothing matters on s-0, nobody annotated u-0"


def test_our_own_reader_reads_the_same_steps(out: Path) -> None:
    written = made(out)
    read = {sample.step.id: sample.step for sample in UIComprehension(out).samples()}
    assert read.keys() == written.keys() != set()
    for name, step in written.items():
        other = read[name]
        assert (other.instruction, other.history, other.screen) == (step.instruction, step.history, step.screen)
        assert (other.thought, other.truth, other.image) == (step.thought, step.truth[:1], step.image)
        assert [(each.center, each.caption) for each in other.key_elements or ()] == [
            (each.center, each.caption) for each in step.key_elements or ()
        ]
        assert other.tags["split"] == step.tags["split"] and step.tags["annotator"] == "teacher"
    assert isinstance(open_dataset(out), StepsFile), "step records say more than the form"
    assert saccade("data", "check", str(out)).returncode == 0


@pytest.mark.parametrize(
    ("action", "name", "text"),
    [
        (Action("swipe", direction="up"), "scroll", "down"),
        (Action("type", text="hi"), "type", "hi"),
        (Action("press", key="back"), "press_back", ""),
        (Action("terminate", status="success"), "complete", ""),
        (Action("terminate", status="failure"), "impossible", ""),
        (Action("wait", seconds=2), "wait", ""),
        (Action("long_press", point=Point(3, 4)), "long_press", ""),
        (Action("press", key="menu"), "", ""),
        (Action("drag", start=Point(1, 1), end=Point(50, 1)), "", ""),
        (Action("open_url", text="https://example.org"), "", ""),
    ],
)
def test_actions_in_the_form(action: Action, name: str, text: str) -> None:
    assert (action_name(action), input_text(action)) == (name, text)


def test_actions_without_a_place_or_a_history() -> None:
    record = comprehension_record(replace(scroll_step(), key_elements=[]), "web")
    assert (record["gt_bbox"], record["gt_input_text"], record["history"]) == ([-100, -100], "down", "None")
    assert record["group"] == "web"


def test_a_model_writes(out: Path, tmp_path: Path) -> None:
    """It is told the action, its area and text; what breaks the rules twice is dropped and counted."""
    with serving(whole(answer(MAIL, "The given action is right."))) as server:
        done = saccade(
            *("data", "comprehend", str(out.parent / "records"), "--model", "openai/tester", "--base-url", server.url),
            *("--max-items", "1", "--workers", "1", "--out", str(tmp_path / "out")),
        )
        assert done.returncode == 0, done.stderr
        told = server.bodies[0]["messages"][0]["content"]
    said = next(part["text"] for part in told if part["type"] == "text" and "action:" in part["text"])
    assert "- action: click" in said and "- area: [10, 60, 50, 100]" in said and "- text: none" in said
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    described = next(stage for stage in manifest["stages"] if stage["stage"] == "describe_elements")
    assert described["dropped"]["the comprehension_annotator's answer breaks the rules"]["count"] == 1
    assert len(server.bodies) == 2 and manifest["samples"] == 0
