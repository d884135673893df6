"""The process reward model: labels, a real training of a tiny Qwen2.5-VL, and what it leaves."""

from __future__ import annotations

import json
import random
import re
import shutil
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
import torch
from msgspec.structs import replace
from PIL import Image, ImageDraw
from safetensors.torch import load_file

from saccade.actions import Action
from saccade.agents.build import ModelCache, guide_of
from saccade.agents.guidance import Case, Guide, RewardWeighting
from saccade.agents.ledger import Ledger, MeteredModel
from saccade.agents.prm_prompt import RewardPrompt, action_in_words
from saccade.agents.records import ScoredCandidate
from saccade.agents.settings import Settings
from saccade.agents.trained_reward import TrainedReward, head_class
from saccade.errors import InputError
from saccade.geometry import Box, Frame, Point, Size
from saccade.models.hf import load_config, load_whole
from saccade.models.scripted import ScriptedModel
from saccade.records import write_steps
from saccade.scoring.profiles import MatchContext, get_profile
from saccade.train.backbone import open_backbone
from saccade.train.prm import measure, read_actions, train_prm
from saccade.train.prm_dataset import LabelledAction, histories, label_actions
from saccade.train.recipe import Lora, Prm, Recipe, Variant
from saccade.types import Element, Picture, Screen, Step
from saccade.worlds.base import Observation
from tiny_vl import make_tiny

pytestmark = pytest.mark.train
SIZE = Size(56, 112)
WORDS = ("Save", "Delete", "Share", "Print", "Close", "Search", "Copy", "Move")
BACK = Action("press", key="back")
WEIGHTING = RewardWeighting(prior=0.5, margin=0.2)
PROMPT = RewardPrompt(frame="permille", told=True)


def buttons(names: list[str]) -> list[Element]:
    return [Element(at, Box(4, 4 + 28 * at, 52, 24 + 28 * at), "button", name) for at, name in enumerate(names)]


def step(names: list[str], right: str = "Save", at: int = 0, **more: Any) -> Step:
    elements = buttons(names)
    box = next(each.box for each in elements if each.text == right)
    known: dict[str, Any] = {"instruction": f"Press {right}", "truth": [Action("click", box.center, box)]}
    return Step(id=f"s{at}", screen=SIZE, elements=elements, **(known | more))


def write_data(folder: Path, count: int, seed: int = 0) -> Path:
    """Screens with four of the buttons, one of them to save, which is always what is right."""
    chance, steps = random.Random(seed), []
    folder.mkdir(parents=True)
    for at in range(count):
        names = ["Save", *chance.sample(WORDS[1:], 3)]
        chance.shuffle(names)
        made = step(names, at=at, episode=f"e{at}", image=f"{at}.png")
        image = Image.new("RGB", SIZE, "white")
        for each in made.elements:
            ImageDraw.Draw(image).rectangle(tuple(each.box), fill="khaki" if each.text == "Save" else "lightblue")
        image.save(folder / made.image)
        steps.append(made)
    write_steps(folder / "steps.jsonl", steps)
    return folder


# -- labels -------------------------------------------------------------------------------------------------------


def test_all_right_actions_are_1_and_drawn_ones_0() -> None:
    names = ["Save", "Delete", "Share", "Print"]
    first, second = buttons(names)[:2]
    one, two = Action("click", first.center, first.box), Action("click", second.center, second.box)
    made = step(names, truth=[one, two])
    found = label_actions(made, get_profile("cmgui"), 2, random.Random(0))
    assert [label for _, label in found] == [1.0, 1.0, 0.0, 0.0]
    assert [action.point for action, _ in found[:2]] == [one.point, two.point]
    assert all(action.box is None for action, _ in found), "a candidate has no box at inference"
    taps = [action.point for action, _ in found[2:] if action.point]
    assert not any(box.contains(point) for box in (first.box, second.box) for point in taps)


def test_drawn_actions_are_wrong_by_the_profile() -> None:
    """GuidNav's rule takes a near tap for right, so that neighbours must not be taught as wrong."""
    made = step(["Save", "Delete", "Share", "Print"], right="Delete")
    for seed in range(20):
        for profile in ("guidnav", "cmgui"):
            rule = get_profile(profile)
            for action, label in label_actions(made, rule, 3, random.Random(seed)):
                assert rule.judge(action, made.truth, MatchContext(SIZE, made.elements)).right == bool(label)


