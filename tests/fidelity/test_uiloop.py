"""UILoop beside the paper: output format and action space (§4.2, App. C), rewards (§4.2), metrics, by hand.

The similarity of two descriptions is replaced by equality, so that every value can be computed on paper; which
similarity stands in for the paper's is another matter (docs/SIMILARITY.md). The training set-up is in
test_uiloop_training.py.
"""

from __future__ import annotations

from typing import Any

import pytest

from saccade.actions import Action
from saccade.geometry import Box, Point, Size
from saccade.paradigms import Reply
from saccade.paradigms.uiloop import UILoop
from saccade.scoring.metrics import part_means
from saccade.scoring.rewards.uiloop import UILoopReward, uiloop_reward
from saccade.types import Element, Screen, Step

SCREEN = Size(600, 800)
"""Its diagonal is 1000 pixels."""
SAVE = {"id": 1, "box": [100, 100, 200, 140], "caption": "saves the note"}
"""Centre (150, 120)."""
SHARE = {"id": 2, "box": [300, 300, 400, 340], "caption": "shares the note"}
"""Centre (350, 320)."""
CLICK = {"type": "click", "point": [150, 120], "box": [100, 100, 200, 140]}
NOWHERE = [-100, -100]


def same(a: str, b: str) -> float:
    return float(a == b)


def ui(x: int, y: int, words: str) -> str:
    return f"<ui> Located at [{x}, {y}], {words} </ui>\n"


def answer(
    elements: str = "", action: str = "click", point: list[int] | None = None, text: str = "no input text"
) -> str:
    said = f"[{{'action': '{action}', 'point': {point or [150, 120]}, 'input_text': '{text}'}}]"
    return f"{elements}<think> so </think>\n<answer>{said}</answer>"


def parts(
    text: str, truth: Any = CLICK, key: list[dict[str, Any]] | None = None, **options: Any
) -> tuple[dict[str, float], float]:
    reward = UILoopReward(sim=same, **options)
    columns = {"truth": [[truth]], "screen": [list(SCREEN)], "key_elements": [key]}
    (found,) = reward.breakdown([text], **columns)
    return found, reward.total(found)


# -- §4.2 and App. C: the answer and the action space -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "action"),
    [
        (("wait", NOWHERE, "no input text"), Action("wait")),
        (("long_press", [5, 6], "no input text"), Action("long_press", Point(5, 6))),
        (("click", [5, 6], "no input text"), Action("click", Point(5, 6))),
        (("press_back", NOWHERE, "no input text"), Action("press", key="back")),
        (("type", NOWHERE, "milk"), Action("type", text="milk")),
        (("open_app", NOWHERE, "Clock"), Action("open_app", text="Clock")),
        (("scroll", NOWHERE, "down"), Action("swipe", direction="up")),  # the content's direction; the finger goes up
        (("select", [5, 6], "red"), Action("select", Point(5, 6), text="red")),
    ],
)
def test_actions(written: tuple[str, list[int], str], action: Action) -> None:
    """App. C: the reasoning actions, each with `action`, `point` and `input_text`; unused ones hold [-100, -100] and
    "no input text".
    """
    name, point, text = written
    paradigm, screen = UILoop(), Screen(SCREEN)
    parsed = paradigm.parse(answer(ui(1, 2, "a field"), name, point, text), screen)
    assert parsed.strict and parsed.reply.action == action
    rendered = paradigm.render(Reply(action, (Element(1, Box(1, 2, 1, 2), caption="a field"),), "so"), screen)
    assert f'{{"action": "{name}", "point": {point}, "input_text": "{text}"}}' in rendered


