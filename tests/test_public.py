"""The public face: what `from saccade import …` gives, that it stays light, and how objects look in a notebook."""

from __future__ import annotations

import doctest
import io
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from PIL import Image
from recordings import BUTTONS, DONE, SIZE, TAP, record, say

import saccade
from saccade import Action, Episode, Picture, Point, Screen, Size, Step
from saccade.errors import InputError
from saccade.models.scripted import ScriptedModel
from saccade.records import write_steps
from saccade.types import episodes
from saccade.worlds.replay import open_replay

HEAVY = ("onnxruntime", "torch", "playwright", "tokenizers", "transformers", "wordllama", "rjieba")
"""What scoring a file needs none of."""


def imported(code: str) -> set[str]:
    """The modules of a new process after some code."""
    told = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"], capture_output=True, text=True, check=True
    )
    return set(told.stdout.split())


def test_what_is_promised_is_there() -> None:
    for name in saccade.__all__:
        assert getattr(saccade, name) is not None
        assert name in dir(saccade)
    with pytest.raises(AttributeError, match="no attribute 'scor'"):
        saccade.scor  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize(
    "module", ["saccade.scoring.evaluate", "saccade.paradigms", "saccade.scoring.profiles", "saccade.geometry"]
)
def test_examples_in_docstrings(module: str) -> None:
    found = doctest.testmod(import_module(module))
    assert found.attempted > 0 and found.failed == 0


def test_importing_it_imports_nothing_heavy() -> None:
    assert not imported("import saccade") & {*HEAVY, "numpy", "PIL", "jinja2", "scipy", "saccade.registry"}
    code = """
import saccade.scoring
from saccade import Action, Size, Step, score, reward
steps = [Step(screen=Size(9, 9), truth=[Action("wait")], prediction=Action("wait"), output="")]
assert score(steps, "all") and reward(steps, "btl")
"""
    assert not imported(code) & set(HEAVY)


