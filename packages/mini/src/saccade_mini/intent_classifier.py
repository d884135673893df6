"""Which task is it? What people say, matched with the plain wordings that the mini was taught.

A decoder that learned a hundred wordings of each task knows those by heart and mistakes others. A linear model over
words and pairs of words, of which 40 % are left out at random in training, understands more of those that it has not
read (docs/RESULTS.md). So words choose among the plain wordings, and the decoder fills their slots (`copying`).
"""

from __future__ import annotations

import itertools
import json
import re
import zlib
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from saccade.errors import InputError
from saccade_mini.next_action_model import Routine
from saccade_mini.paraphrase_check import QUOTED
from saccade_mini.slot_spans import Edges
from saccade_mini.slots import SLOT

CHOICES = 6
"""Plain wordings that are tried."""
LEAST = 0.003
"""How likely each of them must be."""
_WORD = re.compile(r"[a-z']+|[“?？0]")
_CHINESE = re.compile(r"[一-鿿]+")
STEM = 5


class Choice(NamedTuple):
    """A plain wording, with slots in braces, and the logarithm of how likely it is."""

    plain: str
    likely: float


def features(text: str) -> list[int]:
    """Words and pairs of words, stems, and of Chinese one to three letters, each as a number. What is quoted and which
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


class Reader:
    """A table of features and what each says of each task."""

    def __init__(self, file: Path) -> None:
        try:
            with np.load(file, allow_pickle=False) as kept:
                self._known: npt.NDArray[np.uint32] = kept["known"]
                self._words: npt.NDArray[np.int8] = kept["words"]
                self._scale = float(kept["scale"])
                self._tasks: npt.NDArray[np.float32] = kept["tasks"].astype(np.float32)
                self._bias: npt.NDArray[np.float32] = kept["bias"].astype(np.float32)
                self.plain: dict[str, list[str]] = json.loads(str(kept["plain"]))
                apps = json.loads(str(kept["apps"])) if "apps" in kept else {}
                doing = json.loads(str(kept["doing"])) if "doing" in kept else {}
                self.edges = Edges(kept["edges"], kept["edge_weights"]) if "edges" in kept else None
                self.routine = (
                    Routine(*(kept[f"routine_{each}"] for each in Routine.KEPT)) if "routine_known" in kept else None
                )
            self.apps: dict[str, list[str]] = self._by_wording(apps)
            """What the apps are called that a plain wording needs."""
            self.doing: dict[str, dict[str, list[str]]] = self._by_wording(doing)
            """What its tasks do, and which slots they name before (`doing`)."""
        except (OSError, ValueError, KeyError, EOFError, BadZipFile):
            raise InputError(f"{file} is not a mini's reader: saccade train reader writes one") from None

    def _by_wording(self, kept: dict[str, list[Any]]) -> dict[str, Any]:
        """What is kept of each plain wording, in their order."""
        return {
            plain: each
            for language, found in kept.items()
            for plain, each in zip(self.plain[language], found, strict=True)
        }

    def likely(self, task: str, language: str, least: float = LEAST) -> list[Choice]:
        """The plain wordings that a task may mean, the likeliest first; none where it is not a known one."""
        found = np.array(features(task), dtype=np.uint32)
        places = np.searchsorted(self._known, found).clip(max=len(self._known) - 1)
        places = places[self._known[places] == found]
        inside = self._words[places].astype(np.float32).sum(axis=0) * self._scale / np.sqrt(max(1, len(places)))
        logits = inside @ self._tasks + self._bias
        logits -= logits.max()
        logs = logits - np.log(np.exp(logits).sum())
        order = np.argsort(-logs)[:CHOICES]
        plain = self.plain[language]
        if not plain[order[0]]:
            return []
        return [Choice(plain[at], float(logs[at])) for at in order if plain[at] and np.exp(logs[at]) >= least]
