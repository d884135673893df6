"""`saccade data check` on results says what they are and which command reads them; unknown data, how to read it."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import saccade

from saccade.actions import Action
from saccade.geometry import Size
from saccade.records import write_steps
from saccade.types import Step

BACK = Action("press", key="back")
STEP = Step(id="a", screen=Size(300, 600), instruction="Go back", truth=[BACK], prediction=BACK)


def test_what_a_measurement_leaves(tmp_path: Path) -> None:
    write_steps(tmp_path / "a.jsonl", [STEP])
    out = tmp_path / "out"
    assert saccade("bench", "steps", "--predictions", tmp_path / "a.jsonl", "--out", out).returncode == 0
    done = saccade("data", "check", out / "results.jsonl")
    assert done.returncode == 2 and "is the results of a measurement" in done.stderr
    assert f"saccade bench errors {out}" in done.stderr and f"saccade bench compare {out}" in done.stderr
    for path in (out, out / "steps.jsonl"):
        done = saccade("data", "check", path)
        assert done.returncode == 0 and "is the answers of a measurement" in done.stderr, "and they are checked"
        assert f"saccade score {out / 'steps.jsonl'}" in done.stderr and "no findings" in done.stdout
    run = next((out / "runs").iterdir())
    done = saccade("data", "check", run / "steps.jsonl")
    assert done.returncode == 0 and f"is the log of a run: saccade view {run} shows it" in done.stderr


def test_answers_of_others(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    write_steps(file, [STEP])
    done = saccade("data", "check", file)
    assert done.returncode == 0 and f"saccade bench SUITE --predictions {file}" in done.stderr
    write_steps(file, [Step(id="a", screen=Size(300, 600), instruction="Go back", truth=[BACK])])
    assert saccade("data", "check", file).stderr == "", "data, and no results"


@pytest.mark.shared
def test_real_answers_of_others(shared_data: Path) -> None:
    file = shared_data / "screenspot_pro/predictions_half.jsonl"
    for command in ("check", "describe"):
        done = saccade("data", command, file)
        assert done.returncode == 2 and "is a file of a model's answers (screenspot-results)" in done.stderr
        assert f"saccade bench SUITE --predictions {file}" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize("name", ["notes.txt", "rows.jsonl", "table.json"])
def test_unknown_data_says_how_to_write_a_reader(tmp_path: Path, name: str) -> None:
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / name).write_text('{"colour": "red"}\n', encoding="utf-8")
    for path in (tmp_path / "odd", tmp_path / "odd" / name):
        done = saccade("data", "describe", path)
        assert done.returncode == 2 and f"no reader knows what {path} holds" in done.stderr
        for part in ("--plugin FILE.py", "examples/plugins/my_reader.py", "docs/DATA.md", "--as"):
            assert part in done.stderr
