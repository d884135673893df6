"""The index of runs: what is found, read as it grows, and survives hostile folders."""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra studio")
from hypothesis import given
from hypothesis import strategies as st
from run_folders import begin, logged, write_measurement, write_run
from sqlalchemy import Engine, func, select

import throwaway_postgres
from saccade.actions import Action
from saccade.agents.records import Approval, Outcome
from saccade.errors import InputError, MissingError
from saccade.geometry import Box, Point
from saccade.studio.database.engine import database_address, open_database
from saccade.studio.database.runs import IndexedMeasurement, IndexedRun, IndexedStep, MeasuredCase, SearchText
from saccade.studio.index import run_reader, search
from saccade.studio.index.comparison import compare
from saccade.studio.index.growing_file import LONGEST_LINE, Position, read_piece
from saccade.studio.index.indexer import Indexer
from saccade.studio.index.queries import (
    RunFilter,
    cases_page,
    choices,
    error_classes,
    find_run,
    measurements_page,
    next_problem,
    read_filter,
    runs_page,
    same_task,
    step_rows,
)
from saccade.studio.index.run_reader import still_running
from saccade.studio.index.step_view import read_views
from saccade.studio.index.text_signatures import bits_of, parts, signature
from saccade.studio.index.warm_up import warm_up


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    found = open_database(f"sqlite:///{tmp_path / 'studio.db'}")
    yield found
    found.dispose()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


def all_rows(engine: Engine, model: Any) -> list[Any]:
    with engine.connect().execution_options(reads=True) as connection:
        return list(connection.execute(select(model)))


def found(engine: Engine, query: str) -> set[str]:
    return {run.name for run in runs_page(engine, RunFilter(query=query)).rows}


def test_a_run_is_indexed_and_its_steps_are_read_by_where_they_lie(engine: Engine, folder: Path) -> None:
    wrong = [Action("click", point=Point(20, 20), box=Box(0, 0, 40, 40))]
    steps = [
        logged(0, "I see the clock"),
        logged(1, truth=wrong),
        logged(2, error="no such place"),
        logged(3, approval=Approval(False, "it pays", "pay")),
        logged(4, prediction=None, problem="not JSON"),
        logged(5, repairs=["a comma"]),
    ]
    write_run(folder / "one", steps)
    assert Indexer(engine, [folder]).look() == 1
    (run,) = runs_page(engine, RunFilter()).rows
    assert (run.instruction, run.model, run.paradigm, run.status) == ("Set an alarm", "openai/a-3b", "btl", "success")
    assert (run.steps, run.problems, run.tokens, round(run.cost, 6)) == (6, 5, 660, 0.006)
    assert (run.language, run.answer, run.ended_by, run.rule) == ("en", "seven o'clock", "agent", "cmgui")
    rows = step_rows(engine, run, 0)
    assert [row.mark for row in rows] == ["", "wrong", "error", "refused", "unreadable", "repaired"]
    assert [row.error_class for row in rows] == ["", "locate", "", "", "", ""]
    views = read_views(run, rows[:2], "en", whole=True)
    assert (
        views[0].words == 'tapped "Alarm"' and views[0].step is not None and views[0].step.thought == "I see the clock"
    )
    assert {(shape.kind, shape.layer) for shape in views[1].shapes} == {
        ("box", "elements"),
        ("box", "truth"),
        ("point", "action"),
    }
    assert next_problem(engine, run, 1) == 2 and next_problem(engine, run, 5) == 1


def test_only_new_lines_are_read_and_half_a_line_waits(engine: Engine, folder: Path) -> None:
    indexer = Indexer(engine, [folder])
    with begin(folder / "live") as log:
        log.step(logged(0), None)
        indexer.look()
        (run,) = runs_page(engine, RunFilter()).rows
        assert (run.status, run.steps) == ("running", 1)
        before = step_rows(engine, run, 0)[0].offset, run.offset
        log.step(logged(1), None)
        with (folder / "live/steps.jsonl").open("ab") as file:
            file.write(b'{"step": 2, "screen": [1')
        indexer.look()
        rows = step_rows(engine, run, 0)
        assert [(row.position, row.offset) for row in rows] == [(0, 0), (1, before[1])]
        with (folder / "live/steps.jsonl").open("ab") as file:
            file.write(b"0, 10]}\n")
        indexer.look()
        assert [row.number for row in step_rows(engine, run, 0)] == [0, 1, 2]
        assert indexer.look() == 0, "nothing new"
        log.end(Outcome("failure", "steps", "too long"))
    indexer.look()
    ended = find_run(engine, run.id)
    assert ended is not None and (ended.status, ended.reason, ended.bad_lines) == ("failure", "too long", 0)


