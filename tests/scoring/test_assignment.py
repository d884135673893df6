"""The assignment against brute force, and the blink reward's cases (BTL-UI eq. 6)."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.actions import Action
from saccade.geometry import Box, Point
from saccade.scoring.assignment import assign, first_matched
from saccade.scoring.rewards.btl import blink_reward, priority

A, B, C = Box(0, 0, 100, 100), Box(200, 0, 300, 100), Box(0, 200, 100, 300)
TAP, BACK = Action("click", Point(1, 1)), Action("press", key="back")


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    x, y = draw(st.integers(0, 40)), draw(st.integers(0, 40))
    return Box(x, y, x + draw(st.integers(-3, 25)), y + draw(st.integers(-3, 25)))


def best_total(predicted: list[Box], annotated: list[Box]) -> float:
    """The largest total IoU over every way to pair the boxes."""
    few, many = sorted((predicted, annotated), key=len)
    return max(
        (sum(a.iou(b) for a, b in zip(few, chosen, strict=False)) for chosen in itertools.permutations(many, len(few))),
        default=0.0,
    )


@given(st.lists(boxes(), max_size=5), st.lists(boxes(), max_size=5))
def test_total_is_the_best(predicted: list[Box], annotated: list[Box]) -> None:
    pairs = assign(predicted, annotated)
    assert sum(iou for *_, iou in pairs) == pytest.approx(best_total(predicted, annotated), abs=1e-6)
    assert len({i for i, *_ in pairs}) == len({j for _, j, _ in pairs}) == len(pairs)
    for i, j, iou in pairs:
        assert iou == pytest.approx(predicted[i].iou(annotated[j]))


@pytest.mark.parametrize(
    ("predicted", "annotated", "action", "expected"),
    [
        ([], [], TAP, 1.0),
        ([], [A], BACK, 1.0),
        ([], [A], TAP, 0.0),
        ([], [A], None, 0.0),
        ([A], [], BACK, 0.0),
        ([A], [A, B], TAP, 1.0),
        ([B], [A, B], TAP, 0.8),
        ([C], [A, B, C], TAP, 0.6),
        ([C, B], [A, B, C], TAP, 0.8),
        ([Box(400, 400, 500, 500)], [A, B], TAP, 0.0),
        ([Box(0, 0, 50, 100)], [A], TAP, 1.0),  # IoU exactly 0.5 is a match
        ([Box(0, 0, 49, 100)], [A], TAP, 0.0),  # 0.49 is not
        ([A], [Box(0, 0, 100, 60), A], TAP, 0.8),  # fits the second best, so it is matched to the second
    ],
)
def test_blink_reward(predicted: list[Box], annotated: list[Box], action: Action | None, expected: float) -> None:
    assert blink_reward(predicted, annotated, action) == pytest.approx(expected)


def test_assignment_is_global_not_greedy() -> None:
    """The box that alone fits the second element must leave the first to the other box."""
    first, second = Box(0, 0, 100, 100), Box(0, 0, 100, 200)
    wide, narrow = Box(0, 0, 100, 150), Box(0, 0, 100, 90)
    pairs = {(i, j) for i, j, _ in assign([wide, narrow], [first, second])}
    assert pairs == {(0, 1), (1, 0)}


def test_equal_totals_serve_the_higher_priority() -> None:
    """Right between two elements, equally close to both: the more important one counts."""
    between = Box(0, 50, 100, 150)
    upper, lower = Box(0, 0, 100, 100), Box(0, 100, 100, 200)
    assert blink_reward([between], [lower, upper], TAP, tau=0.3) == 1.0
    assert blink_reward([between], [upper, lower], TAP, tau=0.3) == 1.0


def test_priorities() -> None:
    assert [priority(rank) for rank in range(1, 8)] == pytest.approx([1, 0.8, 0.6, 0.4, 0.2, 0, 0])
    assert blink_reward([B], [A, B], TAP, scores=[10, 5]) == 5
    assert blink_reward([A, B, C], [A, B, C], TAP, scores=[0.1, 0.9, 0.5]) == 0.9


@given(
    st.lists(boxes(), min_size=1, max_size=5),
    st.lists(boxes(), min_size=1, max_size=5),
    st.sampled_from([0.1, 0.3, 0.5]),
)
def test_shortcuts_give_what_the_whole_assignment_gives(predicted: list[Box], annotated: list[Box], tau: float) -> None:
    """Where several assignments are equally good, either may serve the higher priority; totals decide."""
    matched = {j for _, j, iou in assign(predicted, annotated) if iou >= tau}
    found = first_matched(predicted, annotated, range(len(annotated)), tau)
    if found != min(matched, default=None):
        assert found is not None
        rest = [box for j, box in enumerate(annotated) if j != found]
        with_it = max(
            (box.iou(annotated[found]) + best_total(predicted[:i] + predicted[i + 1 :], rest))
            for i, box in enumerate(predicted)
            if box.iou(annotated[found]) >= tau
        )
        assert with_it == pytest.approx(best_total(predicted, annotated), abs=1e-6)
