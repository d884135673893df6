"""CMGUI in miniature: episodes of every action and spelling, screenshots in zips and in zips of several parts."""

from __future__ import annotations

import io
import json
import random
import struct
import zipfile
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from mangling import damaged, reads, twisted
from saccade.actions import Action
from saccade.data.readers import open_dataset
from saccade.data.readers.archives import Archive
from saccade.data.readers.base import DataError, Sample
from saccade.data.readers.cmgui import CMGUI
from saccade.errors import InputError
from saccade.geometry import Box, Point, Size
from saccade.models.pictures import image_of

SIZE = (720, 1280)


@cache
def picture(color: tuple[int, int, int] = (200, 30, 30), size: tuple[int, int] = SIZE, kind: str = "PNG") -> bytes:
    data = io.BytesIO()
    Image.new("RGB", size, color).save(data, kind)
    return data.getvalue()


def call(action: str, **arguments: Any) -> dict[str, Any]:
    return {"name": "mobile_use", "arguments": {"action": action, **arguments}}


def step(at: int, action: Any, **rest: Any) -> dict[str, Any]:
    return {"screenshot": f"e1/{at}.png", "action": action, **rest}


EPISODE: dict[str, Any] = {
    "episode_id": "e1",
    "instruction": "打开淘宝，搜索阿迪达斯",
    "app": "淘宝",
    "steps": [
        step(0, call("open", text="淘宝"), summary="None", thought="先打开淘宝"),
        step(
            1,
            call("click", coordinate=[100, 200]),
            bbox=[[50, 150, 150, 250], [300, 150, 400, 250]],
            summary="已打开淘宝",
        ),
        step(2, call("type", text="阿迪达斯")),
        step(3, [call("system_button", button="Enter"), {"action": "CLICK", "bbox": [600, 100, 700, 160]}]),
        step(4, call("swipe", coordinate=[360, 900], coordinate2=[360, 300])),
        step(5, call("long_press", coordinate=[10, 20], time=2)),
        step(6, {"action_type": "SWIPE", "direction": "LEFT"}),
        step(7, call("wait", time=2)),
        step(8, call("system_button", button="Back")),
        step(9, call("terminate", status="success")),
    ],
}


def write(folder: Path, episodes: list[Any], split: str = "test", shots: int = 10) -> Path:
    folder.mkdir(exist_ok=True)
    lines = [json.dumps(episode, ensure_ascii=False) + "\n" for episode in episodes]
    (folder / f"episode_annotation_{split}.jsonl").write_text("".join(lines), encoding="utf-8")
    (folder / "screenshot_zip").mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / "screenshot_zip" / f"screenshot_{split}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for at in range(shots):
            archive.writestr(f"screenshot_{split}/e1/{at}.png", picture((at, 0, 0)))
    return folder


def read(folder: Path, **options: Any) -> list[Sample]:
    return list(CMGUI(folder, **options).samples())


def truth(folder: Path, one: dict[str, Any], **options: Any) -> list[Action]:
    (sample,) = read(write(folder, [{"instruction": "去", "steps": [{"image": "0.png"} | one]}]), **options)
    return sample.step.truth


# -- what is right ----------------------------------------------------------------------------------------------------


def test_an_episode_with_every_action(tmp_path: Path) -> None:
    folder = write(tmp_path / "cmgui", [EPISODE])
    dataset = open_dataset(folder)
    assert isinstance(dataset, CMGUI) and dataset.profile == "cmgui"
    samples = list(dataset.samples())
    steps = [sample.step for sample in samples]
    assert [each.id for each in steps] == [f"e1-{at}" for at in range(10)]
    assert {each.screen for each in steps} == {Size(*SIZE)}
    assert steps[0].tags == {"platform": "mobile", "split": "test", "app": "淘宝", "language": "zh"}
    assert (steps[0].summary, steps[1].summary, steps[0].thought) == ("", "已打开淘宝", "先打开淘宝")
    assert [each.context for each in steps] == ["", *(each.summary for each in steps[:-1])]  # C_{t-1}, never C_t
    assert [each.truth for each in steps] == [
        [Action("open_app", text="淘宝")],
        [
            Action("click", point=Point(100, 200), box=Box(50, 150, 150, 250)),
            Action("click", point=Point(350, 200), box=Box(300, 150, 400, 250)),
        ],
        [Action("type", text="阿迪达斯")],
        [Action("press", key="enter"), Action("click", point=Point(650, 130), box=Box(600, 100, 700, 160))],
        [Action("swipe", direction="up", start=Point(360, 900), end=Point(360, 300))],
        [Action("long_press", point=Point(10, 20))],
        [Action("swipe", direction="left")],
        [Action("wait", seconds=2)],
        [Action("press", key="back")],
        [Action("terminate", status="success")],
    ]
    assert steps[3].history == ["打开应用“淘宝”", "点击[100, 200]", "输入“阿迪达斯”"]
    assert dataset.progress.done == dataset.progress.total > 0


