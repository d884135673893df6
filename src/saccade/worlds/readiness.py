"""Is a world ready on this machine? Each tells for itself: a function `readiness` beside the one that opens it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable

import msgspec

from saccade.errors import MissingError
from saccade.worlds import WORLDS


class Readiness(msgspec.Struct, frozen=True):
    """What `saccade worlds list` says of a world."""

    usage: str
    """How one is named on the command line."""
    about: str
    ready: bool
    detail: str
    """What was found, or what to install."""


def check(usage: str, about: str, *finds: Callable[[], str]) -> Readiness:
    """Ready if every one of `finds` says what it found; the first `MissingError` says what to install."""
    try:
        return Readiness(usage, about, True, ", ".join(find() for find in finds))
    except MissingError as error:
        return Readiness(usage, about, False, str(error))


def readiness_of(name: str) -> Readiness:
    """What the world of that name says of itself; a plug-in that says nothing is ready if it can be loaded."""
    try:
        opener = WORLDS.get(name)
    except MissingError as error:
        return Readiness(name, "", False, str(error))
    except ImportError as error:
        return Readiness(name, "", False, f"it cannot be loaded: {error}")
    tells: Callable[[], Readiness] | None = getattr(sys.modules[opener.__module__], "readiness", None)
    if tells is not None:
        return tells()
    return Readiness(name, (inspect.getdoc(opener) or "").partition("\n")[0], True, "")
