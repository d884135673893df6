"""Tasks that are told in other words than their templates'."""

from __future__ import annotations

import json
import random
from itertools import islice
from pathlib import Path

import pytest
from phone_data import collect_phone, phone_request

from saccade.actions import Action
from saccade.data.collect.episode import play_episode
from saccade.data.collect.players import FunctionPlayer
from saccade.errors import InputError
from saccade.worlds import open_world
from saccade.worlds.base import Observation
from saccade.worlds.teachers import Lesson
from saccade_phone.suite import phone_tasks
from saccade_phone.wordings import read_wordings
from saccade_phone.world import PhoneWorld

SAID = "Kindly ring somebody up"


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "told.json"
    path.write_text(json.dumps({"contacts.call/7/en": SAID}), encoding="utf-8")
    return str(path)


@pytest.mark.browser
def test_a_task_of_the_file_is_told_in_its_words_and_recorded_in_its_own(file: str) -> None:
    heard: list[str] = []

    def first(seen: Observation, lesson: Lesson, chance: random.Random, step: int) -> Action:
        heard.append(seen.instruction)
        return lesson.truth[0]

    world = open_world("phone/contacts.call", scale=1.0, wordings=file, pictures=False)
    assert isinstance(world, PhoneWorld)
    try:
        played = play_episode(world, 7, FunctionPlayer(first), "e0", tags={})
        assert played.outcome == "success"
        assert set(heard) == {SAID}
        own = {step.instruction for step in played.steps}
        assert len(own) == 1 and SAID not in own
        assert world.reset(8).instruction != SAID, "another seed is another task"
        world.language = "zh"
        assert world.reset(7).instruction != SAID
    finally:
        world.close()


def test_benchmarks_pass_the_file_on(file: str) -> None:
    for task in islice(phone_tasks({"split": "validation", "wordings": file}), 2):
        assert task.options["wordings"] == file
    assert "wordings" not in next(phone_tasks({"split": "validation"})).options


@pytest.mark.parametrize(
    ("content", "says"), [("[1]", "TASK/SEED/LANGUAGE"), ("{", "TASK/SEED/LANGUAGE"), (None, "no file")]
)
def test_a_file_that_is_none(content: str | None, says: str, tmp_path: Path) -> None:
    path = tmp_path / "told.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=says):
        read_wordings(str(path))
    with pytest.raises(InputError, match=says):
        next(phone_tasks({"wordings": str(path)}))
    with pytest.raises(InputError, match=says):
        collect_phone(phone_request(1, wordings=str(path)), tmp_path / "out")
