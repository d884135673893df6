"""SecAgent beside the paper: output (§4.2, Fig. 8), action space (Table 8), semantic context, reward (§4.3) and
CMGUI-Bench's rule (§3.3), by hand. The training set-up is in test_secagent_training.py.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from saccade.actions import Action
from saccade.data.readers import open_dataset
from saccade.data.training_rows import RowWriter, TrainingRow
from saccade.geometry import Box, Point, Size
from saccade.models.families import VisionSettings
from saccade.paradigms import Reply, Situation
from saccade.paradigms.secagent import SecAgent
from saccade.scoring.judge import JudgedStep, assumption_note
from saccade.scoring.profiles import MatchContext, get_profile
from saccade.scoring.rewards.secagent import SecAgentReward
from saccade.types import Element, Picture, Screen, Step

SCREEN = Size(1080, 2400)
CLICK = {"type": "click", "point": [200, 150], "box": [100, 100, 300, 200]}


def answer(arguments: dict[str, Any], head: str = "<summary>None</summary><think>t</think>") -> str:
    return f"{head}<tool_call>{json.dumps({'name': 'mobile_use', 'arguments': arguments})}</tool_call>"


def parts(text: str, truth: Any = CLICK) -> dict[str, float]:
    truths = truth if isinstance(truth, list) else [truth]
    return SecAgentReward().breakdown([text], truth=[truths], screen=[list(SCREEN)])[0]


# -- Table 8 and Fig. 8: the action space -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "action"),
    [
        ({"action": "click", "coordinate": [5, 6]}, Action("click", Point(5, 6))),
        ({"action": "long_press", "coordinate": [5, 6], "time": 1}, Action("long_press", Point(5, 6))),
        (
            {"action": "swipe", "coordinate": [5, 900], "coordinate2": [5, 100]},
            Action("swipe", start=Point(5, 900), end=Point(5, 100), direction="up"),
        ),
        ({"action": "type", "text": "牛肉面"}, Action("type", text="牛肉面")),
        ({"action": "system_button", "button": "Back"}, Action("press", key="back")),
        ({"action": "system_button", "button": "Home"}, Action("press", key="home")),
        ({"action": "system_button", "button": "Menu"}, Action("press", key="menu")),
        ({"action": "system_button", "button": "Enter"}, Action("press", key="enter")),
        ({"action": "key", "text": "volume_up"}, Action("press", key="volume_up")),
        ({"action": "open", "text": "淘宝"}, Action("open_app", text="淘宝")),
        ({"action": "wait", "time": 2}, Action("wait", seconds=2)),
        ({"action": "terminate", "status": "success"}, Action("terminate", status="success")),
        ({"action": "terminate", "status": "failure"}, Action("terminate", status="failure")),
    ],
)
def test_table_8_actions(written: dict[str, Any], action: Action) -> None:
    """Table 8 and the tool of Fig. 8: these names and arguments, read and written."""
    paradigm, screen = SecAgent(), Screen(SCREEN)
    parsed = paradigm.parse(answer(written), screen)
    assert parsed.strict and parsed.reply.action == action
    assert json.dumps(written, ensure_ascii=False) in paradigm.render(Reply(action), screen)


def test_figure_8_long_press_has_a_time() -> None:
    """Fig. 8: "time … Required only by long_press and wait": shown in the prompt; without it an answer is read, but is
    not the format.
    """
    shown = {action["name"]: action["format"] for action in SecAgent().vocabulary.listing("paper", "en")}
    assert shown["long_press"] == '{"action": "long_press", "coordinate": [x, y], "time": 1}'
    found = parts(answer({"action": "long_press", "coordinate": [200, 150]}), CLICK | {"type": "long_press"})
    assert found == {"format": 0, "action": 1}


def test_figure_8_action_space() -> None:
    """Fig. 8, the tool's enum."""
    listed = {action["name"] for action in SecAgent().vocabulary.listing("paper", "en")}
    assert listed == set("key click long_press swipe type system_button open wait terminate".split())


# -- §4.2: semantic context -------------------------------------------------------------------------------------------


def rows(steps: list[Step], **switches: Any) -> list[TrainingRow]:
    sight = VisionSettings.of("qwen2.5-vl", SecAgent.pixels)
    return list(RowWriter(SecAgent(**switches), sight).episode(steps, random.Random(0)))


