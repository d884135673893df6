"""Places to act in, by name: an address, `phone/TASK`, `miniwob/TASK`, `android:SERIAL`, `replay:FOLDER`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

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
        "replay": "saccade.worlds.replay:open_replay",
    },
)


def open_world(name: str, **options: Any) -> World:
    """A world by its name on the command line. It is made, not started: call `reset`."""
    if re.match(r"(https?|file|about|data):", name):
        return WORLDS.get("browser")(name, **options)
    kind, _, rest = re.sub(r"[:/]", "\0", name, count=1).partition("\0")
    return WORLDS.get(kind)(rest, **options)


__all__ = ["WORLDS", "InfrastructureError", "LazyElements", "Observation", "World", "open_world"]
