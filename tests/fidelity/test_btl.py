"""BTL-UI beside the paper: output format (Table 7), action space, blink data (§3.2) and reward (eq. 3-7), by hand.

Where the paper is silent (s(·), annotated or not, the same box twice), the docstring says what holds here.
The training set-up is in test_btl_training.py.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.actions import Action
from saccade.geometry import Box, Point, Size
from saccade.paradigms import Reply, Situation, get_paradigm
from saccade.paradigms.btl import BTL
from saccade.scoring.rewards.btl import NON_INTERACTIVE, RELEASED_WEIGHTS, BTLReward, priority
from saccade.types import Element, Screen, Step

SCREEN = [1000, 2000]
BOXES = [[100, 100 * k, 300, 100 * k + 80] for k in range(1, 8)]
"""Seven elements one below the other, 200 × 80 pixels, in order of priority."""
CLICK = {"type": "click", "point": [200, 140], "box": BOXES[0]}
TAP = {"function": "Tap", "position": [200, 140]}
SWIPE = {"function": "Swipe", "direction": "up"}


def blink(*boxes: Sequence[float]) -> str:
    rows = (f"<element><id>{k}</id><bbox>{b}</bbox><caption>dynamic</caption></element>" for k, b in enumerate(boxes))
    return "".join(rows) or "None"


def answer(action: dict[str, Any], seen: str = "None", plan: str | None = "p") -> str:
    link = ({} if plan is None else {"Plan": plan}) | {"Action": action}
    return f"<blink>{seen}</blink><think>so</think><link>{json.dumps(link)}</link>"


def parts(
    text: str, truth: Any = CLICK, key: list[list[int]] | None = BOXES[:5], reward: BTLReward | None = None
) -> dict[str, float]:
    annotated = None if key is None else [{"id": k, "box": box} for k, box in enumerate(key, 1)]
    columns = {"truth": [[truth]], "screen": [SCREEN], "key_elements": [annotated]}
    return (reward or BTLReward()).breakdown([text], **columns)[0]


# -- Table 7: the answer and the action space -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "action"),
    [
        ({"function": "Back"}, Action("press", key="back")),
        ({"function": "Home"}, Action("press", key="home")),
        ({"function": "Tap", "position": [5, 6]}, Action("click", Point(5, 6))),
        ({"function": "Type", "text": "x"}, Action("type", text="x")),
        ({"function": "Swipe", "direction": "up"}, Action("swipe", direction="up")),
        ({"function": "LongPress", "position": [5, 6]}, Action("long_press", Point(5, 6))),
    ],
)
def test_table_7_actions(written: dict[str, Any], action: Action) -> None:
    """Table 7, Action Space: six actions with exactly these names and arguments, read and written."""
    paradigm, screen = BTL(), Screen(Size(*SCREEN))
    parsed = paradigm.parse(answer(written), screen)
    assert parsed.strict and parsed.reply.action == action
    assert json.dumps(written) in paradigm.render(Reply(action, plan="p"), screen)


def test_table_7_action_space_has_six() -> None:
    """Table 7: Back, Home, Tap, Type, Swipe, LongPress and no other."""
    listed = {action["name"] for action in BTL().vocabulary.listing("paper", "en")}
    assert listed == {"Back", "Home", "Tap", "Type", "Swipe", "LongPress"}


def test_table_7_wrapped_in_answer() -> None:
    """Table 7: `<link> answer([{"Plan": …, "Action": {"function": …}}]) </link>`."""
    text = (
        f'<blink> None </blink><think>so</think><link> answer([{{"Plan": "p", "Action": {json.dumps(TAP)}}}]) </link>'
    )
    assert BTL().parse(text, Screen(Size(*SCREEN))).strict


def test_table_7_prompt_allows_none_and_at_most_five() -> None:
    """Table 7: 0 ≤ N ≤ 5 elements, `None` if N = 0, captions dynamic and static."""
    system = BTL().messages(Situation("do it", Screen(Size(*SCREEN))))[0].text
    assert "at most 5 elements" in system and "None" in system and "dynamic" in system and "static" in system


def test_table_5a_without_blink() -> None:
    """Table 5a, rows without blink data: the prompt neither asks for nor shows a blink section, answers have none,
    and the reward is format + link.
    """
    paradigm, screen = get_paradigm("btl", blink=False), Screen(Size(*SCREEN))
    asked = " ".join(message.text for message in paradigm.messages(Situation("do it", screen)))
    assert "blink" not in asked and "bbox" not in asked and "<think>" in asked and "<link>" in asked
    text = paradigm.render(Reply(Action("click", Point(200, 140)), (Element(1, Box(1, 2, 3, 4)),), "so", "p"), screen)
    assert text.startswith("<think>so</think>") and paradigm.parse(text, screen).strict
    assert not paradigm.parse(answer(TAP), screen).strict
    assert parts(text, reward=BTLReward(paradigm=paradigm)) == {"format": 1, "link": 1}


# -- §3.2: blink data -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [1, 2, 3, 4, 5, 6])
def test_section_3_2_lambda_elements(most: int) -> None:
    """§3.2, eq. 2 and Table 5b: λ elements are kept, the most relevant first (λ 1 to 6)."""
    step = Step(screen=Size(*SCREEN), key_elements=[Element(9, Box(*box)) for box in BOXES])
    taught = BTL(max_elements=most).described(step)
    assert [element.box for element in taught] == [Box(*box) for box in BOXES[:most]]
    assert [element.id for element in taught] == list(range(1, most + 1))  # the id is the rank


@pytest.mark.parametrize(("key", "reason"), [(None, True), ([], False), ([Element(1, Box(0, 0, 9, 9))], False)])
def test_section_3_2_absent_is_not_empty(key: list[Element] | None, reason: bool) -> None:
    """§3.2: empty is a valid annotation ("elements related to u may not be present"). No annotation is none."""
    step = Step(screen=Size(*SCREEN), key_elements=key)
    assert bool(BTL().untaught_because(step)) is reason
    assert not BTL(blink=False).untaught_because(step)


# -- eq. 4: format ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (answer(TAP, blink(BOXES[0])), 1),
        (answer(TAP), 1),
        (answer(TAP, blink(*BOXES[:6])), 0),  # N ≤ 5
        (answer(TAP, blink(*BOXES[:5], BOXES[0])), 1),  # the same box again is not another element
        (answer(TAP, plan=None), 0),  # no Plan
        (answer(TAP, "<element>half"), 0),  # f_content: blink is not XML
        ("<blink>None</blink><think>so</think><link>tap it</link>", 0),  # f_content: link is not JSON
        ("<think>so</think>" + answer(TAP).split("</think>")[1], 0),  # f_template: no blink
        (answer(TAP).replace("<think>so</think>", ""), 0),  # f_template: no think
        ("Sure: " + answer(TAP), 0),
        (answer({"function": "Wait"}), 0),  # not an action of the declared space
    ],
)
def test_equation_4(text: str, right: float) -> None:
    """Eq. 4: 1 only if template and content are both right."""
    assert parts(text)["format"] == right


def test_equation_4_grounding_has_no_plan() -> None:
    """Released code: a grounding answer is `[{"point_2d": [x, y]}]`, without a plan."""
    text = '<blink>```json\n[]\n```</blink><think>t</think><link>```json\n[{"point_2d": [200, 140]}]\n```</link>'
    assert parts(text)["format"] == 1


# -- eq. 5 and 6: blink -----------------------------------------------------------------------------------------------


def test_equation_6_non_interactive_actions() -> None:
    """Eq. 6: A* are the actions that touch no element."""
    touching = {"click", "long_press", "double_click", "right_click", "hover", "drag", "type", "select"}
    assert not NON_INTERACTIVE & touching
    assert {"swipe", "press", "wait", "open_app", "terminate"} <= NON_INTERACTIVE


@pytest.mark.parametrize(
    ("predicted", "key", "action", "worth"),
    [
        ([], [], TAP, 1),  # P = ∅, G = ∅
        ([], BOXES[:5], SWIPE, 1),  # P = ∅, a ∈ A*
        ([], BOXES[:5], TAP, 0),  # P = ∅, G ≠ ∅, a ∉ A*
        (BOXES[:1], [], TAP, 0),  # P ≠ ∅, G = ∅
        (BOXES[:1], BOXES[:5], TAP, 1),  # s(1)
        (BOXES[1:2], BOXES[:5], TAP, 0.8),  # s(2) = 1 − 1/5
        (BOXES[4:5], BOXES[:5], TAP, 0.2),  # s(5) = 1 − 4/5
        ([BOXES[3], BOXES[2]], BOXES[:5], TAP, 0.6),  # the best of the matched: s(3)
        ([[100, 140, 300, 220]], BOXES[:1], TAP, 0),  # IoU = 40·200 / (160 − 40)·200 = 1/3 < τ
        ([[100, 100, 200, 180]], BOXES[:1], TAP, 1),  # IoU = 100/200 = 0.5 = τ
        ([[100, 100, 199, 180]], BOXES[:1], TAP, 0),  # IoU = 99/200 < τ
        ([BOXES[1], BOXES[1], BOXES[1]], BOXES[:5], TAP, 0.8),  # three times the same box is one
    ],
)
def test_equation_6(predicted: list[list[int]], key: list[list[int]], action: dict[str, Any], worth: float) -> None:
    """Eq. 6, case by case, with s(r) = 1 − (r − 1)/λ, τ = 0.5, λ = 5."""
    assert parts(answer(action, blink(*predicted)), key=key)["blink"] == pytest.approx(worth)


def test_equation_5_is_one_assignment() -> None:
    """Eq. 5: Hungarian, so a box goes to the element that it fits best. Rank 1 is 200×80, rank 2 the same moved down by
    20; the prediction is moved down by 15: IoU 65/95 with rank 1 and 75/85 with rank 2, so only rank 2 is matched.
    """
    key = [[100, 100, 300, 180], [100, 120, 300, 200]]
    assert parts(answer(TAP, blink([100, 115, 300, 195])), key=key)["blink"] == pytest.approx(0.8)


def test_equation_5_the_same_box_twice_serves_one_element() -> None:
    """Ours: without that, two copies of the box above would be matched to both elements and earn s(1)."""
    key = [[100, 100, 300, 180], [100, 120, 300, 200]]
    assert parts(answer(TAP, blink(*[[100, 115, 300, 195]] * 2)), key=key)["blink"] == pytest.approx(0.8)


@pytest.mark.parametrize(("most", "worth"), [(1, 0), (2, 0.5), (3, 2 / 3), (4, 0.75), (5, 0.8), (6, 5 / 6)])
def test_lambda_reaches_the_priority(most: int, worth: float) -> None:
    """Table 5b: the run's λ is the λ of s(·): rank 2 pays 1 − 1/λ. With λ = 1 there is no second element."""
    reward = BTLReward(paradigm=BTL(max_elements=most))
    assert parts(answer(TAP, blink(BOXES[1])), reward=reward)["blink"] == pytest.approx(worth)
    assert priority(1, most) == 1


