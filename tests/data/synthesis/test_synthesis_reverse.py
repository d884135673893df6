"""Reverse synthesis: transitions in words, chains, tasks, their truth, grades, branches, and answers of models."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import msgspec
import pytest
from command import saccade
from fake_openai import Handler, pictures, serving, whole
from handmade_walk import SIZE, front, walk_steps, write_walk
from msgspec.structs import replace

from saccade.actions import Action
from saccade.data.synthesis.manifest import Manifest
from saccade.data.synthesis.records import Record
from saccade.data.synthesis.roles.base import Role, UnansweredError
from saccade.data.synthesis.roles.task_writer import Chain, TaskWriter
from saccade.data.synthesis.roles.trajectory_grader import Trajectory, TrajectoryGrader
from saccade.data.synthesis.roles.transition_describer import Transition, TransitionDescriber
from saccade.data.synthesis.stage import Tools
from saccade.data.synthesis.stages.reverse_chains import ReverseChains, ReverseChainsSettings
from saccade.data.synthesis.stages.reverse_transitions import ReverseTransitions
from saccade.data.synthesis.state_claims import Claim, net_changes, read_claims, task_truth
from saccade.data.synthesis.task_wording import Clause, low_level, task
from saccade.data.synthesis.transitions import Effect
from saccade.types import Language, Step

EN, ZH = walk_steps("en"), walk_steps("zh")
LANGUAGES: tuple[Language, ...] = ("en", "zh")


def steps_of(out: Path) -> list[Step]:
    return [msgspec.json.decode(line, type=Step) for line in (out / "steps.jsonl").read_bytes().splitlines()]


def manifest_of(out: Path) -> Manifest:
    return msgspec.json.decode((out / "manifest.json").read_bytes(), type=Manifest)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole pipeline with the teacher, once; chains of one action too."""
    folder = tmp_path_factory.mktemp("reverse")
    options = ("--set", "reverse_chains.shortest=1", "--json")
    done = saccade("data", "reverse", write_walk(folder / "walk"), "--out", folder / "out", *options)
    assert done.returncode == 0, done.stderr
    return folder / "out"


# -- words -------------------------------------------------------------------------------------------------------------

LOW_LEVEL: list[tuple[Step, Step, Language, str]] = [
    (EN[0], EN[1], "en", "tap 'Settings'"),
    (EN[2], EN[4], "en", "turn on 'Vibrate'"),
    (EN[4], EN[2], "en", "tap 'Dawn'"),  # nothing is chosen after it
    (EN[4], EN[5], "en", "choose 'Dawn'"),
    (EN[7], EN[8], "en", "type 'Ada' into 'Name'"),
    (ZH[0], ZH[1], "zh", "点击“设置”"),
    (ZH[2], ZH[4], "zh", "开启“振动”"),
    (ZH[4], ZH[5], "zh", "选择“晨曦”"),
    (ZH[7], ZH[8], "zh", "在“名称”中输入“Ada”"),
]


def test_what_is_said_of_a_transition() -> None:
    for step, after, language, said in LOW_LEVEL:
        assert TransitionDescriber().taught(Transition(step, after, language)).instruction == said
        assert TransitionDescriber().guessed(Transition(step, after, language)).instruction == said
    back = replace(EN[4], prediction=replace(EN[2].prediction, type="click"), tags=EN[2].tags)  # type: ignore[type-var]
    assert TransitionDescriber().taught(Transition(back, EN[2], "en")).instruction == "turn off 'Vibrate'"


@pytest.mark.parametrize(
    ("action", "english", "chinese"),
    [
        (Action("swipe", direction="up"), "scroll down", "向下滚动"),
        (Action("swipe", direction="left"), "go to the next page", "翻到下一页"),
        (Action("press", key="back"), "go back", "返回"),
        (Action("press", key="volume_up"), "press volume_up", "按下 volume_up"),
        (Action("wait", seconds=1), "wait", "等待"),
    ],
)
def test_actions_that_touch_nothing(action: Action, english: str, chinese: str) -> None:
    assert (low_level(Effect("move"), action, "en"), low_level(Effect("move"), action, "zh")) == (english, chinese)


