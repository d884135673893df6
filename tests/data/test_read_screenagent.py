"""ScreenAgent: a small session of each kind, and the real ones."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from test_read_btl_meta import check_damaged

from saccade.actions import Action
from saccade.data.readers import DataError, open_dataset
from saccade.data.readers.screenagent import ScreenAgent
from saccade.errors import InputError
from saccade.geometry import Box, Point, Size
from saccade.types import Step


def mouse(kind: str, x: int | None = None, y: int | None = None, **more: Any) -> dict[str, Any]:
    place = {} if x is None else {"mouse_position": {"width": x, "height": y}}
    return {"action_type": "MouseAction", "mouse_action_type": kind, **place, **more}


def key(*keys: str) -> dict[str, Any]:
    pressed = keys[0] if len(keys) == 1 else list(keys)
    return {"action_type": "KeyboardAction", "keyboard_action_type": "press", "keyboard_key": pressed}


def text(written: str) -> dict[str, Any]:
    return {"action_type": "KeyboardAction", "keyboard_action_type": "text", "keyboard_text": written}


def evaluation(situation: str) -> dict[str, Any]:
    return {"action_type": "EvaluateSubTaskAction", "situation": situation}


def record(*actions: dict[str, Any], picture: str, subtask: str = "开灯") -> dict[str, Any]:
    return {
        "task_prompt": "打开台灯",
        "task_prompt_en": "Switch the lamp on",
        "task_prompt_zh": "打开台灯",
        "send_prompt": f'您对 Linux 操作系统非常熟悉。\n现在的子任务是 "{subtask}"。\n请给出下一步。',
        "send_prompt_en": 'You know Linux well.\nThe current subtask is "turn on" the lamp.\nGo on.',
        "LLM_response_editer_en": 'I see a lamp.```json\n[{"action_type": "…"}]\n```',
        "LLM_response_editer_zh": "```json\n[]\n```",
        "video_width": 400,
        "video_height": 300,
        "saved_image_name": picture,
        "actions": list(actions),
    }


SESSION = [
    ("1", record({"action_type": "PlanAction", "element": "开灯"}, picture="1.png")),
    ("2", record(mouse("move", 50, 60), mouse("click", 50, 60, mouse_button="left"), picture="2.png")),
    ("3", record(evaluation("need_retry"), picture="3.png")),
    (
        "4",
        record(
            mouse("click", 10, 20, mouse_button="left"),
            {"action_type": "WaitAction", "wait_time": 1},
            text("你好"),
            key("Return"),
            key("Control_L", "s"),
            picture="4.png",
        ),
    ),
    ("4_neg_plan", record({"action_type": "PlanAction", "element": "开灯"}, picture="4.png")),
    ("5", record(mouse("scroll_down", scroll_repeat=5), picture="5.png")),
    ("6", record(mouse("move", 1, 2), mouse("drag", 30, 40, mouse_button="left"), picture="6.png")),
    ("7", record(mouse("click", 7, 8, mouse_button="right"), picture="7.png")),
    ("8", record(evaluation("sub_task_success"), picture="8.png")),
]


def write_session(folder: Path, session: list[tuple[str, dict[str, Any]]] | None = None) -> Path:
    (folder / "images").mkdir(parents=True)
    for name, each in session or SESSION:
        (folder / f"{name}_translate.json").write_text(json.dumps(each, ensure_ascii=False), encoding="utf-8")
        Image.new("1", (400, 300)).save(folder / "images" / each["saved_image_name"], "PNG")
    for made_up in folder.glob("*_neg_plan_translate.json"):
        made_up.rename(folder / "4_translate_neg_plan.json")
    return folder


def steps(dataset: ScreenAgent) -> list[Step]:
    return [sample.step for sample in dataset.samples()]


def test_actions_of_a_session(tmp_path: Path) -> None:
    write_session(tmp_path / "train" / "s1")
    dataset = open_dataset(tmp_path)
    assert isinstance(dataset, ScreenAgent)
    found = steps(dataset)
    assert [step.truth for step in found] == [
        [Action("click", Point(50, 60))],
        [Action("click", Point(10, 20))],  # the field must have the focus before anything is typed
        [Action("swipe", direction="up")],  # the wheel down is the finger up
        [Action("drag", start=Point(1, 2), end=Point(30, 40))],
        [Action("right_click", Point(7, 8))],
        [Action("terminate", status="success")],  # the evaluator's last word
    ]
    assert dataset.no_steps == {"plan": 1, "evaluation of a sub-task": 1, "record made up for training": 1}
    assert [(step.id, step.step) for step in found[:3]] == [("s1-1", 0), ("s1-3", 1), ("s1-5", 2)]
    assert found[0].tags["evaluation"] == "need_retry" and "evaluation" not in found[1].tags
    then = 'waited; typed "你好"; pressed enter; pressed ctrl+s'
    assert found[1].tags["then"] == then
    assert found[2].history == ["tapped [50, 60]", f"tapped [10, 20]; {then}"]
    first = found[0]
    assert (first.instruction, first.thought, first.screen) == ("Switch the lamp on", "I see a lamp.", Size(400, 300))
    assert first.image == "train/s1/images/2.png" and first.step_instruction == "" and first.key_elements is None
    assert (first.tags["system"], first.tags["language"], first.tags["split"]) == ("linux", "en", "train")
    assert steps(ScreenAgent(tmp_path, split="test")) == []


def test_languages_and_sub_tasks(tmp_path: Path) -> None:
    write_session(tmp_path / "s1")
    chinese = steps(ScreenAgent(tmp_path, language="zh", level="low"))[0]
    assert (chinese.instruction, chinese.step_instruction, chinese.thought) == ("打开台灯", "开灯", "")
    assert chinese.tags["language"] == "zh"
    english = steps(ScreenAgent(tmp_path, level="low"))
    assert english[0].step_instruction == "开灯", "the translation lost its quotes: as it was recorded"
    assert english[-1].step_instruction == "", "the last word is about the task"


def test_a_test_session_has_one_language_and_areas(tmp_path: Path) -> None:
    area = {"upper_left_position": {"width": 40, "height": 50}, "lower_right_position": {"width": 60, "height": 70}}
    plain = record(mouse("double_click", 50, 60, mouse_button="left", clickable_area=area), picture="1.png")
    plain = {name: value for name, value in plain.items() if not name.endswith(("_en", "_zh"))}
    write_session(tmp_path / "test" / "s", [("1", plain | {"current_task": "t"})])
    (step,) = steps(ScreenAgent(tmp_path, split="test", language="en"))
    assert step.truth == [Action("double_click", Point(50, 60), box=Box(40, 50, 60, 70))]
    assert step.instruction == "打开台灯" and step.tags["language"] == "zh"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"actions": [mouse("down", 1, 2)]}, "the mouse action 'down' is unknown"),
        ({"actions": [mouse("click", 1, 2, mouse_button="middle")]}, "`button` is 'middle'"),
        ({"actions": [mouse("drag", 1, 2)]}, "nothing says where the drag begins"),
        ({"actions": [{"action_type": "JumpAction"}]}, "the action type 'JumpAction' is unknown"),
        ({"actions": [{"action_type": "KeyboardAction", "keyboard_action_type": "down"}]}, "'down' is unknown"),
        ({"actions": [{"action_type": "KeyboardAction"}]}, "neither keyboard_key nor keyboard_text"),
        ({"actions": []}, "actions: there are none"),
        ({"video_width": 0}, "screen"),
        ({"video_width": 800}, "video_width: the screen is 800×300"),
        ({"saved_image_name": "../x.png"}, "saved_image_name"),
        ({"task_prompt": 3}, "task_prompt"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    folder = write_session(tmp_path / "s1")
    file = folder / "2_translate.json"
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | change))
    with pytest.raises(DataError, match=rf"2_translate\.json: .*{message}.*--keep-going"):
        steps(ScreenAgent(tmp_path))
    dataset = ScreenAgent(tmp_path, keep_going=True)
    assert len(steps(dataset)) == 5 and len(dataset.problems) == 1


def test_damaged(tmp_path: Path) -> None:
    write_session(tmp_path / "s1")
    write_session(tmp_path / "s2")
    check_damaged(lambda keep: ScreenAgent(tmp_path, keep_going=keep), tmp_path, "s1/4_translate.json", 7)


def test_a_wrong_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "notes.json").write_text('[{"a": 1}]')
    with pytest.raises(InputError, match="is not ScreenAgent: expected a folder a session"):
        ScreenAgent(tmp_path)


@pytest.mark.shared
def test_real_sessions(shared_data: Path) -> None:
    for language in ("en", "zh"):
        dataset = ScreenAgent(shared_data / "screenagent", language=language)
        found = steps(dataset)
        # 60 files: 21 of the actor, 21 evaluations (4 of them a session's last word), 5 plans, 13 made up
        assert len(found) == 25 and not dataset.problems
        assert dataset.no_steps == {"plan": 5, "evaluation of a sub-task": 17, "record made up for training": 13}
        counts = Counter(step.truth[0].type for step in found)
        clicks = {"click": 14, "double_click": 3, "drag": 1, "swipe": 2}
        assert counts == {**clicks, "wait": 1, "terminate": 4}
        assert Counter(step.episode for step in found) == {
            "1707c19bc8d1476698ccbdefe06537ad": 4,
            "46495980ad304f71aca00cd727d8284e": 5,
            "823cce103db442b6bda85c40b2703458": 11,
            "task201": 5,
        }
        assert {step.tags["language"] for step in found} == {language}
        assert all((shared_data / "screenagent" / step.image).is_file() for step in found)
