"""Episodes on phones (AndroidControl in UI-S1's form, GUI-Odyssey, AITZ): miniatures of each format, real samples."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from saccade.actions import Action
from saccade.data.readers import DataError, Dataset, open_dataset
from saccade.data.readers.aitz import AITZ
from saccade.data.readers.androidcontrol_std import AndroidControlStd
from saccade.data.readers.gui_odyssey import GUIOdyssey
from saccade.errors import InputError
from saccade.geometry import Box, Point, Size
from saccade.scoring.profiles import get_profile
from saccade.scoring.profiles.base import MatchContext
from saccade.types import Step, episodes


def png(path: Path, size: tuple[int, int]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, "white").save(path)


def steps(dataset: Dataset) -> list[Step]:
    return [sample.step for sample in dataset.samples()]


def std_step(at: int, said: str, action: dict[str, Any], **check: Any) -> dict[str, Any]:
    check["action"] = action["action"]
    shot = f"/authors/machine/images/7_{at}.png"
    return {"action_content": action, "screenshot": shot, "step_instruction": said, "check_options": check}


def std_episode() -> dict[str, Any]:
    click = {"action": "click", "coordinate": [540, 2273]}
    boxes = [[456, 2211, 624, 2337], [0, 473, 1080, 2337]]
    rows: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("open Clock", {"action": "open", "text": "Clock"}, {"candidate_bbox": [[1, 2, 3, 4]]}),
        ("click it", click, {"candidate_bbox": boxes}),
        ("hold it", {"action": "long_press", "coordinate": [5, 6], "time": 2}, {"candidate_bbox": []}),
        ("go down", {"action": "swipe", "coordinate": [540, 1800], "coordinate2": [540, 600]}, {"direction": "down"}),
        ("go left", {"action": "swipe", "coordinate": [270, 9], "coordinate2": [810, 9]}, {"direction": "right"}),
        ("type it", {"action": "type", "text": "喂"}, {}),
        ("go back", {"action": "system_button", "button": "Back"}, {}),
        ("", {"action": "wait", "time": 2}, {}),
    ]
    made = [std_step(at, said, action, **check) for at, (said, action, check) in enumerate(rows)]
    return {"goal": "Set an alarm.", "is_successful": True, "steps": made, "episode_id": 7}


def write_std(folder: Path, *found: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(episode, ensure_ascii=False) for episode in found or [std_episode()]]
    (folder / "test_std.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def test_std_reads_every_action(tmp_path: Path) -> None:
    found = steps(AndroidControlStd(write_std(tmp_path), level="low"))
    assert [step.truth for step in found] == [
        [Action("open_app", text="Clock", box=Box(1, 2, 3, 4))],
        [Action("click", point=Point(540, 2273), box=Box(*b)) for b in [(456, 2211, 624, 2337), (0, 473, 1080, 2337)]],
        [Action("long_press", point=Point(5, 6))],
        [Action("swipe", direction="up", start=Point(540, 1800), end=Point(540, 600))],
        [Action("swipe", direction="right", start=Point(270, 9), end=Point(810, 9))],
        [Action("type", text="喂")],
        [Action("press", key="back")],
        [Action("wait", seconds=2)],
    ]
    last = found[-1]
    assert (last.id, last.episode, last.step, last.instruction) == ("7-7", "7", 7, "Set an alarm.")
    assert last.history == ["open Clock", "click it", "hold it", "go down", "go left", "type it", "go back"]
    assert found[3].step_instruction == "go down"
    assert found[0].tags == {"platform": "mobile", "language": "en", "level": "low", "screen": "assumed"}
    assert (last.screen, last.image) == (Size(1080, 2400), "images/7_7.png")
    assert {step.step_instruction for step in steps(AndroidControlStd(tmp_path))} == {""}  # prompts would show it


def test_std_takes_the_size_of_the_picture(tmp_path: Path) -> None:
    write_std(tmp_path / "a")
    png(tmp_path / "a" / "images" / "7_0.png", (54, 120))
    png(tmp_path / "elsewhere" / "7_1.png", (90, 160))
    samples = list(AndroidControlStd(tmp_path / "a").samples())
    assert (samples[0].step.screen, "screen" in samples[0].step.tags) == (Size(54, 120), False)
    assert samples[0].picture is not None
    assert samples[0].picture.data()[:4] == b"\x89PNG"
    assert samples[1].picture is None
    given = steps(AndroidControlStd(tmp_path / "a" / "test_std.jsonl", images="../elsewhere", screen="720x1280"))
    assert [step.screen for step in given[:2]] == [Size(720, 1280), Size(90, 160)]
    assert given[1].image == "../elsewhere/7_1.png"
    large, swiped = std_episode(), std_episode()
    large["steps"] = [std_step(0, "", {"action": "click", "coordinate": [1355, 2952]})]
    swiped["steps"][3]["action_content"].update(coordinate=[400, 960], coordinate2=[400, 320])
    found = steps(AndroidControlStd(write_std(tmp_path / "b", large, swiped)))
    assert [step.screen for step in found[:2]] == [Size(1440, 3120), Size(800, 1280)]


def test_std_reads_training_rows(tmp_path: Path) -> None:
    """There every field is there, null where it does not belong; no ids, no instructions of steps, a last word."""
    nothing = dict.fromkeys(["coordinate", "coordinate2", "text", "button", "time", "status", "bbox"])
    click = {**nothing, "action": "click", "coordinate": [540.0, 389.8], "bbox": [360, 327, 695, 466], "text": "Zoho"}
    end = {**nothing, "action": "terminate", "status": "success"}
    rows = [{"action_content": a, "screenshot": f"/x/images/0_{at}.png"} for at, a in enumerate([click, end])]
    found = steps(AndroidControlStd(write_std(tmp_path, {"goal": "g", "is_successful": False, "steps": rows})))
    assert [(step.id, step.screen) for step in found] == [("0-0", (1080, 2400)), ("0-1", (1080, 2400))]
    assert found[0].truth == [Action("click", point=Point(540.0, 389.8), box=Box(360, 327, 695, 466))]
    assert found[1].truth == [Action("terminate", status="success")]
    assert (found[1].history, found[1].tags["outcome"]) == (["tapped [540, 390]"], "failure")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda s: s["action_content"].pop("coordinate"), "action_content.coordinate: missing"),
        (lambda s: s["action_content"].update(coordinate=[1]), r"action_content.coordinate: .*length"),
        (lambda s: s["action_content"].update(action="hop"), "check_options.action"),
        (lambda s: s.update(check_options=None, action_content={"action": "hop"}), "'hop' is not an action"),
        (lambda s: s.pop("screenshot"), "screenshot"),
        (lambda s: s["check_options"].update(candidate_bbox=[[1, 2, 3]]), r"check_options.candidate_bbox\[0\]"),
    ],
)
def test_std_says_what_is_wrong_and_keeps_the_neighbours(
    tmp_path: Path, change: Callable[[dict[str, Any]], Any], reason: str
) -> None:
    episode = std_episode()
    change(episode["steps"][1])
    folder = write_std(tmp_path, std_episode() | {"episode_id": 6}, episode)
    with pytest.raises(DataError, match=rf"test_std\.jsonl:2 step 1: .*{reason}"):
        steps(AndroidControlStd(folder))
    kept = AndroidControlStd(folder, keep_going=True)
    assert Counter(step.episode for step in steps(kept)) == {"6": 8, "7": 7}
    assert [problem.where.rpartition("/")[2] for problem in kept.problems] == ["test_std.jsonl:2 step 1"]


def test_std_wants_sensible_options_and_folders(tmp_path: Path) -> None:
    folder = write_std(tmp_path / "std")
    for options, reason in [
        ({"screen": "big"}, "write it as 1080x2400"),
        ({"images": "nowhere"}, "there is no folder .*nowhere"),
        ({"level": "middle"}, "use high, low"),
        ({"colour": "red"}, "has no option 'colour'"),
    ]:
        with pytest.raises(InputError, match=reason):
            steps(open_dataset(folder, "androidcontrol-std", **options))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.jsonl").write_text('{"steps": []}\n')
    with pytest.raises(InputError, match=r"is not AndroidControl in the form of UI-S1: expected .*; found a\.jsonl"):
        AndroidControlStd(tmp_path / "other")


@pytest.mark.shared
def test_std_real_episodes(shared_data: Path) -> None:
    found = steps(dataset := open_dataset(shared_data / "androidcontrol_std", "androidcontrol-std"))
    assert (len(found), len(episodes(found)), len({step.id for step in found})) == (1614, 300, 1614)
    assert Counter(step.truth[0].type for step in found) == {
        "click": 976,
        "swipe": 213,
        "open_app": 127,
        "type": 125,
        "wait": 101,
        "press": 69,
        "long_press": 3,
    }
    assert Counter(step.truth[0].direction for step in found if step.truth[0].type == "swipe") == {
        "up": 183,
        "down": 10,
        "right": 13,
        "left": 7,
    }
    assert Counter(len(step.truth) for step in found if step.truth[0].type == "click") == {1: 685, 2: 231, 3: 60}
    assert dataset.progress.done == dataset.progress.total > 0
    assert Counter(step.screen for step in found) == {(1080, 2400): 1604, (1440, 3120): 10}
    for step in found:
        assert get_profile(dataset.profile).judge(step.truth[0], step.truth, MatchContext(step.screen)).right


def odyssey_step(at: int, action: str, info: Any, **more: Any) -> dict[str, Any]:
    return {"step": at, "screenshot": f"11_{at}.png", "action": action, "info": info, "ps": "", **more}


def odyssey_episode(name: str = "11") -> dict[str, Any]:
    rows = [
        odyssey_step(0, "CLICK", "KEY_HOME", low_level_instruction="Go home."),
        odyssey_step(1, "CLICK", [[500, 250], [500, 250]], sam2_bbox=[400, 200, 600, 300], context="At home."),
        odyssey_step(2, "LONG_PRESS", [[100, 100]], intention="To see more.", sam2_bbox=[]),
        odyssey_step(3, "SCROLL", [[500, 800], [510, 300]], ps="[(500, 800), (505, 500), (510, 300)]"),
        odyssey_step(4, "SCROLL", [[100, 500], [300, 400]]),
        odyssey_step(5, "SCROLL", [[100, 500], [100, 500]]),
        odyssey_step(6, "TEXT", "Los Angeles"),
        odyssey_step(7, "CLICK", "KEY_APPSELECT"),
        odyssey_step(8, "CLICK", "KEY_BACK"),
        odyssey_step(9, "INCOMPLETE", "", ps=" No flights "),
    ]
    device = {"product": "x", "w": 1080, "h": 2400, "device_name": "Medium Phone"}
    task = {"category": "Web_Shopping", "app": ["Chrome", "X"], "meta_task": "{}", "instruction": "Find a flight."}
    return {"episode_id": name, "device_info": device, "task_info": task, "step_length": len(rows), "steps": rows}


def write_odyssey(folder: Path, *found: Any, pictures: bool = False) -> Path:
    (folder / "annotations").mkdir(parents=True)
    (folder / "splits").mkdir()
    files = {f"{at}.json": episode for at, episode in enumerate(found or [odyssey_episode()], 11)}
    for name, episode in files.items():
        (folder / "annotations" / name).write_text(json.dumps(episode), encoding="utf-8")
    for split in ("random", "app", "device", "task"):
        value = {"train": list(files)[1:], "test": list(files)[:1]}
        (folder / "splits" / f"{split}_split.json").write_text(json.dumps(value))
    if pictures:
        png(folder / "screenshots" / "11_0.png", (720, 1280))
        png(folder / "screenshots" / "data_3" / "11_1.png", (720, 1280))
    return folder


def test_odyssey_reads_every_action(tmp_path: Path) -> None:
    found = steps(dataset := GUIOdyssey(write_odyssey(tmp_path), level="low"))
    assert [step.truth for step in found] == [
        [Action("press", key="home")],
        [Action("click", point=Point(540, 600), box=Box(432, 480, 648, 720))],
        [Action("long_press", point=Point(108, 240))],
        [Action("swipe", direction="up", start=Point(540, 1920), end=Point(550.8, 720))],
        [Action("swipe", direction="right", start=Point(108, 1200))],
        [Action("swipe", direction="down", start=Point(108, 1200))],
        [Action("type", text="Los Angeles")],
        [Action("press", key="recent")],
        [Action("press", key="back")],
        [Action("terminate", status="failure", text="No flights")],
    ]
    assert (found[0].step_instruction, found[1].summary, found[2].thought) == ("Go home.", "At home.", "To see more.")
    assert [found[0].context, found[1].context, found[2].context] == ["", "", "At home."]  # C_{t-1}, never C_t
    assert found[3].history == ["Go home.", "tapped [540, 600]", "pressed and held [108, 240]"]
    assert found[0].tags == {
        "platform": "mobile",
        "language": "en",
        "level": "low",
        "split": "test-random",
        "app": "Chrome, X",
        "category": "Web_Shopping",
        "device": "Medium Phone",
    }
    assert (found[0].id, found[0].screen, found[0].image) == ("11-0", Size(1080, 2400), "screenshots/11_0.png")
    assert dataset.progress.done == dataset.progress.total == 1


def test_odyssey_takes_the_size_of_the_picture(tmp_path: Path) -> None:
    samples = list(GUIOdyssey(write_odyssey(tmp_path, pictures=True)).samples())
    assert [sample.step.screen for sample in samples[:3]] == [Size(720, 1280), Size(720, 1280), Size(1080, 2400)]
    assert samples[1].step.image == "screenshots/data_3/11_1.png"
    assert samples[1].step.truth[0].point == Point(360, 320)
    assert samples[2].picture is None


def test_odyssey_splits(tmp_path: Path) -> None:
    folder = write_odyssey(tmp_path, *[odyssey_episode(str(11 + at)) for at in range(3)])
    assert {step.episode for step in steps(GUIOdyssey(folder))} == {"11"}
    train = steps(GUIOdyssey(folder, split="app", part="train"))
    assert {(step.episode, step.tags["split"]) for step in train} == {("12", "train-app"), ("13", "train-app")}
    assert ["split" in step.tags for step in steps(GUIOdyssey(folder, split="all"))] == [False] * 30
    (folder / "splits" / "task_split.json").unlink()
    (folder / "splits" / "app_split.json").write_text('{"test": [1]}')
    (folder / "splits" / "random_split.json").write_text('{"train": []}')
    for split, reason in {
        "task": "choose split=all",
        "app": "Expected `str`",
        "random": "test: missing; it has train",
    }.items():
        with pytest.raises(InputError, match=rf"{split}_split\.json: .*{reason}"):
            steps(GUIOdyssey(folder, split=split))


def test_odyssey_puts_steps_in_order_and_misses_none(tmp_path: Path) -> None:
    episode = odyssey_episode()
    episode["steps"].reverse()
    assert [step.step for step in steps(GUIOdyssey(write_odyssey(tmp_path / "a", episode)))] == list(range(10))
    episode["steps"].append(odyssey_step(3, "TEXT", "again"))
    episode["steps"].append(odyssey_step(10, "CLICK", "KEY_POWER", low_level_instruction="Press power."))
    episode["steps"].append(odyssey_step(11, "COMPLETE", ""))
    dataset = GUIOdyssey(write_odyssey(tmp_path / "b", episode), keep_going=True)
    found = steps(dataset)
    assert [step.step for step in found] == [*range(10), 11]
    assert found[-1].history[-1] == "Press power."
    assert [problem.reason[:30] for problem in dataset.problems] == [
        "step number 3 comes twice",
        "info: 'KEY_POWER' is no key: e",
    ]
    (tmp_path / "b" / "annotations" / "11.json").unlink()
    (tmp_path / "b" / "annotations" / "12.json").write_text(json.dumps(odyssey_episode("12")))
    with pytest.raises(DataError, match=r"11\.json: the file cannot be read: No such file"):
        steps(GUIOdyssey(tmp_path / "b"))


NOWHERE = (-1.0, -1.0)


def aitz_step(at: int, type: int, touch: Any = NOWHERE, lift: Any = NOWHERE, text: str = "") -> dict[str, Any]:
    return {
        "episode_id": "523",
        "episode_length": 9,
        "step_id": at,
        "instruction": 'open app "Clock"',
        "ui_positions": "[[54, 17, 8, 12], [120, 15, 20, 10]]",
        "ui_text": '["Set", ""]',
        "ui_types": '["TEXT", "ICON_V_BACKWARD"]',
        "result_action_type": type,
        "result_action_text": text,
        "result_touch_yx": json.dumps(touch),
        "result_lift_yx": json.dumps(lift),
        "image_path": f"install/INSTALL-523/INSTALL-523_{at}.png",
        "coat_screen_desc": "A screen.",
        "coat_action_think": f"thought {at}",
        "coat_action_desc": f"done {at}",
        "coat_action_result": f"result {at}",
    }


def aitz_episode() -> list[dict[str, Any]]:
    tap, up, right = ((0.5, 0.25), (0.51, 0.25)), ((0.8, 0.5), (0.2, 0.5)), ((0.5, 0.1), (0.3, 0.4))
    rows: list[tuple[Any, ...]] = [(6,), (4, *tap), (4, *up), (4, *right), (3, NOWHERE, NOWHERE, "clock"), (7,), (5,)]
    return [aitz_step(at, *row) for at, row in enumerate([*rows, (11,), (10,)])]


def write_aitz(folder: Path, rows: Any = None, pictures: int = 9) -> Path:
    for at in range(pictures):
        png(folder / "INSTALL-523" / f"INSTALL-523_{at}.png", (270, 600))
    file = folder / "INSTALL-523" / "INSTALL-523.json"
    file.write_text(json.dumps(rows if rows is not None else aitz_episode()), encoding="utf-8")
    return folder


def test_aitz_reads_every_action(tmp_path: Path) -> None:
    found = steps(AITZ(write_aitz(tmp_path)))
    assert [step.truth for step in found] == [
        [Action("press", key="home")],
        [Action("click", point=Point(67.5, 300))],
        [Action("swipe", direction="up", start=Point(135, 480), end=Point(135, 120))],
        [Action("swipe", direction="right", start=Point(27, 300))],
        [Action("type", text="clock")],
        [Action("press", key="enter")],
        [Action("press", key="back")],
        [Action("terminate", status="failure")],
        [Action("terminate", status="success")],
    ]
    third = found[2]
    assert (third.id, third.episode, third.step, third.screen) == ("523-2", "523", 2, Size(270, 600))
    assert (third.history, third.context, third.thought) == (["done 0", "done 1"], "result 1", "thought 2")
    assert third.image == "INSTALL-523/INSTALL-523_2.png"
    assert [(e.box, e.type, e.text, e.caption) for e in third.elements] == [
        (Box(17, 54, 29, 62), "text", "Set", ""),
        (Box(15, 120, 25, 140), "icon", "", "v backward"),
    ]
    assert found[0].step_instruction == found[0].context == ""
    assert steps(AITZ(tmp_path, level="low"))[2].step_instruction == "done 2"


def test_aitz_reads_unpacked_copies_and_added_types(tmp_path: Path) -> None:
    rows = [aitz_step(0, 0, (0.5, 0.5)), aitz_step(1, 1)]
    for row in rows:
        row.update(ui_positions=[[54, 17, 8, 12]], ui_text=["Set"], ui_types=["TEXT"], result_touch_yx=[0.5, 0.5])
        row.update(image_width=1080, image_height=2400)
    found = list(AITZ(write_aitz(tmp_path, rows, pictures=1)).samples())
    assert [sample.step.truth[0] for sample in found] == [Action("long_press", point=Point(135, 300)), Action("wait")]
    assert [sample.step.screen for sample in found] == [Size(270, 600), Size(1080, 2400)]


def test_aitz_splits_and_subsets_are_folders(tmp_path: Path) -> None:
    for place in ("train/install", "train/general", "test/install"):
        rows = [aitz_step(0, 10) | {"episode_id": place}]
        write_aitz(tmp_path / place, rows, pictures=1)
    assert {step.episode for step in steps(AITZ(tmp_path))} == {"train/install", "train/general", "test/install"}
    test = steps(AITZ(tmp_path, split="test", subset="install"))
    assert [(step.episode, step.tags["split"], step.tags["source"]) for step in test] == [
        ("test/install", "test", "install")
    ]
    with pytest.raises(InputError, match=r"no episode of .* lies in a folder named web_shopping"):
        steps(AITZ(tmp_path, subset="web_shopping"))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"result_action_type": 8}, "result_action_type: 8 is not an action"),
        ({"result_touch_yx": "[-1.0, -1.0]"}, "result_touch_yx: .* stands for no place"),
        ({"result_touch_yx": "[0.5"}, "result_touch_yx: Input data was truncated"),
        ({"ui_text": "[]"}, "ui_text: 0 texts and 2 types for 2 positions"),
        ({"ui_positions": "[[1, 2]]"}, r"ui_positions: \[0\]: Expected `array` of length 4"),
        ({"image_path": "x/gone.png"}, "image: there is no file .*gone.png"),
        ({"image_path": "x/INSTALL-523.json"}, "image: .*INSTALL-523.json cannot be read"),
        ({"step_id": "first"}, "step_id: Expected `int`"),
    ],
)
def test_aitz_says_what_is_wrong_and_keeps_the_neighbours(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    rows = aitz_episode()
    rows[1].update(change)
    folder = write_aitz(tmp_path, rows)
    with pytest.raises(DataError, match=rf"INSTALL-523\.json record 1: {reason}"):
        steps(AITZ(folder))
    found = steps(kept := AITZ(folder, keep_going=True))
    assert ([step.step for step in found], len(kept.problems)) == ([0, *range(2, 9)], 1)


def test_aitz_reads_what_comes_before_a_cut(tmp_path: Path) -> None:
    folder = write_aitz(tmp_path)
    file = folder / "INSTALL-523" / "INSTALL-523.json"
    file.write_bytes(file.read_bytes()[:-300])
    with pytest.raises(DataError, match=r"record 8: .*cut off"):
        steps(AITZ(folder))
    assert len(steps(AITZ(folder, keep_going=True))) == 8


@pytest.mark.shared
def test_aitz_real_episode(shared_data: Path) -> None:
    found = steps(dataset := open_dataset(shared_data / "aitz", "aitz"))
    assert [step.truth[0].name for step in found] == ["press:home", "swipe", "click", "terminate:success"]
    assert found[1].truth[0].direction == "up"
    assert [len(step.elements) for step in found] == [15, 14, 42, 11]
    label = next(element for element in found[2].elements if element.text == "Cleck")
    assert found[2].truth[0].point is not None
    assert found[2].truth[0].point.distance(label.center) < 30  # the icon above the misread word
    for step in found:
        assert (
            get_profile(dataset.profile)
            .judge(step.truth[0], step.truth, MatchContext(step.screen, step.elements))
            .right
        )