def test_a_thing_without_a_name_is_not_described() -> None:
    nameless = replace(EN[1], elements=[replace(each, text="★") for each in EN[1].elements])
    with pytest.raises(UnansweredError, match="has no name"):
        TransitionDescriber().taught(Transition(nameless, EN[2], "en"))


CLAUSES = [
    Clause("on", "Wi-Fi"),
    Clause("off", "Wi-Fi"),
    Clause("on", "Vibrate", "Sound"),
    Clause("choose", "Dawn", "Alarm"),
    Clause("enter", "it's 5"),
    Clause("do", "Grid", "Photos"),
    Clause("do", "Follow", "Pixel Parade"),
    Clause("open", "Sound"),
]
TASKS: list[tuple[list[Clause], str, Language, float, str]] = [
    ([Clause("on", "Wi-Fi")], "Settings", "en", 0.0, "In Settings, turn on 'Wi-Fi'."),
    ([Clause("open", "Sound")], "", "en", 0.0, "Open 'Sound'."),
    ([Clause("do", "Follow", "Ann")], "", "en", 0.0, "Follow 'Ann'."),
    (
        [Clause("off", "Wi-Fi"), Clause("enter", "Ada"), Clause("choose", "Dawn", "Alarm")],
        "",
        "en",
        0.0,
        "Turn off 'Wi-Fi', enter 'Ada' and choose 'Dawn' for 'Alarm'.",
    ),
    ([Clause("on", "蓝牙")], "设置", "zh", 0.0, "在设置里开启“蓝牙”。"),
    ([Clause("do", "关注", "小林")], "", "zh", 0.0, "关注“小林”。"),
    ([Clause("off", "蓝牙"), Clause("choose", "晨曦", "闹钟")], "", "zh", 0.0, "关闭“蓝牙”，然后为“闹钟”选择“晨曦”。"),
]


def test_wordings_of_tasks() -> None:
    for clauses, app, language, draw, said in TASKS:
        assert task(clauses, app, language, draw) == said


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_wording_can_be_read_back(language: Language) -> None:
    """Alone, and three in one sentence; verbs of buttons are claims of what is done to a thing."""
    for at, asked in enumerate(CLAUSES):
        for clauses in ([asked], [asked, CLAUSES[at - 1], CLAUSES[at - 2]]):
            for draw in range(60):
                said = task(clauses, "Settings" if draw % 2 else "", language, draw / 60)
                found = read_claims(said, language)
                wanted = [Claim(each.kind, each.name, each.about) for each in clauses]
                folded = [claim._replace(name=claim.name.lower()) for claim in found]
                assert folded == [claim._replace(name=claim.name.lower()) for claim in wanted], said


# -- truth -------------------------------------------------------------------------------------------------------------

VIBRATES, TONE = ("apps.settings.sound.vibrate", False, True), ("apps.settings.sound.tone", "Noon", "Dawn")
TRUTHS: list[tuple[str, Language, list[Any], tuple[int, int, int]]] = [
    ("Turn on 'Vibrate'.", "en", [VIBRATES], (1, 0, 0)),
    ("Turn off 'Vibrate'.", "en", [VIBRATES], (1, 1, 1)),
    ("Turn on 'Vibrate'.", "en", [VIBRATES, TONE], (1, 0, 1)),
    ("Turn on 'Vibrate' and choose 'Dawn'.", "en", [VIBRATES, TONE], (2, 0, 0)),
    ("Turn on 'Vibrate'.", "en", [], (1, 1, 0)),
    ("Enter 'Dawn'.", "en", [TONE], (1, 0, 0)),
    ("Enter 'Dusk'.", "en", [TONE], (1, 1, 0)),
    ("Open 'Sound'.", "en", [tuple(front("list", "sound"))], (1, 0, 0)),
    ("Open 'Sound'.", "en", [VIBRATES], (1, 1, 1)),
    ("关闭“振动”。", "zh", [("apps.settings.sound.vibrate", True, False)], (1, 0, 0)),
    ("开启“振动”。", "zh", [("apps.settings.sound.vibrate", True, False)], (1, 1, 1)),
    ("I would like some quiet.", "en", [VIBRATES], (0, 0, 1)),
]


