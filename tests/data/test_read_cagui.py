"""CAGUI: miniatures of its two parts in the published form, what is wrong with files, and a seeded fuzz."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from grounding_sets import head, mangled, truth_box
from mangling import damaged, reads, twisted
from saccade.actions import Action
from saccade.data.check import check
from saccade.data.readers import DataError, Dataset, open_dataset
from saccade.data.readers.aitz import AITZ
from saccade.data.readers.cagui import CAGUI
from saccade.errors import InputError
from saccade.geometry import Box, Point, Size
from saccade.scoring.profiles import get_profile
from saccade.scoring.profiles.base import MatchContext
from saccade.types import Step

NOWHERE = [-1.0, -1.0]
EPISODE = "b42900755c4b"
POSITIONS = [[0.25, 0.0, 0.5, 1.0], [0.4375, 0.1875, 0.125, 0.125], [0.0, 0.0, 0.125, 0.5]]
SCREEN = (1000, 2000)


def agent_step(at: int, type: int, touch: Any = NOWHERE, lift: Any = NOWHERE, text: str = "") -> dict[str, Any]:
    return {
        "episode_id": EPISODE,
        "episode_length": 9,
        "step_id": at,
        "instruction": "用微信把视频发给Aria  ",
        "image_path": f"domestic/{EPISODE}/{EPISODE}_{at}.jpeg",
        "image_width": 1000,
        "image_height": 2000,
        "ui_positions": json.dumps(POSITIONS),
        "result_action_type": type,
        "result_action_text": text,
        "result_touch_yx": json.dumps(touch),
        "result_lift_yx": json.dumps(lift),
        "duration": 1000 if type in (0, 1) else None,
    }


def agent_episode() -> list[dict[str, Any]]:
    tap, up, left = ([0.5, 0.25], [0.5, 0.25]), ([0.8, 0.5], [0.2, 0.5]), ([0.5, 0.9], [0.5, 0.1])
    rows: list[tuple[Any, ...]] = [
        (4, *tap),
        (4, *up),
        (4, *left),
        (0, [0.15, 0.75], [0.15, 0.75]),
        (3, NOWHERE, NOWHERE, "视频"),
        (1,),
        (5,),
        (6,),
        (7,),
        (11,),
        (10,),
    ]
    return [agent_step(at, *row) for at, row in enumerate(rows)]


def write_agent(folder: Path, rows: Any = None, pictures: int = 11) -> Path:
    place = folder / "CAGUI_agent" / "domestic" / EPISODE
    place.mkdir(parents=True, exist_ok=True)
    for at in range(pictures):
        head(place / f"{EPISODE}_{at}.jpeg", SCREEN)
    written = json.dumps(agent_episode() if rows is None else rows, ensure_ascii=False)
    (place / f"{EPISODE}.json").write_text(written, encoding="utf-8")
    return folder


def annotation(stem: str, at: int, corners: tuple[int, int, int, int], text: str) -> dict[str, Any]:
    x0, y0, x1, y1 = corners
    inner = "ocr/" if stem == "ocr" else ""
    return {
        "task": "bbox2function" if stem == "cap" else "bbox2text",
        "image": f"grounding_eval/dataset/images/{inner}{at}.jpeg",
        "id": 629,
        "abs_position": f"<{x0}, {y0}, {x1}, {y1}>",
        "rel_position": f"<{x0 / 1220}, {y0 / 2712}, {x1 / 1220}, {y1 / 2712}>",
        "text": text,
    }


CORNERS = [(1061, 2424, 1159, 2522), (0, 124, 168, 244), (643, 462, 849, 744)]


def write_grounding(folder: Path, pictures: int = 3) -> Path:
    for stem in ("cap", "ocr"):
        words = ["这是一个菜单按钮，点击后弹出菜单。", "返回上一页", ""] if stem == "cap" else ["QQ音乐", "BUG", "返回"]
        listed = [annotation(stem, at, corners, words[at]) for at, corners in enumerate(CORNERS)]
        file = folder / "CAGUI_grounding" / "code" / f"{stem}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in listed), encoding="utf-8")
        for at in range(pictures):
            head(folder / "CAGUI_grounding" / "images" / stem / f"{at}.jpeg", (1220, 2712))
    return folder


def steps(dataset: Dataset) -> list[Step]:
    return [sample.step for sample in dataset.samples()]


# -- episodes ----------------------------------------------------------------------------------------------------------


def test_every_action_of_an_episode(tmp_path: Path) -> None:
    found = steps(dataset := open_dataset(write_agent(tmp_path), "cagui"))
    row, icon = Box(0, 500, 1000, 1500), Box(187.5, 875, 312.5, 1125)
    assert [step.truth for step in found] == [
        [Action("click", point=Point(250, 1000), box=icon), Action("click", point=Point(250, 1000), box=row)],
        [Action("swipe", direction="up", start=Point(500, 1600), end=Point(500, 400))],
        [Action("swipe", direction="left", start=Point(900, 1000), end=Point(100, 1000))],
        [Action("long_press", point=Point(750, 300))],
        [Action("type", text="视频")],
        [Action("wait")],
        [Action("press", key="back")],
        [Action("press", key="home")],
        [Action("press", key="enter")],
        [Action("terminate", status="failure")],
        [Action("terminate", status="success")],
    ]
    fifth = found[4]
    assert (fifth.id, fifth.episode, fifth.step, fifth.screen) == (f"{EPISODE}-4", EPISODE, 4, Size(1000, 2000))
    assert fifth.image == f"CAGUI_agent/domestic/{EPISODE}/{EPISODE}_4.jpeg"
    assert fifth.history == ["点击[250, 1000]", "向上滑动", "向左滑动", "长按[750, 300]"]
    assert fifth.tags == {"platform": "mobile", "level": "high", "source": "domestic", "language": "zh"}
    assert [element.box for element in fifth.elements] == [row, icon, Box(0, 0, 500, 250)]
    assert (dataset.progress.done, dataset.progress.total) == (1, 1)
    assert list(check(CAGUI(tmp_path), pictures=False)) == []


def test_a_tap_is_right_in_any_element_that_it_may_have_meant(tmp_path: Path) -> None:
    """A finger just outside of an element still means it; far from all of them it means no element."""
    near = agent_step(0, 4, [0.13, 0.3], [0.14, 0.3])
    far = agent_step(1, 4, [0.9, 0.9], [0.9, 0.9])
    found = steps(dataset := CAGUI(write_agent(tmp_path, [near, far])))
    assert [[action.box for action in step.truth] for step in found] == [[Box(0, 0, 500, 250)], [None]]
    judge, scene = get_profile(dataset.profile).judge, MatchContext(found[0].screen)
    assert judge(Action("click", point=Point(40, 20)), found[0].truth, scene).right
    assert not judge(Action("click", point=Point(40, 300)), found[0].truth, scene).right
    assert judge(Action("click", point=Point(910, 1810)), found[1].truth, scene).right


def test_sizes_come_from_the_records_where_there_is_no_picture(tmp_path: Path) -> None:
    rows = [agent_step(0, 4, [0.5, 0.25], [0.5, 0.25]) | {"image_width": 500, "image_height": 1000}]
    (step,) = steps(CAGUI(write_agent(tmp_path, rows, pictures=0)))
    assert (step.screen, step.truth[0].point) == (Size(500, 1000), Point(125, 500))


def test_the_part_alone_is_read_and_its_renamed_copy(tmp_path: Path) -> None:
    """The authors' own scripts keep the episodes in test/domestic."""
    write_agent(tmp_path)
    whole = [step.truth for step in steps(CAGUI(tmp_path))]
    (tmp_path / "CAGUI_agent").rename(tmp_path / "test")
    for place in (tmp_path, tmp_path / "test", tmp_path / "test" / "domestic"):
        assert CAGUI.recognises(place)
        assert [step.truth for step in steps(CAGUI(place))] == whole
    (step, *_) = steps(CAGUI(tmp_path))
    assert (step.tags["split"], step.tags["source"]) == ("test", "domestic")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"result_action_type": 8}, "result_action_type: 8 is not an action"),
        ({"result_touch_yx": "[-1.0, -1.0]"}, "result_touch_yx: .* stands for no place"),
        ({"ui_positions": "[[54, 17, 8, 12]]"}, "ui_positions: .*expected shares of the screen from 0 to 1"),
        ({"ui_positions": "[[0.1, 0.2]]"}, r"ui_positions: \[0\]: Expected `array` of length 4"),
        ({"image_path": "x/gone.jpeg", "image_width": None}, "image: there is no file .*gone.jpeg"),
        ({"step_id": 1}, "step_id: number 1 comes twice"),
    ],
)
def test_a_bad_step_is_told_and_its_neighbours_are_kept(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    rows = agent_episode()
    rows[2].update(change)
    folder = write_agent(tmp_path, rows)
    with pytest.raises(DataError, match=rf"{EPISODE}\.json record 2: {reason}"):
        steps(CAGUI(folder))
    found = steps(kept := CAGUI(folder, keep_going=True))
    assert ([step.step for step in found], len(kept.problems)) == ([0, 1, *range(3, 11)], 1)


# -- grounding ---------------------------------------------------------------------------------------------------------


def test_both_kinds_of_grounding(tmp_path: Path) -> None:
    write_agent(write_grounding(tmp_path))
    found = list((dataset := CAGUI(tmp_path, part="grounding")).samples())
    assert [sample.step.id for sample in found] == ["cap-0", "cap-1", "cap-2", "ocr-0", "ocr-1", "ocr-2"]
    assert [truth_box(sample.step) for sample in found] == [Box(*corners) for corners in CORNERS] * 2
    first = found[3].step
    assert (first.instruction, first.screen, first.grounding) == ("QQ音乐", Size(1220, 2712), True)
    assert first.truth == [Action("click", point=Point(1110, 2473), box=Box(*CORNERS[0]))]
    assert first.image == "CAGUI_grounding/images/ocr/0.jpeg"
    assert first.tags == {"task": "grounding", "platform": "mobile", "language": "zh", "source": "text2point"}
    assert found[3].where.endswith("ocr.jsonl:1")
    assert found[3].picture is not None and found[3].picture.source == str(tmp_path / first.image)
    assert dataset.progress.done == dataset.progress.total > 0
    for kind, stem in (("fun2point", "cap"), ("text2point", "ocr")):
        assert {step.id[:3] for step in steps(CAGUI(tmp_path, part="grounding", kind=kind))} == {stem}
    inner = steps(open_dataset(tmp_path / "CAGUI_grounding", "cagui", part="grounding"))
    assert [step.image for step in inner][::3] == ["images/cap/0.jpeg", "images/ocr/0.jpeg"]
    told = [finding.kind for finding in check(CAGUI(tmp_path, part="grounding"), pictures=False)]
    assert told == ["instruction"], "the empty text is kept, and told"


def test_corners_in_pixels_and_shares_tell_the_size_of_a_missing_picture(tmp_path: Path) -> None:
    found = steps(CAGUI(write_grounding(tmp_path, pictures=1), part="grounding"))
    assert {step.screen for step in found} == {Size(1220, 2712)}
    file = tmp_path / "CAGUI_grounding" / "code" / "cap.jsonl"
    file.write_text(file.read_text(encoding="utf-8").replace("rel_position", "other"), encoding="utf-8")
    with pytest.raises(DataError, match=r"cap\.jsonl:2: image: there is no file .*images/cap/1\.jpeg"):
        steps(CAGUI(tmp_path, part="grounding"))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"abs_position": "<1, 2, 3>"}, r"abs_position: .*four numbers in <>, found '<1, 2, 3>'"),
        ({"abs_position": "<a, b, c, d>"}, r"abs_position: .*found '<a, b, c, d>'"),
        ({"abs_position": "<30, 40, 20, 50>"}, r"bbox: \[30, 40, 20, 50\] ends before it begins"),
        ({"abs_position": None}, "abs_position: "),
        ({"rel_position": "0.1"}, "rel_position: "),
        ({"text": None}, "text: Expected `str`"),
        ({"image": "images/"}, "image: 'images/' is not the name of a file"),
        ({"image": "x" * 400 + ".jpeg"}, ".*File name too long"),
        ({"image": "a\x00b", "rel_position": None}, "image: .*cannot be read"),
    ],
)
def test_a_bad_annotation_is_told_with_its_line(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    file = write_grounding(tmp_path) / "CAGUI_grounding" / "code" / "ocr.jsonl"
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    lines[1].update(change)
    file.write_text("\n\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    with pytest.raises(DataError, match=rf"ocr\.jsonl:3: {reason}"):
        steps(CAGUI(tmp_path, part="grounding", kind="text2point"))
    found = steps(kept := CAGUI(tmp_path, part="grounding", kind="text2point", keep_going=True))
    assert ([step.id for step in found], len(kept.problems)) == (["ocr-0", "ocr-4"], 1)


# -- both --------------------------------------------------------------------------------------------------------------


def test_the_wrong_part_or_folder_is_told(tmp_path: Path) -> None:
    write_agent(tmp_path / "episodes")
    write_grounding(tmp_path / "places")
    with pytest.raises(InputError, match=r"places has no episodes: download CAGUI_agent, or .*part=grounding"):
        steps(CAGUI(tmp_path / "places"))
    with pytest.raises(InputError, match=r"cap\.jsonl is not there: fun2point needs it"):
        steps(CAGUI(tmp_path / "episodes", part="grounding"))
    (tmp_path / "places" / "CAGUI_grounding" / "code" / "cap.jsonl").unlink()
    assert len(steps(CAGUI(tmp_path / "places", part="grounding", kind="text2point"))) == 3
    with pytest.raises(InputError, match=r"kind is 'fun2point', but episodes have none: add part=grounding"):
        CAGUI(tmp_path / "places", kind="fun2point")
    with pytest.raises(InputError, match="cagui: level is 'low': use high"):
        CAGUI(tmp_path / "episodes", level="low")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"is not CAGUI: expected CAGUI_agent/domestic/ .*; found nothing"):
        CAGUI(tmp_path / "empty")


def test_aitz_is_not_taken_for_it(tmp_path: Path) -> None:
    rows = [agent_step(0, 10) | {"coat_action_desc": "done", "ui_text": "[]", "ui_types": "[]", "ui_positions": "[]"}]
    write_agent(tmp_path, rows, pictures=1)
    assert not CAGUI.recognises(tmp_path)
    assert AITZ.recognises(tmp_path)


@pytest.mark.shared
def test_the_real_aitz_episode_is_not_taken_for_it(shared_data: Path) -> None:
    assert not CAGUI.recognises(shared_data / "aitz")


def test_broken_files_never_end_in_a_traceback(tmp_path: Path) -> None:
    """160 variants: cut off, bytes changed, keys dropped, values of other types, re-ordered, nested."""
    folder = write_grounding(write_agent(tmp_path / "c"))
    chance = random.Random(20250603)
    episode = folder / "CAGUI_agent" / "domestic" / EPISODE / f"{EPISODE}.json"
    lines = folder / "CAGUI_grounding" / "code" / "cap.jsonl"
    whole, listed = episode.read_bytes(), lines.read_bytes()
    told = 0
    for _ in range(80):
        episode.write_bytes(mangled(whole, chance))
        told += bool(reads(CAGUI, folder)[1])
    episode.write_bytes(whole)
    records = [json.loads(line) for line in listed.splitlines()]
    for at in range(80):
        if at % 2:
            lines.write_bytes(damaged(listed, chance))
        else:
            made = twisted(records, chance)
            made = made if chance.random() < 0.8 else [made]
            chance.shuffle(made)
            lines.write_text("\n".join(map(json.dumps, made)))
        samples, message = reads(CAGUI, folder, part="grounding")
        told += bool(message)
        assert len(samples) >= 3, "the other file is read whatever is wrong with this one"
    assert 80 < told < 160
