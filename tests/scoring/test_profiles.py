"""Every profile against its golden cases: right and wrong answers on both sides of each boundary."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import convert

from saccade.actions import read_action
from saccade.geometry import Size
from saccade.scoring.profiles import PROFILES, MatchContext, get_profile
from saccade.types import Element

GOLDEN = Path(__file__).parents[1] / "golden" / "profiles"


def cases() -> list[Any]:
    found = []
    for file in sorted(GOLDEN.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            found.append(pytest.param(file.stem, case, id=f"{file.stem}:{case['name']}"))
    return found


@pytest.mark.parametrize(("profile", "case"), cases())
def test_golden(profile: str, case: dict[str, Any]) -> None:
    scene = MatchContext(
        Size(*case["screen"]),
        convert(case.get("elements", []), list[Element]),
        case.get("tags", {}).get("task") == "grounding",
    )
    prediction = None if case["prediction"] is None else read_action(case["prediction"])
    verdict = get_profile(profile).judge(prediction, [read_action(a) for a in case["truth"]], scene)
    assert verdict == (case["type_right"], case["right"]), case["why"]


@pytest.mark.parametrize("profile", PROFILES.names())
def test_enough_golden_cases(profile: str) -> None:
    lines = [json.loads(line) for line in (GOLDEN / f"{profile}.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(lines) >= 12
    assert {case["right"] for case in lines} == {True, False}
