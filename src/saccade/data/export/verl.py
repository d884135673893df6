"""verl: parquet for `RLHFDataset`, pictures inside; GRPO."""

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
LOSSES = {"classic": "seq-mean-token-mean", "token": "token-mean"}


class Verl(Exporter):
    """verl's rows, reward function and command."""

    name = "verl"
    title = "verl 0.9"
    stages = ("grpo",)
    table = "parquet"
    pictures_inside = True

    def row(self, row: ExportedRow, stage: Stage) -> dict[str, Any]:
        return {
            "data_source": f"saccade/{row.paradigm}",
            "prompt": row.messages,
            "images": [{"bytes": picture.data} for picture in row.pictures],
            "ability": "gui",
            "reward_model": {"style": "rule", "ground_truth": row.truth},
            "extra_info": {"index": row.number, "id": row.id},
        }

    def reward_file(self, settings: TrainingSettings) -> str:
        body = """
def compute_score(data_source, solution_str, ground_truth, extra_info=None, **_):
    return REWARD.score(solution_str, ground_truth)
"""
        return reward_source(settings, body)

    def run_script(self, settings: TrainingSettings, files: ExportedFiles) -> str:
        """verl counts prompts in `train_batch_size` and `ppo_mini_batch_size`, answers in its micro batches."""
        grpo, actor, rollout = settings.grpo, "actor_rollout_ref.actor", "actor_rollout_ref.rollout"
        answers = settings.batch * grpo.generations
        values: dict[str, Any] = {
            "algorithm.adv_estimator": "grpo",
            "algorithm.use_kl_in_reward": False,
            "data.train_files": f'"$PWD/{files.train}"',
            "data.val_files": f'"$PWD/{files.held_back or files.train}"',
            "data.train_batch_size": settings.rows_a_step,
            "data.max_prompt_length": settings.longest,
            "data.max_response_length": grpo.longest,
            "data.filter_overlong_prompts": True,
            "data.truncation": "error",
            "data.image_key": "images",
            "data.seed": settings.seed,
            "reward.custom_reward_function.path": '"$PWD/reward.py"',
            "reward.custom_reward_function.name": "compute_score",
            "actor_rollout_ref.model.path": '"$MODEL"',
            "actor_rollout_ref.model.enable_gradient_checkpointing": True,
            f"{actor}.optim.lr": settings.learning_rate,
            f"{actor}.optim.lr_scheduler_type": named(SCHEDULES, settings.schedule, "schedule", "verl"),
            f"{actor}.optim.lr_warmup_steps_ratio": settings.warmup,
            f"{actor}.optim.weight_decay": settings.weight_decay,
            f"{actor}.grad_clip": settings.clip_gradient,
            f"{actor}.ppo_mini_batch_size": settings.rows_a_step,
            f"{actor}.ppo_micro_batch_size_per_gpu": answers,
            f"{actor}.ppo_epochs": grpo.updates,
            f"{actor}.clip_ratio_low": grpo.clip,
            f"{actor}.clip_ratio_high": settings.clip_high,
            f"{actor}.loss_agg_mode": LOSSES[grpo.loss],
            f"{actor}.use_kl_loss": grpo.kl > 0,
            f"{actor}.kl_loss_coef": grpo.kl,
            f"{actor}.kl_loss_type": "low_var_kl",
            f"{rollout}.name": "${ROLLOUT:-vllm}",
            f"{rollout}.n": grpo.generations,
            f"{rollout}.temperature": grpo.temperature,
            f"{rollout}.tensor_model_parallel_size": 1,
            f"{rollout}.log_prob_micro_batch_size_per_gpu": answers,
            "actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu": answers,
            "trainer.total_epochs": max(1, round(settings.epochs)),
            "trainer.save_freq": settings.save_every,
            "trainer.test_freq": settings.save_every if files.held_back else -1,
            "trainer.val_before_train": bool(files.held_back),
            "trainer.n_gpus_per_node": '"$GPUS"',
            "trainer.logger": '["console"]',
            "trainer.project_name": "saccade",
            "trainer.experiment_name": f"{settings.paradigm}-grpo",
            "trainer.rollout_data_dir": "rollouts",
        }
        if settings.lora:
            values |= {
                "actor_rollout_ref.model.lora_rank": settings.lora.rank,
                "actor_rollout_ref.model.lora_alpha": settings.lora.alpha,
                "actor_rollout_ref.model.exclude_modules": ".*visual.*",
            }
        command = ["python3 -m verl.trainer.main_ppo", *options(values, "{}={}")]
        return script("Trains with verl; answers are kept in rollouts/.", settings, command)
