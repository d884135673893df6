"""The review queue as a pipeline uses it: what goes in, and what people decided comes out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs the extra studio")
from msgspec.structs import replace
from review_samples import BOXES, database, make_run, sample_steps
from sqlalchemy import select
from sqlalchemy.orm import Session

from saccade.actions import Action
from saccade.errors import InputError
from saccade.studio.database.engine import open_database
from saccade.studio.database.review import ReviewItem
from saccade.studio.review.decisions import decide, undo
from saccade.studio.review.pipeline_queue import PipelineDecision, StudioReviewQueue
from saccade.studio.review.queue import claim, counts

FIRST, _, THIRD = ([int(each) for each in box] for box in BOXES)
YES = {"feasible": True, "clear": True, "realistic": True}


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[StudioReviewQueue]:
    make_run(tmp_path)
    found = StudioReviewQueue([tmp_path], database(tmp_path))
    yield found
    found.close()


def say(folder: Path, key: str, decision: Mapping[str, object], person: str = "Lin") -> None:
    """Decide as the page does, in the studio's own connection."""
    engine = open_database(database(folder))
    with Session(engine) as session:
        item = session.scalars(select(ReviewItem.id).where(ReviewItem.key == key)).one()
    claim(engine, person, item=item)
    decide(engine, person, item, json.dumps(decision).encode())
    engine.dispose()


def test_keys_are_stable_and_open_items_are_left_out(queue: StudioReviewQueue, tmp_path: Path) -> None:
    steps, folder = sample_steps(), tmp_path / "run"
    key = queue.add("instruction", steps, folder)
    assert queue.add("instruction", steps, folder) == key
    assert queue.add("instruction", [replace(steps[0], instruction="another")], folder) != key
    assert queue.add("step", steps[:1], folder) != key
    again = StudioReviewQueue([tmp_path], database(tmp_path))
    assert again.add("instruction", steps, folder) == key, "also in another process"
    again.close()
    assert queue.decided([key, "unknown"]) == {}
    engine = open_database(database(tmp_path))
    assert {row.kind: row.open for row in counts(engine)} == {"instruction": 2, "step": 1}
    engine.dispose()


def test_accepted_changed_rejected_and_taken_back(queue: StudioReviewQueue, tmp_path: Path) -> None:
    steps, folder = sample_steps(), tmp_path / "run"
    key = queue.add("instruction", steps, folder)
    say(tmp_path, key, YES)
    assert queue.decided([key]) == {key: PipelineDecision("accepted", steps)}
    say(tmp_path, key, YES | {"text": "Set the alarm"})
    changed = queue.decided([key])[key]
    assert changed.verdict == "changed" and {step.instruction for step in changed.steps} == {"Set the alarm"}
    say(tmp_path, key, YES | {"feasible": False})
    assert queue.decided([key])[key] == PipelineDecision("rejected", reason="the answers leave no record")
    say(tmp_path, key, {"rejected": "too vague"})
    assert queue.decided([key])[key] == PipelineDecision("rejected", reason="too vague")
    engine = open_database(database(tmp_path))
    for _ in range(4):
        undo(engine, "Lin", 1)
    engine.dispose()
    assert queue.decided([key]) == {}


def test_a_trajectory_is_accepted_where_what_was_done_is_right(queue: StudioReviewQueue, tmp_path: Path) -> None:
    steps = [sample_steps()[0], sample_steps()[2]]
    key = queue.add("trajectory", steps, tmp_path / "run", opinions=1)
    right = [{"right": True, "box": FIRST}, {"right": True, "box": THIRD}]
    say(tmp_path, key, {"steps": right, "success": True})
    found = queue.decided([key])[key]
    assert found.verdict == "accepted" and [step.truth[0].box for step in found.steps] == [BOXES[0], BOXES[2]]
    assert found.steps[0].tags == {"success": "yes", "right": "yes"} and found.steps[0].image == "screens/0.png"
    wrong = {"right": False, "correction": {"type": "press", "key": "back"}}
    say(tmp_path, key, {"steps": [right[0], wrong], "success": False})
    found = queue.decided([key])[key]
    assert found.verdict == "changed" and found.steps[1].truth == [Action("press", key="back")]


def test_two_opinions_and_their_agreement(queue: StudioReviewQueue, tmp_path: Path) -> None:
    key = queue.add("instruction", sample_steps(), tmp_path / "run", opinions=2)
    say(tmp_path, key, YES)
    assert queue.decided([key]) == {}, "one opinion is missing"
    say(tmp_path, key, YES | {"clear": False}, "Wang")
    assert queue.decided([key]) == {}, "they differ"
    say(tmp_path, key, YES, "Zhao")
    assert queue.decided([key])[key].verdict == "accepted"
    found = queue.agreement()
    assert (found["pairs"], found["disputed"]) == (1, 1) and found["questions"][0]["kind"] == "instruction"


def test_personal_data_is_named_to_be_hidden(queue: StudioReviewQueue, tmp_path: Path) -> None:
    steps, folder = sample_steps()[:1], tmp_path / "run"
    keys = [queue.add(kind, steps, folder) for kind in ("personal_data", "instruction")]
    say(tmp_path, keys[0], {"regions": [FIRST]})
    say(tmp_path, keys[1], YES)
    for found in queue.decided(keys).values():
        assert found.verdict == "changed" and found.hide == {"screens/0.png": [BOXES[0]]}
        assert [element.text for element in found.steps[0].elements] == ["", "Clock", "Timer"]


def test_wrong_items_are_refused(queue: StudioReviewQueue, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="3 steps make 3 items of the kind step"):
        queue.add("step", sample_steps(), tmp_path / "run")
    with pytest.raises(InputError, match="0 steps make 0 items"):
        queue.add("trajectory", [], tmp_path / "run")
    with pytest.raises(InputError, match="outside the studio's folders"):
        queue.add("step", sample_steps()[:1], tmp_path.parent)
