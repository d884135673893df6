"""Token choices that are restricted to what makes sense: pointers to elements that exist, and declared verbs.

A pointer is an element's label and its name token. A small model now and then begins with one element's label and ends
with another's name. So behind a token that opens a pointer only tokens may follow that spell one of the prompt's
pointers, and behind the token that opens the action only a verb that the prompt declares.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade_mini.decode import Logits, TokenChoice, log_softmax

TokenTree = dict[int, Any]
"""The tokens that may follow, each with the tree behind it. An empty tree: anything may follow."""


def token_tree(texts: Iterable[Sequence[int]]) -> TokenTree:
    """Texts as a tree of tokens."""
    root: TokenTree = {}
    for text in texts:
        node = root
        for token in text:
            node = node.setdefault(token, {})
    return root


class Constrained:
    """Chooses only tokens that a tree allows. `openers`: which token opens which tree."""

    def __init__(self, choose: TokenChoice, openers: Mapping[int, TokenTree]) -> None:
        self._choose, self._openers = choose, openers
        self._open: dict[int, TokenTree] = {}
        """Of each row that is inside a tree, what may follow."""

    def __call__(self, logits: Logits) -> npt.NDArray[np.int64]:
        for row, node in self._open.items():
            keep_only(logits[row], list(node))
        tokens = self._choose(logits)
        for row, token in enumerate(tokens.tolist()):
            node = self._open.pop(row)[token] if row in self._open else self._openers.get(token, {})
            if node:
                self._open[row] = node
        return tokens


class ForcedPrefix:
    """Rows whose answers begin with given tokens, each with its own."""

    def __init__(self, prefixes: Sequence[Sequence[int]], choose: TokenChoice) -> None:
        self._prefixes, self._choose, self._at = prefixes, choose, 0

    def __call__(self, logits: Logits) -> npt.NDArray[np.int64]:
        for row, tokens in enumerate(self._prefixes):
            if self._at < len(tokens):
                keep_only(logits[row], [tokens[self._at]])
        self._at += 1
        return self._choose(logits)


class RunnersUp:
    """Records the second likeliest token at each step of one row: where another answer would branch off."""

    def __init__(self, choose: TokenChoice) -> None:
        self._choose = choose
        self.tokens: list[int] = []
        self._seconds: list[tuple[float, int, int]] = []
        """Log-probability, position, token."""

    def __call__(self, logits: Logits) -> npt.NDArray[np.int64]:
        tokens = self._choose(logits)
        logs = log_softmax(logits)[0]
        logs[tokens[0]] = -np.inf
        second = int(logs.argmax())
        if np.isfinite(logs[second]):
            self._seconds.append((float(logs[second]), len(self.tokens), second))
        self.tokens.append(int(tokens[0]))
        return tokens

    def prefixes(self, end: int, most: int) -> Iterator[tuple[float, list[int]]]:
        """How other answers begin, the likeliest first, with the probability of the token they branch off with."""
        found = [each for each in sorted(self._seconds, reverse=True) if each[2] != end]
        yield from ((math.exp(logarithm), [*self.tokens[:at], token]) for logarithm, at, token in found[:most])


def keep_only(logits: npt.NDArray[np.float32], tokens: Sequence[int]) -> None:
    """Forbid all other tokens, in place."""
    kept = logits[tokens]
    logits[:] = -np.inf
    logits[tokens] = kept
