"""What an agent gets to know of a world."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from saccade.geometry import Box
from saccade.types import Element, Screen


@dataclass(slots=True)
class Observation:
    """What an agent gets to know after a reset or an action."""

    screen: Screen
    url: str = ""
    app: str = ""
    error: str = ""
    """Why the last action could not be done; empty if it was."""
    events: tuple[str, ...] = ()
    """What happened besides: dialogs, new tabs, downloads, blocked requests."""
    reward: float = 0.0
    done: bool = False
    """Did the task end by itself? (worlds that judge, such as MiniWoB)"""
    instruction: str = ""
    """What is to be done, in worlds that bring their own tasks."""
    secrets: Sequence[tuple[str, Box]] = ()
    """Where the world itself found its secrets on the screenshot: their names, and what to cover."""
    world_elements: Sequence[Element] = ()
    """The world's own elements, where those of `screen` come from another source."""
