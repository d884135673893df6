"""A picture as a few bits that hardly change when the picture hardly does: a difference hash.

The picture is reduced to a small grey grid, and each cell says whether it is brighter than its left neighbour. Two
pictures differ by the number of bits that differ. A difference must exceed `CONTRAST`: interfaces have large flat
areas, whose bits would otherwise be decided by noise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from numpy.typing import NDArray

CONTRAST = 2.0
"""Of 255 grey levels: smaller differences between neighbouring cells count as none."""


class HashGrid(NamedTuple):
    """How many cells a picture is reduced to."""

    columns: int
    rows: int

    @property
    def bits(self) -> int:
        return self.columns * self.rows


ICON_GRID = HashGrid(8, 8)
"""64 bits, for a part of a screen: one element."""
SCREEN_GRID = HashGrid(24, 48)
"""1,152 bits, for a whole screen: a cell is about as high as a line of text, so that other texts make another hash.
Measured on 166 screens of the phone: with the usual 64 bits, two pages of one app may differ by no bit, and one screen
at two times of the day by two. With these, another time of the day makes at most 6 bits, and another page (more than
1 % of the pixels differ) at least 8.
"""
SAME_SCREEN = 6
"""Two whole screens with at most so many different bits are the same screen."""


def difference_hash(image: Image.Image, grid: HashGrid) -> int:
    """The hash of a picture; equal pictures have equal hashes."""
    small = image.convert("L").resize((grid.columns + 1, grid.rows), Image.Resampling.BOX)
    cells = np.asarray(small, dtype=np.float32)
    brighter = cells[:, 1:] - cells[:, :-1] > CONTRAST
    return int.from_bytes(np.packbits(brighter.ravel()).tobytes(), "big")


def near_hashes(
    left: Sequence[int], right: Sequence[int], grid: HashGrid, most: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Positions of all pairs of a hash of `left` and one of `right` in which at most `most` bits differ, in parts.

    Two hashes differ by at least as many bits as their numbers of ones do, so only those with similar numbers are
    compared; the product of two rows of −1 and +1 is the number of bits minus twice those that differ.
    """
    if not left or not right:
        return
    ones_left, ones_right = (np.array([each.bit_count() for each in side]) for side in (left, right))
    order_left, order_right = np.argsort(ones_left, kind="stable"), np.argsort(ones_right, kind="stable")
    rows_left, rows_right = _bits(left, grid)[order_left], _bits(right, grid)[order_right]
    ones_left, ones_right = ones_left[order_left], ones_right[order_right]
    for at in range(0, len(left), CHUNK):
        ones = ones_left[at : at + CHUNK]
        first = np.searchsorted(ones_right, ones[0] - most, "left")
        last = np.searchsorted(ones_right, ones[-1] + most, "right")
        first = max(int(first), at) if left is right else first  # each pair once
        products = rows_left[at : at + CHUNK].astype(np.float32) @ rows_right[first:last].astype(np.float32).T
        rows, columns = np.nonzero(products >= grid.bits - 2 * most)
        yield order_left[at + rows], order_right[first + columns]


def _bits(hashes: Sequence[int], grid: HashGrid) -> NDArray[np.int8]:
    """Hashes as rows of −1 and +1."""
    data = b"".join(each.to_bytes(grid.bits // 8, "big") for each in hashes)
    bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8)).reshape(len(hashes), grid.bits)
    return bits.astype(np.int8) * 2 - 1


CHUNK = 256
"""Rows that are compared at a time, which bounds the memory."""
