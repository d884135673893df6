"""Random walks: which actions are chosen, what is recorded, and what changed. No browser is needed here."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from command import saccade

from forks import begin_fork, kill_fork
from saccade.actions import ACTION_TYPES
from saccade.bench.suites import training_tasks
from saccade.bench.tasks import MINIWOB_SEED
from saccade.data.synthesis.state_changes import MOST_BYTES, change_tags, changes_of, state_changes
from saccade.data.synthesis.walk import WalkSummary
from saccade.data.synthesis.walk_actions import ActionChooser
from saccade.data.synthesis.walk_words import screen_language, words_for
from saccade.geometry import Box, Size
from saccade.types import Element, Screen, Step
from saccade.worlds.observation import Observation

COUNTER = Path(__file__).parents[3] / "examples" / "plugins" / "counter_world.py"


def element(number: int, kind: str, text: str = "", caption: str = "", **rest: Any) -> Element:
    return Element(number, Box(10, 40 * number, 200, 40 * number + 30), kind, text, caption, **rest)


def screen(*elements: Element) -> Observation:
    return Observation(Screen(Size(400, 800), None, elements), app="shop")


# -- which action comes next -------------------------------------------------------------------------------------------


def test_elements_that_were_not_tried_come_first() -> None:
    seen = screen(*(element(at, "button", f"{name}") for at, name in enumerate("abcdefgh", 1)))
    chooser = ActionChooser(frozenset({"click"}), "phone", random.Random(3))
    clicked = []
    for _ in range(8):
        proposal = chooser.propose(seen)
        chooser.tell(proposal, changed=True)
        clicked.append(proposal.element.text if proposal.element else "")
    assert len(set(clicked)) >= 6, "chance alone tries five of eight"


def test_what_did_nothing_is_done_less_often() -> None:
    chooser = ActionChooser(frozenset({"swipe", "press"}), "phone", random.Random(0))
    done: Counter[str] = Counter()
    for _ in range(200):
        proposal = chooser.propose(screen())
        chooser.tell(proposal, changed=proposal.action.name == "press:back")
        done[proposal.action.name] += 1
    assert done["press:back"] > 150


def test_no_password_is_typed_and_nothing_disabled_is_touched() -> None:
    fields = [element(1, "password", caption="Password"), element(2, "button", "Send", state="disabled")]
    labels = [element(3, "text", "Hello", interactive=False), element(4, "frame"), element(5, "file", "Upload")]
    chooser = ActionChooser(frozenset(ACTION_TYPES), "web", random.Random(1))
    for _ in range(100):
        proposal = chooser.propose(screen(*fields, *labels))
        chooser.tell(proposal, changed=True)
        assert proposal.action.type != "type"
        assert proposal.element is None or proposal.element.id == 1


@pytest.mark.parametrize(
    ("caption", "language", "fits"),
    [
        ("E-mail address", "en", "@example"),
        ("手机号", "zh", "13800138000 010-55501420"),
        ("Due date", "en", "2026-"),
        ("联系人姓名", "zh", "王小明 李娜"),
        ("Search products", "en", "Green tea"),
        ("搜索", "zh", "Green tea"),
    ],
)
def test_words_fit_the_field(caption: str, language: Any, fits: str) -> None:
    field = element(1, "input", caption=caption)
    typed = words_for(field, [field, element(2, "text", "Green tea")], language, random.Random(0))
    assert typed in fits or fits in typed


def test_the_language_is_that_of_most_words() -> None:
    assert screen_language([element(1, "link", "中文"), element(2, "text", "Settings for this page")]) == "en"
    assert screen_language([element(1, "text", "无线网络设置"), element(2, "text", "Wi-Fi")]) == "zh"


def test_miniwobs_training_seeds_are_not_those_of_measurements() -> None:
    seeds = {task.seed for task in training_tasks("miniwob", 60, {}, seed=7)}
    assert seeds == {7, 8, 9} and max(seeds) < MINIWOB_SEED


# -- what changed ------------------------------------------------------------------------------------------------------


def test_state_changes_name_the_path() -> None:
    before = {"front": {"app": "clock"}, "apps": {"clock": {"alarms": {"a1": {"on": True, "at": "07:00"}}}}}
    after = {"front": {"app": "clock"}, "apps": {"clock": {"alarms": {"a1": {"on": False, "at": "07:00"}}, "n": [1]}}}
    assert list(state_changes(before, after)) == [
        ("apps.clock.alarms.a1.on", True, False),
        ("apps.clock.n", None, [1]),
    ]
    tags = change_tags(before, after)
    assert tags == {"state_changes": '[["apps.clock.alarms.a1.on",true,false],["apps.clock.n",null,[1]]]'}
    assert changes_of(tags)[0] == ("apps.clock.alarms.a1.on", True, False)
    assert change_tags(before, before) == {"state_changes": "[]"}
    assert change_tags(None, None) == {} and changes_of({}) == []


def test_many_changes_are_cut_and_that_is_told() -> None:
    many = change_tags({}, {str(at): at for at in range(100)})
    assert len(changes_of(many)) == 40 and many["state_changes_left_out"] == "60"
    long = change_tags({}, {str(at): "x" * 1000 for at in range(10)})
    assert len(long["state_changes"]) <= MOST_BYTES and long["state_changes_left_out"] == "6"


# -- a whole walk ------------------------------------------------------------------------------------------------------


def walk_command(out: Path | str, *words: str, steps: int = 12) -> list[str]:
    options = ["--steps", str(steps), "--episode-steps", "6", "--plugin", str(COUNTER), "--out", str(out)]
    return ["data", "walk", "counter", *options, *words]


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, WalkSummary]:
    out = tmp_path_factory.mktemp("walk") / "out"
    told = saccade(*walk_command(out, "--engine", "local", "--workers", "2", "--json"))
    assert told.returncode == 0, told.stderr
    return out, msgspec.json.decode(told.stdout, type=WalkSummary)


def records(out: Path) -> list[Step]:
    return msgspec.json.Decoder(Step).decode_lines((out / "steps.jsonl").read_bytes())


def test_a_record_holds_the_whole_transition(walked: tuple[Path, WalkSummary]) -> None:
    out, told = walked
    steps = records(out)
    assert (told.episodes, told.steps, told.screens) == (2, 12, 14)
    assert told.changed == sum(step.tags.get("changed") == "yes" for step in steps)
    assert sum(told.actions.values()) == 12 and told.refused == {}
    for step, following in pairwise(steps):
        assert step.truth == [] and step.elements and (out / step.image).is_file()
        if step.prediction is None:
            assert "changed" not in step.tags and following.step == 0
            continue
        assert step.tags["after"] == following.image and following.episode == step.episode
        same = (out / step.image).read_bytes() == (out / following.image).read_bytes()
        assert step.tags["changed"] == ("no" if same else "yes")
        assert step.tags["app"] == step.tags["app_after"] == "counter" and step.tags["world"] == "counter"


def test_the_same_request_gives_the_same_bytes(walked: tuple[Path, WalkSummary], tmp_path: Path) -> None:
    assert saccade(*walk_command(tmp_path / "again", "--workers", "1")).returncode == 0
    assert files(tmp_path / "again") == files(walked[0])
    assert saccade(*walk_command(tmp_path / "other", "--workers", "1", "--seed", "1")).returncode == 0
    assert files(tmp_path / "other") != files(walked[0])


def files(out: Path) -> dict[str, bytes]:
    found = (file for file in out.rglob("*") if file.is_file() and file.name != ".lock")
    return {str(file.relative_to(out)): file.read_bytes() for file in found}


def test_killed_it_goes_on_and_ends_the_same(walked: tuple[Path, WalkSummary], tmp_path: Path) -> None:
    episodes = tmp_path / "out" / "episodes"
    child = begin_fork(lambda: saccade(*walk_command("out", "--workers", "1", "--engine", "local"), folder=tmp_path))
    kill_fork(child, lambda: any(episodes.glob("*.jsonl")))
    assert saccade(*walk_command(tmp_path / "out", "--workers", "1")).returncode == 0
    assert files(tmp_path / "out") == files(walked[0])


def test_walks_are_data_sets_without_truth(walked: tuple[Path, WalkSummary]) -> None:
    """Every record lacks an instruction and a right action, and nothing else is wrong."""
    told = saccade("data", "check", str(walked[0]), "--json")
    assert told.returncode == 1 and "the log of a run" not in told.stderr
    kinds = Counter(json.loads(line).get("kind", "") for line in told.stdout.splitlines())
    assert {kind: count for kind, count in kinds.items() if kind} == {"instruction": 14, "no-truth": 14}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["counter", "--steps", "0"], "--steps and --episode-steps must be at least 1"),
        (["counter", "--steps", "1", "--policy", "brows"], "there is no policy brows (did you mean browse?)"),
        (["counter", "--steps", "1", "--option", "size=9"], "no option size"),
        (["nowhere/x", "--steps", "1"], "unknown world 'nowhere'"),
        (["counter", "--steps", "1", "--elements", "eyes"], "eyes"),
    ],
)
def test_bad_options_get_one_sentence(words: list[str], says: str, tmp_path: Path) -> None:
    told = saccade("data", "walk", *words, "--plugin", str(COUNTER), "--out", str(tmp_path / "x"), "--workers", "1")
    assert told.returncode == 2 and says in told.stderr and told.stderr.count("\n") == 1


def test_another_request_is_refused_and_more_steps_are_not(walked: tuple[Path, WalkSummary], tmp_path: Path) -> None:
    out = shutil.copytree(walked[0], tmp_path / "out")
    refused = saccade(*walk_command(out, "--seed", "5"))
    assert refused.returncode == 2 and "other options" in refused.stderr
    more = saccade(*walk_command(out, "--json", "--workers", "1", steps=18))
    assert json.loads(more.stdout)["steps"] == 18
    assert files(walked[0]).items() - files(out).items() == {
        (name, content) for name, content in files(walked[0]).items() if name in ("run.json", "steps.jsonl")
    }
