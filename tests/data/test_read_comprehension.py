"""UI Comprehension-Bench in miniature: the paper's records as JSON, JSON lines and parquet, right and broken."""

from __future__ import annotations

import base64
import io
import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from mangling import damaged, reads, twisted
from saccade.actions import Action
from saccade.data.readers import open_dataset
from saccade.data.readers.base import DataError, Sample
from saccade.data.readers.ui_comprehension import UIComprehension
from saccade.errors import InputError
from saccade.geometry import Box, Point, Size
from saccade.types import Element

pa: Any = pytest.importorskip("pyarrow")
pq: Any = pytest.importorskip("pyarrow.parquet")


@cache
def picture(size: tuple[int, int] = (1080, 2400)) -> bytes:
    data = io.BytesIO()
    Image.new("RGB", size, (20, 90, 40)).save(data, "PNG")
    return data.getvalue()


def record(action: str = "click", place: Any = (719, 1236), text: str = "no input text", **rest: Any) -> dict[str, Any]:
    return {
        "Instruction": "Set a reminder for the sale.",
        "image": "a.png",
        "gt_action": action,
        "gt_bbox": list(place) if isinstance(place, tuple) else place,
        "gt_input_text": text,
        "history": "Step 1: Open the app.\nStep 2: Click on the plus icon.",
        "image_size": [1080, 2400],
        "group": "android",
        "Key UI Elements": [
            'Located at [721, 1239], this element represents the date "10".',
            "Located at [5, 911], May",
        ],
        "Reasoning_Chains": ["Find the date.", "Click it."],
        **rest,
    }


def write(folder: Path, records: list[Any], name: str = "test.json") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "images").mkdir(exist_ok=True)
    (folder / "images" / "a.png").write_bytes(picture())
    lines = "\n".join(json.dumps(each) for each in records)
    (folder / name).write_text(lines if name.endswith("l") else json.dumps(records), encoding="utf-8")
    return folder


def read(folder: Path, **options: Any) -> list[Sample]:
    return list(UIComprehension(folder, **options).samples())


def truth(folder: Path, *arguments: Any) -> Action:
    (sample,) = read(write(folder, [record(*arguments)]))
    (action,) = sample.step.truth
    return action


@pytest.mark.parametrize("name", ["test.json", "test.jsonl"])
def test_the_papers_record(tmp_path: Path, name: str) -> None:
    dataset = open_dataset(write(tmp_path / "bench", [record()], name))
    assert isinstance(dataset, UIComprehension)
    (sample,) = dataset.samples()
    step = sample.step
    assert step.key_elements == [
        Element(1, Box(721, 1239, 721, 1239), caption='this element represents the date "10".'),
        Element(2, Box(5, 911, 5, 911), caption="May"),
    ]
    assert step.history == ["Open the app.", "Click on the plus icon."]
    assert step.thought == "Find the date.\nClick it."
    assert step.truth == [Action("click", point=Point(719, 1236))]
    assert step.tags == {"platform": "mobile", "group": "android", "split": "test", "language": "en"}
    assert (step.screen, step.image) == (Size(1080, 2400), "images/a.png")
    assert sample.picture is not None and sample.picture.data() == picture()
    assert dataset.progress.done == dataset.progress.total > 0


def test_pictures_inside_the_table(tmp_path: Path) -> None:
    rows = [
        record() | {"image": {"bytes": picture((300, 600 + at)), "path": "x.png"}, "history": "None"} for at in (0, 1)
    ]
    for each in rows:
        del each["image_size"]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "train-00000.parquet")
    first, second = open_dataset(tmp_path).samples()
    assert (first.step.screen, second.step.screen) == (Size(300, 600), Size(300, 601))
    assert second.picture is not None and second.picture.data() == picture((300, 601))
    assert second.step.image == "train-00000.parquet#1" and second.step.tags["split"] == "train"
    assert second.step.history == [] and second.step.id == "train-00000-1"


def test_pictures_inside_the_json(tmp_path: Path) -> None:
    text = base64.b64encode(picture((30, 60))).decode()
    (sample,) = read(write(tmp_path, [record() | {"image": {"bytes": text}, "image_size": None, "id": 12}]))
    assert sample.picture is not None and sample.picture.data() == picture((30, 60))
    assert (sample.step.screen, sample.step.id) == (Size(30, 60), "12")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("long_press", (10, 20)), Action("long_press", point=Point(10, 20))),
        (("click", (10, 20, 30, 40)), Action("click", point=Point(20, 30), box=Box(10, 20, 30, 40))),
        (("click", (0.5, 0.25)), Action("click", point=Point(540, 600))),
        (("click", "[10, 20]"), Action("click", point=Point(10, 20))),
        (("type", (-100, -100), "Leonardo"), Action("type", text="Leonardo")),
        (("open_app", (-100, -100), "Artsy"), Action("open_app", text="Artsy")),
        (("scroll", (-100, -100), "down"), Action("swipe", direction="up")),
        (("scroll", (-100, -100), "left"), Action("swipe", direction="right")),
        (
            ("select", (10, 20, 30, 40), "Red"),
            Action("select", point=Point(20, 30), box=Box(10, 20, 30, 40), text="Red"),
        ),
        (("select", (-100, -100), "Red"), Action("select", point=Point(-100, -100), text="Red")),
        (("press_back", (-100, -100)), Action("press", key="back")),
        (("press_home", (-100, -100)), Action("press", key="home")),
        (("enter", (-100, -100)), Action("press", key="enter")),
        (("wait", (-100, -100)), Action("wait")),
        (("complete", (-100, -100)), Action("terminate", status="success")),
        (("impossible", None), Action("terminate", status="failure")),
        (("doubleclick", (1, 2)), Action("double_click", point=Point(1, 2))),
        (("rightclick", (1, 2)), Action("right_click", point=Point(1, 2))),
        (("moveto", (1, 2)), Action("hover", point=Point(1, 2))),
    ],
)
def test_actions(tmp_path: Path, arguments: tuple[Any, ...], expected: Action) -> None:
    assert truth(tmp_path, *arguments) == expected


