"""ScreenSpot and ScreenSpot-V2: three forms of boxes, json and parquet, packed and unpacked pictures."""

from __future__ import annotations

import json
import random
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped, unused-ignore]
import pyarrow.parquet as pq  # type: ignore[import-untyped, unused-ignore]
import pytest

from grounding_sets import SIZES, head, parquet, picture, records, screenspot, screenspot_v2, steps, truth_box, written
from saccade.data.readers import DATASETS, open_dataset
from saccade.data.readers.base import DataError
from saccade.data.readers.screenspot import FORMS, ScreenSpot, ScreenSpotV2, decide
from saccade.errors import InputError
from saccade.geometry import Box, Point, Size


def test_screenspot(tmp_path: Path) -> None:
    dataset = open_dataset(screenspot(tmp_path / "s"))
    assert isinstance(dataset, ScreenSpot) and dataset.name == "screenspot"
    samples = list(dataset.samples())
    found = [sample.step for sample in samples]
    assert [step.id for step in found] == [f"screenspot_{platform}_{at}" for platform in SIZES for at in range(4)]
    first = found[0]
    assert first.instruction == "choose item 0" and first.screen == Size(360, 800) and first.grounding
    assert first.image == "screenspot_imgs/mobile_0.png"
    assert truth_box(first) == Box(300, 440, 350, 500) and first.truth[0].point == Point(325, 470)
    assert first.tags == {
        "task": "grounding",
        "platform": "mobile",
        "source": "ios",
        "boxes": "xywh",
        "kind": "icon",
    }
    assert samples[0].picture is not None and samples[0].picture.data().startswith(b"\x89PNG")
    assert "screenspot_mobile.json, record 0" in samples[0].where
    assert dataset.progress.done == dataset.progress.total > 0
    assert [step.id for step in steps(dataset)] == [step.id for step in found], "each call begins anew"
    web = open_dataset(tmp_path / "s", platform="web")
    assert {step.tags["platform"] for step in steps(web)} == {"web"} and len(steps(web)) == 4


@pytest.mark.parametrize("form", ["xywh", "xyxy", "unit"])
def test_all_forms_of_v2_give_the_same_boxes(tmp_path: Path, form: str) -> None:
    expected = [truth_box(step) for step in steps(ScreenSpot(screenspot(tmp_path / "first")))]
    dataset = open_dataset(screenspot_v2(tmp_path / "v", form))
    assert isinstance(dataset, ScreenSpotV2)
    found = steps(dataset)
    for step, box in zip(found, expected, strict=True):
        assert truth_box(step) == pytest.approx(box)
    assert {step.tags["boxes"] for step in found} == {form}
    assert all(boxes.sure and boxes.form == form for boxes in dataset.forms.values()) and len(dataset.forms) == 3


@pytest.mark.parametrize(("form", "name"), [("unit", "file_name"), ("xyxy", "img_filename"), ("xywh", "file_name")])
def test_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, name: str) -> None:
    expected = [truth_box(step) for step in steps(ScreenSpot(screenspot(tmp_path / "first")))]
    folder = parquet(tmp_path / "ScreenSpot_v2", form, monkeypatch, name)
    dataset = open_dataset(folder)
    assert dataset.name == "screenspot-v2"
    samples = list(dataset.samples())
    for sample, box in zip(samples, expected, strict=True):
        assert truth_box(sample.step) == pytest.approx(box)
    assert samples[5].step.image == "data/test-00001-of-00003.parquet#1"
    assert samples[5].picture is not None and isinstance(samples[5].picture.source, bytes)
    assert samples[5].step.tags["platform"] == "desktop" and "row 1" in samples[5].where
    folder.rename(tmp_path / "plain")
    assert open_dataset(tmp_path / "plain").name == "screenspot", "the folder does not say V2"
    assert len(steps(DATASETS.get("screenspot-v2")(tmp_path / "plain"))) == 12, "but its user may"


def test_broken_rows_and_files_of_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = parquet(tmp_path / "ScreenSpot", "unit", monkeypatch)
    first, second, third = sorted((folder / "data").iterdir())
    table = pq.read_table(first).to_pylist()
    table[1]["image"]["bytes"] = b"\x89PNG no picture"
    table[2]["bbox"] = [0.1, 0.2, 0.3]
    pq.write_table(pa.Table.from_pylist(table), first)
    second.write_bytes(second.read_bytes()[:-200])
    with pytest.raises(DataError, match="row 1: image"):
        steps(ScreenSpot(folder))
    dataset = ScreenSpot(folder, keep_going=True)
    assert len(steps(dataset)) == 6
    assert [(Path(p.where.partition(",")[0]).name, p.reason[:5]) for p in dataset.problems] == [
        (first.name, "image"),
        (first.name, "bbox:"),
        (second.name, "not a"),
    ]
    for path in (first, third):
        path.unlink()
    with pytest.raises(DataError, match="cut off"):
        steps(ScreenSpot(folder))