@pytest.mark.parametrize("text", ["no idea", "", "<blink>here</blink>", '<blink>[{"x": 1}]</blink>', "<link>{}</link>"])
@pytest.mark.parametrize("key", [[], BOXES[:5]])
def test_an_unreadable_answer_found_nothing(text: str, key: list[list[int]]) -> None:
    """P = ∅ only where a blink section was read: an answer that cannot be read has not looked."""
    assert parts(text, key=key)["blink"] == 0


def test_absent_annotation_leaves_the_term_out() -> None:
    """No G, no eq. 6: R = R_format + R_link, and the parts say so."""
    for weights, total in (((1, 1, 1), 2), (RELEASED_WEIGHTS, 0.7)):
        reward = BTLReward(weights=weights)
        found = parts(answer(TAP), key=None, reward=reward)
        assert found == {"format": 1, "link": 1} and reward.total(found) == pytest.approx(total)


def test_option_against_none_and_swipe() -> None:
    """`None` + Swipe on a tap step earns 2 of 3 by eq. 6; with `empty_by_truth`, A* asks the true action."""
    closed = BTLReward(empty_by_truth=True)
    assert sum(parts(answer(SWIPE)).values()) == 2
    assert parts(answer(SWIPE), reward=closed) == {"format": 1, "blink": 0, "link": 0}
    truth = {"type": "swipe", "direction": "up"}
    assert parts(answer(SWIPE), truth, reward=closed) == {"format": 1, "blink": 1, "link": 1}
    assert parts(answer(TAP), truth, reward=closed)["blink"] == 1
    assert parts(answer(TAP), key=[], reward=closed)["blink"] == 1  # G = ∅ stays right


