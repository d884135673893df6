"""Plain values as typed ones, from several threads at a time.

msgspec (0.22) learns what a type consists of at its first use, and other threads see it half learned: two of them that
decode the same nested type for the first time end the process (SIGSEGV). Here a type is learned under a lock, before
anybody decodes it.
"""

from __future__ import annotations

from threading import RLock
from typing import Any, TypeVar

import msgspec

Kind = TypeVar("Kind")

_LOCK = RLock()
_LEARNED: set[Any] = set()


def learn(kind: Any) -> None:
    """Let msgspec learn this type and all that it consists of, once."""
    if kind not in _LEARNED:
        with _LOCK:
            msgspec.msgpack.Decoder(kind)
            _LEARNED.add(kind)


def convert(value: Any, kind: type[Kind], *, strict: bool = True, from_attributes: bool = False) -> Kind:
    """`msgspec.convert`; a `msgspec.ValidationError` where the value has another shape."""
    learn(kind)
    return msgspec.convert(value, kind, strict=strict, from_attributes=from_attributes)
