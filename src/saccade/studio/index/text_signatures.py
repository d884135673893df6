"""Signatures of texts: which pairs and triples of letters a text has, as bits, so that most texts without a phrase are
passed over unread (superimposed coding; Knuth, The Art of Computer Programming 3, §6.5).

A text has a phrase only if it has all its triples: a bit that is missing excludes it, bits that are all there do not
prove it. Letters are counted, not words, so parts of words and Chinese are found.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LONGEST_PART = 4_000
"""Bytes of one text that is signed. More would set nearly all bits: a page of English has about 1,500 triples."""
BITS = 12
"""A signature has 2 ** BITS bits, 512 bytes."""
MOST_ASKED = 8
"""Bits that a question looks at."""


def parts(text: str) -> list[str]:
    """A text in parts of whole lines, each about as long as can be signed. A phrase has no line end, so none is cut."""
    found: list[str] = []
    lines: list[str] = []
    size = 0
    for line in text.split("\n"):
        length = len(line) if line.isascii() else len(line.encode("utf-8", "replace"))
        if lines and size + length > LONGEST_PART:
            found.append("\n".join(lines))
            lines, size = [], 0
        lines.append(line)
        size += length + 1
    return [*found, "\n".join(lines)]


def signature(text: str) -> bytes:
    """The bits of a text, lowest first, as PostgreSQL's `get_bit` counts them."""
    bits = np.zeros(2**BITS, bool)
    pairs, triples = _hashes(text)
    bits[pairs] = True
    bits[triples] = True
    return np.packbits(bits, bitorder="little").tobytes()


def bits_of(phrase: str) -> list[int]:
    """The bits that a text with this phrase has; none for a single letter."""
    found = np.unique(_hashes(phrase)[len(phrase) > 2])
    return [int(bit) for bit in found[:: -(-len(found) // MOST_ASKED) or 1]]


def _hashes(text: str) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """A number of `BITS` bits for each two and each three letters that stand together."""
    letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    pairs = _mixed(_mixed(letters[:-1]) ^ letters[1:])
    triples = _mixed(pairs[:-1] ^ letters[2:])
    return pairs >> np.uint32(32 - BITS), triples >> np.uint32(32 - BITS)


def _mixed(numbers: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Multiplicative hashing (Knuth §6.4), whose low bits also reach the high ones."""
    spread = numbers * np.uint32(0x9E3779B1)
    return spread ^ (spread >> np.uint32(15))
