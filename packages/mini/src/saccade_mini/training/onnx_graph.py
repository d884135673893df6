"""The mini as an ONNX graph that runs without torch: weights in 8 or 4 bits, with a KV cache.

The graph is written by hand. A Qwen3 decoder is eighteen operations a layer, and onnxruntime has fused ones for most of
them: attention with rotary positions and a cache that stays where it is (`GroupQueryAttention`), a product with weights
in blocks of few bits (`MatMulNBits`), the sum of a residual with the norm after it. What an exporter traces from a
model's code is several times as many, and slower.

    tokens ─ embed ─▶ [ norm ─ qkv ─ norm of q and k ─ attention ─ out ─ norm ─ SwiGLU ] × layers ─ norm ─▶ head

The head is `words` (the next token, with the embedding's own weights) or `score` (one number: the process reward).
Either looks at one position of each row, `last`.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from saccade.errors import InputError, MissingError
from saccade_mini.card import CARD, MODEL, REWARD, TOKENIZER, Card

Head = Literal["words", "score"]
Array = npt.NDArray[Any]
BITS = 8
BLOCK = 64
"""Weights that share a scale. It divides every width of the mini."""
INT8 = 4
"""onnxruntime's `accuracy_level` for products of 8-bit weights with activations rounded to 8 bits, block by block."""
OPSET, IR = 21, 10
CONTRIB = "com.microsoft"
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
INSTALL = "writing the mini as ONNX needs onnx: run make setup-all, or pip install 'saccade[train]'"


def write_mini(model: Any, tokenizer: Path, out: Path, card: Card, head: Head | None = None, bits: int = BITS) -> Path:
    """The folder of a mini: the graph, the tokenizer, and a card that says what it is."""
    head = head or ("score" if hasattr(model, "score") else "words")
    out.mkdir(parents=True, exist_ok=True)
    shape = Shape.of(model.config)
    weights = {name: value.detach().float().cpu().numpy() for name, value in model.state_dict().items()}
    graph = build_graph(weights, shape, head, bits)
    part = out / ".part"
    part.write_bytes(graph.SerializeToString())
    part.replace(out / (MODEL if head == "words" else REWARD))
    if tokenizer.resolve() != (out / TOKENIZER).resolve():
        shutil.copyfile(tokenizer, out / TOKENIZER)
    if head == "words" or not (out / CARD).is_file():
        sizes = {name: getattr(shape, name) for name in SIZES} | {"positions": card.positions or shape.positions}
        card = msgspec.structs.replace(card, **sizes)
        (out / CARD).write_bytes(msgspec.json.format(msgspec.json.encode(card), indent=2) + b"\n")
    return out


@dataclass(frozen=True)
class Shape:
    """The sizes of a decoder, and two constants."""

    vocabulary: int
    layers: int
    width: int
    heads: int
    key_heads: int
    head_size: int
    inner: int
    positions: int
    theta: float
    epsilon: float

    @classmethod
    def of(cls, config: Any) -> Shape:
        """Those of a Qwen3 configuration."""
        sizes = {ours: getattr(config, theirs) for ours, theirs in SIZES.items()}
        return cls(theta=float(config.rope_parameters["rope_theta"]), epsilon=config.rms_norm_eps, **sizes)


def build_graph(weights: Mapping[str, Array], shape: Shape, head: Head, bits: int = BITS) -> Any:
    """An ONNX model. With `bits` 32 the weights stay as they are: the measure for the others."""
    graph = _Graph(bits)
    hidden = _embed(graph, weights, tied=head == "words")
    skip = ""
    for at in range(shape.layers):
        hidden, skip = _layer(graph, weights, shape, at, hidden, skip)
    hidden, _ = graph.norm(hidden, skip, weights["model.norm.weight"], shape.epsilon, "final")
    hidden = graph.add("GatherND", [hidden, graph.add("Unsqueeze", ["last", graph.whole([-1])])], batch_dims=1)
    if head == "words":
        output = graph.product(hidden, weights["model.embed_tokens.weight"], "embed", "logits")
    else:
        output = graph.add("MatMul", [hidden, graph.keep("score", weights["score.weight"].T)], to="scores")
    _positions(graph, shape)
    return graph.model(shape, output)


