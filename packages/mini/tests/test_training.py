"""Real steps of SFT, GRPO and PRM on a tiny mini; export to ONNX and back."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from command import saccade
from safetensors.torch import load_file, save_file
from training_data import call, learn, small_mini, write_calls
from transformers import Qwen3ForSequenceClassification

from saccade.actions import Action
from saccade.agents.guidance import Case, RewardWeighting
from saccade.agents.prm_prompt import RewardPrompt
from saccade.agents.process_rewards import PROCESS_REWARDS
from saccade.agents.trained_reward import TrainedReward
from saccade.errors import InputError, MissingError
from saccade.models import open_model
from saccade.models.base import Ask
from saccade.train.backbone import open_backbone
from saccade.train.grpo import train_grpo
from saccade.train.prm import train_prm
from saccade.train.recipe import Recipe
from saccade.train.recipe_files import load_recipe
from saccade.train.sft import train_sft
from saccade.types import Message, Screen
from saccade.worlds.base import Observation
from saccade_mini import process_reward
from saccade_mini.card import CARD, MODEL, TOKENIZER, read_card
from saccade_mini.decode import Cache, Network
from saccade_mini.model import WEIGHTS
from saccade_mini.process_reward import MiniReward, MiniRewardPrompt, open_mini_reward
from saccade_mini.training.backbone import MiniBackbone, load_model
from saccade_mini.training.onnx_weights import config_of, dequantised, export_mini, import_mini, parts_of, quantised

pytestmark = pytest.mark.train
SMALL: dict[str, Any] = {"tokens": 2000, "batch": 4, "steps": 3, "workers": 0, "save_every": 2, "held_back": 0.25}


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def changed(folder: Path, **more: Any) -> dict[str, Any]:
    """A small training of a recipe, with other settings."""
    return SMALL | {"data": [str(folder / "data")], "backbone": {}} | more


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_calls(tmp_path_factory.mktemp("training") / "data", 2).parent


@pytest.fixture(scope="module")
def small(folder: Path) -> Path:
    return small_mini(folder / "random")


@pytest.fixture(scope="module")
def taught(folder: Path, small: Path) -> Path:
    """A small mini that knows the episodes by heart, in the formats of GRPO."""
    recipe = load_recipe("mini-grpo", model=f"mini/{small}", data=[str(folder / "data")], backbone={})
    return learn(recipe, folder / "taught")


# -- the recipes -------------------------------------------------------------------------------------------------------


def test_sft_by_the_recipe(folder: Path, small: Path) -> None:
    """Practice, short screens, plain wordings and whole screens, on a mini from a folder; then GRPO could go on."""
    lessons = [{"elements": 2, "practice": True}, {"elements": 2}, {"elements": 9, "extra_only": True}]
    changes = changed(folder, backbone={"curriculum": lessons, "restate": 4, "paraphrase": 0.85})
    model = train_sft(load_recipe("mini-sft", model=f"mini/{small}", **changes), folder / "sft", quiet=True)
    log = lines(folder / "sft" / "log.jsonl")
    assert [line["step"] for line in log if "loss" in line] == [1, 2, 3]
    for name in ("mini.json", "tokenizer.json", "config.json", "model.safetensors"):
        assert (model / name).is_file(), name


def test_grpo_by_the_recipe(taught: Path, folder: Path, tmp_path: Path) -> None:
    """Several formats at once, rewarded for the places that pointers stand for."""
    changes = changed(folder, tokens=None, steps=2) | {"grpo.generations": 4, "grpo.between": [0, 1]}
    train_grpo(load_recipe("mini-grpo", model=f"mini/{taught}", **changes), tmp_path, quiet=True)
    log = [line for line in lines(tmp_path / "log.jsonl") if "loss" in line]
    assert [line["step"] for line in log] == [1, 2]
    found = {key: value for line in log for key, value in line.items() if key.endswith(("link/mean", "action/mean"))}
    assert max(found.values()) > 0.3, "pointers must become places, or nothing is right"
    samples = lines(tmp_path / "samples.jsonl")
    assert any("<p>" in each["completion"] for each in samples)
    assert not any("<p>" in each["answer"] for each in samples if each["parts"].get("link"))
    assert (tmp_path / "model" / "mini.json").is_file()


def test_prm_by_the_recipe(taught: Path, folder: Path) -> None:
    """It learns, and keeps the prompt and the weighting that it was trained with."""
    changes = changed(folder, steps=25, learning_rate=3e-3, save_every=30)
    changes |= {"prm.weighting": {"prior": 0.5, "margin": 0.2}}
    model = train_prm(load_recipe("mini-prm", model=f"mini/{taught}", **changes), folder / "prm", quiet=True)
    losses = [line["loss"] for line in lines(folder / "prm" / "log.jsonl") if "loss" in line]
    assert losses[-1] < 0.7 * losses[0]
    assert MiniRewardPrompt.load(model).weighting == RewardWeighting(prior=0.5, margin=0.2)
    with pytest.raises(InputError, match="use --reward mini/PATH"):
        TrainedReward.open(model)
    with pytest.raises(InputError, match="the kind 'mini', not 'vision'"):
        RewardPrompt.load(model)
    with pytest.raises(InputError, match=r"has no prm\.onnx: saccade mini export"):
        open_mini_reward(str(taught))


def test_the_reward_prompt_points(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    step = call()[1]
    screen, prompt = Screen(step.screen, None, step.elements), MiniRewardPrompt()
    (message,) = prompt.messages("Call Ada Moss", "went back", screen, step.truth[0], "Call {name}")
    assert message.text.startswith("@guidnav en prm\ntask: Call Ada Moss\nstep: Call {name}\ncontext: went back\n")
    assert prompt.answer("Call Ada Moss", screen, step.truth[0]).startswith('tapped "Ada Moss" [')
    monkeypatch.setattr(process_reward, "WEIGHTS", tmp_path)
    with pytest.raises(MissingError, match="has no reward model"):
        open_mini_reward()


# -- export and import -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shipped() -> MiniBackbone:
    """The mini that ships, opened for training."""
    found = open_backbone(Recipe(stage="sft", model="mini"))
    assert isinstance(found, MiniBackbone)
    return found


def test_a_new_one_has_the_shape_of_the_one_that_ships(shipped: MiniBackbone) -> None:
    new = open_backbone(Recipe(stage="sft", model="mini/new")).model.state_dict()
    same = {name: torch.equal(value, new[name]) for name, value in shipped.model.state_dict().items()}
    assert same.keys() == new.keys() and not any(same.values())


def test_an_export_is_what_was_imported(shipped: MiniBackbone, tmp_path: Path) -> None:
    """Weights that are multiples of their block's scale are rounded to themselves: nothing may change on the way."""
    shipped.save(tmp_path / "model")
    done = saccade("mini", "export", tmp_path / "model", "--out", tmp_path / "mini", "--bits", "4")
    assert done.returncode == 0, done.stderr
    again, before = (onnx.load(each / MODEL).graph for each in (tmp_path / "mini", WEIGHTS))
    assert again == before
    assert open_model(f"mini/{tmp_path / 'mini'}").name == "mini/mini"


