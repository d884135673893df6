"""What an action did to a sandbox: the difference of two states (`World.sandbox_state`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from saccade.untrusted import decode_json
from saccade.worlds.base import World

MOST_CHANGES = 40
MOST_BYTES = 4096
"""Of the JSON text: a tag is read by people too."""

Change = tuple[str, Any, Any]
"""Where (`apps.clock.alarms.a3.on`), the value before and the value after; None where there is none."""


def state_changes(before: Any, after: Any, path: str = "") -> Iterator[Change]:
    """All values that differ. Mappings, and lists of equal length, are compared inside.

    >>> list(state_changes({"a": {"x": 1, "y": [1, 2]}}, {"a": {"x": 1, "y": [1, 3], "z": 0}}))
    [('a.y.1', 2, 3), ('a.z', None, 0)]
    """
    if before == after:
        return
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in dict.fromkeys((*before, *after)):
            yield from state_changes(before.get(key), after.get(key), f"{path}.{key}" if path else str(key))
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for at, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from state_changes(old, new, f"{path}.{at}")
    else:
        yield path, before, after


def change_tags(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> dict[str, str]:
    """The changes as tags of a record: `state_changes`, a JSON list of [path, before, after], and where it had to be
    cut, `state_changes_left_out` with the number of changes that are missing. No tags where the world tells no state.
    """
    if before is None or after is None:
        return {}
    kept, left_out = bounded(list(state_changes(before, after)))
    tags = {"state_changes": msgspec.json.encode(kept).decode()}
    return tags | ({"state_changes_left_out": str(left_out)} if left_out else {})


class StateWatcher:
    """Tells after each action what it did to a sandbox. It begins with the state that the world is in."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.state = world.sandbox_state()

    def tags(self) -> dict[str, str]:
        """What changed since the last call, as tags of the record of the screen before."""
        before, self.state = self.state, self.world.sandbox_state()
        return change_tags(before, self.state)


def bounded(changes: Sequence[Change]) -> tuple[list[Change], int]:
    """The first changes that fit into the limits, and how many do not."""
    kept: list[Change] = []
    size = 2
    for change in changes:
        size += len(msgspec.json.encode(change)) + 1
        if len(kept) == MOST_CHANGES or size > MOST_BYTES:
            break
        kept.append(change)
    return kept, len(changes) - len(kept)


def changes_of(tags: Mapping[str, str]) -> list[Change]:
    """The changes that a record's tags tell; none where there are none."""
    return decode_json(tags.get("state_changes", "[]"), list[tuple[str, Any, Any]])
