"""A vision-language model that trains near the chip's limit, with the same numbers to rounding.

What transformers computes in a plain way, and what is put in its place (`fast` in a recipe):

    one attention call for each window of a picture    one for all windows (`segment_attention`)
    rows padded to the longest                         rows packed behind each other (`packing`)
    a 3-D convolution over single patches              the matrix product that it is
    the same screenshot once for each answer           once (`distinct_pictures_forward`)
    layers that run operation by operation             layers compiled
    every layer's activations computed twice           only as many as memory demands (`LayerCheckpointing`)

The replacements are methods of the model's own modules, so that saving, adapters and copies work as before.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import MethodType
from typing import Any

from saccade.errors import InputError
from saccade.models.fast_path import segment_attention
from saccade.models.fast_path.layer_checkpointing import LayerCheckpointing, recompute
from saccade.models.fast_path.packing import fingerprint_weights, packed_forward, vector_fingerprints
from saccade.models.torch_support import libraries

RECOMPILES = 64
"""How many variants of a layer torch may compile: trained or not, shared beginnings or not, by kind of layer."""


class FastModel:
    """A model whose parts have been replaced. `compile` is separate, because trainers wrap the model before."""

    def __init__(self, model: Any, shares_beginnings: bool, checkpoints: bool) -> None:
        base = model.get_base_model() if hasattr(model, "get_base_model") else model
        body = base.base_model
        self.vision, self.language = body.visual, body.language_model
        segment_attention.register()
        base.set_attn_implementation(
            {"vision_config": segment_attention.VISION, "text_config": segment_attention.LANGUAGE}
        )
        self.language.forward = MethodType(packed_forward, self.language)
        self.language.shares_beginnings = shares_beginnings
        self.vision.forward = MethodType(distinct_pictures_forward, self.vision)
        self.vision.patch_embed.forward = MethodType(patch_product, self.vision.patch_embed)
        if checkpoints:
            self.language.checkpointing_plan = LayerCheckpointing(list(self.language.layers), model)
            for block in self.vision.blocks if any(each.requires_grad for each in self.vision.parameters()) else ():
                recompute(block)

    def compile(self) -> None:
        """Compile each layer by itself: one graph then serves all layers of a kind, at any length."""
        torch, _ = libraries()
        torch._dynamo.config.recompile_limit = max(RECOMPILES, torch._dynamo.config.recompile_limit)
        for layer in [*self.vision.blocks, *self.language.layers]:
            layer.compile(dynamic=True)


def why_not(model: Any, precision: str) -> str:
    """Why the fast path cannot be taken with this model on this machine; empty if it can."""
    torch, _ = libraries()
    body: Any = getattr(model, "base_model", None)
    if not hasattr(body, "visual") or not hasattr(body, "language_model"):
        return f"{type(model).__name__} is not made of `visual` and `language_model`"
    if not hasattr(body.visual, "blocks") or not hasattr(body.visual, "patch_embed"):
        return f"the vision tower of {type(model).__name__} is of another kind"
    if not torch.cuda.is_available():
        return "there is no GPU"
    if torch.cuda.get_device_capability() < (8, 0):
        return f"{torch.cuda.get_device_name()} is older than flash attention needs"
    if precision == "float32":
        return "flash attention computes in bfloat16, and the recipe asks for float32"
    if "scale" not in segment_attention.varlen_arguments():
        return f"torch {torch.__version__} has no variable-length attention with a scale: install 2.11 or later"
    return ""


def open_fast(model: Any, wanted: bool | str, precision: str, **options: Any) -> tuple[FastModel | None, str]:
    """The model with its parts replaced, if `wanted` (auto: where it can be), and a sentence on what was decided."""
    if wanted is False:
        return None, ""
    base = model.get_base_model() if hasattr(model, "get_base_model") else model
    reason = why_not(base, precision)
    if not reason:
        return FastModel(model, **options), "rows are packed, and layers compiled (`fast`)"
    if wanted == "auto":
        return None, f"the plain path is taken: {reason}"
    if not hasattr(getattr(base, "base_model", None), "language_model"):
        raise InputError(f"`fast: true` cannot be had: {reason}; use `fast: auto`")
    return FastModel(model, **options), f"rows are packed, but slowly: {reason}"


@contextmanager
def uncompiled() -> Iterator[None]:
    """Within, compiled layers run as they were written: a growing cache would compile each of them at every token."""
    torch, _ = libraries()
    with torch.compiler.set_stance("force_eager"):
        yield


def patch_product(self: Any, hidden_states: Any) -> Any:
    """A convolution whose stride is its kernel, over patches that are cut out already: a matrix product."""
    torch, _ = libraries()
    weight = self.proj.weight
    flat = hidden_states.to(weight.dtype).view(-1, weight[0].numel())
    return torch.nn.functional.linear(flat, weight.flatten(1), self.proj.bias)


def distinct_pictures_forward(self: Any, hidden_states: Any, grid_thw: Any, **rest: Any) -> Any:
    """The forward method of a vision tower, for each picture once however often it comes."""
    torch, _ = libraries()
    whole = type(self).forward
    sizes = grid_thw.prod(-1).tolist()
    if len(sizes) == 1:
        return whole(self, hidden_states, grid_thw=grid_thw, **rest)
    weights = fingerprint_weights(hidden_states.shape[-1], hidden_states.device)
    prints = [vector_fingerprints(each, weights).cpu().numpy().tobytes() for each in hidden_states.split(sizes)]
    keys = [(tuple(grid), each) for grid, each in zip(grid_thw.tolist(), prints, strict=True)]
    first = {key: at for at, key in reversed(list(enumerate(keys)))}
    kept = sorted(first.values())
    if len(kept) == len(sizes):
        return whole(self, hidden_states, grid_thw=grid_thw, **rest)
    pixels = hidden_states.split(sizes)
    output = whole(self, torch.cat([pixels[at] for at in kept]), grid_thw=grid_thw[kept], **rest)
    merged = self.spatial_merge_size**2
    which = [kept.index(first[key]) for key in keys]

    def repeated(features: Any) -> Any:
        parts = features.split([sizes[at] // merged for at in kept])
        return torch.cat([parts[at] for at in which])

    output.pooler_output = repeated(output.pooler_output)
    if getattr(output, "deepstack_features", None) is not None:
        output.deepstack_features = [repeated(each) for each in output.deepstack_features]
    return output