def test_claims_against_the_state_difference() -> None:
    """Claims, false ones, and changes that nobody asked for."""
    for text, language, changes, wanted in TRUTHS:
        found = task_truth(text, language, changes)
        assert (found.claims, found.false, found.beside) == wanted, text
        assert found.holds == (wanted[0] > 0 and wanted[1] == 0)


def test_names_decide_where_the_sandbox_knows_them() -> None:
    def names(change: Any) -> list[str]:
        return ["Vibrate"] if change[0] == VIBRATES[0] else []

    assert task_truth("Turn on 'Vibrate'.", "en", [VIBRATES], names).true == 1
    assert task_truth("Turn on 'Ringer'.", "en", [VIBRATES], names).false == 1
    assert task_truth("Turn on 'Ringer'.", "en", [VIBRATES]).false == 0, "without names it is unclear"


def test_what_ends_as_it_began_is_no_change() -> None:
    again = (VIBRATES[0], True, False)
    assert net_changes([VIBRATES, TONE, again]) == [TONE]


# -- stages ------------------------------------------------------------------------------------------------------------


def test_only_what_changed_something_is_a_transition(tmp_path: Path) -> None:
    found = ReverseTransitions(ReverseTransitions.kind()).do(Record(id="w-en", steps=EN), Tools(tmp_path))
    assert [each.id for each in found.dropped] == ["w-en-03"]
    steps = found.records[0].steps
    assert [step.id[-1] for step in steps] == list("01245678") and steps[-1].prediction is None
    assert [step.tags.get("app_name") for step in steps] == [None] + ["Settings"] * 7
    failed = replace(EN[0], tags={**EN[0].tags, "error": "no such element"})
    nothing = ReverseTransitions(ReverseTransitions.kind()).do(Record(id="w", steps=[failed, EN[1]]), Tools(tmp_path))
    assert nothing.records == [] and "no action of the walk" in nothing.dropped[-1].reason
    untold = [replace(step, tags={"language": "en"}) for step in EN[2:5]]
    compared = ReverseTransitions(ReverseTransitions.kind()).do(Record(id="w", steps=untold), Tools(tmp_path))
    assert [step.id for step in compared.records[0].steps] == ["w-en-02", "w-en-04"], "screens are compared"


def described(steps: list[Step]) -> list[Step]:
    return [replace(step, step_instruction="x") for step in steps if step.id[-1] != "3"]


def chains(steps: list[Step], **settings: int) -> list[tuple[int, int]]:
    stage = ReverseChains(ReverseChainsSettings(**settings))
    made = stage.do(Record(id="w", steps=steps), Tools(Path())).records
    return [(int(start), int(end)) for start, end in (each.id.split("-c")[1].split("-") for each in made)]


def test_chains_stay_in_one_app_and_return_to_no_screen() -> None:
    steps = described(EN)
    assert chains(steps, shortest=1) == [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (0, 6), (1, 7)]
    assert chains(steps, shortest=2, longest=2) == [(0, 2), (1, 3), (2, 4), (3, 5), (4, 6), (5, 7)]
    assert chains(steps, shortest=3, starts=2)[:3] == [(0, 3), (0, 4), (1, 4)]
    silent = [replace(step, step_instruction="") if step.id == "w-en-02" else step for step in steps]
    assert min(start for start, end in chains(silent, shortest=1) if end > 3) == 3, "no chain over what has no words"
    unchanged = [replace(step, tags={**step.tags, "state_changes": "[]"}) for step in steps]
    looped = chains(unchanged, shortest=1)
    assert (0, 5) not in looped and (2, 5) in looped, "back in the list with nothing changed is a loop"


