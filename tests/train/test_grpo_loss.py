"""The loss of GRPO against values computed by hand, and clipping with several updates of one sampling."""

from __future__ import annotations

import math
import shutil
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from grpo_data import World, changed, lines, taught_world

from saccade.train.backbone import open_backbone
from saccade.train.grpo import make_trainer, train_grpo
from saccade.train.rewards import CompletionScorer
from saccade.train.samples import read_rows
from saccade.train.training_session import TrainingSession

pytestmark = pytest.mark.train


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return taught_world(tmp_path_factory.mktemp("grpo"))


def loss_of(world: World, out: Path, inputs: dict[str, Any], now: Any, **grpo: Any) -> tuple[float, dict[str, float]]:
    """The loss that the trainer computes where the policy gives the answers' tokens the log-probabilities `now`, and
    the metrics that it logs.
    """
    import torch  # noqa: PLC0415

    recipe = world.recipe(grpo=grpo, accumulate=1)
    backbone = open_backbone(recipe)
    rows, scorer = read_rows(recipe, backbone), CompletionScorer({}, {"btl"})
    trainer = make_trainer(recipe, out, backbone, rows, scorer, TrainingSession(recipe, out, quiet=True))
    trainer._get_per_token_logps_and_entropies = lambda *_, **__: (now, torch.zeros_like(now), None)
    trainer._metrics = {"train": defaultdict(list)}
    trainer.current_gradient_accumulation_steps = 1
    trainer.model.train()
    mask = torch.tensor([[1, 1], [1, 0]])
    inputs |= {"prompt_ids": mask * 0, "prompt_mask": mask, "completion_ids": mask * 0, "completion_mask": mask}
    inputs["num_items_in_batch"] = mask.sum().float()
    found = trainer._compute_loss(trainer.model, inputs).item()
    return found, {name: values[0] for name, values in trainer._metrics["train"].items()}


def test_the_clipped_loss_by_hand(world: World, tmp_path: Path) -> None:
    """Two answers, of two tokens and of one. Their ratios are 1.5 and 0.9 with advantage 2, and 0.5 with advantage -1.

    Each token's term is min(ratio A, clip(ratio, 0.8, 1.28) A): min(3, 2.56) = 2.56; min(1.8, 1.8) = 1.8;
    min(-0.5, -0.8) = -0.8. SecAgent's eq. 5 divides by all tokens: -(2.56 + 1.8 - 0.8) / 3. The classic loss takes each
    answer's mean first: -((2.56 + 1.8) / 2 - 0.8) / 2.
    """
    import torch  # noqa: PLC0415

    ratios = torch.tensor([[1.5, 0.9], [0.5, 7.0]])  # the last token is padding
    inputs = {"old_per_token_logps": torch.full((2, 2), -1.0), "advantages": torch.tensor([2.0, -1.0])}
    given: dict[str, Any] = {"clip": 0.2, "clip_high": 0.28}
    token, logged = loss_of(world, tmp_path, dict(inputs), ratios.log() - 1, loss="token", **given)
    assert token == pytest.approx(-3.56 / 3, abs=1e-6)
    assert logged["clip_ratio/high_mean"] == pytest.approx(1 / 3), "1.5 > 1.28 with an advantage above 0"
    assert logged["clip_ratio/low_mean"] == pytest.approx(1 / 3), "0.5 < 0.8 with an advantage below 0"
    assert logged["clip_ratio/region_mean"] == pytest.approx(2 / 3)
    classic, _ = loss_of(world, tmp_path, dict(inputs), ratios.log() - 1, loss="classic", **given)
    assert classic == pytest.approx(-(2.18 - 0.8) / 2, abs=1e-6)


