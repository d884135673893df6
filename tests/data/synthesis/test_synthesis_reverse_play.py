"""Reverse synthesis with a policy: tasks are played from where the walk began, and what was played is graded."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import handmade_world
import msgspec
import pytest
from command import saccade
from fake_openai import Handler, serving, whole
from handmade_walk import HEADING, ICON, ROWS, write_walk
from msgspec.structs import replace

from forks import begin_fork, kill_fork
from saccade.actions import Action
from saccade.data.synthesis.episode_start import EpisodeStart, playable_task, start_of, start_tags
from saccade.data.synthesis.manifest import Manifest, StageReport
from saccade.data.synthesis.records import Dropped, Record
from saccade.data.synthesis.roles.trajectory_grader import detours
from saccade.data.synthesis.stage import Tools
from saccade.data.synthesis.stages.episode_starts import EpisodeStarts, EpisodeStartsSettings
from saccade.data.synthesis.stages.keep_finished import KeepFinished
from saccade.data.synthesis.state_claims import comparable_changes, wanted_changes, wanted_truth
from saccade.errors import InputError
from saccade.geometry import Point, Size
from saccade.records import write_steps
from saccade.types import Step
from saccade.worlds.record_options import record_options
from saccade.worlds.tasks import Task

PLUGIN = str(Path(__file__).with_name("handmade_world.py"))
SETTINGS, SOUND, VIBRATE, DAWN, NAME = (list(box.center) for box in (ICON, ROWS[0], ROWS[0], ROWS[1], ROWS[1]))
DONE = "success"
START = {"world": "handmade/1", "seed": 7}


def steps_of(out: Path) -> list[Step]:
    return [msgspec.json.decode(line, type=Step) for line in (out / "steps.jsonl").read_bytes().splitlines()]


def stages_of(out: Path) -> dict[str, StageReport]:
    """The last report of each stage."""
    found = msgspec.json.decode((out / "manifest.json").read_bytes(), type=Manifest)
    return {report.stage: report for report in found.stages}


def walk_from(folder: Path, start: dict[str, Any] | str | None) -> Path:
    """The walk by hand, which says that it began there."""
    write_walk(folder)
    steps = steps_of(folder)
    told = start if isinstance(start, str) else json.dumps(start)
    for step in steps:
        if step.step == 0 and start is not None:
            language = {"options": {"language": step.tags["language"]}} if isinstance(start, dict) else {}
            own = json.dumps({**start, **language}) if isinstance(start, dict) and "options" not in start else told
            step.tags = {**step.tags, "start": own}
    (folder / "steps.jsonl").unlink()
    write_steps(folder / "steps.jsonl", steps)
    return folder


def plans_of(folder: Path, plans: dict[str, list[Any]]) -> str:
    """The policy that plays by these plans; by default it gives up at once."""
    file = folder / "plans.json"
    file.write_text(json.dumps({"": ["failure"], **plans}))
    return f"planned/{file}"


def play(walk: Path, out: Path, policy: str, *more: str) -> list[str]:
    options = ["--out", str(out), "--policy", policy, "--workers", "1"]
    return ["--plugin", PLUGIN, "data", "reverse", str(walk), *options, *more]


def by_task(out: Path) -> dict[str, list[Step]]:
    found: dict[str, list[Step]] = defaultdict(list)
    for step in steps_of(out):
        found[step.instruction].append(step)
    return found


# -- what is played, and what is kept of it ----------------------------------------------------------------------------

PLANS: dict[str, list[Any]] = {
    "'Sound'": [SETTINGS, NAME, DONE],  # another screen
    "'Vibrate' 'Sound'": [SETTINGS, SOUND, VIBRATE, DONE],
    "'Dawn' 'Vibrate'": [SETTINGS, SOUND, DAWN, DONE],  # of two things, one
    "“声音”": [SETTINGS, list(HEADING.center), SOUND, DONE],  # the heading does nothing
    "“振动” “声音”": [SETTINGS, SOUND, DAWN, DONE],  # something else
    "“晨曦” “振动” “声音”": [SETTINGS, SOUND, "wait", VIBRATE, "wait", DAWN, DONE],
}


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All tasks of the walk by hand, played by `PLANS`."""
    folder = tmp_path_factory.mktemp("played")
    walk = walk_from(folder / "walk", START)
    done = saccade(*play(walk, folder / "out", plans_of(folder, PLANS)))
    assert done.returncode == 0, done.stderr
    return folder / "out"