@pytest.mark.parametrize("locks", ["/proc/locks", "/proc/missing"])
def test_a_run_goes_on_while_a_process_holds_its_lock(folder: Path, monkeypatch: Any, locks: str) -> None:
    """After a kill the number in the lock file may be that of another process."""
    listed = locks == "/proc/locks"
    monkeypatch.setattr(run_reader, "LOCKS", Path(locks))
    with begin(folder / "one"):
        assert still_running(folder / "one")
    for path in (folder / "one", folder / "one/steps.jsonl"):
        os.utime(path, (0, 0))  # its files did not change lately
    assert (folder / "one/.lock").read_text().strip() == str(os.getpid()), "left behind, as by a kill"
    assert still_running(folder / "one") != listed, "our process is alive; only the list tells that it has let go"


def test_a_cut_a_replaced_and_a_removed_run(engine: Engine, folder: Path) -> None:
    indexer = Indexer(engine, [folder])
    write_run(folder / "one", [logged(at, "green parrot") for at in range(3)])
    file = folder / "one/steps.jsonl"
    indexer.look()
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(lines[0])
    indexer.look()
    (run,) = runs_page(engine, RunFilter()).rows
    assert run.steps == 1 and len(all_rows(engine, IndexedStep)) == 1
    file.write_bytes(b"".join(lines).replace(b"green parrot", b"white rabbit").replace(b'"Set an', b'"Put an'))
    indexer.look()
    assert found(engine, "green parrot") == set() and found(engine, "white rabbit") == {"one"}
    for each in sorted((folder / "one").rglob("*"), reverse=True):
        each.rmdir() if each.is_dir() else each.unlink()
    (folder / "one").rmdir()
    assert indexer.look() == 1
    assert not any(all_rows(engine, model) for model in (IndexedRun, IndexedStep, SearchText))


def test_another_process_goes_on_where_the_last_one_ended(engine: Engine, folder: Path) -> None:
    write_run(folder / "one", [logged(0)])
    assert Indexer(engine, [folder]).look() == 1
    assert Indexer(engine, [folder]).look() == 0


def test_hostile_folders(engine: Engine, folder: Path, tmp_path: Path) -> None:
    """Bad lines are counted and skipped, links are not followed, and nothing blocks."""
    good = b'{"step": 7, "screen": [10, 10], "thought": "still here"}\n'
    bad = folder / "bad"
    bad.mkdir()
    with (bad / "steps.jsonl").open("wb") as file:
        file.write(b"\xff\xfe\n[]\n" + b'{"step": "x"}\n{"step": -1}\n{"step": 1e400}\n' + b"[" * 100_000 + b"\n")
        file.seek(100 * 2**20, os.SEEK_CUR)  # a line of 100 MB
        file.write(b"\n" + good)
    (bad / "run.json").write_text(
        '{"settings": 5, "outcome": [], "instruction": {"a": 1}, "attempts": "x", "usage": 3}'
    )
    (folder / "list").mkdir()
    (folder / "list/run.json").write_text("[1, 2]")
    (folder / "nul").mkdir()
    (folder / "nul/run.json").write_text('{"instruction": "a\\u0000b <script>alert(1)</script>", "started": "never"}')
    (folder / "pipe").mkdir()
    os.mkfifo(folder / "pipe/run.json")
    os.mkfifo(folder / "pipe/steps.jsonl")
    write_run(tmp_path / "outside", [logged(0)])
    (folder / "link").symlink_to(tmp_path / "outside")
    indexer = Indexer(engine, [folder])
    indexer.look()
    runs = {run.name: run for run in runs_page(engine, RunFilter()).rows}
    assert sorted(runs) == ["bad", "list", "nul", "pipe"]
    assert (runs["bad"].steps, runs["bad"].bad_lines) == (1, 7)
    assert "too long" in runs["bad"].note and "steps.jsonl" in runs["bad"].note
    assert runs["list"].note == "run.json: not an object"
    assert runs["nul"].instruction == "ab <script>alert(1)</script>"
    assert [row.number for row in step_rows(engine, runs["bad"], 0)] == [7]


def test_a_line_that_is_too_long_and_has_no_end_yet(tmp_path: Path) -> None:
    file = tmp_path / "grown"
    with file.open("wb") as stream:
        stream.write(b"one\n")
        stream.truncate(2 * LONGEST_LINE)
    first = read_piece(file, Position())
    assert [line for _, line in first.lines] == [b"one"] and first.more
    second = read_piece(file, first.position)
    assert not second.lines and second.position.skipping
    third = read_piece(file, second.position)
    with file.open("ab") as stream:
        stream.write(b"end of it\nlast\n")
    fourth = read_piece(file, third.position)
    assert [line for _, line in fourth.lines] == [b"last"] and fourth.too_long == 1


