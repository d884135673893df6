"""A folder of rounds takes one request: what would mix two ways of playing or training is refused."""

from __future__ import annotations

import json
from pathlib import Path

from command import saccade

PLUGIN = Path(__file__).parents[3] / "examples" / "plugins" / "counter_world.py"


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