def test_pictures_come_out_of_the_zip_when_somebody_looks(tmp_path: Path) -> None:
    sample = read(write(tmp_path, [EPISODE]))[7]
    assert sample.step.image == "screenshot_zip/screenshot_test.zip#screenshot_test/e1/7.png"
    assert sample.picture is not None and callable(sample.picture.source)
    assert image_of(sample.picture).getpixel((0, 0)) == (7, 0, 0)


def test_unpacked_screenshots_are_found_too(tmp_path: Path) -> None:
    folder = write(tmp_path, [EPISODE], shots=0)
    for at in range(10):
        file = folder / "screenshot_zip" / "screenshot_test" / "e1" / f"{at}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(picture((0, at, 0)))
    sample = read(folder)[4]
    assert sample.picture is not None and sample.picture.source == str(folder / sample.step.image)


@pytest.mark.parametrize(
    "one",
    [
        {"operation": "CLICK", "boxes": [[10, 20, 30, 40]]},
        {"action": "click", "bbox": [10, 20, 30, 40]},
        {"action": {"type": "tap", "candidate_boxes": [10, 20, 30, 40]}},
        {"action": '{"action": "click", "bbox": [[10, 20], [30, 40]]}'},
        {"actions": [{"action_type": "点击", "box": {"x": 10, "y": 20, "width": 20, "height": 20}}]},
        {"gt_action": {"name": "Click", "params": {"bbox": {"left": 10, "top": 20, "right": 30, "bottom": 40}}}},
        {"action": {"action": "click"}, "bbox": ["10", "20", "30", "40"]},
    ],
)
def test_a_click_under_other_names(tmp_path: Path, one: dict[str, Any]) -> None:
    assert truth(tmp_path, one) == [Action("click", point=Point(20, 30), box=Box(10, 20, 30, 40))]


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        ({"action": "press_back"}, Action("press", key="back")),
        ({"action": {"action": "key", "text": "volume_up"}}, Action("press", key="volume_up")),
        ({"action": {"action": "scroll", "direction": "向上"}}, Action("swipe", direction="up")),
        ({"action": {"action": "launch_app", "app_name": "微信"}}, Action("open_app", text="微信")),
        ({"action": "STOP"}, Action("terminate", status="success")),
        (
            {"action": {"action": "terminate", "status": "fail", "text": "没有"}},
            Action("terminate", status="failure", text="没有"),
        ),
        ({"action": {"action": "input", "text": ""}}, Action("type", text="")),
        ({"action": "wait"}, Action("wait")),
    ],
)
def test_other_actions_under_other_names(tmp_path: Path, one: dict[str, Any], expected: Action) -> None:
    assert truth(tmp_path, one) == [expected]


def test_coordinates_in_other_frames(tmp_path: Path) -> None:
    box = Box(72, 128, 144, 256)
    assert truth(tmp_path, {"action": "click", "bbox": [0.1, 0.1, 0.2, 0.2]})[0].box == box
    assert truth(tmp_path, {"action": "click", "bbox": [100, 100, 200, 200]}, coordinates="permille")[0].box == box
    assert truth(tmp_path, {"action": "click", "bbox": [0, 0, 1, 1]})[0].box == Box(0, 0, 1, 1)


def test_a_size_in_the_record_spares_the_picture(tmp_path: Path) -> None:
    one = {"image": "gone.png", "action": "wait", "image_size": [1080, 2400]}
    folder = write(tmp_path, [{"goal": "Wait", "trajectory": [one], "lang": "EN"}])
    (sample,) = read(folder)
    assert (sample.step.screen, sample.picture, sample.step.tags["language"]) == (Size(1080, 2400), None, "en")
    assert sample.step.episode == "test-1"


