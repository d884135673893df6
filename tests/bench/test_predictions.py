"""`saccade bench SUITE --predictions FILE`: answers that were given elsewhere get the papers' tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from command import saccade

from saccade.bench.results_store import read_bench
from saccade.bench.table import Table
from saccade.records import LONGEST_LINE

BOX = [20, 100, 280, 160]
TAP = {"type": "click", "point": [150, 130]}
TRUTH = [TAP | {"box": BOX}]
BACK = {"type": "press", "key": "back"}


def record(at: int, **rest: Any) -> dict[str, Any]:
    """A sample that is answered right by a tap at [150, 130]."""
    return {
        "id": f"s{at}",
        "instruction": f"Tap number {at}",
        "screen": [300, 600],
        "truth": TRUTH,
        "prediction": TAP,
        **rest,
    }


def write(path: Path, *lines: Any) -> Path:
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines), "utf-8")
    return path


def tables(folder: Path) -> list[Table]:
    return msgspec.json.decode((folder / "report.json").read_bytes(), type=list[Table])


def test_navigation_steps_get_the_planning_table(tmp_path: Path) -> None:
    """Two episodes of two steps, three of four right: type 3/4, GR 2/2 of the clicks whose type is right, SR 3/4."""
    steps = [
        record(0, episode="a", step=0),
        record(1, episode="a", step=1, truth=[BACK], prediction=BACK),
        record(3, episode="b", step=1, prediction=BACK),
        record(2, episode="b", step=0),
    ]
    file = write(tmp_path / "theirs.jsonl", *steps)
    done = saccade("bench", "androidcontrol-high", "--predictions", file, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "AndroidControl-High: type, GR and SR" in done.stdout and "published, BTL-UI, Table 4" in done.stdout
    main = tables(tmp_path / "out")[0]
    assert main.rows[0].label == "theirs" and len(main.rows) > 20
    assert [(cell.value, cell.n) for cell in main.rows[0].cells if cell] == [(75.0, 4), (100.0, 2), (75.0, 4)]
    assert read_bench(tmp_path / "out").predictions == str(file.resolve())
    said = " ".join(main.notes)
    assert "4 steps of 2 cases" in said and "predictions theirs.jsonl" in said and "Not offered" not in said
    assert not any("costs" in table.title for table in tables(tmp_path / "out")), "nobody knows what they cost"
    assert (tmp_path / "out/runs/b/replay.html").exists() and (tmp_path / "out/runs/a/replay.html").exists()


def test_rules_labels_and_comparisons_work_as_for_any_measurement(tmp_path: Path) -> None:
    far = {"type": "click", "point": [150, 175]}  # outside the box, 45 px below its centre: right by os-atlas only
    one = write(tmp_path / "one.jsonl", *[record(at, prediction=far if at < 6 else TAP) for at in range(12)])
    two = write(tmp_path / "two.jsonl", *[record(at) for at in range(12)])
    words = ["--profiles", "cmgui,os-atlas", "--label", "mine"]
    assert saccade("bench", "steps", "--predictions", one, *words, "--out", tmp_path / "1").returncode == 0
    found = tables(tmp_path / "1")
    rates = {row.label: row.cells[found[-1].columns.index("SR")] for row in found[-1].rows}
    assert rates["cmgui"] and rates["os-atlas"] and (rates["cmgui"].value, rates["os-atlas"].value) == (50.0, 100.0)
    assert found[0].rows[0].label == "mine"
    assert saccade("bench", "steps", "--predictions", two, "--out", tmp_path / "2").returncode == 0
    told = saccade("bench", "compare", tmp_path / "1", tmp_path / "2", "--profiles", "cmgui", "--json")
    made = json.loads(told.stdout)
    assert (made["one"], made["other"], made["only_other"], made["verdict"]) == ("mine", "two", 6, "better")


def test_the_file_is_read_anew(tmp_path: Path) -> None:
    file, out = tmp_path / "a.jsonl", tmp_path / "out"
    write(file, record(0), record(1, prediction=None))
    saccade("bench", "steps", "--predictions", file, "--out", out)
    assert tables(out)[0].rows[0].cells[2].value == 50.0  # type: ignore[union-attr]
    write(file, record(0), record(1), record(2))
    saccade("bench", "steps", "--predictions", file, "--out", out)
    assert (tables(out)[0].rows[0].cells[2].value, tables(out)[0].rows[0].cells[2].n) == (100.0, 3)  # type: ignore[union-attr]
    write(tmp_path / "b.jsonl", record(0))
    done = saccade("bench", "steps", "--predictions", tmp_path / "b.jsonl", "--out", out)
    assert done.returncode == 2 and "different predictions" in done.stderr


def test_raw_answers_are_parsed_with_elements_and_reasoning(tmp_path: Path) -> None:
    """UILoop's own format: Locate, Lingualize and Leverage need the elements that it names."""
    answer = (
        "<ui> Located at [150, 130], opens the search </ui><think>I tap Search, it opens the search.</think>"
        "<answer>[{'action': 'click', 'point': [150, 130], 'input_text': 'no input text'}]</answer>"
    )
    key = [{"id": 1, "box": BOX, "text": "Search", "caption": "opens the search"}]
    line = record(0, output=answer, paradigm="uiloop", key_elements=key)
    del line["prediction"]
    file = write(tmp_path / "raw.jsonl", line)
    done = saccade("bench", "ui-comprehension", "--predictions", file, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    main = tables(tmp_path / "out")[0]
    assert [cell and cell.value for cell in main.rows[0].cells] == [100.0, 100.0, 100.0, 100.0]
    named = next(table for table in tables(tmp_path / "out") if "names the key elements" in table.title)
    assert [cell and (cell.value, cell.n) for cell in named.rows[0].cells] == [(100.0, 1), (100.0, 1)]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([record(0), record(1), record(0)], ":3: the id 's0' is in line 1 already"),
        ([record(0, episode="a"), record(1, episode="a")], "step 0 of the episode 'a' is in line 1 already"),
        ([{key: value for key, value in record(0).items() if key != "truth"}], ":1: truth: missing"),
        ([record(0, truth=[])], ":1: truth: there must be at least one valid action"),
        ([{key: value for key, value in record(0).items() if key != "prediction"}], "prediction: missing"),
        ([record(0, prediction=None, output="Back")], "paradigm: missing, so its raw output cannot be read"),
        ([record(0, prediction={"type": "teleport"})], ":1: prediction.type"),
        (["[1, 2]"], ":1: a step record is a JSON object"),
        (["{" * 100_000], ":1: not JSON"),
        ([""], "holds no step record"),
        (["x" * (LONGEST_LINE + 1)], ":1: the line is longer than 67,108,864 characters"),
    ],
    ids=[
        "twice",
        "step-twice",
        "no-truth",
        "empty-truth",
        "no-answer",
        "no-format",
        "action",
        "list",
        "deep",
        "empty",
        "huge",
    ],
)
def test_odd_files_are_one_sentence(tmp_path: Path, lines: list[Any], said: str) -> None:
    file = write(tmp_path / "odd.jsonl", *lines)
    done = saccade("bench", "steps", "--predictions", file, "--out", tmp_path / "out")
    assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1, done.stderr[:2000]
    assert not (tmp_path / "out").exists()


