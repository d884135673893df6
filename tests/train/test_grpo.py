"""GRPO with real models (tiny, random, then taught a few answers by heart), real pictures, real kills."""

from __future__ import annotations

import dataclasses
import importlib.util
import inspect
import math
from pathlib import Path
from typing import Any

import pytest
import torch
import trl
from grpo_data import World, changed, lines, taught_world
from PIL import Image
from trl.trainer.utils import pad

from forks import begin_fork, kill_fork
from saccade.errors import InputError, MissingError
from saccade.train.backbone import open_backbone
from saccade.train.difficulty_filter import FILE as PROBABILITIES
from saccade.train.difficulty_filter import answer_probabilities, probabilities
from saccade.train.grpo import count_steps, merged_steps, order, sampling_settings, train_grpo, vllm_settings
from saccade.train.grpo_trainer import SaccadeGRPOTrainer, collapsed
from saccade.train.recipe import Grpo, Lora, Recipe, Vllm
from saccade.train.samples import read_rows

pytestmark = pytest.mark.train


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return taught_world(tmp_path_factory.mktemp("grpo"))


# -- steps and rows -------------------------------------------------------------------------------------------------


def test_every_row_comes_once_before_any_comes_again() -> None:
    found = order(5, 12, seed=1)
    assert sorted(found[:5]) == sorted(found[5:10]) == list(range(5))
    assert found[:5] != found[5:10]
    assert order(5, 7, seed=1) == found[:7]
    assert order(5, 12, seed=2) != found