# -- eq. 7: link, eq. 3: the sum --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "truth", "right"),
    [
        ({"function": "Tap", "position": [250, 150]}, CLICK, 1),
        ({"function": "Tap", "position": [300, 140]}, CLICK, 0),  # on the edge
        ({"function": "LongPress", "position": [200, 140]}, CLICK, 0),  # f_type
        ({"function": "Type", "text": "Radio FM"}, {"type": "type", "text": "radio fm"}, 1),
        ({"function": "Type", "text": "radio fm live"}, {"type": "type", "text": "radio"}, 1),  # F1 = 2·1/(3+1)
        ({"function": "Type", "text": "a b c d"}, {"type": "type", "text": "a"}, 0),  # F1 = 2/5
        ({"function": "Swipe", "direction": "down"}, {"type": "swipe", "direction": "up"}, 0),
        ({"function": "Home"}, {"type": "press", "key": "back"}, 0),
    ],
)
def test_equation_7(written: dict[str, Any], truth: dict[str, Any], right: float) -> None:
    """Eq. 7: 1 only if type and arguments are both right; nothing in between."""
    assert parts(answer(written), truth)["link"] == right


@pytest.mark.parametrize(("weights", "total"), [((1, 1, 1), 2.8), (RELEASED_WEIGHTS, 0.1 + 0.3 * 0.8 + 0.6)])
def test_equation_3(weights: tuple[float, float, float], total: float) -> None:
    """Eq. 3: the sum; the released code weighs it 0.1 / 0.3 / 0.6."""
    reward = BTLReward(weights=weights)
    assert reward.total(parts(answer(TAP, blink(BOXES[1])), reward=reward)) == pytest.approx(total)


@given(
    weights=st.sampled_from([(1.0, 1.0, 1.0), RELEASED_WEIGHTS]) | st.tuples(*[st.floats(0, 1)] * 3),
    key=st.none() | st.integers(0, 5),
    seen=st.integers(0, 5),
    garbage=st.text(max_size=60) | st.sampled_from(["<blink>?</blink>", "<blink><element>", "tap the button"]),
)
def test_garbage_never_earns_more(
    weights: tuple[float, float, float], key: int | None, seen: int, garbage: str
) -> None:
    """A well-formed answer that taps wrong earns at least what an unreadable one does, whatever the weights."""
    reward = BTLReward(weights=weights)
    annotated = None if key is None else BOXES[:key]
    wrong = answer({"function": "Tap", "position": [900, 1900]}, blink(*BOXES[:seen]))
    worth = [reward.total(parts(text, key=annotated, reward=reward)) for text in (wrong, garbage)]
    assert worth[0] >= worth[1] == 0
