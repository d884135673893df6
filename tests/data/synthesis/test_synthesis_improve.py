"""Rounds of data, training and measuring; the successful runs of a policy as data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from command import saccade

from saccade.cli.rounds import MadeData, Round, RoundsFile, Success, rounds_table
from saccade.types import Step

PLUGIN = Path(__file__).parents[3] / "examples" / "plugins" / "counter_world.py"
SMALL = ("--workers", "1", "--plugin", str(PLUGIN), "--json")


def rounds_of(out: Path) -> list[Round]:
    return msgspec.json.decode((out / "rounds.json").read_bytes(), type=RoundsFile).rounds


def records(file: Path) -> list[Step]:
    return msgspec.json.Decoder(Step).decode_lines(file.read_bytes())


def plan_of(folder: Path, **told: Any) -> str:
    file = folder / "plan.yaml"
    file.write_text(json.dumps({"world": "counter", "tasks": 3, **told}))
    return str(file)


def test_the_table_has_rounds_counts_success_and_cost() -> None:
    rounds = [
        Round(0, "mini", success=Success(0.25, 0.1, 0.5, 20)),
        Round(1, "mini", MadeData("round-1/data", 8, 70, 10, 4, 1.5), "mini/x", Success(0.5, 0.3, 0.7, 20, 0.25)),
        Round(2, "mini/x", MadeData("round-2/data", 9, 80)),
    ]
    table = rounds_table("Rounds", rounds)
    labels = ["before: mini", "round 1, by mini", "round 2, by the model of round 1"]
    assert [row.label for row in table.rows] == labels
    before, first, _ = ([cell and (cell.value, cell.low) for cell in row.cells] for row in table.rows)
    assert before == [None, None, None, (25.0, 10.0), (0.0, None)]
    assert first == [(8, None), (70, None), (40.0, None), (50.0, 30.0), (1.75, None)]


def test_a_policy_learns_from_its_own_successes(tmp_path: Path) -> None:
    """The oracle as the policy: it is measured, tries training tasks, and of its successes so many become data."""
    out = tmp_path / "improved"
    words = ("--policy", "oracle", "--suite", "counter", "--tasks", "4", "--limit", "3", "--validation-tasks", "2")
    done = saccade("data", "improve", *words, "--no-train", "--out", str(out), *SMALL)
    assert done.returncode == 0, done.stderr
    before, first = rounds_of(out)
    assert before.success is not None and before.success.value == 1 and before.success.n == 2
    assert first.data is not None and (first.data.episodes, first.data.tries, first.data.completed) == (3, 4, 4)
    steps = records(out / "round-1" / "data" / "steps.jsonl")
    assert len({step.episode for step in steps}) == 3 and all(step.truth for step in steps)
    assert "round 1, by oracle" in (out / "rounds.html").read_text()
    shown = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["number"] for each in shown] == [0, 1]
    other = saccade("data", "improve", *words[:-1], "9", "--no-train", "--out", str(out), "--k", "5", *SMALL)
    assert other.returncode == 2 and "(k, validation_tasks differ)" in other.stderr
    for wrong, why in (
        (("--out", str(out)), "the folders of runs, or --policy"),
        (("--policy", "oracle", "--out", str(out)), "give --recipe NAME"),
        (("--policy", "oracle"), "--out is missing"),
    ):
        refused = saccade("data", "improve", *wrong, *SMALL)
        assert refused.returncode == 2 and why in refused.stderr


def test_rounds_without_training_have_other_tries(tmp_path: Path) -> None:
    out, plan = tmp_path / "out", plan_of(tmp_path)
    words = ("data", "navigate", plan, "--policy", "noisy", "--no-train", "--validation-tasks", "0", "--out", str(out))
    assert saccade(*words, "--rounds", "1", *SMALL).returncode == 0
    stamp = (out / "round-1" / "data" / "manifest.json").stat().st_mtime_ns
    assert saccade(*words, "--rounds", "2", *SMALL).returncode == 0
    assert (out / "round-1" / "data" / "manifest.json").stat().st_mtime_ns == stamp, "a round that is done stays"
    before, first, second = rounds_of(out)
    assert before.success is None and first.data is not None and second.data is not None
    assert first.data.episodes == second.data.episodes == 3 and second.data.tries == 3
    one, two = (records(out / each.data.folder / "steps.jsonl") for each in (first, second) if each.data)
    assert [step.prediction for step in one] != [step.prediction for step in two]


@pytest.mark.train
@pytest.mark.slow
def test_a_round_trains_and_measures_the_next_policy(tmp_path: Path) -> None:
    """A tiny model with random weights: data by the oracle, one step of training, one task measured."""
    from tiny_vl import make_tiny  # noqa: PLC0415  (imports torch)

    tiny, recipe = make_tiny(tmp_path / "tiny"), tmp_path / "recipe.yaml"
    generation = tiny / "generation_config.json"  # every second token ends an answer: else each would have a thousand
    generation.write_text(json.dumps({**json.loads(generation.read_text()), "eos_token_id": list(range(0, 1000, 2))}))
    told = {"stage": "sft", "model": str(tiny), "paradigm": "secagent", "switches": {"space": "phone"}, "steps": 1}
    recipe.write_text(json.dumps({**told, "batch": 1, "longest": 4096, "learning_rate": 1e-4, "held_back": 0}))
    out, plan = tmp_path / "out", plan_of(tmp_path, tasks=2, max_steps=1)
    words = ("data", "navigate", plan, "--policy", "oracle", "--rounds", "1", "--recipe", str(recipe))
    done = saccade(*words, "--validation-tasks", "1", "--out", str(out), *SMALL)
    assert done.returncode == 0, done.stderr
    _, first = rounds_of(out)
    assert first.trained == f"hf/{(out / 'round-1' / 'training' / 'model').resolve()}"
    assert any(Path(first.trained.removeprefix("hf/")).iterdir())
    assert first.success is not None and first.success.n == 1 and first.success.high > first.success.low
    assert saccade(*words, "--validation-tasks", "1", "--out", str(out), *SMALL).returncode == 0
    assert len(rounds_of(out)) == 2
