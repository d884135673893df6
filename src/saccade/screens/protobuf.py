"""The protobuf wire format, just enough to pick some fields out of a message and leave the others where they are.

Records of public data sets are large and mostly pictures. So nothing is copied here: a field is named by where its
bytes begin and end in the record.
"""

from __future__ import annotations

from collections.abc import Iterator
from mmap import mmap

Buffer = bytes | mmap
"""What messages are read from."""
VARINT, EIGHT, BYTES, FOUR = 0, 1, 2, 5
"""Wire types: a number, eight bytes, bytes with a length, four bytes. The others (groups) are out of use."""
_MOST = 10
"""Bytes of the longest number."""


def tag(number: int, wire: int = BYTES) -> int:
    """How a field of that number and wire type is announced."""
    return number << 3 | wire


def fields(data: Buffer, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Each field of the message in `data[at:end]`: its tag, where its bytes begin, and where they end. Of a number
    the value stands in place of the beginning.

    Raises `ValueError` where the bytes are no message.
    """
    if end > len(data):
        raise ValueError(f"the bytes end in the middle: {end - len(data):,} are missing")
    while at < end:
        # Nearly all keys have one or two bytes and nearly all numbers one; a call costs more than all the rest.
        key, at = data[at], at + 1
        if key > 0x7F:
            if at < end and data[at] < 0x80:
                key, at = key & 0x7F | data[at] << 7, at + 1
            else:
                key, at = varint(data, at - 1, end)
        value = data[at] if at < end else 0x80
        if value < 0x80:
            begin = at + 1
        elif key & 7 in (VARINT, BYTES):
            value, begin = varint(data, at, end)
        match key & 7:
            case 2:
                at = begin + value
                if at > end:
                    raise ValueError(f"field {key >> 3} ends in the middle: {at - end:,} bytes are missing")
                yield key, begin, at
            case 0:
                at = begin
                yield key, value, at
            case 1 | 5 as wire:
                begin, at = at, at + (4 if wire == FOUR else 8)
                if at > end:
                    raise ValueError(f"field {key >> 3} ends in the middle")
                yield key, begin, at
            case wire:
                raise ValueError(f"field {key >> 3} is of wire type {wire}: there is no such thing")


def varint(data: Buffer, at: int, end: int) -> tuple[int, int]:
    """The number that begins at `at`, without a sign, and where it ends."""
    value = shift = 0
    stop = end if end - at < _MOST else at + _MOST
    while at < stop:
        byte, at = data[at], at + 1
        if byte < 0x80:
            return value | byte << shift, at
        value |= (byte & 0x7F) << shift
        shift += 7
    raise ValueError("a number ends in the middle" if at == end else f"a number has more than {_MOST} bytes")


def signed(value: int, bits: int = 64) -> int:
    """A number as int32 or int64 means it: negative ones are written as their complement to 2^64."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def text(data: Buffer, at: int, end: int) -> str:
    """A string field. Raises `ValueError` if it is not UTF-8."""
    try:
        return data[at:end].decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 text: {error.reason} at byte {error.start}") from None
