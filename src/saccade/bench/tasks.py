"""The tasks of the suites of MiniWoB++ and the desktop: always the same for the same options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from saccade.errors import check_choices
from saccade.worlds.desktop.tasks.catalog import LANGUAGES, groups, in_split
from saccade.worlds.desktop.tasks.template import SPLITS
from saccade.worlds.miniwob.catalog import task_set
from saccade.worlds.tasks import Task

MINIWOB_SEED = 1_000_000
"""Where the seeds of measurements begin: far from those of training data, which begin at 0."""


def miniwob_tasks(options: Mapping[str, Any]) -> Iterator[Task]:
    """A named set of tasks (`miniwob-20`, for agents that read and click, or `all`) with as many seeds each, from
    `seed` on.
    """
    seeds, first = int(options.get("seeds", 5)), int(options.get("seed", MINIWOB_SEED))
    for at in range(seeds):
        for name in task_set(str(options.get("set", "miniwob-20"))):
            yield Task(f"{name}-{at}", f"miniwob/{name}", first + at, {}, {"task": name})


def desktop_tasks(options: Mapping[str, Any]) -> Iterator[Task]:
    """Every template of a split once with each seed, in one language or in both. `group` names an application, or
    `several` for tasks across applications.
    """
    split, group = str(options.get("split", "test")), options.get("group") or None
    language = str(options.get("language", "both"))
    check_choices({"split": (split, SPLITS), "group": (group, groups()), "language": (language, (*LANGUAGES, "both"))})
    languages = LANGUAGES if language == "both" else (language,)
    for seed in range(int(options.get("seeds", 5))):
        for task in in_split(split):
            if group not in (None, task.group()):
                continue
            for each in languages:
                tags = {"task": task.name, "app": task.group(), "kind": task.kind, "language": each}
                tags["group"] = "held_out" if task.held_out else "usual"
                name = f"{task.name}-{each}-{seed}"
                yield Task(name, f"desktop/{task.name}", seed, {"language": each, "split": split}, tags)