def test_self_play_is_judged_by_the_profile() -> None:
    names = ["Save", "Delete", "Share", "Print"]
    missed = Action("click", buttons(names)[3].center)
    found = label_actions(step(names, prediction=missed), get_profile("cmgui"), 0, random.Random(0))
    assert [(action.point, label) for action, label in found] == [(buttons(names)[0].center, 1.0), (missed.point, 0.0)]
    hit = Action("click", Point(10, 8))
    found = label_actions(step(names, prediction=hit), get_profile("cmgui"), 0, random.Random(0))
    assert found[1] == (hit, 1.0), "right, and not where the truth points"
    found = label_actions(
        step(names, prediction=Action("click", Point(29, 14))), get_profile("cmgui"), 0, random.Random(0)
    )
    assert len(found) == 1, "but for a jitter the same"


def test_what_self_play_proposed_besides_is_judged_too() -> None:
    names = ["Save", "Delete", "Share", "Print"]
    output = "\n".join(
        f'G{at}: I tap it. So the next one action is:{{"action_type": "click", "id": {id}}}\nP{at}: {chance}'
        for at, id, chance in ((1, 3, 0.7), (2, 0, 0.2), (3, 1, 0.1))
    )
    done = Action("click", buttons(names)[3].center)
    made = step(names, prediction=done, output=output, paradigm="guidnav")
    found = label_actions(made, get_profile("cmgui"), 0, random.Random(0))
    assert [(action.point, label) for action, label in found] == [
        (buttons(names)[at].center, float(at == 0)) for at in (0, 3, 1)
    ], "each once, the right one among them"
    for other in (step(names, output=output, paradigm="btl"), step(names, output="nonsense", paradigm="guidnav")):
        assert len(label_actions(other, get_profile("cmgui"), 0, random.Random(0))) == 1


def test_other_moves_and_texts_are_drawn_too() -> None:
    made = step(["Save", "Delete"], truth=[Action("type", text="hats")])
    drawn = {
        action.name
        for seed in range(30)
        for action, label in label_actions(made, get_profile("cmgui"), 4, random.Random(seed))
        if not label
    }
    assert {"click", "type", "press:back", "terminate:success"} <= drawn
    asked = Action("answer", text="42")
    drawn = {
        action.name
        for seed in range(30)
        for action, label in label_actions(
            step(["Save", "Delete"]), get_profile("cmgui"), 4, random.Random(seed), [asked]
        )
        if not label
    }
    assert "answer" in drawn, "what is right at another step is wrong here"
    ending = step(["Save"], truth=[Action("terminate", status="success")])
    drawn = {
        action.name for action, label in label_actions(ending, get_profile("cmgui"), 9, random.Random(0)) if not label
    }
    assert "terminate:success" not in drawn and "press:back" in drawn


def test_the_past_is_told_as_guidance_tells_it() -> None:
    steps = [
        step(["Save"]),
        step(["Save"], prediction=BACK),
        step(["Save"], context="Saved once."),
        step(["Save"], history=["this", "that"]),
    ]
    assert list(histories(steps, summarised=True)) == ["", 'tapped "Save"', "Saved once.", "this; that"]
    assert list(histories(steps, summarised=False))[:2] == ["", 'tapped "Save"']
    assert "Saved once." not in list(histories(steps, summarised=False))


def test_candidates_are_told_in_words_with_their_place() -> None:
    screen, frame = Screen(SIZE, None, buttons(["Save"])), Frame("permille")
    assert action_in_words(Action("click", Point(28, 14)), screen, frame, "en") == 'tapped "Save" [500, 125]'
    assert action_in_words(Action("click", Point(28, 56)), screen, frame, "en") == "tapped [500, 500]", (
        "pixels say nothing"
    )
    assert action_in_words(BACK, screen, frame, "zh") == "返回上一级"
    swipe = Action("swipe", direction="up", start=Point(28, 84), end=Point(28, 28))
    assert action_in_words(swipe, screen, frame, "en") == "swiped up"


