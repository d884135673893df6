"""Figures with 95 % bootstrap intervals: seeded, vectorised, and honest about steps that belong together."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1000
_BLOCK = 4_000_000
"""How many draws are held in memory at once."""

Floats = NDArray[np.float64]


class Figure(msgspec.Struct, frozen=True):
    """A measured value, its 95 % interval, and how many things it was measured on."""

    value: float
    low: float
    high: float
    n: int


class Ratio(msgspec.Struct, frozen=True):
    """A figure that is a sum over a sum: for each cluster of samples, how much was right and how much was asked."""

    right: Floats
    asked: Floats


def figures(ratios: Mapping[str, Ratio], seed: int = 0, resamples: int = RESAMPLES) -> dict[str, Figure]:
    """Values and intervals of several ratios over the same clusters, which are drawn with replacement."""
    kept = {name: ratio for name, ratio in ratios.items() if ratio.asked.sum() > 0}
    if not kept:
        return {}
    table = np.stack([column for ratio in kept.values() for column in (ratio.right, ratio.asked)], axis=1)
    drawn = _resampled_sums(table, seed, resamples)
    result = {}
    for at, (name, ratio) in enumerate(kept.items()):
        right, asked = drawn[:, 2 * at], drawn[:, 2 * at + 1]
        values = right[asked > 0] / asked[asked > 0]
        low, high = np.percentile(values, [2.5, 97.5])
        value = float(ratio.right.sum() / ratio.asked.sum())
        result[name] = Figure(value, float(low), float(high), int(ratio.asked.sum()))
    return result


def product_of_means(columns: Mapping[str, Floats], seed: int = 0, resamples: int = RESAMPLES) -> Figure:
    """UILoop's Overall: the product of the data set's means, the columns drawn together."""
    table = np.stack(list(columns.values()), axis=1)
    drawn = (_resampled_sums(table, seed, resamples) / len(table)).prod(axis=1)
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Figure(float(table.mean(axis=0).prod()), float(low), float(high), len(table))


def _resampled_sums(table: Floats, seed: int, resamples: int) -> Floats:
    """Column sums of `resamples` bootstrap samples of the rows."""
    rng = np.random.default_rng(seed)
    rows = len(table)
    block = max(1, _BLOCK // rows)
    parts = []
    for start in range(0, resamples, block):
        count = min(block, resamples - start)
        drawn = rng.integers(0, rows, (count, rows)) + np.arange(count)[:, None] * rows
        times = np.bincount(drawn.ravel(), minlength=count * rows).reshape(count, rows)
        parts.append(times @ table)
    return np.concatenate(parts)
