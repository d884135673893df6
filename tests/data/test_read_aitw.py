"""Android in the Wild: miniature shards of its exact form, right and broken."""

from __future__ import annotations

import io
import json
import random
import zlib
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from broken_examples import WAYS, Features, torn
from readers import example, shard
from saccade.actions import Action
from saccade.data.readers import DataError, Sample, open_dataset
from saccade.data.readers.aitw import AitW
from saccade.data.tfrecord import frame
from saccade.errors import InputError
from saccade.geometry import Box, Point, Size
from saccade.scoring.profiles import get_profile
from saccade.scoring.profiles.base import MatchContext
from saccade.types import Element

WIDTH, HEIGHT = 8, 16
PIXELS = bytes(range(WIDTH * HEIGHT)) * 3


def step(episode: str, number: int, type: int = 6, **changes: Any) -> Features:
    """A record as published; names of changes have `__` for the slash."""
    features: Features = {
        "android_api_level": [30],
        "current_activity": [b"com.android.chrome"],
        "device_type": [b"pixel_4"],
        "episode_id": [episode.encode()],
        "episode_length": [4],
        "goal_info": [b"open a new tab"],
        "image/channels": [3],
        "image/height": [HEIGHT],
        "image/width": [WIDTH],
        "image/encoded": [PIXELS],
        "image/ui_annotations_positions": [0.25, 0.5, 0.125, 0.25, 0.0, 0.0, 0.5, 0.5],
        "image/ui_annotations_text": [b"Sign in", b""],
        "image/ui_annotations_ui_types": [b"TEXT", b"ICON_NAV_BAR_RECT"],
        "results/action_type": [type],
        "results/type_action": [b""],
        "results/yx_touch": [-1.0, -1.0],
        "results/yx_lift": [-1.0, -1.0],
        "step_id": [number],
    }
    return features | {name.replace("__", "/"): value for name, value in changes.items()}


def gesture(episode: str, number: int, touch: list[float], lift: list[float]) -> Features:
    return step(episode, number, 4, results__yx_touch=touch, results__yx_lift=lift)


