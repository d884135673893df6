"""AndroidControl: miniature shards of its exact form, right and broken."""

from __future__ import annotations

import json
import random
import zlib
from pathlib import Path
from typing import Any

import pytest

from broken_examples import WAYS, Features, Way, torn
from readers import episode, example, forest, node, shard
from saccade.actions import Action, opposite
from saccade.data.readers import DataError, Sample, open_dataset
from saccade.data.readers.androidcontrol import AndroidControl
from saccade.data.readers.sharded import missing_shards
from saccade.data.tfrecord import frame
from saccade.errors import InputError
from saccade.geometry import Box, Point, Size

ACTIONS = [
    {"action_type": "open_app", "app_name": "Zoho Meeting"},
    {"action_type": "click", "x": 500, "y": 130},
    {"action_type": "long_press", "x": 20, "y": 130.5},
    {"action_type": "scroll", "direction": "down"},
    {"action_type": "scroll", "direction": "right"},
    {"action_type": "input_text", "text": "Grüße 好"},
    {"action_type": "type", "text": "tea", "x": 3, "y": 4},
    {"action_type": "navigate_back"},
    {"action_type": "navigate_home"},
    {"action_type": "wait"},
]
TRUTH = [
    Action("open_app", text="Zoho Meeting"),
    Action("click", point=Point(500, 130)),
    Action("long_press", point=Point(20, 130.5)),
    Action("swipe", direction="up"),
    Action("swipe", direction="left"),
    Action("type", text="Grüße 好"),
    Action("type", text="tea", point=Point(3, 4), submit=True),
    Action("press", key="back"),
    Action("press", key="home"),
    Action("wait"),
]
TREE = forest(
    [
        node(0, (0, 0, 1080, 2400), children=[1, 2], kind="android.widget.FrameLayout"),
        node(1, (0, 100, 1080, 200), "enabled visible clickable", [3, 4], kind="android.view.ViewGroup"),
        node(2, (0, 0, 1080, 2400), "enabled visible scrollable", kind="androidx.recyclerview.widget.RecyclerView"),
        node(3, (0, 100, 100, 200), "enabled visible clickable", kind="android.widget.ImageButton", description="Menu"),
        node(4, (100, 100, 900, 200), kind="android.widget.TextView", text="Search", name="app:id/search_box"),
    ]
)


def pictures(count: int) -> list[bytes]:
    return [b"\x89PNG\r\n\x1a\n picture %d" % at for at in range(count)]


def whole(id: int) -> dict[str, Any]:
    return episode(id, ACTIONS, pictures(11), [TREE] * 11)


def short(id: int) -> dict[str, Any]:
    return episode(id, [ACTIONS[1], ACTIONS[7]], pictures(3), [TREE] * 3)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shard(tmp_path / "android_control-00000-of-00002", [example(whole(7)), example(short(20))])
    shard(tmp_path / "android_control-00001-of-00002", [example(short(31)), example(short(400))], gzip=False)
    splits = {"train": [31], "validation": [400], "test": [7, 20]}
    (tmp_path / "splits.json").write_text(json.dumps(splits))
    parts = {"IDD": [20], "app_unseen": [7], "task_unseen": [], "category_unseen": [7]}
    (tmp_path / "test_subsplits.json").write_text(json.dumps(parts))
    return tmp_path


def read(folder: Path, **options: Any) -> list[Sample]:
    return list(AndroidControl(folder, **options).samples())


def ids(folder: Path, **options: Any) -> set[str]:
    return {sample.step.episode for sample in read(folder, **options)}


# -- what is right ----------------------------------------------------------------------------------------------------


def test_every_action_and_field(folder: Path) -> None:
    found = read(folder)
    assert [sample.step.truth for sample in found[:10]] == [[action] for action in TRUTH]
    assert [sample.step.id for sample in found] == [*(f"7-{at}" for at in range(10)), "20-0", "20-1"]
    step, picture, where = found[3]
    assert (step.episode, step.step, step.screen) == ("7", 3, Size(1080, 2400))
    assert step.instruction == "Reach the goal of episode 7" and step.step_instruction == ""
    assert step.history == ["Do step 0", "Do step 1", "Do step 2"]
    assert step.image == "android_control-00000-of-00002#1/3" and not step.elements
    assert step.tags == {
        "platform": "mobile",
        "language": "en",
        "level": "high",
        "split": "test",
        "subsplit": "app_unseen,category_unseen",
    }
    assert picture is not None and picture.data() == b"\x89PNG\r\n\x1a\n picture 3"
    assert where == f"{folder / 'android_control-00000-of-00002'}: record 1 (episode 7), step 3"


