"""Every template's judge on prepared home folders: the goal is accepted, near misses are not. No application runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from saccade.actions import Action
from saccade.bench.suites import get_suite, live_tasks, training_tasks
from saccade.errors import InputError
from saccade.worlds.desktop.tasks.catalog import CATALOG, in_split, templates
from saccade.worlds.desktop.tasks.home_files import TRASH_FOLDER, Files, Paint, read_files, write_files
from saccade.worlds.desktop.tasks.spreadsheet import read_cells, write_cells
from saccade.worlds.desktop.tasks.template import DesktopTask, Ending, same_answer

EVERY = [(name, language) for name in templates() for language in ("en", "zh")]
SUCCESS, FAILURE = Action("terminate", status="success"), Action("terminate", status="failure")


def in_home(home: Path, files: Files) -> dict[str, Any]:
    """Write files into a real home folder, and read them as the judge does."""
    home.mkdir()
    write_files(home, {name.replace("Trash/", f"{TRASH_FOLDER}/", 1): content for name, content in files.items()})
    return read_files(home)


def damaged(content: Any) -> Any:
    """Almost the right content."""
    if isinstance(content, Paint):
        return Paint(content.width + 1, content.height, content.colour)
    if isinstance(content, dict) and "items" in content:
        *rows, last = content["items"]
        return {"items": [*rows, (*last[:-1], f"{last[-1]}x")]}
    if isinstance(content, dict):
        *cells, last = content
        return {cell: content[cell] for cell in cells} | {last: content[last].lstrip("=") + "1"}
    return content[:-1] + ("a" if content[-1] != "a" else "b")


def near_misses(task: DesktopTask) -> Iterator[tuple[str, Files, Action, str]]:
    """The files, the last action and the calculator's display of endings that are almost right."""
    goal, right = task.goal or {}, task.last_action
    yield "another file", {**goal, "stray.txt": "something"}, right, task.display
    kept = next((name for name in goal if name not in task.touched and isinstance(goal[name], str)), None)
    if kept is not None:
        yield "a file that must stay", {**goal, kept: damaged(goal[kept])}, right, task.display
    yield "the wrong ending", goal, SUCCESS if right != SUCCESS else FAILURE, task.display
    for name in task.touched & set(goal):
        if goal[name] is not None:
            yield "a wrong content", {**goal, name: damaged(goal[name])}, right, task.display
    for new in set(goal) - set(task.files):
        renamed = {f"x{name}" if name == new else name: content for name, content in goal.items()}
        yield "a wrong name", renamed, right, task.display
    if task.touched:
        yield "nothing done", task.files, right, task.display
    if task.display:
        yield "a wrong display", goal, right, f"{task.display}1"
    if task.kind == "ask":
        yield "a wrong answer", goal, Action("answer", text=f"{task.answer}1"), ""


@pytest.mark.parametrize(("name", "language"), EVERY)
def test_the_goal_is_accepted_and_near_misses_are_not(name: str, language: str, tmp_path: Path) -> None:
    task = templates()[name](1, language, "test")
    assert in_home(tmp_path / "start", task.files) == task.files
    files = in_home(tmp_path / "goal", task.written())
    assert files == task.goal
    assert task.problems(Ending(task.last_action, files, task.display)) == []
    if task.kind == "infeasible":
        assert task.problems(Ending(task.last_action, task.goal or {}, looked=False)) == [
            "gave up without having looked"
        ]
    missed = list(near_misses(task))
    assert len({what for what, *_ in missed}) >= 3
    for what, near, action, display in missed:
        assert task.problems(Ending(action, near, display)), what


@pytest.mark.parametrize(("name", "language"), EVERY)
def test_near_misses_of_the_template_are_rejected(name: str, language: str, tmp_path: Path) -> None:
    """Those that the template itself names, as real files."""
    task = templates()[name](1, language, "test")
    assert len(task.near_misses()) >= 3
    for what, ending in task.near_misses().items():
        files = in_home(tmp_path / what, ending.files)
        assert task.problems(replace(ending, files=files)), what


@pytest.mark.parametrize(("name", "language"), EVERY)
def test_parameters_come_from_seed_and_split(name: str, language: str) -> None:
    template = templates()[name]
    task = template(3, language, "train")
    again = template(3, language, "train")
    assert (task.instruction, task.files, task.goal) == (again.instruction, again.files, again.goal)
    assert "{" not in task.instruction and task.apps
    drawn = {(template(seed, language, split).instruction) for seed in range(5) for split in ("train", "test")}
    assert len(drawn) >= 4  # some templates have few parameters


