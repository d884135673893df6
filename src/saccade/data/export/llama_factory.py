"""LLaMA-Factory: JSONL of messages with the paths of pictures; SFT only, it has no GRPO."""

from __future__ import annotations

from typing import Any

import msgspec
import yaml  # type: ignore[import-untyped]

from saccade.data.export.base import (
    DEFAULT_MODEL,
    ExportedFiles,
    ExportedRow,
    Exporter,
    Stage,
    TrainingSettings,
    script,
)

SCHEDULES = {"cosine": "cosine", "linear": "linear", "constant": "constant_with_warmup"}
TAGS = {"role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant"}
TAGS |= {"system_tag": "system"}
VISION_TEMPLATES = {"qwen2": "qwen2_vl", "qwen3": "qwen3_vl"}


class LlamaFactory(Exporter):
    """LLaMA-Factory's rows, description of the data set, and settings."""

    name = "llama-factory"
    title = "LLaMA-Factory 0.9"
    stages = ("sft",)

    def row(self, row: ExportedRow, stage: Stage) -> dict[str, Any]:
        said = [*row.messages, {"role": "assistant", "content": row.answer}]
        return {"messages": said, "images": [picture.name for picture in row.pictures]}

    def other_files(self, settings: TrainingSettings, files: ExportedFiles) -> dict[str, str]:
        columns = {"messages": "messages", "images": "images"}
        about = {"formatting": "sharegpt", "columns": columns, "tags": TAGS}
        names = {"saccade": files.train} | ({"saccade_held_back": files.held_back} if files.held_back else {})
        described = {name: {"file_name": file, **about} for name, file in names.items()}
        return {
            "dataset_info.json": msgspec.json.format(msgspec.json.encode(described), indent=2).decode() + "\n",
            "train.yaml": yaml.safe_dump(self.settings(settings, files), sort_keys=False),
        }

    def settings(self, settings: TrainingSettings, files: ExportedFiles) -> dict[str, Any]:
        """A recipe in LLaMA-Factory's words."""
        model, (low, high) = settings.model or DEFAULT_MODEL, files.pixels
        family = next((name for key, name in VISION_TEMPLATES.items() if key in model.lower()), "qwen2_vl")
        values: dict[str, Any] = {
            "model_name_or_path": model,
            "template": family,
            "image_min_pixels": low,
            "image_max_pixels": high,
            "stage": "sft",
            "do_train": True,
            "finetuning_type": "lora" if settings.lora else "full",
            "freeze_vision_tower": bool(settings.lora),
            "freeze_multi_modal_projector": bool(settings.lora),
            "dataset_dir": ".",
            "media_dir": ".",
            "dataset": "saccade",
            "cutoff_len": settings.longest,
            "learning_rate": settings.learning_rate,
            "lr_scheduler_type": SCHEDULES[settings.schedule],
            "warmup_ratio": settings.warmup,
            "num_train_epochs": settings.epochs,
            "per_device_train_batch_size": settings.batch,
            "gradient_accumulation_steps": settings.accumulate,
            "weight_decay": settings.weight_decay,
            "max_grad_norm": settings.clip_gradient,
            "bf16": True,
            "seed": settings.seed,
            "output_dir": "output",
            "save_steps": settings.save_every,
            "logging_steps": 1,
        }
        if settings.lora:
            values |= {"lora_rank": settings.lora.rank, "lora_alpha": settings.lora.alpha}
            values |= {"lora_dropout": settings.lora.dropout, "lora_target": "all"}
        if files.held_back:
            values |= {"eval_dataset": "saccade_held_back", "eval_strategy": "steps", "eval_steps": settings.save_every}
        return values

    def run_script(self, settings: TrainingSettings, files: ExportedFiles) -> str:
        command = ["llamafactory-cli train train.yaml", 'model_name_or_path="$MODEL"']
        return script("Trains with LLaMA-Factory; its settings are in train.yaml.", settings, command)
