"""Chat models, by name: `mini`, `openai/NAME`, `hf/PATH`, `scripted/FILE`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from saccade.models.base import Ask, Completion, Model, ModelError, Usage
from saccade.registry import Registry

MODELS: Registry[Callable[..., Model]] = Registry(
    "model",
    {
        "openai": "saccade.models.openai:open_openai",
        "hf": "saccade.models.hf:open_hf",
        "scripted": "saccade.models.scripted:open_scripted",
    },
)
"""From what stands behind the name (a model's name, a path) and options to a model."""


def open_model(name: str, **options: Any) -> Model:
    """A model by its name on the command line. Options are those of its kind: `base_url`, `api_key`, `device` …"""
    kind, _, rest = name.partition("/")
    return MODELS.get(kind)(rest, **options)


__all__ = ["MODELS", "Ask", "Completion", "Model", "ModelError", "Usage", "open_model"]
