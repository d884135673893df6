"""Real steps of SFT, GRPO and PRM on a tiny mini; its classifiers; export to ONNX and back."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from command import saccade
from random_mini import make_qwen3, make_random_mini, make_tokenizer
from training_data import call, learn, small_mini, write_calls

from saccade.actions import Action
from saccade.agents.guidance import Case, RewardWeighting
from saccade.agents.prm_prompt import RewardPrompt
from saccade.agents.process_rewards import PROCESS_REWARDS
from saccade.agents.trained_reward import TrainedReward
from saccade.errors import InputError, MissingError
from saccade.records import write_steps
from saccade.train.backbone import open_backbone
from saccade.train.grpo import train_grpo
from saccade.train.prm import train_prm
from saccade.train.recipe import Recipe
from saccade.train.recipe_files import load_recipe
from saccade.train.sft import train_sft
from saccade.types import Screen
from saccade.worlds.base import Observation
from saccade_mini import process_reward
from saccade_mini.card import MODEL, READER, Card, read_card
from saccade_mini.intent_classifier import IntentClassifier
from saccade_mini.model import WEIGHTS, MiniModel
from saccade_mini.next_action_model import TaskState
from saccade_mini.process_reward import MiniRewardPrompt, open_mini_reward
from saccade_mini.training import intent_training, next_action_training, paraphrase
from saccade_mini.training.backbone import MiniBackbone, load_model
from saccade_mini.training.intent_training import train_classifier
from saccade_mini.training.next_action_training import actions_by_wording, add_next_action, twins
from saccade_mini.training.onnx_export import export_mini, write_mini
from saccade_mini.training.onnx_import import BLOCK, read_weights

pytestmark = pytest.mark.train
SMALL: dict[str, Any] = {"tokens": 2000, "batch": 4, "steps": 3, "workers": 0, "save_every": 2, "held_back": 0.25}


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("training")


@pytest.fixture(scope="module")
def data(folder: Path) -> Path:
    return write_calls(folder / "data", 2)


@pytest.fixture(scope="module")
def small(folder: Path) -> Path:
    return small_mini(folder / "random")


@pytest.fixture(scope="module")
def taught(folder: Path, small: Path, data: Path) -> Path:
    """A small mini that knows the episodes by heart, in BTL's and SecAgent's formats."""
    recipe = load_recipe("mini-grpo", model=f"mini/{small}", data=[str(data)], backbone={})
    return learn(recipe, folder / "taught")


# -- the recipes -------------------------------------------------------------------------------------------------------


def test_sft_by_the_recipe(folder: Path, small: Path, data: Path) -> None:
    """Practice, short screens, plain wordings and whole screens, on a mini from a folder; then GRPO could go on."""
    lessons = [{"elements": 2, "share": 1, "practice": True}, {"elements": 2, "share": 1}]
    lessons += [{"elements": 9, "share": 1, "restate": True}]
    changes = SMALL | {"backbone.curriculum": lessons, "backbone.restate": 4, "data": [str(data)]}
    recipe = load_recipe("mini-sft", model=f"mini/{small}", **changes)
    model = train_sft(recipe, folder / "sft", quiet=True)
    log = lines(folder / "sft" / "log.jsonl")
    assert [line["step"] for line in log if "loss" in line] == [1, 2, 3]
    assert {"mini.json", "tokenizer.json", "config.json", "model.safetensors"} <= {
        each.name for each in model.iterdir()
    }
    assert export_mini(model, folder / "sft-onnx") and MiniModel(folder / "sft-onnx").card.layers == 2


def test_grpo_by_the_recipe(taught: Path, data: Path, tmp_path: Path) -> None:
    """Several formats at once, rewarded for the places that pointers stand for."""
    changes = SMALL | {
        "tokens": None,
        "data": [str(data)],
        "backbone": {},
        "grpo.generations": 4,
        "grpo.between": [0, 1],
        "steps": 2,
    }
    recipe = load_recipe("mini-grpo", model=f"mini/{taught}", **changes)
    train_grpo(recipe, tmp_path, quiet=True)
    log = [line for line in lines(tmp_path / "log.jsonl") if "loss" in line]
    assert [line["step"] for line in log] == [1, 2]
    found = {key: value for line in log for key, value in line.items() if key.endswith(("link/mean", "action/mean"))}
    assert max(found.values()) > 0.3, "pointers must become places, or nothing is right"
    samples = lines(tmp_path / "samples.jsonl")
    assert any("<p>" in each["completion"] for each in samples)
    assert not any("<p>" in each["answer"] for each in samples if each["parts"].get("link"))
    assert (tmp_path / "model" / "mini.json").is_file()


def test_prm_by_the_recipe(taught: Path, data: Path, folder: Path) -> None:
    """Trained, exported in 8 bits, and asked by an agent with the weighting of the recipe."""
    changes = SMALL | {"data": [str(data)], "steps": 25, "learning_rate": 3e-3, "prm.layers": 1, "save_every": 30}
    changes |= {"backbone": {"tempting": 1}, "prm.weighting": {"prior": 0.5, "margin": 0.2}}
    model = train_prm(load_recipe("mini-prm", model=f"mini/{taught}", **changes), folder / "prm", quiet=True)
    losses = [line["loss"] for line in lines(folder / "prm" / "log.jsonl") if "loss" in line]
    assert losses[-1] < 0.7 * losses[0]
    with pytest.raises(InputError, match="use --reward mini/PATH"):
        TrainedReward.open(model)
    out = export_mini(taught, folder / "both", bits=8)
    assert export_mini(model, out, bits=8) == out and read_card(out).layers == 2, "beside a mini with all its layers"
    reward = PROCESS_REWARDS.get("mini")(str(out))
    assert reward.weighting == RewardWeighting(prior=0.5, margin=0.2)
    step = call(1)[1]
    screen = Screen(step.screen, None, step.elements)
    wrong = [Action("click", step.elements[-1].center)]
    scores = reward.scores(Case(step.instruction, "swiped up", screen, Observation(screen)), [*step.truth, *wrong])
    assert len(scores) == 2 and scores[0] != scores[1]
    with pytest.raises(InputError, match=r"has no prm\.onnx: saccade mini export"):
        open_mini_reward(str(taught))


def test_the_reward_prompt_points(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    step = call()[1]
    screen, prompt = Screen(step.screen, None, step.elements), MiniRewardPrompt()
    (message,) = prompt.messages("Call Ada Moss", "went back", screen, step.truth[0], "Call {name}")
    assert message.text.splitlines()[:4] == [
        "@guidnav en prm",
        "task: Call Ada Moss",
        "step: Call {name}",
        "context: went back",
    ]
    assert prompt.answer("Call Ada Moss", screen, step.truth[0]).startswith('tapped "Ada Moss" [')
    prompt.save(tmp_path)
    assert MiniRewardPrompt.load(tmp_path) == prompt
    with pytest.raises(InputError, match="the kind 'mini', not 'vision'"):
        RewardPrompt.load(tmp_path)
    monkeypatch.setattr(process_reward, "WEIGHTS", tmp_path)
    with pytest.raises(MissingError, match="has no reward model"):
        open_mini_reward()


# -- export and import -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bits", [32, 8, 4])
def test_weights_come_back(tmp_path: Path, bits: int) -> None:
    model = make_qwen3(832)
    write_mini(model, make_tokenizer(tmp_path / "tokenizer.json", 832), tmp_path / "mini", Card(), bits=bits)
    found = read_weights(tmp_path / "mini" / MODEL, read_card(tmp_path / "mini"))
    wanted = {name: value.numpy() for name, value in model.state_dict().items() if name != "lm_head.weight"}
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        if bits == 32 or "norm" in name:
            np.testing.assert_array_equal(found[name], value)
        else:
            blocks = np.abs(value).reshape(len(value), -1, BLOCK).max(axis=2, keepdims=True)
            off = np.abs(found[name] - value).reshape(len(value), -1, BLOCK)
            assert (off <= blocks / (14 if bits == 4 and "embed" not in name else 254) * 1.001 + 1e-9).all(), name


def test_an_exported_folder_is_opened_for_training(tmp_path: Path) -> None:
    folder = make_random_mini(tmp_path / "mini", vocabulary=832)
    model = load_model(folder)
    assert model.lm_head.weight is model.model.embed_tokens.weight
    assert model(torch.tensor([[1, 2, 3]])).logits.shape == (1, 3, read_card(folder).vocabulary)
    done = saccade("mini", "export", folder, "--out", tmp_path / "four")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "four" / MODEL).stat().st_size < (folder / MODEL).stat().st_size
    assert read_card(tmp_path / "four") == read_card(folder), "it is the same mini"
    assert saccade("mini", "export", folder, "--bits", "5", "--out", tmp_path / "five").returncode == 2
    card = (folder / "mini.json").read_text(encoding="utf-8")
    (folder / "mini.json").write_text(card.replace('"inner": 192', '"inner": 256'), encoding="utf-8")
    with pytest.raises(InputError, match=r"mini\.json"):
        load_model(folder)
    assert saccade("mini", "export", tmp_path / "nowhere", "--out", tmp_path / "x").returncode == 2


def test_the_one_that_ships_goes_on_from_what_it_knows() -> None:
    """It finds the answer to a prompt of its own more likely than a new one does."""
    shipped = open_backbone(Recipe(stage="sft", model="mini"))
    assert isinstance(shipped, MiniBackbone)
    prompt = shipped._ids("<btl><en><task>Call Yusuf Demir\nbutton<x1><y3> Contacts<e0>\nbutton<x4><y3> Clock<e1><go>")
    answer = shipped._ids("<f4><f0><i>Contacts<e0>")
    ids = torch.tensor([prompt + answer])

    def loss(model: Any) -> float:
        with torch.no_grad():
            logits = model(ids).logits[0, len(prompt) - 1 : -1]
        return float(torch.nn.functional.cross_entropy(logits, torch.tensor(answer)))

    fresh = open_backbone(Recipe(stage="sft", model="mini/new")).model
    assert sum(weight.numel() for weight in fresh.parameters()) == pytest.approx(28e6, rel=0.02)
    assert loss(shipped.model) < 0.5 * loss(fresh)


# -- classifiers -------------------------------------------------------------------------------------------------------


def test_intents_and_slots_are_learned_from_wordings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = ("contacts.call", "clock.add_alarm")
    few = {task: paraphrase.wordings()[task] for task in tasks}
    monkeypatch.setattr(paraphrase, "wordings", lambda: few)
    monkeypatch.setattr("saccade_mini.training.slot_span_training.wordings", lambda: few)
    monkeypatch.setattr(intent_training, "UNKNOWN", 500)
    monkeypatch.setattr(intent_training, "BATCH", 32)
    monkeypatch.setattr(intent_training, "EPOCHS", 3)
    said: list[str] = []
    assert train_classifier(tmp_path, tell=said.append) > 0.9
    assert float(re.search(r"([\d.]+)% of the slots", said[1])[1]) > 75  # type: ignore[index]
    found = IntentClassifier(tmp_path / READER)
    assert found.intents("Telephone Ada Moss for me, please", "en")[0].wording.startswith("Call")
    assert "闹钟" in found.intents("明早七点半把我叫醒", "zh")[0].wording
    assert found.intents("Will it rain in Oslo tomorrow?", "en") == []
    (best, *_) = found.spans.fillings("Call {name}", "Give Ada Moss a ring", "en", 3)
    assert best.slots == {"name": "Ada Moss"}
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="file cannot be a folder"):
        train_classifier(tmp_path / "file")


def test_next_actions_are_learned_from_episodes(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(next_action_training, "RARE", 1)
    assert saccade("mini", "actions", "--data", data, "--out", tmp_path).returncode == 2
    shutil.copy(WEIGHTS / READER, tmp_path)
    done = saccade("mini", "actions", "--data", data, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "actions of 1 plain wordings" in done.stdout
    after = IntentClassifier(tmp_path / READER)
    assert sorted(after.habits["Call {name}"]) == ["end success", "swipe up", "touch =name"]
    assert after.next_action is not None
    state = TaskState("Call {name}", ["swipe up"], {"touch =name": "", "touch Ben Ode": ""})
    likely = after.next_action.probabilities(state, after.habits["Call {name}"])
    assert next(iter(likely)) == "touch =name"
    write_steps(tmp_path / "steps.jsonl", [call()[0].__class__(id="1", instruction="Dance", screen=call()[0].screen)])
    with pytest.raises(InputError, match="no recorded task of the phone that has a plain wording"):
        add_next_action([tmp_path / "steps.jsonl"], tmp_path)


def test_what_many_tasks_do_all_may_and_twins_share() -> None:
    found = {str(at): {"touch Close", f"touch {at}"} for at in range(next_action_training.COMMON)}
    kept = actions_by_wording({**found, "other": {"touch Save"}}, [*found, "other", "unknown", ""])
    assert kept[0] == ["touch 0", "touch Close"] and kept[-3:] == [["touch Close", "touch Save"], [], []]
    wanted = [("Send {name} the phone number of {entry_name} in Chat", {"name": "Ann", "entry_name": "Bob"})]
    assert list(twins("across.unknown_number", "en", {"name": "Ann", "stranger": "Bob"})) == wanted
    assert list(twins("contacts.call", "en", {"name": "Ann"})) == []
