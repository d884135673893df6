"""From records on disk to rows: real files, real pictures' sizes, right and wrong."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from train_data import bare, elements, episode, grounding, recipe, write_data

from saccade.actions import Action
from saccade.data.recorded_episodes import grounding_to_navigation, read_episodes, record_files, without_repetition
from saccade.data.training_rows import own_thought
from saccade.errors import InputError
from saccade.geometry import Point
from saccade.paradigms import Candidate, Reply, get_paradigm
from saccade.records import write_steps
from saccade.train.recipe import Recipe
from saccade.train.samples import RowSet, chosen, read_rows, spread
from saccade.types import Picture, Step
from tiny_vl import make_tiny

pytest.importorskip("torch")
from saccade.train.vision import VisionBackbone

pytestmark = pytest.mark.train


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Recipe:
    folder = tmp_path_factory.mktemp("samples")
    return recipe(folder, make_tiny(folder / "tiny"), write_data(folder / "data", 8))


@pytest.fixture(scope="module")
def backbone(plan: Recipe) -> VisionBackbone:
    return VisionBackbone.open(plan, plan.model)


def changed(plan: Recipe, **changes: Any) -> Recipe:
    return msgspec.convert(msgspec.to_builtins(plan) | changes, Recipe)


def rows_of(plan: Recipe, backbone: VisionBackbone, folder: Path, steps: list[Step], **changes: Any) -> RowSet:
    return read_rows(changed(plan, data=[str(write_data(folder, steps=steps))], **changes), backbone)


# -- reading -----------------------------------------------------------------------------------------------------------


def test_episodes_come_whole_and_in_order(tmp_path: Path) -> None:
    steps = [*reversed(episode("a")), *episode("b"), grounding("g1"), grounding("g2")]
    file = write_data(tmp_path / "one", steps=[steps[0], steps[3], *steps[1:3], *steps[4:]])
    found = list(read_episodes([file]))
    assert [[step.id for step in each.steps] for each in found] == [
        ["a-0", "a-1", "a-2"],
        ["b-0", "b-1", "b-2"],
        ["g1"],
        ["g2"],
    ]
    assert {each.folder for each in found} == {tmp_path / "one"}
    assert [each.steps[0].id for each in read_episodes([tmp_path / "one"])] == ["a-0", "b-0", "g1", "g2"]


def test_a_collection_in_progress_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "episodes").mkdir()
    for name in ("e1", "e2"):
        write_steps(tmp_path / "episodes" / f"{name}.jsonl", episode(name))
    assert [each.folder for each in read_episodes([tmp_path])] == [tmp_path] * 2


def test_what_is_wrong_is_named_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "steps.jsonl"
    file.write_bytes(msgspec.json.encode(episode("a")[0]) + b'\n\n{"screen": [0, 5]}\n')
    with pytest.raises(InputError, match=r"steps\.jsonl:3: .*screen"):
        list(read_episodes([file]))
    file.write_text('{"screen": [10, 20], "truth": [{"type": "click"}]}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"steps\.jsonl:1: .*point"):
        list(read_episodes([file]))
    file.write_text("no json\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"steps\.jsonl:1: not JSON"):
        list(read_episodes([file]))
    with pytest.raises(InputError, match="there is no data"):
        record_files([tmp_path / "elsewhere"])
    write_steps(file, [*episode("a"), *episode("a")])
    with pytest.raises(InputError, match="episode a is there twice"):
        list(read_episodes([file]))


def test_numbers_for_names_are_read(tmp_path: Path) -> None:
    file = tmp_path / "steps.jsonl"
    file.write_text('{"id": 7, "episode": 3, "screen": [10, 20]}\n{"screen": [10, 20]}\n', encoding="utf-8")
    assert [each.steps[0].id for each in read_episodes([file])] == ["7", "steps:2"]


# -- rows --------------------------------------------------------------------------------------------------------------


def test_held_back_episodes_are_not_trained_on(plan: Recipe, backbone: VisionBackbone) -> None:
    wanted = changed(plan, held_back=0.25)
    rows = read_rows(wanted, backbone)
    trained, held = ({row.step.episode for row in part} for part in (rows.train, rows.held_back))
    assert len(trained) == 6
    assert len(held) == 2
    assert not trained & held
    assert [row.id for row in read_rows(wanted, backbone).train] == [row.id for row in rows.train]
    assert {row.step.episode for row in read_rows(changed(wanted, seed=5), backbone).held_back} != held
    with pytest.raises(InputError, match="held_back is 1"):
        read_rows(changed(plan, held_back=1.0), backbone)


def test_shares_of_variants() -> None:
    places = [(at + 0.5) / 100 for at in range(100)]
    assert Counter(tuple(chosen([0.25, 0.75], place)) for place in places) == {(0,): 25, (1,): 75}
    assert {tuple(chosen([1, 1, 1], place)) for place in places} == {(0, 1, 2)}
    assert Counter(tuple(chosen([1, 0.5], place)) for place in places) == {(0, 1): 50, (0,): 50}
    assert Counter(tuple(chosen([0.5], place)) for place in places) == {(0,): 50, (): 50}
    assert {tuple(chosen([2], place)) for place in places} == {(0, 0)}


def test_several_formats_at_once(plan: Recipe, backbone: VisionBackbone) -> None:
    phone = {"space": "phone"}
    shares = (("btl", 0.5), ("uiloop", 0.25), ("secagent", 0.25))
    variants = [{"paradigm": name, "switches": phone, "share": share} for name, share in shares]
    rows = read_rows(changed(plan, variants=variants), backbone)
    found = Counter(row.paradigm.name for row in rows.train)
    assert found == {"btl": 12, "uiloop": 4, "secagent": 6}  # on the last screen of an episode nothing matters
    languages = {row.paradigm.language for row in rows.train}
    assert languages == {"en", "zh"}
    for row in rows.train:
        assert row.paradigm.parse(row.answer, row.step.view).strict
        assert row.paradigm.frame.max_pixels == 25088


def test_a_paradigm_sees_at_its_own_size(plan: Recipe, backbone: VisionBackbone) -> None:
    rows = read_rows(changed(plan, pixels=None), backbone)
    pictures = [part for part in rows.train[0].messages[-1].content if isinstance(part, Picture)]
    assert pictures[0].shown is not None
    assert 200_704 <= pictures[0].shown.width * pictures[0].shown.height <= 501_760
    assert rows.train[0].paradigm.frame.min_pixels == 200_704


def test_a_step_drawn_from_the_middle_has_its_recorded_history(
    plan: Recipe, backbone: VisionBackbone, tmp_path: Path
) -> None:
    """As `saccade data mix` writes single steps: each is an episode, with the lines of what came before it."""
    step = episode("a")[1]
    step.episode, step.history, step.context = "alone", ["Opened the settings"], "In the settings."
    data = write_data(tmp_path / "one", steps=[step])
    told = {name: rows_text(plan, backbone, data, name) for name in ("btl", "secagent")}
    assert "Opened the settings" in told["btl"]
    assert "Summary so far: In the settings." in told["secagent"]


def rows_text(plan: Recipe, backbone: VisionBackbone, data: Path, paradigm: str) -> str:
    """The only row's prompt."""
    [row] = read_rows(changed(plan, data=(str(data),), paradigm=paradigm, switches={}), backbone).train
    return " ".join(message.text for message in row.messages)


