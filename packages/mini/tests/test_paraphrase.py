"""Other words for the phone's tasks: they ask for the same, and none of them is one of the test's."""

from __future__ import annotations

import random
import re

import pytest
from training_data import call

from saccade.geometry import Size
from saccade.types import Step
from saccade_mini.slots import SLOT, pattern
from saccade_mini.training.paraphrase import about_other_things, other_name, other_words, read_slots, renamed, wordings
from saccade_phone.session import Session
from saccade_phone.splits import templates

pytest_plugins = ["phone_fixtures"]
ALL = [wording for found in wordings().values() for wording in found]


def test_every_template_of_training_has_some() -> None:
    assert {task.name for task in templates("train")} == set(wordings())


def test_slots_are_those_of_the_task() -> None:
    for ways in (ways for wording in ALL for ways in (wording.en, wording.zh)):
        known = [set(SLOT.findall(way)) for way in ways.known]
        assert len(set(ways.more)) >= 20
        for way in ways.more:
            assert set.intersection(*known) <= set(SLOT.findall(way)) <= set.union(*known), way
            assert way not in ways.known and "\n" not in way, way


@pytest.mark.usefixtures("same_phones")
@pytest.mark.parametrize("language", ["en", "zh"])
def test_training_instructions_are_understood_and_test_instructions_are_not_among_them(language: str) -> None:
    """Drawn on real phones: what training says is recognised; what the tests say is new to the paraphrases as well."""
    for at, task in enumerate(templates("train")):
        told = Session.begin(task.name, seed=at % 4, language=language, split="train").goal.instruction  # type: ignore[arg-type]
        said = other_words(told, task.name, language, random.Random(at))  # type: ignore[arg-type]
        assert said != told and "{" not in said, told
        kept = Session.begin(task.name, seed=200_000_000 + at % 4, language=language, split="test").goal.instruction  # type: ignore[arg-type]
        for wording in wordings()[task.name]:
            ways = wording.zh if language == "zh" else wording.en
            for way in ways.more:
                if not kept.startswith(way.partition("{")[0]):
                    continue  # no match; to compile thousands of patterns takes long
                found = pattern(way).match(kept)  # a short wording fits many sentences, by taking most for a slot
                assert found is None or max(map(len, found.groups()), default=0) > 0.4 * len(kept), (way, kept)


def test_the_same_kind_of_task_about_other_things() -> None:
    tags = {"task": "clock.delete_alarm", "language": "en"}
    alarm = Step(id="0", instruction="Delete the 07:30 alarm", screen=Size(10, 10), tags=tags)
    found = {about_other_things(alarm, random.Random(at)).instruction for at in range(20)}
    assert len(found) > 10
    for said in found:
        read = read_slots(said, "clock.delete_alarm", "en")
        assert read is not None and re.fullmatch(r"[012]\d:[0-5]\d", read[1]["alarm_time"])
    called = about_other_things(call()[0], random.Random(2))
    assert called.instruction == called.step_instruction != "Call Ada Moss"
    assert (called.elements, called.truth) == ([], []), "its screen speaks of the other one"


def test_a_name_is_another_wherever_it_stands() -> None:
    told = renamed(call(), random.Random(3))
    name = told[0].instruction.removeprefix("Call ")
    assert name != "Ada Moss" and len(name.split()) == 2
    for step, before in zip(told, call(), strict=True):
        texts = [each.text.replace(name, "Ada Moss") for each in step.elements]
        assert texts == [each.text for each in before.elements]
        assert "Ada Moss" not in str(step) and step.truth[0].point == before.truth[0].point


def test_another_name_looks_alike() -> None:
    shapes = {"Slow elevator.mp3": r"[A-Z][a-z]* [a-z]+\.mp3", "冯若曦": r"[一-鿿]{3}", "Room 12": r"[A-Z][a-z]* 12"}
    for value, shape in shapes.items():
        assert re.fullmatch(shape, other_name(value, random.Random(5))), value


def test_slots_that_stand_side_by_side_are_told_apart_by_their_form() -> None:
    slots = {"on": "5月29日", "start": "16:15", "end": "17:45", "title": "报税咨询"}
    for wording in wordings()["calendar.add_event"]:
        for way in wording.zh.known:
            read = read_slots(way.format(**slots), "calendar.add_event", "zh")
            assert read is not None and read[1] == slots, way
