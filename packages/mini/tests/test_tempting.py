"""Wrong actions that tempt a policy which knows its tasks."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from saccade.actions import Action
from saccade.agents.prm_prompt import Asking
from saccade.geometry import Point, Size
from saccade.scoring.profiles import MatchContext, get_profile
from saccade.train.prm_dataset import judged, labelled
from saccade.train.recipe import Prm, Recipe
from saccade.train.samples import Recorded, read_episodes
from saccade.types import Step
from saccade_mini.codec import Sheet
from saccade_mini.training.hard_negatives import actions, misread, rightly, tempted
from saccade_phone.collection.collect import Request, collect

SHEET = Sheet.read('@btl en\ntask: Call Ann\n#1 button "Ann" [500, 250] [0, 200, 1000, 300]')


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    out = tmp_path_factory.mktemp("tempting")
    collect(Request(1, "noisy", only=("contacts.call",), languages=("en",), scale=1.0, pictures=False), out, workers=1)
    return next(iter(read_episodes([out])))


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("touch =name", Action("click", Point(180, 200))),
        ("hold =name", Action("long_press", Point(180, 200))),
        ("swipe up", Action("swipe", direction="up")),
        ("press back", Action("press", key="back")),
        ("end failure", Action("terminate", status="failure")),
        ("open Clock", Action("open_app", text="Clock")),
        ("type =name", Action("type", text="Ann")),
        ("type =noted", None),
        ("touch Save", None),
        ("answer", None),
    ],
)
def test_deeds_as_actions(name: str, wanted: Action | None) -> None:
    assert list(actions(name, SHEET, Size(360, 800), {"name": "Ann"})) == ([wanted] if wanted else [])


def test_what_such_tasks_do_at_other_times_tempts(recorded: Recorded) -> None:
    found = tempted(recorded.steps)
    assert set(found) == {each.id for each in recorded.steps if each.truth}
    first = found[recorded.steps[0].id]
    assert first[0] == Action("open_app", text="Contacts"), "the likeliest comes first"
    profile, wrong = get_profile("cmgui"), 0
    for step in recorded.steps:
        told = found.get(step.id, [])
        labels = labelled(step, profile, 2, random.Random(0), tempting=told) if step.truth else []
        assert sum(label == 0 for _, label in labels) >= min(2, len(labels) - 1) or not labels
        wrong += sum(label == 0 and action in told for action, label in labels)
    assert wrong, "some of what tempts is wrong there"


def test_nothing_tempts_where_the_task_is_unknown(recorded: Recorded) -> None:
    dance = Step(id="1", instruction="Dance", screen=Size(360, 800), truth=[Action("wait")])
    assert tempted([dance]) == {} == tempted([])


def test_a_task_is_taken_for_one_that_it_could_be(recorded: Recorded) -> None:
    right = rightly(recorded.steps[0])
    assert right is not None
    for seed in range(5):
        other = misread(recorded.steps, random.Random(seed))
        assert other is not None
        assert other.wording != right.wording
        assert set(other.slots.values()) <= set(right.slots.values()), "it holds nothing but what the task says"
        assert "{" not in other.text
    dance = Step(id="1", instruction="Dance", screen=Size(360, 800), truth=[Action("wait")])
    assert misread([dance], random.Random(0)) is None is misread([], random.Random(0))


def test_a_reward_model_is_told_wrongly_what_a_task_means_and_is_taught_rightly(recorded: Recorded) -> None:
    recipe = Recipe("prm", restate=1, prm=Prm(profile="cmgui", tempting=2, misread=1.0))
    asking = Asking(kind="mini", frame="permille", told=True)
    rows = list(judged(recorded, asking, recipe, "0", Counter()))
    told = {row.step.step_instruction for row in rows}
    right = rightly(recorded.steps[0])
    assert right is not None
    assert len(told) == 1, "the whole episode is understood in one way"
    assert told != {right.text}
    profile = get_profile("cmgui")
    for row in rows:
        scene = MatchContext(row.step.screen, row.step.elements, row.step.grounding)
        assert profile.judge(row.action, row.step.truth, scene).right == (row.label == 1)
    as_misread = tempted(recorded.steps, misread(recorded.steps, random.Random(0)))
    assert as_misread != tempted(recorded.steps), "what tempts is what the other task does"