@pytest.mark.slow
def test_postgresql_holds_the_same_index(folder: Path) -> None:
    try:
        throwaway_postgres.find_programs()
        throwaway_postgres.as_user()
    except MissingError as error:
        pytest.skip(str(error))
    with throwaway_postgres.postgres() as address:
        there = open_database(database_address(address, []))
        for test in (test_search_in_instructions_and_answers, test_measurements_and_their_cases):
            test(there, folder)
            shutil.rmtree(folder)
            folder.mkdir()
            Indexer(there, [folder]).look()
        test_a_cut_a_replaced_and_a_removed_run(there, folder)
        check_search_in_parts(there, folder)
        there.dispose()


def check_search_in_parts(engine: Engine, folder: Path) -> None:
    """A search whose time is over says how far it came; its next pages find the rest, each run once, in order."""
    for at in range(7):
        write_run(folder / f"run-{at}", [logged(0, "green parrot" if at % 3 else "white rabbit")] * (1 + at // 3))
    Indexer(engine, [folder]).look()
    expected = sorted((name for name in found(engine, "parrot")), reverse=True)
    assert len(expected) == 4 and runs_page(engine, RunFilter(query="parrot"), most=2).count == 4
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "FIRST_STEPS", 1)  # a statement for each run
        first = runs_page(engine, RunFilter(query="parrot"), search_seconds=0)
        assert (first.searched, first.more, bool(first.following)) == (1, True, True)
        for most, order in itertools.product((1, 2, 50), ("started", "steps")):
            names, after, pages = [], "", 0
            while after or not pages:
                wanted = RunFilter(query="parrot", sort=order, after=after)
                page = runs_page(engine, wanted, most, search_seconds=0)
                names += [run.name for run in page.rows]
                after, pages = page.following, pages + 1
            assert sorted(names, reverse=True) == expected and pages <= 8
        patch.setattr(search, "MOST_COUNTED", 2)
        page = runs_page(engine, RunFilter(query="parrot"), most=1, search_seconds=60)
        assert (len(page.rows), page.count, page.more, page.searched) == (1, 2, True, 0) and page.following


def test_search_in_instructions_and_answers(engine: Engine, folder: Path) -> None:
    write_run(folder / "english", [logged(0, 'press the "Alarm" button 100%')], "Wake me at seven")
    write_run(folder / "chinese", [logged(0, "先打开设置再看天气")], "打开蓝牙")
    Indexer(engine, [folder]).look()
    for query, names in {
        "wake ME": {"english"},
        "e at sev": {"english"},
        "seven o'clock": {"english", "chinese"},  # the answer at the end
        '"Alarm" b': {"english"},
        "100%": {"english"},
        "设置": {"chinese"},
        "天气": {"chinese"},
        "打开蓝牙": {"chinese"},
        "蓝": {"chinese"},
        "蓝天": set(),
        "no such words": set(),
        'a" OR "b': set(),
        "_": set(),
        "\0": {"english", "chinese"},
    }.items():
        assert found(engine, query) == names, query


@given(text=st.text(max_size=60), data=st.data())
def test_a_text_s_signature_has_the_bits_of_all_its_parts(text: str, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(text)))
    phrase = text[first : data.draw(st.integers(first, len(text)))]
    bits = int.from_bytes(signature(text), "little")
    assert all(bits >> bit & 1 for bit in bits_of(phrase))


def test_long_texts_are_signed_in_parts_of_whole_lines() -> None:
    lines = ["a" * 1_500, "中" * 700, "", "b" * 5_000, "c"] * 2
    found = parts("\n".join(lines))
    assert "\n".join(found) == "\n".join(lines) and max(len(part.encode()) for part in found) == 5_000
    assert len(found) == 5 and parts("") == [""]
    assert bits_of("x") == [] and len(bits_of("ab")) == 1 and len(bits_of("phrase of many letters")) <= 8
    unlike = int.from_bytes(signature("the quick brown fox"), "little")
    assert not all(unlike >> bit & 1 for bit in bits_of("lazy dog"))


