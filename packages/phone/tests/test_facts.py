"""What an agent has to keep in mind of what it sees, on real phones."""

from __future__ import annotations

import pytest
from phone_data import collect_phone, phone_request

from saccade.types import Step, episodes
from saccade_phone.facts import spellings, wanted
from saccade_phone.session import Session


def test_days_are_told_in_words() -> None:
    assert spellings("555-1234") == ["555-1234"]
    assert spellings("2025-06-08") == ["2025-06-08", "Jun 8, 2025", "June 8, 2025", "2025年6月8日"]


def test_what_is_told_by_its_key_is_wanted_by_its_name() -> None:
    session = Session.begin("across.recommended", 3, "en")
    apps = session.state["apps"]
    names = [product["name"] for product in apps["shop"]["products"].values()]
    assert [fact for fact in wanted(session.goal, apps) if fact in names]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> list[list[Step]]:
    only = "across.tell_file_date across.recommended"
    request = phone_request(4, seed=5, only=only, scale=1.0, pictures=False)
    steps = collect_phone(request, tmp_path_factory.mktemp("facts"))
    return [list(each.steps) for each in episodes(steps)]


@pytest.mark.browser
def test_what_is_typed_was_noted_before(played: list[list[Step]]) -> None:
    """A date as it is to be written, and a thing that somebody spoke of: neither is in the task's own words."""
    assert {steps[0].tags["task"] for steps in played} == {"across.tell_file_date", "across.recommended"}
    for steps in played:
        typed = [
            (at, step.prediction.text)
            for at, step in enumerate(steps)
            if step.prediction and step.prediction.text and step.prediction.type == "type"
        ]
        noted = [step.tags.get("noted", "") for step in steps]
        assert not noted[0]
        assert any(noted) or not typed
        for at, text in typed:
            assert text in noted[at - 1], steps[0].instruction
