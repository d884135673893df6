"""The navigation flywheel: rules for answers, filters at their thresholds, whole runs in a small world."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from command import saccade
from fake_openai import Handler, serving, whole

from forks import begin_fork, kill_fork
from saccade.actions import Action
from saccade.data.synthesis.manifest import Manifest
from saccade.data.synthesis.navigation_plan import read_plan
from saccade.data.synthesis.records import Dropped, Record, read_records
from saccade.data.synthesis.roles.base import Role
from saccade.data.synthesis.roles.context_annotator import ContextAnnotator, StepInContext
from saccade.data.synthesis.roles.instruction_judge import InstructionJudge
from saccade.data.synthesis.roles.instruction_writer import InstructionWriter, WantedInstructions
from saccade.data.synthesis.roles.paraphraser import Paraphraser, WantedWordings, fixed_parts
from saccade.data.synthesis.stage import Tools
from saccade.data.synthesis.stages.completion import ListLowCompletion, LowCompletionSettings
from saccade.data.synthesis.stages.cut_at_first_error import CutAtFirstError, FirstErrorSettings
from saccade.data.synthesis.stages.write_instructions import DistinctInstructions, DistinctSettings
from saccade.errors import InputError
from saccade.geometry import Box, Point, Size
from saccade.paradigms import get_paradigm
from saccade.paradigms.base import Reply
from saccade.types import Element, Screen, Step

PLUGIN = Path(__file__).parents[3] / "examples" / "plugins" / "counter_world.py"
PLUS = Box(200, 400, 320, 500)
RIGHT, WRONG = Action("click", PLUS.center, PLUS), Action("click", Point(5, 5))

# -- answers -----------------------------------------------------------------------------------------------------------

EN, ZH = WantedInstructions("clock", "alarms", 2, 1, "en"), WantedInstructions("闹钟", "闹钟", 2, 1, "zh")
SAID, GESAGT = WantedWordings("Wake me at 7:30, call it 'Gym'", 2, "en"), WantedWordings("把“会议”改到 9 点", 2, "zh")
WRITTEN = Record(id="a", steps=[Step(instruction="Set an alarm for 7:30", screen=Size(1, 1))])
STEP = Step(instruction="Set the counter to 2", screen=Size(360, 640), truth=[RIGHT])
FIRST, LATER = StepInContext(STEP, "", (), "en"), StepInContext(STEP, "", ("clicked +",), "en")
IN_CHINESE = StepInContext(STEP, "", ("点击“+”",), "zh")
GOLDEN: list[tuple[Role[Any, Any], Any, Any, str]] = [
    (InstructionWriter(), EN, {"instructions": ["Set an alarm for 7:30"]}, ""),
    (InstructionWriter(), EN, {"instructions": ["Set an alarm for 7:30 named 起床"]}, ""),
    (InstructionWriter(), ZH, {"instructions": ["设一个七点的闹钟"]}, ""),
    (InstructionWriter(), ZH, {"instructions": ["Set an alarm for 7:30"]}, "not in the language"),
    (InstructionWriter(), EN, {"instructions": ["设一个七点的闹钟，每天响"]}, "too short|not in the language"),
    (InstructionWriter(), EN, {"instructions": ["Wake me"]}, "too short"),
    (InstructionWriter(), EN, {"instructions": ["Wake me at 7"]}, ""),
    (InstructionWriter(), EN, {"instructions": ["Set an alarm for [time]"]}, r"'\[time\]' in place of a value"),
    (InstructionWriter(), EN, {"instructions": ["Send something to XX"]}, "in place of a value"),
    (InstructionWriter(), EN, {"instructions": []}, "write 1 to 2"),
    (InstructionWriter(), EN, {"instructions": [f"Set an alarm for {at}:30" for at in (6, 7, 8)]}, "write 1 to 2"),
    (InstructionWriter(), EN, {"instructions": ["Set an alarm", "Set  an alarm"]}, "are the same"),
    (InstructionWriter(), EN, {"instructions": ["Set an alarm"], "note": ""}, "not as asked for"),
    (Paraphraser(), SAID, {"wordings": ["I want to wake up at 7:30, with the label Gym"]}, ""),
    (Paraphraser(), SAID, {"wordings": ["I want to wake up at 7:30"]}, "lost 'Gym'"),
    (Paraphraser(), SAID, {"wordings": ["Gym: get me up at half past 7"]}, "lost '7:30'"),
    (Paraphraser(), SAID, {"wordings": [SAID.instruction]}, "repeats"),
    (Paraphraser(), GESAGT, {"wordings": ["会议请挪到 9 点"]}, ""),
    (Paraphraser(), GESAGT, {"wordings": ["请把会议挪到九点"]}, "lost '9'"),
    (InstructionJudge(), WRITTEN, {"feasible": True, "clear": True, "realistic": True}, ""),
    (InstructionJudge(), WRITTEN, {"feasible": True, "clear": False, "realistic": True}, "no reason"),
    (InstructionJudge(), WRITTEN, {"feasible": True, "clear": "yes", "realistic": True}, "not as asked for"),
    (ContextAnnotator(), FIRST, {"context": "", "thought": "The number must grow."}, ""),
    (ContextAnnotator(), FIRST, {"context": "Pressed plus.", "thought": "The number must grow."}, "the first step"),
    (ContextAnnotator(), LATER, {"context": "Pressed plus once.", "thought": "One is missing."}, ""),
    (ContextAnnotator(), LATER, {"context": "", "thought": "One is missing."}, "context is empty"),
    (ContextAnnotator(), LATER, {"context": "Pressed plus.", "thought": " "}, "thought is empty"),
    (ContextAnnotator(), LATER, {"context": "Pressed (260, 450).", "thought": "One is missing."}, "coordinates"),
    (ContextAnnotator(), LATER, {"context": "Pressed plus.", "thought": "x" * 1001}, "thought 1000"),
    (ContextAnnotator(), IN_CHINESE, {"context": "Pressed plus.", "thought": "还差一。"}, "context is not in the lang"),
    (ContextAnnotator(), IN_CHINESE, {"context": "已点击“+”。", "thought": "还差一。"}, ""),
]


def test_answers_are_read_strictly() -> None:
    for role, subject, answer, problem in GOLDEN:
        text = json.dumps(answer, ensure_ascii=False)
        if not problem:
            assert role.read(f"```json\n{text}\n```", subject), text
            continue
        with pytest.raises(ValueError, match=problem):
            role.read(text, subject)
    assert fixed_parts("“会议” at 9:30 for 2 people") == ["会议", "9:30", "2"]


# -- filters -----------------------------------------------------------------------------------------------------------


def test_instructions_are_six_edits_apart(tmp_path: Path) -> None:
    texts = ["Set an alarm for 07:00", "Set an alarm for 18:45!", "Set an alarm for 18:45!?.", ""]
    given = [Record(id=str(at), fields={"instruction": text}) for at, text in enumerate(texts)]
    stage = DistinctInstructions(DistinctSettings())
    near = list(stage.do(iter(given), Tools(tmp_path)))  # 5 edits, then 7 from the first: the second is gone
    assert [isinstance(each, Dropped) for each in near] == [False, True, False, False]
    most = list(DistinctInstructions(DistinctSettings(least_edits=0, most=2)).do(iter(given), Tools(tmp_path)))
    assert [isinstance(each, Dropped) for each in most] == [False, False, True, True]


def test_instructions_that_are_seldom_completed_are_listed(tmp_path: Path) -> None:
    ends = {"seldom": "100", "often": "10100", "never": "0"}  # 33 %, 40 %, 0 %; low is 34 %
    given = [
        Record(
            id=f"{name}-{at}",
            fields={"instruction_id": name, "instruction": name, "outcome": "x", "success": end == "1", "task": {}},
        )
        for name, tries in ends.items()
        for at, end in enumerate(tries)
    ]
    stage = ListLowCompletion(LowCompletionSettings())
    assert list(stage.do(iter(given), Tools(tmp_path))) == given
    listed = [json.loads(line) for line in (tmp_path / "low_completion.jsonl").read_text().splitlines()]
    assert [(each["id"], each["tries"], each["completed"]) for each in listed] == [("seldom", 3, 1), ("never", 1, 0)]
    assert stage.facts["tries"] == 9 and stage.facts["completed tries"] == 3


def test_a_try_ends_at_its_first_error(tmp_path: Path) -> None:
    def tried(*done: Action | None, truth: bool = True, **fields: Any) -> Record:
        elements = [Element(1, PLUS, "button", "+")]
        steps = [
            Step(id=f"{at}", screen=Size(360, 640), prediction=each, truth=[RIGHT] if truth else [], elements=elements)
            for at, each in enumerate(done)
        ]
        return Record(id="a", steps=steps, fields=fields)

    stage, tools = CutAtFirstError(FirstErrorSettings()), Tools(tmp_path)
    beside = Action("click", Point(201, 401))
    whole_one = stage.do(tried(RIGHT, beside), tools)
    assert len(whole_one.records[0].steps) == 2 and not whole_one.dropped
    cut = stage.do(tried(RIGHT, WRONG, RIGHT, RIGHT), tools)
    assert [step.id for step in cut.records[0].steps] == ["0", "1"] and [each.id for each in cut.dropped] == ["2", "3"]
    assert cut.records[0].steps[1].truth == [RIGHT] and cut.records[0].steps[1].tags["mended"] == "yes"
    assert len(stage.do(tried(RIGHT, None, RIGHT), tools).records[0].steps) == 2, "an unreadable answer is an error"
    untaught = stage.do(tried(beside, truth=False, success=True), tools)
    assert untaught.records[0].step.truth == [msgspec.structs.replace(beside, box=PLUS)]
    assert stage.do(tried(beside, truth=False, success=False), tools).dropped[0].reason.startswith("it failed")
    assert stage.do(Record(id="a"), tools).dropped[0].reason == "no step was taken"
    reviewed = tried(RIGHT, WRONG)
    for step in reviewed.steps:
        step.tags = {"reviewed": "yes"}
    assert stage.do(reviewed, tools).records == [reviewed]


# -- plans -------------------------------------------------------------------------------------------------------------


def test_a_plan_is_checked(tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    for text, problem in {
        "tasks: 3": "needs `world`",
        "world: counter": "nothing is to be made",
        "{world: counter, tasks: 3, tries: 0}": "at least 1",
        "{apps: {a: b}, instructions: 2}": "needs `starts`",
        "{world: counter, task: 3}": "unknown field",
        "{world: [": "not YAML",
    }.items():
        plan.write_text(text)
        with pytest.raises(InputError, match=problem):
            read_plan(str(plan))
    with pytest.raises(InputError, match="one of phone"):
        read_plan("fone")
    assert read_plan("phone").options == {"split": "train"}
    assert not {"music", "travel"} & set(read_plan("phone").apps), "apps that are kept for tests"


# -- whole runs --------------------------------------------------------------------------------------------------------


def plan_of(folder: Path, **told: Any) -> Path:
    file = folder / "plan.yaml"
    file.write_text(json.dumps({"world": "counter", "tasks": 5, **told}))
    return file


def navigate(plan: Path, out: Path, *more: str) -> list[str]:
    return ["--plugin", str(PLUGIN), "data", "navigate", str(plan), "--out", str(out), "--workers", "1", *more]


def steps_of(out: Path) -> list[Step]:
    return msgspec.json.Decoder(Step).decode_lines((out / "steps.jsonl").read_bytes())


def manifest(out: Path) -> Manifest:
    return msgspec.json.decode((out / "manifest.json").read_bytes(), type=Manifest)


def test_a_player_beside_the_teacher(tmp_path: Path) -> None:
    """Two tries of each task by a player that errs: cut at the first error, annotated by the teacher."""
    done = saccade(*navigate(plan_of(tmp_path, tasks=3, tries=2), tmp_path / "a", "--policy", "noisy"))
    assert done.returncode == 0, done.stderr
    found, steps = manifest(tmp_path / "a"), steps_of(tmp_path / "a")
    assert found.episodes == 6 and found.policy == "noisy" and found.stages[7].facts == {}
    assert all(step.truth and step.thought and step.image for step in steps)
    mended = [step for step in steps if step.tags.get("mended")]
    assert mended and all(step.tags["right"] == "no" for step in mended)
    for step, after in pairwise(steps):
        assert after.episode != step.episode or (not step.tags.get("mended") and after.context == step.summary)
    assert saccade("data", "check", str(tmp_path / "a")).returncode == 0
    other = saccade(*navigate(plan_of(tmp_path, tasks=3, tries=2), tmp_path / "b", "--policy", "noisy", "--seed", "1"))
    assert other.returncode == 0 and steps_of(tmp_path / "b") != steps
    nobody = saccade(*navigate(plan_of(tmp_path), tmp_path / "c", "--policy", "nobody"))
    assert nobody.returncode == 2 and "nobody" in nobody.stderr


def answer_roles(handler: Handler) -> None:
    """A chat model that writes, judges, rewords, plays and annotates."""
    content = handler.body["messages"][-1]["content"]
    told = content if isinstance(content, str) else " ".join(part.get("text", "") for part in content)
    ending = get_paradigm("secagent").render(
        Reply(Action("terminate", status="success"), think="Done."), Screen(Size(360, 640))
    )
    answers = {
        "can do. It is a desc": {
            "instructions": ["Set the number to 5", "Make the number 2 smaller", "Sing me a song"]
        },
        "three questions": {"feasible": "song" not in told, "clear": True, "realistic": True, "reason": "no song"},
        "other ways": {"wordings": [("5 is what I want to see" if "to 5" in told else "I want it 2 smaller than now")]},
        "Was the whole task": {"done": "smaller than" not in told, "reason": "so it seems"},
        "Write two texts": {"context": "", "thought": "Nothing is left to do."},
    }
    found = next((json.dumps(answer) for key, answer in answers.items() if key in told), ending)
    whole(found)(handler)


def test_a_model_in_every_role(tmp_path: Path) -> None:
    """Instructions are written, judged and reworded; the policy plays them; a judge says which tries succeeded."""
    starts = {"en": {"world": "counter/0", "options": {"start": 0}}}
    plan = plan_of(tmp_path, tasks=0, apps={"counter": "Two buttons"}, instructions=3, wordings=1, starts=starts)
    with serving(answer_roles) as server:
        model = ("--model", "openai/tester", "--base-url", server.url)
        done = saccade(*navigate(plan, tmp_path / "a", *model, "--policy", "openai/policy", "--policy-url", server.url))
        assert done.returncode == 0, done.stderr
    found = manifest(tmp_path / "a")
    stages = {report.stage: report for report in found.stages}
    assert stages["judge_instructions"].dropped["it is not feasible"].count == 1
    assert (stages["paraphrase_instructions"].made, stages["execute_tasks"].made) == (4, 4)
    assert stages["cut_at_first_error"].dropped["it failed, and nobody knows where"].count == 1
    said = {step.instruction for step in steps_of(tmp_path / "a")}
    assert said == {"Set the number to 5", "5 is what I want to see", "Make the number 2 smaller"}
    assert {step.thought for step in steps_of(tmp_path / "a")} == {"Nothing is left to do."}
    asked_roles = ["completion_judge", "context_annotator", "instruction_judge", "instruction_writer", "paraphraser"]
    assert sorted(found.roles) == asked_roles


@pytest.mark.slow
def test_kills_change_nothing(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, tasks=6)
    assert saccade(*navigate(plan, tmp_path / "whole", "--policy", "noisy")).returncode == 0
    killed = navigate(plan, tmp_path / "killed", "--policy", "noisy")
    log = tmp_path / "killed" / "stages" / "07-execute-tasks" / "done.jsonl"
    for engine, wanted in (("local", 1), ("inline", 3)):
        child = begin_fork(lambda: saccade(*killed, "--engine", engine))  # noqa: B023
        kill_fork(child, lambda: log.is_file() and log.read_bytes().count(b"\n") >= wanted)  # noqa: B023
    assert saccade(*killed).returncode == 0
    for name in ("steps.jsonl", "manifest.json", "low_completion.jsonl", "README.md"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    pictures = {file.name for file in (tmp_path / "whole" / "screens").rglob("*.png")}
    assert pictures == {file.name for file in (tmp_path / "killed" / "screens").rglob("*.png")}
    assert len(list(read_records(tmp_path / "killed" / "stages" / "07-execute-tasks" / "records.jsonl"))) == 6
