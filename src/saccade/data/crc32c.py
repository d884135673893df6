"""CRC-32C, the checksum of TFRecord files, without a compiled package.

A checksum register is linear over the bits it has seen. So a long record is cut into lanes that numpy works off side by
side, and the lanes are joined by the matrix that moves a register over the bytes of one lane.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

POLYNOMIAL = 0x82F63B78
"""Castagnoli's, bits reversed."""
LANES = 1 << 12
SHORT = 1 << 14
"""Below this many bytes a plain loop is as fast."""
ALL = 0xFFFFFFFF

Words = NDArray[np.uint32]


def crc32c(data: bytes | memoryview) -> int:
    """The checksum of these bytes.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    return _long(data) if len(data) >= SHORT else _short(data)


def masked(checksum: int) -> int:
    """As TFRecord stores it, so that the checksum of a checksum is not a fixed value."""
    return ((checksum >> 15 | checksum << 17) + 0xA282EAD8) & ALL


@cache
def _table() -> list[int]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (POLYNOMIAL if value & 1 else 0)  # noqa: PLW2901
        table.append(value)
    return table


def _short(data: bytes | memoryview) -> int:
    table, register = _table(), ALL
    for byte in data:
        register = table[(register ^ byte) & 0xFF] ^ register >> 8
    return register ^ ALL


def _long(data: bytes | memoryview) -> int:
    length = -(-len(data) // LANES)
    padded = np.zeros(length * LANES, np.uint8)
    padded[-len(data) :] = np.frombuffer(data, np.uint8)
    padded[-len(data) : 4 - len(data)] ^= 0xFF  # as if the register had begun with all bits set
    columns = np.ascontiguousarray(padded.reshape(LANES, length).T)
    table = np.array(_table(), np.uint32)
    lanes: Words = np.zeros(LANES, np.uint32)
    for column in columns:
        lanes = table[(lanes ^ column) & 0xFF] ^ lanes >> 8
    move = _moved(length)
    while len(lanes) > 1:
        lanes = _apply(move, lanes[::2]) ^ lanes[1::2]
        move = _apply(move, move)
    return int(lanes[0]) ^ ALL


def _moved(count: int) -> Words:
    """The matrix, as what becomes of each single bit, that moves a register over `count` zero bytes."""
    bits: Words = np.uint32(1) << np.arange(32, dtype=np.uint32)
    table = np.array(_table(), np.uint32)
    step: Words = table[bits & 0xFF] ^ bits >> 8
    whole = bits
    while count:
        if count & 1:
            whole = _apply(step, whole)
        step = _apply(step, step)
        count >>= 1
    return whole


def _apply(matrix: Words, registers: Words) -> Words:
    out: Words = np.zeros_like(registers)
    for bit in range(32):
        out ^= np.where(registers >> np.uint32(bit) & np.uint32(1), matrix[bit], np.uint32(0))
    return out
