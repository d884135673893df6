"""Plain values as typed ones, from several threads at a time.

msgspec (0.22) works out what a type consists of at its first use, and lets other threads use the unfinished result: two
of them that decode the same nested type for the first time end the process (SIGSEGV). Here that work is done under a
lock, before anybody decodes the type.
"""

from __future__ import annotations

from threading import RLock
from typing import Any, TypeVar

import msgspec

Kind = TypeVar("Kind")

_LOCK = RLock()
_PREPARED: set[Any] = set()


def prepare_type(kind: Any) -> None:
    """Let msgspec work out what this type and all types in it consist of, once."""
    if kind not in _PREPARED:
        with _LOCK:
            msgspec.msgpack.Decoder(kind)
            _PREPARED.add(kind)


def to_type(value: Any, kind: type[Kind], *, strict: bool = True, from_attributes: bool = False) -> Kind:
    """`msgspec.convert`; a `msgspec.ValidationError` where the value has another shape."""
    prepare_type(kind)
    return msgspec.convert(value, kind, strict=strict, from_attributes=from_attributes)
