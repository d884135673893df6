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
from saccade.untrusted_arrays import read_arrays
from saccade_mini.next_action_model import NextActionModel
from saccade_mini.slot_spans import SlotSpans
from saccade_mini.slots import QUOTED, SLOT

CHOICES = 6
"""Wordings that are considered."""
LEAST = 0.003
"""The probability that each of them must have."""
LARGEST = 1 << 26
"""Bytes that the tables may have; those of the mini that ships have 16 MB."""
TABLES = dict(
    each.split("=")
    for each in "known=u1 words=i2 scale=f0 tasks=f2 bias=f1 plain=U0 doing=U0 edges=u1 edge_weights=f1 "
    "routine_known=u1 routine_weights=i1 routine_scale=f0".split()
)
"""The kind of numbers of each array, as NumPy names it, and how many dimensions it has."""
_WORD = re.compile(r"[a-z']+|[“?？0]")
_CHINESE = re.compile(r"[一-鿿]+")
STEM = 5


class Intent(NamedTuple):
    """A known wording with its slots open, and its log-probability."""

    wording: str
    log_probability: float


def features(text: str) -> list[int]:
    """Hashes of words, pairs and stems, and of Chinese one to three characters; quotations and numbers are alike."""
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
            kept = read_arrays(file, LARGEST)
            self.wordings = _checked_wordings(kept)
            """One for each task, by language; an empty one stands for unknown tasks."""
            self._known, self._words, self._scale = kept["known"], kept["words"], float(kept["scale"])
            self._tasks, self._bias = kept["tasks"].astype(np.float32), kept["bias"].astype(np.float32)
            habits = decode_json(str(kept["doing"]), dict[str, list[list[str]]])
            self.spans = SlotSpans(kept["edges"], kept["edge_weights"])
            self.next_action = NextActionModel(kept["routine_known"], kept["routine_weights"], kept["routine_scale"])
            self.habits: dict[str, list[str]] = {}
            """Names of what tasks of each wording do (`task_habits`)."""
            for language, found in habits.items():
                self.habits |= zip(self.wordings[language], found, strict=True)
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


def _checked_wordings(kept: dict[str, npt.NDArray[Any]]) -> dict[str, list[str]]:
    """The wordings, if all tables are of the right kind and belong together: a file from elsewhere may hold any."""
    if any(f"{kept[name].dtype.kind}{kept[name].ndim}" != kind or not kept[name].size for name, kind in TABLES.items()):
        raise ValueError("a table is of another kind")
    wordings, tasks = decode_json(str(kept["plain"]), dict[str, list[str]]), kept["tasks"].shape[1]
    fits = [
        kept["words"].shape == (len(kept["known"]), kept["tasks"].shape[0]),
        kept["bias"].shape == (tasks,),
        kept["routine_known"].shape == kept["routine_weights"].shape,
        wordings.keys() >= {"en", "zh"} and all(len(each) == tasks for each in wordings.values()),
    ]
    if not all(fits):
        raise ValueError("its tables do not belong together")
    return wordings


open_classifier = lru_cache(maxsize=2)(IntentClassifier)
"""A file's tables, read once: they are the same for every network."""
