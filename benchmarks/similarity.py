"""Measure text similarities on the golden triples: python benchmarks/similarity.py [NAME | module:function ...]

A name is one that --similarity takes (server/MODEL, a folder); a function takes two strings and returns a float. The
default, static-root, always comes first. Two baselines are here: similarity:ngrams (character n-grams) and
similarity:plain_vectors (unweighted wordllama).
"""

from __future__ import annotations

import importlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from functools import lru_cache
from math import sqrt
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any

from saccade.models.embeddings import open_similarity

GOLDEN = Path(__file__).resolve().parents[1] / "tests" / "golden" / "similarity.jsonl"
HEAD = (
    "function",
    "order en",
    "order zh",
    "hard en",
    "hard zh",
    "test en",
    "test zh",
    "para/unrel en",
    "para/unrel zh",
    "> 0.5 en",
    "> 0.5 zh",
    "first us",
    "cached us",
)


@lru_cache
def _grams(text: str) -> Counter[str]:
    text = f" {' '.join(text.lower().split())} "
    return Counter(text[i : i + n] for n in (1, 2) for i in range(len(text) - n + 1))


def ngrams(a: str, b: str) -> float:
    """The cosine of the counts of characters and pairs of characters."""
    x, y = _grams(a), _grams(b)
    dot = sum(count * y[gram] for gram, count in x.items())
    return dot / sqrt(sum(n * n for n in x.values()) * sum(n * n for n in y.values()))


@lru_cache
def _wordllama() -> Any:
    return importlib.import_module("wordllama").load()


def plain_vectors(a: str, b: str) -> float:
    """wordllama without token weights."""
    return min(max(float(_wordllama().similarity(a, b)), 0.0), 1.0)


def _share(hits: Iterable[bool]) -> str:
    return f"{100 * fmean(hits):.1f}"


def measure(name: str, sim: Callable[[str, str], float], triples: list[dict[str, Any]]) -> list[str]:
    sim("load", "once")
    start = perf_counter()
    rows = [(t, sim(t["a"], t["b"]), sim(t["a"], t["c"])) for t in triples]
    first = perf_counter() - start
    start = perf_counter()
    for t in triples:
        sim(t["a"], t["b"])
        sim(t["a"], t["c"])
    cached = perf_counter() - start
    by_lang = [[row for row in rows if row[0]["lang"] == lang] for lang in ("en", "zh")]
    cells = [name]
    cells += [_share(p > u for _, p, u in part) for part in by_lang]
    cells += [_share(p > u for t, p, u in part if t["hard"]) for part in by_lang]
    cells += [_share(p > u for t, p, u in part if t["part"] == "test") for part in by_lang]
    cells += [f"{fmean(p for _, p, _ in part):.2f}/{fmean(u for *_, u in part):.2f}" for part in by_lang]
    for part in by_lang:
        cells.append(f"{_share(p > 0.5 for _, p, _ in part)}/{_share(u > 0.5 for *_, u in part)}")
    return [*cells, *(f"{1e6 * seconds / (2 * len(triples)):.0f}" for seconds in (first, cached))]


def main(names: list[str]) -> None:
    triples = [json.loads(line) for line in GOLDEN.read_text("utf-8").splitlines()]
    print("| " + " | ".join(HEAD) + " |")
    print("|---" * len(HEAD) + "|")
    for name in ["static-root", *names]:
        module, _, function = name.partition(":")
        plain = function and "/" not in name
        sim = getattr(importlib.import_module(module), function) if plain else open_similarity(name)
        print("| " + " | ".join(measure(name, sim, triples)) + " |")


if __name__ == "__main__":
    main(sys.argv[1:])
