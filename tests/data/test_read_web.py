"""GUIAct and Multimodal-Mind2Web in miniature: the files as they are published, every action, right and broken."""

from __future__ import annotations

import base64
import io
import json
import random
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from mangling import damaged, reads, twisted
from saccade.actions import Action
from saccade.data.readers import open_dataset
from saccade.data.readers.base import DataError, Sample
from saccade.data.readers.guiact import GUIAct
from saccade.data.readers.mind2web import Mind2Web
from saccade.errors import InputError, MissingError
from saccade.geometry import Box, Point, Size
from saccade.models.pictures import image_of

pa: Any = pytest.importorskip("pyarrow")
pq: Any = pytest.importorskip("pyarrow.parquet")


@cache
def picture(shade: int, size: tuple[int, int] = (1000, 500)) -> bytes:
    data = io.BytesIO()
    Image.new("RGB", size, (shade % 256, 9, 9)).save(data, "JPEG")
    return data.getvalue()


def both(absolute: Any, related: Any) -> dict[str, Any]:
    return {"absolute": absolute, "related": related}


# -- GUIAct -----------------------------------------------------------------------------------------------------------

ELEMENT = both("<box>100, 50, 200, 100</box>", "<box>0.1, 0.1, 0.2, 0.2</box>")
BOX = Box(100, 50, 200, 100)


def row(uid: str, label: Any, question: str = "Find it", **rest: Any) -> dict[str, Any]:
    size = {"width": 1000, "height": 500}
    return {
        "uid": uid,
        "image_id": uid,
        "image_size": size,
        "question": question,
        "actions_label": label,
        "actions_history": "",
        "logs": "",
        "thoughts": "",
        **rest,
    }


SINGLE = [
    row(
        "uid_0",
        [
            {"name": "click", "element": ELEMENT},
            {"name": "input", "text": "shoes", "element": ELEMENT},
            {"name": "enter"},
        ],
        "Search shoes",
        image_id="page",
    ),
    row("uid_1", [{"name": "answer", "text": "42"}], "价格是多少", image_id="page", thoughts="The price is shown."),
]
MULTI = [
    row("uid_record_7_step_00", {"name": "scroll", "scroll": both({"down": 300, "right": 0}, {"down": 0.6})}),
    row("uid_record_7_step_01", [{"name": "hover", "element": both(None, "<box>0.1, 0.1, 0.2, 0.2</box>")}]),
    row("uid_record_7_step_02", [{"name": "select", "element": ELEMENT, "text": "Red"}], logs="copied: 5 stars"),
    row(
        "uid_record_7_step_03",
        [
            {
                "name": "select_text",
                "dual_point": both({"from": "<point>10, 20</point>", "to": "<point>90, 40</point>"}, None),
            },
            {"name": "copy"},
        ],
        actions_history="step 0: scroll\nstep 1: hover",
    ),
]
PHONE = [
    row("uid_episode_9_step_00", {"name": "tap", "point": both("<point>500, 250</point>", "<point>0.5, 0.5</point>")}),
    row(
        "uid_episode_9_step_01",
        {
            "name": "swipe",
            "dual_point": both(None, {"from": "<point>0.5, 0.8</point>", "to": "<point>0.5, 0.2</point>"}),
        },
    ),
    row("uid_episode_9_step_02", {"name": "input", "text": "weather"}),
    row("uid_episode_9_step_03", {"name": "go_back"}),
    row("uid_episode_9_step_04", {"name": "go_home"}),
    row("uid_episode_9_step_05", {"name": "task_impossible"}),
    row("uid_episode_9_step_06", {"name": "task_complete"}),
]


def images(path: Path, names: list[str], **columns: Any) -> None:
    """A table of pictures, indexed by name, as pandas writes it."""
    texts = [base64.b64encode(picture(at)).decode() for at in range(len(names))]
    pq.write_table(pa.table({"base64": texts, **columns, "__index_level_0__": names}), path)