def test_grounding_samples(tmp_path: Path) -> None:
    folder = write(tmp_path, [EPISODE])
    rows = [
        {"image": "e1/0.png", "instructions": "点击搜索", "bbox": [22, 494, 304, 913], "thoughts": "搜索框在上方"},
        {"image": "e1/1.png", "instruction": "Open it", "boxes": [[0, 0, 9, 9], [20, 20, 29, 29]], "id": 7},
    ]
    (folder / "grounding_test.json").write_text(json.dumps(rows), encoding="utf-8")
    first, second = read(folder, part="grounding")
    assert first.step.grounding and first.step.thought == "搜索框在上方"
    assert first.step.truth == [Action("click", point=Point(163, 703.5), box=Box(22, 494, 304, 913))]
    assert (second.step.id, len(second.step.truth), second.step.tags["language"]) == ("7", 2, "en")


# -- archives ---------------------------------------------------------------------------------------------------------


def split_zip(path: Path, files: dict[str, bytes], size: int) -> int:
    """Write an archive in parts of `size` bytes, as `zip -s` does; returns how many."""
    stream, places = bytearray(b"PK\x07\x08"), []
    for name, data in files.items():
        packed = zlib.compress(data)[2:-4]
        places.append((name, data, packed, len(stream)))
        stream += struct.pack(
            "<4sHHHHHIIIHH", b"PK\x03\x04", 20, 0, 8, 0, 0, zlib.crc32(data), len(packed), len(data), len(name), 0
        )
        stream += name.encode() + packed
    last, start = divmod(len(stream), size)
    directory = b"".join(
        struct.pack(
            "<4sHHHHHHIIIHHHHHII",
            b"PK\x01\x02",
            20,
            20,
            0,
            8,
            0,
            0,
            zlib.crc32(data),
            len(packed),
            len(data),
            len(name),
            0,
            0,
            at // size,
            0,
            0,
            at % size,
        )
        + name.encode()
        for name, data, packed, at in places
    )
    stream += directory
    stream += struct.pack("<4sHHHHIIH", b"PK\x05\x06", last, last, len(places), len(places), len(directory), start, 0)
    for part in range(last):
        path.with_suffix(f".z{part + 1:02}").write_bytes(stream[part * size : (part + 1) * size])
    path.write_bytes(stream[last * size :])
    return last + 1


def noise(seed: int) -> bytes:
    data = io.BytesIO()
    Image.frombytes("RGB", (60, 90 + seed), random.Random(seed).randbytes(60 * (90 + seed) * 3)).save(data, "PNG")
    return data.getvalue()


def test_an_archive_in_parts_is_read_without_unpacking(tmp_path: Path) -> None:
    folder = write(tmp_path, [EPISODE], "train")
    files = {f"shots/e1/{at}.png": noise(at) for at in range(10)}
    assert split_zip(folder / "screenshot_zip" / "screenshot_train.zip", files, 9_000) > 9
    samples = read(folder, split="train")
    assert [sample.step.screen.height for sample in samples] == list(range(90, 100))
    for at, sample in enumerate(samples):
        assert sample.picture is not None and sample.picture.data() == files[f"shots/e1/{at}.png"]
    (folder / "screenshot_zip" / "screenshot_train.z03").unlink()
    with pytest.raises(DataError, match=r"parts, and 1 of them are not here: screenshot_train\.z03"):
        read(folder, split="train")


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_archives_give_what_was_put_in(tmp_path: Path, method: int, wide: bool) -> None:
    path = tmp_path / "a.zip"
    files = {f"图/{at}.bin": random.Random(at).randbytes(1000 * at) for at in range(4)}
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in files.items():
            with archive.open(name, "w", force_zip64=wide) as member:
                member.write(data)
    ours = Archive(path)
    assert {name: ours.read(name) for name in ours.entries} == files
    path.write_bytes(b"something before it" + path.read_bytes())
    assert {name: Archive(path).read(name) for name in ours.entries} == files


def test_a_damaged_picture_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.png", picture())
    data = bytearray(path.read_bytes())
    data[200] ^= 255
    path.write_bytes(data)
    with pytest.raises(DataError, match=r"a\.zip: a\.png: its checksum is wrong"):
        Archive(path).read("a.png")


# -- what is wrong ----------------------------------------------------------------------------------------------------