def test_the_divergence_by_hand(world: World, tmp_path: Path) -> None:
    """The policy is as it sampled (ratios 1, advantages 2 and -1). The reference gives the tokens 2, 1 and 1/2 of the
    policy's probability, so that exp(d) - d - 1 is 1 - ln 2, 0, and ln 2 - 1/2: together 1/2. SecAgent: the loss is
    -(2 + 2 - 1)/3 + 0.04 (1/2)/3.
    """
    import torch  # noqa: PLC0415

    now = torch.full((2, 2), -1.0)
    inputs = {"advantages": torch.tensor([2.0, -1.0])}
    inputs["ref_per_token_logps"] = now + torch.tensor([[2.0, 1.0], [0.5, 1.0]]).log()
    found, logged = loss_of(world, tmp_path, inputs, now, loss="token", kl=0.04)
    assert (1 - math.log(2)) + (math.log(2) - 0.5) == pytest.approx(0.5)
    assert found == pytest.approx(-1 + 0.04 * 0.5 / 3, abs=1e-6)
    assert logged["kl"] == pytest.approx(0.5 / 3, abs=1e-6)


def test_clipping_binds_only_with_several_updates(world: World, tmp_path: Path) -> None:
    changes: dict[str, Any] = {"accumulate": 1, "learning_rate": 1e-2, "steps": 4, "save_every": 3}
    grpo = {"loss": "token", "clip": 0.2, "clip_high": 0.28, "kl": 0.04}
    train_grpo(world.recipe(**changes, grpo=grpo), tmp_path / "one", quiet=True)
    train_grpo(world.recipe(**changes, grpo=grpo | {"updates": 4}), tmp_path / "four", quiet=True)
    one, four = lines(tmp_path / "one" / "log.jsonl"), lines(tmp_path / "four" / "log.jsonl")
    shares = ("clip_ratio", "clip_ratio/low", "clip_ratio/high")
    assert all(line[share] == 0 for line in one for share in shares)
    assert all("reward" in line for line in one), "answers are sampled at each step"
    assert [share for share in shares if share not in four[0]] == []
    assert four[0]["clip_ratio"] == 0, "the first update is of the weights that answered"
    assert max(line["clip_ratio"] for line in four) > 0
    assert ["reward" in line for line in four] == [True, False, False, False], "one sampling, four updates"
    kept = [folder.name for folder in (tmp_path / "four" / "checkpoints").iterdir()]
    assert kept == ["checkpoint-4"], "a checkpoint lies between two samplings"
    assert changed(tmp_path / "one" / "model", tmp_path / "four" / "model")


def test_a_run_with_several_updates_goes_on_between_two_samplings(world: World, tmp_path: Path) -> None:
    recipe = world.recipe(accumulate=1, steps=4, save_every=1, keep=9, grpo={"updates": 2, "kl": 0.04})
    whole, again = tmp_path / "whole", tmp_path / "again"
    train_grpo(recipe, whole, quiet=True)
    saved = sorted(folder.name for folder in (whole / "checkpoints").iterdir())
    assert saved == ["checkpoint-2", "checkpoint-4"]
    shutil.copytree(whole, again)
    shutil.rmtree(again / "model")
    shutil.rmtree(again / "checkpoints" / "checkpoint-4")
    train_grpo(recipe, again, quiet=True)
    first, second = (
        [(line["step"], line["loss"], line["clip_ratio"]) for line in lines(out / "log.jsonl")]
        for out in (whole, again)
    )
    assert first == second and len(first) == 4
    assert not changed(whole / "model", again / "model")


def test_ctrl_c_waits_for_the_last_update_of_a_sampling(world: World, tmp_path: Path) -> None:
    from transformers import TrainerControl, TrainerState, TrainingArguments  # noqa: PLC0415

    session = TrainingSession(world.recipe(grpo={"updates": 2}), tmp_path, quiet=True)
    session.interrupted = True
    stopped = []
    for step in (1, 2):
        state = TrainerState(global_step=step, max_steps=9)
        control = session.on_step_end(TrainingArguments(str(tmp_path), use_cpu=True), state, TrainerControl())
        stopped.append(control.should_training_stop and control.should_save)
    assert stopped == [False, True]
