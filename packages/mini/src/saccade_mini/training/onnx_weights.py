"""Between a mini that is trained (torch) and one that runs (ONNX), with weights in 4 or 8 bits.

All minis have one shape, and its graph is that of the mini that ships. So an export puts other weights into that graph,
and an import takes them out. The graph was written by hand, eighteen operations a layer, because onnxruntime has fused
ones for most of a Qwen3 decoder (attention with a cache that stays where it is, products with weights of few bits):

    tokens ─ embed ─▶ [ norm ─ qkv ─ norm of q and k ─ attention ─ out ─ norm ─ SwiGLU ] × layers ─ norm ─▶ head

The head is the embedding's own weights (the next token) or `score` (one number: the process reward).
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from saccade.agents.prm_prompt import FILE as PROMPT
from saccade.errors import InputError, MissingError
from saccade.models.torch_support import libraries
from saccade.records import write_object, write_whole
from saccade_mini.card import CARD, MODEL, REWARD, TOKENIZER, Card, read_card
from saccade_mini.codec import SPECIAL
from saccade_mini.model import WEIGHTS

Array = npt.NDArray[Any]
BLOCK = 64
"""Weights that share a scale. It divides every width of the mini."""
EMBEDDING, HEAD, SCORE = "embed", "lm_head.weight", "score"
"""The head of words has the embedding's weights, which stand in the file once."""
TOKENS = {"pad_token_id": SPECIAL.index("<pad>"), "eos_token_id": SPECIAL.index("<end>")}
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
LAYER = {
    "before.norm": ("input_layernorm",),
    "after.norm": ("post_attention_layernorm",),
    "q.norm": ("self_attn.q_norm",),
    "k.norm": ("self_attn.k_norm",),
    "qkv": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "out": ("self_attn.o_proj",),
    "gate": ("mlp.gate_proj", "mlp.up_proj"),
    "down": ("mlp.down_proj",),
}
"""The weights of a layer, in the graph and in transformers, where some are in several parts."""


def config_of(card: Card, **more: Any) -> Any:
    """The Qwen3 configuration of a card, with what all minis have besides their sizes."""
    _, transformers = libraries()
    sizes = {theirs: getattr(card, ours) for ours, theirs in SIZES.items()}
    return transformers.Qwen3Config(**sizes, tie_word_embeddings=True, rope_theta=10_000.0, **TOKENS, **more)


def parts_of(layers: int) -> dict[str, list[str]]:
    """Of each weight in the graph, the names of its parts in transformers."""
    found = {EMBEDDING: ["model.embed_tokens.weight"], "final.norm": ["model.norm.weight"]}
    for at in range(layers):
        for ours, theirs in LAYER.items():
            found[f"{at}.{ours}"] = [f"model.layers.{at}.{each}.weight" for each in theirs]
    return found


def import_mini(folder: Path) -> Any:
    """The Qwen3 of an exported folder. A weight is off by 1/14 of the largest in its block at most (8 bits: 1/254)."""
    torch, transformers = libraries()
    card = read_card(folder)
    model = transformers.Qwen3ForCausalLM(config_of(card))
    kept = {each.name: _onnx().numpy_helper.to_array(each) for each in _onnx().load(folder / MODEL).graph.initializer}
    state = model.state_dict()
    try:
        for ours, theirs in parts_of(card.layers).items():
            parts = torch.tensor(dequantised(kept, ours)).split([len(state[each]) for each in theirs])
            state |= zip(theirs, parts, strict=True)
        model.load_state_dict({name: value for name, value in state.items() if name != HEAD}, strict=False)
    except (KeyError, ValueError, RuntimeError):
        raise InputError(f"{folder / MODEL} has not the weights that {folder / CARD} speaks of") from None
    model.tie_weights()
    return model