def test_what_was_played_rightly_is_kept(out: Path) -> None:
    made = by_task(out)
    said = sorted(next(key for key in ("晨曦", "Vibrate", "声音") if key in instruction) for instruction in made)
    assert said == ["Vibrate", "声音", "晨曦"], list(made)
    for instruction, steps in made.items():
        assert [step.step for step in steps] == list(range(len(steps)))
        assert steps[-1].truth == [Action("terminate", status="success")]
        assert all(step.truth[0].box is not None for step in steps if step.truth[0].type == "click")
        assert all(step.step_instruction and step.prediction is not None for step in steps[:-1])
        assert all((out / step.image).is_file() and "state_changes" in step.tags for step in steps)
        assert {step.tags["outcome"] for step in steps} == {"claimed"}
        assert {step.tags["app"] for step in steps} == {"launcher", "settings"}
        assert {step.tags["language"] for step in steps} == {"zh" if "“" in instruction else "en"}
        assert {step.tags["policy"] for step in steps} == {"planned/plans.json"}
    graded = {instruction: {step.tags["grade"] for step in steps} for instruction, steps in made.items()}
    assert sorted(min(grades) for grades in graded.values()) == ["3", "4", "5"], "steps that were in vain"
    assert saccade("data", "check", str(out)).returncode == 0


def test_the_manifest_counts_what_was_played_and_why_it_was_dropped(out: Path) -> None:
    stages = stages_of(out)
    played, finished = stages["keep_finished"].facts["played"], stages["keep_finished"].facts["finished"]
    assert (stages["play_tasks"].taken, stages["play_tasks"].made, played) == (played,) * 3
    unfinished = stages["keep_finished"].dropped["the policy gave the task up"]
    assert played == finished + unfinished.count and unfinished.count >= 2, "the branches to the form"
    low = stages["reverse_grade"].dropped["its grade is too low for completion"]
    assert low.count == finished - 3 == 5
    assert all("what the task asks for did not happen" in each.detail for each in low.examples)
    manifest = msgspec.json.decode((out / "manifest.json").read_bytes(), type=Manifest)
    assert manifest.policy.startswith("planned/") and manifest.episodes == 3


def test_without_a_policy_the_start_changes_nothing(tmp_path: Path) -> None:
    for name, start in (("with", START), ("without", None)):
        walk = walk_from(tmp_path / name / "walk", start)
        assert saccade("data", "reverse", walk, "--out", tmp_path / name / "out").returncode == 0
    assert (tmp_path / "with/out/steps.jsonl").read_bytes() == (tmp_path / "without/out/steps.jsonl").read_bytes()


def test_tries_that_come_to_no_end(tmp_path: Path) -> None:
    walk = walk_from(tmp_path / "walk", START)
    endless = plans_of(tmp_path, {"": [SETTINGS, SOUND, VIBRATE, VIBRATE, VIBRATE, VIBRATE]})
    done = saccade(*play(walk, tmp_path / "out", endless, "--set", "play_tasks.max_steps=3", "--max-items", "1"))
    assert done.returncode == 0, done.stderr
    report = stages_of(tmp_path / "out")["keep_finished"]
    assert report.dropped["the policy did not say that the task is done"].count == report.facts["played"] > 0
    assert steps_of(tmp_path / "out") == []
    empty = Record(id="a", fields={"outcome": "limit", "instruction": "Open it"})
    stage = KeepFinished(KeepFinished.kind())
    assert [each.reason for each in stage.do(iter([empty]), Tools(tmp_path)) if isinstance(each, Dropped)] == [
        "the policy did nothing"
    ]


def test_all_tries_begin_where_the_walk_began(tmp_path: Path) -> None:
    """With another seed, vibration would be on already, and be switched off."""
    walk, policy = walk_from(tmp_path / "walk", START), plans_of(tmp_path, PLANS)
    done = saccade(*play(walk, tmp_path / "out", policy, "--set", "play_tasks.tries=2", "--max-items", "1"))
    assert done.returncode == 0, done.stderr
    tries = {step.episode for step in steps_of(tmp_path / "out") if "'Vibrate'" in step.instruction}
    assert sorted(each.rpartition("-")[2] for each in tries) == ["try0", "try1"]


