"""Chat models, by name: `mini`, `openai/NAME`, `hf/PATH`, `scripted/FILE`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from saccade.errors import InputError
from saccade.models.base import Ask, Completion, Model, ModelError, Usage
from saccade.plugins import source_of
from saccade.registry import Registry

MODELS: Registry[Callable[..., Model]] = Registry(
    "model",
    {
        "openai": "saccade.models.openai:open_openai",
        "hf": "saccade.models.hf:open_hf",
        "scripted": "saccade.models.scripted:open_scripted",
    },
    accepts=callable,
)
"""From what stands behind the name (a model's name, a path) and options to a model."""


def open_model(name: str, **options: Any) -> Model:
    """A model by its name on the command line. Options are those of its kind: `base_url`, `api_key`, `device` …"""
    kind, _, rest = name.partition("/")
    opener = MODELS.get(kind)
    try:
        model = opener(rest, **options)
    except TypeError as error:
        if "unexpected keyword argument" not in str(error):
            raise
        raise InputError(f"the model {name}: {error}") from None  # an option that this kind of model does not have
    if not isinstance(model, Model):
        got = type(model).__name__
        raise InputError(f"{source_of(opener)}: it opens the model {kind!r} and returned {got}: it must return a Model")
    return model


__all__ = ["MODELS", "Ask", "Completion", "Model", "ModelError", "Usage", "open_model"]