STEPS = [
    gesture("a1", 0, [0.25, 0.5], [0.25, 0.53125]),
    gesture("a1", 1, [0.75, 0.5], [0.25, 0.5]),
    gesture("a1", 2, [0.5, 0.25], [0.5, 0.75]),
    step("a1", 3, 3, results__type_action=["Grüße 好".encode()]),
    step("a1", 4, 5),
    step("a1", 5, 6),
    step("a1", 6, 7),
    step("a1", 7, 10),
    step("a1", 8, 11),
]
TRUTH = [
    Action("click", point=Point(4, 4)),
    Action("swipe", direction="up", start=Point(4, 12), end=Point(4, 4)),
    Action("swipe", direction="right", start=Point(2, 8), end=Point(6, 8)),
    Action("type", text="Grüße 好"),
    Action("press", key="back"),
    Action("press", key="home"),
    Action("press", key="enter"),
    Action("terminate", status="success"),
    Action("terminate", status="failure"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "general").mkdir()
    (tmp_path / "install").mkdir()
    (tmp_path / "splits").mkdir()
    shard(tmp_path / "general" / "general-00000-of-00002", map(example, STEPS))
    shard(tmp_path / "general" / "general-00001-of-00002", [example(step("b2", 0)), example(step("c3", 0))])
    shard(tmp_path / "install" / "install-00000-of-00001", [example(step("d4", 0))], gzip=False)
    splits = {"train": ["b2"], "validation": ["c3"], "test": ["a1", "d4"]}
    (tmp_path / "splits" / "standard.json").write_text(json.dumps(splits))
    return tmp_path


def read(folder: Path, **options: Any) -> list[Sample]:
    return list(AitW(folder, **options).samples())


def ids(folder: Path, **options: Any) -> list[str]:
    return [sample.step.id for sample in read(folder, **options)]


# -- what is right ----------------------------------------------------------------------------------------------------


def test_every_action_and_field(folder: Path) -> None:
    found = read(folder, subset="general")
    assert [sample.step.truth for sample in found] == [[action] for action in TRUTH]
    first, picture, where = found[0]
    assert (first.id, first.episode, first.step, first.screen) == ("a1-0", "a1", 0, Size(WIDTH, HEIGHT))
    assert first.instruction == "open a new tab" and first.image == "general/general-00000-of-00002#1"
    assert first.tags == {
        "platform": "mobile",
        "language": "en",
        "source": "general",
        "split": "test",
        "activity": "com.android.chrome",
        "device": "pixel_4",
        "android": "30",
    }
    assert first.elements == [
        Element(0, Box(4, 4, 6, 6), type="text", text="Sign in"),
        Element(1, Box(0, 0, 4, 8), type="icon", caption="nav bar rect"),
    ]
    assert found[2].step.history == ['tapped "Sign in"', "swiped up"]
    assert where == f"{folder / 'general' / 'general-00000-of-00002'}: record 1 (episode a1), step 0"
    assert picture is not None
    with Image.open(io.BytesIO(picture.data())) as image:
        assert (image.format, image.size, image.tobytes()) == ("PNG", (WIDTH, HEIGHT), PIXELS)


def test_the_published_rule_finds_the_elements(folder: Path) -> None:
    """Far from the touch, but in one grown box with it."""
    one = read(folder, subset="general")[0].step
    profile, scene = get_profile("aitw"), MatchContext(one.screen, one.elements)
    assert profile.judge(Action("click", point=Point(6.5, 6)), one.truth, scene).right
    assert not profile.judge(Action("click", point=Point(6.5, 6)), one.truth, MatchContext(one.screen)).right
    assert AitW.profile == "aitw"


def test_splits_and_sub_sets(folder: Path) -> None:
    assert {name.split("-")[0] for name in ids(folder)} == {"a1", "d4"}
    assert ids(folder, split="train") == ["b2-0"] and ids(folder, split="validation") == ["c3-0"]
    assert len(ids(folder, split="all")) == 12
    assert ids(folder, subset="install") == ["d4-0"]
    assert ids(folder / "install") == ["d4-0"], "the split file lies above"
    assert ids(folder / "install" / "install-00000-of-00001", split="all") == ["d4-0"]
    other = folder / "mine.json"
    other.write_text('{"train": [], "val": ["d4"], "test": ["c3"]}')
    assert ids(folder, splits=str(other)) == ["c3-0"]
    assert ids(folder, splits=str(other), split="validation") == ["d4-0"]
    assert "split" not in read(folder, split="all")[0].step.tags


def test_without_elements(folder: Path) -> None:
    found = read(folder, elements="no", subset="general")
    assert not found[0].step.elements and found[1].step.history == ["tapped [4, 4]"]


def test_steps_are_brought_into_order_and_gaps_stay(tmp_path: Path) -> None:
    rows = [step("e", 2, 5), step("e", 0, 6), step("e", 4, 7), step("f", 0)]
    shard(tmp_path / "general-00000-of-00001", map(example, rows))
    found = read(tmp_path, split="all")
    assert [sample.step.id for sample in found] == ["e-0", "e-2", "e-4", "f-0"]
    assert found[2].step.history == ["went to the home screen", "went back"] and not found[3].step.history


def test_a_slanted_swipe_keeps_the_direction_of_its_shares(tmp_path: Path) -> None:
    """Further along the width in shares, along the height in pixels: the end would turn it around."""
    shard(tmp_path / "general-00000-of-00001", [example(gesture("e", 0, [0.25, 0.0], [0.625, 0.5]))])
    (action,) = read(tmp_path, split="all")[0].step.truth
    assert action == Action("swipe", direction="right", start=Point(0, 4))


def test_pictures_that_are_encoded_after_all(tmp_path: Path) -> None:
    png = b"\x89PNG and so on"
    shard(tmp_path / "general-00000-of-00001", [example(step("e", 0, image__encoded=[png]))])
    picture = read(tmp_path, split="all")[0].picture
    assert picture is not None and picture.data() == png


def test_it_is_recognised_and_keeps_count(folder: Path, tmp_path: Path) -> None:
    assert isinstance(open_dataset(folder), AitW) and isinstance(open_dataset(folder / "general"), AitW)
    renamed = tmp_path / "renamed"
    renamed.mkdir()
    shard(renamed / "some.tfrecord", [example(step("e", 0))], gzip=False)
    assert isinstance(open_dataset(renamed), AitW) and "source" not in read(renamed, split="all")[0].step.tags
    data = AitW(folder, split="all")
    assert sum(1 for _ in data.samples()) == 12 and data.progress.done == data.progress.total > 0


# -- what is wrong ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"results/action_type": [8]}, "results/action_type: 8 is not an action of this data set"),
        ({"results/action_type": []}, "results/action_type: missing"),
        ({"results/action_type": [4]}, "results/yx_touch: [-1.0, -1.0] is no place (y, x) on the screen"),
        ({"results/action_type": [4], "results/yx_touch": [0.5]}, "results/yx_touch: [0.5] is no place"),
        ({"results/action_type": [4], "results/yx_touch": [float("nan"), 0.5]}, "results/yx_touch: [nan, 0.5]"),
        ({"results/action_type": [3], "results/type_action": []}, "results/type_action: missing"),
        ({"episode_id": [5]}, "episode_id: it holds integers, not bytes"),
        ({"episode_id": []}, "episode_id: missing"),
        ({"step_id": [b"1"]}, "step_id: it holds bytes, not integers"),
        ({"step_id": [-3]}, "step_id: -3 is no number of a step"),
        ({"step_id": [0]}, "step_id: 0 comes twice"),
        ({"goal_info": [b"\xff"]}, "goal_info[0]: not UTF-8 text"),
        ({"image/channels": [2]}, "image/channels: is 2, expected one of 1, 3, 4"),
        ({"image/encoded": [b"123"]}, "image/encoded: 3 bytes are not 8 × 16 pixels of 3 channels"),
        ({"image/width": [0], "image/encoded": [b""]}, "`screen` needs a positive width and height"),
        ({"image/ui_annotations_positions": [0.5] * 7}, "image/ui_annotations_positions: 7 numbers are not"),
        ({"image/ui_annotations_positions": [float("inf")] * 4}, "image/ui_annotations_positions: 4 numbers are not"),
        ({"image/ui_annotations_text": [b"one"]}, "image/ui_annotations_text: there are 1 for 2 boxes"),
        ({"image/ui_annotations_ui_types": [1]}, "image/ui_annotations_ui_types: it holds integers, not bytes"),
        ({"android_api_level": [1.5]}, "android_api_level: it holds floats, not bytes"),
    ],
)
def test_a_wrong_field_is_named_and_its_neighbours_stay(tmp_path: Path, change: Features, says: str) -> None:
    rows = [step("e", 0), step("e", 1) | change, step("e", 2)]
    path = shard(tmp_path / "general-00000-of-00001", map(example, rows))
    with pytest.raises(DataError) as told:
        read(tmp_path, split="all")
    assert str(told.value).startswith(f"{path}: record 2") and says in str(told.value)
    data = AitW(tmp_path, keep_going=True, split="all")
    assert [sample.step.id for sample in data.samples()] == ["e-0", "e-2"]
    assert len(data.problems) == 1 and says in data.problems[0].reason


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"subset": "web_shopping"}, "has no shards of the sub-set web_shopping"),
        ({"subset": "games"}, "aitw: subset is 'games'"),
        ({"splits": "nowhere.json"}, "split=test needs nowhere.json; with split=all everything is read"),
    ],
)
def test_wrong_options_get_one_sentence(folder: Path, options: dict[str, str], says: str) -> None:
    with pytest.raises(InputError) as told:
        read(folder, **options)
    assert says in str(told.value) and "\n" not in str(told.value)