def test_filters_sorting_and_paging_by_key(engine: Engine, folder: Path) -> None:
    for at in range(7):
        status = "success" if at % 2 else "failure"
        write_run(folder / f"run-{at}", [logged(0)] * (1 + at // 3), f"task {at}", status, model=f"m{at % 3}")
    Indexer(engine, [folder]).look()
    assert choices(engine)["model"] == [("m0", 3), ("m1", 2), ("m2", 2)]
    assert {run.name for run in runs_page(engine, RunFilter({"model": "m0", "status": "failure"})).rows} == {
        "run-0",
        "run-6",
    }
    for descending in (True, False):
        seen, after = [], ""
        while True:
            page = runs_page(engine, RunFilter(sort="steps", descending=descending, after=after), most=2)
            seen += [(run.steps, run.name) for run in page.rows]
            after = page.following
            if not after:
                break
        assert len(set(seen)) == 7 and [steps for steps, _ in seen] == sorted((s for s, _ in seen), reverse=descending)
    for damaged in ("x", "[1]", '["a", 1]', '[1, "b"]', "[" * 5000):
        with pytest.raises(InputError, match="address of the page is damaged"):
            runs_page(engine, RunFilter(sort="steps", after=damaged))
    with pytest.raises(InputError, match="cannot be sorted by 'path'"):
        read_filter({"sort": "path"})


def test_warming_up_counts_the_choices_and_changes_nothing(engine: Engine, folder: Path) -> None:
    write_run(folder / "one", [logged(0)])
    indexer = Indexer(engine, [folder])
    indexer.look()
    before = all_rows(engine, IndexedRun)
    warm_up(indexer)
    assert indexer.choices is not None and indexer.choices[1]["model"] == [("openai/a-3b", 1)]
    assert all_rows(engine, IndexedRun) == before
    empty = open_database("sqlite://")
    warm_up(Indexer(empty, [folder]))  # a database without a file
    empty.dispose()


def test_measurements_and_their_cases(engine: Engine, folder: Path) -> None:
    write_measurement(folder / "phone")
    indexer = Indexer(engine, [folder])
    indexer.look()
    (measurement,) = measurements_page(engine).rows
    assert (measurement.suite, measurement.label, measurement.planned) == ("phone", "oracle btl", 4)
    assert (measurement.cases, measurement.successes, measurement.broken) == (4, 1, 1)
    cases = cases_page(engine, measurement).rows
    assert [case.end for case in cases] == ["right", "failed", "broken", "failed"]
    assert [bool(case.run) for case in cases] == [True, False, False, False]
    assert error_classes(engine, measurement) == {"locate": 1}
    (run,) = runs_page(engine, RunFilter()).rows
    assert (run.id, run.measurement, run.suite, run.app) == (cases[0].run, measurement.id, "phone", "clock")
    assert [case.case for case in cases_page(engine, measurement, "broken").rows] == ["alarm-en-2"]
    with (folder / "phone/results.jsonl").open("ab") as file:
        file.write(b'{"id": 5}\n')
    indexer.look()
    (again,) = measurements_page(engine).rows
    assert (again.cases, again.bad_lines) == (4, 1) and len(all_rows(engine, MeasuredCase)) == 4
    assert len(all_rows(engine, IndexedMeasurement)) == 1


def test_two_runs_are_aligned_up_to_the_first_difference_and_after_it(engine: Engine, folder: Path) -> None:
    back, home = Action("press", key="back"), Action("press", key="home")
    write_run(folder / "a", [logged(0), logged(1, prediction=home), logged(2, prediction=Action("wait"))])
    write_run(
        folder / "b",
        [logged(0), logged(1, prediction=back), logged(2, prediction=back), logged(3, prediction=Action("wait"))],
    )
    Indexer(engine, [folder]).look()
    a, b = sorted(runs_page(engine, RunFilter()).rows, key=lambda run: run.name)
    result = compare(engine, (a, b), "en")
    words = [tuple(side.words if side else None for side in row.sides) for row in result.rows]
    assert words == [
        ('tapped "Alarm"', 'tapped "Alarm"'),
        ("went to the home screen", "went back"),
        (None, "went back"),
        ("waited", "waited"),
    ]
    assert [row.same for row in result.rows] == [True, False, False, True]
    assert (result.first_difference, result.same_task, result.cut) == (1, True, False)
    assert [run.name for run in same_task(engine, a)] == ["b"]


def test_two_studios_with_one_database(engine: Engine, folder: Path) -> None:
    """The second loses no run and writes none twice, whoever is first."""
    one, two = Indexer(engine, [folder]), Indexer(engine, [folder])
    write_run(folder / "run", [logged(0)])
    one.look()
    two.look()
    two.look()
    with engine.connect().execution_options(reads=True) as connection:
        assert connection.execute(select(func.count()).select_from(IndexedStep)).scalar() == 1