def test_figures() -> None:
    made = step(["Save", "Delete"])
    rows = [
        LabelledAction(group, PROMPT, made, "", Path(), BACK, label)
        for group, label in [("a", 1.0), ("a", 0.0), ("b", 1.0), ("b", 0.0), ("c", 1.0)]
    ]
    told = measure(rows, [0.9, 0.2, 0.3, 0.4, 0.8])
    assert told["mse"] == pytest.approx((0.01 + 0.04 + 0.49 + 0.16 + 0.04) / 5)
    assert told["variance"] == pytest.approx(0.24) and told["accuracy"] == pytest.approx(4 / 5)
    assert told["right_first"] == 0.5 and told["by_chance"] == 0.5, "the step with one candidate is no contest"
    assert "right_first" not in measure(rows[:1], [1.0])


# -- training -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny(tmp_path_factory.mktemp("tiny") / "model")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("data") / "screens", 40)


def recipe_of(tiny: Path, steps_in: Path, **more: Any) -> Recipe:
    known: dict[str, Any] = {
        "stage": "prm",
        "model": str(tiny),
        "data": (str(steps_in),),
        "held_back": 0.25,
        "steps": 30,
        "batch": 8,
        "learning_rate": 5e-3,
        "warmup": 0.1,
        "lora": Lora(dropout=0.05),
        "prm": Prm(profile="cmgui", negatives=2),
        "pixels": (784, 6272),
        "checkpointing": False,
        "save_every": 20,
    }
    return Recipe(**(known | more))


@pytest.fixture(scope="module")
def trained(tiny: Path, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out") / "prm"
    assert train_prm(recipe_of(tiny, data), out, quiet=True) == out / "model"
    return out


def log_of(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "log.jsonl").read_text(encoding="utf-8").splitlines()]


def measured(out: Path) -> dict[str, Any]:
    return [line for line in log_of(out) if "held_back_mse" in line][-1]


def test_it_learns_what_is_right_on_screens_it_never_saw(trained: Path) -> None:
    last = measured(trained)
    assert last["step"] == 30 and 0.15 < last["held_back_variance"] < 0.25
    assert last["held_back_mse"] < 0.5 * last["held_back_variance"]
    assert last["held_back_accuracy"] > 0.85
    assert last["held_back_right_first"] >= 0.9 > last["held_back_by_chance"]


def test_it_is_asked_the_same_when_it_is_used(trained: Path, tiny: Path, data: Path) -> None:
    """The figures of training, once more by what an agent uses: other code reads prompts and batches there."""
    recipe = recipe_of(tiny, data)
    _, held = read_actions(recipe, open_backbone(recipe), lambda sentence: None)
    reward = TrainedReward.open(trained / "model", device="cpu", max_batch=3)
    scores: list[float] = []
    for _, rows in groupby(held.rows, key=lambda row: row.group):
        first, *_ = group = list(rows)
        picture = Picture(str(first.folder / first.step.image), SIZE)
        screen = Screen(SIZE, picture, first.step.elements)
        case = Case(first.step.instruction, first.past, screen, Observation(screen))
        scores += reward.scores(case, [row.action for row in group])
    for name, figure in measure(held.rows, scores).items():
        assert figure == pytest.approx(measured(trained)[f"held_back_{name}"], abs=1e-4), name


def test_guidance_takes_the_right_candidate(trained: Path, tmp_path: Path) -> None:
    """On a screen that is not in the data, and against the policy's own opinion."""
    made = step(["Print", "Copy", "Save"])
    Image.new("RGB", SIZE, "pink").save(tmp_path / "screen.png")
    screen = Screen(SIZE, Picture(str(tmp_path / "screen.png"), SIZE), made.elements)
    taps = [
        ScoredCandidate(Action("click", each.center), "", sure)
        for each, sure in zip(made.elements, (0.6, 0.3, 0.1), strict=True)
    ]
    case, ledger = Case("Press Save", "", screen, Observation(screen)), Ledger()
    guide = Guide(TrainedReward.open(trained / "model", ledger, device="cpu"))
    candidates, chosen, why = guide.choose(taps, case)
    assert candidates[chosen].action.point == made.elements[2].center and why == "the highest score"
    assert ledger.usage.calls == 1 and ledger.purposes["reward"].input > 100 and ledger.seconds > 0


