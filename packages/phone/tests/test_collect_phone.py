"""Episodes collected on the phone: what a record holds. (Kills and resuming: tests/plugins/test_world_plugin.py.)"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from phone_data import collect_phone, phone_request
from typer.testing import CliRunner

from saccade.cli import app
from saccade.errors import InputError
from saccade.scoring.judge import judge_steps, prediction_of
from saccade.scoring.profiles import get_profile
from saccade.types import Step, episodes

pytestmark = pytest.mark.browser
REQUEST = phone_request(6, seed=3, only="clock across.quiet_night", scale=1.0)


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Step]]:
    out = tmp_path_factory.mktemp("collected")
    return out, collect_phone(REQUEST, out)


def test_records_are_complete(collected: tuple[Path, list[Step]]) -> None:
    out, steps = collected
    assert len(episodes(steps)) == 6
    assert all(step.tags["outcome"] == "success" for step in steps)
    for step in steps:
        assert (out / step.image).read_bytes().startswith(b"\x89PNG")
        assert step.truth and step.prediction in step.truth
        assert step.elements and step.thought and step.instruction
        assert (step.step == 0) == (step.summary == "") and (step.step < 2) == (step.context == "")
        assert len(step.history) == step.step
        assert step.key_elements is not None
        for element in step.key_elements:
            assert any(element.id == other.id and element.box == other.box for other in step.elements)
        boxes = [action.box for action in step.truth if action.box]
        if boxes and step.key_elements:
            assert step.key_elements[0].box.iou(boxes[0]) > 0.5
    assert {step.tags["language"] for step in steps} == {"en", "zh"}
    assert all(int(a.tags["remaining"]) > 0 for a in steps)


def test_the_oracles_own_actions_are_right_under_the_profiles(collected: tuple[Path, list[Step]]) -> None:
    _, steps = collected
    predictions = [prediction_of(step, None) for step in steps]
    for name in ("gui-r1", "cmgui"):
        judged = judge_steps(steps, predictions, get_profile(name))
        assert judged and all(each.right for each in judged)


def test_the_same_request_again_changes_nothing(collected: tuple[Path, list[Step]]) -> None:
    out, _ = collected
    before = (out / "steps.jsonl").read_bytes()
    stamps = {file: file.stat().st_mtime_ns for file in (out / "episodes").iterdir()}
    collect_phone(REQUEST, out)
    assert (out / "steps.jsonl").read_bytes() == before
    assert {file: file.stat().st_mtime_ns for file in (out / "episodes").iterdir()} == stamps


def test_another_request_is_refused(collected: tuple[Path, list[Step]]) -> None:
    with pytest.raises(InputError, match="other options"):
        collect_phone(msgspec.structs.replace(REQUEST, player="noisy"), collected[0])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["phone", "--episodes", "0"], "--episodes and --max-steps must be at least 1"),
        (["phone", "--episodes", "1", "--player", "clever"], "unknown player 'clever'"),
        (["phone", "--episodes", "1", "--option", "split=exam"], "split is 'exam'"),
        (["phone", "--episodes", "1", "--option", "only=music"], "no task of the split train fits music"),
        (["phone", "--episodes", "1", "--option", "language=fr"], "language is 'fr'"),
        (["phone", "--episodes", "1", "--option", "scale=9"], "scale is 9"),
        (["phone", "--episodes", "1", "--option", "size=9"], "no option size: it has split, group"),
    ],
)
def test_bad_options_get_one_sentence(arguments: list[str], says: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["data", "collect", *arguments, "--out", str(tmp_path / "x")])
    assert isinstance(result.exception, InputError)
    assert says in str(result.exception)


def test_a_model_that_repeats_itself_is_helped_on(tmp_path: Path) -> None:
    """It waits and waits; each time that it has done so thrice, the oracle takes a step."""
    call = {"name": "mobile_use", "arguments": {"action": "wait", "time": 0}}
    waits = f"<think>I wait.</think>\n<tool_call>{json.dumps(call)}</tool_call>"
    (tmp_path / "script.jsonl").write_text(f"{json.dumps(waits)}\n" * 40, encoding="utf-8")
    player = f"scripted/{tmp_path / 'script.jsonl'}"
    options: dict[str, Any] = {"only": "clock.start_timer", "interruptions": False, "scale": 1.0, "pictures": False}
    steps = collect_phone(phone_request(1, player, **options), tmp_path / "out")
    waited = [step.prediction is not None and step.prediction.type == "wait" for step in steps]
    assert waited[:8] == [True, True, True, False] * 2
    for step, own in zip(steps, waited, strict=True):
        assert (step.prediction in step.truth) != own
        assert bool(step.output) == own
    assert steps[0].tags["outcome"] == "success"
