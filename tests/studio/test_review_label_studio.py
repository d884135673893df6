"""Label Studio's JSON, both ways, against files that were written by hand."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from review_samples import BOXES, database, filled, sample_steps

pytest.importorskip("fastapi", reason="needs the extra studio")
from command import saccade
from msgspec.structs import replace
from sqlalchemy import select
from sqlalchemy.orm import Session

from saccade.actions import Action
from saccade.studio.database.engine import open_database
from saccade.studio.database.review import ReviewEvent, ReviewItem
from saccade.studio.review.decisions import decide
from saccade.studio.review.kinds import KINDS
from saccade.studio.review.label_studio import labelling_interface, task_of
from saccade.studio.review.queue import NewItem, add_items, claim, counts, steps_of

GOLDEN = Path(__file__).parents[1] / "golden" / "review"


def test_a_task_is_written_as_label_studio_reads_it(tmp_path: Path) -> None:
    engine = open_database(database(tmp_path))
    truth = Action("click", BOXES[0].center, BOXES[0])
    step = replace(sample_steps()[0], instruction="Open the clock", truth=[truth])
    add_items(engine, "grounding", [NewItem([step], tmp_path)], 2)
    said = (b'{"box": [40, 220, 360, 320], "instruction": "Open the clock, please"}', b'{"rejected": "blurred"}')
    for person, decision in zip(("Lin", "Wang"), said, strict=True):
        decide(engine, person, claim(engine, person) or 0, decision)
    with Session(engine) as session:
        item = session.scalars(select(ReviewItem)).one()
        task = task_of(session, item, steps_of(item))
    task["data"]["saccade_item"] = "KEY"
    assert [task] == json.loads((GOLDEN / "label_studio_export.json").read_text())


def test_tasks_of_others_become_items(tmp_path: Path) -> None:
    filled(tmp_path)
    where = ("--folder", tmp_path, "--database", database(tmp_path))
    command = ("review", "import", GOLDEN / "label_studio_foreign.json", "--pictures", tmp_path / "run/screens", *where)
    for said in ("2 new items, 2 decisions", "0 new items, 0 decisions, 2 left out"):
        done = saccade(*command)
        assert done.returncode == 0 and said in done.stdout, done
    with Session(open_database(database(tmp_path))) as session:
        first, second = session.scalars(select(ReviewItem).order_by(ReviewItem.id)).all()
        events = session.scalars(select(ReviewEvent).order_by(ReviewEvent.id)).all()
    assert (first.title, first.state, second.state) == ("the second button", "done", "rejected")
    assert json.loads(events[0].decision or b"") == {"box": [40, 220, 360, 320]}
    assert [event.author for event in events] == ["7", "wang@example.org"] and events[0].at == 1772359200
    assert steps_of(second)[0].truth == [Action("click", BOXES[2].center, BOXES[2])]


def test_our_tasks_come_back_with_another_opinion(tmp_path: Path) -> None:
    engine = filled(tmp_path, "trajectory", opinions=2)
    where = ("--folder", tmp_path, "--database", database(tmp_path))
    click = {"type": "click", "point": [200, 270], "box": [40, 220, 360, 320]}
    judged = [{"right": True, "box": [40, 60, 360, 160]}, {"right": False, "correction": click}]
    decide(engine, "Lin", claim(engine, "Lin") or 0, json.dumps({"steps": judged, "success": False}).encode())
    done = saccade("review", "export", tmp_path / "ls", "--label-studio", "--kind", "trajectory", *where)
    assert done.returncode == 0 and "1 tasks" in done.stdout, done
    file = tmp_path / "ls" / "tasks.json"
    tasks = json.loads(file.read_text())
    assert len(tasks[0]["data"]["images"]) == 3
    tasks[0]["annotations"][0] |= {"completed_by": {"email": "wang@example.org"}, "id": 9}
    file.write_text(json.dumps(tasks))
    done = saccade("review", "import", file, *where)
    assert done.returncode == 0 and "0 new items, 1 decisions" in done.stdout, done
    assert [(row.done, row.disputed) for row in counts(engine)] == [(1, 0)], "both say the same"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "not Label Studio's JSON"),
        ('[{"data": {}}]', "task 1: data: it has no `image`"),
        ('[{"data": {"image": "/../../etc/passwd"}}]', "there is no picture"),
        (
            '[{"data": {"image": "0.png"}, "annotations": [{"result": [{"type": "rectanglelabels", "value": '
            '{"x": 1, "y": 1, "width": 9, "height": 9, "rotation": 20, "rectanglelabels": ["a"]}}]}]}]',
            "rotated",
        ),
        ('[{"data": {"image": "0.png"}, "annotations": [{"result": []}]}]', "0 rectangles"),
    ],
)
def test_wrong_files_are_told_in_a_sentence(tmp_path: Path, text: str, problem: str) -> None:
    filled(tmp_path)
    (tmp_path / "tasks.json").write_text(text)
    pictures = ("--pictures", tmp_path / "run/screens", "--folder", tmp_path, "--database", database(tmp_path))
    done = saccade("review", "import", tmp_path / "tasks.json", *pictures)
    assert done.returncode == 2 and problem in done.stderr, done


@pytest.mark.parametrize("kind", KINDS.names())
def test_the_labelling_interface_is_xml(kind: str) -> None:
    tree = ElementTree.fromstring(labelling_interface(KINDS.get(kind)))
    assert tree.tag == "View" and tree.find("Image") is not None
