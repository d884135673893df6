"""What a reader makes of answers as models really write them: golden cases, one completion a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from paradigm_checks import PROMPTED
from saccade.actions import read_action
from saccade.geometry import Box, Frame, Size
from saccade.paradigms import PARADIGMS, get_paradigm
from saccade.types import Element, Screen

GOLDEN = Path(__file__).parents[1] / "golden" / "paradigms"
KEYS = {"name", "screen", "elements", "switches", "output", "strict", "action", "repairs"}
READ = {"elements_read", "boxes", "summary", "think", "plan", "candidates", "probabilities"}


def cases(paradigm: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / f"{paradigm}.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("paradigm", sorted(file.stem for file in GOLDEN.glob("*.jsonl")))
def test_golden(paradigm: str) -> None:
    for case in cases(paradigm):
        check_golden(paradigm, case)


def check_golden(paradigm: str, case: dict[str, Any]) -> None:
    assert case.keys() <= KEYS | READ
    switches = dict(case.get("switches", {}))
    if "frame" in switches:
        switches["frame"] = Frame.parse(switches["frame"])
    elements = [Element(row["id"], Box(*row["box"])) for row in case.get("elements", [])]
    parsed = get_paradigm(paradigm, **switches).parse(case["output"], Screen(Size(*case["screen"]), elements=elements))
    reply = parsed.reply
    assert reply.action == (read_action(case["action"]) if case["action"] else None)
    assert parsed.strict is case["strict"], parsed.repairs
    assert bool(parsed.repairs) is case["repairs"], parsed.repairs
    assert bool(parsed.problem) is (case["action"] is None), parsed.problem
    found = {
        "elements_read": len(reply.elements),
        "boxes": [list(element.box) for element in reply.elements],
        "summary": reply.summary,
        "think": reply.think,
        "plan": reply.plan,
        "candidates": len(reply.candidates),
        "probabilities": [candidate.probability for candidate in reply.candidates],
    }
    for key in READ & case.keys():
        assert found[key] == case[key], key


@pytest.mark.parametrize("paradigm", sorted(set(PROMPTED) - set(PARADIGMS.plugged())))
def test_there_are_enough_cases(paradigm: str) -> None:
    names = [case["name"] for case in cases(paradigm)]
    assert len(names) == len(set(names)) >= 25
