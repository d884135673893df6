"""Other words for the phone's tasks: they ask for the same, and none of them is one of the test's."""

from __future__ import annotations

import random
import re

import pytest
from msgspec.structs import replace

from saccade.actions import Action
from saccade.geometry import Box, Size
from saccade.types import Element, Step
from saccade_mini.slots import pattern
from saccade_mini.training.paraphrase import (
    ELSEWHERE,
    about_other_things,
    elsewhere,
    in_other_words,
    other_name,
    other_words,
    put_plainly,
    read_slots,
    renamed,
    without_words,
    wordings,
)
from saccade_phone.session import Session
from saccade_phone.splits import templates

ALL = [wording for found in wordings().values() for wording in found]


def test_every_template_of_training_has_some() -> None:
    assert {task.name for task in templates("train")} == set(wordings())


def test_slots_are_those_of_the_task() -> None:
    for ways in (ways for wording in ALL for ways in (wording.en, wording.zh)):
        known = [set(re.findall(r"\{(\w+)\}", way)) for way in ways.known]
        assert len(set(ways.more)) >= 20
        for way in ways.more:
            assert set.intersection(*known) <= set(re.findall(r"\{(\w+)\}", way)) <= set.union(*known), way
            assert way not in ways.known
            assert "\n" not in way


@pytest.mark.parametrize("language", ["en", "zh"])
def test_training_instructions_are_understood_and_test_instructions_are_not_among_them(language: str) -> None:
    """Drawn on real phones: what training says is recognised; what the tests say is new to the paraphrases as well."""
    for at, task in enumerate(templates("train")):
        told = Session.begin(task.name, seed=at, language=language, split="train").goal.instruction  # type: ignore[arg-type]
        said = other_words(told, task.name, language, random.Random(at))  # type: ignore[arg-type]
        assert said != told, told
        assert "{" not in said
        kept = Session.begin(task.name, seed=200_000_000 + at, language=language, split="test").goal.instruction  # type: ignore[arg-type]
        for wording in wordings()[task.name]:
            ways = wording.zh if language == "zh" else wording.en
            for way in ways.more:
                found = pattern(way).match(kept)  # a short wording fits many sentences, by taking most for a slot
                assert found is None or max(map(len, found.groups()), default=0) > 0.4 * len(kept), (way, kept)


CALL = [
    Step(
        id=str(at),
        instruction="Call Ada Moss",
        screen=Size(100, 100),
        elements=[Element(1, Box(0, 0, 50, 50), "button", "Ada Moss Harbor Bank"), Element(2, Box(0, 50, 50, 90))],
        truth=[Action("type", text="Ada Moss")],
        thought='"Ada Moss" is what is wanted here.',
        tags={"task": "contacts.call", "language": "en"},
    )
    for at in range(3)
]


def test_an_episode_is_told_in_one_way() -> None:
    told = in_other_words(CALL, 1.0, random.Random(1))
    assert len({step.instruction for step in told}) == 1
    assert told[0].instruction != "Call Ada Moss"
    assert "Ada Moss" in told[0].instruction
    assert in_other_words(CALL, 0.0, random.Random(1)) == CALL
    unknown = [Step(id="0", instruction="Something else", screen=Size(10, 10))]
    assert in_other_words(unknown, 1.0, random.Random(1)) == unknown
    assert in_other_words([], 1.0, random.Random(1)) == []


def test_wordings_that_are_held_back_are_not_trained_on() -> None:
    def told(held: bool) -> set[str]:
        words = (other_words("Call Ada Moss", "contacts.call", "en", random.Random(at), held) for at in range(400))
        return {said for said in words if said.count(" ") > 2}

    held, trained = told(held=True), told(held=False)
    assert 3 <= len(held) <= 30
    assert len(trained) > 60, "words that are lost make many of few"
    assert not held & trained


def test_words_are_lost_and_slots_are_not() -> None:
    way = "Please give {name} a ring, 打电话给{name}吧"
    found = {without_words(way, random.Random(at)) for at in range(50)}
    assert len(found) > 10
    assert all(said.count("{name}") == 2 for said in found)
    assert way in found or any(len(said) > len(way) - 8 for said in found)


def test_a_task_is_put_plainly_however_it_was_told() -> None:
    first = wordings()["contacts.call"][0].en.known[0].format(name="Ada Moss")
    for way in wordings()["contacts.call"][0].en.known:
        assert put_plainly(replace(CALL[0], instruction=way.format(name="Ada Moss"))).step_instruction == first
    unknown = replace(CALL[0], instruction="Something else")
    assert put_plainly(unknown) is unknown


def test_the_same_kind_of_task_about_other_things() -> None:
    tags = {"task": "clock.delete_alarm", "language": "en"}
    alarm = Step(id="0", instruction="Delete the 07:30 alarm", screen=Size(10, 10), tags=tags)
    found = {about_other_things(alarm, random.Random(at)).instruction for at in range(20)}
    assert len(found) > 10
    for said in found:
        read = read_slots(said, "clock.delete_alarm", "en")
        assert read is not None and re.fullmatch(r"[012]\d:[0-5]\d", read[1]["alarm_time"])
    called = about_other_things(CALL[0], random.Random(2))
    assert called.instruction != CALL[0].instruction
    assert (called.elements, called.truth) == ([], []), "its screen speaks of the other one"


def test_a_name_is_another_wherever_it_stands() -> None:
    told = renamed(CALL, random.Random(3))
    name = told[0].instruction.removeprefix("Call ")
    assert name != "Ada Moss"
    assert len(name.split()) == 2
    for step in told:
        assert step.elements[0].text == f"{name} Harbor Bank"
        assert step.truth[0].text == name
        assert step.thought == f'"{name}" is what is wanted here.'
        assert step.elements[0].box == CALL[0].elements[0].box


@pytest.mark.parametrize(
    ("value", "shape"),
    [("Slow elevator.mp3", r"[A-Z][a-z]* [a-z]+\.mp3"), ("冯若曦", r"[一-鿿]{3}"), ("Room 12", r"[A-Z][a-z]* 12")],
)
def test_another_name_looks_alike(value: str, shape: str) -> None:
    assert re.fullmatch(shape, other_name(value, random.Random(5)))


def test_slots_that_stand_side_by_side_are_told_apart_by_their_form_or_not_at_all() -> None:
    for wording in wordings()["calendar.add_event"]:
        for way in wording.zh.known:
            said = way.format(on="5月29日", start="16:15", end="17:45", title="报税咨询")
            read = read_slots(said, "calendar.add_event", "zh")
            assert read is not None, way
            assert read[1] == {"on": "5月29日", "start": "16:15", "end": "17:45", "title": "报税咨询"}


def test_tasks_of_apps_that_the_phone_does_not_have() -> None:
    """They are no known task, in any wording, and speak of nothing that is held out for tests."""
    chance = random.Random(0)
    for language in ("en", "zh"):
        found = {elsewhere(language, chance) for _ in range(600)}
        assert len(found) > 250
        assert not any("{" in task for task in found)
        known = (way for each in wordings().values() for wording in each for way in wording.ways(language).known)
        plain = [pattern(way) for way in known if not way.startswith("{") or not way.endswith("}")]
        assert not [task for task in found if any(one.match(task) for one in plain)]
    spoken = ELSEWHERE.read_text(encoding="utf-8").lower()
    assert not [
        word
        for word in ("song", "music", "playlist", "hotel", "flight", "train ", "歌", "音乐", "酒店", "航班", "火车")
        if word in spoken
    ]
