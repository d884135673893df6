"""EasyR1: parquet with one user message a row, pictures inside; GRPO."""

from __future__ import annotations

from typing import Any

from saccade.data.export.base import (
    ExportedFiles,
    ExportedRow,
    Exporter,
    Stage,
    TrainingSettings,
    named,
    options,
    reward_source,
    script,
)

SCHEDULES = {"constant": "constant", "cosine": "cosine"}
LOSSES = {"classic": "seq", "token": "token"}


class EasyR1(Exporter):
    """EasyR1's rows, reward function and command. Its loader knows one message, so the system prompt stands before the
    user's in one text.
    """

    name = "easyr1"
    title = "EasyR1"
    stages = ("grpo",)
    table = "parquet"
    pictures_inside = True

    def row(self, row: ExportedRow, stage: Stage) -> dict[str, Any]:
        return {
            "prompt": "\n\n".join(message["content"] for message in row.messages),
            "images": [{"bytes": picture.data, "path": picture.name} for picture in row.pictures],
            "answer": row.truth,
        }

    def reward_file(self, settings: TrainingSettings) -> str:
        body = """
REWARD_NAME = "saccade"
REWARD_TYPE = "batch"


def compute_score(reward_inputs, **_):
    said, truths = [each["response"] for each in reward_inputs], [each["ground_truth"] for each in reward_inputs]
    return [{"overall": parts.pop("score"), **parts} for parts in REWARD.score_all(said, truths)]
"""
        return reward_source(settings, body)

    def run_script(self, settings: TrainingSettings, files: ExportedFiles) -> str:
        grpo, (low, high) = settings.grpo, files.pixels
        values: dict[str, Any] = {
            "data.train_files": f'"$PWD/{files.train}"',
            "data.val_files": f'"$PWD/{files.held_back or files.train}"',
            "data.prompt_key": "prompt",
            "data.answer_key": "answer",
            "data.image_key": "images",
            "data.min_pixels": low,
            "data.max_pixels": high,
            "data.max_prompt_length": settings.longest,
            "data.max_response_length": grpo.longest,
            "data.rollout_batch_size": settings.rows_a_step,
            "data.seed": settings.seed,
            "algorithm.adv_estimator": "grpo",
            "algorithm.disable_kl": grpo.kl == 0,
            "algorithm.use_kl_loss": True,
            "algorithm.kl_penalty": "low_var_kl",
            "algorithm.kl_coef": grpo.kl,
            "worker.actor.model.model_path": '"$MODEL"',
            "worker.actor.global_batch_size": settings.rows_a_step,
            "worker.actor.micro_batch_size_per_device_for_update": settings.batch,
            "worker.actor.max_grad_norm": settings.clip_gradient,
            "worker.actor.ppo_epochs": grpo.updates,
            "worker.actor.clip_ratio_low": grpo.clip,
            "worker.actor.clip_ratio_high": settings.clip_high,
            "worker.actor.loss_avg_mode": LOSSES[grpo.loss],
            "worker.actor.optim.lr": settings.learning_rate,
            "worker.actor.optim.lr_scheduler_type": named(SCHEDULES, settings.schedule, "schedule", "EasyR1"),
            "worker.actor.optim.lr_warmup_ratio": settings.warmup,
            "worker.actor.optim.weight_decay": settings.weight_decay,
            "worker.rollout.n": grpo.generations,
            "worker.rollout.temperature": grpo.temperature,
            "worker.rollout.tensor_parallel_size": 1,
            "worker.reward.reward_function": '"$PWD/reward.py:compute_score"',
            "trainer.total_epochs": max(1, round(settings.epochs)),
            "trainer.n_gpus_per_node": '"$GPUS"',
            "trainer.save_freq": settings.save_every,
            "trainer.val_freq": settings.save_every if files.held_back else -1,
            "trainer.val_before_train": bool(files.held_back),
            "trainer.logger": '["console", "file"]',
            "trainer.project_name": "saccade",
            "trainer.experiment_name": f"{settings.paradigm}-grpo",
        }
        if settings.lora:
            values |= {"worker.actor.model.lora.rank": settings.lora.rank}
            values |= {"worker.actor.model.lora.alpha": settings.lora.alpha}
        command = ["python3 -m verl.trainer.main", *options(values, "{}={}")]
        return script("Trains with EasyR1, whose package is called verl, too.", settings, command)