@pytest.mark.shared
def test_real_steps_say_that_scroll_names_the_contents_direction(shared_data: Path) -> None:
    """Told to swipe to one side, people scrolled to the other one. (To the left is too rare to tell.)"""
    told = {"up": [0, 0], "right": [0, 0], "down": [0, 0]}
    for line in (shared_data / "androidcontrol_std" / "episodes.jsonl").read_text(encoding="utf-8").splitlines():
        for step in json.loads(line)["steps"]:
            direction, words = step["check_options"].get("direction"), step["step_instruction"].lower().split()
            if direction in told and "swipe" in words:
                told[direction][0] += opposite(direction) in words
                told[direction][1] += direction in words
    for against, along in told.values():
        assert against > 2 * along


def test_low_level_steps_have_their_instruction(folder: Path) -> None:
    steps = [sample.step for sample in read(folder, level="low")]
    assert steps[3].step_instruction == "Do step 3" and steps[3].tags["level"] == "low"


def test_splits_and_sub_splits(folder: Path) -> None:
    assert ids(folder) == {"7", "20"} and ids(folder, split="train") == {"31"}
    assert ids(folder, split="validation") == {"400"} and ids(folder, split="all") == {"7", "20", "31", "400"}
    assert ids(folder, subsplit="IDD") == {"20"} and ids(folder, subsplit="category_unseen") == {"7"}
    assert ids(folder, subsplit="task_unseen") == set()
    assert {sample.step.tags["split"] for sample in read(folder, split="all")} == {"train", "validation", "test"}


def test_elements_and_boxes_from_the_trees(folder: Path) -> None:
    steps = [sample.step for sample in read(folder, elements="yes")]
    assert steps[1].truth == [Action("click", point=Point(500, 130), box=Box(0, 100, 1080, 200))]
    assert steps[2].truth[0].box == Box(0, 100, 100, 200)
    assert steps[3].truth[0].box is None
    told = [(element.type, element.text, element.caption, element.interactive) for element in steps[0].elements]
    assert told == [
        ("button", "Search", "", True),
        ("button", "Menu", "Menu", True),
        ("list", "", "", True),
    ]