def test_weights_are_rounded_by_blocks() -> None:
    """By hand: the largest of the block is 7, so its scale is 1 in 4 bits (7 steps each side), and 8 means zero."""
    weight = np.zeros((1, 64), dtype=np.float32)
    weight[0, :4] = 7, -7, 1.4, 0
    state = {each: weight for parts in parts_of(1).values() for each in parts} | {"model.norm.weight": np.ones(3)}
    found = quantised(state, 1, 4)
    assert found["0.out"][0, 0, :3].tolist() == [15 | 1 << 4, 9 | 8 << 4, 8 | 8 << 4]
    assert found["0.out.scales"].tolist() == [1.0] and found["0.qkv"].shape == (3, 1, 32)
    assert found["embed"][0, 0, :4].tolist() == [255, 1, 153, 128], "8 bits: 127 steps each side, 1.4 / 7 * 127 = 25.4"
    assert found["final.norm"].tolist() == [1, 1, 1]
    assert dequantised(found, "0.out")[0, :4].tolist() == [7, -7, 1, 0]
    assert dequantised(quantised(state, 1, 8), "0.out")[0, 2] == pytest.approx(25 * 7 / 127)


def test_eight_bits_keep_what_four_round_away(shipped: MiniBackbone, tmp_path: Path) -> None:
    """A change of a tenth of a 4-bit step is in the exported file, and the file runs."""
    shipped.save(tmp_path / "model")
    name = "model.layers.0.self_attn.o_proj.weight"
    state = load_file(tmp_path / "model" / "model.safetensors")
    moved = state[name].numpy().copy()
    moved[0, 1] += 0.1 * np.abs(moved[0, :64]).max() / 7
    save_file(state | {name: torch.from_numpy(moved)}, tmp_path / "model" / "model.safetensors", {"format": "pt"})
    done = saccade("mini", "export", tmp_path / "model", "--out", tmp_path / "mini")
    assert done.returncode == 0, done.stderr
    again = import_mini(tmp_path / "mini").state_dict()[name].numpy()
    assert abs(again[0, 1] - moved[0, 1]) < 0.03 * np.abs(moved[0, :64]).max() / 7
    asked = [Message("user", ("@btl en\ntask: Call Ada Moss",))]
    said = [open_model(each).complete(asked, Ask())[0].text for each in ("mini", f"mini/{tmp_path / 'mini'}")]
    assert said[0] == said[1]
    refused = saccade("mini", "export", tmp_path / "model", "--out", tmp_path / "x", "--bits", "3")
    assert refused.returncode == 2 and "4 or 8 bits" in refused.stderr