def steps(*summaries: str) -> list[Step]:
    return [
        Step(
            id=f"e-{at}",
            episode="e",
            step=at,
            instruction="Open the shop",
            screen=SCREEN,
            image=f"{at}.png",
            truth=[Action("click", Point(100 + at, 200))],
            summary=said,
            context=summaries[at - 1] if at else "",
            thought=f"thought {at}",
        )
        for at, said in enumerate(summaries)
    ]


def test_first_step_says_none() -> None:
    """Fig. 8, note 1: without a prior screenshot the summary is None, in the prompt and in the answer."""
    first = rows(steps("", "opened it"))[0]
    assert "Summary so far: None" in first.messages[-1].text
    assert "<summary>None</summary>" in first.answer


def test_the_prompt_shows_what_the_formula_conditions_on() -> None:
    """§4.2: P(C_t, H_t, A_t | I, X_t, C_{t-1}, X_{t-1}, A_{t-1}): never C_t."""
    third = rows(steps("", "opened the shop", "opened the shop, searched"))[2]
    asked = " ".join(message.text for message in third.messages)
    assert "Open the shop" in asked and "Summary so far: opened the shop\n" in asked
    assert "searched" not in asked
    assert '"coordinate": [101' in asked  # A_{t-1}
    pictures = [part for message in third.messages for part in message.content if isinstance(part, Picture)]
    assert len(pictures) == 2  # X_{t-1} and X_t


def test_annotated_summaries_and_thoughts_are_the_targets() -> None:
    """§3.2 (5): context and thought are annotated by a model; SFT teaches them as they stand."""
    found = rows(steps("", "opened the shop", "opened the shop, searched"))
    said = [SecAgent().parse(row.answer, row.step.view).reply for row in found]
    assert [reply.summary for reply in said] == ["", "opened the shop", "opened the shop, searched"]
    assert [reply.think for reply in said] == ["thought 0", "thought 1", "thought 2"]
    assert all("summary" not in row.step.tags for row in found)


def test_a_template_where_nothing_is_annotated() -> None:
    """Ours: a summary of what was done, and the row says that it is one."""
    found = rows(steps("", "", ""))
    assert "<summary>tapped [100, 200].</summary>" in found[1].answer
    assert [row.step.tags.get("summary") for row in found] == [None, "template", "template"]


@pytest.mark.parametrize(("window", "count"), [(0, 1), (1, 2), (2, 3), (5, 6)])
def test_table_4_history_window(window: int, count: int) -> None:
    """Table 4: N ∈ {0, 1, 2, 5} previous screenshots and the current one."""
    last = rows(steps(*["s"] * 7), window=window)[-1]
    shown = [part for message in last.messages for part in message.content if isinstance(part, Picture)]
    assert len(shown) == count


@pytest.mark.parametrize(
    ("switches", "tags"),
    [
        ({}, ["summary", "think", "tool_call"]),
        ({"semantic_context": False}, ["think", "tool_call"]),
        ({"thought": False}, ["summary", "tool_call"]),
        ({"semantic_context": False, "thought": False}, ["tool_call"]),
    ],
)
def test_table_4_switches(switches: dict[str, bool], tags: list[str]) -> None:
    """Table 4: with and without semantic context and thought."""
    paradigm = SecAgent(**switches)  # type: ignore[arg-type]
    text = paradigm.render(Reply(Action("wait", seconds=1), summary="s", think="t"), Screen(SCREEN))
    assert [line.split(">")[0][1:] for line in text.splitlines()] == tags
    assert paradigm.parse(text, Screen(SCREEN)).strict
    asked = paradigm.messages(Situation("do it", Screen(SCREEN), context="so far"))[-1].text
    assert ("so far" in asked) is ("summary" in tags)


def test_pixels() -> None:
    """App. 8.3: min_pixels 200,704, max_pixels 501,760."""
    assert SecAgent.pixels == (200_704, 501_760)


def test_old_records_with_a_context_alone_are_read() -> None:
    """Files written before context and summary were apart."""
    step = msgspec.json.decode('{"screen": [9, 9], "context": "opened it", "truth": []}', type=Step)
    assert (step.context, step.summary) == ("opened it", "")


