"""examples/plugins/my_paradigm.py from a folder elsewhere: prompt, hostile answers, score, reward, run, bench, training
rows, a step of SFT and one of GRPO.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]
from command import CommandResult, saccade
from train_data import SIZE, elements, episode, write_data

from paradigm_checks import check_declared_actions, check_prompt, check_sound, places
from saccade import Action, Screen, get_paradigm
from saccade.data.training_rows import RowWriter
from saccade.errors import InputError
from saccade.models.families import VisionSettings
from saccade.paradigms import Reply
from saccade.paradigms.verbs import Space
from saccade.plugins import load_plugin, plugins_loaded
from saccade.records import write_steps
from strategies import NASTY

EXAMPLES = Path(__file__).parents[2] / "examples" / "plugins"
PLUGIN, WORLD = EXAMPLES / "my_paradigm.py", EXAMPLES / "counter_world.py"


@pytest.fixture
def loaded() -> Iterator[None]:
    with plugins_loaded([str(PLUGIN)]):
        yield


def good(folder: Path, *words: str) -> CommandResult:
    done = saccade(*words, "--plugin", str(PLUGIN), folder=folder)
    assert done.returncode == 0, done.stderr or done.stdout
    return done


def answered(right: bool) -> str:
    """An answer to every step of `episode`: all right, or all wrong."""
    action = {True: '{"do": "tap", "at": [56, 88]}', False: '{"do": "back"}'}[right]
    return f"<why>so</why>\n<do>{action}</do>"


@pytest.mark.usefixtures("loaded")
@pytest.mark.parametrize("space", ["paper", "phone", "web", "desktop", "grounding"])
def test_what_any_paradigm_must_do(space: Space) -> None:
    check_declared_actions("why-do", space)
    for language in ("en", "zh"):
        check_prompt("why-do", space, language)


@pytest.mark.usefixtures("loaded")
def test_hostile_answers_are_read_or_refused_quickly() -> None:
    paradigm, screen = get_paradigm("why-do"), Screen(SIZE, None, elements())
    holes = places(paradigm)
    assert len(holes) > 10
    for hole in holes:
        for text in (*NASTY, "[" * 5000, "9" * 5000, '{"do":' * 3000, "<do>" * 20_000, "<why>" * 20_000):
            began = time.thread_time()
            check_sound(paradigm.parse(hole.replace("§", text), screen))
            assert time.thread_time() - began < 0.1
    for text in NASTY:
        reply = Reply(Action("type", text=text), think=text.strip())
        parsed = paradigm.parse(paradigm.render(reply, screen), screen)
        assert parsed.strict and parsed.reply == reply


@pytest.mark.usefixtures("loaded")
def test_its_prompt_may_lie_beside_it(tmp_path: Path) -> None:
    text = PLUGIN.read_text(encoding="utf-8").replace('templates = {"en": PROMPT}', "").replace("why-do", "by-file")
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    with plugins_loaded([str(tmp_path / "mine.py")]):
        with pytest.raises(InputError, match=r"by-file has no prompt template: there is no file .*by-file\.en\.j2"):
            check_prompt("by-file", "paper", "en")
        prompt = load_plugin(PLUGIN).module.PROMPT
        (tmp_path / "by-file.en.j2").write_text(prompt.strip(), encoding="utf-8")
        check_prompt("by-file", "paper", "en")
        (tmp_path / "templates").mkdir()
        (tmp_path / "templates" / "by-file.zh.j2").write_text(
            prompt.replace("Task:", "任务：").strip(), encoding="utf-8"
        )
        check_prompt("by-file", "paper", "zh")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('    name = "why-do"\n    vocabulary', "    vocabulary", "the paradigm why-do lacks a name"),
        ("def render", "def write", "the paradigm why-do lacks a method render: give the class WhyDo one"),
        ("{{ instruction }}", "{{ instuction }}", "'instuction' is undefined; a template may use"),
        ("self.frame, self.swipe, self.space, notes.repairs)", "self.frame)", "in WhyDo._read"),
        ('"paradigms": {"why-do": WhyDo}', '"paradigms": {"why-do": VERBS}', "must be a subclass of Paradigm"),
    ],
)
def test_what_it_does_wrong_is_told_as_its_own(tmp_path: Path, old: str, new: str, says: str) -> None:
    text = PLUGIN.read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "mine.py").write_text(text.replace(old, new, 1), encoding="utf-8")
    write_data(tmp_path / "data")
    (tmp_path / "script.txt").write_text(json.dumps(answered(True)), encoding="utf-8")
    words = ["run", "--world", "replay:data", "--model", "scripted/script.txt", "--paradigm", "why-do", "--out", "run"]
    done = saccade(*words, "--plugin", "mine.py", folder=tmp_path)
    assert done.returncode == 2, done.stderr
    assert says in done.stderr and "mistake of ours" not in done.stderr


def test_an_unknown_switch_is_named() -> None:
    with pytest.raises(InputError, match=r"no switch 'dialct' \(did you mean dialect\?\): use frame, swipe"):
        get_paradigm("btl", dialct="json")


def test_scored_and_rewarded(tmp_path: Path) -> None:
    steps = [step for name in ("a", "b") for step in episode(name)]
    for at, step in enumerate(steps):
        step.paradigm, step.output = "why-do", answered(at < 3)
    write_steps(tmp_path / "steps.jsonl", steps)
    told = json.loads(good(tmp_path, "score", "steps.jsonl", "--json").stdout)
    assert told["n"] == 6 and told["metrics"]["sr"]["value"] == pytest.approx(1 / 6)
    done = good(tmp_path, "reward", "steps.jsonl", "--paradigm", "why-do", "--json")
    rewards = [json.loads(line)["parts"] for line in done.stdout.splitlines()]
    assert rewards[1] == {"format": 0.2, "action": 1.0} and rewards[4] == {"format": 0.2, "action": 0.0}


def test_run_and_collected_in_another_plug_in_s_world(tmp_path: Path) -> None:
    """The oracle writes its answers in the plug-in's format, and the loop reads them."""
    words = ["run", "--world", "counter/3", "--model", "oracle", "--with", "start=1", "--paradigm", "why-do"]
    good(tmp_path, *words, "--plugin", str(WORLD), "--out", "run")
    lines = [json.loads(line) for line in (tmp_path / "run/steps.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 3 and all(line["output"].startswith("<why>") for line in lines)
    assert lines[0]["rewards"] == {"format": 0.2, "action": 1.0, "total": 1.2}


def test_measured(tmp_path: Path) -> None:
    write_data(tmp_path / "data", episodes=2)
    words = ["bench", "steps", "--data", "data", "--model", "oracle", "--paradigm", "why-do", "--out", "bench"]
    good(tmp_path, *words)
    report = json.loads((tmp_path / "bench/report.json").read_text(encoding="utf-8"))
    assert "SR" in report[0]["columns"]


@pytest.mark.usefixtures("loaded")
def test_training_rows_are_exactly_in_the_format() -> None:
    paradigm = get_paradigm("why-do", space="phone")
    rows = list(RowWriter(paradigm, told=True).episode(episode("e"), random.Random(0)))
    assert len(rows) == 3
    for row in rows:
        parsed = paradigm.parse(row.answer, Screen(SIZE))
        assert parsed.strict and parsed.reply.think
        assert "Done: " in row.messages[-1].text or row is rows[0]


@pytest.mark.train
def test_trained_with_sft_and_grpo(tmp_path: Path) -> None:
    """One real step of each on a tiny vision-language model."""
    from tiny_vl import make_tiny  # noqa: PLC0415

    make_tiny(tmp_path / "tiny")
    write_data(tmp_path / "data", episodes=2)
    plan = {
        "paradigm": "why-do",
        "switches": {"space": "phone"},
        "pixels": [3136, 25088],
        "learning_rate": 1e-3,
        "batch": 1,
        "steps": 1,
        "longest": 3000,
        "checkpointing": False,
    }
    for stage, more in (("sft", {}), ("grpo", {"grpo": {"generations": 2, "longest": 8}})):
        (tmp_path / f"{stage}.yaml").write_text(yaml.safe_dump({"stage": stage, **plan, **more}), encoding="utf-8")
        words = ["train", stage, "--config", f"{stage}.yaml", "--model", "tiny", "--data", "data", "--out", stage]
        good(tmp_path, *words)
        assert list((tmp_path / stage).rglob("*.safetensors"))


@pytest.mark.usefixtures("loaded")
def test_places_are_written_as_the_model_writes_them() -> None:
    """A run gives the paradigm its model's frame; the plug-in need not know of it."""
    frame = VisionSettings.of("qwen3-vl", (3136, 1_003_520)).frame
    paradigm, screen = get_paradigm("why-do", frame=frame), Screen(SIZE)
    text = paradigm.render(Reply(Action("click", elements()[1].center)), screen)
    action = paradigm.parse(text, screen).reply.action
    assert action is not None and action.point is not None
    assert action.point.distance(elements()[1].center) < 1