def test_grounding_becomes_one_step_of_navigation(plan: Recipe, backbone: VisionBackbone, tmp_path: Path) -> None:
    step = grounding("g")
    box = elements()[3].box
    assert grounding_to_navigation(step).truth == [Action("click", box.center, box=box)]
    assert not grounding_to_navigation(step).grounding
    assert grounding_to_navigation(episode("a")[0]) == episode("a")[0]
    rows = rows_of(plan, backbone, tmp_path, [step, grounding("h")])
    assert [row.id for row in rows.train] == ["g", "h"]
    for row in rows.train:
        assert row.step.tags == {"from": "grounding"}
        said = row.paradigm.parse(row.answer, row.step.view).reply
        assert said.action is not None
        assert said.action.point is not None
        assert said.action.point.distance(box.center) < 2
        assert said.summary == ""
    kept = rows_of(plan, backbone, tmp_path, [step], stage="grpo", paradigm="btl")
    assert kept.train[0].step.grounding  # BTL's reward has a rule of its own for these


@pytest.mark.parametrize("paradigm", ["btl", "secagent"])
def test_recordings_with_little_in_them(paradigm: str, plan: Recipe, backbone: VisionBackbone, tmp_path: Path) -> None:
    """No thought, no elements, swipes without ends: everything the format can say is taught."""
    switches = {"btl": {"blink": False, "space": "phone"}, "secagent": {"space": "phone"}}[paradigm]
    rows = rows_of(plan, backbone, tmp_path, bare("b"), paradigm=paradigm, switches=switches)
    assert len(rows.train) == 3
    assert not rows.left_out
    actions = [row.paradigm.parse(row.answer, row.step.view).reply.action for row in rows.train]
    assert [action.type for action in actions if action] == ["swipe", "wait", "click"]
    assert actions[0] is not None
    assert actions[0].direction == "up"
    assert "look further down" in rows.train[0].messages[-1].text
    assert "Find Bluetooth" in rows.train[0].messages[-1].text


