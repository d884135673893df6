"""What becomes of a run whose action was refused, and of secrets in what its user wrote."""

from __future__ import annotations

from pathlib import Path

import pytest
from gate_table import CLICK, Table, element, shows
from recordings import DONE, TAP, run, say

from saccade.actions import Action
from saccade.agents.approval import Gate, load_approval_policy, refused_in_words
from saccade.geometry import Point
from saccade.worlds.base import CurrentTarget

RISKY = (
    "Close my account|Wire $500|PAYNOW|Start over|Wipe device|Leave company|Rotate keys|Go live|Void cheque|Hang up|"
    "退款|清零|一键打卡|撤回|踢人|解约|充值|发车|停机|从头来过"
).split("|")


@pytest.mark.parametrize("text", RISKY)
def test_risky_labels_without_evidence_are_asked_about(text: str) -> None:
    """No list of words has them all: what counts is that nothing shows the button to be harmless."""
    there = CurrentTarget((element(text),), "https://shop.example/", words=(text,), control=True, evidence=("",))
    gate = Gate(load_approval_policy("browse"), allowed_hosts=["shop.example"])
    assert not gate.check(CLICK, shows(element(text)), Table([there])).allowed


@pytest.mark.parametrize("kind", ["slider", "spinbutton"])
def test_a_wheel_over_a_value_is_asked_about(kind: str) -> None:
    swipe = Action("swipe", direction="up", start=Point(50, 90))
    assert not Gate().check(swipe, shows(element("Volume", type=kind)), Table()).allowed
    assert Gate().check(swipe, shows(element("Volume", type="text")), Table()).allowed
    desktop = shows(element("Everyone", type="select"), url="")
    assert not Gate().check(swipe, desktop, Table()).allowed


def test_success_cannot_be_claimed_where_the_last_deed_was_refused(tmp_path: Path) -> None:
    log, _ = run(tmp_path, [say("btl", TAP), say("btl", DONE)], policy="careful")
    outcome = log.run.outcome
    assert outcome is not None and not outcome.successful
    assert (outcome.status, outcome.ended_by) == ("failure", "refused") and "was refused" in outcome.reason


def test_who_finds_another_way_may_say_so(tmp_path: Path) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text("rules: [{name: other, decision: allow, action: [type, terminate]}]", encoding="utf-8")
    answers = [say("btl", action) for action in (TAP, Action("type", text="hats"), DONE)]
    log, _ = run(tmp_path, answers, policy=str(policy))
    assert log.run.outcome is not None and log.run.outcome.status == "claimed"


def test_what_a_refused_action_would_have_done() -> None:
    assert refused_in_words(TAP, "“Pay”") == "would tap “Pay”: refused"
    assert refused_in_words(TAP, "“支付”", zh=True) == "本要点击“支付”：被拒绝"
    assert refused_in_words(Action("swipe", direction="left")) == "would swipe left: refused"


def test_a_secret_in_the_instruction_is_in_no_file_and_no_prompt(tmp_path: Path) -> None:
    secrets = tmp_path / "secrets.yaml"
    secrets.write_text('card: {value: "4929137358801426", place: shop.example}', encoding="utf-8")
    said = "Pay with 4929 1373 5880 1426"
    log, model = run(tmp_path, [say("btl", DONE)], instruction=said, secrets=str(secrets))
    assert log.run.instruction == "Pay with {secret.card}"
    prompts = "\n".join(message.text for _, messages in model.asked for message in messages)
    files = "\n".join(file.read_text("utf-8") for file in log.folder.iterdir() if file.suffix in (".json", ".jsonl"))
    for text in (prompts, files):
        assert "{secret.card}" in text and "5880" not in text
