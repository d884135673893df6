"""The oracle for one who sees the phone for the first time: what is named is searched for, and nothing is guessed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from phone_data import collect_phone, phone_request

from saccade.types import episodes
from saccade_phone.goal_changes import see
from saccade_phone.path_search import FirstLook, Move, depths
from saccade_phone.seeded_random import Language
from saccade_phone.session import Session, roll_out
from saccade_phone.widgets import Page, cell, grid, section, tile

TASKS = (
    "calendar.delete_event",
    "across.whose_number",
    "files.copy",
    "mail.ask_fact",
    "settings.toggle",
    "clock.add_alarm",
    "contacts.call",
    "across.save_and_time",
)


def by_sight(session: Session) -> list[Move]:
    """All moves to the end, which must be a good one."""
    played = roll_out(session, sight=FirstLook(session.goal.instruction))
    assert played.success, played.lost or played.moves
    return played.moves


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(("language", "seed"), [("en", 3), ("zh", 8)])
def test_it_comes_to_the_same_end(task: str, language: Language, seed: int) -> None:
    assert by_sight(Session.begin(task, seed, language, split="train"))


def test_no_day_or_folder_is_guessed() -> None:
    knowing = Session.begin("calendar.delete_event", 8, "zh", split="train")
    assert any("put/day" in move.id for move in roll_out(knowing).moves), "it knows the day"
    assert not any("put/" in move.id for move in by_sight(knowing))
    files = Session.begin("files.ask_size", 3, "en", split="train")
    assert any("go/category" in move.id for move in roll_out(files).moves)
    assert [move.kind for move in by_sight(files)][1:4] == ["tap", "tap", "type"], "it searches"


def test_who_is_not_spoken_of_comes_last() -> None:
    """Whom an event invites must be read before that person is looked up."""
    opened = [
        move.id
        for move in by_sight(Session.begin("across.whose_number", 8, "zh", split="train"))
        if move.kind == "open_app"
    ]
    assert opened == ["calendar", "contacts"]


def test_far_away_is_searched_for_and_near_is_touched() -> None:
    session = Session.begin("contacts.call", 3, "en", split="train")
    machine = session.machine
    machine.front_app("contacts")
    touches = session.plan().moves
    assert all(move.id.startswith("go/person/") for move in touches)
    near, far = (FirstLook(session.goal.instruction, {move.id: swipes for move in touches}) for swipes in (0, 9))
    assert session.plan("", near).moves == touches
    assert [move.id for move in session.plan("", far).moves] == ["query"]


def test_what_is_told() -> None:
    sight = FirstLook("Move “Flu shot” to 12 May at 10:30")
    assert sight.tells("Flu shot") and sight.tells("12")
    assert not sight.tells("10") and not sight.tells("30") and not sight.tells("2") and not sight.tells("")
    session = Session.begin("contacts.call", 3, "en", split="train")
    id, person = next(iter(session.state["apps"]["contacts"]["people"].items()))
    aim = see("contacts", "person", person=id)
    assert FirstLook(f"Call {person['name']}").name(session.machine, aim) == person["name"]
    assert FirstLook("Call somebody").name(session.machine, aim) == ""
    assert FirstLook("Call somebody").unnamed(session.machine, aim)
    assert not FirstLook("").unnamed(session.machine, see("clock", "alarms")), "it has no name"


def test_rows_above() -> None:
    rows = [cell(f"row {at}") for at in range(3)]
    for at, each in enumerate(rows):
        each.id = f"r{at}"
    tiles = [tile(f"tile {at}") for at in range(4)]
    for at, each in enumerate(tiles):
        each.id = f"t{at}"
    found = depths(Page("List", [grid(tiles, 2), section("A", rows)]))
    assert [found["t0"], found["t3"], found["r0"], found["r2"]] == [0, 3, 4, 6]


@pytest.mark.browser
def test_collected_by_sight(tmp_path: Path) -> None:
    """On the glass, where it is known how far away things are."""
    only = "contacts.call across.whose_number"
    options: dict[str, Any] = {"only": only, "scale": 1.0, "pictures": False, "interruptions": False, "by_sight": True}
    steps = collect_phone(phone_request(4, seed=4, **options), tmp_path / "sight")
    assert {step.tags["outcome"] for step in steps} == {"success"}
    longer = 0
    for episode in episodes(steps):
        tags = episode.steps[0].tags
        language: Language = "zh" if tags["language"] == "zh" else "en"
        session = Session.begin(tags["task"], int(tags["seed"]), language, split="train")
        assert int(tags["remaining"]) == len(by_sight(session)), "so many steps are left to one who searches"
        longer += int(tags["remaining"]) > len(roll_out(session).moves)
        swipes = [step for step in episode.steps if step.prediction and step.prediction.type == "swipe"]
        assert len(swipes) <= 4, "nobody scrolls far who can search"
    assert longer, "than to one who knows where everything lies"