def guiact(folder: Path, split: str = "test") -> Path:
    folder.mkdir(exist_ok=True)
    for subset, rows in (("web-single", SINGLE), ("web-multi", MULTI), ("smartphone", PHONE)):
        (folder / f"{subset}_{split}_data.json").write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
        names = sorted({each["image_id"] for each in rows})
        rects = [[{"uid": "3", "rect": {"left": 1.0, "top": 2.0, "right": 9.0, "bottom": 8.0}, "text": " Buy  now "}]]
        images(folder / f"{subset}_{split}_images.parquet", names, elements=rects * len(names))
    return folder


def read(kind: Any, folder: Path, **options: Any) -> list[Sample]:
    return list(kind(folder, **options).samples())


def test_guiact_every_action(tmp_path: Path) -> None:
    dataset = open_dataset(guiact(tmp_path / "guiact"))
    assert isinstance(dataset, GUIAct)
    samples = list(dataset.samples())
    assert dataset.progress.done == dataset.progress.total > 0
    truths = [sample.step.truth[0] for sample in samples]
    assert truths == [
        Action("click", point=BOX.center, box=BOX),
        Action("type", text="shoes", point=BOX.center, box=BOX),
        Action("press", key="enter"),
        Action("answer", text="42"),
        Action("swipe", direction="up"),
        Action("hover", point=BOX.center, box=BOX),
        Action("select", point=BOX.center, box=BOX, text="Red"),
        Action("drag", start=Point(10, 20), end=Point(90, 40)),
        Action("press", key="ctrl+c"),
        Action("click", point=Point(500, 250)),
        Action("swipe", direction="up", start=Point(500, 400), end=Point(500, 100)),
        Action("type", text="weather"),
        Action("press", key="back"),
        Action("press", key="home"),
        Action("terminate", status="failure"),
        Action("terminate", status="success"),
    ]


def test_guiact_groups_become_steps(tmp_path: Path) -> None:
    first, second, third, asked = (sample.step for sample in read(GUIAct, guiact(tmp_path), subset="web-single"))
    assert [first.id, second.id, third.id, asked.id] == ["uid_0.0", "uid_0.1", "uid_0.2", "uid_1"]
    assert third.history == ["tapped [150, 75]", 'typed "shoes" in [150, 75]'] and third.step == 2
    assert third.tags == {"source": "web-single", "split": "test", "platform": "web", "language": "en", "part": "3/3"}
    assert (asked.tags["language"], asked.thought, asked.episode) == ("zh", "The price is shown.", "uid_1")
    multi = [sample.step for sample in read(GUIAct, tmp_path, subset="web-multi")]
    assert {step.episode for step in multi} == {"uid_record_7"} and [step.step for step in multi] == list(range(5))
    assert multi[2].context == "copied: 5 stars" and multi[2].history == ["swiped up", "pointed at [150, 75]"]
    assert multi[4].history == ["step 0: scroll", "step 1: hover", "dragged right"]


def test_guiact_pictures_and_elements(tmp_path: Path) -> None:
    samples = read(GUIAct, guiact(tmp_path), subset="smartphone", elements="yes")
    assert samples[0].step.image == "smartphone_test_images.parquet#uid_episode_9_step_00"
    for at in (5, 0, 6, 5):
        shown = samples[at].picture
        assert shown is not None and shown.size == Size(1000, 500) and shown.data() == picture(at)
    assert samples[3].picture is not None and image_of(samples[3].picture).size == (1000, 500)
    (element,) = samples[0].step.elements
    assert (element.id, element.box, element.text) == (1, Box(1, 2, 9, 8), "Buy now")
    (tmp_path / "smartphone_test_images.parquet").unlink()
    bare = read(GUIAct, tmp_path, subset="smartphone")
    assert len(bare) == 7 and bare[0].picture is None and not bare[0].step.image


def test_guiact_keeps_an_episode_together(tmp_path: Path) -> None:
    other = [dict(each, uid=each["uid"].replace("9", "8"), image_id=each["uid"]) for each in PHONE]
    rows = [pair for two in zip(PHONE, other, strict=True) for pair in two]
    random.Random(1).shuffle(rows)
    guiact(tmp_path)
    (tmp_path / "smartphone_test_data.json").write_text(json.dumps(rows), encoding="utf-8")
    steps = [sample.step for sample in read(GUIAct, tmp_path, subset="smartphone")]
    assert [step.step for step in steps] == [*range(7), *range(7)]
    assert len({step.episode for step in steps[:7]}) == len({step.episode for step in steps[7:]}) == 1


