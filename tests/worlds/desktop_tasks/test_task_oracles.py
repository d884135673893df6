"""Scripted oracles in real applications: from the start, from where somebody else left off, and when all is lost."""

from __future__ import annotations

import random

import pytest

from saccade.actions import Action
from saccade.agents.random_model import draw_action
from saccade.errors import InputError
from saccade.paradigms import get_paradigm
from saccade.worlds import open_world
from saccade.worlds.desktop.tasks.catalog import templates
from saccade.worlds.desktop.tasks.world import DesktopTaskWorld
from saccade.worlds.observation import Observation

pytest_plugins = ["desktop_fixtures"]
pytestmark = [pytest.mark.desktop, pytest.mark.usefixtures("installed")]

MOST_STEPS = 30
ALWAYS = {
    "mousepad.append_line",
    "mousepad.save_as",
    "mousepad.missing_word",
    "galculator.square_root",
    "pcmanfm.rename",
    "pcmanfm.trash",
    "gnumeric.sum",
    "ristretto.read_width",
    "sqlitebrowser.change_price",
    "across.sheet_to_note",
}
"""One or two of each application; the others are slow only because they are many."""
TEMPLATES = [pytest.param(name, marks=[] if name in ALWAYS else pytest.mark.slow) for name in templates()]


def play(world: DesktopTaskWorld, seen: Observation) -> list[str]:
    """Follow the teacher to the end; returns what was done."""
    teacher = world.teacher()
    done: list[str] = []
    while not seen.done and len(done) < MOST_STEPS:
        lesson = teacher.teach(seen)
        assert lesson.truth and lesson.thought and lesson.key_elements is not None, (lesson.lost, done)
        done.append(lesson.phrase)
        seen = world.act(lesson.truth[0])
        assert not seen.error
    assert world.succeeded(seen), (world.problems, done)
    return done


@pytest.mark.parametrize("name", TEMPLATES)
def test_the_oracle_does_the_task(name: str) -> None:
    language = ("en", "zh")[list(templates()).index(name) % 2]
    with DesktopTaskWorld(name, language=language, split="test") as world:
        seen = world.reset(1)
        assert seen.instruction == world.episode.instruction and world.judges and not world.real
        play(world, seen)
        over = world.act(Action("wait"))
        assert over.done and "over" in over.error and not over.reward


def test_the_oracle_goes_on_from_what_others_did() -> None:
    with DesktopTaskWorld("mousepad.append_line") as world:
        world.reset(2)
        world.act(Action("press", key="ctrl+home"))
        world.act(Action("type", text="nonsense "))
        seen = world.act(Action("press", key="ctrl+s"))
        play(world, seen)


def test_a_task_with_other_files_changed_is_lost_and_no_success() -> None:
    with DesktopTaskWorld("pcmanfm.new_folder") as world:
        seen = world.reset(0)
        assert world.session is not None
        (world.session.home / "stray.txt").write_text("x", encoding="utf-8")
        assert "stray.txt" in world.teacher().teach(seen).lost
        seen = world.act(Action("terminate", status="success"))
        assert seen.done and not world.succeeded(seen)
        assert "stray.txt should not be there" in world.problems


def test_who_gives_up_at_once_has_guessed() -> None:
    with DesktopTaskWorld("pcmanfm.rename_missing") as world:
        world.reset(0)
        assert not world.succeeded(world.act(Action("terminate", status="failure")))
        assert world.problems == ["gave up without having looked"]


@pytest.mark.slow
def test_a_random_agent_fails() -> None:
    paradigm = get_paradigm("btl")
    with DesktopTaskWorld("mousepad.append_line") as world:
        for seed, name in enumerate(("mousepad.append_line", "galculator.square_root", "pcmanfm.rename_missing")):
            world.configure(name, {})
            seen, chance = world.reset(seed), random.Random(seed)
            for _ in range(8):
                seen = seen if seen.done else world.act(draw_action(paradigm, seen.screen, chance))
            assert not world.succeeded(seen if seen.done else world.act(Action("terminate", status="success")))


def test_an_open_world_takes_another_task() -> None:
    with open_world("desktop/pcmanfm.rename", language="zh") as world:
        assert isinstance(world, DesktopTaskWorld) and world.configurable
        world.configure("mousepad.read_line", {"language": "en", "split": "test"})
        play(world, world.reset(0))
        assert world.episode.language == "en"


def test_unknown_tasks_are_refused_in_one_sentence() -> None:
    with pytest.raises(InputError, match=r"no desktop task 'mousepad\.fly'"):
        open_world("desktop/mousepad.fly")
    with pytest.raises(InputError, match="language is 'fr'"):
        open_world("desktop/mousepad.new_file", language="fr")