def test_pictures_may_stay_in_their_zip_file(tmp_path: Path) -> None:
    folder = screenspot_v2(tmp_path / "v")
    images = folder / "screenspotv2_image"
    with zipfile.ZipFile(folder / "screenspotv2_image.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(images.iterdir()):
            archive.write(path, f"screenspotv2_image/{path.name}")
            archive.writestr(f"__MACOSX/screenspotv2_image/{path.name}", b"")
            path.unlink()
    images.rmdir()
    samples = list(ScreenSpotV2(folder).samples())
    assert len(samples) == 12
    assert samples[0].step.image == "screenspotv2_image.zip#screenspotv2_image/mobile_0.png"
    assert samples[0].picture is not None and samples[0].picture.data().startswith(b"\x89PNG")
    whole = (folder / "screenspotv2_image.zip").read_bytes()
    (folder / "screenspotv2_image.zip").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"img_filename: there is no picture .*screenspotv2_image\.zip"):
        steps(ScreenSpotV2(folder))


def test_a_form_may_be_forced(tmp_path: Path) -> None:
    folder = screenspot_v2(tmp_path / "v", "xyxy")
    forced = ScreenSpotV2(folder, boxes="xywh", platform="mobile")
    assert truth_box(steps(forced)[0]) == Box(300, 440, 650, 940)
    assert forced.forms[str(folder / "screenspot_mobile_v2.json")].forced
    with pytest.raises(InputError, match="boxes is 'corners': use auto, xywh, xyxy, unit"):
        ScreenSpotV2(folder, boxes="corners")


def test_boxes_that_fit_both_ways_are_the_authors(tmp_path: Path) -> None:
    """Near the top left corner nothing tells the forms apart."""
    boxes = decide([([1, 2, 30, 40], Size(100, 100))])
    assert boxes.form == "xywh" and not boxes.sure
    assert decide([([10, 20, 5, 8], None)]).sure, "no corner lies before another"
    assert decide([([60, 70, 90, 95], Size(100, 100))]).form == "xyxy"
    assert decide([("no box", None), ([], Size(1, 1))]).seen == 0
    path = tmp_path / "screenspot_web.json"
    both = [{**records("web")[0], "bbox": box} for box in ([60, 70, 5, 5], [660, 470, 690, 495])]
    path.write_text(json.dumps(both))
    picture(tmp_path / "web_0.png", (700, 500))
    with pytest.raises(DataError, match=r"screenspot_web\.json: bbox: 1 boxes .* set boxes="):
        steps(ScreenSpot(tmp_path))
    assert len(steps(ScreenSpot(tmp_path, keep_going=True))) == 2


@pytest.mark.shared
def test_the_form_of_real_boxes_is_found(shared_data: Path, tmp_path: Path) -> None:
    """Half of the real ScreenSpot-V2, with its true screen sizes, written in each form."""
    lines = (shared_data / "screenspot_v2" / "predictions_half.jsonl").read_text().splitlines()
    real = [json.loads(line) for line in lines]
    for row in real:
        path = tmp_path / "screenspotv2_image" / row["img_filename"]
        if not path.exists():
            head(path, row["img_size"])
    truth = {(row["instruction"], row["img_filename"], tuple(row["bbox"])) for row in real}
    for form in FORMS:
        for name in {row["application"] for row in real}:
            listed = [as_published(row, form) for row in real if row["application"] == name]
            (tmp_path / f"{name}.json").write_text(json.dumps(listed))
        dataset = ScreenSpotV2(tmp_path)
        found = steps(dataset)
        assert len(found) == 636 == len(lines)
        for step in found:
            box = tuple(round(n) for n in truth_box(step))
            assert (step.instruction, step.image.removeprefix("screenspotv2_image/"), box) in truth
        assert {boxes.form for boxes in dataset.forms.values()} == {form}
        assert {step.tags["platform"] for step in found} == {"mobile", "desktop", "web"}
        blind = decide((written(tuple(row["bbox"]), form, row["img_size"]), None) for row in real)
        assert blind.form == form, "also without the screens' sizes"


def as_published(row: dict[str, Any], form: str) -> dict[str, Any]:
    return {
        "img_filename": row["img_filename"],
        "bbox": written(tuple(row["bbox"]), form, row["img_size"]),
        "instruction": row["instruction"],
        "data_type": row["ui_type"],
        "data_source": "",
    }


@pytest.mark.parametrize("image", ["../secret.png", "/etc/passwd", "", "no\0name.png", "x" * 5000, "missing.png"])
def test_pictures_are_inside_the_folder(tmp_path: Path, image: str) -> None:
    folder = screenspot(tmp_path / "s")
    path = folder / "screenspot_web.json"
    listed = json.loads(path.read_text())
    listed[2]["img_filename"] = image
    path.write_text(json.dumps(listed))
    with pytest.raises(DataError, match=r"screenspot_web\.json, record 2: img_filename: "):
        steps(ScreenSpot(folder))
    dataset = ScreenSpot(folder, keep_going=True)
    assert len(steps(dataset)) == 11 and len(dataset.problems) == 1


def test_fuzz_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shard cut off or with bytes changed: the others are read all the same."""
    rng = random.Random(3)
    folder = parquet(tmp_path / "ScreenSpot", "unit", monkeypatch)
    shard = sorted((folder / "data").iterdir())[1]
    raw = shard.read_bytes()
    for _ in range(60):
        damaged = bytearray(raw[: rng.choice([len(raw), rng.randrange(len(raw))])])
        for at in rng.choices(range(len(damaged)), k=3) if damaged else []:
            damaged[at] = rng.randrange(256)
        shard.write_bytes(damaged)
        try:
            steps(ScreenSpot(folder))
        except DataError as error:
            assert shard.name in str(error)
        assert len(steps(ScreenSpot(folder, keep_going=True))) >= 8
