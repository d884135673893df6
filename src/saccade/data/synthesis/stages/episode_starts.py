"""Reverse synthesis with a policy (0): where each episode of the walk began, which is where its tasks are played."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from saccade.agents.hidden_settings import hidden
from saccade.data.synthesis.episode_start import Value, playable_task, start_of
from saccade.data.synthesis.records import Dropped, Record
from saccade.data.synthesis.stage import Settings, Tools, WholeStage
from saccade.errors import InputError
from saccade.worlds.tasks import Task

KEPT_TAGS = ("world", "language")
"""Tags of the walk that hold for what is played there too."""


class EpisodeStartsSettings(Settings, frozen=True):
    """Settings of `episode_starts`."""

    worlds: list[str] = msgspec.field(default_factory=list)
    """Worlds that the user named (`--world`): they are opened although they are no sandboxes."""
    options: dict[str, Value] = msgspec.field(default_factory=dict)
    """Of the worlds (`--option`)."""


class EpisodeStarts(WholeStage):
    """Put into the field `task`, as the tasks of `plan_tasks`; the instruction is written later."""

    name: ClassVar[str] = "episode_starts"
    title: ClassVar[str] = "Find the world, options and seed that each episode of the walk began with."
    kind: ClassVar[type[Settings]] = EpisodeStartsSettings
    before_mask: ClassVar[bool] = True

    def check(self, policy: str) -> None:
        """What the user names is written into the output folder."""
        settings: EpisodeStartsSettings = self.settings
        if hidden(settings.worlds) != settings.worlds or hidden(settings.options) != settings.options:
            raise InputError(
                "--world and --option would be written into the output folder: leave keys and passwords out"
            )

    def do(self, records: Iterator[Record], tools: Tools) -> Iterator[Record | Dropped]:
        taken = made = 0
        for record in records:
            taken += 1
            task = self._task(record)
            if task is None:
                yield Dropped(record.id, "the walk does not say where the episode began")
                continue
            made += 1
            yield replace(record, fields={**record.fields, "task": msgspec.to_builtins(task), "written": True})
        if taken and not made:
            raise InputError(
                "the walk does not say where its episodes began, so nothing can be played from there: walk again with "
                "saccade data walk, or leave --policy out"
            )

    def _task(self, record: Record) -> Task | None:
        settings: EpisodeStartsSettings = self.settings
        start = start_of(record)
        if start is None:
            return None
        tags: dict[str, Any] = {name: record.step.tags[name] for name in KEPT_TAGS if name in record.step.tags}
        return replace(playable_task(record.id, start, settings.worlds, settings.options), tags=tags)
