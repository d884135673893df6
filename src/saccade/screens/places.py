"""Free places for labels: each as near as can be to the middle of what it names, none upon another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from saccade.geometry import Box, Size

NEAREST = 40
"""How many taken places are looked around first."""
OUTSIDE = 2.0
"""Leaving its own box costs a label as much as a way of so many heights."""
GAP = 1

Numbers = NDArray[np.float64]


class Places:
    """The rectangles taken on a screen."""

    def __init__(self, size: Size) -> None:
        self.size = size
        self._taken: Numbers = np.zeros((0, 4))

    def take(self, width: int, height: int, box: Box, *others: Box) -> Box | None:
        """The free rectangle of that size nearest to the middle of `box`, on the whole screen; None if it is full.
        Where it cannot stand in the very middle, but in that of one of the `others`, it stands there.

        The nearest free place touches what is in its way: only edges of taken rectangles, and the middle itself, need
        to be tried.
        """
        searches = [CornerSearch(self._taken, self.size, width, height, each) for each in (box, *others)]
        if not searches[0].possible:
            return None
        search = next((each for each in searches if each.free), searches[0])
        place = search.wanted if search.free else search.nearest(NEAREST) or search.nearest(len(self._taken))
        if place is None:
            return None
        label = Box(place[0], place[1], place[0] + width, place[1] + height)
        self._taken = np.vstack([self._taken, np.array(label, dtype=float)])
        return label


class CornerSearch:
    """The search for one label's upper left corner."""

    def __init__(self, taken: Numbers, size: Size, width: int, height: int, box: Box) -> None:
        self.room = (size.width - width, size.height - height)
        self.height = height
        self.inner = ((round(box.x0), round(box.x1) - width), (round(box.y0), round(box.y1) - height))
        """Where the corner may lie with the label inside its own box; the wrong way round if it does not fit."""
        middle = (round(box.center.x - width / 2), round(box.center.y - height / 2))
        self.wanted = (min(max(middle[0], 0), self.room[0]), min(max(middle[1], 0), self.room[1]))
        grow = np.array([-width - GAP, -height - GAP, GAP, GAP], dtype=float)
        self.walls: Numbers = np.add(taken, grow)
        """Where the corner may not lie: the taken rectangles, grown to the upper left."""

    @property
    def possible(self) -> bool:
        return min(self.room) >= 0

    @property
    def free(self) -> bool:
        (x, y), walls = self.wanted, self.walls
        return not ((walls[:, 0] < x) & (x < walls[:, 2]) & (walls[:, 1] < y) & (y < walls[:, 3])).any()

    def nearest(self, most: int) -> tuple[int, int] | None:
        """The free corner of least cost on the grid of the edges of the `most` nearest walls."""
        walls = self.walls
        away = np.hypot(walls[:, [0, 2]].mean(1) - self.wanted[0], walls[:, [1, 3]].mean(1) - self.wanted[1])
        sources = walls[np.argsort(away, kind="stable")[:most]]
        xs, ys = self._edges(sources, 0), self._edges(sources, 1)
        across = ((walls[:, :1] < xs) & (xs < walls[:, 2:3])).astype(np.float32)
        down = ((walls[:, 1:2] < ys) & (ys < walls[:, 3:4])).astype(np.float32)
        cost = np.hypot(xs[:, None] - self.wanted[0], ys[None, :] - self.wanted[1])
        cost += OUTSIDE * self.height * (self._outside(xs, 0)[:, None] | self._outside(ys, 1)[None, :])
        cost[across.T @ down > 0] = np.inf
        x, y = divmod(int(np.argmin(cost)), len(ys))
        return None if np.isinf(cost[x, y]) else (int(xs[x]), int(ys[y]))

    def _edges(self, sources: Numbers, axis: int) -> Numbers:
        edges = np.concatenate([sources[:, axis], sources[:, axis + 2], self.inner[axis], [self.wanted[axis]]])
        return np.unique(edges[(edges >= 0) & (edges <= self.room[axis])])

    def _outside(self, edges: Numbers, axis: int) -> NDArray[np.bool_]:
        return np.logical_or(edges < self.inner[axis][0], edges > self.inner[axis][1])
