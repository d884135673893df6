"""The model that is trained, with how it reads rows: one protocol for vision-language models and for the mini."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from saccade.geometry import Frame
from saccade.models.families import Sight
from saccade.train.recipe import Recipe, is_mini
from saccade.types import Message


class Backbone(Protocol):
    """A model and its codec."""

    model: Any
    """A transformers model with a language-model head."""
    processing: Any
    """What TRL calls a processing class: tokenizer or processor."""
    frame: Frame
    """How it writes places."""
    sight: Sight | None
    """How it sees pictures; none: it sees none."""
    template: Path | None
    """The prompt it reads, where that is not the paradigm's own."""
    projections: str
    """A regular expression of the modules that LoRA adapts: the language model's, never the vision tower's."""
    vision_projections: str
    """The vision tower's, for who asks for them."""

    def encode(self, messages: Sequence[Message], answer: str | None, chance: random.Random | None = None,
               most: int | None = None) -> dict[str, Any]:  # fmt: skip
        """`input_ids` and, with an answer, `labels` (-100 on all that is not answer), and whatever pictures need.
        `chance` may vary what does not matter (the names of elements); `most` keeps so many elements (curriculum).
        """

    def collate(self, samples: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """A batch of tensors, padded on the right."""

    def chat(self, messages: Sequence[Message]) -> dict[str, Any]:
        """The row of a TRL dataset: `prompt` (and `images`)."""

    def answer(self, messages: Sequence[Message], completion: str) -> str:
        """A completion as the paradigm's own text."""

    def save(self, folder: Path) -> None:
        """Model and all its files, as `open_backbone` and `open_model` read them."""


def open_backbone(recipe: Recipe) -> Backbone:
    """What the recipe's `model` names."""
    if is_mini(recipe.model):
        from saccade_mini.training.backbone import MiniBackbone  # noqa: PLC0415  (imports torch)

        return MiniBackbone.open(recipe)
    from saccade.train.vision import VisionBackbone  # noqa: PLC0415

    return VisionBackbone.open(recipe)
