"""Every profile against its golden cases: right and wrong answers on both sides of each boundary; and what any profile
must do, a plug-in's too.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from msgspec import convert

from profile_checks import check_profile
from saccade.actions import Action, read_action
from saccade.errors import InputError, check_complete
from saccade.geometry import Size
from saccade.scoring.profiles import PROFILES, MatchContext, Profile, get_profile
from saccade.types import Element
from strategies import actions

GOLDEN = Path(__file__).parents[1] / "golden" / "profiles"


def cases(profile: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / f"{profile}.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("profile", sorted(file.stem for file in GOLDEN.glob("*.jsonl")))
def test_golden(profile: str) -> None:
    wrong = []
    for case in cases(profile):
        context = MatchContext(
            Size(*case["screen"]),
            convert(case.get("elements", []), list[Element]),
            case.get("tags", {}).get("task") == "grounding",
        )
        prediction = None if case["prediction"] is None else read_action(case["prediction"])
        verdict = get_profile(profile).judge(prediction, [read_action(a) for a in case["truth"]], context)
        if verdict != (case["type_right"], case["right"]):
            wrong.append(f"{case['name']}: {verdict}, but {case['why']}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("profile", sorted(set(PROFILES.names()) - set(PROFILES.plugged())))
def test_enough_golden_cases(profile: str) -> None:
    lines = cases(profile)
    assert len(lines) >= 12
    assert {case["right"] for case in lines} == {True, False}


@pytest.mark.parametrize("profile", PROFILES.names())
@given(prediction=actions(), truth=actions())
def test_any_answer_is_judged(profile: str, prediction: Action, truth: Action) -> None:
    check_profile(get_profile(profile), prediction, truth)


def test_a_profile_must_say_when_a_point_is_right() -> None:
    class OnlyTexts(Profile):
        name = "only-texts"

        def same_text(self, prediction: str, truth: str, type: Any) -> bool:
            return prediction.lower() == truth.lower()

    with pytest.raises(TypeError, match="same_point"):
        OnlyTexts()  # type: ignore[abstract]
    with pytest.raises(InputError, match=r"the profile mine lacks a method same_point: give the class OnlyTexts one"):
        check_complete(OnlyTexts, "the profile mine", "name")