def test_the_two_published_lists(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lists = tmp_path / "ac_idx.txt"
    lists.write_text("episode_7_screenshot_0\nepisode_20_screenshot_1\n")
    with pytest.raises(InputError, match="lists 2 steps, not 7,708"):
        read(folder, steps="7708")
    monkeypatch.setattr("saccade.data.readers.androidcontrol.COUNTS", {"8444": 12, "7708": 2})
    assert [sample.step.id for sample in read(folder, steps="7708")] == ["7-0", "20-1"]
    assert len(read(folder, steps="8444")) == 12
    other = tmp_path / "other.list"
    other.write_text("episode_20_screenshot_0.png\n")
    assert [sample.step.id for sample in read(folder, list=str(other))] == ["20-0"]


def test_a_list_that_is_not_all_there_is_told(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "android_control-00001-of-00002").unlink()
    with pytest.raises(DataError, match=r"12 steps of the list 8444 were found; 1 of 2 shards are not here"):
        read(folder, steps="8444")
    lists = tmp_path / "some.txt"
    lists.write_text("episode_20_screenshot_0\nepisode_20_screenshot_9")
    data = AndroidControl(folder, keep_going=True, list=str(lists))
    assert [sample.step.id for sample in data.samples()] == ["20-0"]
    assert "20-9 is missing" in data.problems[0].reason


def test_progress_and_reading_twice(folder: Path) -> None:
    data = AndroidControl(folder, split="all")
    assert len(list(data.samples())) == len(list(data.samples())) == 16
    assert data.progress.done == data.progress.total == sum(file.stat().st_size for file in folder.glob("android*"))


def test_it_is_recognised_by_its_content_and_by_its_names(folder: Path, tmp_path: Path) -> None:
    assert isinstance(open_dataset(folder), AndroidControl)
    assert isinstance(open_dataset(folder / "android_control-00001-of-00002", split="all"), AndroidControl)
    renamed = tmp_path / "renamed"
    renamed.mkdir()
    shard(renamed / "part.tfrecord.gz", [example(short(1))])
    assert isinstance(open_dataset(renamed), AndroidControl)
    assert ids(renamed, split="all") == {"1"} and "split" not in read(renamed, split="all")[0].step.tags
    assert ids(renamed / "part.tfrecord.gz", split="all") == {"1"}


# -- what is wrong ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"actions": [b"{", b"{}"]}, "actions[0]"),
        ({"actions": [b'{"action_type": "fly"}', b"{}"]}, "actions[0].action_type: 'fly' is not an action"),
        ({"actions": [b'{"action_type": "click", "x": 3}', b"{}"]}, "actions[0].y: missing, but click needs it"),
        ({"actions": [b'{"action_type": "click", "x": "3", "y": 1}', b"{}"]}, "actions[0].x: Expected"),
        ({"actions": [b'{"action_type": "click", "x": 1e99, "y": 1}', b"{}"]}, "actions[0].x: Expected"),
        ({"actions": [b'{"action_type": "scroll", "direction": "in"}', b"{}"]}, "actions[0].direction: is 'in'"),
        ({"actions": [b'{"action_type": "input_text"}', b"{}"]}, "actions[0].text: missing"),
        ({"actions": [b'{"action_type": "open_app"}', b"{}"]}, "actions[0].app_name: missing"),
        ({"actions": [b"[" * 5000, b"{}"]}, "actions[0]"),
        ({"actions": [b'{"x": 3}', b"{}"]}, "actions[0]: missing required field `action_type`"),
        ({"goal": []}, "goal: missing"),
        ({"goal": [b"a", b"b"]}, "goal: there are 2 values instead of one"),
        ({"goal": [b"\xff"]}, "goal[0]: not UTF-8 text"),
        ({"goal": [7]}, "goal: it holds integers, not bytes"),
        ({"episode_id": []}, "episode_id: missing"),
        ({"episode_id": [b"20"]}, "episode_id: it holds bytes, not integers"),
        ({"screenshots": pictures(2)}, "screenshots: there are 2, not 3, for 2 actions"),
        ({"screenshot_widths": [1080]}, "screenshot_widths: there are 1, not 3, for 2 actions"),
        ({"screenshot_heights": [0, 2400, 2400]}, "`screen` needs a positive width and height"),
        ({"step_instructions": [b"a"]}, "step_instructions: there are 1, not 2, for 2 actions"),
        ({"accessibility_trees": []}, "accessibility_trees: there are 0, not 3"),
        ({"accessibility_trees": [b"\x0a\x09", b"", b""]}, "accessibility_trees: field 1 ends in the middle"),
    ],
)
def test_a_wrong_field_is_named_and_its_neighbours_stay(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    messages = [example(short(19)), example(short(20) | change), example(short(21))]
    path = shard(tmp_path / "android_control-00000-of-00001", messages)
    with pytest.raises(DataError) as told:
        read(tmp_path, split="all", elements="yes")
    assert str(told.value).startswith(f"{path}: record 2") and says in str(told.value)
    data = AndroidControl(tmp_path, keep_going=True, split="all", elements="yes")
    assert {sample.step.episode for sample in data.samples()} >= {"19", "21"}
    assert data.problems and says in data.problems[0].reason


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"split": "dev"}, "androidcontrol: split is 'dev': use test, train, validation, all"),
        ({"steps": "100"}, "steps is '100'"),
        ({"fold": "1"}, "has no option 'fold'"),
        ({"subsplit": "IDD", "split": "train"}, "is a part of split=test"),
        ({"steps": "8444", "split": "train"}, "is a list of test steps"),
        ({"steps": "7708"}, "OS-Atlas's eval/data/ac_idx.txt"),
        ({"list": "nowhere.txt"}, "cannot read nowhere.txt"),
    ],
)
def test_wrong_options_get_one_sentence(folder: Path, options: dict[str, str], says: str) -> None:
    with pytest.raises(InputError) as told:
        read(folder, **options)
    assert says in str(told.value) and "\n" not in str(told.value)


