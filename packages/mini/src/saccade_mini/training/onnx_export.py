"""The mini as ONNX, which runs without torch: weights in 4 or 8 bits, with a KV cache.

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

from saccade.agents.prm_prompt import FILE as PROMPT
from saccade.errors import InputError
from saccade.models.torch_support import libraries
from saccade_mini.card import CARD, MODEL, REWARD, TOKENIZER, Card, read_card
from saccade_mini.model import WEIGHTS
from saccade_mini.training.backbone import load_model
from saccade_mini.training.onnx_import import BLOCK, SIZES, Array, onnx_library

Head = Literal["words", "score"]
BITS, EMBEDDING_BITS = 4, 8
INT8 = 4
"""onnxruntime's `accuracy_level` for products with activations rounded to 8 bits, block by block."""
OPSET, IR = 21, 10
CONTRIB = "com.microsoft"


def export_mini(name: str | Path, out: Path, bits: int = BITS) -> Path:
    """Write what a training left in a folder, or a mini that was exported before (`mini` is the one that ships). A
    model with a score head becomes the reward model beside the model that is already in `out`.
    """
    folder = WEIGHTS if str(name) == "mini" else Path(name)
    card, config = read_card(folder), folder / "config.json"
    if not config.is_file() or '"Qwen3ForSequenceClassification"' not in config.read_text(encoding="utf-8"):
        return write_mini(load_model(folder), folder / TOKENIZER, out, card, bits)
    _, transformers = libraries()
    model = transformers.Qwen3ForSequenceClassification.from_pretrained(folder, local_files_only=True)
    written = write_mini(model, folder / TOKENIZER, out, card, bits)
    shutil.copyfile(folder / PROMPT, out / PROMPT)
    return written


def write_mini(model: Any, tokenizer: Path, out: Path, card: Card, bits: int = BITS) -> Path:
    """Write the folder of a mini: the graph, the tokenizer, and a card that says what it is."""
    head: Head = "score" if hasattr(model, "score") else "words"
    out.mkdir(parents=True, exist_ok=True)
    weights = {name: value.detach().float().cpu().numpy() for name, value in model.state_dict().items()}
    part = out / ".part"
    part.write_bytes(build_graph(weights, model.config, head, bits).SerializeToString())
    part.replace(out / (MODEL if head == "words" else REWARD))
    if tokenizer.resolve() != (out / TOKENIZER).resolve():
        shutil.copyfile(tokenizer, out / TOKENIZER)
    if head == "words" or not (out / CARD).is_file():
        sizes = {ours: getattr(model.config, theirs) for ours, theirs in SIZES.items()}
        card = msgspec.structs.replace(card, **sizes | ({"positions": card.positions} if card.positions else {}))
        (out / CARD).write_bytes(msgspec.json.format(msgspec.json.encode(card), indent=2) + b"\n")
    return out


def build_graph(weights: Mapping[str, Array], config: Any, head: Head, bits: int = BITS) -> Any:
    """An ONNX model of a Qwen3. With `bits` 32 the weights stay exact, to measure the others against."""
    graph = _Graph(config, bits)
    hidden, skip = graph.embed(weights["model.embed_tokens.weight"], tied=head == "words"), ""
    for at in range(config.num_hidden_layers):
        layer = f"model.layers.{at}."
        own = {name.removeprefix(layer): value for name, value in weights.items() if name.startswith(layer)}
        hidden, skip = graph.layer(own, at, hidden, skip)
    hidden, _ = graph.norm(hidden, skip, weights["model.norm.weight"], "final")
    hidden = graph.add("GatherND", [hidden, graph.add("Unsqueeze", ["last", graph.integers([-1])])], batch_dims=1)
    if head == "words":
        output = graph.product(hidden, weights["model.embed_tokens.weight"], "embed", "logits")
    else:
        output = graph.add("MatMul", [hidden, graph.keep("score", weights["score.weight"].T)], to="scores")
    return graph.model(output)


