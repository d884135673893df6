"""Metrics by hand, and intervals that behave."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.actions import Action, ActionType
from saccade.geometry import Box, Point, Size
from saccade.scoring.intervals import Ratio, figures, product_of_means
from saccade.scoring.judge import JudgedStep, Prediction, judge_steps
from saccade.scoring.metrics import part_means, pass_at, report
from saccade.scoring.profiles import get_profile
from saccade.types import Step

BTL, ATLAS, SPOT = get_profile("btl"), get_profile("os-atlas"), get_profile("screenspot")
TRUTHS: dict[ActionType, Action] = {
    "click": Action("click", Point(50, 50), Box(0, 0, 100, 100)),
    "long_press": Action("long_press", Point(50, 50)),
    "type": Action("type", text="a"),
    "swipe": Action("swipe", direction="up"),
}


def judged(
    type: ActionType, right: bool, type_right: bool = True, episode: str = "", at: int = 0, attempt: str = ""
) -> JudgedStep:
    tags = {"attempt": attempt} if attempt else {}
    step = Step(id=f"{episode}{at}", episode=episode, step=at, screen=Size(100, 100), truth=[TRUTHS[type]], tags=tags)
    return JudgedStep(step, type_right, right)


def values(items: list[JudgedStep], profile: object = BTL) -> dict[str, float]:
    return {name: round(f.value, 6) for name, f in report(items, profile).metrics.items()}  # type: ignore[arg-type]


def test_type_gr_sr() -> None:
    items = [
        judged("click", True),
        judged("click", False),
        judged("click", False, type_right=False),
        judged("long_press", True),
        judged("type", False),
        judged("swipe", True),
    ]
    found = values(items)
    assert found["type"] == round(5 / 6, 6)
    assert found["gr"] == 0.5  # 2 of 4 clicks and long presses
    assert found["sr"] == found["step_accuracy"] == 0.5
    assert found["accuracy_click"] == round(1 / 3, 6)
    assert found["accuracy_long_press"] == found["accuracy_swipe"] == 1
    assert "task_accuracy" not in found
    conditional = report(items, ATLAS).metrics["gr"]
    assert conditional.value == 0.5  # 1 of the 2 clicks whose type was right; long presses do not count
    assert conditional.n == 2


def test_episodes() -> None:
    items = [judged("click", right, episode="a", at=i) for i, right in enumerate([True, True, False, True])]
    items += [judged("click", True, episode="b", at=i) for i in range(2)]
    found = values(items[::-1])  # order in the file does not matter
    assert found["task_accuracy"] == 0.5
    assert found["partial_match"] == (0.75 + 1) / 2
    assert found["goal_progress"] == (0.5 + 1) / 2


def test_attempts_and_pass_at() -> None:
    outcomes = {"a": [False, True, False], "b": [False, False, False]}
    items = [
        judged("click", right, episode=task, attempt=str(i))
        for task, tries in outcomes.items()
        for i, right in enumerate(tries)
    ]
    found = values(items)
    assert found["task_accuracy"] == round(1 / 6, 6)
    assert found["pass_at_3"] == found["episode_pass_at_3"] == 0.5, "episodes of one step: both are the same"
    assert pass_at(2, 5, 1) == pytest.approx(0.4)
    assert pass_at(2, 5, 2) == pytest.approx(1 - 3 / 10)
    assert pass_at(0, 3, 3) == 0
    with pytest.raises(ValueError, match="pass@4"):
        pass_at(1, 3, 4)


def test_oracle_top_k() -> None:
    step = Step(screen=Size(100, 100), truth=[TRUTHS["click"]])
    hit, miss = Action("click", Point(51, 50)), Action("press", key="back")
    predictions = [
        Prediction(miss, (miss, hit)),
        Prediction(hit, (hit, miss)),
        Prediction(miss, (miss, miss)),
        Prediction(hit),
    ]
    found = report(judge_steps([step] * 4, predictions, BTL), BTL)
    assert found.metrics["oracle_top_k"].value == pytest.approx(2 / 3)
    assert found.metrics["oracle_top_k"].n == 3
    assert found.metrics["sr"].value == 0.5


def test_grounding_has_one_figure_and_skips_other_truths() -> None:
    steps = [Step(screen=Size(100, 100), truth=[TRUTHS[type]]) for type in ("click", "type", "long_press")]
    items = judge_steps(steps, [Prediction(Action("click", Point(100, 100)))] * 3, SPOT)
    found = report(items, SPOT)
    assert found.n == 1
    assert {name: f.value for name, f in found.metrics.items()} == {"accuracy": 1}


def test_a_refusal_counts_as_a_grounding_sample() -> None:
    """Right if refused, wrong with a place; in a task that cannot be done it is no grounding sample."""
    size, refusal, place = Size(1000, 1000), Action("terminate", status="failure"), Action("click", Point(5, 5))
    asked = Step(screen=size, truth=[refusal], tags={"task": "grounding"})
    items = judge_steps(
        [asked] * 4, [Prediction(refusal), Prediction(place), Prediction(None), Prediction(refusal)], SPOT
    )
    assert [item.right for item in items] == [True, False, False, True]
    assert report(items, SPOT).metrics["accuracy"].value == 0.5
    assert judge_steps([Step(screen=size, truth=[refusal])], [Prediction(refusal)], SPOT) == []


def test_interval_is_seeded_and_close_to_the_normal_one() -> None:
    rng = np.random.default_rng(1)
    right = (rng.random(400) < 0.7).astype(float)
    first = figures({"x": Ratio(right, np.ones(400))}, seed=3)["x"]
    again = figures({"x": Ratio(right, np.ones(400))}, seed=3)["x"]
    other = figures({"x": Ratio(right, np.ones(400))}, seed=4)["x"]
    assert first == again != other
    half = 1.96 * (first.value * (1 - first.value) / 400) ** 0.5
    assert first.low == pytest.approx(first.value - half, abs=0.008)
    assert first.high == pytest.approx(first.value + half, abs=0.008)


def test_interval_covers_the_truth_about_95_times_in_100() -> None:
    rng = np.random.default_rng(0)
    hits = 0
    for trial in range(300):
        right = (rng.random(150) < 0.6).astype(float)
        found = figures({"x": Ratio(right, np.ones(150))}, seed=trial, resamples=400)["x"]
        hits += found.low <= 0.6 <= found.high
    assert 0.90 <= hits / 300 <= 0.99


def test_steps_of_one_episode_are_drawn_together() -> None:
    """Ten episodes, each all right or all wrong: 100 steps carry the information of 10."""
    together = [judged("click", e % 2 == 0, episode=f"e{e}", at=i) for e in range(10) for i in range(10)]
    apart = [judged("click", e % 2 == 0) for e in range(10) for i in range(10)]
    wide, narrow = report(together, BTL), report(apart, BTL)
    assert (wide.resampled, narrow.resampled) == ("episode", "step")
    widths = [r.metrics["sr"].high - r.metrics["sr"].low for r in (wide, narrow)]
    assert widths[0] > 2 * widths[1]


def test_overall_is_the_product_of_means() -> None:
    parts = [
        {"format": 1.0, "location": 0.8, "lingualisation": 0.5, "leverage": 1.0},
        {"format": 1.0, "location": 0.6, "lingualisation": 0.3, "leverage": 0.0},
    ]
    found = part_means(parts, [1.0, 3.0])
    assert found["overall"].value == pytest.approx(0.7 * 0.4 * 0.5)
    assert found["total"].value == 2
    # Table 4 of the paper: 86.4, 49.3, 61.3 make 26.1
    columns = {"a": np.array([0.864]), "b": np.array([0.493]), "c": np.array([0.613])}
    assert product_of_means(columns).value == pytest.approx(0.261, abs=5e-4)
