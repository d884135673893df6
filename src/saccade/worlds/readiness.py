"""Checks whether the worlds can be used on this machine.

Each world reports this itself, in a function `readiness` in the module of the function that opens it.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable

import msgspec

from saccade.errors import MissingError
from saccade.worlds import WORLDS


class Readiness(msgspec.Struct, frozen=True):
    """One entry of `saccade worlds list`."""

    usage: str
    """How the world is written on the command line."""
    about: str
    ready: bool
    detail: str
    """What was found, or what to install."""


def check(usage: str, about: str, *finds: Callable[[], str]) -> Readiness:
    """Ready if all `finds` return what they found; the first `MissingError` says what to install."""
    try:
        return Readiness(usage, about, True, ", ".join(find() for find in finds))
    except MissingError as error:
        return Readiness(usage, about, False, str(error))


def readiness_of(name: str) -> Readiness:
    """The readiness of a world by name; one without a `readiness` function is ready if it can be loaded."""
    try:
        opener = WORLDS.get(name)
    except MissingError as error:
        return Readiness(name, "", False, str(error))
    except ImportError as error:
        return Readiness(name, "", False, f"it cannot be loaded: {error}")
    report: Callable[[], Readiness] | None = getattr(sys.modules[opener.__module__], "readiness", None)
    if report is not None:
        return report()
    return Readiness(name, (inspect.getdoc(opener) or "").partition("\n")[0], True, "")
