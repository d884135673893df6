"""Guidance: which candidate is acted on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace
from recordings import BUTTONS, DONE, SIZE, TAP, record, run, say

from saccade.actions import Action
from saccade.agents.build import SAMPLING_TEMPERATURE, ask_of
from saccade.agents.guidance import Case, Guide, ProcessReward, RewardWeighting, merge, read_score
from saccade.agents.records import ScoredCandidate
from saccade.agents.replay_page import write_replay
from saccade.agents.settings import Settings
from saccade.errors import InputError
from saccade.geometry import Box, Point
from saccade.models.scripted import ScriptedModel
from saccade.paradigms import Candidate, Reply, get_paradigm
from saccade.records import read_grown, write_steps
from saccade.types import Element, Screen, Step
from saccade.worlds.base import Observation

SCREEN = Screen(SIZE, None, BUTTONS)
CASE = Case("Look for hats", "", SCREEN, Observation(SCREEN))
OTHER = Action("click", Point(150, 230))
BACK = Action("press", key="back")


class Fixed(ProcessReward):
    """Scores by action."""

    def __init__(self, **scores: float) -> None:
        self.by = scores

    def scores(self, case: Case, actions: Sequence[Action]) -> list[float]:
        return [self.by[action.type] for action in actions]


def chosen(candidates: list[ScoredCandidate], guide: Guide) -> tuple[Action, str]:
    scored, at, why = guide.choose(candidates, CASE)
    return scored[at].action, why


def test_without_a_reward_the_most_probable_then_the_first() -> None:
    assert chosen([ScoredCandidate(TAP, "", 0.3), ScoredCandidate(BACK, "", 0.6)], Guide())[0] == BACK
    assert chosen([ScoredCandidate(TAP, "", 0.5), ScoredCandidate(BACK, "", 0.5)], Guide())[0] == TAP


def test_the_highest_score_wins_over_probability() -> None:
    action, why = chosen(
        [ScoredCandidate(TAP, "", 0.9), ScoredCandidate(BACK, "", 0.1)], Guide(Fixed(click=0.2, press=0.7))
    )
    assert action == BACK and why == "the highest score"


def test_equal_scores_fall_to_the_more_probable() -> None:
    action, why = chosen(
        [ScoredCandidate(TAP, "", 0.2), ScoredCandidate(BACK, "", 0.6)], Guide(Fixed(click=0.7, press=0.7))
    )
    assert action == BACK and "tie" in why


def test_with_a_margin_the_first_choice_stays_unless_another_is_far_ahead() -> None:
    candidates = [ScoredCandidate(TAP, "", 0.9), ScoredCandidate(BACK, "", 0.1)]
    action, why = chosen(candidates, Guide(Fixed(click=0.5, press=0.7), weighting=RewardWeighting(margin=0.3)))
    assert action == TAP and "far enough" in why
    assert chosen(candidates, Guide(Fixed(click=0.3, press=0.7), weighting=RewardWeighting(margin=0.3)))[0] == BACK
    assert chosen(candidates, Guide(Fixed(click=math.nan, press=0.7), weighting=RewardWeighting(margin=0.3)))[0] == BACK


def test_with_a_prior_a_policy_that_is_sure_is_not_overruled() -> None:
    guide = Guide(Fixed(click=0.3, press=0.8), weighting=RewardWeighting(prior=0.8, margin=0.1))
    action, why = chosen([ScoredCandidate(TAP, "", 0.95), ScoredCandidate(BACK, "", 0.02)], guide)
    assert action == TAP and "far enough" in why
    action, why = chosen([ScoredCandidate(TAP, "", 0.5), ScoredCandidate(BACK, "", 0.4)], guide)
    assert action == BACK and why == "the highest score with its probability"
    close = Guide(Fixed(click=0.3, press=0.45), weighting=RewardWeighting(prior=0.8, margin=0.1))
    action, why = chosen([ScoredCandidate(TAP, "", 0.5), ScoredCandidate(BACK, "", 0.4)], close)
    assert action == TAP and "far enough" in why


def test_if_all_are_bad_the_policy_decides() -> None:
    action, why = chosen(
        [ScoredCandidate(TAP, "", 0.2), ScoredCandidate(BACK, "", 0.6)], Guide(Fixed(click=0.4, press=0.1), floor=0.5)
    )
    assert action == BACK and why.startswith("all bad")
    action, why = chosen(
        [ScoredCandidate(TAP, "", 0.2), ScoredCandidate(BACK, "", 0.6)], Guide(Fixed(click=0.0, press=0.0))
    )
    assert action == BACK and why.startswith("all bad")


def test_a_score_that_is_no_number_counts_as_none() -> None:
    action, _ = chosen(
        [ScoredCandidate(TAP, "", 0.2), ScoredCandidate(BACK, "", 0.6)], Guide(Fixed(click=0.1, press=math.nan))
    )
    assert action == TAP
    action, why = chosen(
        [ScoredCandidate(TAP, "", 0.2), ScoredCandidate(BACK, "", 0.6)], Guide(Fixed(click=math.nan, press=math.inf))
    )
    assert action == BACK and why.startswith("no score")


def test_equal_actions_are_one_candidate() -> None:
    near = Action("click", Point(153, 131))
    merged = merge(
        [ScoredCandidate(TAP, "a", 0.4), ScoredCandidate(BACK, "b", 0.3), ScoredCandidate(near, "c", 0.3)], SCREEN
    )
    assert [(each.action, round(each.probability, 3)) for each in merged] == [(TAP, 0.7), (BACK, 0.3)]
    assert merge([ScoredCandidate(TAP, "", 0.8), ScoredCandidate(TAP, "", 0.8)], SCREEN)[0].probability == 1.0
    assert len(merge([ScoredCandidate(TAP), ScoredCandidate(OTHER)], SCREEN)) == 2


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("It helps.\n0.85", 0.85),
        ("1", 1.0),
        ("0", 0.0),
        (".5", 0.5),
        ("Score: 0.3.", 0.3),
        ("step 2 of 3: 0.4", 0.4),
        ("概率：0.75", 0.75),
        ("between 0 and 1: 0.9", 0.9),
    ],
)
def test_scores_are_read(text: str, score: float) -> None:
    assert read_score(text) == score


@pytest.mark.parametrize("text", ["", "very good", "85", "7.5", "1.5", "-"])
def test_what_is_no_score_is_none(text: str) -> None:
    assert math.isnan(read_score(text))


def candidates(*lines: tuple[Action, float]) -> str:
    reply = Reply(candidates=tuple(Candidate(action, "why", sure) for action, sure in lines))
    return get_paradigm("guidnav").render(reply, SCREEN)


def test_guidnav_acts_on_what_the_oracle_likes_best(tmp_path: Path) -> None:
    answers = [candidates((OTHER, 0.8), (TAP, 0.1), (BACK, 0.1)), candidates((DONE, 1.0))]
    log, _ = run(tmp_path, answers, paradigm="guidnav", k=3, reward="oracle", others={"summarise": ["…"]})
    step = log.steps[0]
    assert step.prediction == TAP and [each.score for each in step.candidates] == [0.0, 1.0, 0.0]
    assert step.choice == "the highest score" and step.chosen == 1
    log, _ = run(tmp_path, answers, paradigm="guidnav", k=3, others={"summarise": ["…"]})
    assert log.steps[0].prediction == OTHER, "top-k without a reward takes the most probable"


def test_a_chat_model_as_process_reward(tmp_path: Path) -> None:
    answers = [candidates((OTHER, 0.8), (TAP, 0.2)), candidates((DONE, 1.0))]
    others = {"summarise": ["…"], "reward": ["It is another button. 0.1", "Right. 0.9"]}
    log, model = run(tmp_path, answers, paradigm="guidnav", k=2, reward="model", others=others)
    asked = [messages for ask, messages in model.asked if ask.purpose == "reward"]
    assert len(asked) == 2 and 'tapped "设置"' in asked[0][0].text and 'tapped "Search"' in asked[1][0].text
    assert "Look for hats" in asked[0][0].text
    assert log.steps[0].prediction == TAP and log.steps[0].usage.calls == 3


def test_other_paradigms_propose_with_several_samples(tmp_path: Path) -> None:
    answers = [say("btl", OTHER), say("btl", TAP), say("btl", OTHER)] + [say("btl", DONE)] * 3
    log, model = run(tmp_path, answers, k=3)
    assert model.asked[0][0].n == 3 and model.asked[0][0].temperature == 0.8
    assert log.steps[0].prediction == OTHER
    assert [round(each.probability, 2) for each in log.steps[0].candidates] == [0.67, 0.33]
    log, _ = run(tmp_path, answers, k=3, reward="oracle")
    assert log.steps[0].prediction == TAP


def test_several_samples_at_temperature_0_are_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="all the same"):
        run(tmp_path, [], k=3, temperature=0.0)


def test_who_reflects_need_not_be_drawn_from() -> None:
    settings, paradigm = Settings(world="phone/clock.add_alarm", model="mini", retries=2), get_paradigm("btl")
    assert ask_of(settings, paradigm).temperature == SAMPLING_TEMPERATURE
    model = ScriptedModel([])
    model.reflects = True
    assert ask_of(settings, paradigm, model).temperature == 0
    assert ask_of(replace(settings, reflect=False), paradigm, model).temperature == SAMPLING_TEMPERATURE


def test_the_oracle_and_the_page_use_the_rule_of_the_world(tmp_path: Path) -> None:
    """A tap 55 px under the true point misses the box (CMGUI), but 55 / 616 = 0.089 is near enough for AitW."""
    near = Action("click", Point(150, 185))
    screen = Screen(SIZE, None, [*BUTTONS, Element(9, Box(140, 175, 160, 195), "button", "near")])
    reply = Reply(candidates=(Candidate(BACK, "", 0.8), Candidate(near, "", 0.2)))
    answer = get_paradigm("guidnav").render(reply, screen)
    folder = record(tmp_path / "recording", (TAP,))
    step = replace(read_grown(folder / "steps.jsonl", Step)[0][0], elements=list(screen.elements))
    write_steps(folder / "steps.jsonl", [step])
    for rule, scores in (("guidnav", [0.0, 1.0]), ("cmgui", [0.0, 0.0])):
        log, _ = run(tmp_path, [answer], paradigm="guidnav", k=3, reward="oracle", world_options={"profile": rule})
        assert log.run.profile == rule and [each.score for each in log.steps[0].candidates] == scores
        assert f'"profile":"{rule}"' in write_replay(log.folder).read_text()
