"""BTL-UI's training rows; and what damage does to every format with episodes or rows in JSON."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from test_read_agentnet import bench_task, train_task, write_bench, write_train
from test_read_episodes import (
    odyssey_episode,
    std_episode,
    write_aitz,
    write_odyssey,
    write_std,
)

from saccade.actions import Action
from saccade.data.readers import DataError, Dataset, Sample, open_dataset
from saccade.data.readers.agentnet import AgentNet
from saccade.data.readers.aitz import AITZ
from saccade.data.readers.androidcontrol_std import AndroidControlStd
from saccade.data.readers.btl_meta import BTLMeta
from saccade.data.readers.gui_odyssey import GUIOdyssey
from saccade.errors import InputError
from saccade.geometry import Box, Point, Size
from saccade.types import Element, Step

VARIANTS = 80


def steps(dataset: BTLMeta) -> list[Step]:
    return [sample.step for sample in dataset.samples()]


def row(solution: Any, said: str, box: list[int] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "images": ["examples/images/7_3.png"],
        "image_sizes": [[720, 1280]],
        "max_pixels": 4014080,
        "messages": [{"role": "system", "content": "You are …"}, {"role": "user", "content": said}],
        "solution": json.dumps([solution]),
        "bbox": box if box is not None else [],
        **more,
    }


def navigation(action: dict[str, Any], box: list[int] | None = None, history: str = "None") -> dict[str, Any]:
    sections = {
        "Action Space": "Tap …",
        "User Instruction": "Find a trail.",
        "Action History": history,
        "Screen": "<image>",
    }
    said = "\n\n".join(f"## {name}\n{text}" for name, text in sections.items())
    return row({"Action": action}, said, box)


def rows() -> list[dict[str, Any]]:
    return [
        row({"point_2d": [364, 644]}, "Point to Slide Notes.\n<image>", [182, 322, 546, 966]),
        navigation(
            {"function": "Tap", "point_2d": [364, 644]}, [182, 322, 546, 966], "Step 1: Open it.\nStep 2: Tap A: B."
        ),
        navigation({"function": "LongPress", "point_2d": [728, 1288]}, [0, 0, 728, 1288]),
        navigation({"function": "Type", "text": "hiking"}),
        navigation({"function": "Swipe", "direction": "up"}),
        navigation({"function": "Back"}),
        navigation({"function": "Home"}),
    ]


def write_rows(folder: Path, found: Any = None, suffix: str = ".json") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    found = found if found is not None else rows()
    text = json.dumps(found) if suffix == ".json" else "".join(json.dumps(each) + "\n" for each in found)
    (folder / f"meta{suffix}").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
def test_rows_come_back_in_pixels(tmp_path: Path, suffix: str) -> None:
    """The model sees 720×1280 as 728×1288, and the rows are written in that frame."""
    dataset = BTLMeta(write_rows(tmp_path, suffix=suffix))
    found = steps(dataset)
    box = Box(180, 320, 540, 960)
    assert [step.truth for step in found] == [
        [Action("click", point=Point(360, 640), box=box)],
        [Action("click", point=Point(360, 640), box=box)],
        [Action("long_press", point=Point(720, 1280), box=Box(0, 0, 720, 1280))],
        [Action("type", text="hiking")],
        [Action("swipe", direction="up")],
        [Action("press", key="back")],
        [Action("press", key="home")],
    ]
    assert found[0].grounding
    assert (found[0].instruction, found[0].id) == ("Point to Slide Notes.", "meta-0")
    assert (found[1].instruction, found[1].history, found[1].step) == ("Find a trail.", ["Open it.", "Tap A: B."], 2)
    assert not found[1].grounding
    assert found[1].key_elements == [Element(0, box)]
    assert (found[3].key_elements, found[3].history) == (None, [])
    assert (found[0].screen, found[0].image) == (Size(720, 1280), "images/7_3.png")
    assert dataset.progress.done == dataset.progress.total > 0


def test_frames_and_tasks_can_be_chosen(tmp_path: Path) -> None:
    folder = write_rows(tmp_path)
    plain = steps(BTLMeta(folder, coordinates="pixel", task="grounding"))
    assert [step.truth[0].point for step in plain] == [Point(364, 644)]
    assert len(steps(BTLMeta(folder, task="navigation"))) == 6
    small = row({"point_2d": [10, 10]}, "Point.", [0, 0, 20, 20], max_pixels=360 * 640)
    assert steps(BTLMeta(write_rows(tmp_path / "small", [small])))[0].truth[0].point == Point(
        10 * 720 / 336, 10 * 1280 / 616
    )


def test_pictures_are_found(tmp_path: Path) -> None:
    folder = write_rows(tmp_path / "examples", [row({"point_2d": [1, 1]}, "Point.", image_sizes=None)])
    with pytest.raises(DataError, match=r"meta\.json record 0: image_sizes: missing, and the picture is not there"):
        steps(BTLMeta(folder))
    (folder / "images").mkdir()
    Image.new("RGB", (90, 160)).save(folder / "images" / "7_3.png")
    sample = next(BTLMeta(folder).samples())
    assert sample.step.screen == Size(90, 160)
    assert sample.picture is not None
    assert Path(str(sample.picture.source)).is_file()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"solution": "[]"}, "solution: expected one answer, found 0"),
        ({"solution": "[{"}, "solution: Input data was truncated"),
        ({"solution": '[{"Plan": "x"}]'}, r"solution\.Action: missing"),
        ({"solution": '[{"point_2d": [1]}]'}, r"solution\.point_2d: .*length 2"),
        ({"solution": '[{"Action": {"function": "Fly"}}]'}, r"solution\.Action: 'Fly' is not an action"),
        ({"bbox": [1, 2, 3]}, "bbox: expected four numbers, got 3"),
        ({"image_sizes": [[0, 5]]}, "image_sizes: .*cannot be the size"),
        ({"max_pixels": 9}, "max_pixels: 9 is too few"),
        ({"images": []}, "image: missing"),
        ({"messages": []}, "messages: the user says nothing"),
        ({"messages": "x"}, "messages: Expected `array`"),
    ],
)
def test_wrong_rows_are_told(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    found = rows()
    found[0].update(change)
    folder = write_rows(tmp_path, found)
    with pytest.raises(DataError, match=rf"meta\.json record 0: {reason}"):
        steps(BTLMeta(folder))
    kept = BTLMeta(folder, keep_going=True)
    assert (len(steps(kept)), len(kept.problems)) == (6, 1)


def test_navigation_without_its_sections(tmp_path: Path) -> None:
    folder = write_rows(tmp_path, [row({"Action": {"function": "Back"}}, "Go on.")])
    with pytest.raises(DataError, match="messages: the user's message has no section `## User Instruction`"):
        steps(BTLMeta(folder))
    (tmp_path / "other").mkdir()
    with pytest.raises(InputError, match=r"is not training rows of BTL-UI: expected .*; found nothing"):
        BTLMeta(tmp_path / "other")


@pytest.mark.shared
def test_real_rows(shared_data: Path) -> None:
    ground, navigate = (sample.step for sample in open_dataset(shared_data / "btl", "btl").samples())
    assert (ground.tags["task"], navigate.tags["task"]) == ("grounding", "navigation")
    assert (ground.screen, navigate.screen) == (Size(2560, 1440), Size(720, 1280))
    assert len(navigate.history) == navigate.step == 10
    assert navigate.history[3] == "Type 'hiking trail' into the search bar."
    for step in (ground, navigate):
        box, point = step.truth[0].box, step.truth[0].point
        assert box is not None
        assert point is not None
        assert box.contains_strictly(point)
        assert box.x1 <= step.screen.width
        assert (shared_data / "btl" / step.image).is_file()
    key = Box(614, 1089, 711, 1172)  # as drawn on the screenshot
    assert navigate.truth[0].box is not None
    assert navigate.truth[0].box.iou(key) > 0.85


# Damaged files

WRONG: list[Any] = [None, 7, -1, 1e300, "x", "", [], {}, True, [[]], ["x"], {"a": 1}, [1, 2, 3]]


def spots(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a JSON value, as container and key."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    for key in keys:
        yield value, key
        yield from spots(value[key])


def damaged(raw: bytes, rng: random.Random) -> bytes:
    """A file with one thing wrong: cut, a byte changed, or a value dropped, mistyped, re-ordered or nested."""
    way = rng.choice(["cut", "byte", "drop", "type", "order", "nest"])
    at = rng.randrange(len(raw))
    if way == "cut":
        return raw[:at]
    if way == "byte":
        return raw[:at] + bytes([rng.randrange(256)]) + raw[at + 1 :]
    lines = [json.loads(line) for line in raw.splitlines()]
    holder, key = rng.choice(list(spots(lines)))
    if way == "drop":
        del holder[key]
    elif way == "type":
        holder[key] = rng.choice(WRONG)
    elif way == "nest":
        holder[key] = rng.choice([[holder[key]], {"value": holder[key]}])
    elif isinstance(holder[key], list):
        rng.shuffle(holder[key])
    return "\n".join(json.dumps(line) for line in lines).encode()


def check_damaged(make: Callable[[bool], Dataset], folder: Path, name: str, seed: int) -> None:
    """Either it reads, or the message says file and place; with `keep_going` single records never end the reading."""
    file = folder / name
    whole = file.read_bytes()
    rng = random.Random(seed)
    for _ in range(VARIANTS):
        file.write_bytes(damaged(whole, rng))
        try:
            good: list[Sample] | None = list(make(False).samples())
        except InputError as error:
            good = None
            assert str(folder) in str(error)
            if isinstance(error, DataError):
                assert re.search(rf"{re.escape(str(file))}\S*( (step|record) \d+)?: \S", str(error))
        try:
            dataset = make(True)
        except InputError:
            continue  # nothing in it looks like such a file any more
        kept = list(dataset.samples())
        assert (good is None) == bool(dataset.problems)
        assert good is None or [sample.step for sample in good] == [sample.step for sample in kept]
        for sample in kept:
            assert sample.step.truth
            assert sample.where
    file.write_bytes(whole)


def test_damaged_std(tmp_path: Path) -> None:
    write_std(tmp_path, std_episode(), std_episode() | {"episode_id": 8})
    check_damaged(lambda keep: AndroidControlStd(tmp_path, keep_going=keep), tmp_path, "test_std.jsonl", 1)


def test_damaged_odyssey(tmp_path: Path) -> None:
    write_odyssey(tmp_path, odyssey_episode(), odyssey_episode("12"))
    check_damaged(lambda keep: GUIOdyssey(tmp_path, keep_going=keep, split="all"), tmp_path, "annotations/11.json", 2)


def test_damaged_aitz(tmp_path: Path) -> None:
    write_aitz(tmp_path)
    write_aitz(tmp_path / "more")
    check_damaged(lambda keep: AITZ(tmp_path, keep_going=keep), tmp_path, "INSTALL-523/INSTALL-523.json", 3)


def test_damaged_agentnet(tmp_path: Path) -> None:
    bench = write_bench(tmp_path / "bench", bench_task(), bench_task() | {"task_id": "t2"})
    check_damaged(lambda keep: AgentNet(bench, keep_going=keep), bench, "t1.json", 4)
    train = write_train(tmp_path / "train", train_task(), train_task("b"))
    check_damaged(lambda keep: AgentNet(train, keep_going=keep), train, "agentnet_ubuntu_5k.jsonl", 5)


def test_damaged_rows(tmp_path: Path) -> None:
    for suffix in (".json", ".jsonl"):
        folder = write_rows(tmp_path / suffix, suffix=suffix)
        check_damaged(lambda keep, at=folder: BTLMeta(at, keep_going=keep), folder, f"meta{suffix}", 6)  # type: ignore[misc]
