"""examples/plugins/my_profile.py from a folder elsewhere: score, bench, reward; and profiles that do not work."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from command import saccade
from hypothesis import given
from train_data import episode

from profile_checks import check_profile
from saccade import Action, Point, get_profile, score
from saccade.plugins import plugins_loaded
from saccade.records import write_steps
from strategies import actions

PLUGIN = Path(__file__).parents[2] / "examples" / "plugins" / "my_profile.py"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Three steps: a swipe that is right, a click a few pixels off its box, a wrong end."""
    steps = episode("e")
    target = steps[1].truth[0].box
    assert target is not None
    steps[0].prediction = steps[0].truth[0]
    steps[1].prediction = Action("click", Point(56, target.y1 + 2))
    steps[1].truth = [Action("click", Point(56, target.y1 - 2), box=target)]
    steps[2].prediction = Action("terminate", status="failure")
    write_steps(tmp_path / "steps.jsonl", steps)
    shutil.copy(PLUGIN, tmp_path / "mine.py")
    return tmp_path


def scored(folder: Path, *words: str) -> tuple[dict[str, float], str]:
    done = saccade("score", "steps.jsonl", *words, "--json", "--plugin", "mine.py", folder=folder)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {row["profile"]: row["metrics"]["sr"]["value"] for row in rows if "sr" in row["metrics"]}, done.stderr


def test_scored_alone_and_beside_all_others(data: Path) -> None:
    alone, _ = scored(data, "--profile", "thumb")
    assert alone == {"thumb": pytest.approx(2 / 3)}
    both, said = scored(data, "--profile", "all")
    assert both["thumb"] == alone["thumb"] and both["btl"] == pytest.approx(1 / 3) and len(both) == 11
    assert not said


@given(prediction=actions(), truth=actions())
def test_what_any_profile_must_do(prediction: Action, truth: Action) -> None:
    with plugins_loaded([str(PLUGIN)]):
        check_profile(get_profile("thumb"), prediction, truth)


def test_used_by_rewards_and_in_a_program(data: Path) -> None:
    steps = episode("e")
    for step in steps:
        step.output = '<blink>None</blink><think>a</think><link>{"Plan": "", "Action": {"function": "Back"}}</link>'
    write_steps(data / "raw.jsonl", steps)
    words = ["reward", "raw.jsonl", "--paradigm", "btl", "--profile", "thumb", "--json", "--plugin", "mine.py"]
    done = saccade(*words, folder=data)
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 3, done.stderr
    with plugins_loaded([str(PLUGIN)]):
        found = score(data / "steps.jsonl", "thumb,btl")
        assert [report.n for report in found.values()] == [3, 3]


def test_measured(data: Path) -> None:
    words = ["bench", "steps", "--data", ".", "--model", "oracle", "--profiles", "thumb", "--out", "bench"]
    done = saccade(*words, "--limit", "3", "--plugin", "mine.py", folder=data)
    assert done.returncode == 0, done.stderr
    assert "thumb" in (data / "bench/report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("def same_point", "def same_place", "thumb lacks a method same_point: give the class ThumbProfile one"),
        ("<= 0.05", "<= 1 / 0", "in ThumbProfile.same_point: ZeroDivisionError"),
        ("return prediction.casefold", "return self.same_text(prediction, truth, type) or prediction.casefold", ""),
    ],
)
def test_a_broken_one_is_named_and_does_not_break_the_others(data: Path, old: str, new: str, says: str) -> None:
    text = (data / "mine.py").read_text(encoding="utf-8")
    assert old in text
    (data / "mine.py").write_text(text.replace(old, new), encoding="utf-8")
    both, said = scored(data, "--profile", "all")
    assert both["btl"] == pytest.approx(1 / 3)
    if not says:  # no step of the data has a text: nothing was wrong with it
        assert "thumb" in both
        return
    assert "thumb" not in both and len(both) == 10
    assert said.startswith("saccade: the profile thumb is left out: ") and says in said
    done = saccade("score", "steps.jsonl", "--profile", "thumb", "--plugin", "mine.py", folder=data)
    assert done.returncode == 2 and says in done.stderr and "mistake of ours" not in done.stderr
