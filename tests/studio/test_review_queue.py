"""Who gets which item, and what becomes of what they say."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from command import saccade
from msgspec.structs import replace
from review_samples import database, filled, make_run, sample_steps
from sqlalchemy import Engine, select, update
from sqlalchemy.orm import Session

pytest.importorskip("fastapi", reason="needs the extra studio")
import studio_review
import throwaway_postgres
from saccade.errors import InputError, MissingError
from saccade.records import write_steps
from saccade.studio.database.engine import database_address, open_database
from saccade.studio.database.review import ReviewEvent, ReviewItem, ReviewSlot
from saccade.studio.review.agreement import cohens_kappa, report
from saccade.studio.review.decisions import decide, undo
from saccade.studio.review.queue import claim, counts, give_back, renew
from saccade.studio.review.sources import items_of

YES = json.dumps({"feasible": True, "clear": True, "realistic": True}).encode()
NO = json.dumps({"feasible": False, "clear": True, "realistic": True}).encode()


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return filled(tmp_path, "instruction", opinions=2)


def state(engine: Engine) -> str:
    with Session(engine) as session:
        return session.scalars(select(ReviewItem.state)).one()


def test_items_are_added_once_and_only_from_the_folders(tmp_path: Path) -> None:
    engine = filled(tmp_path, "step", "personal_data", "trajectory")
    filled(tmp_path, "step")
    assert {row.kind: row.open for row in counts(engine)} == {"trajectory": 1, "step": 3, "personal_data": 3}
    with pytest.raises(InputError, match="outside the studio's folders"):
        items_of("step", tmp_path / "run", [tmp_path / "elsewhere"])
    with pytest.raises(InputError, match="unknown kind of review 'stepp'"):
        list(items_of("stepp", tmp_path / "run", [tmp_path]))


def test_odd_names_of_pictures(tmp_path: Path) -> None:
    """A zero byte is told; other names are kept, and their pictures cannot be shown."""
    run = make_run(tmp_path)
    names = ["line\nend.png", "x" * 5_000, "\u202egnp.exe", "zero\0.png"]
    steps = [replace(step, image=name) for name, step in zip(names, [*sample_steps(), sample_steps()[0]], strict=True)]
    for at, name in enumerate(names):
        write_steps(run / "steps.jsonl", steps[at : at + 1])
        done = saccade("review", "add", "step", run, "--folder", tmp_path, "--database", database(tmp_path))
        if "\0" in name:
            assert (done.returncode, done.stderr.count("\n")) == (
                2,
                1,
            ) and "the picture's name has a zero byte" in done.stderr
        else:
            assert done.returncode == 0, done.stderr
    done = saccade("review", "export", tmp_path / "out", "--folder", tmp_path, "--database", database(tmp_path))
    assert done.returncode == 0 and "3 pictures could not be read" in done.stderr


def test_a_second_opinion_is_another_person_s(engine: Engine) -> None:
    item = claim(engine, "Lin")
    assert item is not None and claim(engine, "Lin") == item, "who has a claim gets the same item again"
    decide(engine, "Lin", item, YES)
    assert claim(engine, "Lin") is None and state(engine) == "open"
    assert claim(engine, "Wang") == item
    decide(engine, "Wang", item, YES)
    assert state(engine) == "done" and claim(engine, "Zhao") is None


def test_a_third_decides_a_disagreement(engine: Engine) -> None:
    item = claim(engine, "Lin") or 0
    decide(engine, "Lin", item, YES)
    claim(engine, "Wang")
    decide(engine, "Wang", item, NO)
    assert state(engine) == "disputed"
    assert claim(engine, "Lin") is None and claim(engine, "Wang", item=item) is None
    assert claim(engine, "Zhao") == item
    decide(engine, "Zhao", item, NO)
    assert state(engine) == "done"
    undo(engine, "Wang", item)
    assert state(engine) == "open"
    decide(engine, "Wang", item, YES)
    assert state(engine) == "done", "the first two agree now"
    found = report(engine)
    assert (found.pairs, found.disputed) == (1, 0)


def test_claims_end_and_can_be_given_back(engine: Engine) -> None:
    item = claim(engine, "Lin") or 0
    assert give_back(engine, "Lin", item) and not give_back(engine, "Lin", item)
    with pytest.raises(InputError, match="somebody else has it"):
        decide(engine, "Lin", item, YES)
    claim(engine, "Lin")
    with engine.begin() as connection:
        connection.execute(update(ReviewSlot).where(ReviewSlot.number == 1).values(decided=True))
        connection.execute(update(ReviewSlot).where(ReviewSlot.person == "Lin").values(until=time.time() - 1))
    assert claim(engine, "Wang") == item and not renew(engine, "Lin", item) and renew(engine, "Wang", item)
    with pytest.raises(InputError, match="somebody else has it"):
        decide(engine, "Lin", item, YES)


def test_events_say_what_they_replaced(engine: Engine) -> None:
    item = claim(engine, "Lin") or 0
    decide(engine, "Lin", item, YES)
    decide(engine, "Lin", item, YES)
    decide(engine, "Lin", item, NO)
    undo(engine, "Lin", item)
    with Session(engine) as session:
        events = session.scalars(select(ReviewEvent).order_by(ReviewEvent.id)).all()
        assert [(each.verb, each.replaces) for each in events] == [("decide", None), ("decide", 1), ("undo", 2)]
        assert session.scalars(select(ReviewSlot.event_id).where(ReviewSlot.person == "Lin")).one() == 1
    undo(engine, "Lin", item)
    with pytest.raises(InputError, match="no decision of yours"):
        undo(engine, "Lin", item)
    assert claim(engine, "Lin") == item, "it is theirs to judge anew"


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        (b"{", "truncated"),
        (b"[]", "Expected `object`"),
        (b'{"feasible": "yes"}', "feasible"),
        (b'{"feasible": true}', "clear: say yes or no"),
        (b'{"other": 1}', "unknown field"),
    ],
)
def test_wrong_decisions_are_refused(engine: Engine, said: bytes, problem: str) -> None:
    item = claim(engine, "Lin") or 0
    with pytest.raises(InputError, match=problem):
        decide(engine, "Lin", item, said)


def test_cohens_kappa() -> None:
    table = [("a", "a")] * 20 + [("a", "b")] * 5 + [("b", "a")] * 10 + [("b", "b")] * 15
    assert cohens_kappa(table) == pytest.approx(0.4)  # the example of Cohen's kappa in most text books
    assert cohens_kappa([("a", "b"), ("b", "a")]) == -1
    assert cohens_kappa([("a", "a")] * 3) is None and cohens_kappa([]) is None


# -- many people at once ----------------------------------------------------------------------------------------------


def work_through(address: str, people: int, items: int) -> list[int]:
    """The items that so many people, each with connections of their own, are given."""
    studio_review.fill(address, items)

    engines = [open_database(address) for _ in range(people)]  # migrations do not run in threads

    def review(at: int) -> list[int]:
        person, engine, found = f"person {at}", engines[at], []
        while (item := claim(engine, person, "instruction")) is not None:
            decide(engine, person, item, YES)
            found.append(item)
        engine.dispose()
        return found

    with ThreadPoolExecutor(people) as pool:
        return [item for found in pool.map(review, range(people)) for item in found]


def test_four_people_on_sqlite_get_every_item_once(tmp_path: Path) -> None:
    assert sorted(work_through(database(tmp_path), 4, 60)) == list(range(1, 61))


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    try:
        throwaway_postgres.find_programs()
        throwaway_postgres.as_user()
    except MissingError as error:
        pytest.skip(str(error))
    with throwaway_postgres.postgres() as address:
        yield address


@pytest.mark.slow
def test_eight_people_on_postgresql(cluster: str, tmp_path: Path) -> None:
    address = database_address(cluster, [])
    assert sorted(work_through(address, 8, 150)) == list(range(1, 151))
    make_run(tmp_path)
    engine = filled(tmp_path, "trajectory", "step", opinions=2, address=address)
    item = claim(engine, "Lin", "step") or 0
    for person in ("Lin", "Wang"):
        assert claim(engine, person, item=item) == item
        decide(engine, person, item, b'{"rejected": "blurred"}')
    undo(engine, "Lin", item)
    decide(engine, "Lin", item, b'{"actions": [{"type": "wait"}]}')
    assert claim(engine, "Zhao", item=item) == item
    found = report(engine)
    assert found.disputed == 1
    for at in range(20):  # one person in four windows: the same item in each
        with ThreadPoolExecutor(4) as pool:
            given = set(pool.map(lambda _: claim(engine, "Sun", "step"), range(4)))
        assert len(given) == 1 and None not in given, f"time {at}: {given}"
        give_back(engine, "Sun", given.pop() or 0)


@pytest.mark.slow
def test_acknowledged_decisions_survive_kills(tmp_path: Path) -> None:
    acknowledged, lost = studio_review.kill_while_reviewing(database(tmp_path), kills=2, items=500)
    assert acknowledged >= 6 and lost == 0
