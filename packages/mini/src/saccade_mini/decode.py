"""Runs the network token by token with onnxruntime on the CPU.

Keys and values of what was read stay in a cache that the graph writes in place: a token costs one pass over the weights
and no copy, and several answers to one prompt read it once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.errors import InputError
from saccade.memory_limit import bounded_memory
from saccade.models.base import ModelError
from saccade_mini.card import Card

Logits = npt.NDArray[np.float32]
TokenChoice = Callable[[Logits], npt.NDArray[np.int64]]
"""From the logits of each row to its next token."""
TAKES = ("input_ids", "last", "seqlens_k", "total")
"""What a network is given beside its caches."""
STEP = 64
"""Cache buffers grow by so many positions."""


class Network:
    """A graph with the weights of a decoder (`training/onnx_weights.py` says how it is built)."""

    def __init__(self, file: Path, card: Card, threads: int = 2) -> None:
        import onnxruntime as ort  # noqa: PLC0415  (most commands need no model)

        self.wrap = ort.OrtValue.ortvalue_from_numpy
        options = ort.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # the browser needs the cores too
        options.log_severity_level = 3
        try:
            with bounded_memory():
                self.session = ort.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # noqa: BLE001  (onnxruntime's own have no common class)
            raise InputError(f"{file} cannot be loaded: {str(error).partition(chr(10))[0]}") from None
        self.file, self.card = file, card
        inputs, outputs = self.session.get_inputs(), self.session.get_outputs()
        layers = range(min(card.layers, len(outputs)))
        self.names = names = [f"{kind}.{layer}" for layer in layers for kind in ("key", "value")]
        caches = {each.name: each.shape for each in inputs if each.name not in TAKES}
        fits = caches.keys() == {f"past_{name}" for name in names} and card.layers > 0
        fits = fits and [each.name for each in outputs[1:]] == [f"present_{name}" for name in names]
        fits = fits and all(shape[1:] == [card.key_heads, "room", card.head_size] for shape in caches.values())
        fits = fits and outputs[0].shape[1:] in ([1], [card.vocabulary])
        if not fits:
            raise InputError(f"{file} is not the network that {file.parent / 'mini.json'} describes")
        self.output, self.width = outputs[0].name, outputs[0].shape[1]

    def run(self, bound: Any) -> None:
        """One step, in bounded memory: what a network from elsewhere computes, its maker has chosen."""
        try:
            with bounded_memory():
                self.session.run_with_iobinding(bound)
        except Exception as error:  # noqa: BLE001  (onnxruntime's own have no common class)
            raise ModelError(f"{self.file} broke down: {str(error).partition(chr(10))[0][:300]}") from None


class Cache:
    """Keys and values of what some rows have read, all of one length."""

    def __init__(self, network: Network, rows: int, room: int) -> None:
        self.network, self.length, self.room = network, 0, -(-room // STEP) * STEP
        shape = (len(network.names), rows, network.card.key_heads, self.room, network.card.head_size)
        self.memory = np.zeros(shape, dtype=np.float32)  # costs nothing until it is written to
        self.output = np.zeros((rows, network.width), dtype=np.float32)
        self._values = {name: network.wrap(each) for name, each in zip(network.names, self.memory, strict=True)}

    def read(self, tokens: npt.NDArray[np.int64]) -> Logits:
        """Read more tokens of each row (rows by tokens). The next call overwrites the result."""
        rows, count = tokens.shape
        if self.length + count > self.room:
            raise ValueError(f"{self.length + count} tokens do not fit into a cache of {self.room}")
        self.length += count
        inputs = {
            "input_ids": np.ascontiguousarray(tokens),
            "last": np.full(rows, count - 1, dtype=np.int64),
            "seqlens_k": np.full(rows, self.length - 1, dtype=np.int32),
            "total": np.array(self.length, dtype=np.int32),
        }
        network, bound = self.network, self.network.session.io_binding()
        for name, value in inputs.items():
            bound.bind_ortvalue_input(name, network.wrap(value))
        for name, value in self._values.items():
            bound.bind_ortvalue_input(f"past_{name}", value)
            bound.bind_ortvalue_output(f"present_{name}", value)
        bound.bind_ortvalue_output(network.output, network.wrap(self.output))
        network.run(bound)
        return self.output


def generate(
    network: Network, prompt: Sequence[int], rows: int, most: int, choose: TokenChoice, cache: Cache | None = None
) -> Iterator[npt.NDArray[np.int64]]:
    """The next token of each row, until `most` were written. What a `cache` of one row has read is not read again."""
    cache = cache or Cache(network, 1, len(prompt) + most)
    logits = cache.read(np.array([prompt[cache.length :]], dtype=np.int64))
    if rows > 1:
        cache, one = Cache(network, rows, cache.room), cache
        cache.memory[:, :, :, : one.length] = one.memory[:, :, :, : one.length]
        cache.length, logits = one.length, np.repeat(logits, rows, axis=0)
    for at in range(most):
        tokens = choose(logits)
        yield tokens
        if at + 1 < most:
            logits = cache.read(tokens[:, None])


def score(network: Network, prompts: Sequence[Sequence[int]]) -> list[float]:
    """The number that a score head gives to each prompt. What all begin with is read once."""
    if not prompts:
        return []
    same = takewhile(lambda tokens: len(set(tokens)) == 1, zip(*prompts, strict=False))
    shared = min(len(list(same)), min(map(len, prompts)) - 1)  # one token at least is left to each
    cache = Cache(network, 1, max(map(len, prompts)))
    if shared:
        cache.read(np.array([prompts[0][:shared]], dtype=np.int64))
    found = []
    for prompt in prompts:
        cache.length = shared
        found.append(float(cache.read(np.array([prompt[shared:]], dtype=np.int64))[0, 0]))
    return found


def sampling(temperature: float, top_p: float, seed: int) -> TokenChoice:
    """Greedy at temperature 0; else nucleus sampling (the fewest tokens that together are as likely as `top_p`)."""
    if temperature <= 0:
        return greedy
    chance = np.random.default_rng(seed % 2**63)

    def draw(logits: Logits) -> npt.NDArray[np.int64]:
        scaled = logits.astype(np.float64) / temperature
        weights = np.exp(scaled - scaled.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        order = np.argsort(-weights, axis=1, kind="stable")
        sums = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)
        last = np.minimum((sums < top_p).sum(axis=1, keepdims=True), sums.shape[1] - 1)
        mass = np.take_along_axis(sums, last, axis=1)
        chosen = (sums <= chance.random((len(logits), 1)) * mass).sum(axis=1, keepdims=True)
        return np.take_along_axis(order, np.minimum(chosen, last), axis=1)[:, 0]

    return draw


def greedy(logits: Logits) -> npt.NDArray[np.int64]:
    return np.asarray(logits.argmax(axis=1))


def log_softmax(logits: Logits) -> npt.NDArray[np.float64]:
    scaled = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
    return np.asarray(scaled - np.log(np.exp(scaled).sum(axis=1, keepdims=True)))