def test_a_chat_model_writes_and_grades_what_the_policy_plays(tmp_path: Path) -> None:
    """It is told each step in words, and its grade decides."""

    def answer(handler: Handler) -> None:
        said = json.dumps(handler.body["messages"])
        found: Any = {"instruction": "Please open the page of sounds."}
        if "Write the task that was done" in said:
            found = {"instruction": "Please make the phone vibrate.", "reason": ""}
        if "Grade what was done" in said:
            played = "tapped" in said
            found = {"completion": 4 if played else 5, "coherence": 5, "reason": "So it seems."}
        whole(json.dumps(found))(handler)

    walk, policy = walk_from(tmp_path / "walk", START), plans_of(tmp_path, {"vibrate": PLANS["'Vibrate' 'Sound'"]})
    with serving(answer) as server:
        model = ("--model", "openai/tester", "--base-url", server.url, "--max-items", "1")
        done = saccade(*play(walk, tmp_path / "out", policy, *model, "--set", "reverse_branches.most=0"))
    assert done.returncode == 0, done.stderr
    steps = steps_of(tmp_path / "out")
    assert {step.instruction for step in steps} == {"Please make the phone vibrate."}
    assert {step.tags["grade"] for step in steps} == {"4"}, "that of what was played, not of the walk's chain"