def quantise(weight: Array, bits: int = BITS, block: int = BLOCK) -> tuple[Array, Array]:
    """Rows of blocks of integers, whose middle stands for zero, and the scale of each block. Of 4 bits two share a
    byte.
    """
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
    """Nodes and weights while they are gathered. Methods return the name of their result."""

    config: Any
    bits: int
    nodes: list[Any] = field(default_factory=list)
    kept: dict[str, Any] = field(default_factory=dict)

    def node(self, op: str, inputs: Sequence[str], outputs: Sequence[str], domain: str = "", **options: Any) -> None:
        self.nodes.append(onnx_library().helper.make_node(op, inputs, outputs, domain=domain, **options))

    def add(self, op: str, inputs: Sequence[str], domain: str = "", to: str = "", **options: Any) -> str:
        """One operation with one result."""
        to = to or f"{op}.{len(self.nodes)}"
        self.node(op, inputs, [to], domain, **options)
        return to

    def keep(self, name: str, value: Any) -> str:
        if name not in self.kept:
            self.kept[name] = onnx_library().numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def integers(self, numbers: Sequence[int]) -> str:
        return self.keep("whole" + ",".join(map(str, numbers)), np.array(numbers, dtype=np.int64))

    def quantised(self, name: str, weight: Array, bits: int) -> tuple[str, str]:
        if name not in self.kept:
            numbers, scales = quantise(weight, bits)
            self.keep(name, numbers)
            self.keep(f"{name}.scales", scales.reshape(-1))
        return name, f"{name}.scales"

    def embed(self, table: Array, tied: bool) -> str:
        """A token's vector. Where the head has the same weights, they stand in the file once."""
        if self.bits == 32:
            rows = self.add("Transpose", [self.keep("embed.T", table.T)], perm=[1, 0]) if tied else None
            return self.add("Gather", [rows or self.keep("embed", table), "input_ids"], axis=0)
        packed, scales = self.quantised("embed", table, EMBEDDING_BITS)
        numbers = self.add("Gather", [packed, "input_ids"], axis=0)
        self.node("Cast", [numbers], ["embed.float"], to=1)
        numbers = self.add("Sub", ["embed.float", self.keep("middle", np.float32(128))])
        blocks = self.add("Reshape", [scales, self.integers([len(table), -1, 1])])
        numbers = self.add("Mul", [numbers, self.add("Gather", [blocks, "input_ids"], axis=0)])
        return self.add("Reshape", [numbers, self.integers([0, 0, table.shape[1]])])

    def layer(self, own: Mapping[str, Array], at: int, hidden: str, skip: str) -> tuple[str, str]:
        """What the layer adds, and what it adds it to: the next norm takes their sum."""
        config, size = self.config, self.config.head_dim
        normed, skip = self.norm(hidden, skip, own["input_layernorm.weight"], f"{at}.before")
        qkv = np.concatenate([own[f"self_attn.{each}_proj.weight"] for each in "qkv"])
        query, keys = config.num_attention_heads * size, config.num_key_value_heads * size
        q, k, v = self.split(self.product(normed, qkv, f"{at}.qkv"), [query, keys, keys])
        q = self.head_norm(q, config.num_attention_heads, own["self_attn.q_norm.weight"], f"{at}.q")
        k = self.head_norm(k, config.num_key_value_heads, own["self_attn.k_norm.weight"], f"{at}.k")
        out = self.product(self.attend(q, k, v, at), own["self_attn.o_proj.weight"], f"{at}.out")
        normed, skip = self.norm(out, skip, own["post_attention_layernorm.weight"], f"{at}.after")
        both = np.concatenate([own["mlp.gate_proj.weight"], own["mlp.up_proj.weight"]])
        gate, up = self.split(self.product(normed, both, f"{at}.gate"), [config.intermediate_size] * 2)
        gated = self.add("Mul", [self.add("QuickGelu", [gate], CONTRIB, alpha=1.0), up])  # SiLU, by its other name
        return self.product(gated, own["mlp.down_proj.weight"], f"{at}.down"), skip

    def product(self, value: str, weight: Array, name: str, to: str = "") -> str:
        """With a weight as torch's Linear has it: outputs by inputs."""
        if self.bits == 32:
            return self.add("MatMul", [value, self.keep(f"{name}.T", weight.T)], to=to)
        bits = EMBEDDING_BITS if name == "embed" else self.bits
        sizes = {"K": weight.shape[1], "N": weight.shape[0], "bits": bits, "block_size": BLOCK, "accuracy_level": INT8}
        return self.add("MatMulNBits", [value, *self.quantised(name, weight, bits)], CONTRIB, to, **sizes)

    def split(self, value: str, sizes: Sequence[int]) -> list[str]:
        names = [f"Split.{len(self.nodes)}.{at}" for at in range(len(sizes))]
        self.node("Split", [value, self.integers(sizes)], names, axis=-1)
        return names

    def norm(self, value: str, skip: str, weight: Array, name: str) -> tuple[str, str]:
        """The norm of the sum of both, and the sum."""
        scale, epsilon = self.keep(f"{name}.norm", weight), self.config.rms_norm_eps
        if not skip:
            return self.add("SimplifiedLayerNormalization", [value, scale], axis=-1, epsilon=epsilon), value
        outputs = [f"{name}.normed", "", "", f"{name}.sum"]
        self.node("SkipSimplifiedLayerNormalization", [value, skip, scale], outputs, CONTRIB, epsilon=epsilon)
        return outputs[0], outputs[3]

    def head_norm(self, value: str, heads: int, weight: Array, name: str) -> str:
        """Qwen3 norms queries and keys head by head."""
        apart = self.add("Reshape", [value, self.integers([0, 0, heads, len(weight)])])
        return self.add("Reshape", [self.norm(apart, "", weight, name)[0], self.integers([0, 0, heads * len(weight)])])

    def attend(self, q: str, k: str, v: str, at: int) -> str:
        """Attention. The cache comes in and goes out under two names; a caller may bind both to one buffer."""
        heads = {"num_heads": self.config.num_attention_heads, "kv_num_heads": self.config.num_key_value_heads}
        inputs = [q, k, v, f"past_key.{at}", f"past_value.{at}", "seqlens_k", "total", "cosines", "sines"]
        outputs = [f"attended.{at}", f"present_key.{at}", f"present_value.{at}"]
        self.node("GroupQueryAttention", inputs, outputs, CONTRIB, do_rotary=1, rotary_interleaved=0, **heads)
        return outputs[0]

    def model(self, output: str) -> Any:
        """The whole, with the rotary positions: cosines and sines of t · theta^(-2i/d)."""
        config, onnx = self.config, onnx_library()
        rates = float(config.rope_parameters["rope_theta"]) ** -(np.arange(0, config.head_dim, 2) / config.head_dim)
        angles = np.outer(np.arange(config.max_position_embeddings), rates)
        self.keep("cosines", np.cos(angles).astype(np.float32))
        self.keep("sines", np.sin(angles).astype(np.float32))
        value, kind = onnx.helper.make_tensor_value_info, onnx.TensorProto
        buffer = ["rows", config.num_key_value_heads, "room", config.head_dim]
        inputs = [value("input_ids", kind.INT64, ["rows", "length"]), value("last", kind.INT64, ["rows"])]
        inputs += [value("seqlens_k", kind.INT32, ["rows"]), value("total", kind.INT32, [])]
        outputs = [value(output, kind.FLOAT, ["rows", config.vocab_size if output == "logits" else 1])]
        for at in range(config.num_hidden_layers):
            inputs += [value(f"past_{each}.{at}", kind.FLOAT, buffer) for each in ("key", "value")]
            outputs += [value(f"present_{each}.{at}", kind.FLOAT, buffer) for each in ("key", "value")]
        graph = onnx.helper.make_graph(self.nodes, "mini", inputs, outputs, list(self.kept.values()))
        opsets = [onnx.helper.make_opsetid("", OPSET), onnx.helper.make_opsetid(CONTRIB, 1)]
        return onnx.helper.make_model(graph, opset_imports=opsets, ir_version=IR, producer_name="saccade")
