"""The loop: what the model is asked at each step, what becomes of its answers, and when it ends."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from recordings import DONE, TAP, run, say

from saccade.actions import Action
from saccade.agents.endings import ENDINGS
from saccade.agents.ledger import Limits
from saccade.agents.log import read_run, read_steps
from saccade.geometry import Point
from saccade.models.base import Ask, Completion, ModelError, Usage
from saccade.models.scripted import ScriptedModel
from saccade.types import Message, Picture

TYPE = Action("type", text="hats")
BACK = Action("press", key="back")


def prompts(model: ScriptedModel) -> list[str]:
    return ["\n".join(message.text for message in messages) for _, messages in model.asked]


def pictures(messages: list[Message]) -> list[Picture]:
    return [part for message in messages for part in message.content if isinstance(part, Picture)]


@pytest.mark.parametrize("paradigm", ["btl", "uiloop"])
def test_btl_and_uiloop_get_their_action_history(tmp_path: Path, paradigm: str) -> None:
    log, model = run(tmp_path, [say(paradigm, action) for action in (TAP, TYPE, DONE)], paradigm=paradigm)
    last = prompts(model)[-1]
    assert 'tapped "Search"' in last and 'typed "hats"' in last
    assert "tapped" not in prompts(model)[0]
    assert [step.prediction.type for step in log.steps if step.prediction] == ["click", "type", "terminate"]
    assert log.run.outcome is not None and log.run.outcome.status == "claimed"


@pytest.mark.parametrize(("window", "most"), [(0, 1), (1, 2), (2, 3)])
def test_secagent_gets_its_own_summary_and_n_screenshots(tmp_path: Path, window: int, most: int) -> None:
    answers = [say("secagent", action, summary=f"summary {at}") for at, action in enumerate((TAP, TYPE, BACK, DONE))]
    _, model = run(tmp_path, answers, paradigm="secagent", switches={"window": window})
    asked = [messages for _, messages in model.asked]
    assert "Summary so far: None" in prompts(model)[0]
    assert "summary 2" in prompts(model)[3] and "summary 1" not in prompts(model)[3]
    assert len(pictures(asked[0])) == 1 and len(pictures(asked[3])) == most
    assert ("Action taken on it" in prompts(model)[3]) == (window > 0)


def test_secagent_without_context_and_thought(tmp_path: Path) -> None:
    switches: dict[str, Any] = {"semantic_context": False, "thought": False}
    answers = [say("secagent", action, summary="never", **switches) for action in (TAP, DONE)]
    _, model = run(tmp_path, answers, paradigm="secagent", switches=switches)
    assert "ummary" not in prompts(model)[1] and "<think>" not in prompts(model)[1]


def test_guidnav_is_asked_for_a_summary_after_each_step(tmp_path: Path) -> None:
    answers = [say("guidnav", action) for action in (TAP, BACK, DONE)]
    log, model = run(
        tmp_path, answers, paradigm="guidnav", others={"summarise": ["The search is open.", "Back again."]}
    )
    asked = [ask.purpose for ask, _ in model.asked]
    assert asked == ["act", "summarise", "act", "summarise", "act"]
    assert 'tapped "Search"' in prompts(model)[1] and "because" in prompts(model)[1]
    assert "Done so far: The search is open." in prompts(model)[2]
    assert [step.context for step in log.steps] == ["", "The search is open.", "Back again."]
    assert len(pictures(model.asked[0][1])) == 2, "the screen, and the screen with marks"
    assert log.steps[1].usage.calls == 2, "the summary counts for the step that it opens"


def test_an_unreadable_answer_gets_one_more_turn_that_quotes_the_reason(tmp_path: Path) -> None:
    log, model = run(tmp_path, ["I would tap it.", say("btl", TAP), say("btl", DONE)])
    assert [ask.purpose for ask, _ in model.asked] == ["act", "repair", "act"]
    again = model.asked[1][1]
    assert [message.role for message in again[-2:]] == ["assistant", "user"]
    assert again[-2].text == "I would tap it." and "no <link> section" in again[-1].text
    assert log.steps[0].prediction == TAP and len(log.steps[0].outputs) == 2
    assert log.steps[0].output == log.steps[0].outputs[1]


def test_three_unreadable_steps_end_it(tmp_path: Path) -> None:
    log, model = run(tmp_path, ["what?"] * 10)
    outcome = log.run.outcome
    assert outcome is not None and (outcome.status, outcome.ended_by) == ("failure", "unreadable")
    assert len(model.asked) == 6 and len(log.steps) == 3
    assert "could not be read" in prompts(model)[2], "the next step's prompt says so"
    assert not any(step.acted for step in log.steps) and log.steps[0].problem


def test_the_same_on_an_unchanged_screen_is_a_loop(tmp_path: Path) -> None:
    answers = [say("btl", TAP)] * 9
    log, model = run(tmp_path, answers, truths=(TAP,) * 9, colours=("white",))
    outcome = log.run.outcome
    assert outcome is not None and outcome.ended_by == "loop" and len(log.steps) == 4
    told = ["the screen did not change" in prompt for prompt in prompts(model)]
    assert told == [False, False, False, True]


def test_it_is_no_loop_if_the_screen_changes_or_the_agent_does_something_else(tmp_path: Path) -> None:
    log, _ = run(tmp_path, [say("btl", TAP)] * 5 + [say("btl", DONE)], truths=(TAP,) * 7)
    assert log.run.outcome is not None and log.run.outcome.status == "claimed"
    others = [TAP, TAP, BACK, TAP, TAP, BACK, DONE]
    (tmp_path / "b").mkdir()
    log, model = run(tmp_path / "b", [say("btl", each) for each in others], truths=(TAP,) * 8, colours=("white",))
    assert log.run.outcome is not None and log.run.outcome.status == "claimed"
    assert not any("did not change" in prompt for prompt in prompts(model))


def test_a_tap_that_jitters_is_still_the_same(tmp_path: Path) -> None:
    answers = [say("btl", Action("click", Point(150 + at % 2, 130))) for at in range(9)]
    log, _ = run(tmp_path, answers, truths=(TAP,) * 9, colours=("white",))
    assert log.run.outcome is not None and log.run.outcome.ended_by == "loop"


class Pricey(ScriptedModel):
    def complete(self, messages: list[Message], ask: Ask) -> list[Completion]:  # type: ignore[override]
        return [Completion(each.text, Usage(100, 10, 0.5, 1)) for each in super().complete(messages, ask)]


@pytest.mark.parametrize(
    ("limits", "by", "steps"),
    [
        (Limits(2), "steps", 2),
        (Limits(tokens=150), "tokens", 2),
        (Limits(cost=1.4), "cost", 3),
        (Limits(seconds=1e-9), "seconds", 0),
    ],
)
def test_limits_end_a_run_cleanly(tmp_path: Path, limits: Limits, by: str, steps: int) -> None:
    from recordings import record  # noqa: PLC0415

    from saccade.agents.run import RunOverrides, start_run  # noqa: PLC0415
    from saccade.agents.settings import Settings  # noqa: PLC0415

    folder = record(tmp_path / "recording", (TAP,) * 6)
    model = Pricey([say("btl", TAP)] * 6)
    log = start_run(Settings(world=f"replay:{folder}", limits=limits), tmp_path / "out", RunOverrides(model=model))
    outcome = log.run.outcome
    assert outcome is not None and (outcome.status, outcome.ended_by) == ("failure", by)
    assert len(log.steps) == steps == outcome.steps and "limit" in outcome.reason


@pytest.mark.parametrize(
    ("action", "status", "answer"),
    [
        (Action("terminate", status="failure", text="no such app"), "gave up", "no such app"),
        (Action("answer", text="四十二"), "claimed", "四十二"),
    ],
)
def test_the_last_word_where_nobody_judges(tmp_path: Path, action: Action, status: str, answer: str) -> None:
    log, _ = run(tmp_path, [say("btl", action)])
    assert log.run.outcome is not None and (log.run.outcome.status, log.run.outcome.answer) == (status, answer)


def test_why_it_ended_is_said_in_the_language_of_the_task(tmp_path: Path) -> None:
    """And every reason in both, with the same values in it."""
    log, _ = run(tmp_path, [say("btl", Action("answer", text="四十二"))], language="zh")
    assert log.run.outcome is not None and log.run.outcome.reason == "智能体表示已完成"
    for said in ENDINGS.values():
        assert sorted(re.findall(r"{.*?}", said["en"])) == sorted(re.findall(r"{.*?}", said["zh"]))
        assert re.search("[一-鿿]", said["zh"]) and not re.search("[一-鿿]", said["en"])


def test_the_world_judges_where_it_can(tmp_path: Path) -> None:
    log, _ = run(tmp_path, [say("btl", TAP)] * 3, truths=(TAP,) * 3, world_options={"profile": "btl"})
    assert log.run.outcome is not None and (log.run.outcome.status, log.run.outcome.reward) == ("success", 1.0)
    wrong = [say("btl", TAP), say("btl", BACK)]
    (tmp_path / "b").mkdir()
    log, _ = run(tmp_path / "b", wrong, truths=(TAP,) * 3, world_options={"profile": "btl"})
    assert log.run.outcome is not None and log.run.outcome.status == "failure"
    assert log.run.outcome.reward == pytest.approx(1 / 3)


def test_a_model_that_breaks_is_not_the_agents_failure(tmp_path: Path) -> None:
    def broken(_: object, __: object) -> str:
        raise ModelError("the server is down")

    log, _ = run(tmp_path, [say("btl", TAP), broken])
    outcome = log.run.outcome
    assert outcome is not None and (outcome.status, outcome.ended_by) == ("broken", "model")
    assert "the server is down" in outcome.reason and len(log.steps) == 1


def test_the_log_holds_all_that_led_to_a_step(tmp_path: Path) -> None:
    log, _ = run(tmp_path, [say("btl", TAP, plan="search first"), say("btl", DONE)], seed=5)
    kept, _ = read_steps(log.folder)
    step = kept[0]
    assert step.prompt[0][0] == "system" and "<image>" in step.prompt[-1][1]
    assert (step.plan, step.thought, step.acted) == ("search first", "because", True)
    assert step.named[0].box.center == Point(150, 130) and step.rewards["link"] == 1.0
    assert (log.folder / step.image).read_bytes()[:4] == b"\x89PNG"
    assert 0 < step.seconds.total < 5 and step.usage.calls == 1
    run_file = read_run(log.folder)
    assert run_file.settings["seed"] == 5 and run_file.versions["python"] and run_file.usage.calls == 2
    assert run_file.attempts[0].outcome == run_file.outcome


def test_chinese_instructions_get_chinese_prompts(tmp_path: Path) -> None:
    _, model = run(tmp_path, ["什么？", say("btl", TAP), say("btl", DONE)], instruction="搜索帽子")
    assert "你替用户操作一台设备" in prompts(model)[0] and "你的回答无法执行" in prompts(model)[1]
    assert "点击“Search”" in prompts(model)[2]
