"""The tasks of MiniWoB++'s suite: always the same for the same options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from saccade.worlds.miniwob.catalog import task_set
from saccade.worlds.tasks import Task

MINIWOB_SEED = 1_000_000
"""Where the seeds of measurements begin."""


def miniwob_tasks(options: Mapping[str, Any]) -> Iterator[Task]:
    """A named set of tasks (`miniwob-20`, for agents that read and click, or `all`) with as many seeds each."""
    seeds = int(options.get("seeds", 5))
    for at in range(seeds):
        for name in task_set(str(options.get("set", "miniwob-20"))):
            yield Task(f"{name}-{at}", f"miniwob/{name}", MINIWOB_SEED + at, {}, {"task": name})