def test_action_space() -> None:
    """App. C: wait, long_press, click, press_back, type, open_app, scroll; the web adds select."""
    listed = {action["name"] for action in UILoop().vocabulary.listing("paper", "en")}
    assert listed == {"wait", "long_press", "click", "press_back", "type", "open_app", "scroll", "select"}
    assert [action["name"] for action in UILoop().vocabulary.listing("grounding", "en")] == ["click"]


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (answer(ui(1, 2, "a field")), 1),
        (answer(ui(1, 2, "a field") + ui(3, 4, "a button")), 1),
        (answer(), 0),  # at least one <ui>
        (answer("<ui> a field </ui>\n"), 0),  # without a location
        (answer(ui(1, 2, "a field")).replace("<think> so </think>", ""), 0),
        (answer(ui(1, 2, "a field")).replace("<answer>[", "<answer>").replace("]</answer>", "</answer>"), 0),
        (answer(ui(1, 2, "a field"), "fly"), 0),
        ("no idea", 0),
    ],
)
def test_format_reward(text: str, right: float) -> None:
    """§4.2: r_format is 0 or 1."""
    assert parts(text)[0]["format"] == right


# -- §4.2: location and lingualisation --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("elements", "location", "lingualisation"),
    [
        (ui(150, 120, "saves the note") + ui(350, 320, "shares the note"), 1, 1),
        # 30-40-50 beside the first: 1 − 50/1000; the second exactly: the mean
        (ui(180, 160, "saves the note") + ui(350, 320, "shares the note"), 0.975, 1),
        # both key elements are nearest to the only prediction; the second is hypot(200, 200) = 282.84 away
        (ui(150, 120, "saves the note"), 1 - 0.1414213562, 0.5),
        # right places, wrong words
        (ui(150, 120, "a button") + ui(350, 320, "a button"), 1, 0),
        # words are compared with those of the nearest, wherever else they stand
        (ui(150, 120, "a button") + ui(350, 320, "shares the note") + ui(500, 700, "saves the note"), 1, 0.5),
        ("", 0, 0),
    ],
)
def test_location_and_lingualisation(elements: str, location: float, lingualisation: float) -> None:
    """§4.2: each key element with its nearest predicted one, 1 − distance/diagonal and sim, averaged over U*."""
    found, _ = parts(answer(elements), key=[SAVE, SHARE])
    assert found["location"] == pytest.approx(location) and found["lingualisation"] == pytest.approx(lingualisation)


def test_an_element_known_by_its_text_alone() -> None:
    """A description is the caption; an annotation without one is described by its type and text, the same way in
    training rows and in the reward.
    """
    key = {"id": 1, "box": [100, 100, 200, 140], "type": "button", "text": "Save"}
    taught = UILoop().described(
        Step(screen=SCREEN, key_elements=[Element(1, Box(100, 100, 200, 140), "button", "Save")])
    )
    assert taught[0].caption == 'button "Save"'
    assert parts(answer(ui(150, 120, 'button "Save"')), key=[key])[1] == 10


# -- §4.2: leverage ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "truth", "right"),
    [
        (("click", [199, 120], "no input text"), CLICK, 1),
        (("click", [201, 120], "no input text"), CLICK, 0),
        (("long_press", [150, 120], "no input text"), CLICK, 0),
        (("type", NOWHERE, "milk"), {"type": "type", "text": "milk"}, 1),
        (("type", NOWHERE, "bread"), {"type": "type", "text": "milk"}, 0),
        (("scroll", NOWHERE, "down"), {"type": "swipe", "direction": "up"}, 1),
        (("scroll", NOWHERE, "up"), {"type": "swipe", "direction": "up"}, 0),
        (("open_app", NOWHERE, "Mail"), {"type": "open_app", "text": "Clock"}, 0),
        (("press_back", NOWHERE, "no input text"), {"type": "press", "key": "back"}, 1),
        (("wait", NOWHERE, "no input text"), {"type": "wait"}, 1),
    ],
)
def test_leverage(written: tuple[str, list[int], str], truth: dict[str, Any], right: float) -> None:
    """§4.2: click by type and point; scroll, type, open_app, select by type and text; others by type."""
    assert parts(answer(ui(1, 2, "a"), *written), truth)[0]["leverage"] == right


# -- §4.2: the sum ----------------------------------------------------------------------------------------------------


