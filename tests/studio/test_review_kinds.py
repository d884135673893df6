"""What a decision of each kind must hold, and the step records that come of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from review_samples import BOXES, INSTRUCTION, SIZE, database, filled, sample_steps

pytest.importorskip("fastapi", reason="needs the extra studio")
import msgspec
from command import saccade
from msgspec.structs import replace
from PIL import Image

from saccade.actions import Action
from saccade.errors import InputError
from saccade.geometry import Box, Point
from saccade.records import read_step
from saccade.studio.database.engine import open_database
from saccade.studio.review.decisions import decide
from saccade.studio.review.kinds import KINDS
from saccade.studio.review.kinds.base import agrees
from saccade.studio.review.queue import claim, counts
from saccade.types import Step

FIRST, SECOND, THIRD = ([int(each) for each in box] for box in BOXES)
CLICK = {"type": "click", "point": [200, 270], "box": SECOND}
GOOD: dict[str, dict[str, Any]] = {
    "trajectory": {
        "steps": [{"right": True, "box": FIRST}, {"right": False, "correction": CLICK}],
        "success": False,
    },
    "step": {"actions": [CLICK, {"type": "press", "key": "home"}]},
    "instruction": {"feasible": True, "clear": True, "realistic": True, "text": "Set an alarm"},
    "grounding": {"box": SECOND, "instruction": "Open the clock"},
    "key_elements": {"elements": [{"box": THIRD, "description": "starts a timer"}, {"box": [1, 2, 30, 40]}]},
    "personal_data": {"regions": [[40, 60, 360, 160]]},
}
WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("trajectory", {"steps": [{"right": True, "box": FIRST}], "success": True}, "up to the first wrong one"),
    ("trajectory", {"steps": [{"right": False}], "success": True}, "step 1: give the right action"),
    ("trajectory", {"steps": [{"right": False, "correction": CLICK}]}, "success"),
    ("trajectory", {"steps": [{"right": True}], "success": True}, "up to the first wrong one"),
    (
        "trajectory",
        {"steps": [{"right": True, "box": SECOND}, {"right": False, "correction": CLICK}], "success": True},
        "step 1: the point lies outside the box",
    ),
    ("step", {"actions": []}, "give 1 to"),
    ("step", {"actions": [CLICK, CLICK]}, "action 2: it is there already"),
    ("step", {"actions": [{"type": "click", "point": [1, 1]}]}, "needs the box"),
    ("step", {"actions": [{"type": "fly"}]}, "type"),
    ("grounding", {"box": [10, 10, 10, 20]}, "no area"),
    ("grounding", {"box": [10, 10, 500, 20]}, "outside the screen"),
    ("grounding", {}, "draw the box"),
    ("key_elements", {"elements": [{"box": FIRST}, {"box": FIRST}]}, "element 2: it is there already"),
    ("personal_data", {"regions": [[0, 0, 0, 0]]}, "region 1: it has no area"),
]


def steps_for(kind: str) -> list[Step]:
    return next(iter(KINDS.get(kind).items(sample_steps())))


def read(kind: str, decision: dict[str, Any]) -> Any:
    return KINDS.get(kind).read(json.dumps(decision).encode(), steps_for(kind))


@pytest.mark.parametrize("kind", KINDS.names())
def test_decisions_survive_as_marks_and_can_be_rejected(kind: str) -> None:
    chosen, steps, decision = KINDS.get(kind), steps_for(kind), read(kind, GOOD[kind])
    assert chosen.from_marks(chosen.to_marks(decision, steps), steps) == decision
    assert agrees(chosen, decision, decision, steps) and chosen.steps(decision, steps)
    refused = read(kind, {"rejected": "blurred"})
    assert not agrees(chosen, decision, refused, steps) and agrees(chosen, refused, refused, steps)
    assert chosen.proposal(steps) is None or isinstance(chosen.proposal(steps), chosen.decision)
    for name in chosen.interface.choices:
        assert any(rating.question == name for rating in chosen.ratings(decision, steps))


@pytest.mark.parametrize(("kind", "decision", "problem"), WRONG)
def test_wrong_decisions(kind: str, decision: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read(kind, decision)


def test_a_trajectory_ends_at_its_first_error() -> None:
    found = KINDS.get("trajectory").steps(read("trajectory", GOOD["trajectory"]), sample_steps())
    assert [step.truth for step in found] == [
        [Action("click", Point(200, 110), BOXES[0])],
        [Action("click", Point(200, 270), BOXES[1])],
    ]
    assert [step.tags["right"] for step in found] == ["yes", "no"] and found[0].tags["success"] == "no"


def test_agreement_of_boxes_and_actions() -> None:
    steps, kind = sample_steps(), KINDS.get("grounding")
    near, far = read("grounding", {"box": [40, 230, 360, 330]}), read("grounding", {"box": FIRST})
    assert kind.same(read("grounding", {"box": SECOND}), near, steps)
    assert not kind.same(read("grounding", {"box": SECOND}), far, steps)
    kind = KINDS.get("step")
    one, other = read("step", GOOD["step"]), read("step", {"actions": GOOD["step"]["actions"][::-1]})
    assert kind.same(one, other, steps) and not kind.same(one, read("step", {"actions": [CLICK]}), steps)
    assert [rating.answer for rating in kind.ratings(one, steps)] == ["no"], "the click at the first button"
    kind = KINDS.get("instruction")
    assert not kind.steps(replace(read("instruction", GOOD["instruction"]), clear=False), steps)


def lines(file: Path) -> list[Step]:
    return [read_step(msgspec.json.decode(line)) for line in file.read_bytes().splitlines()]


def test_export_and_import_by_the_command_line(tmp_path: Path) -> None:
    engine, where = filled(tmp_path), ("--folder", tmp_path, "--database", database(tmp_path))
    for kind in KINDS.names():
        done = saccade("review", "add", kind, tmp_path / "run", *where, "--opinions", "1")
        assert done.returncode == 0, done.stderr
        while (item := claim(engine, "Lin", kind)) is not None:
            first = kind not in ("trajectory", "instruction") and item % 3 == 0
            decide(engine, "Lin", item, json.dumps({"rejected": "no"} if first else GOOD[kind]).encode())
    originals = {file: file.read_bytes() for file in (tmp_path / "run/screens").iterdir()}
    done = saccade("review", "export", tmp_path / "out", *where)
    assert done.returncode == 0 and "2 steps of trajectory" in done.stdout, done
    for kind in ("trajectory", "step", "grounding", "key_elements", "instruction", "personal_data"):
        assert lines(tmp_path / "out" / f"{kind}.jsonl")
        checked = saccade("data", "check", tmp_path / "out" / f"{kind}.jsonl", "--json")
        found = {json.loads(line)["kind"] for line in checked.stdout.splitlines() if '"kind"' in line}
        assert found <= {"no-truth", "step-missing"}, (kind, found)  # some steps were rejected
    hidden = lines(tmp_path / "out/personal_data.jsonl")[0]
    name = f"run/screens/{hidden.step}.png"
    assert hidden.elements[0].text == "" and hidden.elements[1].text == "Clock"
    with Image.open(tmp_path / "out" / hidden.image) as copy, Image.open(tmp_path / name) as before:
        assert copy.convert("RGB").getpixel((200, 300)) == before.getpixel((200, 300))
        region = copy.convert("RGB").crop((40, 60, 360, 160))
        assert len(region.getcolors(10**6) or []) < 3000 and region.getpixel((55, 75)) != (0, 0, 0)
    assert all(file.read_bytes() == data for file, data in originals.items()), "originals stay as they are"
    assert json.loads((tmp_path / "out/agreement.json").read_text())["pairs"] == 0
    other = f"sqlite:///{tmp_path}/other.db"
    for said in ("14 new items, 14 decisions, 0 left out", "0 new items, 0 decisions, 14 left out"):
        again = saccade("review", "import", tmp_path / "out", "--folder", tmp_path, "--database", other)
        assert again.returncode == 0 and said in again.stdout, again
    assert counts(engine) == counts(open_database(other))
    third = saccade("review", "export", tmp_path / "out2", "--folder", tmp_path, "--database", other)
    assert third.returncode == 0, third.stderr
    one, other_steps = (lines(tmp_path / out / "trajectory.jsonl") for out in ("out", "out2"))
    assert [replace(step, image="") for step in one] == [replace(step, image="") for step in other_steps]
    blurred = saccade("review", "export", tmp_path / "out3", *where, "--blur-originals")
    assert "original pictures" in blurred.stdout and (tmp_path / name).read_bytes() != originals[tmp_path / name]
    assert "already exists" in saccade("review", "export", tmp_path / "out", *where).stderr
    assert hidden.screen == SIZE and Box(*FIRST) == hidden.elements[0].box and hidden.instruction == INSTRUCTION
