"""How many calls one process has in flight at one server: no more than the server takes.

A server that is full either keeps calls in a queue of its own, which needs nothing here, or refuses them (429, 503).
Then the number of calls that it did take is the limit, and it grows by one whenever that many were answered: additive
increase (Chiu and Jain 1989), but a decrease only to what was just seen to work, since a slot left empty is lost.
"""

from __future__ import annotations

import asyncio

MOST_IN_FLIGHT = 256
"""Calls in flight, and connections kept open, of one process at one server."""


class CallGate:
    """Lets calls through one by one while fewer than `limit` are in flight; `async with gate:` around each."""

    def __init__(self, most: int = MOST_IN_FLIGHT) -> None:
        self.limit = self.most = most
        self.in_flight = 0
        self.usual_seconds: float | None = None
        """How long the latest answer took: about as long until a full server is free for another call."""
        self._since_growth = 0
        self._changed = asyncio.Condition()

    async def __aenter__(self) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: self.in_flight < self.limit)
            self.in_flight += 1

    async def __aexit__(self, *_: object) -> None:
        async with self._changed:
            self.in_flight -= 1
            self._changed.notify_all()

    def answered(self, seconds: float) -> None:
        """A call was answered, and is no longer in flight."""
        self.usual_seconds = seconds
        self._since_growth += 1
        if self._since_growth >= self.limit and self.limit < self.most:
            self.limit, self._since_growth = self.limit + 1, 0

    def refused(self) -> None:
        """A call was refused because the server is full, and is no longer in flight."""
        self.limit, self._since_growth = max(1, min(self.limit, self.in_flight)), 0
