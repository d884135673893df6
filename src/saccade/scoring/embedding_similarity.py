"""`sim` of UILoop's r_lin (§4.2) with any sentence embeddings: the cosine, clipped to [0, 1]; 1 for equal strings.

A figure that depends on `sim` names it, with the shares of paraphrases and of unrelated descriptions that it puts above
UILoop's gate η = 0.5 (`gate_shares`): with one `sim` half of the right descriptions pass the gate, with another nearly
all do, so figures under different ones cannot be compared.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from itertools import islice
from statistics import fmean
from threading import Lock
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from saccade.scoring.rewards.base import Reward, RewardRow
from saccade.scoring.similarity import Similarity

GATE = 0.5
"""UILoop's η."""
PUBLISHED_NOTE = (
    "Published rows were measured with UILoop's own sentence embeddings, which it does not name: another sim."
)
Vectors = npt.NDArray[np.float32]
Embed = Callable[[Sequence[str]], Vectors]
"""Texts to one vector each, in their order."""
R = TypeVar("R", bound=Reward)


class EmbeddingSimilarity:
    """The clipped cosine of two texts' embeddings. Each text is embedded once; `prepare` embeds many together."""

    BATCH = 128
    """Texts of one call of `embed`."""
    MOST = 100_000
    """Vectors that are kept."""

    def __init__(self, name: str, embed: Embed) -> None:
        self.name = name
        self._embed = embed
        self._vectors: dict[str, Vectors] = {}
        self._lock = Lock()

    def prepare(self, texts: Iterable[str]) -> None:
        """Embed the texts that are not known yet, `BATCH` at a time."""
        with self._lock:
            if len(self._vectors) > self.MOST:
                self._vectors.clear()
            new = iter([text for text in dict.fromkeys(texts) if text.strip() and text not in self._vectors])
            while batch := list(islice(new, self.BATCH)):
                vectors = np.asarray(self._embed([_sendable(text) for text in batch]), np.float32)
                lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
                self._vectors.update(zip(batch, vectors / np.maximum(lengths, 1e-9), strict=True))

    def __call__(self, a: str, b: str) -> float:
        if a == b:
            return 1.0
        if not a.strip() or not b.strip():
            return 0.0
        self.prepare((a, b))
        return float(np.clip(self._vectors[a] @ self._vectors[b], 0, 1))


def _sendable(text: str) -> str:
    """The text without lone surrogates, which screens may contain but no tokenizer reads."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def similarity_name(sim: Similarity) -> str:
    """What tables, reports and logs call it."""
    return str(getattr(sim, "name", None) or getattr(sim, "__name__", type(sim).__name__))


def prepare(reward: Reward, rows: Iterable[RewardRow]) -> None:
    """Embed all descriptions that these rows will compare, in few calls: the rows are scored once with a similarity
    that only notes what it is asked. Rewards without `sim`, and similarities without embeddings, need nothing.
    """
    sim: Any = getattr(reward, "sim", None)
    if not hasattr(sim, "prepare"):
        return
    asked: dict[str, None] = {}

    def note(a: str, b: str) -> float:
        asked.update({a: None, b: None})
        return 0.0

    noting = replace(reward, sim=note)  # type: ignore[type-var]
    for row in rows:
        noting.parts(row)
    sim.prepare(asked)


class DescriptionPair(NamedTuple):
    """A description of an element, another of the same element in other words, and one of another element."""

    language: str
    text: str
    paraphrase: str
    unrelated: str


class GateShares(NamedTuple):
    """How a similarity treats descriptions: shares above UILoop's gate, and means."""

    name: str
    paraphrases: float
    unrelated: float
    mean_paraphrase: float
    mean_unrelated: float
    pairs: int
    """How many of each kind."""

    @property
    def sentence(self) -> str:
        return (
            f"sim: {self.name}. Of {self.pairs} paraphrase pairs it puts {self.paraphrases:.0%} above UILoop's gate of "
            f"{GATE}, of {self.pairs} unrelated ones {self.unrelated:.0%} (saccade similarity)."
        ).replace("%", " %")


@lru_cache(maxsize=1)
def description_pairs() -> list[DescriptionPair]:
    """Our own pairs, English and Chinese; written by hand after the default similarity, and not used to tune it."""
    lines = files("saccade.scoring").joinpath("description_pairs.jsonl").read_text("utf-8").splitlines()
    return [DescriptionPair(**json.loads(line)) for line in lines]


def gate_shares(sim: Similarity, language: str = "") -> GateShares:
    """The shares of our pairs above the gate, of one language or of all."""
    pairs = [pair for pair in description_pairs() if language in ("", pair.language)]
    if isinstance(sim, EmbeddingSimilarity):
        sim.prepare(text for pair in pairs for text in pair[1:])
    same = [sim(pair.text, pair.paraphrase) for pair in pairs]
    other = [sim(pair.text, pair.unrelated) for pair in pairs]
    paraphrases, unrelated = (fmean(value > GATE for value in values) for values in (same, other))
    return GateShares(similarity_name(sim), paraphrases, unrelated, fmean(same), fmean(other), len(pairs))