def test_guiact_in_one_table(tmp_path: Path) -> None:
    rows = [
        {**each, "actions_label": json.dumps(each["actions_label"]), "base64": base64.b64encode(picture(at)).decode()}
        for at, each in enumerate(MULTI)
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "web-multi_train.parquet", row_group_size=2)
    samples = list(open_dataset(tmp_path, split="train").samples())
    assert [sample.step.truth[0].type for sample in samples] == ["swipe", "hover", "select", "drag", "press"]
    assert samples[0].step.tags["source"] == "web-multi"
    assert samples[3].picture is not None and samples[3].picture.data() == picture(3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"question": None}, "question: Expected `str`, got `null`"),
        ({"image_size": {"width": 10}}, "image_size: .* is not a width and a height"),
        ({"image_size": "wide"}, "image_size: not JSON"),
        ({"actions_label": []}, "actions_label: there is no action"),
        ({"actions_label": [{"name": "jump"}]}, r"actions_label\[0\]\.name: 'jump' is not one of GUIAct's actions"),
        ({"actions_label": {"name": "click"}}, r"actions_label\.element: missing"),
        ({"actions_label": {"name": "click", "element": {}}}, r"element: expected `absolute` or `related`"),
        ({"actions_label": {"name": "click", "element": "<box>1, 2</box>"}}, r"element: expected 4 numbers"),
        (
            {"actions_label": {"name": "click", "element": "<box>9, 9, 1, 1</box>"}},
            r"element: .* ends before it begins",
        ),
        ({"actions_label": {"name": "input"}}, r"text: expected text"),
        (
            {"actions_label": {"name": "scroll", "scroll": both({"down": "far"}, 0)}},
            r"scroll\.down: 'far' is not a number",
        ),
        (
            {"actions_label": {"name": "swipe", "dual_point": both({"from": 1}, 0)}},
            r"dual_point: expected `from` and `to`",
        ),
        ({"image_id": "nobody"}, r"image_id: 'nobody' is not in .*web-multi_test_images\.parquet"),
    ],
)
def test_guiact_a_bad_record_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    folder = guiact(tmp_path)
    file = folder / "web-multi_test_data.json"
    file.write_text(json.dumps([MULTI[0], MULTI[1] | change, *MULTI[2:]]), encoding="utf-8")
    with pytest.raises(DataError, match=r"web-multi_test_data\.json, record 1: .*" + message):
        read(GUIAct, folder, subset="web-multi")
    dataset = GUIAct(folder, keep_going=True, subset="web-multi")
    assert len(list(dataset.samples())) == 4 and len(dataset.problems) == 1


def test_guiact_a_cut_file_gives_what_comes_before_the_cut(tmp_path: Path) -> None:
    file = guiact(tmp_path) / "smartphone_test_data.json"
    text = file.read_bytes()
    file.write_bytes(text[: text.index(b"step_04")])
    dataset = GUIAct(tmp_path, keep_going=True, subset="smartphone")
    assert len(list(dataset.samples())) == 4
    assert len(dataset.problems) == 1 and "cut off" in dataset.problems[0].reason


def test_guiact_fuzz(tmp_path: Path) -> None:
    folder = guiact(tmp_path / "guiact")
    table = folder / "web-multi_test_images.parquet"
    file, kept = folder / "web-multi_test_data.json", table.read_bytes()
    chance, told = random.Random(6), 0
    for _ in range(90):
        table.write_bytes(kept)
        file.write_text(json.dumps(MULTI), encoding="utf-8")
        match chance.randrange(4):
            case 0 | 1:
                file.write_text(json.dumps(twisted(MULTI, chance)), encoding="utf-8")
            case 2:
                file.write_bytes(damaged(file.read_bytes(), chance))
            case _:
                table.write_bytes(damaged(kept, chance))
        told += bool(reads(GUIAct, folder, subset="web-multi", elements="yes")[1])
    assert told > 40


