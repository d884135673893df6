"""The validator: every fault is found where it is, and nothing is found where there is none."""

from __future__ import annotations

import io
import json
import random
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image

from saccade.data.check import KINDS, Finding, PictureChecker, check, normalised, problem_finding
from saccade.data.readers.base import Problem
from saccade.data.readers.steps import StepsFile
from saccade.types import Picture


def picture(format: str = "PNG", size: tuple[int, int] = (200, 400), seed: int = 0) -> bytes:
    """A picture that no compression makes tiny, so that it can be cut anywhere."""
    stream = io.BytesIO()
    Image.frombytes("L", size, random.Random(seed).randbytes(size[0] * size[1])).save(stream, format)
    return stream.getvalue()


def record(id: str, **changes: Any) -> dict[str, Any]:
    click = {"type": "click", "point": [50, 50], "box": [0, 0, 100, 100]}
    whole = {"id": id, "instruction": f"Open the shop {id}", "screen": [200, 400], "truth": [click]}
    return {key: value for key, value in (whole | changes).items() if value is not ...}


def dataset(folder: Path, *records: dict[str, Any] | str) -> StepsFile:
    folder.mkdir(exist_ok=True, parents=True)
    lines = [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in records]
    (folder / "steps.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return StepsFile(folder)


def kinds(*findings: Finding) -> list[str]:
    return [finding.kind for finding in findings]


def clicked(**fields: Any) -> list[dict[str, Any]]:
    return [{"type": "click", **fields}]


GOOD: dict[str, dict[str, Any]] = {
    "plain": {},
    "half a pixel over": {"truth": clicked(point=[50.5, 99.5], box=[-0.5, 0, 200.5, 400.5])},
    "at the far edge": {"truth": clicked(point=[200, 400])},
    "a low-level instruction only": {"instruction": "", "step_instruction": "tap it"},
    "several right actions": {"truth": [*clicked(point=[5, 5], box=[0, 0, 9, 9]), {"type": "wait"}]},
    "a key element known by a point": {"key_elements": [{"id": 1, "box": [50, 50, 50, 50]}]},
    "a swipe with its points": {"truth": [{"type": "swipe", "direction": "up", "start": [9, 300], "end": [9, 20]}]},
    "a polygon": {"truth": clicked(point=[20, 20], polygon=[[0, 0], [100, 0], [0, 100]])},
    "a refusal": {"truth": [{"type": "terminate", "status": "failure"}], "tags": {"task": "grounding"}},
    "a swipe without": {"truth": [{"type": "swipe", "direction": "left"}]},
    "a swipe that stays": {"truth": [{"type": "swipe", "direction": "left", "start": [9, 9], "end": [9, 9]}]},
}
BAD: dict[str, tuple[str, dict[str, Any], str]] = {
    "no truth": ("no-truth", {"truth": ...}, "truth"),
    "an empty instruction": ("instruction", {"instruction": "  \n"}, "instruction"),
    "lost letters": ("letters", {"instruction": "打开\ufffd\ufffd"}, "instruction"),
    "a box beyond": ("box-outside", {"truth": clicked(point=[190, 50], box=[150, 0, 230, 100])}, "[150, 0, 230, 100]"),
    "a box off": ("box-outside", {"key_elements": [{"id": 1, "box": [300, 0, 390, 90]}]}, "key_elements[0].box"),
    "a box in another frame": ("box-outside", {"truth": clicked(point=[90, 350], box=[80, 300, 100, 900])}, "reaches"),
    "an empty box": ("box-empty", {"truth": clicked(point=[10, 10], box=[10, 10, 10, 30])}, "no area"),
    "a box inside out": (
        "box-empty",
        {"truth": [{"type": "open_app", "text": "x", "box": [90, 9, 10, 80]}]},
        "no area",
    ),
    "beside its box": (
        "point-outside-box",
        {"truth": clicked(point=[150, 50], box=[0, 0, 100, 100])},
        "truth[0].point",
    ),
    "beside its polygon": (
        "point-outside-polygon",
        {"truth": clicked(point=[90, 90], polygon=[[0, 0], [100, 0], [0, 100]])},
        "truth[0].point",
    ),
    "off the screen": ("point-outside", {"truth": clicked(point=[50, 401])}, "200×400"),
    "a negative place": ("point-outside", {"truth": [{"type": "drag", "start": [-9, 5], "end": [9, 5]}]}, "start"),
    "the content's direction": (
        "direction",
        {"truth": [{"type": "swipe", "direction": "down", "start": [9, 300], "end": [9, 20]}]},
        "is down, but its points go up",
    ),
    "an unknown action": ("action", {"truth": [{"type": "fly", "point": [1, 2]}]}, "fly"),
    "an action without its field": ("action", {"truth": [{"type": "click"}]}, "point"),
    "a screen of no size": ("record", {"screen": [0, 400]}, "screen"),
    "a missing image": ("image-missing", {"image": "screens/none.png"}, "none.png"),
    "no image at all": ("image-unreadable", {"image": "notes.txt"}, "notes.txt"),
    "a folder for an image": ("image-unreadable", {"image": "."}, "cannot be read"),
    "a name that no file can have": ("image-unreadable", {"image": "a\0b.png"}, "null"),
    "a cut image": ("image-unreadable", {"image": "cut.png"}, "cut.png"),
    "another size": ("image-size", {"image": "small.png"}, "100×90"),
    "lying down": ("image-size", {"image": "turned.png"}, "swapped"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.png").write_bytes(picture())
    (tmp_path / "cut.png").write_bytes(picture()[:-9])
    (tmp_path / "small.png").write_bytes(picture(size=(100, 90)))
    (tmp_path / "turned.png").write_bytes(picture(size=(400, 200)))
    (tmp_path / "notes.txt").write_text("no picture", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("changes", GOOD.values(), ids=GOOD.keys())
def test_nothing_is_found_where_nothing_is_wrong(folder: Path, changes: dict[str, Any]) -> None:
    found = list(check(dataset(folder, record("a", image="good.png"), record("b", **changes))))
    assert found == []


@pytest.mark.parametrize(("kind", "changes", "says"), BAD.values(), ids=BAD.keys())
def test_each_fault_is_found_alone(folder: Path, kind: str, changes: dict[str, Any], says: str) -> None:
    found = list(check(dataset(folder, record("a"), record("b", **changes), record("c"))))
    assert kinds(*found) == [kind]
    assert found[0].where == f"{folder / 'steps.jsonl'}:2"
    assert says in found[0].what
    assert kind in KINDS


def test_all_kinds_have_a_meaning() -> None:
    tested = {kind for kind, _, _ in BAD.values()}
    elsewhere = {"duplicate-id", "step-missing", "step-order", "shared-episode", "shared-screen", "shared-instruction"}
    assert tested | elsewhere == KINDS.keys()


def test_a_broken_line_is_a_finding_and_its_neighbours_are_looked_at(folder: Path) -> None:
    found = list(check(dataset(folder, '{"id": "a"', record("b", instruction=""), "[]", record("c", truth=...), "{}")))
    assert Counter(kinds(*found)) == {"record": 3, "instruction": 1, "no-truth": 1}
    assert {int(finding.where.rpartition(":")[2]) for finding in found} == {1, 2, 3, 4, 5}


def test_pictures_are_left_alone_if_that_is_wanted(folder: Path) -> None:
    assert list(check(dataset(folder, record("a", image="cut.png")), pictures=False)) == []


def test_a_limit_ends_it(folder: Path) -> None:
    faulty = dataset(folder, record("a"), record("b", truth=...), record("c", truth=...))
    assert kinds(*check(faulty, limit=2)) == ["no-truth"]


# -- ids and episodes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("e0 e1 e2 f0 f1", []),
        ("e0 e2 e3", ["step-missing: step: 1 of episode 'e' is missing"]),
        ("e0 e5", ["step-missing: step: 1 to 4 of episode 'e' is missing"]),
        ("e1 e2", ["step-missing: step: 0 of episode 'e' is missing"]),
        ("e0 e2 e1", ["step-missing: step: 1 of episode 'e' is missing", "step-order: step: 1 comes after 2 of"]),
        ("e0 e1 e1", ["step-order: step: 1 comes after 1 of episode 'e'"]),
        ("e0 f0 e1 e2", ["step-order: episode: 'e' had ended before"]),
    ],
)
def test_steps_follow_each_other(tmp_path: Path, steps: str, expected: list[str]) -> None:
    records = [record(f"{at}", episode=each[0], step=int(each[1])) for at, each in enumerate(steps.split())]
    found = [f"{finding.kind}: {finding.what}" for finding in check(dataset(tmp_path, *records))]
    assert len(found) == len(expected)
    assert all(said.startswith(wanted) for said, wanted in zip(found, expected, strict=True))


def test_an_id_is_used_once(tmp_path: Path) -> None:
    found = list(check(dataset(tmp_path, record("a"), record("b"), record("a"), record("a"))))
    assert kinds(*found) == ["duplicate-id", "duplicate-id"]
    assert [finding.where.rpartition(":")[2] for finding in found] == ["3", "4"]


# -- pictures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["PNG", "JPEG", "WEBP", "BMP", "GIF"])
def test_pictures_cut_anywhere_are_found(format: str) -> None:
    whole, eye, chance = picture(format), PictureChecker(), random.Random(5)
    good = eye.inspect(Picture(whole))
    assert good.size == (200, 400) and not good.problem
    for cut in [0, 1, 7, 30, *(chance.randrange(40, len(whole) - 12) for _ in range(12)), len(whole) - 12]:
        seen = eye.inspect(Picture(whole[:cut]))
        assert seen.size is None and seen.kind == "image-unreadable", f"{format} cut at {cut} of {len(whole)}"


@pytest.mark.parametrize("format", ["PNG", "JPEG", "WEBP", "BMP", "GIF"])
def test_no_damage_is_worse_than_a_finding(format: str) -> None:
    whole, eye, chance = picture(format, (40, 30)), PictureChecker(), random.Random(9)
    for _ in range(60):
        damaged = bytearray(whole)
        for _ in range(chance.choice((1, 3, 20))):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        seen = eye.inspect(Picture(bytes(damaged)))
        assert (seen.size is None) == bool(seen.problem)


def test_pictures_inside_records_are_opened_once(tmp_path: Path) -> None:
    opened: Counter[str] = Counter()

    class Inside(StepsFile):
        def samples(self) -> Any:
            for sample in super().samples():
                yield sample._replace(picture=Picture(partial(data, sample.step.id)))

    def data(id: str) -> bytes:
        opened[id] += 1
        if id == "b":
            raise ValueError("the archive is damaged")
        return picture(seed=int(id == "c"))

    dataset(tmp_path, *(record(id, tags={"split": "test"}) for id in "abc"))
    found = list(check(Inside(tmp_path)))
    assert kinds(*found) == ["image-unreadable"]
    assert opened == {"a": 1, "b": 1, "c": 1}


def test_a_mended_picture_is_seen_by_the_next_check(folder: Path) -> None:
    faulty = dataset(folder, record("a", image="cut.png"))
    assert kinds(*check(faulty)) == ["image-unreadable"]
    (folder / "cut.png").write_bytes(picture())
    assert kinds(*check(faulty)) == []


# -- what training and test data share --------------------------------------------------------------------------------


def test_two_data_sets_that_share_nothing(tmp_path: Path) -> None:
    for name, seed in (("train", 1), ("test", 2)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "one.png").write_bytes(picture(seed=seed))
        dataset(folder, record(f"{name}-0", episode="e0", image="one.png"))
    assert list(check(StepsFile(tmp_path / "test"), StepsFile(tmp_path / "train"))) == []


def test_what_two_data_sets_share_is_told_once_with_both_places(tmp_path: Path) -> None:
    for name in ("train", "test"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / f"{name}.png").write_bytes(picture())
        shared = {"instruction": "Turn on Wi-Fi!" if name == "train" else "turn on  ＷｉＦｉ", "image": f"{name}.png"}
        dataset(folder, record("x", episode="e1", **shared), record("y", episode="e1", step=1, **shared))
    found = list(check(StepsFile(tmp_path / "test"), StepsFile(tmp_path / "train")))
    assert Counter(kinds(*found)) == {"shared-instruction": 1, "shared-episode": 1, "shared-screen": 1}
    for finding in found:
        assert finding.where == f"{tmp_path / 'test' / 'steps.jsonl'}:1"
        assert f"also in {tmp_path / 'train'}: {tmp_path / 'train' / 'steps.jsonl'}:1" in finding.what
    assert Counter(kinds(*check(StepsFile(tmp_path / "test"), StepsFile(tmp_path / "train"), pictures=False))) == {
        "shared-instruction": 1,
        "shared-episode": 1,
    }


def test_episodes_that_are_merely_counted_alike_are_not_shared(tmp_path: Path) -> None:
    train = dataset(tmp_path / "train", record("a", episode="0", instruction="Call Ann"))
    test = dataset(tmp_path / "test", record("b", episode="0", instruction="Call Ben"))
    assert list(check(test, train)) == []


def test_bad_records_of_the_other_side_are_told_too(tmp_path: Path) -> None:
    train = dataset(tmp_path / "train", record("a"), "{}")
    found = list(check(dataset(tmp_path / "test", record("b")), train))
    assert kinds(*found) == ["record"]
    assert str(tmp_path / "train") in found[0].where


def test_splits_of_one_data_set(tmp_path: Path) -> None:
    same = {"instruction": "打开微信。"}
    found = list(
        check(
            dataset(
                tmp_path,
                record("a", tags={"split": "train"}, **same),
                record("b", tags={"split": "train"}, **same),
                record("c", tags={"split": "test"}, instruction="打开 微信"),
                record("d", tags={"split": "validation"}, **same),
                record("e", **same),
            )
        )
    )
    assert kinds(*found) == ["shared-instruction", "shared-instruction"]
    assert "also in train" in found[0].what and found[0].where.endswith(":3")
    assert found[1].where.endswith(":4")


def test_instructions_are_compared_by_their_letters() -> None:
    assert normalised("Open the ＡＰＰ, please!") == normalised("open the app please")
    assert normalised("打开“微信”。") == normalised("打开微信")
    assert normalised("Set 7:30") == normalised("set 7.30")
    assert normalised("call Ann") != normalised("call Anna")
    assert normalised("…!") == ""


# -- whatever comes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("image: there is no file a.png", "image-missing"),
        ("image: a.png cannot be read: broken", "image-unreadable"),
        ("actions[3].action_type: 'fly' is not an action of this data set", "action"),
        ("result_action_type: 99 is not an action of this data set", "action"),
        ("truth[0].type: Invalid enum value 'fly'", "action"),
        ("goal: 'take action' is no text", "record"),
        ("not JSON: unexpected end of data", "record"),
    ],
)
def test_readers_problems_have_kinds(reason: str, kind: str) -> None:
    assert problem_finding(Problem("file:1", reason)) == Finding(kind, "file:1", reason)


