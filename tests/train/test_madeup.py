"""Made-up apps: their tasks can be done by what is to be seen, and doing them changes the app as the task wants."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from saccade.cli import app
from saccade.models.mini.text import PROMPT, Sheet
from saccade.paradigms import get_paradigm
from saccade.records import parse_object, read_lines, read_step
from saccade.scoring.profiles import Scene, get_profile
from saccade.train.madeup import episode, play
from saccade.train.madeup.goals import done
from saccade.train.madeup.play import start
from saccade.train.mini import TOKENIZER, MiniBackbone, tokenizer_of
from saccade.train.rows import RowMaker

PLAYS = [play(seed) for seed in range(200)]
STEPS = [step for each in PLAYS for step in each.steps]
TESTED = ("song", "album", "playlist", "flight", "train ", "trains", "hotel", "歌", "专辑", "航班", "酒店", "火车")


def test_the_same_seed_gives_the_same() -> None:
    assert episode(3) == PLAYS[3].steps
    assert episode(4) != PLAYS[3].steps


def test_there_is_something_of_everything() -> None:
    assert {goal.kind for each in PLAYS for goal in each.goals} == {
        "flag", "ask", "extreme", "rank", "new", "edit", "delete", "list", "unlist", "order", "void",
        "set"}  # fmt: skip
    assert {step.tags["language"] for step in STEPS} == {"en", "zh"}
    types = {step.truth[0].type for step in STEPS}
    assert types >= {"click", "type", "swipe", "answer", "terminate", "open_app", "press"}
    assert {step.truth[0].status for step in STEPS} >= {"success", "failure"}
    assert any(step.prediction not in step.truth for step in STEPS)
    assert any(len(each.goals) > 1 for each in PLAYS)


def test_sizes() -> None:
    assert 5 <= len(STEPS) / len(PLAYS) <= 12
    counts = sorted(len(step.elements) for step in STEPS)
    assert counts[0] >= 5
    assert counts[int(len(counts) * 0.98)] <= 50


@pytest.mark.parametrize("at", range(len(PLAYS)))
def test_a_step_is_sound(at: int) -> None:
    for step in PLAYS[at].steps:
        assert [element.id for element in step.elements] == [*range(1, len(step.elements) + 1)]
        for element in step.elements:
            assert 0 <= element.box.x0 <= element.box.x1 <= step.screen.width, element
            assert 0 <= element.box.y0 <= element.box.y1 <= step.screen.height, element
        for action in (*step.truth, step.prediction):
            assert action is not None
            if action.point is not None:
                touched = [element for element in step.elements if element.box == action.box and element.interactive]
                assert len(touched) == 1, (step.id, action)
        if step.truth[0].type == "type":
            assert str(step.truth[0].text) in step.instruction
        first = step.truth[0]
        if first.type == "click" and step.prediction in step.truth:
            assert step.key_elements, step.id
            assert step.key_elements[0].box == first.box, step.id


@pytest.mark.parametrize("at", range(len(PLAYS)))
def test_what_is_right_reaches_the_goal(at: int) -> None:
    """Replayed on a fresh app."""
    found = PLAYS[at]
    m, goals, wish = start(random.Random(f"madeup/{at}"))
    assert wish == found.steps[0].instruction
    last = found.steps[-1].truth[0]
    assert not any(done(goal, m) for goal in goals)
    for step in found.steps[:-1]:
        assert step.prediction is not None
        if step.thought.startswith(("A dialog", "有弹窗")):  # it came by chance, and went
            m.toast, m.focus, m.kept = "", "", None
            continue
        assert m.elements() == step.elements
        m.apply(step.prediction)
    if last.type == "terminate" and last.status == "success":
        assert all(done(goal, m) for goal in goals)
    elif last.type == "terminate":
        assert goals[0].impossible
    else:
        assert last.text == goals[0].answer
        assert any(last.text in each.text for each in found.steps[-1].elements) or "noted" in found.steps[-2].tags


def test_wrong_actions_do_not_reach_it() -> None:
    for at, found in enumerate(PLAYS):
        m, goals, _ = start(random.Random(f"madeup/{at}"))
        for step in found.steps[:-1]:
            if step.prediction not in step.truth and step.prediction is not None:
                m.apply(step.prediction)
        assert not all(done(goal, m) for goal in goals)


def test_no_word_of_the_apps_that_are_held_out() -> None:
    for step in STEPS:
        texts = [step.instruction, step.thought, *(element.text for element in step.elements)]
        for text in texts:
            assert not any(word in text.casefold() for word in TESTED), text


def test_apps_differ() -> None:
    labels = Counter(
        each.text for seed in range(500) for step in episode(seed) for each in step.elements if each.interactive
    )
    assert len(labels) > 5000


@pytest.mark.parametrize("name", ["btl", "uiloop", "secagent", "guidnav"])
def test_every_format_says_it_and_reads_it_back(name: str) -> None:
    backbone = MiniBackbone(None, tokenizer_of(TOKENIZER))
    paradigm = get_paradigm(name, frame=MiniBackbone.frame, space="phone", template=PROMPT)
    maker = RowMaker(paradigm, told=True, points=True)
    profile = get_profile("cmgui")
    sizes = []
    for found in PLAYS[:60]:
        for row in maker.episode(found.steps, random.Random(0)):
            sheet = Sheet.read(row.messages[0].text)
            answer = sheet.expand(sheet.compress(row.answer))
            action = row.paradigm.parse(answer, row.step.view).reply.action
            assert action is not None, answer
            scene = Scene(row.step.screen, row.step.elements, False)
            assert profile.judge(action, row.step.truth, scene).right, (row.id, answer, row.step.truth)
            sizes.append(len(backbone.encode(row.messages, row.answer)["input_ids"]))
    assert sum(size <= 1100 for size in sizes) >= 0.97 * len(sizes)


def test_the_command_writes_them(tmp_path: Path) -> None:
    out = tmp_path / "madeup.jsonl"
    said = CliRunner().invoke(app, ["data", "drills", "--apps", "--episodes", "2", "--first", "3", "--out", str(out)])
    assert said.exit_code == 0, said.output
    assert [read_step(parse_object(line)).instruction for _, line in read_lines(out)] == [
        step.instruction for seed in (3, 4) for step in PLAYS[seed].steps
    ]
