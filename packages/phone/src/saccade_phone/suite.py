"""The phone's tasks as a suite: `saccade bench phone`, `saccade data collect phone`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from saccade.bench.suites import live_suite
from saccade.errors import InputError, check_choices
from saccade.worlds.tasks import Task
from saccade_phone.catalog import catalog
from saccade_phone.seeded_random import SPLITS
from saccade_phone.splits import GROUPS, episode
from saccade_phone.wordings import read_wordings

WORLD_OPTIONS = ("scale", "wordings", "by_sight", "pictures")
"""Options that are handed on to the world as they are."""


def phone_tasks(options: Mapping[str, Any]) -> Iterator[Task]:
    """Episodes of a split, without end. Of the test split, all groups in turn unless one is named.

    `only` names tasks or apps, separated by spaces or commas; `language` is en, zh or both; another `seed` gives other
    phones. The same options always give the same tasks.
    """
    split, group = str(options.get("split", "test")), options.get("group") or None
    language = str(options.get("language", "both"))
    check_choices({"split": (split, SPLITS), "group": (group, GROUPS), "language": (language, ("en", "zh", "both"))})
    only = tuple(re.split(r"[\s,]+", str(options["only"]).strip())) if options.get("only") else ()
    languages = ("en", "zh") if language == "both" else (language,)
    world = {name: options[name] for name in WORLD_OPTIONS if name in options}
    if "wordings" in world:
        read_wordings(str(world["wordings"]))  # a file that cannot be read is refused before anything is begun
    if "scale" in world and not (isinstance(world["scale"], int | float) and 0.5 <= world["scale"] <= 4):
        raise InputError(f"the option scale is {world['scale']!r}: use a number between 0.5 and 4")
    templates = {row.name: row for row in catalog()}
    groups = [group] if group or split != "test" else list(GROUPS)
    for at in count():
        lap, which = divmod(at, len(groups))
        chosen = episode(
            split,  # type: ignore[arg-type]
            lap,
            seed=int(options.get("seed", 0)),
            group=groups[which],
            only=only,
            languages=languages,  # type: ignore[arg-type]
        )
        row = templates[chosen.task]
        median = row.steps[chosen.language][1]
        tags = {
            "task": chosen.task,
            "app": row.apps[0] if len(row.apps) == 1 else "several",
            "kind": row.kind,
            "language": chosen.language,
            "group": chosen.group,
            "split": split,
            "length": "1-5" if median <= 5 else "6-10" if median <= 10 else "11+",
        }
        task_options = {
            "language": chosen.language,
            "theme": chosen.theme,
            "split": split,
            "interruptions": bool(options.get("interruptions", True)),
        }
        yield Task(f"{at:05}-{chosen.task}", f"phone/{chosen.task}", chosen.seed, task_options | world, tags)


SUITE = live_suite(
    "phone",
    "the sandbox phone",
    phone_tasks,
    ("split", "group", "language", "interruptions", "only", "seed", *WORLD_OPTIONS),
    training={"split": "train"},
)
