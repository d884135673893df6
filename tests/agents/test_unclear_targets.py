"""The gate asks where an action is not what it looks like, and where it cannot find out what is under the finger."""

from __future__ import annotations

from pathlib import Path

import pytest
from gate_table import Table, element, shows

from saccade.actions import Action
from saccade.agents.approval import ApprovalQuestion, Gate, load_approval_policy
from saccade.agents.approval.ask import Answer
from saccade.geometry import Point

SPOT = Point(50, 50)


def swipe(length: float) -> Action:
    """Upwards on a screen of 1000 × 1000, where touch slop is 50."""
    return Action("swipe", direction="up", start=SPOT, end=Point(50, 50 - length))


@pytest.mark.parametrize("length", [0, 3, 50])
@pytest.mark.parametrize("policy", ["careful", "browse"])
def test_a_short_swipe_is_asked_for_as_the_click_that_it_is(policy: str, length: float) -> None:
    asked: list[ApprovalQuestion] = []

    def no(question: ApprovalQuestion) -> Answer:
        asked.append(question)
        return "no"

    gate = Gate(load_approval_policy(policy), ask=no, allowed_hosts=["shop.example"])
    approval = gate.check(swipe(length), shows(element("Delete account")), Table())
    assert (approval.allowed, approval.risk) == (False, "delete")
    assert asked[0].action == Action("click", SPOT)


def test_a_long_swipe_and_a_short_one_on_nothing() -> None:
    assert Gate().check(Action("swipe", direction="up"), shows(element("Opening hours")), Table()).allowed
    assert not Gate().check(swipe(0), shows(element("Opening hours")), Table()).allowed


def test_a_rule_for_drags_does_not_allow_clicks(tmp_path: Path) -> None:
    """A drag that begins and ends on one button clicks it, however long it is."""
    file = tmp_path / "policy.yaml"
    file.write_text("rules: [{name: puzzle, decision: allow, action: drag}]")
    gate = Gate(load_approval_policy(str(file)))
    for end, allowed in [(SPOT, False), (Point(95, 50), False), (Point(500, 500), True)]:
        drag = Action("drag", start=SPOT, end=end)
        assert gate.check(drag, shows(element("Pay")), Table()).allowed == allowed, end
