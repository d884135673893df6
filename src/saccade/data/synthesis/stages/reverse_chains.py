"""Reverse synthesis (3): chains of transitions inside one app that return to no earlier screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar

import msgspec
from msgspec.structs import replace

from saccade.data.synthesis.records import Dropped, Outcome, Record
from saccade.data.synthesis.stage import ItemStage, Settings, Tools
from saccade.data.synthesis.state_changes import changes_of
from saccade.data.synthesis.state_claims import lasting, net_changes
from saccade.data.synthesis.transitions import screen_key
from saccade.types import Step


class ReverseChainsSettings(Settings, frozen=True):
    """Settings of `reverse_chains`."""

    shortest: Annotated[int, msgspec.Meta(ge=1)] = 2
    longest: Annotated[int, msgspec.Meta(ge=1, le=30)] = 6
    """Actions in a chain."""
    starts: Annotated[int, msgspec.Meta(ge=1)] = 1
    """How many chains of different lengths end with the same action, the longest first."""


class ReverseChains(ItemStage):
    """Every action of the walk is the last one of a chain; the chain goes back as far as it may."""

    name: ClassVar[str] = "reverse_chains"
    title: ClassVar[str] = "Cut each walk into chains inside one app that return to no earlier screen."
    kind: ClassVar[type[Settings]] = ReverseChainsSettings

    def do(self, record: Record, tools: Tools) -> Outcome:
        """Each chain is a record: its actions, and the screen to which the last one led."""
        settings: ReverseChainsSettings = self.settings
        made, gone = [], []
        for end in range(1, len(record.steps)):
            reach = reachable_start(record.steps, end, settings.longest)
            starts = [at for at in range(reach, end) if end - at >= settings.shortest][: settings.starts]
            for start in starts:
                steps = [*record.steps[start:end], replace(record.steps[end], prediction=None, step_instruction="")]
                made.append(replace(record, id=f"{record.id}-c{start:02}-{end:02}", steps=steps))
            if not starts:
                reason = f"fewer than {settings.shortest} actions lead there inside one app without a loop"
                gone.append(Dropped(record.steps[end - 1].id, reason))
        return Outcome(made, gone)


def reachable_start(steps: Sequence[Step], end: int, longest: int) -> int:
    """The earliest screen from which the actions up to `end` stay in one app and return to no earlier screen. The
    action that opened the app may come first. `end`: not even the last action can be taken.
    """
    app = steps[end].tags.get("app", "")
    seen = {screen_key(steps[end]): [end]}
    start = end
    for at in range(end - 1, max(-1, end - 1 - longest), -1):
        if not steps[at].step_instruction or returns(steps, at, seen):
            break
        opened = steps[at].tags.get("app", "") != app
        start = at
        if opened:
            break
        seen.setdefault(screen_key(steps[at]), []).append(at)
    return start


def returns(steps: Sequence[Step], at: int, seen: dict[str, list[int]]) -> bool:
    """Is the screen `at` shown again later, with nothing changed in between? Where the world tells its state, the same
    screen with other data behind it is another place.
    """
    for later in seen.get(screen_key(steps[at]), []):
        between = [change for step in steps[at:later] for change in changes_of(step.tags)]
        if not lasting(net_changes(between)):
            return True
    return False