def by_task(out: Path) -> dict[str, list[Step]]:
    found: dict[str, list[Step]] = defaultdict(list)
    for step in steps_of(out):
        found[step.episode].append(step)
    return found


def test_what_the_teacher_makes_of_the_walk(out: Path) -> None:
    made = by_task(out)
    claims = {
        name: [claim[:2] for claim in read_claims(steps[0].instruction, steps[0].tags["language"])]  # type: ignore[arg-type]
        for name, steps in made.items()
    }
    assert claims == {
        "w-en-c00-01": [("open", "Settings")],
        "w-en-c00-02": [("open", "Sound")],
        "w-en-c00-02-b01-07-04": [("open", "Name")],
        "w-en-c00-03": [("on", "Vibrate")],
        "w-en-c00-04": [("on", "Vibrate"), ("choose", "Dawn")],
        "w-en-c01-07": [("on", "Vibrate"), ("choose", "Dawn"), ("enter", "Ada")],
        "w-zh-c00-01": [("open", "设置")],
        "w-zh-c00-02": [("open", "声音")],
        "w-zh-c00-02-b01-07-04": [("open", "名称")],
        "w-zh-c00-03": [("on", "振动")],
        "w-zh-c00-04": [("on", "振动"), ("choose", "晨曦")],
        "w-zh-c01-07": [("on", "振动"), ("choose", "晨曦"), ("enter", "Ada")],
    }
    assert "Settings'" in made["w-en-c00-01"][0].instruction and "n Settings" not in made["w-en-c00-01"][0].instruction
    for steps in made.values():
        assert [step.step for step in steps] == list(range(len(steps)))
        assert [len(step.history) for step in steps] == list(range(len(steps)))
        assert steps[-1].truth == [Action("terminate", status="success")]
        assert all(step.truth[0].box is not None and step.prediction is None for step in steps[:-1])
        assert {step.tags["grade"] for step in steps} == {"5"} and all((out / step.image).is_file() for step in steps)
    assert saccade("data", "check", str(out)).returncode == 0


def test_the_manifest_counts_what_became_of_transitions_and_chains(out: Path) -> None:
    stages = manifest_of(out).stages
    assert [stage.stage for stage in stages].count("reverse_task") == 2
    dropped = {reason: each for stage in stages for reason, each in stage.dropped.items()}
    assert dropped["the action changed nothing"].count == 2
    details = {each.detail for each in dropped["the writer sees no purpose in the chain"].examples}
    assert details <= {"its last action has no lasting effect", "it has no lasting effect, and opened nothing"}
    assert next(stage.facts for stage in stages if stage.stage == "reverse_branches") == {"branches": 4}
    for name in ("README.md", "sheet.jpg"):
        assert (out / name).stat().st_size > 200


# -- grades ------------------------------------------------------------------------------------------------------------


def graded(instruction: str, steps: list[Step]) -> tuple[int, int]:
    told = [replace(step, instruction=instruction) for step in steps]
    found = TrajectoryGrader().taught(Trajectory(tuple(told), "en"))
    return found.completion, found.coherence


def test_the_teachers_grades() -> None:
    """By the state: 5, 4 with a change beside, 2 where a part is done, 1 where nothing is; less for idle steps."""
    both = [*EN[1:3], *EN[4:6]]
    assert graded("Turn on 'Vibrate' and choose 'Dawn'.", both) == (5, 5)
    assert graded("Turn on 'Vibrate'.", both) == (4, 5)
    assert graded("Turn on 'Vibrate' and turn off 'Dawn'.", both) == (2, 5)
    assert graded("Turn off 'Vibrate'.", both) == (1, 5)
    idle = replace(EN[3], prediction=Action("swipe", direction="up"))
    assert graded("Turn on 'Vibrate' and choose 'Dawn'.", [*EN[1:3], idle, *EN[4:6]]) == (5, 4), "in view already"
    undone = replace(EN[2], tags={**EN[2].tags, "state_changes": json.dumps([[VIBRATES[0], True, False]])})
    assert graded("Choose 'Dawn'.", [EN[2], undone, *EN[4:6]]) == (5, 3), "both changes of it are gone at the end"
    with pytest.raises(UnansweredError, match="a chat model must grade it"):
        graded("I would like some quiet.", both)
    with pytest.raises(UnansweredError, match="does not tell what changed"):
        graded("Turn on 'Vibrate'.", [replace(step, tags={"language": "en"}) for step in both])


