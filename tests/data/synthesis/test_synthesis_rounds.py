"""Each round has other tasks, and a folder of rounds takes one request: what would mix two ways of playing or training
is refused.
"""

from __future__ import annotations

import json
from pathlib import Path

from command import saccade

from saccade.bench.suites import training_tasks
from saccade.cli.flywheel import options_of_round, seed_of_round

PLUGIN = Path(__file__).parents[3] / "examples" / "plugins" / "counter_world.py"


def test_each_round_has_other_tasks() -> None:
    options = {"set": "all", "seed": 81}
    first, second = (training_tasks("miniwob", 300, options_of_round(options, number)) for number in (1, 2))
    assert first == training_tasks("miniwob", 300, options), "a seed that is given is that of the first round"
    assert {task.seed for task in first}.isdisjoint(task.seed for task in second)
    assert options_of_round({"set": "all"}, 2) == {"set": "all"}
    one, two = (training_tasks("counter", 300, {}, seed_of_round(0, number)) for number in (1, 2))
    assert {task.seed for task in one}.isdisjoint(task.seed for task in two)


def test_rounds_go_on_only_as_they_were_asked_for(tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(json.dumps({"world": "counter", "tasks": 2}))
    words: tuple[str, ...] = (
        "data",
        "navigate",
        str(plan),
        "--policy",
        "noisy",
        "--no-train",
        "--validation-tasks",
        "0",
    )
    words += ("--out", str(tmp_path / "out"), "--workers", "1", "--plugin", str(PLUGIN), "--json")
    assert saccade(*words, "--rounds", "1").returncode == 0
    other = saccade(*words, "--rounds", "2", "--paradigm", "btl")
    assert other.returncode == 2 and "(execute_tasks.paradigm differ)" in other.stderr
    plan.write_text(json.dumps({"world": "counter", "tasks": 3}))
    longer = saccade(*words, "--rounds", "2")
    assert longer.returncode == 2 and "(tasks differ)" in longer.stderr
    plan.write_text(json.dumps({"world": "counter", "tasks": 2}))
    same = saccade(*words, "--rounds", "2")
    assert same.returncode == 0
    assert [json.loads(line)["number"] for line in same.stdout.splitlines()[-3:]] == [0, 1, 2]
