"""examples/plugins/my_reader.py from a folder elsewhere: read, checked, measured; polygons and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from command import CommandResult, saccade
from PIL import Image

from saccade import Step, score
from saccade.bench.suites import get_suite, suites
from saccade.data.readers import open_dataset
from saccade.plugins import plugins_loaded

PLUGIN = Path(__file__).parents[2] / "examples" / "plugins" / "my_reader.py"
ROWS = """\
id,image,instruction,kind,area
1,home.png,Open the clock,box,60 300 300 560
2,home.png,The red part of the pie,polygon,500 500 700 520 610 700
3,home.png,The fourth tab,none,
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "set").mkdir()
    Image.new("RGB", (1080, 2400), "khaki").save(tmp_path / "set" / "home.png")
    (tmp_path / "set" / "clicks.csv").write_text(ROWS, encoding="utf-8")
    return tmp_path


def good(folder: Path, *words: str) -> CommandResult:
    done = saccade(*words, "--plugin", str(PLUGIN), folder=folder)
    assert done.returncode == 0, done.stderr or done.stdout
    return done


def test_its_folder_is_recognised_read_and_checked(data: Path) -> None:
    good(data, "data", "read", "set", "--out", "records")
    steps = msgspec.json.Decoder(Step).decode_lines((data / "records/steps.jsonl").read_bytes())
    first, second, third = (step.truth[0] for step in steps)
    assert first.box is not None and first.point == first.box.center
    assert second.polygon is not None and second.point is not None and second.holds(second.point)
    assert second.box == (500, 500, 700, 700), "its bounding box, for rules that know no polygons"
    assert third.refuses
    good(data, "data", "check", "set")
    assert (data / "records" / steps[0].image).is_file()


def test_it_brings_its_suite(data: Path) -> None:
    rows = [json.loads(line) for line in good(data, "bench", "list", "--json").stdout.splitlines()]
    assert {"name": "clicks", "title": "Clicks of our own", "profile": "screenspot"}.items() <= rows[-1].items()
    good(data, "bench", "clicks", "--data", "set", "--model", "oracle", "--paradigm", "secagent", "--out", "bench")
    report = json.loads((data / "bench/report.json").read_text(encoding="utf-8"))
    assert "Clicks of our own" in report[0]["title"] and report[0]["rows"][0]["cells"][0]["value"] == 100
    results = [json.loads(line) for line in (data / "bench/results.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {result["tags"]["kind"] for result in results} == {"box", "polygon", "none"}


def test_a_place_for_what_is_not_there_is_wrong(data: Path) -> None:
    with plugins_loaded([str(PLUGIN)]):
        steps = [sample.step for sample in open_dataset(data / "set", "clicks").samples()]
        assert get_suite("clicks").table == "grounding" and "clicks" in [suite.name for suite in suites()]
    for step in steps:
        step.prediction = steps[0].truth[0]
    assert score(steps, "screenspot")["screenspot"].metrics["accuracy"].value == pytest.approx(1 / 3)
    for step in steps:
        step.prediction = steps[2].truth[0]
    assert score(steps, "screenspot")["screenspot"].metrics["accuracy"].value == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("60 300 300 560", "60 300 300", "clicks.csv:2: area: 3 numbers are no box"),
        ("home.png,Open", "away.png,Open", "clicks.csv:2: image: there is no file"),
        ("kind", "sort", "clicks.csv:2: the column 'kind' is missing"),
    ],
)
def test_a_bad_row_is_told_or_left_out(data: Path, old: str, new: str, says: str) -> None:
    (data / "set" / "clicks.csv").write_text(ROWS.replace(old, new, 1), encoding="utf-8")
    words = ["data", "read", "set", "--as", "clicks", "--out", "records", "--plugin", str(PLUGIN)]
    done = saccade(*words, folder=data)
    assert done.returncode == 2 and says in done.stderr
    if new != "sort":
        assert saccade(*words, "--keep-going", folder=data).returncode == 0
        assert len((data / "records/steps.jsonl").read_text(encoding="utf-8").splitlines()) == 2


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("def samples", "def items", "the reader clicks lacks a method samples: give the class Clicks one"),
        ('    title = "Clicks of our own"\n', "", "the reader clicks lacks a title"),
        ('"kind": row["kind"]', '"kind": row["kin"]', "in Clicks.samples: KeyError: 'kin'"),
        ('profile = "screenspot"', 'profile = "screenspt"', "unknown profile 'screenspt' (did you mean screenspot?)"),
    ],
)
def test_what_it_does_wrong_is_told_as_its_own(data: Path, old: str, new: str, says: str) -> None:
    text = PLUGIN.read_text(encoding="utf-8")
    assert old in text
    (data / "mine.py").write_text(text.replace(old, new, 1), encoding="utf-8")
    words = ["bench", "clicks", "--data", "set", "--model", "oracle", "--out", "bench", "--plugin", "mine.py"]
    done = saccade(*words, folder=data)
    assert done.returncode == 2, done.stderr
    assert says in done.stderr and "mistake of ours" not in done.stderr
