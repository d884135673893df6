"""`saccade reward` and the trainer give the same number for the same row."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from command import saccade
from msgspec.structs import replace

from saccade.actions import Action
from saccade.cli.common import load_steps
from saccade.data.readers import open_dataset
from saccade.data.recorded_episodes import grounding_to_navigation
from saccade.data.training_rows import TrainingRow, taught
from saccade.geometry import Box, Point, Size
from saccade.paradigms import Reply, get_paradigm
from saccade.records import write_steps
from saccade.scoring.rewards import REWARDS
from saccade.train.rewards import CompletionScorer
from saccade.types import Element, Step

EXAMPLE = Path(__file__).parents[2] / "src" / "saccade" / "examples" / "steps.jsonl"
GARBAGE = ("", "no idea", "<blink>?</blink><think>", "<ui> there </ui>", "<summary>None</summary>")


class Plain:
    """A backbone whose completions are already the paradigm's text."""

    def answer(self, messages: Any, completion: str) -> str:
        return completion


def generated(count: int) -> Iterator[Step]:
    """Screens with 0 to 12 elements, of which none, some or all are annotated, or nobody annotated any."""
    chance = random.Random(7)
    size = Size(1080, 2400)
    for at in range(count):
        boxes = [Box(x := chance.randint(0, 900), y := chance.randint(0, 2200), x + 150, y + 90) for _ in range(12)]
        found = [Element(n, box, "button", f"item {n}") for n, box in enumerate(boxes[: chance.randint(0, 12)])]
        key = None if at % 4 == 0 else chance.sample(found, chance.randint(0, len(found)))
        truths = [
            Action("click", boxes[0].center, boxes[0] if at % 3 else None),
            Action("swipe", direction=chance.choice(["up", "down", "left", "right"])),
            Action("type", text="blue desk lamp"),
            Action("press", key="back"),
            Action("long_press", boxes[1].center),
            Action("wait"),
        ]
        tags = {"task": "grounding"} if at % 6 == 0 and at % 5 == 0 else {}
        yield Step(
            id=f"g{at}",
            instruction="do it",
            screen=size,
            elements=found,
            key_elements=key,
            truth=[truths[at % 6]],
            tags=tags,
        )


def answered(steps: Sequence[Step], name: str) -> Iterator[Step]:
    """Each step with a raw answer: the truth in the format's own words, one that is a little off, or garbage."""
    paradigm, chance = get_paradigm(name, space="phone"), random.Random(3)
    for at, step in enumerate(steps):
        ready = paradigm.prepare(step)
        action = taught(ready)
        if at % 3 == 1 and action.point is not None:
            action = replace(action, point=Point(action.point.x + 90, action.point.y), box=None, polygon=None)
        named = [*(step.key_elements or ()), *step.elements][: chance.randint(0, 7)]
        elements = tuple(replace(each, caption=each.caption or f"the {each.text}") for each in named)
        try:
            output = paradigm.render(Reply(action, elements, "so", "p", "s"), step.view)
        except ValueError:  # the format has no words for it
            output = ""
        yield replace(step, output=GARBAGE[at % len(GARBAGE)] if at % 7 == 6 else output, paradigm=name)


def trained(steps: Sequence[Step], name: str) -> list[dict[str, Any]]:
    """What GRPO gives, for the rows as training makes them of the records."""
    paradigm, scorer = get_paradigm(name), CompletionScorer({}, [name])
    found = []
    for step in steps:
        ready = paradigm.prepare(grounding_to_navigation(step) if paradigm.grounding_as_navigation else step)
        row = TrainingRow(step.id, paradigm, [], "", ready)
        scored = scorer.score(row, step.output or "", Plain())  # type: ignore[arg-type]
        found.append({"id": step.id, "total": scored.total, "parts": scored.parts})
    return found


def commanded(steps: Sequence[Step], name: str, file: Path) -> list[dict[str, Any]]:
    """What `saccade reward --json` prints."""
    write_steps(file, steps)
    done = saccade("reward", file, "--paradigm", name, "--json")
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return [{key: line[key] for key in ("id", "total", "parts")} for line in lines]


def check(steps: Sequence[Step], name: str, file: Path) -> list[dict[str, Any]]:
    given = list(answered(steps, name))
    found = commanded(given, name, file)
    assert found == trained(given, name)
    return found


@pytest.mark.parametrize("paradigm", REWARDS.names())
def test_the_same_200_rows_both_ways(paradigm: str, tmp_path: Path) -> None:
    steps = [*load_steps(EXAMPLE, False), *generated(179)]
    found = check(steps, paradigm, tmp_path / "steps.jsonl")
    assert len(found) == 200
    assert len({json.dumps(each["parts"]) for each in found}) >= 3
    if paradigm != "secagent":
        assert len({tuple(each["parts"]) for each in found}) == 2  # with and without the terms of the key elements


@pytest.mark.shared
@pytest.mark.parametrize("paradigm", REWARDS.names())
@pytest.mark.parametrize(
    "sample",
    [
        "aitz",
        "btl",
        "androidcontrol_std",
        "droidbot_yelp",
        "agentnet",
        "osworld_g",
        "screenagent",
        "screenspot_v2/predictions_half.jsonl",
        "screenspot_pro/predictions_half.jsonl",
    ],
)
def test_every_row_of_every_shared_sample(shared_data: Path, sample: str, paradigm: str, tmp_path: Path) -> None:
    path = shared_data / sample
    if path.suffix:
        steps = load_steps(path, False)
    else:
        steps = [each.step for each in open_dataset(path).samples() if each.step.truth]
    assert steps
    check(steps, paradigm, tmp_path / "steps.jsonl")


def test_records_without_key_elements_are_named_and_refused(tmp_path: Path) -> None:
    steps = [replace(step, key_elements=None if at < 2 else []) for at, step in enumerate(generated(5))]
    file = tmp_path / "steps.jsonl"
    write_steps(file, list(answered(steps, "btl")))
    said = "2 of 5 records have no key elements (g0, g1): no reward for naming them"
    done = saccade("reward", file, "--paradigm", "btl")
    assert done.returncode == 0 and said in " ".join(done.stdout.split())
    done = saccade("reward", file, "--paradigm", "btl", "--json")
    assert said in done.stderr
    assert ["blink" in json.loads(line)["parts"] for line in done.stdout.splitlines()] == [False] * 2 + [True] * 3
    refused = saccade("reward", file, "--paradigm", "btl", "--strict")
    assert refused.returncode == 2 and said in " ".join(refused.stderr.split()) and not refused.stdout
    without = saccade("reward", file, "--paradigm", "btl", "--strict", "--set", "blink=no")
    assert without.returncode == 0, without.stderr


def test_lambda_on_the_command_line(tmp_path: Path) -> None:
    boxes = [Box(0, 0, 100, 100), Box(0, 200, 100, 300)]
    step = Step(
        id="a",
        screen=Size(1000, 1000),
        key_elements=[Element(at, box) for at, box in enumerate(boxes)],
        truth=[Action("click", Point(50, 50))],
    )
    text = get_paradigm("btl").render(Reply(step.truth[0], (Element(1, boxes[1]),), "so", "p"), step.view)
    write_steps(tmp_path / "steps.jsonl", [replace(step, output=text)])
    words = ("reward", tmp_path / "steps.jsonl", "--paradigm", "btl", "--json")
    assert json.loads(saccade(*words).stdout)["parts"]["blink"] == 0.8
    assert json.loads(saccade(*words, "--set", "max_elements=2").stdout)["parts"]["blink"] == 0.5