def test_torch_and_onnxruntime_compute_the_same(shipped: MiniBackbone) -> None:
    """Activations are rounded to 8 bits in the graph, so the logits are close and not equal."""
    tokens = shipped.encode([Message("user", ("@btl en\ntask: Call Ada Moss",))], None)["input_ids"]
    with torch.no_grad():
        wanted = shipped.model(torch.tensor([tokens])).logits[0, -1].numpy()
    network = Network(WEIGHTS / MODEL, read_card(WEIGHTS))
    found = Cache(network, 1, len(tokens)).read(np.array([tokens]))[0]
    assert np.corrcoef(wanted, found)[0, 1] > 0.99 and wanted.argmax() == found.argmax()


def test_a_reward_model_is_exported_beside_a_mini(shipped: MiniBackbone, tmp_path: Path) -> None:
    model = Qwen3ForSequenceClassification(config_of(read_card(WEIGHTS), num_labels=1))
    model.save_pretrained(tmp_path / "prm")
    for file in (TOKENIZER, CARD):
        shutil.copy(WEIGHTS / file, tmp_path / "prm")
    MiniRewardPrompt(weighting=RewardWeighting(prior=0.5, margin=0.2)).save(tmp_path / "prm")
    export_mini(tmp_path / "prm", tmp_path / "both")
    reward = PROCESS_REWARDS.get("mini")(str(tmp_path / "both"))
    assert reward.weighting == RewardWeighting(prior=0.5, margin=0.2)
    step = call(1)[1]
    screen, wrong = Screen(step.screen, None, step.elements), [Action("click", step.elements[-1].center)]
    case = Case(step.instruction, "swiped up", screen, Observation(screen))
    scores = reward.scores(case, [*step.truth, *wrong])
    assert isinstance(reward, MiniReward) and scores[0] != scores[1]
    asked = reward.question(case, step.truth[0])
    tokens = shipped.encode(asked.messages, asked.answer)["input_ids"]
    with torch.no_grad():
        wanted = model(torch.tensor([tokens])).logits[0, 0].item()
    assert scores[0] == pytest.approx(wanted, abs=0.3)


def test_what_cannot_be_exported_or_opened(small: Path, tmp_path: Path) -> None:
    for folder, words in ((small, "has not the shape"), (WEIGHTS, "no config.json"), (tmp_path, "no mini.json")):
        done = saccade("mini", "export", folder, "--out", tmp_path / "x")
        assert done.returncode == 2 and words in " ".join(done.stderr.split()), done.stderr
    shutil.copy(WEIGHTS / MODEL, tmp_path)
    card = (WEIGHTS / CARD).read_text(encoding="utf-8")
    (tmp_path / CARD).write_text(card.replace('"inner": 1216', '"inner": 1280'), encoding="utf-8")
    with pytest.raises(InputError, match=r"has not the weights that .*mini\.json speaks of"):
        load_model(tmp_path)
