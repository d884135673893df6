"""Recognises which of the known tasks an instruction asks for: a linear model over words and pairs of words.

A decoder that learned a hundred wordings of each task knows those by heart and misunderstands others. A linear model of
which 40 % of the words are dropped at random in training understands more wordings that it has not read (LOG.md).
`reader.npz` also holds what is known of each task: its slot spans, habits and next-action weights.
"""

from __future__ import annotations

import itertools
import re
import zlib
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from saccade.errors import InputError
from saccade.untrusted import decode_json
from saccade_mini.array_files import read_arrays
from saccade_mini.next_action_model import NextActionModel
from saccade_mini.slot_spans import SlotSpans
from saccade_mini.slots import QUOTED, SLOT

CHOICES = 6
"""Wordings that are considered."""
LEAST = 0.003
"""The probability that each of them must have."""
LARGEST = 1 << 26
"""Bytes that the tables may have; those of the mini that ships have 16 MB."""
LANGUAGES = ("en", "zh")
TABLES = {
    "known": ("u", 1), "words": ("i", 2), "scale": ("f", 0), "tasks": ("f", 2), "bias": ("f", 1), "plain": ("U", 0),
    "doing": ("U", 0), "edges": ("u", 1), "edge_weights": ("f", 1), "routine_known": ("u", 1),
    "routine_weights": ("i", 1), "routine_scale": ("f", 0),
}  # fmt: skip
"""The kind of numbers of each array, as NumPy names it, and how many dimensions it has."""
_WORD = re.compile(r"[a-z']+|[“?？0]")
_CHINESE = re.compile(r"[一-鿿]+")
STEM = 5


class Intent(NamedTuple):
    """A known wording with its slots open, and its log-probability."""

    wording: str
    log_probability: float


def features(text: str) -> list[int]:
    """Hashes of words, pairs of words and stems, and of Chinese one to three characters. What is quoted and which
    number it is do not matter.
    """
    text = re.sub(r"\d+", "0", QUOTED.sub(" “ ", SLOT.sub(" ", text)).lower())
    words = _WORD.findall(text)
    found = [f"e{word}" for word in words]
    found += [f"e{one} {other}" for one, other in itertools.pairwise(words)]
    found += [f"p{word[:STEM]}" for word in words if len(word) > STEM]
    for run in _CHINESE.findall(text):
        found += [f"z{run[at : at + size]}" for size in (1, 2, 3) for at in range(len(run) - size + 1)]
    return [zlib.crc32(each.encode()) for each in found]


class IntentClassifier:
    """The tables of `reader.npz`."""

    def __init__(self, file: Path) -> None:
        try:
            kept = {name: _table(name, found) for name, found in read_arrays(file, LARGEST).items() if name in TABLES}
            self._known: npt.NDArray[np.uint32] = kept["known"]
            self._words: npt.NDArray[np.int8] = kept["words"]
            self._scale = float(kept["scale"])
            self._tasks: npt.NDArray[np.float32] = kept["tasks"].astype(np.float32)
            self._bias: npt.NDArray[np.float32] = kept["bias"].astype(np.float32)
            self.wordings = decode_json(str(kept["plain"]), dict[str, list[str]])
            """One for each task, by language; an empty one stands for unknown tasks."""
            habits = decode_json(str(kept["doing"]), dict[str, list[list[str]]])
            self.spans = SlotSpans(kept["edges"], kept["edge_weights"])
            arrays = (kept[f"routine_{name}"] for name in ("known", "weights", "scale"))
            self.next_action = NextActionModel(*arrays)
            self.habits: dict[str, list[str]] = {
                wording: each
                for language, found in habits.items()
                for wording, each in zip(self.wordings[language], found, strict=True)
            }
            """Names of what tasks of each wording do (`task_habits`)."""
            _check_sizes(kept, self.wordings)
        except (OSError, ValueError, KeyError, msgspec.DecodeError):
            raise InputError(f"{file} is not a mini's classifier file: copy that of the mini that ships") from None

    def intents(self, task: str, language: str, least: float = LEAST) -> list[Intent]:
        """The wordings that a task may mean, the likeliest first; none where it is not a known task."""
        found = np.array(features(task), dtype=np.uint32)
        places = np.searchsorted(self._known, found).clip(max=len(self._known) - 1)
        places = places[self._known[places] == found]
        inside = self._words[places].astype(np.float32).sum(axis=0) * self._scale / np.sqrt(max(1, len(places)))
        logits = inside @ self._tasks + self._bias
        logits -= logits.max()
        logs = logits - np.log(np.exp(logits).sum())
        order, wordings = np.argsort(-logs)[:CHOICES], self.wordings[language]
        if not wordings[order[0]]:
            return []
        return [Intent(wordings[at], float(logs[at])) for at in order if wordings[at] and np.exp(logs[at]) >= least]


def _table(name: str, found: npt.NDArray[Any]) -> npt.NDArray[Any]:
    kinds, dimensions = TABLES[name]
    if found.dtype.kind not in kinds or found.ndim != dimensions or (dimensions and not found.size):
        raise ValueError(f"{name} is an array of another kind: {found.dtype}, {found.shape}")
    return found


def _check_sizes(kept: dict[str, npt.NDArray[Any]], wordings: dict[str, list[str]]) -> None:
    """Do the tables belong to one another? A file from elsewhere may hold any."""
    tasks = kept["tasks"].shape[1]
    fits = [
        kept["words"].shape == (len(kept["known"]), kept["tasks"].shape[0]),
        kept["bias"].shape == (tasks,),
        kept["routine_known"].shape == kept["routine_weights"].shape,
        wordings.keys() >= set(LANGUAGES) and all(len(each) == tasks for each in wordings.values()),
    ]
    if not all(fits):
        raise ValueError("its tables do not belong together")


@lru_cache(maxsize=2)
def open_classifier(file: Path) -> IntentClassifier:
    """A file's tables, read once: they are the same for every network."""
    return IntentClassifier(file)