def test_constants() -> None:
    """§5.1: α1 = 4, α2 = 5, η = 0.5."""
    reward = UILoopReward()
    assert (reward.alpha1, reward.alpha2, reward.eta) == (4, 5, 0.5)


@pytest.mark.parametrize(
    ("elements", "point", "total"),
    [
        (ui(150, 120, "saves the note") + ui(350, 320, "shares the note"), [150, 120], 10),  # 1 + 4·1 + 5
        (ui(150, 120, "saves the note") + ui(350, 320, "shares the note"), [9, 9], 5),  # 1 + 4·1
        # r_loc·r_lin = 1·0.5: not above η, so a right click earns nothing: 1 + 4·0.5
        (ui(150, 120, "saves the note") + ui(350, 320, "a button"), [150, 120], 3),
        # 0.975·1: 1 + 4·0.975 + 5
        (ui(180, 160, "saves the note") + ui(350, 320, "shares the note"), [150, 120], 9.9),
        ("", [150, 120], 0),  # no <ui>: no format, no product, gate shut
    ],
)
def test_overall_reward(elements: str, point: list[int], total: float) -> None:
    """§4.2: r = r_format + α1·r_loc·r_lin + α2·1[r_loc·r_lin > η]·r_lev."""
    assert parts(answer(elements, point=point), key=[SAVE, SHARE])[1] == pytest.approx(total)


@pytest.mark.parametrize("key", [None, []])
def test_nothing_is_invented(key: list[dict[str, Any]] | None) -> None:
    """Without key elements there is no r_loc·r_lin and no gate: r = r_format + α2·r_lev. The heading of the page does
    not stand in for them: naming it earns what naming the right button does.
    """
    heading = {"id": 0, "box": [0, 0, 600, 60], "type": "heading", "text": "Notes"}
    columns = {"truth": [[CLICK]] * 2, "screen": [list(SCREEN)] * 2, "elements": [[heading]] * 2}
    named = [answer(ui(150, 120, "saves the note")), answer(ui(300, 30, 'heading "Notes"'))]
    assert uiloop_reward(named, **columns, key_elements=[key] * 2) == [6, 6]
    assert parts(named[0], key=key)[0] == {"format": 1, "leverage": 1}
    assert UILoop().untaught_because(Step(screen=SCREEN, key_elements=None if key is None else []))


def test_figure_5_without_lingualisation() -> None:
    """Fig. 5, Locate + Leverage: r_loc in place of r_loc·r_lin. Right place, wrong words: 1 + 4·1 + 5."""
    found, total = parts(answer(ui(150, 120, "a button")), key=[SAVE], lingualisation=False)
    assert found == {"format": 1, "location": 1, "leverage": 1} and total == 10
    assert parts(answer(ui(150, 120, "a button")), key=[SAVE])[1] == 1


@pytest.mark.parametrize(("count", "total"), [(1, 10), (2, 3), (112, 1 + 4 / 112)])
def test_precision_option(count: int, total: float) -> None:
    """Off, 112 elements earn what one does. On, r_loc·r_lin is divided by |P|/|U*| beyond |U*|: 2 elements for 1 give
    1/2, which does not open the gate (> η): 1 + 4/2.
    """
    listed = "".join(ui(150 + at, 120, "saves the note") for at in range(count))
    assert parts(answer(listed), key=[SAVE])[1] == 10
    assert parts(answer(listed), key=[SAVE], precision=True)[1] == pytest.approx(total)


def test_table_4_overall() -> None:
    """Table 4: Overall is the product of the three means: 0.75·0.5·1."""
    found = [
        {"format": 1.0, "location": 1.0, "lingualisation": 1.0, "leverage": 1.0},
        {"format": 1.0, "location": 0.5, "lingualisation": 0.0, "leverage": 1.0},
        {"format": 1.0, "leverage": 0.0},  # no key elements: not part of it
    ]
    means = part_means(found, [10, 1, 1])
    assert means["overall"].value == pytest.approx(0.375)
    assert means["location"].value == 0.75 and means["format"].value == 1
