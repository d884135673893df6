"""TFRecord files, plain or in GZIP, one record after the other, without TensorFlow.

A record is framed by its length (8 bytes) and the length's checksum (4) before it, and its own checksum (4) behind it.
Memory holds one record, or a window of a plain file, however long the file is. GZIP must be inflated from the first
byte to the last, pictures and all, and that is where the time goes. A plain file is looked at in place, so what is not
asked for is not even read: whoever reads shards again and again unpacks them once. The length's checksum and GZIP's own
are always compared; the record's, which means reading all of it, only if asked for.
"""

from __future__ import annotations

import mmap
import os
import struct
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from saccade.errors import MissingError
from saccade.screens.protobuf import Buffer
from saccade.untrusted import open_file

BLOCK = 1 << 18
"""Bytes read, and at least inflated, at a time."""
WINDOW = 1 << 27
"""Bytes of a plain file that are mapped at a time. Each mapping costs an open file, so there must not be too many."""
HEAD, TAIL = 12, 4
LONGEST = (1 << 31) - 1
"""A protobuf message cannot be longer."""
GZIP = b"\x1f\x8b"


class TFRecord(NamedTuple):
    """One record of a file."""

    path: Path
    number: int
    """From 1."""
    data: Buffer
    """What holds the message: bytes, or a part of the file."""
    at: int
    end: int
    """Where the message begins and ends in `data`; its checksum follows."""
    read: int
    """How many bytes of the file were read so far."""
    fault: str = ""
    """What is wrong with its checksum, if it was looked at."""

    @property
    def where(self) -> str:
        return f"{self.path}: record {self.number}"


class Part(NamedTuple):
    """Where a message lies, and how far the file was read for it."""

    data: Buffer
    at: int
    end: int
    read: int


def records(path: Path, check: bool = False) -> Iterator[TFRecord]:
    """All records of a file. Raises `ValueError` with the record's number where the file cannot be read on."""
    number = 0
    try:
        with open_file(path) as file:
            start = file.read(BLOCK)
            if not start:
                raise EOFError("it is empty")
            for number, part in enumerate(_inflated(file, start) if start.startswith(GZIP) else _plain(file), 1):
                yield TFRecord(path, number, *part, _fault(part) if check else "")
    except EOFError as error:
        raise ValueError(f"record {number + 1}: the file ends in the middle ({error}): is it all there?") from None
    except (ValueError, zlib.error, inflater().error) as error:
        raise ValueError(f"record {number + 1}: {_told(error)}") from None
    except OSError as error:
        raise ValueError(f"record {number + 1}: the file cannot be read: {error.strerror}") from None


def _plain(file: BinaryIO) -> Iterator[Part]:
    """Records as parts of the file, which stays mapped, window by window, for as long as somebody holds one of them."""
    number, at, page = file.fileno(), 0, 0
    size = os.fstat(number).st_size
    data: Buffer = b""
    while at < size:
        begin = at + HEAD
        end = begin + _length(os.pread(number, HEAD, at))
        at = end + TAIL
        if at > size:
            raise EOFError(f"{at - size:,} of its bytes are missing")
        if at > page + len(data):
            page = begin - begin % mmap.ALLOCATIONGRANULARITY
            length = min(max(at - page, WINDOW), size - page)
            data = mmap.mmap(number, length, access=mmap.ACCESS_READ, offset=page)
        yield Part(data, begin - page, end - page, at)


def _inflated(file: BinaryIO, start: bytes) -> Iterator[Part]:
    stream = Stream(file, start)
    while first := stream.take(HEAD):
        length = _length(first)
        data = stream.take(length + TAIL)
        if len(data) < length + TAIL:
            raise EOFError(f"{length + TAIL - len(data):,} of its bytes are missing")
        yield Part(data, 0, length, stream.read)


def head(path: Path, most: int = 1 << 16) -> bytes:
    """The first bytes of a file's first record; none if it is no TFRecord file. Only its first block is read."""
    try:
        with open_file(path) as file:
            start = file.read(most)
        if start.startswith(GZIP):
            start = zlib.decompressobj(31).decompress(start, most)
        length = _length(start[:HEAD])
    except (OSError, ValueError, EOFError, zlib.error, MissingError):
        return b""
    return start[HEAD : HEAD + length]


def checksum_of(data: bytes) -> int:
    """CRC-32C of these bytes, masked as TFRecord stores it, so that the checksum of a checksum is not a fixed value."""
    checksum = crc32c()(data)
    return ((checksum >> 15 | checksum << 17) + 0xA282EAD8) & 0xFFFFFFFF


@cache
def crc32c() -> Callable[[bytes], int]:
    try:
        return cast(Callable[[bytes], int], import_module("google_crc32c").value)
    except ImportError:
        raise MissingError("reading TFRecord files needs: pip install 'saccade[data]'") from None


def frame(data: bytes) -> bytes:
    """A record as it stands in a file."""
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", checksum_of(length)) + data + struct.pack("<I", checksum_of(data))


class Stream:
    """What a GZIP file inflates to, any number of bytes at a time."""

    def __init__(self, file: BinaryIO, start: bytes) -> None:
        self.read = len(start)
        self._file, self._input = file, start
        self._inflate: Any = None
        self._ready, self._at = b"", 0

    def take(self, count: int) -> bytes:
        """The next `count` bytes, fewer at the end. `EOFError` if the file ends before GZIP does."""
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
        """At least one inflated byte and at most `most`; empty at the end."""
        while self._inflate is not None or self._member():
            self._input = self._input or self._more()
            if not self._input:
                raise EOFError("its GZIP stream does")
            out: bytes = self._inflate.decompress(self._input, most)
            self._input = self._inflate.unconsumed_tail
            if self._inflate.eof:
                self._input, self._inflate = self._inflate.unused_data, None
            if out:
                return out
        return b""

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
    if checksum_of(start[:8]) != checksum:
        raise ValueError(f"its head is wrong, so this is no TFRecord file, or it is damaged: it has {start.hex(' ')}")
    if length > LONGEST:
        raise ValueError(f"it has {length:,} bytes: no record is so long")
    return int(length)


def _fault(part: Part) -> str:
    (checksum,) = struct.unpack_from("<I", part.data, part.end)
    right = checksum_of(bytes(part.data[part.at : part.end])) == checksum
    return "" if right else "its checksum is wrong: it is damaged"


def _told(error: Exception) -> str:
    return f"GZIP cannot be inflated: {error}" if not isinstance(error, ValueError) else str(error)
