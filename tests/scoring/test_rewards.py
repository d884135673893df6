"""The papers' rewards, worked out by hand."""

from __future__ import annotations

import doctest
import json
from typing import Any

import pytest

from saccade.errors import InputError
from saccade.geometry import PERMILLE
from saccade.paradigms.btl import BTL
from saccade.scoring.rewards import btl, secagent, uiloop
from saccade.scoring.rewards.base import Reward
from saccade.scoring.rewards.btl import RELEASED_WEIGHTS, BTLReward, btl_reward
from saccade.scoring.rewards.secagent import SecAgentReward, secagent_reward
from saccade.scoring.rewards.uiloop import UILoopReward, uiloop_reward

SCREEN = [1000, 2000]
BOX = [100, 100, 300, 200]
CLICK = {"type": "click", "point": [200, 150], "box": BOX}
KEY = [
    {"id": 1, "box": BOX, "caption": "the search bar"},
    {"id": 2, "box": [500, 500, 700, 600], "caption": "the send button"},
]


def parts(reward: Reward, answer: str, truth: Any = CLICK, **columns: Any) -> dict[str, float]:
    columns = {"truth": [truth if isinstance(truth, list) else [truth]], "screen": [SCREEN], **columns}
    (found,) = reward.breakdown([answer], **columns)
    return found


def blink_xml(*boxes: list[int]) -> str:
    return "".join(
        f"<element><id>{i}</id><bbox>{box}</bbox><caption>dynamic</caption></element>" for i, box in enumerate(boxes, 1)
    )


def link_answer(action: dict[str, Any], blink: str = "None") -> str:
    return f"<blink>{blink}</blink><think>so</think><link>{json.dumps({'Plan': 'p', 'Action': action})}</link>"


TAP = {"function": "Tap", "position": [200, 150]}


@pytest.mark.parametrize(
    ("answer", "truth", "expected"),
    [
        (link_answer(TAP, blink_xml(BOX)), CLICK, (1, 1, 1)),
        (link_answer(TAP, blink_xml([500, 500, 700, 600])), CLICK, (1, 0.8, 1)),
        (link_answer(TAP), CLICK, (1, 0, 1)),
        (link_answer({"function": "Back"}), {"type": "press", "key": "back"}, (1, 1, 1)),
        (link_answer({"function": "Back"}), CLICK, (1, 1, 0)),
        (link_answer({"function": "Home"}), {"type": "press", "key": "back"}, (1, 1, 0)),
        (link_answer({"function": "Fly"}), CLICK, (0, 0, 0)),
        # outside the declared space: no format reward, but the tolerant parse still reads it
        (link_answer({"function": "Wait"}), {"type": "wait"}, (0, 1, 1)),
        # inside the box but 0.14 of the screen away from its point
        (link_answer({"function": "Tap", "position": [340, 150]}), CLICK | {"box": [0, 0, 999, 999]}, (1, 0, 0)),
        (link_answer({"function": "Tap", "position": [339, 150]}), CLICK | {"box": [0, 0, 999, 999]}, (1, 0, 1)),
        # on the edge is not strictly inside
        (link_answer({"function": "Tap", "position": [100, 150]}), CLICK, (1, 0, 0)),
        # prose around it, single quotes: not the format, but readable
        ("Sure! " + link_answer(TAP, blink_xml(BOX)), CLICK, (0, 1, 1)),
        (link_answer(TAP, blink_xml(BOX)).replace('"', "'"), CLICK, (0, 1, 1)),
        # blink is kept though the link cannot be read
        (f"<blink>{blink_xml(BOX)}</blink><think>so</think><link>tap it</link>", CLICK, (0, 1, 0)),
        ("no idea", CLICK, (0, 0, 0)),
        # one of several valid actions
        (link_answer({"function": "Back"}), [CLICK, {"type": "press", "key": "back"}], (1, 1, 1)),
    ],
)
def test_btl(answer: str, truth: Any, expected: tuple[float, ...]) -> None:
    found = parts(BTLReward(), answer, truth, key_elements=[KEY])
    assert tuple(found.values()) == pytest.approx(expected)
    assert BTLReward().total(found) == pytest.approx(sum(expected))