# -- Mind2Web ---------------------------------------------------------------------------------------------------------


def candidate(rect: str | None = "10.5,20,100,40", **attributes: str) -> str:
    if rect is not None:
        attributes["bounding_box_rect"] = rect
    return json.dumps({"tag": "button", "attributes": json.dumps(attributes), "backend_node_id": "1"})


def operation(op: str, value: str = "") -> str:
    return json.dumps({"original_op": op, "op": op, "value": value})


def action(at: int, op: str, candidates: list[str], task: str = "t1", **rest: Any) -> dict[str, Any]:
    return {
        "action_uid": f"u{at}",
        "raw_html": "<html>" * 50,
        "cleaned_html": "<html>",
        "operation": op,
        "pos_candidates": candidates,
        "neg_candidates": [candidate("0,0,9,9", aria_label="Menu", is_clickable="false")],
        "website": "shop",
        "domain": "Shopping",
        "subdomain": "General",
        "annotation_id": task,
        "confirmed_task": f"Buy {task}",
        "screenshot": {"bytes": picture(at, (1280, 4000 + at)), "path": "x.jpg"},
        "action_reprs": ["[link]  A -> CLICK", "[textbox]  B -> TYPE: x", "[combobox]  C -> SELECT: y", "D", "E"],
        "target_action_index": str(at),
        "target_action_reprs": "…",
        **rest,
    }


ACTIONS = [
    action(0, operation("CLICK"), [candidate(), candidate("200,300,50,50")]),
    action(1, operation("TYPE", "shoes"), [candidate()]),
    action(2, operation("SELECT", "Red"), [candidate(), candidate("-1,-1,-1,-1")]),
    action(4, operation("CLICK"), [candidate("-1,-1,-1,-1")]),
    action(0, operation("TYPE", "socks"), [], "t2"),
]


def mind2web(folder: Path, rows: list[dict[str, Any]], split: str = "test_task", **write: Any) -> Path:
    (folder / "data").mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), folder / "data" / f"{split}-00000-of-00001-ab12.parquet", **write)
    return folder


def test_mind2web_every_action(tmp_path: Path) -> None:
    dataset = open_dataset(mind2web(tmp_path / "mind2web", ACTIONS))
    assert isinstance(dataset, Mind2Web)
    samples = list(dataset.samples())
    steps = [sample.step for sample in samples]
    box, other = Box(10.5, 20, 110.5, 60), Box(200, 300, 250, 350)
    assert [step.truth for step in steps] == [
        [Action("click", point=box.center, box=box), Action("click", point=other.center, box=other)],
        [Action("type", text="shoes", point=box.center, box=box)],
        [Action("select", text="Red", point=box.center, box=box)],
        [],
        [Action("type", text="socks")],
    ]
    assert [(step.episode, step.step) for step in steps] == [("t1", 0), ("t1", 1), ("t1", 2), ("t1", 4), ("t2", 0)]
    assert steps[2].id == "t1_u2" and steps[2].history == ACTIONS[0]["action_reprs"][:2]
    assert steps[2].screen == Size(1280, 4002) and steps[2].instruction == "Buy t1"
    assert steps[3].tags == {
        "platform": "web",
        "split": "test_task",
        "language": "en",
        "website": "shop",
        "domain": "Shopping",
        "subdomain": "General",
        "target": "none",
    }
    assert samples[1].picture is not None and samples[1].picture.data() == picture(1, (1280, 4001))
    assert dataset.progress.done == dataset.progress.total == 5


def test_mind2web_wrong_candidates_are_elements_when_asked_for(tmp_path: Path) -> None:
    folder = mind2web(tmp_path, ACTIONS)
    assert not any(sample.step.elements for sample in read(Mind2Web, folder))
    target, menu = read(Mind2Web, folder, elements="yes")[1].step.elements
    assert (target.id, menu.id, menu.text, menu.interactive, target.interactive) == (1, 2, "Menu", False, True)


