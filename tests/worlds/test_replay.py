"""Recordings as worlds."""

from __future__ import annotations

from pathlib import Path

import pytest

from saccade.actions import Action
from saccade.errors import InputError
from saccade.geometry import Box, Point, Size
from saccade.records import write_steps
from saccade.types import Element, Step
from saccade.worlds import InfrastructureError, open_world
from saccade.worlds.replay import ReplayWorld

SIZE = Size(100, 200)
TRUTHS = [Action("click", Point(10, 10), Box(0, 0, 20, 20)), Action("type", text="a"), Action("press", key="back")]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "screens").mkdir()
    steps = []
    for episode in ("e1", "e2"):
        for at, truth in enumerate(TRUTHS):
            image = f"screens/{episode}-{at}.png"
            (tmp_path / image).write_bytes(b"png")
            elements = [Element(1, Box(0, 0, 20, 20), "button", f"{episode} {at}")]
            steps.append(
                Step(
                    id=f"{episode}-{at}",
                    episode=episode,
                    step=at,
                    instruction=f"do {episode}",
                    screen=SIZE,
                    image=image,
                    elements=elements,
                    truth=[truth],
                )
            )
    write_steps(tmp_path / "steps.jsonl", steps)
    return tmp_path


def test_any_action_leads_on(run: Path) -> None:
    world = open_world(f"replay:{run}")
    assert isinstance(world, ReplayWorld)
    observation = world.reset(task="e2")
    assert world.instruction == "do e2"
    seen = [observation.screen.elements[0].text]
    while not observation.done:
        observation = world.act(Action("wait"))
        seen.append(observation.screen.elements[0].text)
    assert seen == ["e2 0", "e2 1", "e2 2", "e2 2"]
    assert observation.screen.picture is not None
    assert Path(str(observation.screen.picture.source)).is_file()


def test_seeds_choose_episodes(run: Path) -> None:
    world = ReplayWorld(run)
    assert [world.reset(seed).screen.elements[0].text for seed in (0, 1, 2)] == ["e1 0", "e2 0", "e1 0"]


def test_with_a_profile_the_first_wrong_action_ends_it(run: Path) -> None:
    world = open_world(f"replay:{run}", profile="cmgui")
    world.reset()
    assert not world.act(Action("click", Point(5, 5))).done
    observation = world.act(Action("type", text="b"))
    assert (observation.done, observation.reward) == (True, 1 / 3)
    assert "differs from the recorded one" in observation.error
    world.reset()
    for truth in TRUTHS:
        observation = world.act(truth)
    assert (observation.done, observation.reward) == (True, 1.0)


def test_a_killed_runs_last_line_is_left_out(run: Path) -> None:
    file = run / "steps.jsonl"
    file.write_text(file.read_text() + '{"id": "half')
    assert len(ReplayWorld(run).episodes["e2"].steps) == 3
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0], "{broken", *lines[1:]]))
    with pytest.raises(InputError, match=r"steps\.jsonl:2: not JSON"):
        ReplayWorld(run)


def test_clear_errors(run: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no recording"):
        ReplayWorld(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"holds 0 \.jsonl files"):
        ReplayWorld(run / "screens")
    with pytest.raises(InputError, match="no episode 'e9': it has e1, e2"):
        ReplayWorld(run).reset(task="e9")
    world = ReplayWorld(run)
    with pytest.raises(InfrastructureError, match="not reset"):
        world.act(Action("wait"))
    (run / "screens" / "e1-0.png").unlink()
    with pytest.raises(InfrastructureError, match="step e1-0: there is no screenshot"):
        world.reset()


def test_unknown_world() -> None:
    with pytest.raises(InputError, match="unknown world 'androd'"):
        open_world("androd:1")