def test_wrong_folders_and_split_files_get_one_sentence(folder: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(
        InputError, match=r"is not Android in the Wild \(AitW\): expected TFRecord shards .*; found nothing"
    ):
        AitW(empty)
    splits = folder / "splits" / "standard.json"
    splits.write_text('{"train": ["b2"]}')
    with pytest.raises(InputError, match="there is no split 'test': it has train"):
        read(folder)
    splits.write_text("not json")
    with pytest.raises(InputError, match="is no split file"):
        read(folder)


def test_a_truncated_shard_does_not_lose_the_next(folder: Path) -> None:
    path = folder / "general" / "general-00000-of-00002"
    path.write_bytes(path.read_bytes()[:-25])
    data = AitW(folder, keep_going=True)
    assert [sample.step.id for sample in data.samples()][-1] == "d4-0"
    assert data.problems[0].where.startswith(f"{path}: record ") and "ends in the middle" in data.problems[0].reason


# -- fuzz -------------------------------------------------------------------------------------------------------------


def test_broken_files_are_told_or_read(tmp_path: Path) -> None:
    for seed in range(120):
        (tmp_path / str(seed)).mkdir()
        check_broken_file(tmp_path / str(seed), seed)


def check_broken_file(folder: Path, seed: int) -> None:
    chance = random.Random(seed)
    way, gzip = WAYS[seed % len(WAYS)], seed // len(WAYS) % 2
    rows = [frame(example(step("e", 0))), way(chance.choice(STEPS), chance)]
    rows += [frame(example(step("g", 0))), frame(example(step("g", 1)))] if way is not torn else []
    if chance.random() < 0.3 and way is not torn:
        chance.shuffle(rows)
    data = b"".join(rows)
    path = folder / "general-00000-of-00001"
    path.write_bytes(zlib.compress(data, 6, 31) if gzip else data)
    options = {"split": "all", "elements": chance.choice(["no", "yes"]), "check": chance.choice(["no", "yes"])}
    try:
        read(folder, **options)
    except DataError as error:
        assert str(error).startswith(f"{path}: record ")
    patient = AitW(folder, keep_going=True, **options)
    kept = {sample.step.id for sample in patient.samples()}
    assert kept >= ({"e-0"} if way is torn else {"e-0", "g-0", "g-1"})
    assert all(problem.where.startswith(f"{path}: record ") and problem.reason for problem in patient.problems)