def test_mind2web_splits_and_scattered_rows(tmp_path: Path) -> None:
    rows = [action(at, operation("CLICK"), [candidate()], f"t{task}") for at in range(3) for task in range(4)]
    folder = mind2web(tmp_path, rows, "train", row_group_size=5)
    mind2web(tmp_path, ACTIONS[:2], "test_domain")
    steps = [sample.step for sample in read(Mind2Web, folder, split="train")]
    assert [(step.episode, step.step) for step in steps] == [(f"t{task}", at) for task in range(4) for at in range(3)]
    assert len(read(Mind2Web, folder, split="test_domain")) == 2
    assert len(read(Mind2Web, folder, split="all")) == 14
    with pytest.raises(InputError, match="no parquet files of test_website"):
        read(Mind2Web, folder, split="test_website")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"operation": operation("JUMP")}, "operation.op: 'JUMP' is not CLICK, TYPE or SELECT"),
        ({"operation": "{"}, "operation: not JSON"),
        ({"operation": "[]"}, "operation: expected an object, found list"),
        ({"pos_candidates": ["nonsense"]}, r"pos_candidates\[0\]: not JSON"),
        ({"pos_candidates": [candidate("1,2,3")]}, r"bounding_box_rect: expected x,y,width,height, found '1,2,3'"),
        ({"pos_candidates": [candidate("1,2,3,..")]}, r"bounding_box_rect: expected x,y,width,height"),
        ({"screenshot": {"bytes": None, "path": "x"}}, "screenshot: there is no picture in it"),
        ({"screenshot": {"bytes": b"\x89PNG junk", "path": "x"}}, "screenshot: it cannot be read"),
        ({"target_action_index": "many"}, "target_action_index: Expected `int`"),
        ({"target_action_index": "9"}, "target_action_index: 9, but there are 5 actions"),
        ({"confirmed_task": None}, "confirmed_task: Expected `str`, got `null`"),
    ],
)
def test_mind2web_a_bad_row_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    folder = mind2web(tmp_path, [ACTIONS[0], ACTIONS[1] | change, *ACTIONS[2:]])
    with pytest.raises(DataError, match=r"ab12\.parquet, row 1: .*" + message):
        read(Mind2Web, folder)
    dataset = Mind2Web(folder, keep_going=True)
    assert len(list(dataset.samples())) == 4 and len(dataset.problems) == 1


def test_mind2web_fuzz(tmp_path: Path) -> None:
    folder = mind2web(tmp_path / "m2w", ACTIONS, row_group_size=2)
    file = folder / "data" / "test_task-00000-of-00001-ab12.parquet"
    kept, chance, told = file.read_bytes(), random.Random(2), 0
    small = [{**each, "screenshot": {"bytes": picture(1, (40, 80)), "path": "x"}} for each in ACTIONS]
    for _ in range(100):
        file.write_bytes(damaged(kept, chance))
        if chance.random() < 0.6:
            each = chance.choice(small)
            broken = {**each, **{name: twisted(each[name], chance) for name in ("pos_candidates", "action_reprs")}}
            broken["operation"] = json.dumps(twisted(json.loads(each["operation"]), chance))
            try:
                table = pa.Table.from_pylist([*small, broken])
            except (pa.ArrowException, OverflowError):
                continue  # a table holds one type a column
            dropped = chance.choice([*table.column_names, ""])
            pq.write_table(table.drop_columns([dropped]) if dropped else table, file)
        told += bool(reads(Mind2Web, folder)[1])
    assert told > 30


@pytest.mark.parametrize("kind", [GUIAct, Mind2Web])
def test_a_wrong_folder_says_what_was_expected(tmp_path: Path, kind: type[Any]) -> None:
    (tmp_path / "notes.txt").touch()
    with pytest.raises(InputError, match=rf"is not {kind.title}: expected .*; found notes\.txt"):
        kind(tmp_path)


def test_without_pyarrow_the_message_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = mind2web(tmp_path, ACTIONS)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert isinstance(open_dataset(folder), Mind2Web)
    with pytest.raises(MissingError, match=r"pip install 'saccade\[data\]'"):
        read(Mind2Web, folder)
