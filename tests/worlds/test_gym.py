"""Worlds as gymnasium environments, and our agents as BrowserGym's."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from saccade.actions import Action
from saccade.geometry import Box, Point, Size
from saccade.worlds.base import Observation
from saccade.worlds.browser.world import BrowserWorld, Device
from saccade.worlds.browsergym import BrowserGymAgent, action_string, instruction_of
from saccade.worlds.gym import WorldEnv

SIZE = Size(1000, 800)


@pytest.mark.browser
def test_browser_passes_check_env(server: str) -> None:
    env = WorldEnv(BrowserWorld(f"{server}/hands.html", device=Device(480, 400)))  # the checker compares all pixels
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            warnings.filterwarnings("ignore", message=".*not within the observation space.*bounds.*")
            check_env(env, skip_render_check=True)
        seen, info = env.reset(seed=1)
        assert seen["image"].shape == (400, 480, 3)
        assert info["url"].endswith("hands.html")
        env.action_space.seed(0)
        for _ in range(15):
            seen, _, ended, _, info = env.step(env.action_space.sample())
            assert env.observation_space.contains(seen)
            if ended:
                env.reset()
        _, info = env.reset()
        assert "pad" in [element.text for element in info["screen"].elements]
        assert isinstance(env, gymnasium.Env)
    finally:
        env.close()


@pytest.mark.parametrize(
    ("action", "call"),
    [
        (Action("click", Point(10, 20)), "mouse_click(10, 20)"),
        (Action("double_click", Point(1.5, 2)), "mouse_dblclick(1.5, 2)"),
        (Action("right_click", Point(1, 2)), "mouse_click(1, 2, button='right')"),
        (Action("hover", Point(1, 2)), "mouse_move(1, 2)"),
        (Action("drag", start=Point(1, 2), end=Point(30, 40)), "mouse_drag_and_drop(1, 2, 30, 40)"),
        (Action("swipe", direction="up"), "scroll(0, 400)"),
        (Action("swipe", direction="right"), "scroll(-500, 0)"),
        (Action("swipe", direction="up", start=Point(10, 20), end=Point(10, 15)), "mouse_click(10, 20)"),
        (Action("type", text='say "hi"\n'), 'keyboard_type("say \\"hi\\"\\n")'),
        (
            Action("type", text="a", point=Point(1, 2), submit=True),
            "mouse_click(1, 2)\nkeyboard_type(\"a\")\nkeyboard_press('Enter')",
        ),
        (Action("press", key="ctrl+a"), 'keyboard_press("Control+a")'),
        (Action("press", key="back"), "go_back()"),
        (Action("open_url", text="http://a/?q='x'"), "goto(\"http://a/?q='x'\")"),
        (Action("answer", text="四"), 'send_msg_to_user("\\u56db")'),
        (Action("terminate", status="failure", text="no"), 'report_infeasible("no")'),
        (Action("wait", seconds=2), "noop(2000)"),
    ],
)
def test_browsergym_actions(action: Action, call: str) -> None:
    assert action_string(action, SIZE) == call


@pytest.mark.browser
def test_browsergym_agent_sees_and_acts() -> None:
    seen: list[tuple[str, Observation]] = []

    def policy(instruction: str, observation: Observation) -> Action:
        seen.append((instruction, observation))
        return Action("click", observation.screen.elements[0].center)

    obs: dict[str, Any] = {
        "goal": "press OK",
        "url": "http://x/",
        "screenshot": np.zeros((800, 1000, 3), np.uint8),
        "last_action_error": "",
        "axtree_object": {"nodes": [{"browsergym_id": "a", "role": {"value": "button"}, "name": {"value": "OK"}}]},
        "extra_element_properties": {
            "a": {"bbox": [10, 20, 100, 40], "visibility": 1.0, "clickable": True},
            "b": {"bbox": [0, 0, 10, 10], "visibility": 0.0, "clickable": True},
            "c": {"bbox": None, "visibility": 1.0, "clickable": True},
        },
    }
    agent = BrowserGymAgent(policy)
    call, _ = agent.get_action(agent.obs_preprocessor(obs))
    assert call == "mouse_click(60, 40)"
    ((instruction, observation),) = seen
    assert instruction == "press OK"
    assert [(e.text, e.type, e.box) for e in observation.screen.elements] == [("OK", "button", Box(10, 20, 110, 60))]
    assert instruction_of({"goal_object": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}) == "a\nb"
