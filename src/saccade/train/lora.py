"""Low-rank adapters (LoRA, by PEFT): on the language model's projections, and on the vision tower's if asked.

`all-linear` would also adapt the vision tower, which is why the modules are named (`Backbone.projections`).
"""

from __future__ import annotations

import re
from typing import Any

from saccade.errors import InputError, MissingError
from saccade.train.backbone import Backbone
from saccade.train.recipe import Recipe


def add_lora(model: Any, recipe: Recipe, backbone: Backbone) -> Any:
    """The model with adapters, and only these learn; the model itself where the recipe wants none."""
    if recipe.lora is None:
        return model
    try:
        from peft import LoraConfig, get_peft_model  # noqa: PLC0415  (an extra)
    except ImportError as error:
        raise MissingError(f"adapters need peft: pip install 'saccade[train]' ({error})") from None
    pattern = backbone.projections
    if recipe.lora.vision:
        pattern = f"(?:{pattern})|(?:{backbone.vision_projections})"
    if not any(re.fullmatch(pattern, name) for name, _ in model.named_modules()):
        raise InputError(f"{recipe.model} has no projections that LoRA could adapt: leave lora out of the recipe")
    config = LoraConfig(
        r=recipe.lora.rank,
        lora_alpha=recipe.lora.alpha,
        lora_dropout=recipe.lora.dropout,
        target_modules=pattern,
        task_type="CAUSAL_LM",
    )
    return get_peft_model(model, config)


def merged(model: Any) -> Any:
    """The model with its adapters worked into its weights: what can be used without PEFT."""
    return model.merge_and_unload() if hasattr(model, "merge_and_unload") else model