def _embed(graph: _Graph, weights: Mapping[str, Array], tied: bool) -> str:
    """A token's vector. Where the head has the same weights, they stand in the file once."""
    table = weights["model.embed_tokens.weight"]
    if graph.bits == 32:
        rows = graph.keep("embed.T", table.T) if tied else graph.keep("embed", table)
        return graph.add("Gather", [graph.add("Transpose", [rows], perm=[1, 0]) if tied else rows, "input_ids"], axis=0)
    packed, scales = graph.packed("embed", table)
    numbers = graph.add("Cast", [graph.add("Gather", [packed, "input_ids"], axis=0)], to_type=1)
    numbers = graph.add("Sub", [numbers, graph.keep("middle", np.float32(128))])
    blocks = graph.add("Reshape", [scales, graph.whole([len(table), -1, 1])])
    numbers = graph.add("Mul", [numbers, graph.add("Gather", [blocks, "input_ids"], axis=0)])
    return graph.add("Reshape", [numbers, graph.whole([0, 0, table.shape[1]])])


def _layer(
    graph: _Graph, weights: Mapping[str, Array], shape: Shape, at: int, hidden: str, skip: str
) -> tuple[str, str]:
    """What the layer adds, and what it adds it to: the next norm takes their sum."""
    own = {
        name.removeprefix(f"model.layers.{at}."): value
        for name, value in weights.items()
        if name.startswith(f"model.layers.{at}.")
    }
    normed, skip = graph.norm(hidden, skip, own["input_layernorm.weight"], shape.epsilon, f"{at}.before")
    qkv = np.concatenate([own[f"self_attn.{each}_proj.weight"] for each in "qkv"])
    query, keys = shape.heads * shape.head_size, shape.key_heads * shape.head_size
    q, k, v = graph.split(graph.product(normed, qkv, f"{at}.qkv"), [query, keys, keys])
    q = graph.head_norm(q, shape.heads, own["self_attn.q_norm.weight"], shape.epsilon, f"{at}.q")
    k = graph.head_norm(k, shape.key_heads, own["self_attn.k_norm.weight"], shape.epsilon, f"{at}.k")
    attended = graph.attend(q, k, v, at, shape)
    out = graph.product(attended, own["self_attn.o_proj.weight"], f"{at}.out")
    normed, skip = graph.norm(out, skip, own["post_attention_layernorm.weight"], shape.epsilon, f"{at}.after")
    both = np.concatenate([own["mlp.gate_proj.weight"], own["mlp.up_proj.weight"]])
    gate, up = graph.split(graph.product(normed, both, f"{at}.gate"), [shape.inner, shape.inner])
    gated = graph.add("Mul", [graph.add("QuickGelu", [gate], CONTRIB, alpha=1.0), up])  # SiLU, by its other name
    return graph.product(gated, own["mlp.down_proj.weight"], f"{at}.down"), skip


def _positions(graph: _Graph, shape: Shape) -> None:
    """Rotary positions: cosines and sines of t · theta^(-2i/d)."""
    rates = shape.theta ** -(np.arange(0, shape.head_size, 2, dtype=np.float64) / shape.head_size)
    angles = np.outer(np.arange(shape.positions), rates)
    graph.keep("cosines", np.cos(angles).astype(np.float32))
    graph.keep("sines", np.sin(angles).astype(np.float32))