def test_cmgui_reader_shows_no_answer(tmp_path: Path) -> None:
    """§3.2: the summary annotated at a step is C_t, which the answer writes; the prompt gets the one before."""
    said = ["None", "1. 打开了淘宝", "1. 打开了淘宝 2. 点击了搜索框"]
    same = {"image_size": [90, 90], "action": {"action": "click", "coordinate": [9, 9]}, "bbox": [[1, 1, 20, 20]]}
    one = [{"image": f"{at}.png", "summary": text} | same for at, text in enumerate(said)]
    line = json.dumps({"episode_id": "e", "instruction": "打开淘宝", "steps": one}, ensure_ascii=False)
    (tmp_path / "episode_annotation_test.jsonl").write_text(line + "\n", encoding="utf-8")
    found = [sample.step for sample in open_dataset(tmp_path).samples()]
    assert [step.summary for step in found] == ["", said[1], said[2]]
    assert [step.context for step in found] == ["", "", said[1]]


# -- §4.3: reward -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "truth", "expected"),
    [
        (answer({"action": "click", "coordinate": [200, 150]}), CLICK, (0.5, 1)),
        (answer({"action": "click", "coordinate": [400, 150]}), CLICK, (0.5, 0)),
        (answer({"action": "click", "coordinate": [200, 150]}, "<think>t</think>"), CLICK, (0, 1)),
        (answer({"action": "click", "coordinate": [200, 150]}, "<summary>s</summary>"), CLICK, (0, 1)),
        (answer({"action": "fly"}), CLICK, (0, 0)),
        (answer({"action": "type", "text": "面"}), {"type": "type", "text": "面"}, (0.5, 1)),
        (answer({"action": "type", "text": "面条"}), {"type": "type", "text": "面"}, (0.5, 0)),
        (
            answer({"action": "swipe", "coordinate": [5, 900], "coordinate2": [5, 100]}),
            {"type": "swipe", "direction": "up"},
            (0.5, 1),
        ),
        (answer({"action": "terminate", "status": "failure"}), {"type": "terminate", "status": "success"}, (0.5, 0)),
        (
            answer({"action": "system_button", "button": "Back"}),
            [CLICK, {"type": "press", "key": "back"}],
            (0.5, 1),
        ),
        ("", CLICK, (0, 0)),
    ],
)
def test_reward(text: str, truth: Any, expected: tuple[float, float]) -> None:
    """§4.3: 0.5 for the triplet format, 1 for a right action; §3.3: right by any of the valid actions."""
    found = parts(text, truth)
    assert (found["format"], found["action"]) == expected
    assert SecAgentReward().total(found) == sum(expected)


# -- §3.3: CMGUI-Bench's rule, and data without boxes -----------------------------------------------------------------

ELEMENTS = [Element(1, Box(0, 0, 1080, 2400)), Element(2, Box(100, 100, 300, 200)), Element(3, Box(90, 90, 400, 400))]


@pytest.mark.parametrize(
    ("point", "box", "elements", "right"),
    [
        ((300, 200), Box(100, 100, 300, 200), [], True),  # the edge is inside
        ((301, 200), Box(100, 100, 300, 200), [], False),
        ((299, 199), None, ELEMENTS, True),  # the smallest element around (200, 150)
        ((310, 210), None, ELEMENTS, False),  # in a larger one only
        ((296, 150), None, [], True),  # no elements: a disc of 0.04 · 2400 = 96 pixels
        ((297, 150), None, [], False),
        ((296, 150), None, [Element(4, Box(500, 500, 600, 600))], True),  # none around the true point: the disc
    ],
)
def test_cmgui_rule(point: tuple[int, int], box: Box | None, elements: list[Element], right: bool) -> None:
    """§3.3: a click in any annotated box; where there are none, the smallest element, else the disc."""
    truth = Action("click", Point(200, 150), box)
    context = MatchContext(SCREEN, elements)
    assert get_profile("cmgui").judge(Action("click", Point(*point)), [truth], context).right is right


def test_cmgui_assumptions_are_counted() -> None:
    """What the paper leaves open is counted and named under the table."""
    profile = get_profile("cmgui")
    click, boxed = Action("click", Point(200, 150)), Action("click", Point(200, 150), Box(100, 100, 300, 200))
    kinds = [(click, ELEMENTS), (click, ELEMENTS), (click, []), (boxed, []), (Action("press", key="back"), ELEMENTS)]
    judged = [JudgedStep(Step(screen=SCREEN, truth=[truth], elements=list(on)), True, True) for truth, on in kinds]
    said = "3 of 5 steps have no annotated box: judged 2 by the smallest element, 1 by a disc"
    assert assumption_note(judged, profile) == f"cmgui: {said}"
    assert assumption_note(judged, get_profile("btl")) == ""