def test_there_are_enough_templates_of_every_kind() -> None:
    every = templates().values()
    assert len(every) >= 30
    assert len({each.apps[0] for each in every}) == 6
    assert sum(each.kind == "infeasible" for each in every) >= 3
    assert sum(len(each.apps) > 1 for each in every) >= 2
    assert [row.name for row in CATALOG.templates("train")] == [each.name for each in every if not each.held_out]


def test_suite_has_splits_groups_and_languages() -> None:
    suite = get_suite("desktop")
    test = live_tasks(suite, {"seeds": 1}, 1000)
    assert len(test) == 2 * len(templates())
    trained = {task.tags["task"] for task in training_tasks("desktop", 500, {})}
    assert trained == {each.name for each in in_split("train")}
    assert {each.name for each in in_split("test")} - trained == {n for n, each in templates().items() if each.held_out}
    only = live_tasks(suite, {"group": "pcmanfm", "language": "zh", "seeds": 2, "split": "validation"}, 1000)
    assert {task.options["language"] for task in only} == {"zh"} and {task.seed for task in only} == {0, 1}
    assert all(task.world.startswith("desktop/pcmanfm.") and task.options["split"] == "validation" for task in only)
    with pytest.raises(InputError, match="group is 'word'"):
        live_tasks(suite, {"group": "word"}, 1)


def test_formulas_are_worked_out() -> None:
    cells = {"A1": "2", "A2": "3", "A3": "x", "B1": "=A1*(A2+1)-4/2", "B2": "=SUM(A1:A3,10)", "B3": "=average(A1:A2)"}
    cells |= {"C1": "=2+3", "C2": "=B1+1", "C3": "=C3", "C4": "=SHELL(A1)", "C5": "=MAX($A$1:$A$2)"}
    # 2·(3+1) − 2 = 6; 2 + 3 + 10 = 15, texts are left out; (2+3)/2 = 2.5; a formula without cells is a plain number
    # Behind each: with A1 = 1002, with A2 = 1003
    wanted = {"B1": "=6 (4006 2006)", "B2": "=15 (1015 1015)", "B3": "=2.5 (502.5 502.5)", "C1": "5"}
    wanted |= {"C2": "=7 (4007 2007)", "C5": "=3 (1002 1003)"}
    got = read_cells(write_cells(cells))
    assert {cell: got[cell] for cell in wanted} == wanted
    with pytest.raises(ValueError, match="more formulas"):
        read_cells(write_cells({f"A{row}": "=B1" for row in range(1, 30)}))
    assert got["C3"].startswith("=?") and got["C4"].startswith("=?")


def test_a_damaged_workbook_is_no_workbook(tmp_path: Path) -> None:
    (tmp_path / "a.gnumeric").write_bytes(b"\x1f\x8bnonsense")
    (tmp_path / "b.db").write_bytes(b"nonsense" * 100)
    (tmp_path / "c.png").write_bytes(b"nonsense")
    (tmp_path / "d.txt").write_bytes(b"\xff\xfe")
    (tmp_path / "e.txt").symlink_to("/etc/passwd")
    files = read_files(tmp_path)
    assert all(str(files[name]).startswith("<unreadable") for name in ("a.gnumeric", "b.db", "c.png", "d.txt"))
    assert "no plain file" in str(files["e.txt"])


def test_changes_that_were_not_written_do_not_count(tmp_path: Path) -> None:
    tables = {"items": [("id", "name"), (1, "pen")]}
    write_files(tmp_path, {"shop.db": tables})
    connection = sqlite3.connect(tmp_path / "shop.db")
    connection.execute("UPDATE items SET name = 'cup'")
    assert read_files(tmp_path) == {"shop.db": tables}
    connection.commit()
    connection.close()
    assert read_files(tmp_path) == {"shop.db": {"items": [("id", "name"), (1, "cup")]}}


@pytest.mark.parametrize(
    ("given", "wanted", "same"),
    [
        ("13,266", "13266", True),
        ("The result is 13266.", "13266", True),
        ("13266 or 13267", "13266", False),
        ("1326", "13266", False),
        ("“Pay the electricity bill”", "Pay the electricity bill", True),
        ("Pay the bill", "Pay the electricity bill", False),
    ],
)
def test_answers(given: str, wanted: str, same: bool) -> None:
    assert same_answer(given, wanted) is same
