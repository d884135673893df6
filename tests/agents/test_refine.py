"""Refinement: judge, reflect, set back, try again."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageColor
from recordings import COLOURS, DONE, TAP, record, run, say

from saccade.actions import Action
from saccade.agents.ledger import Limits
from saccade.agents.refine import read_verdict
from saccade.agents.run import start_run
from saccade.agents.settings import Settings
from saccade.errors import InputError
from saccade.types import Picture

BACK = Action("press", key="back")
GOOD, BAD = [say("btl", TAP)] * 2, [say("btl", BACK)]
JUDGED: dict[str, Any] = {"truths": (TAP,) * 2, "world_options": {"profile": "btl"}, "judge": "world"}


def test_a_failed_attempt_leaves_a_lesson_for_the_next(tmp_path: Path) -> None:
    others = {"reflect": ["Do not go back: tap Search."]}
    log, model = run(tmp_path, [*BAD, *GOOD], retries=2, others=others, **JUDGED)
    assert log.run.outcome is not None and log.run.outcome.status == "success"
    assert [each.judged for each in log.run.attempts] == [False, True]
    assert log.run.attempts[0].reflection == "Do not go back: tap Search."
    acts = [messages[-1].text for ask, messages in model.asked if ask.purpose == "act"]
    assert "Do not go back" not in acts[0] and "Do not go back" in acts[1] and "Do not go back" in acts[2]
    reflecting = next(messages[-1].text for ask, messages in model.asked if ask.purpose == "reflect")
    assert "went back" in reflecting and "Look for hats" in reflecting
    assert log.run.between.calls == 1 and log.run.usage.calls == 4
    assert [(step.attempt, step.step) for step in log.steps] == [(0, 0), (1, 0), (1, 1)]


def test_the_number_of_retries_is_a_limit_and_lessons_add_up(tmp_path: Path) -> None:
    log, model = run(tmp_path, BAD * 5, retries=2, others={"reflect": ["one", "two", "three"]}, **JUDGED)
    assert log.run.outcome is not None and log.run.outcome.status == "failure" and len(log.run.attempts) == 3
    last = [messages[-1].text for ask, messages in model.asked if ask.purpose == "act"][-1]
    assert "- one" in last and "- two" in last
    assert sum(ask.purpose == "reflect" for ask, _ in model.asked) == 2, "nobody learns from the last attempt"


def test_pass_at_n_is_the_same_without_lessons(tmp_path: Path) -> None:
    log, model = run(tmp_path, [*BAD, *BAD, *GOOD], retries=2, reflect=False, **JUDGED)
    assert log.run.outcome is not None and log.run.outcome.status == "success" and len(log.run.attempts) == 3
    assert {ask.purpose for ask, _ in model.asked} == {"act"}


def test_a_chat_model_as_judge(tmp_path: Path) -> None:
    others = {"judge": ["The list is empty.\nfailure", "The hats are there.\nsuccess"], "reflect": ["Look closer."]}
    answers = [say("btl", TAP), say("btl", DONE)] * 2
    log, model = run(tmp_path, answers, retries=3, others=others)
    assert [each.judged for each in log.run.attempts] == [False, True]
    assert log.run.attempts[0].verdict == "The list is empty.\nfailure"
    judging = next(messages[-1] for ask, messages in model.asked if ask.purpose == "judge")
    assert 'tapped "Search"' in judging.text and judging.text.count("<image>") == 2


def test_guidance_and_refinement_compose(tmp_path: Path) -> None:
    answers = [*[say("btl", BACK)] * 3, say("btl", BACK), say("btl", TAP), say("btl", BACK), *[say("btl", TAP)] * 3]
    log, _ = run(tmp_path, answers, k=3, reward="oracle", retries=1, others={"reflect": ["Tap."]}, **JUDGED)
    assert [step.prediction for step in log.steps] == [BACK, TAP, TAP]
    assert log.run.outcome is not None and log.run.outcome.status == "success"


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("success", True),
        ("It is not a failure.\nsuccess", True),
        ("success? no.\nFailure", False),
        ("失败", False),
        ("任务成功", True),
        ("", False),
        ("done", False),
        ("It was not a success", False),
        ("The attempt was unsuccessful.", False),
        ("It is not successful.", False),
        ("The agent did not succeed", False),
        ("It didn't succeed.", False),
        ("并未成功", False),
        ("没有成功", False),
        ("任务未成功。", False),
        ("不成功", False),
        ("Success was never reached.", False),
        ("success or failure", False),
        ("The alarm is set.\nVerdict: success", True),
        ("At first it failed.\n**Verdict:** Success.", True),
        ("Verdict: success\nOn reflection:\nVerdict: failure", False),
        ("A full success.\nVerdict: not a success", False),
        ("Verdict: unknown", False),
        ("闹钟已设好。\nVerdict：成功", True),
        ("Not everything was obvious. In the end it succeeded.", True),
    ],
)
def test_verdicts_are_read(text: str, good: bool) -> None:
    assert read_verdict(text) is good


def test_a_chat_model_judges_even_where_the_world_could(tmp_path: Path) -> None:
    """The world ends the first attempt as wrong; the model, which believes it was right, ends the refinement."""
    world = {name: value for name, value in JUDGED.items() if name != "judge"}
    log, model = run(tmp_path, [*BAD, *GOOD], retries=2, others={"judge": ["Verdict: success"]}, **world)
    assert [each.judged for each in log.run.attempts] == [True]
    assert log.run.outcome is not None and log.run.outcome.status == "failure", "success is still the world's word"
    assert [ask.purpose for ask, _ in model.asked] == ["act", "judge"]
    others = {"judge": ["Verdict: failure"], "reflect": ["Tap."]}
    log, model = run(tmp_path, [*BAD, *GOOD], retries=1, others=others, **world)
    reflecting = next(messages[-1].text for ask, messages in model.asked if ask.purpose == "reflect")
    assert "judged" not in reflecting and "How it ended" not in reflecting, "the world's verdict stays with the world"


def test_the_judge_sees_the_last_screen_also_after_a_limit(tmp_path: Path) -> None:
    others = {"judge": ["Verdict: failure"], "reflect": ["Be quick."]}
    answers = [say("btl", TAP)] * 4
    log, model = run(tmp_path, answers, retries=1, others=others, limits=Limits(steps=2))
    assert log.run.attempts[0].outcome is not None and log.run.attempts[0].outcome.ended_by == "steps"
    judging = next(messages[-1] for ask, messages in model.asked if ask.purpose == "judge")
    shown = [
        Image.open(io.BytesIO(part.data())).convert("RGB") for part in judging.content if isinstance(part, Picture)
    ]
    colours = [picture.getpixel((2, 2)) for picture in shown]
    assert colours == [ImageColor.getrgb(COLOURS[1]), ImageColor.getrgb(COLOURS[2])], "before and after the second tap"
    reflecting = next(messages[-1].text for ask, messages in model.asked if ask.purpose == "reflect")
    assert "the limit of 2 steps was reached" in reflecting


def test_a_model_that_cannot_judge_needs_a_judge(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--judge world"):
        start_run(
            Settings(world=f"replay:{record(tmp_path / 'r', [TAP])}", model="oracle", retries=1), tmp_path / "run"
        )
