"""AgentNet and AgentNetBench: miniatures of both forms, and the real trajectories."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from saccade.actions import Action
from saccade.data.readers import DataError, open_dataset
from saccade.data.readers.agentnet import AgentNet
from saccade.errors import InputError
from saccade.geometry import Box, Point, Size
from saccade.types import Step


def steps(dataset: AgentNet) -> list[Step]:
    return [sample.step for sample in dataset.samples()]


def done(
    type: str, x: float | None = None, y: float | None = None, *boxes: list[float], **params: Any
) -> dict[str, Any]:
    if x is not None:
        params["position"] = {"x": x, "y": y}
    metadata = {"bboxes": [{"category_id": 1, "rel_bbox": box, "area": 1.0} for box in boxes]}
    return {"type": type, "params": params, "metadata": metadata}


def bench_step(number: int, *actions: dict[str, Any], other: list[Any] | None = None) -> dict[str, Any]:
    return {
        "step_num": number,
        "image": f"t1_{number}.png",
        "action": "pyautogui.click(x=0.1, y=0.1)",
        "milestone": number == 1,
        "inner_monologue": {
            "observation": "o",
            "thought": f"thought {number}",
            "low_level_instruction": f"do {number}",
        },
        "ground_truth_actions": list(actions),
        "alternative_options": other or [],
    }


def bench_task() -> dict[str, Any]:
    return {
        "task_id": "t1",
        "user_task_description": "play it",
        "high_level_task_description": "Open the player and play the song.",
        "meta_info": {"system": "Darwin", "applications": ["Music"], "websites": ["spotify"], "domain": "Daily"},
        "steps": [
            bench_step(
                0,
                done("click", 0.5, 0.5, [0.25, 0.25, 0.5, 0.5], [0.0, 0.0, 0.125, 0.5]),
                other=[[done("hotkey", keys=["ctrl", "L"])]],
            ),
            bench_step(1, done("write", text="SONG\n")),
            bench_step(3, done("moveTo", 0.25, 0.5, [0.2, 0.4, 0.1, 0.2]), done("scroll", 0.25, 0.5, amount=-54)),
            bench_step(4, done("moveTo", 0.125, 0.5), done("dragTo", 0.25, 0.75)),
            bench_step(5, done("moveTo", 0.5, 0.25, [0, 0, 0.75, 0.5]), done("doubleClick", 0.5, 0.25)),
            bench_step(6, done("press", keys=["tab"]), done("press", keys=["enter"])),
            bench_step(7, done("click", 0.5, 0.25), done("write", content="x"), done("press", keys=["enter"])),
            bench_step(9, done("terminate", status="success")),
        ],
    }


def write_bench(folder: Path, *tasks: Any, picture: bool = True) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for at, task in enumerate(tasks or [bench_task()], 1):
        (folder / f"t{at}.json").write_text(json.dumps(task), encoding="utf-8")
    if picture:
        (folder / "images").mkdir(exist_ok=True)
        for number in range(10):
            Image.new("RGB", (100, 200)).save(folder / "images" / f"t1_{number}.png")
    return folder


def test_benchmark_reads_every_action(tmp_path: Path) -> None:
    dataset = AgentNet(write_bench(tmp_path))
    found = steps(dataset)
    assert [step.truth for step in found] == [
        [
            Action("click", point=Point(50, 100), box=Box(25, 50, 75, 150)),
            Action("click", point=Point(50, 100), box=Box(0, 0, 12.5, 100)),
            Action("press", key="ctrl+l"),
        ],
        [Action("type", text="SONG", submit=True)],
        [Action("swipe", direction="up", start=Point(25, 100))],
        [Action("drag", start=Point(12.5, 100), end=Point(25, 150))],
        [Action("double_click", point=Point(50, 50), box=Box(0, 0, 75, 100))],
        [Action("press", key="tab")],
        [Action("type", text="x", point=Point(50, 50), submit=True)],
        [Action("terminate", status="success")],
    ]
    assert [(step.id, step.step) for step in found[:3]] == [("t1-0", 0), ("t1-1", 1), ("t1-3", 2)]
    third = found[2]
    assert (third.instruction, third.thought) == ("Open the player and play the song.", "thought 3")
    assert (third.history, third.step_instruction) == (["do 0", "do 1"], "")
    assert found[1].tags == {
        "platform": "desktop",
        "level": "high",
        "split": "test",
        "system": "macos",
        "app": "Music, spotify",
        "domain": "Daily",
        "milestone": "yes",
    }
    assert found[5].tags["then"] == "pressed enter"
    assert (third.screen, third.image) == (Size(100, 200), "images/t1_3.png")
    assert steps(AgentNet(tmp_path, level="low"))[2].step_instruction == "do 3"
    assert dataset.progress.done == dataset.progress.total > 0


def train_step(index: int, code: str, **value: Any) -> dict[str, Any]:
    value = {"observation": "o", "thought": "t", "action": f"do {index}", "code": code, **value}
    return {"index": index, "image": f"{index}.png", "value": {"last_step_correct": True, **value}}


def train_task(name: str = "a") -> dict[str, Any]:
    scripts = [
        "pyautogui.click(x=0.25, y=0.5)",
        "pyautogui.write(message='SPOTIFY')\npyautogui.press(keys=['enter'])",
        "pyautogui.moveTo(x=0.5, y=0.5)\npyautogui.scroll(-5)",
        "pyautogui.hotkey(keys=['ctrl', 'c'])",
        "pyautogui.rightClick(x=0.5, y=0.5)",
        "computer.triple_click(x=0.5, y=0.5)",
        "pyautogui.press(keys=['down', 'down', 'down'])",
        "computer.wait()",
        "computer.terminate(status='failure')",
    ]
    traj = [train_step(at, code) for at, code in enumerate(scripts)]
    traj[3]["value"]["last_step_correct"] = False
    traj[4]["value"]["last_step_redundant"] = True
    return {"task_id": name, "instruction": "sort the table", "task_completed": False, "domain": "Work", "traj": traj}


def write_train(folder: Path, *tasks: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(task) for task in tasks or [train_task(), train_task("b"), train_task()]]
    (folder / "agentnet_ubuntu_5k.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def test_training_lines_are_scripts(tmp_path: Path) -> None:
    folder = write_train(tmp_path)
    (folder / "ubuntu_images").mkdir()
    Image.new("RGB", (1000, 500)).save(folder / "ubuntu_images" / "0.png")
    (folder / "meta_data_merged.jsonl").write_text('{"task_id": "a", "system": "Ubuntu"}\n')
    found = steps(AgentNet(folder))
    assert Counter(step.episode for step in found) == {"a": 9, "b": 9, "a#2": 9}
    assert [step.truth[0] for step in found[:9]] == [
        Action("click", point=Point(250, 250)),
        Action("type", text="SPOTIFY", submit=True),
        Action("swipe", direction="up", start=Point(960, 540)),
        Action("press", key="ctrl+c"),
        Action("right_click", point=Point(960, 540)),
        Action("double_click", point=Point(960, 540)),
        Action("press", key="down"),
        Action("wait"),
        Action("terminate", status="failure"),
    ]
    assert found[0].image == "ubuntu_images/0.png"
    assert "screen" not in found[0].tags
    assert found[1].tags["screen"] == "assumed"
    assert (found[3].tags["correct"], found[4].tags["redundant"]) == ("no", "yes")
    assert found[6].tags["then"] == "pressed down; pressed down"
    assert found[6].tags["outcome"] == "failure"
    good = [step for step in steps(AgentNet(folder, steps="good")) if step.episode == "a"]
    assert [step.step for step in good] == [0, 1, 2, 5, 6, 7, 8]
    assert good[3].history == [f"do {at}" for at in range(5)]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("pyautogui.middleClick(x=0.1, y=0.1)", "value.code: middleClick"),
        ("import os\nos.system('rm -rf /')", "value.code: system"),
        ("pyautogui.click(x=0.1", "value.code: line 1"),
        ("", "value.code: nothing is done"),
        ("pyautogui.dragTo(x=0.1, y=0.2)", "value.code: dragTo"),
    ],
)
def test_scripts_that_are_no_action_here(tmp_path: Path, code: str, reason: str) -> None:
    task = train_task()
    task["traj"][1]["value"]["code"] = code
    folder = write_train(tmp_path, train_task("b"), task)
    with pytest.raises(DataError, match=rf"agentnet_ubuntu_5k\.jsonl:2 step 1: {reason}"):
        steps(AgentNet(folder))
    kept = AgentNet(folder, keep_going=True)
    found = [step for step in steps(kept) if step.episode == "a"]
    assert [step.step for step in found] == [0, *range(2, 9)]
    assert found[1].history == ["do 0", "do 1"]
    assert len(kept.problems) == 1


def test_wrong_benchmark_files(tmp_path: Path) -> None:
    task = bench_task()
    task["steps"][1]["ground_truth_actions"] = [done("write")]
    task["steps"][3]["ground_truth_actions"] = []
    task["steps"][4]["ground_truth_actions"][0]["params"]["position"] = {"x": 0.1}
    task["steps"][5]["step_num"] = 9
    folder = write_bench(tmp_path, task, {"task_id": "t2", "steps": []})
    dataset = AgentNet(folder, keep_going=True)
    assert len(steps(dataset)) == 4
    reasons = [f"{problem.where.rpartition('/')[2]}: {problem.reason}" for problem in dataset.problems]
    assert [reason[:60] for reason in reasons] == [
        "t1.json step 4: ground_truth_actions[0].params.position: Obj",
        "t1.json step 7: step number 9 comes twice",
        "t1.json step 1: ground_truth_actions: write: `message` is mi",
        "t1.json step 3: ground_truth_actions: nothing is done",
        "t2.json: high_level_task_description: missing",
    ]


def test_other_folders_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"steps": [{"action": "click"}]}')
    with pytest.raises(InputError, match=r"is not AgentNet or AgentNetBench: expected .* found a\.json"):
        AgentNet(tmp_path)
    with pytest.raises(InputError, match=r"steps is 'best': use all, good"):
        open_dataset(write_train(tmp_path / "b"), "agentnet", steps="best")


@pytest.mark.shared
def test_real_trajectories(shared_data: Path) -> None:
    dataset = open_dataset(shared_data / "agentnet", "agentnet")
    samples = list(dataset.samples())
    assert Counter(sample.step.episode for sample in samples) == {"s_7f27a11115e596eb": 11, "s_5473959e0f6e21f7": 10}
    assert Counter(sample.step.truth[0].type for sample in samples) == {
        "click": 8,
        "press": 5,
        "type": 3,
        "drag": 2,
        "terminate": 2,
        "swipe": 1,
    }
    for sample in samples:
        assert sample.picture is not None
        assert sample.picture.size == sample.step.screen == Size(1212, 758)
        for action in sample.step.truth:
            assert action.box is None or action.point is None or action.box.contains(action.point)
    assert sum(len(sample.step.truth) > 1 for sample in samples) == 3
