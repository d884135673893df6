"""What tasks do, read off recorded episodes of the phone."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from saccade.cli import app
from saccade.errors import InputError
from saccade_mini.card import READER
from saccade_mini.intent_classifier import Reader
from saccade_mini.model import WEIGHTS
from saccade_mini.next_action_model import Scene
from saccade_mini.training import habit_extraction as doing
from saccade_mini.training import next_action_training as routine
from saccade_mini.training.habit_extraction import add_habits, by_wording, habits, twins
from saccade_phone.collection.collect import Request, collect

CALL = "Call {name}"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("recorded")
    collect(Request(3, "noisy", only=("contacts.call",), languages=("en",), scale=1.0, pictures=False), out, workers=1)
    return out


def test_what_is_always_named_before(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not any(habits([recorded])[CALL].kept({}).values()), "too few episodes to be sure"
    monkeypatch.setattr(doing, "SURE", 3)
    found = habits([recorded])[CALL].kept({})
    assert found["end success"] == ["name"], "nobody is done before the name was touched or typed"
    assert found["open Contacts"] == []
    assert any(name.startswith("touch =name") for name in found), "whoever it was that was called"
    assert all(found[name] == [] for name in found if name.startswith(("swipe", "press")))


def test_what_many_tasks_do_all_may() -> None:
    found = {str(at): {"touch Close": [], f"touch {at}": ["name"]} for at in range(doing.EVERYWHERE)}
    kept = by_wording({**found, "other": {"touch Save": []}}, [*found, "other", "unknown", ""])
    assert kept[0] == {"touch Close": [], "touch 0": ["name"]}
    assert kept[-3:] == [{"touch Close": [], "touch Save": []}, {}, {}]


def test_both_twins_learn_from_either() -> None:
    wanted = [("Send {name} the phone number of {entry_name} in Chat", {"name": "Ann", "entry_name": "Bob"})]
    assert list(twins("across.unknown_number", "en", {"name": "Ann", "stranger": "Bob"})) == wanted
    wanted = [("Send {name} the phone number of {stranger} from my contacts", {"name": "Ann", "stranger": "Bob"})]
    assert list(twins("across.send_number", "en", {"name": "Ann", "entry_name": "Bob"})) == wanted
    assert list(twins("contacts.call", "en", {"name": "Ann"})) == []


def test_by_command(recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routine, "RARE", 1)
    asked = ["train", "habits", "--data", str(recorded), "--out", str(tmp_path)]
    with pytest.raises(InputError, match=r"has no reader\.npz: saccade train reader writes one"):
        CliRunner().invoke(app, asked, catch_exceptions=False)
    shutil.copy(WEIGHTS / READER, tmp_path)
    before = Reader(tmp_path / READER)
    done = CliRunner().invoke(app, asked, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "habits of 1 plain wordings" in done.output
    after = Reader(tmp_path / READER)
    assert list(after.doing[CALL])
    assert not after.doing["Delete the chat with {name}"]
    assert after.routine is not None
    chances = after.routine.chances(Scene(CALL, [], {}), after.doing[CALL])
    assert max(chances, key=lambda name: chances[name]) == "open Contacts"
    assert after.likely("Ring up Ada Moss", "en") == before.likely("Ring up Ada Moss", "en")


def test_going_on_from_what_is_known(recorded: Path, tmp_path: Path) -> None:
    """Tasks of which there are no episodes stay as they are; and what is learned anew is known at once."""
    shutil.copy(WEIGHTS / READER, tmp_path)
    before = Reader(tmp_path / READER)
    asked = ["train", "habits", "--data", str(recorded), "--out", str(tmp_path), "--more"]
    assert CliRunner().invoke(app, asked, catch_exceptions=False).exit_code == 0
    after = Reader(tmp_path / READER)
    assert after.doing == before.doing
    assert before.routine is not None
    assert after.routine is not None
    other = "Delete the chat with {name}"
    scene = Scene(other, ["open Chat"], {"touch =name": "", "touch Search": ""})
    assert after.routine.chances(scene, after.doing[other]) == pytest.approx(
        before.routine.chances(scene, before.doing[other]), abs=0.02
    )


def test_what_is_known_before_counts() -> None:
    habit = doing.Habit({"touch Save": {"name"}, "touch Ok": {"name"}}, Counter({"touch Save": 99, "touch Ok": 1}))
    known = {"touch Save": ["name", "title"], "touch Ok": ["title"], "touch Back": ["name"]}
    assert habit.kept(known) == {"touch Save": ["name"], "touch Ok": ["title"], "touch Back": ["name"]}
    assert habit.kept({}) == {"touch Save": ["name"], "touch Ok": []}


def test_nothing_to_learn_from_is_one_sentence(tmp_path: Path) -> None:
    shutil.copy(WEIGHTS / READER, tmp_path)
    (tmp_path / "steps.jsonl").write_text(
        '{"id": "1", "instruction": "Dance", "screen": [360, 800], "truth": [{"type": "wait"}]}\n', encoding="utf-8"
    )
    with pytest.raises(InputError, match="no recorded task of the phone that can be put plainly"):
        add_habits([tmp_path / "steps.jsonl"], tmp_path)