def test_a_wrong_folder_says_what_was_expected(tmp_path: Path) -> None:
    (tmp_path / "x.txt").touch()
    with pytest.raises(InputError, match=r"is not CMGUI: expected episode_annotation_test.jsonl .*; found x\.txt"):
        CMGUI(tmp_path)
    with pytest.raises(InputError, match=r"has no episode_annotation_train\.jsonl"):
        read(write(tmp_path, [EPISODE]), split="train")
    with pytest.raises(InputError, match="no file with `grounding`"):
        read(tmp_path, part="grounding")


@pytest.mark.parametrize(
    ("one", "message"),
    [
        (
            {"image": "0.png", "handlung": "click"},
            r"steps\[0\]: action: missing; the record has image, handlung \(looked for action, ",
        ),
        ({"action": "wait"}, r"image: missing; the record has action \(looked for image, screenshot"),
        ({"image": "9/nope.png", "action": "wait"}, r"image: 9/nope\.png is nowhere in"),
        ({"image": "../secret.png", "action": "wait"}, r"image: '\.\./secret\.png' is not the name of a file"),
        ({"image": "0.png", "action": "fly"}, r"action\.type: 'fly' is not an action"),
        ({"image": "0.png", "action": "click"}, r"action\.bbox: missing, and there is no coordinate"),
        ({"image": "0.png", "action": "click", "bbox": [1, 2, 3]}, r"action\.bbox: expected four numbers"),
        ({"image": "0.png", "action": "click", "bbox": [5, 5, 1, 9]}, r"action\.bbox: .* ends before it begins"),
        (
            {"image": "0.png", "action": [{"action": "wait"}, {"action": "swipe"}]},
            r"action\[1\]\.direction: expected up",
        ),
        ({"image": "0.png", "action": {"action": "type"}}, r"action\.text: missing"),
        ({"image": "0.png", "action": {"action": "terminate", "status": "?"}}, r"action\.status: '\?' is neither"),
        ({"image": "0.png", "action": []}, r"action: the list is empty"),
        ({"image": "0.png", "action": "wait", "image_size": [0, 5]}, r"image_size: \[0, 5\] is not a width"),
    ],
)
def test_a_bad_step_is_named_and_costs_no_other(tmp_path: Path, one: dict[str, Any], message: str) -> None:
    good = {"image": "1.png", "action": "wait"}
    folder = write(tmp_path / "cmgui", [EPISODE, {"instruction": "去", "steps": [one, good]}])
    with pytest.raises(DataError, match=r"episode_annotation_test\.jsonl:2: .*" + message):
        read(folder)
    dataset = CMGUI(folder, keep_going=True)
    assert len(list(dataset.samples())) == 11
    assert len(dataset.problems) == 1 and dataset.problems[0].where.endswith("jsonl:2")


def test_lines_that_are_no_episode(tmp_path: Path) -> None:
    folder = write(tmp_path, [EPISODE, [1], {"steps": []}, {"instruction": "去", "steps": {}}, EPISODE | {"id": "e2"}])
    file = folder / "episode_annotation_test.jsonl"
    file.write_bytes(file.read_bytes() + b'{"instruction": "\xff"}\n{"instr')
    dataset = CMGUI(folder, keep_going=True)
    assert len(list(dataset.samples())) == 20
    reasons = [(problem.where.rpartition(":")[2], problem.reason) for problem in dataset.problems]
    assert [where for where, _ in reasons] == ["2", "3", "4", "6", "7"]
    assert reasons[0][1] == "expected an object, found list"
    assert reasons[1][1].startswith("instruction: missing")
    assert reasons[2][1] == "steps: expected a list, found dict"
    assert "truncated" in reasons[4][1]


def test_whatever_is_wrong_it_is_said(tmp_path: Path) -> None:
    folder = write(tmp_path / "cmgui", [EPISODE] * 3)
    file, archive = folder / "episode_annotation_test.jsonl", folder / "screenshot_zip" / "screenshot_test.zip"
    lines, packed = file.read_bytes(), archive.read_bytes()
    chance, told = random.Random(4), 0
    for _ in range(80):
        file.write_bytes(lines)
        archive.write_bytes(packed)
        match chance.randrange(3):
            case 0:
                file.write_text("\n".join(json.dumps(twisted(EPISODE, chance)) for _ in range(2)), encoding="utf-8")
            case 1:
                file.write_bytes(damaged(lines, chance))
            case _:
                archive.write_bytes(damaged(packed, chance))
        _, message = reads(CMGUI, folder)
        told += bool(message)
    assert told > 40