def test_btl_json_dialect_and_grounding() -> None:
    answer = '<blink>```json\n[{"bbox_2d": [100, 100, 300, 200], "label": "bar"}]\n```</blink><think>t</think>'
    answer += '<link>```json\n[{"point_2d": [290, 150]}]\n```</link>'
    far = CLICK | {"point": [101, 101], "box": [100, 100, 900, 200]}
    assert parts(BTLReward(), answer, far, key_elements=[KEY]) == {"format": 1, "blink": 1, "link": 0}
    grounding = parts(BTLReward(), answer, far, key_elements=[KEY], tags=[{"task": "grounding"}])
    assert grounding == {"format": 1, "blink": 1, "link": 1}


def test_btl_settings() -> None:
    answer = link_answer({"function": "Tap", "position": [200, 75]}, blink_xml([100, 50, 300, 100]))
    reward = BTLReward(paradigm=BTL(frame=PERMILLE), weights=RELEASED_WEIGHTS)
    columns = {"truth": [[CLICK]], "screen": [SCREEN], "key_elements": [KEY[::-1]]}
    assert reward([answer], **columns) == pytest.approx([0.1 + 0.3 * 0.8 + 0.6])
    six = BTLReward(paradigm=BTL(frame=PERMILLE), max_elements=2)
    assert six.breakdown([answer], **columns)[0]["blink"] == 0.5


def ui(*elements: tuple[int, int, str]) -> str:
    return "".join(f"<ui> Located at [{x}, {y}], {words} </ui>\n" for x, y, words in elements)


def ui_answer(action: str, point: list[int], text: str = "no input text", elements: str = "") -> str:
    answer = f"[{{'action': '{action}', 'point': {point}, 'input_text': '{text}'}}]"
    return f"{elements}<think> so </think>\n<answer>{answer}</answer>"


def same(a: str, b: str) -> float:
    return float(a == b)


FOUND = ui((200, 150, "the search bar"), (600, 550, "the send button"))


def test_uiloop_perfect() -> None:
    found = parts(UILoopReward(), ui_answer("click", [150, 150], elements=FOUND), key_elements=[KEY])
    assert found == {"format": 1, "location": 1, "lingualisation": 1, "leverage": 1}
    assert UILoopReward().total(found) == 1 + 4 + 5


def test_uiloop_by_hand() -> None:
    """One element 300-400-500 away from the only prediction, the other right on it; diagonal √5·1000."""
    answer = ui_answer("click", [150, 150], elements=ui((300, 150, "the search bar")))
    keys = [KEY[0] | {"box": [300, 150, 300, 150]}, KEY[1] | {"box": [600, 550, 600, 550]}]
    found = parts(UILoopReward(sim=same), answer, key_elements=[keys])
    away = 1 - 500 / (1000 * 5**0.5)
    assert found["location"] == pytest.approx((1 + away) / 2)
    assert found["lingualisation"] == 0.5
    product = 0.5 * (1 + away) / 2
    assert product < 0.5
    assert UILoopReward().total(found) == pytest.approx(1 + 4 * product)  # the gate is shut


@pytest.mark.parametrize(
    ("action", "point", "text", "truth", "right"),
    [
        ("click", [299, 150], "no input text", CLICK, 1),
        ("click", [300, 150], "no input text", CLICK, 0),
        ("click", [200, 289], "no input text", {"type": "click", "point": [200, 150]}, 1),
        ("click", [200, 290], "no input text", {"type": "click", "point": [200, 150]}, 0),
        ("long_press", [900, 900], "no input text", {"type": "long_press", "point": [1, 1]}, 1),
        ("type", [-100, -100], "blue desk lamp", {"type": "type", "text": "desk lamp"}, 1),
        ("type", [-100, -100], "lamp shade", {"type": "type", "text": "blue desk lamp"}, 0),
        ("open_app", [-100, -100], "Clock", {"type": "open_app", "text": "clock"}, 1),
        ("open_app", [-100, -100], "Mail", {"type": "open_app", "text": "Clock"}, 0),
        ("scroll", [-100, -100], "down", {"type": "swipe", "direction": "up"}, 1),  # content goes down, finger up
        ("scroll", [-100, -100], "up", {"type": "swipe", "direction": "up"}, 0),
        ("press_back", [-100, -100], "no input text", {"type": "press", "key": "back"}, 1),
        ("wait", [-100, -100], "no input text", {"type": "wait", "seconds": 3}, 1),
        ("wait", [-100, -100], "no input text", {"type": "press", "key": "back"}, 0),
    ],
)
def test_uiloop_leverage(action: str, point: list[int], text: str, truth: Any, right: float) -> None:
    found = parts(UILoopReward(), ui_answer(action, point, text, FOUND), truth, key_elements=[KEY])
    assert found["leverage"] == right
    assert found["format"] == 1