def test_bad_lines_can_be_left_out_and_are_counted(tmp_path: Path) -> None:
    file = write(tmp_path / "some.jsonl", record(0), "{", record(1))
    words: list[str | Path] = ["bench", "steps", "--predictions", file, "--keep-going", "--out", tmp_path / "out"]
    assert saccade(*words).returncode == 0
    assert "1 lines could not be read and are left out" in " ".join(tables(tmp_path / "out")[0].notes)


def test_only_pictures_beside_the_file_are_kept(tmp_path: Path) -> None:
    """A file of strangers must not bring other files of this machine into a report."""
    (tmp_path / "secret.txt").write_text("secret", "utf-8")
    (tmp_path / "theirs").mkdir()
    file = write(tmp_path / "theirs/a.jsonl", record(0, image="../secret.txt"), record(1, image="/etc/hostname"))
    assert saccade("bench", "steps", "--predictions", file, "--out", tmp_path / "out").returncode == 0
    assert not list((tmp_path / "out").rglob("screens/*"))


def test_what_does_not_go_with_predictions(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", record(0))
    for words in (["--model", "mini"], ["--data", tmp_path], ["--option", "draw=5"], ["--grid", "k=1,2"], ["--blind"]):
        done = saccade("bench", "steps", "--predictions", file, *words)
        assert done.returncode == 2 and f"{words[0]} does not go with --predictions" in done.stderr
    done = saccade("bench", "miniwob", "--predictions", file, "--out", tmp_path / "out")
    assert done.returncode == 2 and "miniwob is a live suite" in done.stderr
    done = saccade("bench", "steps", "--predictions", tmp_path / "none.jsonl", "--out", tmp_path / "out")
    assert done.returncode == 2 and "there is no file" in done.stderr


@pytest.mark.shared
@pytest.mark.parametrize(("suite", "right", "n", "table"), [("pro", 525, 790, "6"), ("v2", 606, 636, "3")])
def test_the_real_predictions(tmp_path: Path, shared_data: Path, suite: str, right: int, n: int, table: str) -> None:
    """As many right as the authors' own labels say, in BTL-UI's table with our row."""
    file = shared_data / f"screenspot_{suite}/predictions_half.jsonl"
    done = saccade("bench", f"screenspot-{suite}", "--predictions", file, "--out", tmp_path / "out", "--label", "ours")
    assert done.returncode == 0 and f"published, BTL-UI, Table {table}" in done.stdout and "ours" in done.stdout
    main = tables(tmp_path / "out")[0]
    whole = main.rows[0].cells[-1]
    assert whole is not None and whole.n == n and whole.value == pytest.approx(100 * right / n)
    assert sum(cell.n or 0 for cell in main.rows[0].cells[: 12 if suite == "pro" else 6] if cell) == n
    labels = [json.loads(line)["correctness"] for line in file.read_text("utf-8").splitlines()]
    assert labels.count("correct") == right
