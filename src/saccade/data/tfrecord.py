"""TFRecord files, plain or in GZIP, one record after the other, without TensorFlow.

A record is framed by its length (8 bytes) and the length's checksum (4) before it, and its own checksum (4) behind it.
A file is inflated in blocks as it is read, so memory holds one record, however long the file is. The length's checksum
and GZIP's own are always looked at; the record's, which takes longer than all the reading, only if asked for.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from saccade.data.crc32c import crc32c, masked

BLOCK = 1 << 18
"""Bytes read, and at least inflated, at a time."""
HEAD, TAIL = 12, 4
LONGEST = (1 << 31) - 1
"""A protobuf message cannot be longer."""
GZIP = b"\x1f\x8b"


class Record(NamedTuple):
    """One record of a file."""

    path: Path
    number: int
    """From 1."""
    data: bytes
    """The message, and behind it its checksum."""
    end: int
    """Where the message ends in `data`."""
    read: int
    """How many bytes of the file were read so far."""
    fault: str = ""
    """What is wrong with its checksum, if it was looked at."""

    @property
    def where(self) -> str:
        return f"{self.path}: record {self.number}"


def records(path: Path, check: bool = False) -> Iterator[Record]:
    """All records of a file. Raises `ValueError` with the record's number where the file cannot be read on."""
    number = 0
    try:
        with path.open("rb") as file:
            stream = Stream(file)
            while head := stream.take(HEAD):
                number += 1
                length = _length(head)
                data = stream.take(length + TAIL)
                if len(data) < length + TAIL:
                    raise EOFError(f"it has {len(data):,} of its {length + TAIL:,} bytes")
                yield Record(path, number, data, length, stream.read, _fault(data, length) if check else "")
    except EOFError as error:
        raise ValueError(f"record {max(number, 1)}: the file ends in the middle ({error}): is it all there?") from None
    except (ValueError, zlib.error, inflater().error) as error:
        raise ValueError(f"record {max(number, 1)}: {_told(error)}") from None
    except OSError as error:
        raise ValueError(f"record {number + 1}: the file cannot be read: {error.strerror}") from None


def head(path: Path, most: int = 1 << 16) -> bytes:
    """The first bytes of a file's first record; none if it is no TFRecord file. Only its first block is read."""
    try:
        with path.open("rb") as file:
            start = file.read(most)
        if start.startswith(GZIP):
            start = zlib.decompressobj(31).decompress(start, most)
        length = _length(start[:HEAD])
    except (OSError, ValueError, EOFError, zlib.error):
        return b""
    return start[HEAD : HEAD + length]


def frame(data: bytes) -> bytes:
    """A record as it stands in a file."""
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", masked(crc32c(length))) + data + struct.pack("<I", masked(crc32c(data)))


class Stream:
    """A file's bytes, inflated if they are in GZIP, any number at a time."""

    def __init__(self, file: BinaryIO) -> None:
        self.read = 0
        self._file = file
        self._input = self._more()
        self._gzip = self._input.startswith(GZIP)
        self._inflate: Any = None
        self._ready, self._at = b"", 0

    def take(self, count: int) -> bytes:
        """The next `count` bytes, fewer at the end of the file. `EOFError` if GZIP says that there should be more."""
        if len(self._ready) - self._at >= count:
            self._at += count
            return self._ready[self._at - count : self._at]
        parts = [self._ready[self._at :]]
        missing = count - len(parts[0])
        self._ready, self._at = b"", 0
        while missing > 0:
            part = self._next(max(missing, BLOCK))
            if not part:
                break
            if len(part) > missing:
                self._ready, self._at = part, missing
                part = part[:missing]
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def _more(self) -> bytes:
        block = self._file.read(BLOCK)
        self.read += len(block)
        return block

    def _next(self, most: int) -> bytes:
        """Some bytes, at most so many; none at the end."""
        if not self._gzip:
            block, self._input = self._input, b""
            return block or self._more()
        while True:
            if self._inflate is None and not self._member():
                return b""
            self._input = self._input or self._more()
            if not self._input:
                raise EOFError("its GZIP stream does")
            out: bytes = self._inflate.decompress(self._input, most)
            self._input = self._inflate.unconsumed_tail
            if self._inflate.eof:
                self._input, self._inflate = self._inflate.unused_data, None
            if out:
                return out

    def _member(self) -> bool:
        """Is there another GZIP member? Files may be several behind each other, and end in zeros."""
        self._input = self._input.lstrip(b"\0") or self._more().lstrip(b"\0")
        if self._input:
            self._inflate = inflater().decompressobj(31)
        return bool(self._input)


@cache
def inflater() -> Any:
    """zlib, or zlib-ng where it is installed: it inflates screenshots a quarter faster."""
    try:
        return import_module("zlib_ng.zlib_ng")
    except ImportError:
        return zlib


def _length(start: bytes) -> int:
    if len(start) < HEAD:
        raise EOFError(f"its head has {len(start)} of {HEAD} bytes")
    length, checksum = struct.unpack("<QI", start)
    if masked(crc32c(start[:8])) != checksum:
        raise ValueError(f"its head is wrong, so this is no TFRecord file, or it is damaged: it has {start.hex(' ')}")
    if length > LONGEST:
        raise ValueError(f"it has {length:,} bytes: no record is so long")
    return int(length)


def _fault(data: bytes, length: int) -> str:
    (checksum,) = struct.unpack_from("<I", data, length)
    return "" if masked(crc32c(memoryview(data)[:length])) == checksum else "its checksum is wrong: it is damaged"


def _told(error: Exception) -> str:
    return f"GZIP cannot be inflated: {error}" if not isinstance(error, ValueError) else str(error)
