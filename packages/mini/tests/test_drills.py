"""Made-up screens: what is right on them can be read off them, in both languages and in every format."""

from __future__ import annotations

import random

import pytest

from saccade.paradigms import get_paradigm
from saccade.scoring.profiles import MatchContext, get_profile
from saccade.train.rows import RowMaker
from saccade.types import Step
from saccade_mini.codec import PROMPT, Sheet
from saccade_mini.training.backbone import MiniBackbone
from saccade_mini.training.drills import drill

SEEDS = range(60)
EPISODES = [drill(seed) for seed in SEEDS]
STEPS: list[Step] = [step for steps in EPISODES for step in steps]


def test_the_same_seed_gives_the_same() -> None:
    assert drill(3) == EPISODES[3]
    assert drill(4) != EPISODES[3]


def test_there_is_something_of_everything() -> None:
    assert {step.truth[0].type for step in STEPS} >= {"click", "type", "swipe", "answer", "terminate"}
    assert {step.tags["language"] for step in STEPS} == {"en", "zh"}
    assert {step.truth[0].status for step in STEPS} >= {"success", "failure"}
    assert min(len(step.elements) for step in STEPS) < 8
    assert max(len(step.elements) for step in STEPS) > 25


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.id)
def test_a_step_is_sound(step: Step) -> None:
    ids = [element.id for element in step.elements]
    assert len(set(ids)) == len(ids)
    for element in step.elements:
        assert 0 <= element.box.x0 <= element.box.x1 <= step.screen.width, element
        assert 0 <= element.box.y0 <= element.box.y1 <= step.screen.height, element
    action = step.truth[0]
    if action.point is not None:
        touched = [element for element in step.elements if element.box == action.box]
        assert len(touched) == 1
        assert touched[0].interactive
        assert touched[0].text.casefold() in step.instruction.casefold()
    if action.type == "type":
        assert action.text
        assert action.text in step.instruction
    if action.type == "answer":
        assert action.text
        assert action.text not in step.instruction
        assert any(element.text == action.text for element in step.elements)


@pytest.mark.parametrize("name", ["btl", "uiloop", "secagent", "guidnav"])
def test_every_format_says_it_and_reads_it_back(name: str) -> None:
    maker = RowMaker(
        get_paradigm(name, frame=MiniBackbone.frame, space="phone", template=PROMPT), told=True, points=True
    )
    profile = get_profile("cmgui")
    for steps in EPISODES[:30]:
        for row in maker.episode(steps, random.Random(0)):
            sheet = Sheet.read(row.messages[0].text)
            answer = sheet.expand(sheet.compress(row.answer))
            action = row.paradigm.parse(answer, row.step.view).reply.action
            assert action is not None, answer
            scene = MatchContext(row.step.screen, row.step.elements, False)
            assert profile.judge(action, row.step.truth, scene).right, (answer, row.step.truth)
