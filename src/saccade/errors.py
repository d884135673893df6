"""The two ways a command may end badly through no fault of ours. Both carry one sentence for a person."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence


class InputError(Exception):
    """The input is wrong: the message says what, where, and what to do. Commands exit with 2."""


class MissingError(Exception):
    """Something must be installed first: the message says what. Commands exit with 3."""


def check_choices(given: Mapping[str, tuple[str | None, Sequence[str]]]) -> None:
    """Is each option, where it is given, one of what it may be?"""
    for option, (value, allowed) in given.items():
        if value is not None and value not in allowed:
            raise InputError(f"{option} is {value!r}: use {', '.join(allowed)}")


def check_complete(kind: type, called: str, *attributes: str) -> None:
    """Does a plug-in's class have the attributes and methods that it must give? `called` says what it is."""
    lacks = [f"a {each}" for each in attributes if not hasattr(kind, each)]
    lacks += [f"a method {each}" for each in sorted(getattr(kind, "__abstractmethods__", ()))]
    if lacks:
        try:
            where = f"{inspect.getsourcefile(kind)}, line {inspect.getsourcelines(kind)[1]}"
        except (OSError, TypeError):
            where = kind.__module__
        raise InputError(f"{called} lacks {' and '.join(lacks)}: give the class {kind.__name__} one ({where})")


def readable(error: Exception) -> str:
    """What msgspec says, with the field first: `screen[0]: Expected `int`, got `str``."""
    reason, _, path = str(error).partition(" - at `$")
    where = path.rstrip("`").lstrip(".")
    return f"{where}: {reason}" if where else re.sub(r"^Object missing", "missing", reason)
