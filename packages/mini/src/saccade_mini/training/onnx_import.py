"""From a mini that runs to one that can be trained: the reverse of `onnx_graph`.

Its weights are those of 8 or 4 bits: each is off by at most 1/254 or 1/14 of the largest in its block, which training
makes good within some steps.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from saccade.errors import InputError
from saccade.models.torch_support import libraries
from saccade_mini.card import CARD, MODEL, Card, read_card
from saccade_mini.training.onnx_graph import BLOCK, SIZES, Array, onnx_library

TIED = "lm_head.weight"
"""The same weights as the embedding's, which stand in the file once."""


def import_mini(folder: Path, config: dict[str, Any]) -> Any:
    """The Qwen3 of an exported folder. `config` says what the card does not: how positions are counted."""
    torch, transformers = libraries()
    card = read_card(folder)
    sizes = {theirs: getattr(card, ours) for ours, theirs in SIZES.items()}
    model = transformers.Qwen3ForCausalLM(transformers.Qwen3Config(**(config | sizes)))
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
    for at in range(card.layers):
        into = f"model.layers.{at}."
        q, k, v = np.split(dequantise(kept, f"{at}.qkv"), [query, query + keys])
        gate, up = np.split(dequantise(kept, f"{at}.gate"), 2)
        found |= {
            f"{into}input_layernorm.weight": kept[f"{at}.before.norm"],
            f"{into}self_attn.q_proj.weight": q,
            f"{into}self_attn.k_proj.weight": k,
            f"{into}self_attn.v_proj.weight": v,
            f"{into}self_attn.q_norm.weight": kept[f"{at}.q.norm"],
            f"{into}self_attn.k_norm.weight": kept[f"{at}.k.norm"],
            f"{into}self_attn.o_proj.weight": dequantise(kept, f"{at}.out"),
            f"{into}post_attention_layernorm.weight": kept[f"{at}.after.norm"],
            f"{into}mlp.gate_proj.weight": gate,
            f"{into}mlp.up_proj.weight": up,
            f"{into}mlp.down_proj.weight": dequantise(kept, f"{at}.down"),
        }
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