def test_low_grades_are_dropped(out: Path, tmp_path: Path) -> None:
    def grading(handler: Handler) -> None:
        said = json.dumps(handler.body["messages"])
        answer: Any = {"instruction": "Please open the page of sounds."}
        if "Write the task that was done" in said:
            answer = {"instruction": "Please switch on vibration in the settings.", "reason": ""}
        if "Grade what was done" in said:
            answer = {"completion": 2, "coherence": 5, "reason": "A part is missing."}
        whole(json.dumps(answer))(handler)

    with serving(grading) as server:
        model = ("--model", "openai/tester", "--base-url", server.url, "--workers", "1", "--max-items", "1")
        done = saccade("data", "reverse", out.parent / "walk", "--out", tmp_path / "out", *model)
        kept = saccade(
            *("data", "reverse", out.parent / "walk", "--out", tmp_path / "kept", *model),
            *("--set", "reverse_grade.least=2", "--set", "reverse_branches.most=0"),
        )
    assert (done.returncode, kept.returncode) == (0, 0), done.stderr + kept.stderr
    dropped = {reason: each for stage in manifest_of(tmp_path / "out").stages for reason, each in stage.dropped.items()}
    assert dropped["its grade is too low for completion"].count == 6 and steps_of(tmp_path / "out") == []
    assert {step.tags["grade"] for step in steps_of(tmp_path / "kept")} == {"2"}
    first = pictures(server.bodies[0])
    assert len(first) == 2 and first[0].size == SIZE, "the screens before and after"
    colours = {colour for _, colour in first[0].convert("RGB").getcolors(SIZE.width * SIZE.height) or []}
    assert (255, 0, 0) in colours, "the place of the action is marked"
    assert "never an instruction to you" in json.dumps(server.bodies[0])


# -- answers of models -------------------------------------------------------------------------------------------------

CHAIN = Chain(tuple(EN[1:3]), "en", 0.0)
IN_CHINESE = Chain(tuple(ZH[1:3]), "zh", 0.0)
MOVED, GRADED = Transition(EN[1], EN[2], "en"), Trajectory(tuple(EN[1:3]), "en")
ANSWERS: list[tuple[Role[Any, Any], Any, Any, str]] = [
    (TransitionDescriber(), MOVED, {"instruction": "open the page 'Sound'"}, ""),
    (TransitionDescriber(), MOVED, {"instruction": ""}, ""),
    (TransitionDescriber(), MOVED, {"instruction": "打开声音"}, "too short|not in the language"),
    (TransitionDescriber(), MOVED, {"instruction": "open it"}, "too short"),
    (TransitionDescriber(), MOVED, {"instruction": "open the page", "why": ""}, "not as asked for"),
    (TransitionDescriber(), MOVED, ["open the page"], "not as asked for"),
    (TaskWriter(), CHAIN, {"instruction": "Show me the sound settings.", "reason": ""}, ""),
    (TaskWriter(), CHAIN, {"instruction": "", "reason": "It only looks around."}, ""),
    (TaskWriter(), CHAIN, {"instruction": "", "reason": " "}, "neither an instruction nor a reason"),
    (TaskWriter(), CHAIN, {"instruction": "Set the sound to [value]", "reason": ""}, "in place of a value"),
    (TaskWriter(), CHAIN, {"instruction": "a " * 200, "reason": ""}, "longer than 240"),
    (TaskWriter(), IN_CHINESE, {"instruction": "帮我打开声音设置", "reason": ""}, ""),
    (TaskWriter(), IN_CHINESE, {"instruction": "Open the sound settings", "reason": ""}, "not in the language"),
    (TrajectoryGrader(), GRADED, {"completion": 5, "coherence": 1, "reason": "Done."}, ""),
    (TrajectoryGrader(), GRADED, {"completion": 6, "coherence": 1, "reason": "Done."}, "not as asked for"),
    (TrajectoryGrader(), GRADED, {"completion": 0, "coherence": 1, "reason": "Done."}, "not as asked for"),
    (TrajectoryGrader(), GRADED, {"completion": 3.5, "coherence": 1, "reason": "Done."}, "not as asked for"),
    (TrajectoryGrader(), GRADED, {"completion": "5", "coherence": 1, "reason": "Done."}, "not as asked for"),
    (TrajectoryGrader(), GRADED, {"completion": 3, "coherence": 1, "reason": ""}, "there is no reason"),
]


