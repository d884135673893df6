"""A seeded draw: N of many ids, the same ones whatever order the files are read in.

Each id has a rank, the hash of the seed and the id, and those with the lowest ranks are drawn. So a draw streams (only
N items are kept), one of 75 is the beginning of one of 300, and two groups of one data set are drawn independently.
The papers draw at random and publish no lists: AitW 4 x 75 and 4 x 300 tasks (GuidNav), 100 episodes of GUI-Odyssey,
BTL-UI's Table 1.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")


def rank(identity: str, seed: int) -> bytes:
    """The place of an id in the draw of this seed."""
    return hashlib.sha256(f"{seed}\0{identity}".encode()).digest()


def draw(ids: Iterable[str], count: int, seed: int = 0) -> list[str]:
    """`count` different ids, or all where there are fewer, in the order of their ranks."""
    return heapq.nsmallest(count, set(ids), key=lambda each: (rank(each, seed), each))


def draw_per_group(
    items: Iterable[Item], count: int, seed: int, identity: Callable[[Item], str], group: Callable[[Item], str]
) -> dict[str, list[str]]:
    """`count` different ids of each group, as `draw` takes them."""
    groups: dict[str, set[str]] = {}
    for item in items:
        groups.setdefault(group(item), set()).add(identity(item))
    return {name: draw(ids, count, seed) for name, ids in sorted(groups.items())}
