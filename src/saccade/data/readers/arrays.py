"""The records of a JSON array (or object), or of lines, one after the other, without reading the file as a whole.

Annotation files grow to gigabytes, and one bad record must not cost the others: records are told apart by their
brackets alone and decoded one by one. A file that is cut off gives what comes before the cut, and says where it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from saccade.errors import InputError
from saccade.untrusted import decode_json, open_file

CHUNK = 1 << 20
LONGEST = 1 << 26
"""Bytes of one record; more is a bracket that was never closed."""
_DEPTH = 10
_STRING = rb'"(?:[^"\\]++|\\.)*+"'


def _nested(depth: int) -> bytes:
    inner = rb"|" + _nested(depth - 1) if depth else b""
    return rb'[{\[](?:[^{}\[\]"]++|' + _STRING + inner + rb")*+[}\]]"


_MARK = re.compile(rb"(?:\xef\xbb\xbf)?+\s*+")
_GAP = re.compile(rb"[\s,]*+")
_KEY = re.compile(rb"(" + _STRING + rb")\s*+:\s*+", re.DOTALL)
_VALUE = re.compile(_nested(_DEPTH) + rb"|" + _STRING + rb"""|[^\s,:\[\]{}"]++(?=[\s,\]}])""", re.DOTALL)
_FIELD = re.compile(rb'"(\w++)"\s*+:')


class JsonItem(NamedTuple):
    """One record of an array or object."""

    number: int
    """Counted from 0."""
    key: str
    """Its name in an object; empty in an array."""
    value: Any
    end: int
    """Bytes of the file up to its end."""
    error: str = ""
    """Why it could not be read; then there is no value."""
    last: bool = False
    """Nothing after it can be read."""


def items(path: Path) -> Iterator[JsonItem]:
    """All records. What is wrong with the file comes as an item with an `error`, never as an exception of its own."""
    try:
        with open_file(path) as file:
            yield from _Scan(file).items()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None


def lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """All lines as they are, numbered from 1."""
    try:
        with open_file(path) as file:
            yield from enumerate(file, 1)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None


def fields(path: Path, size: int = 1 << 16) -> frozenset[str]:
    """The names of all fields at the beginning of a JSON file, to tell what it is; none if it cannot be read."""
    try:
        with open_file(path) as file:
            head = file.read(size)
    except OSError:
        return frozenset()
    return frozenset(name.decode() for name in _FIELD.findall(head))


class _Scan:
    """Reads a file in chunks and matches patterns at the current place."""

    def __init__(self, file: Any) -> None:
        self.file = file
        self.window = b""
        self.at = 0
        self.before = 0
        """Bytes of the file before the window."""
        self.ended = False

    def more(self) -> bool:
        chunk = self.file.read(max(CHUNK, len(self.window) - self.at))
        self.ended = not chunk
        self.before += self.at
        self.window, self.at = self.window[self.at :] + chunk, 0
        return bool(chunk)

    def take(self, pattern: re.Pattern[bytes]) -> re.Match[bytes] | None:
        """Match a pattern here; reads on as long as more of the file could change the match."""
        while True:
            found = pattern.match(self.window, self.at)
            if found is not None and found.end() < len(self.window):
                break
            if len(self.window) - self.at > LONGEST or not self.more():
                found = pattern.match(self.window, self.at)
                break
        self.at = found.end() if found else self.at
        return found

    def here(self) -> bytes:
        return self.window[self.at : self.at + 1]

    def items(self) -> Iterator[JsonItem]:
        self.take(_MARK)
        opening = self.here()
        if opening not in (b"[", b"{"):
            shown = self.window[self.at : self.at + 20].decode(errors="replace")
            yield self.broken(0, f"not JSON: expected a list of records, found {shown!r}" if shown else "an empty file")
            return
        self.at += 1
        closing = b"]" if opening == b"[" else b"}"
        number = 0
        while True:
            self.take(_GAP)
            if self.here() == closing:
                self.at += 1
                break
            item = self.item(number, named=opening == b"{")
            yield item
            if item.last:
                return
            number += 1
        self.take(_GAP)
        if self.here():
            yield self.broken(number, "text after the end of the list")

    def item(self, number: int, named: bool) -> JsonItem:
        key = ""
        if named:
            found = self.take(_KEY)
            if found is None:
                return self.broken(number, self.reason("a name"))
            key = _decoded(found[1])[0]
        value = self.take(_VALUE)
        if value is None:
            return self.broken(number, self.reason("a record"))
        decoded, error = _decoded(value[0])
        return JsonItem(number, key if isinstance(key, str) else "", decoded, self.before + self.at, error)

    def reason(self, expected: str) -> str:
        at = f"byte {self.before + self.at:,}"
        if self.ended or len(self.window) - self.at > LONGEST:
            return f"{at}: it is not closed: the file is cut off or damaged, and nothing after this can be read"
        return f"{at}: expected {expected}: the file is damaged, and nothing after this can be read"

    def broken(self, number: int, reason: str) -> JsonItem:
        return JsonItem(number, "", None, self.before + len(self.window), reason, last=True)


def _decoded(raw: bytes) -> tuple[Any, str]:
    try:
        return decode_json(raw), ""
    except msgspec.DecodeError as error:
        return None, f"not JSON: {error}"
