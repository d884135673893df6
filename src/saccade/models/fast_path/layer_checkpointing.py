"""Recomputes the activations of as many layers as memory demands, and no more (gradient checkpointing by measure)."""

from __future__ import annotations

from functools import partial
from typing import Any

from saccade.models.torch_support import libraries

USED = 0.92
"""The share of the card's memory that may be planned with: the rest is for what the allocator cannot use."""
OPTIMISER_BYTES = 12
"""For each number that is trained: a gradient and AdamW's two moments, in float32."""
HEAD_BYTES = 8 * 2**30
"""For the logits and what else is there for a moment."""


class LayerCheckpointing:
    """Lets as many layers compute their activations twice as memory demands, and no more.

    What a layer keeps for a token is measured: the first forward pass keeps nothing, the second keeps what SAMPLED
    layers have; from then on the layers are chosen for each batch by its tokens.
    """

    SAMPLED = 4

    def __init__(self, layers: list[Any], model: Any) -> None:
        self.layers = layers
        self.trained = sum(each.numel() for each in model.parameters() if each.requires_grad)
        self.bytes_for_a_token: list[float] = []
        """Of all layers when none is kept, and of each one that is."""
        self.at_first: int | None = None
        """Allocated before the first pass: weights, the reference model, what the vision tower keeps."""
        self.before = 0
        """Allocated before this pass."""
        for layer in layers:
            recompute(layer)

    def choose(self, tokens: int) -> None:
        """Choose the layers for a batch of so many tokens, before its pass."""
        torch, _ = libraries()
        if not torch.is_grad_enabled():
            return
        self.before = allocated()
        self.at_first = self.before if self.at_first is None else self.at_first
        kept = self.SAMPLED * len(self.bytes_for_a_token)
        if len(self.bytes_for_a_token) == 2:
            none, each = self.bytes_for_a_token
            free = total_memory() * USED - self.at_first - self.trained * OPTIMISER_BYTES - HEAD_BYTES
            kept = int((free - none * tokens) / max(1.0, each * tokens))
        for at, layer in enumerate(self.layers):
            layer.gradient_checkpointing = at >= kept

    def measure(self, tokens: int) -> None:
        """Note what a pass has left in memory, while this is not known yet."""
        torch, _ = libraries()
        if len(self.bytes_for_a_token) == 2 or not torch.is_grad_enabled():
            return
        found = (allocated() - self.before) / tokens
        if self.bytes_for_a_token:
            found = (found - self.bytes_for_a_token[0]) / min(self.SAMPLED, len(self.layers))
        self.bytes_for_a_token.append(found)


def recompute(layer: Any) -> None:
    """Let a layer of transformers compute its activations again in the backward pass."""
    torch, _ = libraries()
    layer._gradient_checkpointing_func = partial(torch.utils.checkpoint.checkpoint, use_reentrant=False)
    layer.gradient_checkpointing = True


def allocated() -> int:
    """Bytes of the GPU's memory that are in use."""
    torch, _ = libraries()
    return int(torch.cuda.memory_allocated()) if torch.cuda.is_available() else 0


def total_memory() -> int:
    """Bytes of the GPU's memory; without one, more than anything needs."""
    torch, _ = libraries()
    return int(torch.cuda.mem_get_info()[1]) if torch.cuda.is_available() else 2**62