def export_mini(folder: Path, out: Path, bits: int = 8) -> Path:
    """Write what a training left in a folder, the layers' weights in so many bits (4 or 8). A model with a score head
    becomes the reward model beside the model that is already in `out`.

    The mini ships in 4 bits. A short training moves weights by a fraction of a 4-bit step: 4 bits would undo it.
    """
    if bits not in (4, 8):
        raise InputError(f"a mini can be exported in 4 or 8 bits, not in {bits}")
    card, config = read_card(folder), folder / "config.json"
    if not config.is_file():
        raise InputError(f"{folder} has no config.json: name the folder model/ of a training")
    _, transformers = libraries()
    scores = '"Qwen3ForSequenceClassification"' in config.read_text(encoding="utf-8")
    kind = transformers.Qwen3ForSequenceClassification if scores else transformers.Qwen3ForCausalLM
    model = kind.from_pretrained(folder, local_files_only=True)
    layers, name, shipped = model.config.num_hidden_layers, REWARD if scores else MODEL, read_card(WEIGHTS)
    state = {name: value.float().cpu().numpy() for name, value in model.state_dict().items()}
    weights, network = quantised(state, layers, bits), _onnx().load(WEIGHTS / name)
    shapes = {each.name: tuple(each.dims) for each in network.graph.initializer}
    # the third side is a block's bytes: half as many in 4 bits
    fits = all(value.shape[:2] == shapes.get(each, ())[:2] for each, value in weights.items())
    if layers != shipped.layers or not fits:
        raise InputError(f"{folder} has not the shape of the mini that ships, and only that can be exported")
    for each in network.graph.initializer:
        if each.name in weights:
            each.CopyFrom(_onnx().numpy_helper.from_array(weights[each.name], each.name))
    for node in network.graph.node:
        for attribute in node.attribute:
            if node.op_type == "MatMulNBits" and attribute.name == "bits" and node.input[1] != EMBEDDING:
                attribute.i = bits
    out.mkdir(parents=True, exist_ok=True)
    write_whole(out / name, network.SerializeToString())
    shutil.copyfile(folder / TOKENIZER, out / TOKENIZER)
    if scores:
        shutil.copyfile(folder / PROMPT, out / PROMPT)
    if not scores or not (out / CARD).is_file():
        write_object(out / CARD, replace(shipped, version=card.version))
    return out


def quantised(state: Mapping[str, Array], layers: int, bits: int) -> dict[str, Array]:
    """The weights of a Qwen3 as the graph has them: integers of few bits in blocks, whose middle stands for zero, and
    the scale of each block. Of 4 bits two share a byte.
    """
    found = {SCORE: state["score.weight"].T} if "score.weight" in state else {}
    for name, parts in parts_of(layers).items():
        weight = np.concatenate([state[each] for each in parts])
        if weight.ndim == 1 or weight.shape[1] % BLOCK:  # a norm, or no mini's
            found[name] = weight
            continue
        few = 8 if name == EMBEDDING else bits
        middle = 2 ** (few - 1)
        blocks = weight.reshape(len(weight), -1, BLOCK)
        scales = np.maximum(np.abs(blocks).max(axis=2, keepdims=True) / (middle - 1), 1e-12)
        numbers = np.clip(np.rint(blocks / scales) + middle, 1, 2 * middle - 1).astype(np.uint8)
        found[name] = numbers if few == 8 else numbers[..., ::2] | numbers[..., 1::2] << 4
        found[f"{name}.scales"] = scales.astype(np.float32).reshape(-1)
    return found


def dequantised(kept: Mapping[str, Array], name: str) -> Array:
    """A weight of the graph as numbers."""
    if f"{name}.scales" not in kept:
        return kept[name]
    numbers, middle = kept[name], 2**7
    if numbers.shape[2] != BLOCK:  # 4 bits: two in a byte
        numbers, middle = np.stack([numbers & 15, numbers >> 4], axis=-1).reshape(*numbers.shape[:2], -1), 2**3
    scales = kept[f"{name}.scales"].reshape(*numbers.shape[:2], 1)
    return np.asarray(((numbers.astype(np.float32) - middle) * scales).reshape(len(numbers), -1))


def _onnx() -> Any:
    try:
        import onnx  # noqa: PLC0415  (an extra)
    except ImportError as error:
        raise MissingError(f"the mini's ONNX needs onnx: pip install 'saccade-mini[train]' ({error})") from None
    return onnx
