"""Runs the network token by token with onnxruntime on the CPU.

Keys and values of what was read stay in a cache that the graph writes in place: a token costs one pass over the weights
and no copy, and several answers to one prompt read it once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.errors import InputError, MissingError
from saccade_mini.card import Card

Tokens = Sequence[int]
Logits = npt.NDArray[np.float32]
TokenChoice = Callable[[Logits], npt.NDArray[np.int64]]
"""From the logits of each row to its next token."""
STEP = 64
"""Cache buffers grow by so many positions."""


def runtime() -> Any:
    """onnxruntime, imported late because most commands need no model."""
    try:
        import onnxruntime  # noqa: PLC0415
    except ImportError as error:
        raise MissingError(
            f"the mini needs onnxruntime: run make setup, or pip install onnxruntime ({error})"
        ) from None
    return onnxruntime


class Network:
    """A graph of `training/onnx_export.py`."""

    def __init__(self, file: Path, card: Card, threads: int = 2, shallow: bool = False) -> None:
        """`shallow`: it may have fewer layers than its card says."""
        ort = runtime()
        options = ort.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # the browser needs the cores too
        options.log_severity_level = 3
        try:
            self.session = ort.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # noqa: BLE001  (onnxruntime's own have no common class)
            raise InputError(f"{file} cannot be loaded: {str(error).partition(chr(10))[0]}") from None
        outputs = [output.name for output in self.session.get_outputs()]
        self.layers = (len(outputs) - 1) // 2
        if len(outputs) != 1 + 2 * self.layers or not (self.layers == card.layers or shallow):
            raise InputError(f"{file} is not the network that {file.parent / 'mini.json'} describes")
        self.output, self.card = outputs[0], card

    def cache(self, rows: int, room: int) -> Cache:
        return Cache(self, rows, room)


class Cache:
    """Keys and values of what some rows have read, all of one length."""

    def __init__(self, network: Network, rows: int, room: int) -> None:
        card = network.card
        self.network, self.rows, self.length = network, rows, 0
        self.room = -(-room // STEP) * STEP
        shape = (2 * network.layers, rows, card.key_heads, self.room, card.head_size)
        self.memory = np.zeros(shape, dtype=np.float32)  # costs nothing until it is written to
        width = network.session.get_outputs()[0].shape[1]
        self.output = np.zeros((rows, width), dtype=np.float32)
        self._single = _Binding(self, 1)

    def read(self, tokens: npt.NDArray[np.int64]) -> Logits:
        """Read more tokens of each row (rows by tokens). The next call overwrites the result."""
        count = tokens.shape[1]
        if self.length + count > self.room:
            raise ValueError(f"{self.length + count} tokens do not fit into a cache of {self.room}")
        binding = self._single if count == 1 else _Binding(self, count)
        self.length += count
        binding.run(tokens)
        return self.output

    def repeated(self, rows: int) -> Cache:
        """A copy for more rows."""
        if rows == self.rows:
            return self
        other = Cache(self.network, rows, self.room)
        other.memory[:, :, :, : self.length] = self.memory[:, :, :, : self.length]
        other.length = self.length
        other.output[:] = self.output
        return other


class _Binding:
    """The graph's inputs and outputs, bound once and filled in place."""

    def __init__(self, cache: Cache, count: int) -> None:
        self.cache, rows = cache, cache.rows
        self.tokens = np.zeros((rows, count), dtype=np.int64)
        self.last = np.full(rows, count - 1, dtype=np.int64)
        self.before = np.zeros(rows, dtype=np.int32)
        self.total = np.zeros((), dtype=np.int32)
        wrap = runtime().OrtValue.ortvalue_from_numpy
        self.bound = cache.network.session.io_binding()
        small = {"input_ids": self.tokens, "last": self.last, "seqlens_k": self.before, "total": self.total}
        for name, value in small.items():
            self.bound.bind_ortvalue_input(name, wrap(value))
        for layer in range(cache.network.layers):
            for at, kind in enumerate(("key", "value")):
                both = wrap(cache.memory[2 * layer + at])
                self.bound.bind_ortvalue_input(f"past_{kind}.{layer}", both)
                self.bound.bind_ortvalue_output(f"present_{kind}.{layer}", both)
        self.bound.bind_ortvalue_output(cache.network.output, wrap(cache.output))

    def run(self, tokens: npt.NDArray[np.int64]) -> None:
        self.tokens[:] = tokens
        self.before[:] = self.cache.length - 1
        self.total[...] = self.cache.length
        self.cache.network.session.run_with_iobinding(self.bound)


def generate(
    network: Network, prompt: Tokens, rows: int, most: int, choose: TokenChoice, cache: Cache | None = None
) -> Iterator[npt.NDArray[np.int64]]:
    """The next token of each row, until `most` were written or nobody asks for more. A cache of one row may be brought
    along; what it has read is not read again.
    """
    cache = cache or network.cache(1, len(prompt) + most)
    logits = cache.read(np.array([prompt[cache.length :]], dtype=np.int64))
    if rows > 1:
        cache = cache.repeated(rows)
        logits = np.repeat(logits, rows, axis=0)
    for at in range(most):
        tokens = choose(logits)
        yield tokens
        if at + 1 < most:
            logits = cache.read(tokens[:, None])


def score(network: Network, prompts: Sequence[Tokens]) -> list[float]:
    """The number that a score head gives to each prompt. What all begin with is read once."""
    if not prompts:
        return []
    shared = shared_prefix(prompts)
    cache = network.cache(1, max(map(len, prompts)))
    if shared:
        cache.read(np.array([prompts[0][:shared]], dtype=np.int64))
    found = []
    for prompt in prompts:
        cache.length = shared
        found.append(float(cache.read(np.array([prompt[shared:]], dtype=np.int64))[0, 0]))
    return found


def shared_prefix(prompts: Sequence[Tokens]) -> int:
    """How many tokens all prompts begin with; one at least is left to each."""
    shortest = min(map(len, prompts))
    return next((at for at in range(shortest - 1) if len({prompt[at] for prompt in prompts}) > 1), shortest - 1)


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
