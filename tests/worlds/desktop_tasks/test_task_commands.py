"""What `saccade tasks` and `saccade data collect` do with the desktop's tasks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import saccade

from saccade.worlds.desktop.tasks.catalog import oracle_lengths, templates, write_lengths
from saccade.worlds.desktop.tasks.goal_words import goal_in_words

pytest_plugins = ["desktop_fixtures"]


def test_the_list_shows_how_many_steps_the_oracle_takes() -> None:
    rows = [json.loads(line) for line in saccade("tasks", "list", "--world", "desktop", "--json").stdout.splitlines()]
    assert [row["name"] for row in rows] == list(templates())
    for row in rows:
        assert set(row["steps"]) == {"en", "zh"}, row["name"]
        assert all(1 <= few <= usual <= most <= 50 for few, usual, most in row["steps"].values())
    short = saccade("tasks", "list", "--world", "desktop", "--longest", "2", "--language", "en")
    assert "pcmanfm.count_files" in short.stdout and "sqlitebrowser.add_row" not in short.stdout


def test_lengths_of_templates_that_were_not_played_stay(tmp_path: Path) -> None:
    place = tmp_path / "lengths.json"
    write_lengths({"a": {"en": [3, 5, 9], "zh": [4]}}, place)
    write_lengths({"b": {"en": [1, 2]}}, place)
    assert json.loads(place.read_text()) == {"a": {"en": [3, 5, 9], "zh": [4, 4, 4]}, "b": {"en": [1, 2, 2]}}
    assert set(oracle_lengths()) == set(templates())


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("pcmanfm.rename", ("Oslo29.txt is new: “Call the dentist on Monday”", "summary.txt is gone")),
        ("pcmanfm.new_folder_inside", ("Private/Berlin 2030 is new: a folder",)),
        ("mousepad.uppercase", ("recipe.txt is “CHECK THE TYRES OF THE CAR ⏎ PRINT THE TRAIN TICKETS”",)),
        ("gnumeric.sum", ("sheet.gnumeric: E14 has a formula that gives 274",)),
        ("sqlitebrowser.delete_row", ("shop.db: items no longer has the row 2, bag, 49, Prague",)),
        ("ristretto.read_width", ("answer '280'",)),
        ("galculator.square_root", ("the calculator shows 15",)),
        ("mousepad.missing_word", ("say that it cannot be done (terminate failure), after having looked",)),
    ],
)
def test_goals_in_words(name: str, lines: tuple[str, ...]) -> None:
    assert goal_in_words(templates()[name](0, "en", "train")) == lines


@pytest.mark.parametrize("name", templates())
def test_every_goal_can_be_said(name: str) -> None:
    assert goal_in_words(templates()[name](1, "zh", "test"))


@pytest.mark.desktop
@pytest.mark.usefixtures("installed")
def test_a_task_is_shown_with_goal_and_oracle() -> None:
    shown = saccade("tasks", "show", "galculator.square_root", "--world", "desktop", "--language", "zh", "--json")
    task = json.loads(shown.stdout)
    assert task["success"] and task["goal"] == ["the calculator shows 15"]
    assert task["oracle"] == ["点击了“2”", "点击了“2”", "点击了“5”", "点击了“sqrt”", "结束了"]


@pytest.mark.desktop
@pytest.mark.usefixtures("installed")
def test_episodes_are_collected(tmp_path: Path) -> None:
    out = tmp_path / "data"
    how = ["--episodes", "2", "--option", "group=galculator", "--out", str(out)]
    done = saccade("data", "collect", "desktop", *how)
    assert done.returncode == 0, done.stderr
    steps = [json.loads(line) for file in out.rglob("*.jsonl") for line in file.read_text().splitlines()]
    acted = [step for step in steps if "truth" in step]
    assert len({step["episode"] for step in acted}) == 2
    assert all((out / step["image"]).exists() and step["elements"] for step in acted)
