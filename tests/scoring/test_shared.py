"""Real data under the rules: authors' own verdicts, and truths scored against themselves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from saccade.actions import Action, read_action
from saccade.cli.common import load_steps
from saccade.cli.score import predict
from saccade.geometry import Box, Point, Size
from saccade.scoring.judge import Prediction, judge_steps, match_context
from saccade.scoring.metrics import report
from saccade.scoring.profiles import PROFILES, get_profile
from saccade.types import Step

pytestmark = pytest.mark.shared
BUTTONS = {"Back": "back", "Home": "home", "Menu": "menu", "Enter": "enter"}
SIZE = Size(1080, 2400)


@pytest.mark.parametrize(("folder", "right", "n"), [("screenspot_v2", 606, 636), ("screenspot_pro", 525, 790)])
def test_screenspot_as_its_authors_counted(shared_data: Path, folder: str, right: int, n: int) -> None:
    file = shared_data / folder / "predictions_half.jsonl"
    steps = load_steps(file, False)
    judged = judge_steps(steps, predict(steps, None, None), get_profile("screenspot"))
    assert (sum(item.right for item in judged), len(judged)) == (right, n)
    theirs = [json.loads(line)["correctness"] == "correct" for line in file.read_text(encoding="utf-8").splitlines()]
    assert [item.right for item in judged] == theirs


def android_control(folder: Path) -> Iterator[Step]:
    """AndroidControl's test episodes; directions there are the content's, so the finger's path is taken instead."""
    for line in (folder / "androidcontrol_std" / "episodes.jsonl").read_text(encoding="utf-8").splitlines():
        episode = json.loads(line)
        for at, step in enumerate(episode["steps"]):
            yield Step(
                id=f"{episode['episode_id']}-{at}",
                episode=str(episode["episode_id"]),
                step=at,
                instruction=episode["goal"],
                screen=SIZE,
                truth=list(truths(step["action_content"], step["check_options"].get("candidate_bbox") or [])),
            )


def truths(content: dict[str, Any], boxes: list[Any]) -> Iterator[Action]:
    match content["action"]:
        case "click" | "long_press" as type:
            for box in boxes or [None]:
                yield read_action({"type": type, "point": content["coordinate"], "box": box})
        case "open":
            for box in boxes or [None]:
                yield read_action({"type": "open_app", "text": content["text"], "box": box})
        case "swipe":
            start, end = Point(*content["coordinate"]), Point(*content["coordinate2"])
            direction = (
                "up" if end.y < start.y else "down" if end.y > start.y else "left" if end.x < start.x else "right"
            )
            yield Action("swipe", direction=direction, start=start, end=end)  # type: ignore[arg-type]
        case "type":
            yield Action("type", text=content["text"])
        case "system_button":
            yield Action("press", key=BUTTONS[content["button"]])
        case "wait":
            yield Action("wait", seconds=content["time"])
        case other:
            raise AssertionError(f"unexpected action {other}")


def itself(truth: Action) -> Action:
    """A prediction says what is done, not where else it would have been right."""
    fields = {name: getattr(truth, name) for name in truth.__struct_fields__ if name != "box"}
    return Action(**fields)


def beyond(truth: Action, all_truths: list[Action], profile: str) -> list[Action]:
    """Predictions just past every boundary that the profile has for this action."""
    other = Action("press", key="recent") if truth.type != "press" else Action("wait")
    wrong = [other]
    match truth.type:
        case "click" | "long_press":
            wrong.append(Action(truth.type, outside([t.box for t in all_truths if t.box], truth.point)))
            if profile in ("gui-r1",) and truth.type == "long_press":
                wrong.pop()  # by type alone
        case "swipe":
            turned: Any = {"up": "left", "down": "right", "left": "up", "right": "down"}[str(truth.direction)]
            wrong.append(Action("swipe", direction=turned))
        case "type" | "open_app" if profile not in ("aitw",):
            if truth.type == "type" or profile in ("btl", "os-atlas", "qwen", "qwen-infigui", "aitz", "cmgui"):
                wrong.append(Action(truth.type, text="§" * (3 * len(truth.text or "") + 9)))
        case "press":
            wrong.append(Action("press", key="home" if truth.key != "home" else "back"))
    return wrong


def outside(boxes: list[Box], point: Point | None) -> Point:
    """A place off every box, even grown 2.4-fold, and far from the point by any measure."""
    assert point is not None
    right = max([point.x, *(box.x1 + 0.7 * box.width for box in boxes)])
    return Point(right + 0.15 * SIZE.height + 200, point.y)


@pytest.mark.parametrize("name", PROFILES.names())
def test_android_control_against_itself(shared_data: Path, name: str) -> None:
    steps = list(android_control(shared_data))
    profile = get_profile(name)
    if name == "screenspot":
        steps = [step for step in steps if profile.applies(step.truth[0], match_context(step))]
    judged = judge_steps(steps, [Prediction(itself(step.truth[0])) for step in steps], profile)
    assert len(judged) == len(steps) > 900
    assert [item.step.id for item in judged if not item.right] == []
    assert all(figure.value == 1 for figure in report(judged, profile, resamples=50).metrics.values())


@pytest.mark.parametrize("name", PROFILES.names())
def test_android_control_beyond_the_boundary(shared_data: Path, name: str) -> None:
    profile = get_profile(name)
    checked = 0
    for step in android_control(shared_data):
        if not profile.applies(step.truth[0], match_context(step)):
            continue
        for wrong in beyond(step.truth[0], step.truth, name):
            (judged,) = judge_steps([step], [Prediction(wrong)], profile)
            assert not judged.right, (step.id, wrong)
            checked += 1
    assert checked > 1800