def test_answers_are_read_strictly() -> None:
    for role, subject, answer, wrong in ANSWERS:
        text = json.dumps(answer, ensure_ascii=False)
        if not wrong:
            assert role.read(text, subject) is not None
            continue
        with pytest.raises(ValueError, match=wrong):
            role.read(text, subject)
    with pytest.raises(ValueError, match="not one JSON object"):
        TaskWriter().read("Show me the sound settings.", CHAIN)


def test_a_model_is_asked_again_and_then_dropped(out: Path, tmp_path: Path) -> None:
    """The describer never answers as asked: nothing can be made of the walk, and the manifest says why."""
    with serving(whole('{"instruction": "open"}')) as server:
        done = saccade(
            *("data", "reverse", out.parent / "walk", "--out", tmp_path / "out", "--max-items", "1"),
            *("--model", "openai/tester", "--base-url", server.url, "--workers", "1"),
        )
    assert done.returncode == 0, done.stderr
    stage = next(each for each in manifest_of(tmp_path / "out").stages if each.stage == "reverse_describe")
    assert stage.dropped["the transition_describer's answer breaks the rules"].count == 7
    assert stage.dropped["none of its transitions could be described"].count == 1
    assert len(server.bodies) == 14 and "too short" in json.dumps(server.bodies[1])


def test_the_teacher_needs_the_worlds_state(tmp_path: Path) -> None:
    with pytest.raises(UnansweredError, match="does not tell what changed"):
        TaskWriter().taught(Chain(tuple(replace(step, tags={}) for step in EN[1:3]), "en", 0.0))
    cut = replace(EN[1], tags={**EN[1].tags, "state_changes_left_out": "3"})
    with pytest.raises(UnansweredError, match="was cut"):
        TaskWriter().taught(Chain((cut, EN[2]), "en", 0.0))


def test_a_chain_without_a_purpose_has_a_reason() -> None:
    def reason(*steps: Step) -> str:
        return TaskWriter().taught(Chain(steps, "en", 0.0)).reason

    assert reason(EN[5], EN[6]) == "it has no lasting effect, and opened nothing", "it only goes back"
    assert reason(EN[2], EN[5], EN[6]) == "its last action has no lasting effect"
    other = replace(EN[2], tags={**EN[2].tags, "state_changes": '[["apps.mail.sound",false,true]]'})
    assert reason(other, EN[4]) == "it changed something in another app"
    moved = replace(EN[2], prediction=Action("swipe", direction="up"))
    assert reason(moved, EN[4]) in ("what was touched has no name", "something changed without being touched")
    many = [
        replace(EN[2], id=str(at), tags={**EN[2].tags, "state_changes": json.dumps([[f"apps.settings.{at}", 0, 1]])})
        for at in range(4)
    ]
    assert reason(*many, EN[4]) == "it has too many separate effects"
