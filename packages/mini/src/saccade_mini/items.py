"""One element of a prompt, as the codec reads it."""

from __future__ import annotations

from dataclasses import dataclass

from saccade.geometry import Box, Point


@dataclass(frozen=True)
class Item:
    """One element of a prompt."""

    id: int
    kind: str
    state: str
    label: str
    point: Point
    box: Box
    badge: str = ""
    """A count that the label began with. It is moved behind the name, because answers name the tab without it."""
    names: tuple[str, ...] = ()
    """What trees may call it, the most frequent first, where it was named by its icon (`seen_elements`)."""

    @property
    def scrolls(self) -> bool:
        return self.kind == "scroll"