def test_only_adapters_and_head_learn(trained: Path, tiny: Path) -> None:
    before = load_whole(tiny, torch.device("cpu"), "float32")[1].base_model.state_dict()
    config = load_config(trained / "model")
    model = head_class(config).from_pretrained(trained / "model", dtype=torch.float32)
    after = model.base_model.state_dict()
    assert before.keys() == after.keys() and model.score.weight.abs().sum() > 0
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert len(changed) == 2 * 7, "seven projections in each of two layers"
    assert all(re.fullmatch(r"language_model\.layers\.\d\.\w+\.[a-z]+_proj\.weight", name) for name in changed)
    checkpoint = load_file(trained / "checkpoints" / "checkpoint-30" / "learned.safetensors")
    assert {"score.weight"} == {name for name in checkpoint if "lora_" not in name}, "and a checkpoint holds no more"


def test_a_run_that_was_killed_goes_on_exactly(tiny: Path, data: Path, tmp_path: Path) -> None:
    recipe = recipe_of(tiny, data, steps=4, save_every=2, batch=4, accumulate=2, held_back=0.05)
    train_prm(recipe, tmp_path / "whole", quiet=True)
    shutil.copytree(tmp_path / "whole", tmp_path / "killed")
    shutil.rmtree(tmp_path / "killed" / "model")
    shutil.rmtree(tmp_path / "killed" / "checkpoints" / "checkpoint-4")
    train_prm(recipe, tmp_path / "killed", quiet=True)
    whole, killed = (
        [{key: value for key, value in line.items() if "second" not in key} for line in log_of(out)]
        for out in (tmp_path / "whole", tmp_path / "killed")
    )
    assert whole == killed and [line["step"] for line in whole if "loss" in line] == [1, 2, 3, 4]
    one, two = (load_file(tmp_path / name / "model" / "model.safetensors") for name in ("whole", "killed"))
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_the_weighting_is_kept_with_the_model(tiny: Path, data: Path, tmp_path: Path) -> None:
    """And counts in a run, where the user does not say otherwise; one layer of two is kept as well."""
    prm = Prm(profile="cmgui", negatives=2, layers=1, weighting=WEIGHTING)
    folder = train_prm(recipe_of(tiny, data, steps=1, lora=None, prm=prm), tmp_path / "out", quiet=True)
    assert load_config(folder).get_text_config().num_hidden_layers == 1
    own = MeteredModel(ScriptedModel([]), Ledger())
    plain = Settings(world="phone", reward=f"prm/{folder}", model_options={"device": "cpu"})
    for settings, weighting in (
        (plain, WEIGHTING),
        (replace(plain, prior=0.0), RewardWeighting(margin=0.2)),
        (replace(plain, margin=0.0), RewardWeighting(prior=0.5)),
    ):
        assert guide_of(settings, ModelCache(settings), None, own, "en").weighting == weighting


# -- wrong input --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"stage": "sft"}, "is for sft"),
        ({"data": ("nowhere.jsonl",)}, "no data nowhere.jsonl"),
        ({"variants": (Variant(paradigm="btl"),)}, "variants"),
        ({"prm": Prm(profile="mine")}, "mine"),
        ({"prm": Prm(negatives=-1)}, "negatives"),
        ({"backbone": {"tempting": 1}}, "tempting"),
        ({"prm": Prm(layers=-1)}, "layers is -1"),
        ({"prm": Prm(layers=99)}, "the model has 2"),
        ({"longest": 10}, "longer than 10 tokens"),
        ({"batch": 0}, "at least 1"),
    ],
)
def test_a_recipe_that_cannot_be_trained(
    change: dict[str, Any], said: str, tiny: Path, data: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=said):
        train_prm(recipe_of(tiny, data, **change), tmp_path / "out", quiet=True)


def test_data_that_cannot_be_trained_on(tiny: Path, tmp_path: Path) -> None:
    write_steps(tmp_path / "steps.jsonl", [step(["Save", "Copy"], image="gone.png")])
    with pytest.raises(InputError, match=r"no image .*gone.png, which step s0 names"):
        train_prm(recipe_of(tiny, tmp_path / "steps.jsonl"), tmp_path / "a", quiet=True)
    write_steps(tmp_path / "steps.jsonl", [step(["Save", "Copy"], truth=[])])
    with pytest.raises(InputError, match="right action"):
        train_prm(recipe_of(tiny, tmp_path / "steps.jsonl"), tmp_path / "b", quiet=True)
    write_steps(tmp_path / "steps.jsonl", [step(["Save", "Copy"])])
    with pytest.raises(InputError, match="without a screenshot"):
        train_prm(recipe_of(tiny, tmp_path / "steps.jsonl"), tmp_path / "c", quiet=True)