def test_score_and_reward_of_a_file(tmp_path: Path) -> None:
    truth, wrong = Action("press", key="back"), Action("press", key="home")
    answer = '<blink>None</blink><think>go back</think><link>{"Plan": "", "Action": {"function": "Back"}}</link>'
    steps = [
        Step(id="a", screen=Size(1080, 2400), truth=[truth], output=answer, paradigm="btl"),
        Step(id="b", screen=Size(1080, 2400), truth=[wrong], output=answer, paradigm="btl"),
    ]
    write_steps(tmp_path / "steps.jsonl", steps)
    for given in (steps, tmp_path / "steps.jsonl", str(tmp_path / "steps.jsonl")):
        found = saccade.score(given, "btl,cmgui")
        assert list(found) == ["btl", "cmgui"] and found["btl"].metrics["sr"].value == 0.5
        rewards = saccade.reward(given, "btl", weights=(0.1, 0.3, 0.6), profile="cmgui")
        assert [each["total"] for each in rewards] == pytest.approx([0.7, 0.1])  # no blink: nobody annotated
    assert len(saccade.score(steps, "all")) == 10, "no step of these asks for a place"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"screen": [9, 9]}', "steps.jsonl:2: truth: there must be at least one valid action"),
        ('{"screen": [9, 9], "truth": [{"type": "fly"}]}', "steps.jsonl:2: truth"),
        ("{", "steps.jsonl:2: not JSON"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, says: str) -> None:
    good = '{"screen": [9, 9], "truth": [{"type": "wait"}], "prediction": {"type": "wait"}}'
    (tmp_path / "steps.jsonl").write_text(f"{good}\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=says):
        saccade.score(tmp_path / "steps.jsonl")


def test_what_cannot_be_scored_or_rewarded_says_why() -> None:
    step = Step(id="a", screen=Size(9, 9), truth=[Action("wait")], output="x")
    with pytest.raises(InputError, match="step a: paradigm: missing"):
        saccade.score([step])
    with pytest.raises(InputError, match=r"btl reward: .*wieghts"):
        saccade.reward([step], "btl", wieghts=(1, 1, 1))
    with pytest.raises(InputError, match="unknown reward 'guidnav'"):
        saccade.reward([step], "guidnav")
    with pytest.raises(InputError, match="step a: output: missing"):
        saccade.reward([Step(id="a", screen=Size(9, 9), truth=[Action("wait")])])
    with pytest.raises(InputError, match="no profile in ' , '"):
        saccade.score([step], " , ", paradigm=saccade.get_paradigm("btl"))


def test_run_by_names_and_with_objects(tmp_path: Path) -> None:
    recording = record(tmp_path / "recording", (TAP, TAP))
    model = ScriptedModel([say("btl", TAP), say("btl", DONE)])
    log = saccade.run("Look for hats", world=f"replay:{recording}", model=model, out=tmp_path / "run", seed=3)
    assert (log.folder, log.run.settings["seed"], len(log.steps)) == (tmp_path / "run", 3, 2)
    assert log.run.outcome is not None and log.run.outcome.status in ("success", "claimed")
    world = open_replay(str(recording))
    again = saccade.run(world=world, model=ScriptedModel([say("btl", DONE)]))
    assert again.folder != log.folder and len(again.steps) == 1
    assert again.run.instruction == "Look for hats", "the recording's own task"
    with pytest.raises(InputError, match="sead"):
        saccade.run("x", world="replay:none", model=model, sead=1)


# -- in a notebook ----------------------------------------------------------------------------------------------------

HOSTILE = "<script>alert(1)</script>\"'&"


def png(colour: str = "white", size: Size = SIZE) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", size, colour).save(file, "PNG")
    return file.getvalue()


def test_a_screen_shows_its_picture_with_marks() -> None:
    plain = Screen(SIZE, Picture(png()))._repr_png_()
    marked = Screen(SIZE, Picture(png()), BUTTONS)._repr_png_()
    assert plain is not None and marked is not None
    pictures = [Image.open(io.BytesIO(data)).convert("RGB") for data in (plain, marked)]
    assert [picture.size for picture in pictures] == [SIZE, SIZE]
    assert len(pictures[0].getcolors(9) or []) == 1, "just the screen"
    assert len(pictures[1].getcolors(100_000) or []) > 3, "outlines and numbers"
    assert Screen(SIZE, Picture(png()), [BUTTONS[0], BUTTONS[0]])._repr_png_() == plain, "numbers that mean two things"
    assert Screen(SIZE)._repr_png_() is None
    assert Screen(SIZE, Picture(b"no picture"))._repr_png_() is None
    assert Screen(SIZE, Picture("there is no such file"))._repr_png_() is None


def test_an_episode_shows_thumbnails_and_actions_and_text_is_only_text(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png("khaki", Size(1080, 2400)))
    steps = [
        Step(
            episode="e", step=0, instruction=HOSTILE, screen=SIZE, image="a.png", truth=[Action("type", text=HOSTILE)]
        ),
        Step(episode="e", step=1, instruction=HOSTILE, screen=SIZE, image="gone.png", prediction=Action("wait")),
        Step(episode="e", step=2, instruction=HOSTILE, screen=SIZE),
    ]
    (episode,) = episodes(steps, tmp_path)
    shown = episode._repr_html_()
    assert "<script" not in shown and "&lt;script&gt;" in shown
    assert shown.count("<img ") == 1 and shown.count("<figure ") == 3 and len(shown) < 20_000
    assert "2. waited" in shown and "3. no action" in shown and f"{SIZE.width}×{SIZE.height}" in shown
    many = Episode(id=HOSTILE, steps=[Step(screen=SIZE, truth=[Action("click", Point(1, 2))]) for _ in range(50)])
    assert "… and 10 steps more" in many._repr_html_() and "<script" not in many._repr_html_()


def test_a_run_shows_its_end_and_its_steps(tmp_path: Path) -> None:
    recording = record(tmp_path / "recording", (TAP, TAP))
    model = ScriptedModel([say("btl", TAP), say("btl", DONE)])
    log = saccade.run(HOSTILE, world=f"replay:{recording}", model=model, out=tmp_path / "run")
    shown = log._repr_html_()
    assert shown.count("<img ") == 2 and "tapped &quot;Search&quot;" in shown
    assert "<script" not in shown and "&lt;script&gt;" in shown
    assert log.run.outcome is not None and log.run.outcome.status in shown