def test_fuzzed_files_give_findings_and_nothing_else(folder: Path) -> None:
    chance = random.Random(11)
    whole = [record(f"s{at}", episode="e", step=at, image="good.png", tags={"split": "test"}) for at in range(4)]
    values: list[Any] = [None, -1, 1e400, "", "x" * 300, [], {}, [[]], True, "\ud800", [1, 2, 3], {"type": 7}]
    faulty = 0
    for _ in range(120):
        records = msgspec.json.decode(msgspec.json.encode(whole))
        for _ in range(chance.choice((1, 1, 3))):
            each = chance.choice(records)
            key = chance.choice([*each, "unknown"])
            if chance.random() < 0.3:
                each.pop(key, None)
            else:
                each[key] = chance.choice(values)
        if chance.random() < 0.3:
            chance.shuffle(records)
        text = "\n".join(json.dumps(each) for each in records)
        text = text[: chance.randrange(len(text))] if chance.random() < 0.2 else text
        (folder / "steps.jsonl").write_text(text, encoding="utf-8")
        found = list(check(StepsFile(folder)))
        faulty += bool(found)
        for finding in found:
            assert finding.kind in KINDS
            assert finding.where.startswith(f"{folder / 'steps.jsonl'}:")
            assert finding.what
    assert faulty > 60


@pytest.mark.shared
def test_real_records_are_clean(shared_data: Path, tmp_path: Path) -> None:
    images = sorted((shared_data / "aitz").rglob("*.png"))
    for each in images:
        (tmp_path / each.name).symlink_to(each)
    records = [record(each.stem, image=each.name, screen=list(Image.open(each).size)) for each in images]
    assert len(records) == 4
    assert list(check(dataset(tmp_path, *records))) == []
