"""GuidNav's training beside the paper: §3.2 (the process reward model), §4 (its data), Table 3."""

from __future__ import annotations

import random

import pytest

from saccade.actions import Action
from saccade.data.draw import draw
from saccade.data.mix import read_mix
from saccade.geometry import Box, Point, Size
from saccade.scoring.profiles import get_profile
from saccade.train.prm_dataset import label_actions
from saccade.train.recipe_files import load_recipe
from saccade.types import Element, Step

PRM = load_recipe("guidnav-prm")
SCREEN = Size(100, 200)
BUTTONS = [
    Element(0, Box(10, 10, 90, 30), "button", "Search"),
    Element(1, Box(10, 100, 90, 120), "button", "Delete everything"),
]
TAP = Action("click", Point(50, 20))


def step(**changes: object) -> Step:
    whole = {"id": "s", "instruction": "Search for hats", "screen": SCREEN, "elements": BUTTONS, "truth": [TAP]}
    return Step(**whole | changes)  # type: ignore[arg-type]


def labels(of: Step, negatives: int = 0) -> list[tuple[Action, float]]:
    return label_actions(of, get_profile(PRM.prm.profile), negatives, random.Random(0))


def test_the_recipe() -> None:
    assert (PRM.stage, PRM.paradigm, PRM.switches) == ("prm", "guidnav", {"space": "paper"})


def test_labels_are_by_the_rule_of_aitw() -> None:
    assert PRM.prm.profile == "guidnav"


def test_the_best_score_decides_by_default() -> None:
    """§3.3: the arg max of R; nothing else counts unless a recipe says so."""
    assert (PRM.prm.weighting.prior, PRM.prm.weighting.margin) == (0, 0)


def test_demonstrations_are_labelled_1() -> None:
    assert labels(step()) == [(TAP, 1.0)]
    assert labels(step(prediction=TAP)) == [(TAP, 1.0)], "what was done is what was demonstrated"


@pytest.mark.parametrize(
    ("played", "label"),
    [
        # Taps match within 0.14 of the screen, both sides as shares: 0.1 is 10 pixels across and 20 down.
        (Action("click", Point(50, 44)), 1.0),  # 24 of 200 down: 0.12
        (Action("click", Point(50, 110)), 0.0),  # 90 of 200 down: 0.45, on the other button
        (Action("swipe", direction="up"), 0.0),  # a drag is no tap
        (Action("press", key="back"), 0.0),
        (Action("type", text="hats"), 0.0),
    ],
)
def test_self_play_is_labelled_by_that_rule(played: Action, label: float) -> None:
    found = dict(labels(step(prediction=played)))
    assert found[TAP] == 1.0 and found[played] == label


def test_typed_text_must_be_equal() -> None:
    right = Action("type", text="hats")
    assert dict(labels(step(truth=[right], prediction=Action("type", text="hat"))))[Action("type", text="hat")] == 0.0


def test_drags_must_agree_in_direction() -> None:
    right = Action("swipe", direction="up")
    found = dict(labels(step(truth=[right], prediction=Action("swipe", direction="down"))))
    assert found[Action("swipe", direction="down")] == 0.0


def test_wrong_actions_are_drawn_beside_demonstrations() -> None:
    """Demonstrations alone are all 1, and teach nothing: ours, the paper has self-play for it."""
    found = labels(step(), negatives=PRM.prm.negatives)
    assert [label for _, label in found] == [1.0, 0.0, 0.0]


@pytest.mark.train
def test_the_loss_is_the_mean_squared_error() -> None:
    """§3.2. Scores 0.9, 0.4 and 0.1 for labels 1, 0 and 0: (0.01 + 0.16 + 0.01) / 3 = 0.06."""
    from saccade.train.prm import measure  # noqa: PLC0415
    from saccade.train.prm_dataset import LabelledAction  # noqa: PLC0415

    rows = [LabelledAction("g", None, step(), "", None, TAP, label) for label in (1.0, 0.0, 0.0)]  # type: ignore[arg-type]
    assert measure(rows, [0.9, 0.4, 0.1])["mse"] == pytest.approx(0.06)


def test_300_tasks_of_each_of_four_subsets() -> None:
    parts = read_mix("guidnav-prm")
    assert {part.options["subset"] for part in parts} == {"general", "web_shopping", "google_apps", "install"}
    assert [(part.count, part.of) for part in parts] == [(300, "episodes")] * 4
    assert {part.options["split"] for part in parts} == {"train"}


def test_the_75_tasks_are_a_seeded_draw_not_the_first() -> None:
    ids = [f"{number:04}" for number in range(1000)]
    assert len(set(draw(ids, 75, 0))) == 75 and draw(ids, 75, 0) != ids[:75]
    assert draw(ids, 75, 0) == draw(reversed(ids), 75, 0)
