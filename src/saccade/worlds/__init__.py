"""Places to act in, by name: an address, `phone/TASK`, `miniwob/TASK`, `android:SERIAL`, `desktop/APPLICATION`, …"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

from saccade.errors import InputError
from saccade.plugins import source_of
from saccade.registry import Registry
from saccade.worlds.base import InfrastructureError, LazyElements, Observation, World

Opener = Callable[..., World]
"""From what stands behind the name (an address, a task, a serial number) and options to a world."""

WORLDS: Registry[Opener] = Registry(
    "world",
    {
        "browser": "saccade.worlds.browser:open_browser",
        "miniwob": "saccade.worlds.miniwob:open_miniwob",
        "android": "saccade.worlds.android:open_android",
        "desktop": "saccade.worlds.desktop:open_desktop",
        "replay": "saccade.worlds.replay:open_replay",
    },
    accepts=callable,
)


def split_name(name: str) -> tuple[str, str]:
    """The kind of world that a name on the command line means, and what stands behind it.

    >>> split_name("phone/clock.add_alarm"), split_name("https://example.org"), split_name("android:")
    (('phone', 'clock.add_alarm'), ('browser', 'https://example.org'), ('android', ''))
    """
    if re.match(r"(https?|file|about|data):", name):
        return "browser", name
    kind, _, rest = re.sub(r"[:/]", "\0", name, count=1).partition("\0")
    return kind, rest


def open_world(name: str, **options: Any) -> World:
    """A world by its name on the command line. It is made, not started: call `reset`."""
    kind, rest = split_name(name)
    opener = WORLDS.get(kind)
    try:
        world = opener(rest, **options)
    except TypeError as error:
        if "unexpected keyword argument" not in str(error):
            raise
        raise InputError(f"the world {name}: {error}") from None  # an option that this kind of world does not have
    if not isinstance(world, World):
        got = type(world).__name__
        raise InputError(f"{source_of(opener)}: it opens the world {kind!r} and returned {got}: it must return a World")
    return world


def takes_option(name: str, option: str) -> bool:
    """Does this kind of world have an option of that name? Only what its opener names counts, not `**options`."""
    opener = WORLDS.get(split_name(name)[0])
    return option in inspect.signature(opener).parameters


__all__ = [
    "WORLDS",
    "InfrastructureError",
    "LazyElements",
    "Observation",
    "World",
    "open_world",
    "split_name",
    "takes_option",
]
