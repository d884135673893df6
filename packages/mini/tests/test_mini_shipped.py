"""The mini that ships: it fits the package, restates tasks, scores actions, and does what `make demo` shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from saccade.actions import Action
from saccade.agents.guidance import Case
from saccade.agents.run import start_run
from saccade.agents.settings import Settings
from saccade.geometry import Box, Size
from saccade.models import open_model
from saccade.types import Element, Screen
from saccade.worlds.base import Observation
from saccade_mini.codec import SPECIAL
from saccade_mini.model import WEIGHTS, MiniModel
from saccade_mini.process_reward import open_mini_reward

ROOT = Path(__file__).parents[3]
DEMO = re.findall(
    r"--world (phone/\S+) --model mini --paradigm (\w+) --language (\w+) --seed (\d+)",
    (ROOT / "Makefile").read_text(encoding="utf-8"),
)
APPS = ("Mail", "Clock", "Contacts", "Files")
NAMES = ("Ann Berg", "Ben Cole", "Dora Falk")


@pytest.fixture(scope="module")
def mini() -> MiniModel:
    opened = open_model("mini")
    assert isinstance(opened, MiniModel)
    return opened


def test_it_fits_the_package_and_its_tokenizer(mini: MiniModel) -> None:
    assert sum(file.stat().st_size for file in WEIGHTS.iterdir()) < 64e6
    assert [mini.generator.tokenizer.token_to_id(mark) for mark in SPECIAL] == list(range(len(SPECIAL)))


def test_it_restates_known_tasks(mini: MiniModel) -> None:
    for said, restated, language in (
        ("Call Yusuf Demir", "Call Yusuf Demir", "en"),
        ("Count down 20 minutes", "Start a timer for 20 minutes", "en"),
        ("把13812345678拉黑", "把号码13812345678加入黑名单", "zh"),
    ):
        readings, first = mini.normalizer.readings(said, language)
        assert readings[0].text == restated
        assert mini.normalizer.readings(said, language) == (readings, first - first), "it is cached"
        assert [each.probability for each in readings] == sorted((each.probability for each in readings), reverse=True)


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize(("world", "paradigm", "language", "seed"), DEMO)
def test_it_does_what_the_demo_shows(world: str, paradigm: str, language: str, seed: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"paradigm": paradigm, "seed": int(seed), "world_options": {"language": language}}
    log = start_run(Settings(world=world, model="mini", **options), tmp_path / "run")
    assert log.run.outcome is not None and log.run.outcome.status == "success", log.run.outcome


def test_the_demo_is_in_both_languages_and_three_formats() -> None:
    assert ({each[2] for each in DEMO}, len({each[1] for each in DEMO})) == ({"en", "zh"}, 3)


# -- its reward model --------------------------------------------------------------------------------------------------


def scores(mini: MiniModel, task: str, labels: tuple[str, ...], past: str, actions: list[Action]) -> list[float]:
    rows = [Element(at, Box(0, 400 + 160 * at, 1080, 560 + 160 * at), "button", each) for at, each in enumerate(labels)]
    screen = Screen(Size(1080, 2400), None, rows)
    return open_mini_reward(policy=mini).scores(Case(task, past, screen, Observation(screen)), actions)


def test_its_reward_model_knows_which_app_is_needed_and_who_is_meant(mini: MiniModel) -> None:
    for task, right in (("Call Ann Berg", "Contacts"), ("Start a timer for 20 minutes", "Clock")):
        found = scores(mini, task, APPS, "", [Action("open_app", text=name) for name in APPS])
        assert APPS[found.index(max(found))] == right and max(found) > 0.5 and sorted(found)[-2] < 0.3
    taps = [Action("click", Box(0, 400 + 160 * at, 1080, 560 + 160 * at).center) for at in range(3)]
    actions = [*taps, Action("terminate", status="success")]
    found = scores(mini, "Call Ben Cole", NAMES, "opened the app Contacts", actions)
    assert found[1] > 0.7 and max(found[:1] + found[2:]) < 0.3, "to end would be too early"