def test_other_spellings_and_splits(tmp_path: Path) -> None:
    one = record()
    one["key_elements"] = json.dumps(one.pop("Key UI Elements"))
    one["reasoning_chain"] = one.pop("Reasoning_Chains")
    one["instruction"] = one.pop("Instruction")
    write(tmp_path, [one], "bench_train.json")
    write(tmp_path, [record(), record()], "bench_test.jsonl")
    assert len(read(tmp_path)) == 3
    (sample,) = read(tmp_path, split="train")
    assert sample.step.key_elements is not None
    assert len(sample.step.key_elements) == 2 and sample.step.thought
    assert len(read(tmp_path, split="test")) == 2
    assert len(read(tmp_path / "bench_test.jsonl")) == 2
    with pytest.raises(InputError, match="no file of split train"):
        read(tmp_path / "bench_test.jsonl", split="train")


def test_a_picture_that_is_not_there_leaves_the_rest(tmp_path: Path) -> None:
    (sample,) = read(write(tmp_path, [record() | {"image": "lost.png"}]))
    assert (sample.picture, sample.step.image, sample.step.screen) == (None, "lost.png", Size(1080, 2400))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Instruction": ""}, "Instruction: missing"),
        ({"Instruction": 5}, "instruction: expected text, found int"),
        ({"gt_action": "fly"}, "gt_action: 'fly' is not an action"),
        ({"gt_bbox": [1, 2, 3]}, r"gt_bbox: expected two or four numbers, found '\[1, 2, 3\]'"),
        ({"gt_bbox": ["a", 2]}, "gt_bbox: "),
        ({"gt_bbox": [9, 9, 1, 1]}, "gt_bbox: .* ends before it begins"),
        ({"gt_bbox": [-100, -100]}, "gt_bbox: .* is no place, and click needs one"),
        ({"gt_action": "scroll", "gt_input_text": "away"}, "gt_input_text: 'away' is not a direction"),
        ({"image_size": [0, 0]}, "image_size: .* is not a width and a height"),
        ({"image_size": "big"}, "image_size: "),
        ({"image": "lost.png", "image_size": None}, r"image: lost\.png is nowhere in"),
        ({"image": 7}, "image: expected a path or a picture, found '7'"),
        ({"Key UI Elements": ["a button"]}, r"Key UI Elements\[0\]: expected 'Located at \[x, y\]"),
        ({"Key UI Elements": [{"x": 1}]}, "Key UI Elements: expected a list of sentences"),
        ({"history": [1]}, "history: expected a list of sentences"),
    ],
)
def test_a_bad_record_is_named_and_costs_no_other(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    folder = write(tmp_path, [record(), record() | change, record()])
    with pytest.raises(DataError, match=r"test\.json, record 1: .*" + message):
        read(folder)
    dataset = UIComprehension(folder, keep_going=True)
    assert len(list(dataset.samples())) == 2 and len(dataset.problems) == 1


def test_a_missing_field_is_named_with_what_there_is(tmp_path: Path) -> None:
    one = record()
    del one["gt_bbox"]
    with pytest.raises(DataError, match="gt_bbox: missing; the record has Instruction, image, gt_action"):
        read(write(tmp_path, [record(), one]))


def test_a_wrong_folder_says_what_was_expected(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is not UI Comprehension-Bench: expected .*; found nothing"):
        UIComprehension(tmp_path)
    (tmp_path / "a.json").write_text('[{"gt_action": "click", "gt_bbox": [1, 2]}]', encoding="utf-8")
    with pytest.raises(InputError, match=r"found a\.json"):
        UIComprehension(tmp_path)


def test_fuzz(tmp_path: Path) -> None:
    rows = [record(), record("type", (-100, -100), "x"), record("scroll", (-100, -100), "up")]
    chance, told = random.Random(5), 0
    for _ in range(90):
        name = chance.choice(["test.json", "test.jsonl"])
        folder = write(tmp_path / "bench", rows, name)
        file = folder / name
        if chance.random() < 0.6:
            broken = [rows[0], twisted(chance.choice(rows), chance), rows[2]]
            write(folder, broken if chance.random() < 0.8 else twisted(rows, chance), "test.json")
        else:
            file.write_bytes(damaged(file.read_bytes(), chance))
        told += bool(reads(UIComprehension, folder)[1])
        for left in folder.glob("test.*"):
            left.unlink()
    assert told > 40
