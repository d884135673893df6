"""Random walks on the phone: both languages, what really changed, and the same bytes again."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from command import saccade

from saccade.data.synthesis.state_changes import changes_of
from saccade.types import Step

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def walk(out: Path, *engine: str) -> dict[str, object]:
    words = ["phone", "--steps", "12", "--episode-steps", "6", "--seed", "3", "--option", "scale=1.0"]
    told = saccade("data", "walk", *words, *engine, "--out", out, "--json")
    assert told.returncode == 0, told.stderr
    found: dict[str, object] = json.loads(told.stdout)
    return found


def test_a_walk_knows_what_really_changed(tmp_path: Path) -> None:
    told = walk(tmp_path / "a", "--engine", "local", "--workers", "2")
    assert (told["steps"], told["screens"], told["refused"]) == (12, 14, {})
    steps = msgspec.json.Decoder(Step).decode_lines((tmp_path / "a/steps.jsonl").read_bytes())
    assert {step.tags["language"] for step in steps} == {"en", "zh"}
    assert all((tmp_path / "a" / step.image).is_file() and step.elements for step in steps)
    moved = [step for step in steps if step.prediction is not None and step.tags["app"] != step.tags["app_after"]]
    assert moved
    for step in moved:
        (change,) = [change for change in changes_of(step.tags) if change[0] == "front.app"]
        assert change[2] == step.tags["app_after"] or change[2] == "system"
    still = [step for step in steps if step.tags.get("state_changes", "[]") != "[]" and step.tags["changed"] == "no"]
    assert not still, "what changes the state shows"
    walk(tmp_path / "b")
    assert (tmp_path / "b/steps.jsonl").read_bytes() == (tmp_path / "a/steps.jsonl").read_bytes()
    for step in steps:
        assert (tmp_path / "b" / step.image).read_bytes() == (tmp_path / "a" / step.image).read_bytes()
