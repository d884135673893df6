"""Reads files of lines that only grow, a piece at a time, as hostile input.

Only what was added is read. A file that was cut or replaced is read anew. A last line without its end waits. A line
that is too long is skipped without being held in memory.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from saccade.untrusted import open_file, read_bytes

LONGEST_LINE = 8 * 2**20
"""Bytes; a step with thousands of elements has less than one MB."""
HEAD = 256
MOST_WHOLE = 16 * 2**20
"""Bytes of a file that is read as a whole."""


@dataclass(frozen=True)
class Position:
    """How far a file was read. The columns of `database.runs.FileColumns`."""

    stamp: str = ""
    offset: int = 0
    skipping: bool = False
    head: str = ""


@dataclass
class Piece:
    """Lines with the offsets at which they begin, and how far the file was read with them."""

    lines: list[tuple[int, bytes]]
    position: Position
    anew: bool = False
    """The file is another one than before: what was read of it does not hold any more."""
    too_long: int = 0
    more: bool = False
    """Is there more to be read at once?"""


def stamp_of(path: Path) -> str:
    """Size, time of change and inode of a regular file; empty where there is none."""
    try:
        found = os.lstat(path)
    except OSError:
        return ""
    return _stamp(found) if stat.S_ISREG(found.st_mode) else ""


def _stamp(found: os.stat_result) -> str:
    return f"{found.st_size}.{found.st_mtime_ns}.{found.st_ino}"


@contextmanager
def open_regular(path: Path) -> Iterator[BinaryIO]:
    """Open a regular file. A link, a pipe or a device is an `OSError`, and never blocks."""
    with open_file(path, links=False) as file:
        yield file


def read_whole(path: Path) -> bytes:
    """A small file; `OSError` where it is none."""
    return read_bytes(path, MOST_WHOLE, links=False)


def read_part(path: Path, offset: int, length: int) -> bytes:
    """One line, by where it lies."""
    with open_regular(path) as file:
        file.seek(offset)
        return file.read(min(length, LONGEST_LINE))


def read_piece(path: Path, before: Position) -> Piece:
    """The next lines of a file, at most `LONGEST_LINE` bytes of them."""
    with open_regular(path) as file:
        found = os.fstat(file.fileno())
        now = replace(before, stamp=_stamp(found))
        anew = before.offset > found.st_size or not _same_head(file, before.head)
        if anew:
            now = Position(now.stamp)
        file.seek(now.offset)
        data = file.read(min(LONGEST_LINE, max(0, found.st_size - now.offset)))
        piece = _cut(data, now)
        piece.anew, piece.more = anew, piece.position.offset < found.st_size and len(data) == LONGEST_LINE
        if not piece.position.head and piece.position.offset:
            file.seek(0)
            piece.position = replace(piece.position, head=_head(file.read(min(HEAD, piece.position.offset))))
    return piece


def _cut(data: bytes, now: Position) -> Piece:
    """Divide what was read into whole lines."""
    begin, too_long = 0, 0
    if now.skipping:
        end = data.find(b"\n")
        if end < 0:
            return Piece([], replace(now, offset=now.offset + len(data)))
        begin, too_long, now = end + 1, 1, replace(now, skipping=False)
    last = data.rfind(b"\n") + 1
    if last <= begin and begin == 0 and len(data) == LONGEST_LINE:
        return Piece([], replace(now, offset=now.offset + len(data), skipping=True))
    last = max(last, begin)
    lines, at = [], now.offset + begin
    for line in data[begin:last].split(b"\n")[:-1]:
        lines.append((at, line))
        at += len(line) + 1
    return Piece(lines, replace(now, offset=now.offset + last), too_long=too_long)


def _head(begin: bytes) -> str:
    return f"{len(begin)}:{hashlib.sha256(begin).hexdigest()[:32]}"


def _same_head(file: BinaryIO, head: str) -> bool:
    length = head.partition(":")[0]
    return not head or _head(file.read(int(length))) == head
