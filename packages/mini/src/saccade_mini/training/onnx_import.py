"""From a mini that runs to one that can be trained: the reverse of `onnx_export`.

Its weights are those of 8 or 4 bits: each is off by at most 1/254 or 1/14 of the largest in its block, which training
makes good within some steps.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.errors import InputError, MissingError
from saccade.models.torch_support import libraries
from saccade_mini.card import CARD, MODEL, Card, read_card

Array = npt.NDArray[Any]
BLOCK = 64
"""Weights that share a scale. It divides every width of the mini."""
SIZES = {
    "vocabulary": "vocab_size",
    "layers": "num_hidden_layers",
    "width": "hidden_size",
    "heads": "num_attention_heads",
    "key_heads": "num_key_value_heads",
    "head_size": "head_dim",
    "inner": "intermediate_size",
    "positions": "max_position_embeddings",
}
"""The sizes of a decoder as our card and transformers' configuration call them."""
TIED = "lm_head.weight"
"""The same weights as the embedding's, which stand in the file once."""


def onnx_library() -> Any:
    try:
        import onnx  # noqa: PLC0415  (an extra)
    except ImportError as error:
        raise MissingError(f"the mini's ONNX needs onnx: pip install 'saccade-mini[train]' ({error})") from None
    return onnx


def config_of(card: Card, **more: Any) -> Any:
    """The Qwen3 configuration of a card, with what the card does not say."""
    _, transformers = libraries()
    return transformers.Qwen3Config(**{theirs: getattr(card, ours) for ours, theirs in SIZES.items()}, **more)


def import_mini(folder: Path, **config: Any) -> Any:
    """The Qwen3 of an exported folder. `config` says what the card does not: how positions are counted."""
    torch, transformers = libraries()
    card = read_card(folder)
    model = transformers.Qwen3ForCausalLM(config_of(card, **config))
    wanted = {name: tuple(value.shape) for name, value in model.state_dict().items() if name != TIED}
    try:
        weights = read_weights(folder / MODEL, card)
    except (KeyError, ValueError):
        weights = {}
    if {name: value.shape for name, value in weights.items()} != wanted:
        raise InputError(f"{folder / MODEL} has not the weights that {folder / CARD} speaks of")
    model.load_state_dict({name: torch.from_numpy(value.copy()) for name, value in weights.items()}, strict=False)
    model.tie_weights()
    return model


def read_weights(file: Path, card: Card) -> dict[str, Array]:
    """The weights of an exported network, under the names that transformers gives them."""
    onnx = onnx_library()
    kept = {each.name: onnx.numpy_helper.to_array(each) for each in onnx.load(file).graph.initializer}
    query, keys = card.heads * card.head_size, card.key_heads * card.head_size
    found = {"model.embed_tokens.weight": dequantise(kept, "embed"), "model.norm.weight": kept["final.norm"]}
    norms = {"input_layernorm": "before", "post_attention_layernorm": "after"}
    norms |= {"self_attn.q_norm": "q", "self_attn.k_norm": "k"}
    for at in range(card.layers):
        own = {name: kept[f"{at}.{ours}.norm"] for name, ours in norms.items()}
        qkv = np.split(dequantise(kept, f"{at}.qkv"), [query, query + keys])
        own |= {f"self_attn.{each}_proj": value for each, value in zip("qkv", qkv, strict=True)}
        own["mlp.gate_proj"], own["mlp.up_proj"] = np.split(dequantise(kept, f"{at}.gate"), 2)
        own["self_attn.o_proj"] = dequantise(kept, f"{at}.out")
        own["mlp.down_proj"] = dequantise(kept, f"{at}.down")
        found |= {f"model.layers.{at}.{name}.weight": value for name, value in own.items()}
    return found


def dequantise(kept: dict[str, Array], name: str) -> Array:
    """A quantised matrix as numbers (of 4 bits, two share a byte); one of 32 bits as it is."""
    if f"{name}.T" in kept:
        return kept[f"{name}.T"].T
    numbers, middle = kept[name], 128
    if numbers.shape[-1] < BLOCK:
        numbers, middle = np.stack([numbers & 15, numbers >> 4], axis=-1).reshape(*numbers.shape[:2], -1), 8
    numbers = numbers.astype(np.float32) - middle
    return (numbers * kept[f"{name}.scales"].reshape(*numbers.shape[:2], 1)).reshape(len(numbers), -1)