@pytest.mark.slow
def test_kills_change_nothing(tmp_path: Path) -> None:
    walk, policy = walk_from(tmp_path / "walk", START), plans_of(tmp_path, PLANS)
    assert saccade(*play(walk, tmp_path / "whole", policy)).returncode == 0
    killed = play(walk, tmp_path / "killed", policy)
    log = tmp_path / "killed" / "stages" / "11-play-tasks" / "done.jsonl"
    for wanted in (1, 4):
        child = begin_fork(lambda: saccade(*killed))
        kill_fork(child, lambda: log.is_file() and log.read_bytes().count(b"\n") >= wanted)  # noqa: B023
    assert saccade(*killed).returncode == 0
    for name in ("steps.jsonl", "manifest.json", "README.md"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name


# -- grades ------------------------------------------------------------------------------------------------------------


def test_the_walks_own_changes_are_what_is_asked_for() -> None:
    vibrate, tone = ("apps.s.vibrate", False, True), ("apps.s.tone", "Noon", "Dawn")
    ringer, opened = ("apps.s.ringer", False, True), ("front.screen", "list", "sound")
    filled, gone = ("front.form.page", None, 0), ("front.args.row", "a", None)
    assert wanted_changes("Turn on 'Vibrate'.", "en", [vibrate, opened]) == [vibrate]
    assert wanted_changes("Open 'Sound'.", "en", [opened, filled, gone]) == [opened]
    assert wanted_changes("I would like some quiet.", "en", [vibrate]) == []
    assert wanted_truth([vibrate], [vibrate]).holds
    assert not wanted_truth([vibrate], [ringer]).holds, "a switch of the same form that is called otherwise"
    assert not wanted_truth([vibrate], [("apps.s.vibrate", True, False)]).holds
    both = wanted_truth([vibrate, tone], [vibrate, ringer])
    assert (both.claims, both.false, both.beside) == (2, 1, 1)


def test_new_entries_are_compared_whatever_their_ids() -> None:
    def alarm(id: str, time: str) -> list[Step]:
        made = [[f"apps.clock.alarms.{id}", None, {"time": time, "on": True}]]
        off = [[f"apps.clock.alarms.{id}.on", True, False], ["apps.clock.tab", 0, 1]]
        return [Step(screen=Size(1, 1), tags={"state_changes": json.dumps(each)}) for each in (made, off, [])]

    walked = comparable_changes(alarm("a9", "7:30")) or []
    assert len(walked) == 3
    assert wanted_truth(walked, comparable_changes(alarm("a7", "7:30")) or []).holds
    assert wanted_truth(walked, comparable_changes(alarm("a9", "8:30")) or []).false == 1
    assert comparable_changes([Step(screen=Size(1, 1)), *alarm("a7", "7:30")]) is None, "of one nobody knows"
    cut = alarm("a7", "7:30")
    cut[0].tags = {**cut[0].tags, "state_changes_left_out": "2"}
    assert comparable_changes(cut) is None


def test_steps_that_led_away_and_back() -> None:
    def steps(*done: tuple[str, list[Any]]) -> tuple[Step, ...]:
        made = []
        for type, changes in done:
            action = Action("swipe", direction="up") if type == "swipe" else Action("click", Point(1, 1))
            tags = {"state_changes": json.dumps(changes)}
            made.append(Step(screen=Size(2, 2), prediction=action, tags=tags))
        return (*made, Step(screen=Size(2, 2)))

    there, back, on = (["front.screen", "a", "b"]), (["front.screen", "b", "a"]), (["apps.x", 0, 1])
    assert detours(steps(("click", [there]), ("click", [on]))) == []
    assert detours(steps(("click", [there]), ("swipe", []), ("click", [back]), ("click", [on]))) == [0, 1, 2]
    assert detours(steps(("swipe", []), ("click", [there]), ("swipe", []))) == [], "scrolls may be needed"
    assert detours(steps(("click", []), ("click", [on]))) == [0], "it did nothing"
    assert detours(steps(("click", [there]), ("click", [on]), ("click", [back]))) == [], "something was done there"


# -- where a file of records may lead ----------------------------------------------------------------------------------


def started(start: dict[str, Any] | str, worlds: tuple[str, ...] = (), **options: Any) -> list[Record | Dropped]:
    told = start if isinstance(start, str) else json.dumps(start)
    record = Record(id="w", steps=[Step(id="w-00", screen=Size(1, 1), tags={"start": told, "world": "phone"})])
    stage = EpisodeStarts(EpisodeStartsSettings(worlds=list(worlds), options=options))
    return list(stage.do(iter([record]), Tools(Path())))


@pytest.mark.parametrize(
    "world",
    [
        *("https://example.org/", "file:///etc/passwd", "data:text/html,x", "android:emulator-5554", "replay:/etc"),
        *("desktop/xterm", "desktop/:0", "browser/x", "nothing/1", "", "../phone", "PHONE/clock.add_alarm"),
    ],
)
def test_a_world_that_is_no_sandbox_must_be_named(world: str) -> None:
    start = {"world": world, "seed": 1}
    with pytest.raises(InputError, match="is not opened because a file says so: name it just so"):
        started(start)
    with pytest.raises(InputError, match="is not opened because a file says so"):
        started(start, ("https://example.org/other", "phone"))
    named = started(start, (world,))[0]
    assert isinstance(named, Record) and named.fields["task"]["world"] == world and named.fields["written"]


def test_options_that_a_file_may_not_set_must_be_given() -> None:
    assert record_options("miniwob/click-test") == frozenset()
    assert record_options("phone/clock.add_alarm") is not None and record_options("desktop/mousepad") is None
    phone = {"world": "phone/clock.add_alarm", "seed": 3, "options": {"scale": 1, "language": "zh"}}
    taken = started(phone)[0]
    assert isinstance(taken, Record)
    assert taken.fields["task"] == {
        "id": "w",
        "world": "phone/clock.add_alarm",
        "seed": 3,
        "options": {"scale": 1, "language": "zh"},
        "tags": {"world": "phone"},
    }
    wordings = {**phone, "options": {"wordings": "/etc/passwd"}}
    with pytest.raises(InputError, match="'wordings' = '/etc/passwd', which a file may not set"):
        started(wordings)
    with pytest.raises(InputError, match="may not set"):
        started(wordings, wordings="/home/other")
    assert isinstance(started(wordings, wordings="/etc/passwd")[0], Record)
    with pytest.raises(InputError, match="'width' = 100000"):
        started({"world": "miniwob/click-test", "seed": 0, "options": {"width": 100_000}})


@pytest.mark.parametrize(
    ("tag", "problem"),
    [
        ("phone/clock.add_alarm", "is not JSON"),
        ("[" * 5000, "start"),
        ('"phone"', "not as a walk writes it"),
        ('{"world":"phone"}', "seed"),
        ('{"world":"phone","seed":"1"}', "seed"),
        ('{"world":["phone"],"seed":1}', "world"),
        ('{"world":"phone","seed":1,"options":{"scale":[1]}}', "options"),
        ('{"world":"phone","seed":1,"call":"x"}', "call"),
        ('{"world":"phone","seed":1e400}', "start"),
    ],
)
def test_a_damaged_start_is_told(tag: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        started(tag)


def test_what_a_walk_writes_is_read_back_without_its_secrets() -> None:
    task = Task("t", "https://me:letmein@example.org/", 1, {"token": "abcdefgh", "device": "phone"})
    tags = start_tags(task, 5)
    assert "letmein" not in str(tags) and "abcdefgh" not in str(tags)
    start = start_of(Record(id="w", steps=[Step(id="w-00", screen=Size(1, 1), tags=tags)]))
    assert isinstance(start, EpisodeStart)
    with pytest.raises(InputError, match="leave keys and passwords out"):
        EpisodeStarts(EpisodeStartsSettings(options={"token": "abcdefgh"})).check("mini")
    with pytest.raises(InputError, match="leave keys and passwords out"):
        EpisodeStarts(EpisodeStartsSettings(worlds=["https://me:letmein@example.org/"])).check("mini")
    plain = replace(task, world="https://example.org/", options={"device": "phone"})
    start = start_of(Record(id="w", steps=[Step(id="w-00", screen=Size(1, 1), tags=start_tags(plain, 5))]))
    assert start is not None
    assert playable_task("t", start, [plain.world], plain.options) == replace(plain, seed=5)


def test_no_world_is_opened_that_the_user_did_not_name(tmp_path: Path) -> None:
    handmade_world.OPENED.clear()
    walk = walk_from(tmp_path / "walk", {"world": "unmarked/x", "seed": 1})
    policy = plans_of(tmp_path, PLANS)
    refused = saccade(*play(walk, tmp_path / "a", policy))
    assert refused.returncode == 2 and "began in 'unmarked/x', which is not opened" in refused.stderr, refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1
    coloured = walk_from(tmp_path / "coloured", {"world": "handmade/1", "seed": 1, "options": {"colour": "red"}})
    refused = saccade(*play(coloured, tmp_path / "b", policy))
    assert refused.returncode == 2 and "with 'colour' = 'red', which a file may not set" in refused.stderr, (
        refused.stderr
    )
    english = ("--max-items", "1", "--option", "language=en")
    named = saccade(*play(walk, tmp_path / "c", policy, "--world", "unmarked/x", *english))
    assert named.returncode == 0, named.stderr
    assert stages_of(tmp_path / "c")["keep_finished"].facts["finished"] == 4


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--policy", "oracle"), "--policy oracle only plays tasks of the world's own, not written ones: name a model"),
        (("--policy", "noisy"), "--policy noisy only plays"),
        (("--policy", "nobody"), "there is no model 'nobody'"),
        (("--policy", "mini", "--config", "reverse"), "has no stage episode_starts and no stage play_tasks"),
        (("--config", "reverse-play"), "nobody plays the written tasks"),
        (("--world", "phone"), "name the --policy too"),
    ],
)
def test_what_cannot_work_is_told_before_anything_is_done(options: tuple[str, ...], said: str, tmp_path: Path) -> None:
    walk = walk_from(tmp_path / "walk", START)
    done = saccade("--plugin", PLUGIN, "data", "reverse", str(walk), "--out", str(tmp_path / "out"), *options)
    assert done.returncode == 2 and said in done.stderr, done.stderr
    assert not list((tmp_path / "out").glob("stages/*"))


def test_a_walk_that_does_not_say_where_it_began(tmp_path: Path) -> None:
    walk = walk_from(tmp_path / "walk", None)
    done = saccade(*play(walk, tmp_path / "out", plans_of(tmp_path, PLANS)))
    assert done.returncode == 2 and "walk again" in done.stderr, done.stderr


def test_what_a_stranger_wrote_is_told_in_one_line() -> None:
    with pytest.raises(InputError) as told:
        started({"world": "\x1b[2J\nsaccade: all is well\n" + "x" * 5000, "seed": 1})
    assert "\n" not in str(told.value) and "\x1b" not in str(told.value) and len(str(told.value)) < 400
