"""What GRPO gives for answers: exactly what `scoring` gives, by the recipe's options."""

from __future__ import annotations

import random
from typing import Any

import pytest
from grpo_data import record
from msgspec.structs import replace

from saccade.data.training_rows import RowWriter, TrainingRow
from saccade.errors import InputError
from saccade.models.families import VisionSettings
from saccade.paradigms import get_paradigm
from saccade.scoring.rewards import REWARDS, RewardRow
from saccade.scoring.rewards.btl import BTLReward
from saccade.train.rewards import CompletionScorer


class Plain:
    """A backbone whose completions are already the paradigm's text."""

    def answer(self, messages: Any, completion: str) -> str:
        return completion


def rows_of(paradigm: str, **switches: Any) -> list[TrainingRow]:
    maker = RowWriter(get_paradigm(paradigm, **switches), VisionSettings.of("qwen2.5-vl", (3136, 10**6)))
    return list(maker.episode([record(0, "0.png")], random.Random(0)))


@pytest.mark.parametrize("paradigm", REWARDS.names())
def test_a_golden_answer_gets_what_scoring_gives(paradigm: str) -> None:
    row = rows_of(paradigm)[0]
    judged = CompletionScorer({}, [paradigm]).score(row, row.answer, Plain())  # type: ignore[arg-type]
    reward = REWARDS.get(paradigm)(paradigm=row.paradigm)  # type: ignore[call-arg]
    assert row.step.key_elements is not None
    key = [replace(element, caption='button "Save"') for element in row.step.key_elements]
    scored = RewardRow(row.answer, row.step.view, row.step.truth, key)
    assert judged.parts == reward.parts(scored)
    assert judged.total == reward.total(judged.parts) == {"btl": 3, "uiloop": 10, "secagent": 1.5}[paradigm]


def test_a_wrong_answer_gets_only_its_due() -> None:
    row = rows_of("btl")[0]
    judge = CompletionScorer({}, ["btl"])
    beside = row.answer.replace('"position": [45', '"position": [4')
    assert beside != row.answer
    parts = judge.score(row, beside, Plain()).parts  # type: ignore[arg-type]
    assert parts == {"format": 1, "blink": 1, "link": 0}
    assert judge.score(row, "no idea", Plain()).total == 0  # type: ignore[arg-type]


def test_the_link_reward_alone_is_a_matter_of_weights() -> None:
    row = rows_of("btl")[0]
    judge = CompletionScorer({"weights": [0, 0, 1]}, ["btl"])
    assert judge.score(row, row.answer, Plain()).total == 1  # type: ignore[arg-type]
    only_format = row.answer.replace('"position": [45', '"position": [4')
    assert judge.score(row, only_format, Plain()).total == 0  # type: ignore[arg-type]


def test_options_are_for_all_or_for_one_paradigm() -> None:
    options = {"profile": "cmgui", "btl": {"weights": [1, 0, 0]}, "guidnav": {"name": "secagent"}}
    judge = CompletionScorer(options, ["btl", "secagent", "guidnav"])
    btl = judge.reward(rows_of("btl")[0])
    assert isinstance(btl, BTLReward)
    assert btl.weights == (1, 0, 0)
    assert btl.profile.name == "cmgui"
    row = rows_of("guidnav")[0]
    assert judge.score(row, row.answer, Plain()).parts == {"format": 0.5, "action": 1}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "paradigms", "said"),
    [
        ({}, ["guidnav"], "guidnav has no reward of its own: train btl, uiloop, secagent"),
        ({"weight": [1, 1, 1]}, ["btl"], r"no option 'weight' \(did you mean weights\?\)"),
        ({"weights": [1, 1]}, ["btl"], "grpo.reward.weights of btl"),
        ({"tau": "half"}, ["btl"], "grpo.reward.tau of btl"),
        ({"profile": "nobody"}, ["btl"], "unknown profile 'nobody'"),
        ({"name": "nobody"}, ["btl"], "unknown reward 'nobody'"),
        ({"sim": "cosine"}, ["uiloop"], "no option 'sim'"),
        ({"uiloop": {"alpha1": 1}}, ["btl"], "options for uiloop, but no row"),
        ({"btl": 3}, ["btl"], "grpo.reward.btl is a mapping"),
    ],
)
def test_wrong_options_say_so(options: dict[str, Any], paradigms: list[str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        CompletionScorer(options, paradigms)
