"""Which worlds may be opened because a file of records says so.

A file of step records may come from a stranger. A world that reaches outside of its sandbox whatever it is called (an
address, a device, a program) is opened only if the user names it. An opener whose worlds never do is marked:

    @opened_from_records("language", "scale")
    def open_phone(task: str = "", *, language: str = "en", scale: float = 3.0, wordings: str = "") -> World: ...

The names are the options that a file may set. An opener checks their values, as it does those of the command line.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from saccade.worlds import WORLDS, Opener, split_name

OpenerType = TypeVar("OpenerType", bound=Opener)
_MARKED: dict[Opener, frozenset[str]] = {}


def opened_from_records(*options: str) -> Callable[[OpenerType], OpenerType]:
    """Mark an opener: no name, and no value of these options, makes its worlds touch anything outside of a sandbox."""

    def mark(opener: OpenerType) -> OpenerType:
        _MARKED[opener] = frozenset(options)
        return opener

    return mark


def record_options(world: str) -> frozenset[str] | None:
    """The options that a file of records may set for a world of this name; None: the file may not open it at all."""
    kind = split_name(world)[0]
    return _MARKED.get(WORLDS.get(kind)) if kind in WORLDS.names() else None