def test_uiloop_needs_an_element(plan: Recipe, backbone: VisionBackbone, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no row to train on: 3 left out because it has no key element"):
        rows_of(plan, backbone, tmp_path, bare("b"), paradigm="uiloop")
    rows = rows_of(plan, backbone, tmp_path, [*bare("b"), *episode("a")], paradigm="uiloop")
    assert [row.id for row in rows.train] == ["a-0", "a-1"]
    assert rows.left_out.total() == 4
    assert all("heading" not in row.answer for row in rows.train)


def test_absent_key_elements_teach_no_blink(plan: Recipe, backbone: VisionBackbone, tmp_path: Path) -> None:
    """Nobody looked: `<blink>None` would be made up. Annotated as empty, it is the truth."""
    told: list[str] = []
    data = str(write_data(tmp_path, steps=[*bare("b"), *episode("a")]))
    wanted = changed(plan, data=[data], paradigm="btl", switches={"space": "phone"})
    rows = read_rows(wanted, backbone, told.append)
    assert [row.id for row in rows.train] == ["a-0", "a-1", "a-2"]
    assert [row.id for row in rows.train if "<blink>None</blink>" in row.answer] == ["a-2"]
    assert any(line.startswith("3 rows left out: nobody annotated its key elements") for line in told)
    without = changed(wanted, switches={"space": "phone", "blink": False})
    rows = read_rows(without, backbone)
    assert len(rows.train) == 6 and not any("blink" in row.answer for row in rows.train)


@pytest.mark.parametrize("paradigm", ["btl", "uiloop"])
def test_grpo_keeps_rows_without_key_elements(
    paradigm: str, plan: Recipe, backbone: VisionBackbone, tmp_path: Path
) -> None:
    told: list[str] = []
    data = str(write_data(tmp_path, steps=bare("b")))
    switches = {"space": "phone"}
    wanted = changed(plan, data=[data], stage="grpo", paradigm=paradigm, switches=switches)
    assert [row.id for row in read_rows(wanted, backbone, told.append).train] == ["b-0", "b-1", "b-2"]
    assert told[-1] == "3 rows have no key elements (b-0, b-1, b-2 …): no reward for naming them"


def test_what_a_format_cannot_say_is_left_out_but_remembered(
    plan: Recipe, backbone: VisionBackbone, tmp_path: Path
) -> None:
    steps = episode("a")
    steps[0].truth = [Action("drag", start=Point(5, 5), end=Point(50, 50))]
    steps[1].truth = [Action("hover", Point(9, 9))]
    told: list[str] = []
    data = str(write_data(tmp_path, steps=steps))
    rows = read_rows(changed(plan, data=[data], paradigm="guidnav"), backbone, told.append)
    assert [row.id for row in rows.train] == ["a-2"]
    assert rows.left_out.total() == 2
    assert told[0].startswith("1 rows")
    assert sum("left out" in line for line in told) == len(rows.left_out)


def test_a_blink_names_no_more_than_it_may(plan: Recipe, backbone: VisionBackbone, tmp_path: Path) -> None:
    steps = episode("a")
    for step in steps:
        step.key_elements = elements()
    rows = rows_of(plan, backbone, tmp_path, steps, paradigm="btl", switches={"space": "phone", "max_elements": 2})
    assert len(rows.train) == 3
    assert len(rows.train[0].paradigm.parse(rows.train[0].answer, steps[0].view).reply.elements) == 2


def test_long_rows_are_left_out(plan: Recipe, backbone: VisionBackbone) -> None:
    whole = read_rows(plan, backbone)
    limit = sorted(whole.lengths)[4]
    rows = read_rows(changed(plan, longest=limit), backbone)
    assert max(rows.lengths) == limit
    assert len(rows.lengths) == len(rows.train)
    reason = f"longer than {limit} tokens, up to {max(whole.lengths)} (longest)"
    assert rows.left_out == {reason: len(whole.train) - len(rows.train)}
    with pytest.raises(InputError, match="longer than 5 tokens"):
        read_rows(changed(plan, longest=5), backbone)


def test_several_processes_do_the_same() -> None:
    kept = {"by": 7}
    assert spread(lambda at: at * kept["by"], 1000, 2) == [7 * at for at in range(1000)]
    assert spread(lambda at: at * kept["by"], 3, 2) == [0, 7, 14]

    def wrong(at: int) -> int:
        if at == 600:
            raise InputError("number 600 is wrong")
        return at

    with pytest.raises(InputError, match=r"^number 600 is wrong$"):
        spread(wrong, 1000, 2)


def test_screenshots_must_be_there(plan: Recipe, backbone: VisionBackbone, tmp_path: Path) -> None:
    steps = episode("a")
    steps[1].image = "screens/none.png"
    with pytest.raises(InputError, match=r"there is no image .*none\.png, which step a-1 names"):
        rows_of(plan, backbone, tmp_path, steps)
    steps[1].image = ""
    rows = rows_of(plan, backbone, tmp_path, steps)
    assert [row.id for row in rows.train] == ["a-0", "a-2"]
    assert rows.left_out.total() == 1
    assert len(rows_of(plan, backbone, tmp_path, steps, elements="parsed").train) == 3


def test_switches_must_exist(plan: Recipe, backbone: VisionBackbone) -> None:
    with pytest.raises(InputError, match="secagent has no switch 'widnow'"):
        read_rows(changed(plan, switches={"widnow": 2}), backbone)
    with pytest.raises(InputError, match="did you mean btl"):
        read_rows(changed(plan, paradigm="btll"), backbone)
    with pytest.raises(InputError, match="names no data"):
        read_rows(changed(plan, data=[]), backbone)


def test_rows_say_what_is_in_the_file(plan: Recipe, backbone: VisionBackbone) -> None:
    """A row's answer is the record's action, and its prompt tells the past as the agent's own memory does."""
    row = next(row for row in read_rows(plan, backbone).train if row.id == "e0-1")
    call = json.loads(row.answer.partition("<tool_call>")[2].partition("</tool_call>")[0])
    target = elements()[2].center
    width, height = row.paradigm.frame.extent(row.step.screen)
    expected = [target.x * width / row.step.screen.width, target.y * height / row.step.screen.height]
    assert call["arguments"]["action"] == "click"
    assert call["arguments"]["coordinate"] == pytest.approx(expected, abs=1)
    assert "Here it is." in row.answer
    assert "swipe" in row.messages[-1].text


def test_endless_repetition_is_cut(plan: Recipe, backbone: VisionBackbone, tmp_path: Path) -> None:
    """The same on a screen that did not change is kept four times, and counted where it is left out."""
    stuck = [msgspec.structs.replace(episode("a")[1], id=f"a-{at}", step=at) for at in range(9)]
    for step in stuck:
        step.prediction = Action("click", Point(5, 5))
    assert [step.step for step in without_repetition([*stuck, *episode("a")])] == [0, 1, 2, 3, 0, 1, 2]
    assert len(without_repetition(episode("a") * 3)) == 9, "without a prediction nothing is known to be a repetition"
    rows = rows_of(plan, backbone, tmp_path, stuck)
    assert len(rows.train) == 4 and rows.left_out.total() == 5


def test_a_players_own_thought_is_read_in_its_own_format() -> None:
    """GuidNav's answers have no <think>: its next prompt told it the thought all the same."""
    step = episode("a")[1]
    played = get_paradigm("guidnav", space="phone")
    said = Candidate(Action("press", key="back"), "I am on the wrong page.", 0.9)
    output = played.render(Reply(said.action, candidates=(said,)), step.view)
    assert "<think>" not in output
    mistaken = msgspec.structs.replace(step, output=output, paradigm="guidnav")
    assert own_thought(mistaken, get_paradigm("secagent")) == "I am on the wrong page."
    assert own_thought(step, get_paradigm("secagent")) == ""