def quantise(weight: Array, bits: int = BITS, block: int = BLOCK) -> tuple[Array, Array]:
    """Rows of blocks of numbers, the middle one for zero, and the scale of each block. Of 4 bits, two share a byte."""
    rows, width = weight.shape
    if width % block:
        raise InputError(f"a width of {width} cannot be cut into blocks of {block}")
    middle = 2 ** (bits - 1)
    blocks = weight.reshape(rows, width // block, block)
    scales = np.maximum(np.abs(blocks).max(axis=2, keepdims=True) / (middle - 1), 1e-12)
    numbers = np.clip(np.rint(blocks / scales) + middle, 1, 2 * middle - 1).astype(np.uint8)
    if bits == 4:
        numbers = numbers[..., ::2] | numbers[..., 1::2] << 4
    return numbers, scales.astype(np.float32)


@dataclass
class _Graph:
    """Nodes and weights while they are gathered."""

    bits: int = BITS
    nodes: list[Any] = field(default_factory=list)
    kept: dict[str, Any] = field(default_factory=dict)
    cache: list[str] = field(default_factory=list)

    def add(
        self, op: str, inputs: Sequence[str], domain: str = "", to: str = "", to_type: int | None = None, **options: Any
    ) -> str:
        """One operation with one result, whose name is given back."""
        to = to or f"{op}.{len(self.nodes)}"
        options |= {} if to_type is None else {"to": to_type}
        self.nodes.append(onnx_library().helper.make_node(op, inputs, [to], domain=domain, **options))
        return to

    def keep(self, name: str, value: Any) -> str:
        if name not in self.kept:
            self.kept[name] = onnx_library().numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def whole(self, numbers: Sequence[int]) -> str:
        return self.keep("whole" + ",".join(map(str, numbers)), np.array(numbers, dtype=np.int64))

    def packed(self, name: str, weight: Array, bits: int = BITS) -> tuple[str, str]:
        if name not in self.kept:
            numbers, scales = quantise(weight, bits)
            self.keep(name, numbers)
            self.keep(f"{name}.scales", scales.reshape(-1))
        return name, f"{name}.scales"

    def product(self, value: str, weight: Array, name: str, to: str = "") -> str:
        """With a weight as torch's Linear has it: outputs by inputs."""
        if self.bits == 32:
            return self.add("MatMul", [value, self.keep(f"{name}.T", weight.T)], to=to)
        (out, width), bits = weight.shape, BITS if name in self.kept else self.bits  # the embedding has all of its own
        return self.add(
            "MatMulNBits",
            [value, *self.packed(name, weight, bits)],
            CONTRIB,
            to,
            K=width,
            N=out,
            bits=bits,
            block_size=BLOCK,
            accuracy_level=INT8,
        )

    def split(self, value: str, sizes: Sequence[int]) -> list[str]:
        names = [f"Split.{len(self.nodes)}.{at}" for at in range(len(sizes))]
        self.nodes.append(onnx_library().helper.make_node("Split", [value, self.whole(sizes)], names, axis=-1))
        return names

    def norm(self, value: str, skip: str, weight: Array, epsilon: float, name: str) -> tuple[str, str]:
        """The norm of the sum of both, and the sum."""
        scale = self.keep(f"{name}.norm", weight)
        if not skip:
            return self.add("SimplifiedLayerNormalization", [value, scale], axis=-1, epsilon=epsilon), value
        outputs = [f"{name}.normed", "", "", f"{name}.sum"]
        self.nodes.append(
            onnx_library().helper.make_node(
                "SkipSimplifiedLayerNormalization", [value, skip, scale], outputs, domain=CONTRIB, epsilon=epsilon
            )
        )
        return outputs[0], outputs[3]

    def head_norm(self, value: str, heads: int, weight: Array, epsilon: float, name: str) -> str:
        """Qwen3 norms queries and keys head by head."""
        apart = self.add("Reshape", [value, self.whole([0, 0, heads, len(weight)])])
        normed = self.add(
            "SimplifiedLayerNormalization", [apart, self.keep(f"{name}.norm", weight)], axis=-1, epsilon=epsilon
        )
        return self.add("Reshape", [normed, self.whole([0, 0, heads * len(weight)])])

    def attend(self, q: str, k: str, v: str, at: int, shape: Shape) -> str:
        """Attention. The cache comes in and goes out under two names; a caller may bind both to one buffer."""
        to = f"attended.{at}"
        inputs = [q, k, v, f"past_key.{at}", f"past_value.{at}", "seqlens_k", "total", "cosines", "sines"]
        outputs = [to, f"present_key.{at}", f"present_value.{at}"]
        self.cache += [str(at)]
        self.nodes.append(
            onnx_library().helper.make_node(
                "GroupQueryAttention",
                inputs,
                outputs,
                domain=CONTRIB,
                num_heads=shape.heads,
                kv_num_heads=shape.key_heads,
                do_rotary=1,
                rotary_interleaved=0,
            )
        )
        return to

    def model(self, shape: Shape, output: str) -> Any:
        onnx = onnx_library()
        value, kind = onnx.helper.make_tensor_value_info, onnx.TensorProto
        buffer = ["rows", shape.key_heads, "room", shape.head_size]
        inputs = [
            value("input_ids", kind.INT64, ["rows", "length"]),
            value("last", kind.INT64, ["rows"]),
            value("seqlens_k", kind.INT32, ["rows"]),
            value("total", kind.INT32, []),
        ]
        outputs = [value(output, kind.FLOAT, ["rows", shape.vocabulary if output == "logits" else 1])]
        for at in self.cache:
            inputs += [value(f"past_{each}.{at}", kind.FLOAT, buffer) for each in ("key", "value")]
            outputs += [value(f"present_{each}.{at}", kind.FLOAT, buffer) for each in ("key", "value")]
        graph = onnx.helper.make_graph(self.nodes, "mini", inputs, outputs, list(self.kept.values()))
        opsets = [onnx.helper.make_opsetid("", OPSET), onnx.helper.make_opsetid(CONTRIB, 1)]
        return onnx.helper.make_model(graph, opset_imports=opsets, ir_version=IR, producer_name="saccade")


def onnx_library() -> Any:
    try:
        import onnx  # noqa: PLC0415  (an extra)
    except ImportError as error:
        raise MissingError(f"{INSTALL} ({error})") from None
    return onnx