def test_wrong_side_files_get_one_sentence(folder: Path) -> None:
    parts, splits = folder / "test_subsplits.json", folder / "splits.json"
    parts.write_text('{"IDD": [1]}')
    with pytest.raises(InputError, match="there is no sub-split 'app_unseen': it has IDD"):
        read(folder, subsplit="app_unseen")
    parts.unlink()
    with pytest.raises(InputError, match=r"there is no file .*test_subsplits.json"):
        read(folder, subsplit="IDD")
    for content in ("", "[1]", '{"test": 5}', '{"test": [1.5]}', "{", "\x00"):
        splits.write_text(content)
        with pytest.raises(InputError, match=r"splits\.json is no split file"):
            read(folder)
    splits.write_text('{"train": [1]}')
    with pytest.raises(InputError, match="there is no split 'test': it has train"):
        read(folder)
    splits.unlink()
    with pytest.raises(InputError, match=r"split=test needs .*splits.json; with split=all"):
        read(folder)
    (folder / "ac_idx.txt").write_text("episode_1_screenshot_x")
    with pytest.raises(InputError, match="'episode_1_screenshot_x' is no step"):
        read(folder, split="all", list=str(folder / "ac_idx.txt"))


def test_another_folder_gets_what_was_expected_and_found(tmp_path: Path) -> None:
    (tmp_path / "readme").write_text("nothing here")
    with pytest.raises(InputError, match=r"is not AndroidControl: expected TFRecord shards .*; found readme"):
        AndroidControl(tmp_path)
    with pytest.raises(InputError, match="there is no folder"):
        AndroidControl(tmp_path / "none")


def test_damaged_shards_do_not_lose_the_others(tmp_path: Path) -> None:
    first = shard(tmp_path / "android_control-00000-of-00002", [example(short(1)), example(short(2))])
    first.write_bytes(first.read_bytes()[:-30])
    second = shard(tmp_path / "android_control-00001-of-00002", [example(short(3)), example(short(4))], gzip=False)
    second.write_bytes(second.read_bytes().replace(b"episode 3", b"episode X"))
    data = AndroidControl(tmp_path, keep_going=True, split="all", check="yes")
    assert [sample.step.id for sample in data.samples()][-2:] == ["4-0", "4-1"]
    assert [problem.where for problem in data.problems] == [f"{first}: record 2", f"{second}: record 1"]
    assert "ends in the middle" in data.problems[0].reason and "checksum" in data.problems[1].reason
    assert missing_shards([first, second]) == "" and missing_shards([Path("x")]) == ""
    assert missing_shards([second]) == "1 of 2 shards are not here (number 0 is the first)"


# -- fuzz -------------------------------------------------------------------------------------------------------------


def flipped(features: Features, chance: random.Random) -> bytes:
    data = bytearray(frame(example(features)))
    for _ in range(chance.randint(1, 4)):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def misspoken(features: Features, chance: random.Random) -> bytes:
    """Actions with a key dropped or of another type."""
    actions = [json.loads(action) for action in features["actions"]]
    action = chance.choice(actions)
    key = chance.choice(list(action))
    action[key] = chance.choice([None, 3, "word", [1], {"a": 1}, True, -1e300])
    return frame(example(features | {"actions": [json.dumps(each).encode() for each in actions]}))


ALL_WAYS: list[Way] = [*WAYS, flipped, misspoken]


def test_broken_files_are_told_or_read(tmp_path: Path) -> None:
    for seed in range(160):
        (tmp_path / str(seed)).mkdir()
        check_broken_file(tmp_path / str(seed), seed)


def check_broken_file(folder: Path, seed: int) -> None:
    chance = random.Random(seed)
    way, gzip = ALL_WAYS[seed % len(ALL_WAYS)], seed // len(ALL_WAYS) % 2
    good = frame(example(short(1)))
    data = good + way(whole(2), chance) + (frame(example(short(3))) if way is not torn else b"")
    if gzip:
        data = zlib.compress(data, 6, 31)
        if way is flipped:
            data = data[: chance.randrange(20, len(data))] + chance.randbytes(3)
    path = folder / "android_control-00000-of-00001"
    path.write_bytes(data)
    options = {"split": "all", "elements": chance.choice(["no", "yes"]), "check": chance.choice(["no", "yes"])}
    try:
        read(folder, **options)
    except DataError as error:
        assert str(error).startswith(f"{path}: record ")
    patient = AndroidControl(folder, keep_going=True, **options)
    kept = {sample.step.episode for sample in patient.samples()}
    if not (gzip and way is flipped):
        assert "1" in kept
    if way not in (torn, flipped):
        assert "3" in kept
    assert all(problem.where.startswith(f"{path}: record ") and problem.reason for problem in patient.problems)
