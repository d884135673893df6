"""The protobuf wire format, just enough to pick some fields out of a message and leave the others where they are.

Records of public data sets are large and mostly pictures. So nothing is copied here: a field is named by where its
bytes begin and end in the record.
"""

from __future__ import annotations

from collections.abc import Iterator

VARINT, EIGHT, BYTES, FOUR = 0, 1, 2, 5
"""Wire types: a number, eight bytes, bytes with a length, four bytes. The others (groups) are out of use."""
_MOST = 10
"""Bytes of the longest number."""


def tag(number: int, wire: int = BYTES) -> int:
    """How a field of that number and wire type is announced."""
    return number << 3 | wire


def fields(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Each field of the message in `data[at:end]`: its tag, where its bytes begin, and where they end. Of a number
    the value stands in place of the beginning.

    Raises `ValueError` where the bytes are no message.
    """
    if end > len(data):
        raise ValueError(f"the bytes end in the middle: {end - len(data):,} are missing")
    while at < end:
        key, at = data[at], at + 1
        if key > 0x7F:
            key, at = varint(data, at - 1, end)
        wire = key & 7
        if wire == BYTES:
            size = data[at] if at < end else 0x80
            if size < 0x80:
                begin = at + 1
            else:
                size, begin = varint(data, at, end)
            at = begin + size
            if at > end:
                raise ValueError(f"field {key >> 3} ends in the middle: {at - end:,} bytes are missing")
            yield key, begin, at
        elif wire == VARINT:
            value, at = varint(data, at, end)
            yield key, value, at
        elif wire in (FOUR, EIGHT):
            begin, at = at, at + (4 if wire == FOUR else 8)
            if at > end:
                raise ValueError(f"field {key >> 3} ends in the middle")
            yield key, begin, at
        else:
            raise ValueError(f"field {key >> 3} is of wire type {wire}: there is no such thing")


def varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """The number that begins at `at`, without a sign, and where it ends."""
    value = 0
    for shift in range(_MOST):
        if at + shift >= end:
            raise ValueError("a number ends in the middle")
        byte = data[at + shift]
        value |= (byte & 0x7F) << 7 * shift
        if byte < 0x80:
            return value, at + shift + 1
    raise ValueError(f"a number has more than {_MOST} bytes")


def signed(value: int, bits: int = 64) -> int:
    """A number as int32 or int64 means it: negative ones are written as their complement to 2^64."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def text(data: bytes, at: int, end: int) -> str:
    """A string field. Raises `ValueError` if it is not UTF-8."""
    try:
        return data[at:end].decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 text: {error.reason} at byte {error.start}") from None
