"""ms-swift: JSONL of messages with the paths of pictures; GRPO and SFT."""

from __future__ import annotations

from typing import Any

from saccade.data.export.base import (
    ExportedFiles,
    ExportedRow,
    Exporter,
    Stage,
    TrainingSettings,
    options,
    reward_source,
    script,
)

SCHEDULES = {"cosine": "cosine", "linear": "linear", "constant": "constant_with_warmup"}
LOSSES = {"classic": "grpo", "token": "dapo"}


class MsSwift(Exporter):
    """ms-swift's rows, reward plug-in and command."""

    name = "ms-swift"
    title = "ms-swift 4.6"
    stages = ("grpo", "sft")

    def row(self, row: ExportedRow, stage: Stage) -> dict[str, Any]:
        """Paths are relative to the export: run.sh sets ROOT_IMAGE_DIR. The truth's column is called `solution`: that
        one is copied into completions.jsonl, from which answers can be read back.
        """
        said = [*row.messages, {"role": "assistant", "content": row.answer}]
        made: dict[str, Any] = {"messages": said, "images": [picture.name for picture in row.pictures]}
        return made | ({"solution": row.truth} if stage == "grpo" else {})

    def reward_file(self, settings: TrainingSettings) -> str:
        body = """
class SaccadeReward(ORM):
    def __call__(self, completions, solution, **_):
        return [each["score"] for each in REWARD.score_all(completions, solution)]


orms["saccade"] = SaccadeReward
"""
        return reward_source(settings, body, ["from swift.rewards import ORM, orms"])

    def run_script(self, settings: TrainingSettings, files: ExportedFiles) -> str:
        low, high = files.pixels
        before = [f'export MIN_PIXELS={low} MAX_PIXELS={high} ROOT_IMAGE_DIR="$PWD"']
        before += ['[ "$GPUS" = 1 ] || export NPROC_PER_NODE="$GPUS"']
        kind, own = ("swift rlhf", self.grpo(settings)) if settings.stage == "grpo" else ("swift sft", {})
        values: dict[str, Any] = {
            "model": '"$MODEL"',
            "dataset": files.train,
            "val_dataset": files.held_back or None,
            "split_dataset_ratio": 0,
            "learning_rate": settings.learning_rate,
            "lr_scheduler_type": SCHEDULES[settings.schedule],
            "warmup_ratio": settings.warmup,
            "num_train_epochs": settings.epochs,
            "per_device_train_batch_size": settings.batch,
            "gradient_accumulation_steps": settings.accumulate,
            "max_length": settings.longest,
            "weight_decay": settings.weight_decay,
            "max_grad_norm": settings.clip_gradient,
            "tuner_type": "lora" if settings.lora else "full",
            "freeze_vit": bool(settings.lora),
            "freeze_aligner": bool(settings.lora),
            "save_steps": settings.save_every,
            "logging_steps": 1,
            "seed": settings.seed,
            "output_dir": "output",
        }
        if settings.lora:
            values |= {"lora_rank": settings.lora.rank, "lora_alpha": settings.lora.alpha}
            values |= {"lora_dropout": settings.lora.dropout}
        command = [kind, *options(values | own, "--{} {}")]
        return script("Trains with ms-swift; results are in output/.", settings, command, before)

    def grpo(self, settings: TrainingSettings) -> dict[str, Any]:
        """As in TRL, `per_device_train_batch_size` counts answers: `batch` rows are `batch × generations` of them."""
        grpo = settings.grpo
        return {
            "rlhf_type": "grpo",
            "external_plugins": "reward.py",
            "reward_funcs": "saccade",
            "num_generations": grpo.generations,
            "per_device_train_batch_size": settings.batch * grpo.generations,
            "per_device_eval_batch_size": settings.batch * grpo.generations,
            "steps_per_generation": settings.accumulate,
            "num_iterations": grpo.updates,
            "max_completion_length": grpo.longest,
            "temperature": grpo.temperature,
            "loss_type": LOSSES[grpo.loss],
            "epsilon": grpo.clip,
            "epsilon_high": grpo.clip_high,
            "beta": grpo.kl,
            "scale_rewards": "group",
            "log_completions": True,
        }
