"""Grounding sets, in the very forms in which they are published, right and broken."""

from __future__ import annotations

import json
import random
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from grounding_sets import MAKERS, mangled, os_atlas, osworld_g, picture, pro, showui, steps, truth_box
from saccade.actions import Action
from saccade.bench.suites import get_suite
from saccade.data.readers import DATASETS, open_dataset
from saccade.data.readers.arrays import CHUNK, items
from saccade.data.readers.base import DataError
from saccade.data.readers.osworld_g import CAPABILITIES, REFUSAL
from saccade.errors import InputError
from saccade.geometry import Box, Point, Size
from saccade.paradigms import get_paradigm
from saccade.paradigms.base import Reply, Situation
from saccade.scoring.judge import Prediction, judge_steps
from saccade.scoring.profiles import get_profile
from saccade.types import Screen

# -- arrays -----------------------------------------------------------------------------------------------------------


def test_items_survive_their_neighbours(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('\ufeff[ {"a": "]}\\"["}, {"a": NaN}, 7 ,null,\n{"a": [1, {"b": []}]} ]\n', encoding="utf-8")
    found = list(items(path))
    assert [item.value for item in found] == [{"a": ']}"['}, None, 7, None, {"a": [1, {"b": []}]}]
    assert [bool(item.error) for item in found] == [False, True, False, False, False]


def test_items_of_an_object_have_names(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"2849": {"task": "t"}, "x\\u00e9": 1}')
    assert [(item.key, item.value) for item in items(path)] == [("2849", {"task": "t"}), ("xé", 1)]


@pytest.mark.parametrize(
    ("text", "good", "reason"),
    [
        ("", 0, "empty"),
        ("[", 0, "cut off"),
        ('[{"a": 1}, {"a": 2}, {"a":', 2, "cut off"),
        ('[{"a": 1}, {"a": 2}', 2, "cut off"),
        ('[{"a": 1}} ]', 1, "damaged"),
        ("[1] [2]", 1, "after the end"),
        ("hello", 0, "expected a list"),
        ('{"a" 1}', 0, "damaged"),
    ],
)
def test_a_damaged_file_says_where(tmp_path: Path, text: str, good: int, reason: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    *read, last = items(path)
    assert len(read) == good and not any(item.error for item in read)
    assert reason in last.error and last.last


def test_reading_is_streamed(tmp_path: Path) -> None:
    """Ten times the window, and records across its ends, in the memory of a few windows."""
    path = tmp_path / "a.json"
    record = json.dumps({"text": "x" * 700, "list": [{"n": at} for at in range(20)]})
    with path.open("w") as file:
        file.write("[" + ",".join([record] * (10 * CHUNK // len(record))) + "]")
    tracemalloc.start()
    count = sum(1 for item in items(path) if not item.error and item.value["list"][19] == {"n": 19})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 10 * CHUNK // len(record)
    assert peak < 6 * CHUNK


# -- the others -------------------------------------------------------------------------------------------------------


def test_screenspot_pro(tmp_path: Path) -> None:
    dataset = open_dataset(pro(tmp_path / "p"))
    assert dataset.name == "screenspot-pro"
    found = steps(dataset)
    assert [step.id for step in found] == [f"{a}_{at}" for a in ("excel_windows", "vscode_macos") for at in range(3)]
    assert found[3].instruction == "press button 0" and found[3].screen == Size(3840, 2160)
    assert truth_box(found[4]) == Box(11, 20, 50, 61)
    assert found[4].image == "images/vscode_macos/screenshot_1.png", "its name, though it is not there"
    assert found[4].tags == {
        "task": "grounding",
        "platform": "desktop",
        "os": "macos",
        "app": "vscode",
        "group": "Dev",
        "kind": "icon",
        "language": "en",
        "source": "vscode_macos",
    }
    assert steps(open_dataset(tmp_path / "p", language="zh"))[3].instruction == "按第0个按钮"
    single = open_dataset(tmp_path / "p" / "annotations" / "excel_windows.json")
    assert single.name == "screenspot-pro" and len(steps(single)) == 3


@pytest.mark.shared
def test_real_records_of_screenspot_pro(shared_data: Path, tmp_path: Path) -> None:
    lines = (shared_data / "screenspot_pro" / "predictions_half.jsonl").read_text().splitlines()
    kept = [{k: v for k, v in json.loads(line).items() if k not in ("raw_response", "pred")} for line in lines]
    (tmp_path / "annotations").mkdir()
    (tmp_path / "annotations" / "half.json").write_text(json.dumps(kept, ensure_ascii=False))
    found = steps(open_dataset(tmp_path, language="zh"))
    assert len(found) == 790 and len({step.id for step in found}) == 790
    for step, row in zip(found, kept, strict=True):
        assert list(truth_box(step)) == row["bbox"] and step.instruction == row["instruction_cn"]
        assert step.tags["kind"] == row["ui_type"]


def test_osworld_g(tmp_path: Path) -> None:
    dataset = open_dataset(osworld_g(tmp_path / "g"))
    assert dataset.name == "osworld-g"
    box, polygon, refused, panel = steps(dataset)
    # x, y, width, height: 10.5 + 30 and 20 + 40.5
    assert truth_box(box) == Box(10.5, 20, 40.5, 60.5) and box.screen == Size(1280, 720)
    assert box.image == "benchmark/images/s0.png" and polygon.image == "benchmark/images/s1.png"
    assert box.tags["capability"] == "text matching; element recognition" and box.tags["type"] == "Button; Icon; Label"
    (corner,) = polygon.truth
    assert corner.polygon is not None and len(corner.polygon) == 6 and corner.box == Box(0, 0, 100, 100)
    assert corner.holds(Point(90, 10)) and corner.holds(Point(10, 90)) and not corner.holds(Point(60, 60))
    assert corner.point is not None and corner.holds(corner.point)
    assert refused.truth == [Action("terminate", status="failure")]
    assert refused.tags["capability"] == "fine-grained manipulation; refusal"
    # The authors' script: a collapsible panel is in two groups, and adds the second where the sample has the first.
    assert panel.tags["capability"] == "layout understanding; fine-grained manipulation"
    with pytest.raises(InputError, match=r"expected OSWorld-G_refined\.json"):
        steps(open_dataset(tmp_path / "g", instructions="refined"))
    original = (tmp_path / "g" / "benchmark" / "OSWorld-G.json").read_text()
    (tmp_path / "g" / "benchmark" / "OSWorld-G_refined.json").write_text(original.replace('"do ', '"click '))
    refined = steps(open_dataset(tmp_path / "g", instructions="refined"))
    assert [step.instruction for step in refined] == [f"click {at}" for at in range(4)]
    assert [step.instruction for step in steps(open_dataset(tmp_path / "g"))] == [f"do {at}" for at in range(4)]


def test_osworld_g_refusals_are_right_only_when_refused(tmp_path: Path) -> None:
    found = steps(open_dataset(osworld_g(tmp_path / "g")))
    tap, refusal = Action("click", Point(640, 360)), Action("terminate", status="failure")
    for answer, right in ((refusal, [False, False, True, False]), (tap, [False] * 4)):
        judged = judge_steps(found, [Prediction(answer)] * 4, get_profile("screenspot"))
        assert [item.right for item in judged] == right
    suite = get_suite("osworld-g")
    for name in ("btl", "uiloop", "secagent", "guidnav"):
        paradigm = get_paradigm(name, space=suite.space)
        prompt = "".join(message.text for message in paradigm.messages(Situation("x", Screen(Size(1280, 720)))))
        assert "terminate" in prompt.lower() or "impossible" in prompt, "a model that is measured can refuse"
        reply = Reply(Action("terminate", status="failure"))
        assert paradigm.parse(paradigm.render(reply, Screen(Size(9, 9))), Screen(Size(9, 9))).reply.action == refusal


@pytest.mark.shared
def test_real_samples_of_osworld_g(shared_data: Path) -> None:
    found = steps(open_dataset(shared_data / "osworld_g"))
    assert Counter(step.tags["target"] for step in found) == {"bbox": 71, "refusal": 11, "polygon": 9}
    assert Counter(tuple(step.screen) for step in found) == {(1920, 1080): 64, (1280, 720): 27}
    assert len({step.image for step in found}) == 39 and len({step.id for step in found}) == 91
    assert sum(step.truth[0].refuses for step in found) == 11
    groups = Counter(each for step in found for each in step.tags.get("capability", "").split("; "))
    named = [groups[name] for name in (*CAPABILITIES, REFUSAL)]
    assert named == [39, 56, 41, 19, 11], "text, element, layout, fine-grained, refusal"
    raw = json.loads((shared_data / "osworld_g" / "benchmark" / "OSWorld-G.json").read_text())
    for step, row in zip(found, raw, strict=True):
        x, y, w, h = row["box_coordinates"][:4]
        if row["box_type"] == "bbox":
            assert truth_box(step) == Box(x, y, x + w, y + h)
        elif row["box_type"] == "polygon":
            assert step.truth[0].holds(Point(x, y)) and step.truth[0].holds(step.truth[0].point or Point(-1, -1))


def test_showui(tmp_path: Path) -> None:
    dataset = open_dataset(showui(tmp_path / "s"))
    assert dataset.name == "showui-desktop"
    found = steps(dataset)
    assert [step.id for step in found] == [f"hf_train_{screen}_{at}" for screen in range(3) for at in range(2)]
    assert truth_box(found[0]) == Box(480, 270, 960, 540) and found[0].truth[0].point == pytest.approx((729.6, 399.6))
    assert found[1].truth[0].point == pytest.approx((1824, 27)), "without a point: the centre"
    assert found[1].tags == {"task": "grounding", "platform": "desktop", "kind": "icon"}
    assert found[0].image == "images/screen_0.png"


def test_os_atlas(tmp_path: Path) -> None:
    folder = os_atlas(tmp_path / "o")
    dataset = open_dataset(folder)
    assert dataset.name == "os-atlas"
    found = steps(dataset)
    assert len(found) == 16 and len({step.id for step in found}) == 16
    assert found[0].id == "linux_splited_0_0" and truth_box(found[0]) == Box(100, 100, 300, 200)
    assert (
        found[0].instruction == 'Save "as" [x] {y}' and found[0].image == "desktop_domain/desktop_images/screen_0.png"
    )
    assert found[0].tags == {
        "task": "grounding",
        "platform": "desktop",
        "source": "linux_splited",
        "type": "Button",
    }
    assert found[-1].id == "uibert_raw_3" and found[-1].tags["platform"] == "mobile"
    assert len(steps(open_dataset(folder, domain="mobile"))) == 4
    assert len(steps(open_dataset(folder / "web_domain" / "seeclick_web.json"))) == 6
    domain = open_dataset(folder / "web_domain")
    assert domain.name == "os-atlas" and {step.tags["platform"] for step in steps(domain)} == {"web"}


def test_a_picture_of_the_same_name_elsewhere(tmp_path: Path) -> None:
    """The file's name tells which is meant; a guess would go unnoticed."""
    place = os_atlas(tmp_path / "o") / "desktop_domain"
    (place / "desktop_images").rename(place / "linux_images")
    for at in range(3):
        picture(place / "macos_images" / f"screen_{at}.png", (50, 50))
    found = steps(open_dataset(tmp_path / "o", domain="desktop"))
    assert {step.screen for step in found} == {Size(1000, 500)} and "linux_images" in found[0].image
    (place / "linux_images").rename(place / "others")
    with pytest.raises(DataError, match=r"img_filename: 'screen_0\.png' is in several places: .*macos_images"):
        steps(open_dataset(tmp_path / "o", domain="desktop"))


@pytest.mark.parametrize("name", MAKERS)
def test_a_wrong_folder_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.json").write_text('[{"a": 1}]')
    with pytest.raises(InputError, match=r"expected .*; found nothing"):
        DATASETS.get(name)(tmp_path / "empty")
    with pytest.raises(InputError, match=r"expected .*; found notes\.json"):
        DATASETS.get(name)(tmp_path / "other")
    with pytest.raises(InputError, match="there is no folder"):
        DATASETS.get(name)(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("name", "file", "change", "message"),
    [
        ("screenspot", "screenspot_web.json", {"bbox": [1, 2, 3]}, "bbox"),
        ("screenspot", "screenspot_web.json", {"bbox": [1, 2, None, 4]}, r"bbox\[2\]"),
        ("screenspot", "screenspot_web.json", {"bbox": [1, 2, -30, 4]}, "bbox: .* ends before it begins"),
        ("screenspot", "screenspot_web.json", {"instruction": 7}, "instruction: Expected"),
        ("screenspot-pro", "annotations/excel_windows.json", {"img_size": [0, 100]}, "img_size"),
        ("screenspot-pro", "annotations/excel_windows.json", {"id": None}, "id"),
        ("osworld-g", "benchmark/OSWorld-G.json", {"box_type": "circle"}, "box_type: 'circle' is unknown"),
        ("osworld-g", "benchmark/OSWorld-G.json", {"box_coordinates": [1, 2, 3]}, "box_coordinates: 3 numbers"),
        ("osworld-g", "benchmark/OSWorld-G.json", {"image_size": [0, 9]}, "image_size"),
        ("showui-desktop", "metadata/hf_train.json", {"element": {}}, "element: Expected"),
        ("showui-desktop", "metadata/hf_train.json", {"img_url": "../x.png"}, "img_url"),
        ("os-atlas", "mobile_domain/uibert_raw.json", {"bbox": [100, 100, 300, 200]}, "bbox: .* shares of the screen"),
        (
            "os-atlas",
            "web_domain/seeclick_web.json",
            {"elements": [{"bbox": [0, 0, 1, 1]}]},
            "element 0: .*instruction",
        ),
        ("os-atlas", "web_domain/seeclick_web.json", {"img_filename": 3}, "img_filename"),
    ],
)
def test_a_wrong_field_is_named(tmp_path: Path, name: str, file: str, change: dict[str, Any], message: str) -> None:
    folder = MAKERS[name](tmp_path / "d")
    whole = len(steps(DATASETS.get(name)(folder)))
    listed = json.loads((folder / file).read_text())
    listed[1] |= change
    (folder / file).write_text(json.dumps(listed))
    with pytest.raises(DataError, match=rf"{Path(file).name}, record 1.*{message}.*--keep-going"):
        steps(DATASETS.get(name)(folder))
    dataset = DATASETS.get(name)(folder, keep_going=True)
    assert whole - 2 <= len(steps(dataset)) < whole and dataset.problems


# -- fuzz -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MAKERS)
def test_fuzz(tmp_path: Path, name: str) -> None:
    rng = random.Random(name)
    folder = MAKERS[name](tmp_path / "d")
    files = sorted(folder.rglob("*.json"))
    complaints = 0
    for _ in range(80):
        file = rng.choice(files)
        raw = file.read_bytes()
        file.write_bytes(mangled(raw, rng))
        try:
            steps(DATASETS.get(name)(folder))
        except InputError as error:
            complaints += 1
            if isinstance(error, DataError):
                assert file.name in str(error) and ("record" in str(error) or "bbox" in str(error)), error
            else:
                assert "expected" in str(error), error
        try:
            dataset = DATASETS.get(name)(folder, keep_going=True)
        except InputError as error:
            assert not isinstance(error, DataError)
        else:
            assert steps(dataset) or dataset.problems
        file.write_bytes(raw)
    assert complaints > 20, "most of them must have been noticed"