def test_epochs_become_steps() -> None:
    recipe = Recipe(stage="grpo", batch=2, accumulate=4, epochs=2)
    assert count_steps(recipe, 20) == math.ceil(40 / 8)
    assert count_steps(recipe, 1) == 1
    assert count_steps(Recipe(stage="grpo", steps=7), 20) == 7
    thrice = Recipe(stage="grpo", batch=2, accumulate=4, epochs=2, grpo=Grpo(updates=3))
    assert count_steps(thrice, 20) == 3 * math.ceil(40 / 8), "each sampling is trained on three times"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"grpo": {"generations": 1}}, "at least 2 answers"),
        ({"grpo": {"temperature": 0.0}}, "temperature must be above 0"),
        ({"grpo": {"updates": 0}}, "grpo.updates must be at least 1"),
        ({"grpo": {"between": (0.9, 0.1)}}, "between is 0.9 to 0.1"),
        ({"tokens": 1000}, "`tokens` is for SFT"),
        ({"paradigm": "guidnav"}, "guidnav has no reward"),
        ({"model": ""}, "names no model"),
    ],
)
def test_wrong_recipes_say_so(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    grpo = Grpo(**changes.pop("grpo", {}))
    with pytest.raises(InputError, match=said):
        train_grpo(Recipe(stage="grpo", grpo=grpo, **changes), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_sampling_with_vllm_is_put_in_the_words_of_trl(tmp_path: Path) -> None:
    assert vllm_settings(None) == {}
    assert vllm_settings(Vllm(mode="colocate")) == {"use_vllm": True, "vllm_mode": "colocate"}
    server = vllm_settings(Vllm(url="http://gpu:8000"))
    assert server == {"use_vllm": True, "vllm_mode": "server", "vllm_server_base_url": "http://gpu:8000"}
    known = {each.name for each in dataclasses.fields(trl.GRPOConfig)}
    assert server.keys() <= known
    if importlib.util.find_spec("vllm") is None:
        with pytest.raises(MissingError, match=r"grpo\.vllm needs vLLM"):
            train_grpo(Recipe(stage="grpo", grpo=Grpo(vllm=Vllm())), tmp_path / "out")


def test_no_sampled_answer_has_a_token_that_stands_for_a_picture(world: World) -> None:
    """Training on such an answer breaks: it has a place for a picture, and no picture."""
    backbone = open_backbone(world.recipe())
    forbidden = torch.tensor(list(backbone.unwritten))
    assert backbone.model.config.image_token_id in forbidden
    chance = {"do_sample": True, "temperature": 100.0, "top_k": 0, "max_new_tokens": 24}
    prompts = torch.full((64, 3), 20)
    found = []
    for unwritten in ((), backbone.unwritten):
        torch.manual_seed(1)
        settings = sampling_settings(None, unwritten)["generation_kwargs"]
        written = backbone.model.generate(input_ids=prompts, **settings, **chance)[:, 3:]
        found.append(int(torch.isin(written, forbidden).sum()))
    assert found[0] > 0
    assert found[1] == 0
    assert sampling_settings(Vllm(mode="colocate"), backbone.unwritten) == {}, "vLLM knows neither of the two"


def test_it_is_known_which_tokens_are_pictures_where_prompts_differ_in_length(world: World) -> None:
    """TRL fills prompts up on the left and takes the kinds of their tokens from the processor: if that filled up on the
    right, pictures would be looked for in the wrong place.
    """
    backbone = open_backbone(world.recipe())
    picture = {"type": "image", "image": Image.new("RGB", (56, 56))}
    asked = [[picture, {"type": "text", "text": "Tap the button. " * times}] for times in (1, 40)]
    prompts = [[{"role": "user", "content": parts}] for parts in asked]
    texts = [backbone.processing.apply_chat_template(each, add_generation_prompt=True) for each in prompts]
    given = backbone.processing(images=[[picture["image"]]] * 2, text=texts, padding=True, return_tensors="pt")
    single = backbone.processing(images=[[picture["image"]]], text=texts[:1], return_tensors="pt")
    alone = single["mm_token_type_ids"][0]
    assert given["input_ids"].shape[1] > 2 * len(alone)
    assert torch.equal(given["mm_token_type_ids"][0, -len(alone) :], alone)
    assert int(alone.sum()) > 0
    rows = [row[mask.bool()] for row, mask in zip(given["input_ids"], given["attention_mask"], strict=True)]
    padded = pad(rows, padding_value=0, padding_side="left")
    assert torch.equal((padded == backbone.model.config.image_token_id).int(), given["mm_token_type_ids"].int())


def test_trl_still_has_what_is_overridden() -> None:
    """Two methods of TRL's trainer have no public hook. If this fails, TRL has moved: compare its trainer with
    `SaccadeGRPOTrainer`, then raise the pinned version.
    """
    known = inspect.signature(trl.GRPOTrainer._get_per_token_logps_and_entropies).parameters
    assert list(known)[:5] == ["self", "model", "input_ids", "attention_mask", "logits_to_keep"]
    made = inspect.getsource(trl.GRPOTrainer._generate_and_score_completions)
    for name in ("prompt_mask", "completion_mask", "advantages"):
        assert f'"{name}"' in made, name
    assert "unwrapped_model.generate(" in inspect.getsource(trl.GRPOTrainer), "sampling goes through `generate`"
    own = {name for name in vars(SaccadeGRPOTrainer) if hasattr(trl.GRPOTrainer, name) and name.startswith("_")}
    own -= set(vars(object)) | {"_save", "__module__", "__doc__", "__init__"}
    assert own <= {"_generate_and_score_completions", "_get_per_token_logps_and_entropies"}


# -- training -------------------------------------------------------------------------------------------------------


def test_the_fast_path_learns_the_same_from_merged_steps(world: World, tmp_path: Path) -> None:
    """Two rows of four answers: one by one with padding, and as one packed step with each prompt and picture once."""
    logs = []
    for fast in (False, True):
        recipe = world.recipe(fast=fast, grpo={"kl": 0.04, "loss": "token", "updates": 2}, steps=4)
        train_grpo(recipe, tmp_path / str(fast), quiet=True)
        logs.append([line for line in lines(tmp_path / str(fast) / "log.jsonl") if "loss" in line])
    for plain, packed in zip(*logs, strict=True):
        for key in plain.keys() & {"reward", "loss", "gradient"}:  # `kl` is logged as a mean over steps
            assert packed[key] == pytest.approx(plain[key], rel=1e-3, abs=1e-6), (plain["step"], key)
    assert any(abs(line["loss"]) > 1e-4 for line in logs[0]), "something was there to learn"


@pytest.mark.parametrize(("longest_row", "together"), [(100, 8), (60_000, 1), (15_000, 4), (20_000, 2)])
def test_steps_are_merged_as_far_as_their_tokens_fit(longest_row: int, together: int) -> None:
    recipe = Recipe(stage="grpo", batch=1, accumulate=8, grpo=Grpo(generations=16, longest=256))
    assert merged_steps(recipe, longest_row) == together


@pytest.fixture(scope="module")
def whole(world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three steps with nothing between them."""
    out = tmp_path_factory.mktemp("whole")
    train_grpo(world.recipe(steps=3, save_every=1, grpo={"kl": 0.04}), out, quiet=True)
    return out


def test_it_learns_and_logs_every_part(world: World, whole: Path) -> None:
    log = lines(whole / "log.jsonl")
    assert [line["step"] for line in log] == [1, 2, 3]
    for line in log:
        for part in ("format", "blink", "link"):
            assert 0 <= line[f"rewards/btl/{part}/mean"] <= 1
            assert 0 <= line[f"rewards/btl/{part}/std"] <= 0.5
        parts = sum(line[f"rewards/btl/{part}/mean"] for part in ("format", "blink", "link"))
        assert line["reward"] == line["rewards/total/mean"] == pytest.approx(parts, abs=1e-5)
        assert line["rows_per_second"] > 0
    assert any(line["groups/flat"] < 1 for line in log), "there must be something to learn from"
    assert log[0]["kl"] == pytest.approx(0, abs=1e-6), "at first the policy is the reference"
    assert log[-1]["kl"] > 0
    assert changed(world.model, whole / "model")


def test_samples_are_kept_for_reading(whole: Path) -> None:
    samples = lines(whole / "samples.jsonl")
    assert len(samples) == 2 * 4
    for group in (samples[:4], samples[4:]):
        assert len({each["id"] for each in group}) == 1
        rewards = [each["reward"] for each in group]
        mean = sum(rewards) / 4
        spread = math.sqrt(sum((reward - mean) ** 2 for reward in rewards) / 3)
        for each in group:
            assert each["reward"] == pytest.approx(sum(each["parts"].values()))
            assert each["advantage"] == pytest.approx((each["reward"] - mean) / (spread + 1e-4), abs=1e-3)
            assert each["instruction"].startswith("Tap ")
            assert each["answer"] == each["completion"]


def test_the_result_opens_as_a_model(whole: Path) -> None:
    from saccade.models.base import Ask  # noqa: PLC0415
    from saccade.models.hf import open_hf  # noqa: PLC0415
    from saccade.types import Message  # noqa: PLC0415

    with open_hf(str(whole / "model")) as model:
        assert model.complete([Message("user", ("Hello",))], Ask(max_tokens=3))[0].usage.output <= 3


@pytest.mark.slow
def test_a_killed_run_goes_on_as_if_nothing_had_been(world: World, whole: Path, tmp_path: Path) -> None:
    recipe = world.recipe(steps=3, save_every=1, grpo={"kl": 0.04})
    saved = tmp_path / "checkpoints" / "checkpoint-1" / "trainer_state.json"
    kill_fork(begin_fork(lambda: train_grpo(recipe, tmp_path, quiet=True)), saved.is_file)
    assert not (tmp_path / "model").exists()
    torn = tmp_path / "samples.jsonl"
    torn.write_bytes(torn.read_bytes() + b'{"step": 1, "id": "half of a li')
    train_grpo(recipe, tmp_path, quiet=True)
    assert curves(tmp_path) == curves(whole)
    assert lines(tmp_path / "samples.jsonl") == lines(whole / "samples.jsonl")
    assert not changed(whole / "model", tmp_path / "model")


def curves(out: Path) -> list[dict[str, float]]:
    """A log without what a clock says."""
    clocks = ("seconds", "rows_per_second", "tokens_per_second", "step_time")
    return [{key: value for key, value in line.items() if key not in clocks} for line in lines(out / "log.jsonl")]


def test_only_adapters_of_the_language_model_learn(world: World, tmp_path: Path) -> None:
    recipe = world.recipe(lora=Lora(rank=4), grpo={"kl": 0.04, "loss": "token", "clip_high": 0.28}, checkpointing=True)
    train_grpo(recipe, tmp_path, quiet=True)
    touched = changed(world.model, tmp_path / "model")
    assert touched
    assert all("_proj." in name and "visual" not in name for name in touched)
    log = lines(tmp_path / "log.jsonl")
    assert log[0]["kl"] == pytest.approx(0, abs=1e-6), "the reference is the model without adapters"
    assert log[1]["kl"] > 0


def test_pictures_are_seen_at_the_paradigms_size(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder's image processor would show them at 200,000 pixels and more; the agent does not."""
    from saccade.models.hf import open_hf  # noqa: PLC0415
    from saccade.train.samples import read_rows  # noqa: PLC0415

    seen: list[Any] = []
    usual = SaccadeGRPOTrainer._generate_and_score_completions

    def spy(self: SaccadeGRPOTrainer, inputs: Any) -> Any:
        output = usual(self, inputs)
        seen.append((output["image_grid_thw"].tolist(), output["pixel_values"], output["prompt_ids"]))
        return output

    monkeypatch.setattr(SaccadeGRPOTrainer, "_generate_and_score_completions", spy)
    recipe = world.recipe(steps=1, accumulate=1, grpo={"longest": 4})
    train_grpo(recipe, tmp_path, quiet=True)
    row = read_rows(recipe, open_backbone(recipe)).train[order(2, 1, recipe.seed)[0]]
    model: Any = open_hf(str(world.model))
    inputs = model.reader.read(row.messages)
    grids, pixels, prompts = seen[0]
    assert grids == inputs["image_grid_thw"].tolist() * 4
    assert pixels.view(4, -1, pixels.shape[-1])[0].equal(inputs["pixel_values"])
    assert prompts[0].equal(inputs["input_ids"][0])


# -- rows that are too easy or too hard ------------------------------------------------------------------------------


def test_rows_from_which_nothing_is_learned_are_left_out(
    world: World, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    recipe = world.recipe(accumulate=1, steps=1)
    backbone = open_backbone(recipe)
    rows = read_rows(recipe, backbone).train
    first, second = probabilities(backbone, rows)
    alone = [each for row in rows for each in probabilities(backbone, [row])]
    assert alone == pytest.approx([first, second], abs=1e-5) and 0 < min(alone) < max(alone) < 1
    low, high = sorted((first, second))
    recipe = world.recipe(accumulate=1, steps=1, grpo={"between": (0.0, (low + high) / 2)})
    train_grpo(recipe, tmp_path / "one")
    said = " ".join(capfd.readouterr().err.split())
    assert "1 of 2 rows are trained on: 1 are too easy" in said and "and 0 too hard" in said
    assert {each["id"] for each in lines(tmp_path / "one/samples.jsonl")} == {f"s{int(second < first)}"}
    found = lines(tmp_path / "one" / PROBABILITIES)
    assert {each["id"]: each["probability"] for each in found} == pytest.approx({"s0": first, "s1": second}, abs=1e-5)
    none = world.recipe(grpo={"between": (0.0, low / 2)})
    with pytest.raises(InputError, match="no row's recorded answer has a probability between 0 and"):
        train_grpo(none, tmp_path / "none", quiet=True)


def test_probabilities_are_computed_once(world: World, tmp_path: Path) -> None:
    recipe = world.recipe()
    backbone = open_backbone(recipe)
    rows = read_rows(recipe, backbone).train
    file, asked = tmp_path / PROBABILITIES, []

    def track(batches: Any) -> Any:
        asked.append(len(batches))
        return batches

    found = answer_probabilities(backbone, rows, file, 1, track)
    whole = file.read_bytes()
    file.write_bytes(whole[: whole.index(b"\n") + 5])  # a kill
    assert answer_probabilities(backbone, rows, file, 1, track) == found
    assert file.read_bytes() == whole and asked == [2, 1]


def test_probabilities_are_kept_for_the_same_recipe_only(world: World, tmp_path: Path) -> None:
    from saccade.train.training_session import prepare_output  # noqa: PLC0415

    file, recipe = tmp_path / PROBABILITIES, world.recipe()
    prepare_output(recipe, tmp_path)
    file.write_text("kept")
    prepare_output(world.recipe(save_every=7), tmp_path)
    assert file.read_text() == "kept", "how often it is saved has no part in it"
    (tmp_path / "model").mkdir()
    with pytest.raises(InputError, match="another seed"):
        prepare_output(world.recipe(seed=5), tmp_path)
    assert file.read_text() == "kept", "a mistake loses nothing"
    (tmp_path / "model").rmdir()
    prepare_output(world.recipe(seed=5), tmp_path)
    assert not file.exists(), "other rows, other answers"


# -- nothing to learn from ------------------------------------------------------------------------------------------


def test_it_ends_where_nothing_can_be_learned(world: World, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A random model is never right."""
    model = world.model.parent / "random"
    recipe = world.recipe(model=str(model), steps=9, accumulate=1, grpo={"patience": 2, "longest": 9})
    assert train_grpo(recipe, tmp_path) == tmp_path / "model"
    assert [line["groups/flat"] for line in lines(tmp_path / "log.jsonl")] == [1, 1]
    said = " ".join(capfd.readouterr().err.split())
    assert "stopped at step 2: for 2 steps in a row every answer had a reward of 0" in said
    assert "Train with SFT first, or raise grpo.temperature" in said
    assert (tmp_path / "model" / "config.json").is_file()


def test_what_counts_as_a_collapse() -> None:
    def step(number: int, flat: float, reward: float = 0.0) -> dict[str, float]:
        return {"step": number, "groups/flat": flat, "reward": reward}

    assert collapsed([step(1, 1), step(2, 1)], patience=3) == ""
    assert collapsed([step(1, 1), step(2, 0.5), step(3, 1)], patience=3) == ""
    assert collapsed([step(1, 1)] * 9, patience=0) == ""
    assert "reward of 0" in collapsed([step(1, 0.5), step(2, 1), step(3, 1)], patience=2)
    same = collapsed([step(1, 1, 3), step(2, 1, 2), {"step": 2, "train_runtime": 1.0}], patience=2)
    assert same.startswith("stopped at step 2: for 2 steps in a row all answers to a row had the same reward (2.50 on")
    assert "nothing is left to learn" in same
