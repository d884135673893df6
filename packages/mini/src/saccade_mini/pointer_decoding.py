"""Decoding that points at nothing but what is there.

A pointer is an element's label and its name. A small model now and then begins with one element's label and ends with
another's name, or writes a label that is a mixture of two. So behind the token that opens a pointer, only tokens may
follow that spell one of the list's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade_mini.decode import Logits, Pick

Node = dict[int, Any]
"""What may follow, by token; a pointer that is over has an empty one."""


def spelled(pointers: Iterable[Sequence[int]]) -> Node:
    """All pointers as a tree of tokens."""
    root: Node = {}
    for pointer in pointers:
        node = root
        for token in pointer:
            node = node.setdefault(token, {})
    return root


class Pointing:
    """A choice among the tokens that may follow. `openers`: which token opens a pointer, and the tree behind it."""

    def __init__(self, pick: Pick, openers: Mapping[int, Node]) -> None:
        self._pick, self._openers = pick, openers
        self._open: dict[int, Node] = {}
        """Of the rows that are within a pointer, what may follow."""

    def __call__(self, logits: Logits) -> npt.NDArray[np.int64]:
        for row, node in self._open.items():
            able = list(node)
            kept = logits[row, able]
            logits[row] = -np.inf
            logits[row, able] = kept
        tokens = self._pick(logits)
        for row, token in enumerate(tokens.tolist()):
            self.follow(row, token)
        return tokens

    def follow(self, row: int, token: int) -> None:
        """A token was chosen, here or elsewhere."""
        node = self._open.pop(row)[token] if row in self._open else self._openers.get(token, {})
        if node:
            self._open[row] = node
