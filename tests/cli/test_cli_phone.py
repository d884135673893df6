"""`saccade tasks` on the phone's tasks, as a person or a script calls it."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from saccade.cli import app
from saccade.errors import InputError


def lines(*arguments: str) -> list[dict[str, object]]:
    result = CliRunner().invoke(app, ["tasks", *arguments, "--json"])
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_list_by_app_kind_and_length() -> None:
    everything = lines("list")
    assert len(everything) >= 120
    shop = lines("list", "--app", "shop", "--longest", "8", "--kind", "do")
    assert shop and all("shop" in row["apps"] for row in shop)  # type: ignore[operator]
    assert len(lines("list", "--split", "train")) < len(everything)
    table = CliRunner().invoke(app, ["tasks", "list", "--app", "clock", "--language", "zh"])
    assert "闹钟" in table.stdout
    assert "templates:" in table.stdout


def test_show_says_what_is_wanted_and_how() -> None:
    shown = lines("show", "clock.add_alarm", "--seed", "7", "--language", "zh")[0]
    assert shown["success"] is True
    assert any("闹" in letter or "叫" in letter for letter in str(shown["instruction"]))
    assert "clock.alarms" in str(shown["goal"])
    result = CliRunner().invoke(app, ["tasks", "show", "clock.missing_city"])
    assert "cannot be done" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["list", "--kind", "play"], "--kind is 'play'"),
        (["list", "--app", "solitaire"], "no task fits"),
        (["show", "clock.fly"], "there is no task 'clock.fly'"),
        (["show", "clock.add_alarm", "--language", "fr"], "--language is 'fr'"),
        (["show", "clock.add_alarm", "--split", "exam"], "--split is 'exam'"),
    ],
)
def test_bad_input_gets_one_sentence(arguments: list[str], says: str) -> None:
    result = CliRunner().invoke(app, ["tasks", *arguments])
    assert isinstance(result.exception, InputError)
    assert says in str(result.exception)
