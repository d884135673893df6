"""Compute convolutions and matrix products in 8-bit integers, where the processor is fast at them.

On x86-64 with VNNI instructions (server processors since 2019) that halves the time of the networks; 16-bit floats,
which do so on aarch64, most of these processors lack. A number is rounded to one of 256 between the least and the
largest that a layer is given, a weight to one of 255 for each output channel (Jacob et al. 2018, arXiv 1712.05877,
§2.1).
Which numbers a layer is given was seen on training screens (`training/int8_ranges.py`) and stands in
`weights/int8_ranges.json`; the networks' own files stay as they are. Results differ a little from those in floats:
docs/VISION.md has the figures.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade_vision.graph_rewrites import Model, constant_of

RANGES = Path(__file__).parent / "weights" / "int8_ranges.json"
PROCESSOR = Path("/proc/cpuinfo")
INSTRUCTIONS = ("avx512_vnni", "avx_vnni")
LEVELS, WEIGHT_LEVELS = 256, 255
OUTPUT_AXES = {"Convolution": 1, "GroupConvolution": 2}
"""How many axes of the weights count output channels, from the first."""

Range = tuple[float, float]
"""The least and the largest number that a layer is given."""


def with_integers(network: Path) -> tuple[Callable[[Model], object], ...]:
    """What to do to the network of a file before it is compiled (`runtime.open_network`): nothing where integers are
    no faster, or where it is not known what the layers of just this network are given.
    """
    if not integers_are_fast() or not network.is_file():
        return ()
    ranges = known_ranges().get(fingerprint(network))
    return (partial(round_to_integers, ranges=ranges),) if ranges else ()


def fingerprint(network: Path) -> str:
    """Tells a network from another one in a file of the same name."""
    return blake2b(network.read_bytes(), digest_size=16).hexdigest()


@lru_cache(maxsize=1)
def known_ranges() -> dict[str, dict[str, Range]]:
    """By the network's fingerprint and the layer's name."""
    read = json.loads(RANGES.read_text(encoding="utf-8")) if RANGES.is_file() else []
    return {each["fingerprint"]: {name: (low, high) for name, (low, high) in each["layers"].items()} for each in read}


@lru_cache(maxsize=1)
def integers_are_fast() -> bool:
    """Has this processor instructions for products of 8-bit integers, and does OpenVINO use them?"""
    if platform.machine() not in ("x86_64", "AMD64") or not PROCESSOR.is_file():
        return False
    words = PROCESSOR.read_text(encoding="ascii", errors="replace")[:100_000].split()
    return any(word in words for word in INSTRUCTIONS)


def round_to_integers(model: Model, ranges: Mapping[str, Range]) -> int:
    """Round what goes into each layer of known range, and its weights. Returns how many layers there were."""
    operations = import_module("openvino.opset13")
    rounded: dict[tuple[str, int], Any] = {}
    count = 0
    for layer, weights in rounded_layers(model):
        low, high = ranges.get(layer.get_friendly_name(), (0.0, 0.0))
        if high <= low:
            continue
        value = layer.input_value(0)
        source = (value.get_node().get_friendly_name(), value.get_index())
        if source not in rounded:
            rounded[source] = _rounded(operations, value, np.float32(low), np.float32(high), LEVELS)
        layer.input(0).replace_source_output(rounded[source].output(0))
        largest = np.maximum(np.abs(weights).max(axis=_summed_axes(layer, weights), keepdims=True), 1e-9)
        fixed = _rounded(operations, operations.constant(weights), -largest, largest, WEIGHT_LEVELS)
        layer.input(1).replace_source_output(fixed.output(0))
        count += 1
    model.validate_nodes_and_infer_types()
    return count


def rounded_layers(model: Model) -> Iterator[tuple[Any, NDArray[np.float32]]]:
    """The convolutions and matrix products with fixed weights, and these."""
    for node in model.get_ordered_ops():
        if node.get_type_name() in (*OUTPUT_AXES, "MatMul"):
            weights = constant_of(node.input_value(1))
            if weights is not None:
                yield node, np.asarray(weights, np.float32)


def exact_zero(low: float, high: float) -> Range:
    """A range in which 0 is one of the numbers that are kept exactly: padding is made of it.

    >>> exact_zero(0.0, 25.5), exact_zero(-0.1, 2.45)
    ((0.0, 25.5), (-0.1, 2.45))
    """
    low, high = min(low, 0.0), max(high, 0.0)
    step = (high - low) / (LEVELS - 1)
    below = round(-low / step) if step else 0
    return round(-below * step, 6), round((LEVELS - 1 - below) * step, 6)


def _summed_axes(layer: Any, weights: NDArray[np.float32]) -> tuple[int, ...]:
    """The axes of the weights over which a layer adds up: all but those of the output channels."""
    kept = OUTPUT_AXES.get(layer.get_type_name())
    if kept is not None:
        return tuple(range(kept, weights.ndim))
    return (weights.ndim - 1,) if layer.get_attributes()["transpose_b"] else (weights.ndim - 2,)


def _rounded(operations: Any, value: Any, low: Any, high: Any, levels: int) -> Any:
    limits = [operations.constant(np.asarray(each, np.float32)) for each in (low, high, low, high)]
    return operations.fake_quantize(value, *limits, levels)
