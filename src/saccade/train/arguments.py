"""A recipe as arguments of transformers' trainers: what all three stages have in common."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path
from typing import Any

from saccade.models.torch_support import libraries
from saccade.train.recipe import Recipe

SCHEDULES = {"cosine": "cosine", "linear": "linear", "constant": "constant_with_warmup"}


def shared_arguments(recipe: Recipe, out: Path, steps: int, measured: bool, recomputes: bool) -> dict[str, Any]:
    """Arguments for one device. Reports go through `TrainingSession`, not through transformers. `recomputes`: compute
    the activations of every layer again in the backward pass.
    """
    torch, transformers = libraries()
    gpu = torch.cuda.is_available()
    named = {each.name for each in fields(transformers.TrainingArguments)}
    again = "activation_checkpointing" if "activation_checkpointing" in named else "gradient_checkpointing"
    return {
        "output_dir": str(out / "checkpoints"),
        "max_steps": steps,
        "gradient_accumulation_steps": recipe.accumulate,
        "learning_rate": recipe.learning_rate,
        "lr_scheduler_type": SCHEDULES[recipe.schedule],
        "warmup_steps": round(recipe.warmup * steps),
        "weight_decay": recipe.weight_decay,
        "max_grad_norm": recipe.clip_gradient,
        "bf16": gpu and recipe.precision != "float32",
        "use_cpu": not gpu,
        again: recomputes,  # transformers 5.23 renamed it
        f"{again}_kwargs": {"use_reentrant": False},
        "logging_nan_inf_filter": False,
        "save_strategy": "steps",
        "save_steps": recipe.save_every,
        "save_total_limit": recipe.keep,
        "eval_strategy": "steps" if measured else "no",
        "eval_steps": recipe.save_every,
        "seed": recipe.seed,
        "report_to": list(recipe.report_to) or "none",
        "disable_tqdm": True,
    }


def worker_count(recipe: Recipe) -> int:
    """Processes that prepare rows."""
    torch, _ = libraries()
    if recipe.workers != "auto":
        return recipe.workers
    return min(8, max(1, (os.cpu_count() or 1) - 1)) if torch.cuda.is_available() else 0


def save_weights(model: Any, folder: str, state_dict: Any) -> None:
    """Save a checkpoint under the names that the model in memory has for its weights. Under the older names of
    published folders, resuming would find none of them and silently train the weights it began with.
    """
    usual = {} if hasattr(model, "peft_config") else {"save_original_format": False}
    model.save_pretrained(folder, state_dict=state_dict, **usual)