def test_uiloop_no_prediction() -> None:
    found = parts(UILoopReward(), ui_answer("click", [150, 150]), key_elements=[KEY])
    assert found == {"format": 0, "location": 0, "lingualisation": 0, "leverage": 1}


DONE = {"type": "terminate", "status": "success"}
BACK = {"type": "press", "key": "back"}


def tool_answer(arguments: dict[str, Any], head: str = "<summary>None</summary><think>t</think>") -> str:
    return f"{head}<tool_call>{json.dumps({'name': 'mobile_use', 'arguments': arguments})}</tool_call>"


@pytest.mark.parametrize(
    ("answer", "truth", "expected"),
    [
        (tool_answer({"action": "click", "coordinate": [100, 200]}), CLICK, (0.5, 1)),
        (tool_answer({"action": "click", "coordinate": [99, 200]}), CLICK, (0.5, 0)),
        (tool_answer({"action": "click", "coordinate": [100, 200]}, "<think>t</think>"), CLICK, (0, 1)),
        (
            tool_answer({"action": "swipe", "coordinate": [500, 1500], "coordinate2": [510, 300]}),
            {"type": "swipe", "direction": "up"},
            (0.5, 1),
        ),
        (
            tool_answer({"action": "swipe", "coordinate": [500, 300], "coordinate2": [510, 1500]}),
            {"type": "swipe", "direction": "up"},
            (0.5, 0),
        ),
        (tool_answer({"action": "type", "text": "牛肉面"}), {"type": "type", "text": "牛肉面 "}, (0.5, 0)),
        (tool_answer({"action": "terminate", "status": "failure"}), DONE, (0.5, 0)),
        (tool_answer({"action": "terminate", "status": "success"}), DONE, (0.5, 1)),
        (tool_answer({"action": "system_button", "button": "Back"}), [CLICK, BACK], (0.5, 1)),
        ("", CLICK, (0, 0)),
    ],
)
def test_secagent(answer: str, truth: Any, expected: tuple[float, float]) -> None:
    found = parts(SecAgentReward(), answer, truth)
    assert tuple(found.values()) == expected
    assert SecAgentReward().total(found) == sum(expected)


@pytest.mark.parametrize(
    ("reward", "answer", "worth"),
    [
        (btl_reward, link_answer(TAP, blink_xml(BOX)), 3),
        (uiloop_reward, ui_answer("click", [150, 150], elements=FOUND), 10),
        (secagent_reward, tool_answer({"action": "click", "coordinate": [200, 150]}), 1.5),
    ],
)
def test_as_a_trainer_calls_it(reward: Any, answer: str, worth: float) -> None:
    """Conversational completions, columns with nulls as Arrow fills them, JSON text, and the trainer's own extras."""
    nulls = {"text": None, "key": None, "start": None, "end": None, "direction": None, "seconds": None, "status": None}
    columns = {
        "prompts": ["p"] * 3,
        "completion_ids": [[1]] * 3,
        "trainer_state": object(),
        "truth": [[CLICK | nulls], [CLICK], json.dumps([CLICK])],
        "screen": [SCREEN] * 3,
        "key_elements": [[key | {"text": None, "type": None} for key in KEY], KEY, json.dumps(KEY)],
    }
    completions = [
        [{"role": "assistant", "content": answer}],
        [{"role": "assistant", "content": [{"type": "text", "text": answer}]}],
        answer,
    ]
    assert reward.__name__
    assert reward(completions, **columns) == pytest.approx([worth] * 3)


def test_missing_columns_are_named() -> None:
    with pytest.raises(InputError, match="`screen`"):
        btl_reward(["x"], truth=[[CLICK]])
    with pytest.raises(InputError, match=r"row 0 of the batch.*`point` is missing"):
        btl_reward(["x"], truth=[[{"type": "click"}]], screen=[SCREEN])


@pytest.mark.parametrize("module", [btl, uiloop, secagent])
def test_docstring_examples(module: Any) -> None:
    assert doctest.testmod(module).attempted > 0
    assert doctest.testmod(module).failed == 0
