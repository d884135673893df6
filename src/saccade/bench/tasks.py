"""The tasks of the live suites: always the same for the same options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from saccade.bench.cases import Task
from saccade.errors import check_choices
from saccade.worlds.miniwob.catalog import task_set
from saccade_phone.catalog import catalog
from saccade_phone.draw import SPLITS
from saccade_phone.splits import GROUPS, episode
from saccade_phone.wordings import read_wordings

MINIWOB_SEED = 1_000_000
"""Where the seeds of measurements begin."""


def phone_tasks(options: Mapping[str, Any]) -> Iterator[Task]:
    """Episodes of a split, without end. Of the test split, all groups in turn unless one is named."""
    split, group = str(options.get("split", "test")), options.get("group")
    check_choices({"split": (split, SPLITS), "group": (group or None, GROUPS)})
    only = tuple(str(options.get("only") or "").split()) if options.get("only") else ()
    language = str(options.get("language", "both"))
    languages = ("en", "zh") if language == "both" else (language,)
    if "wordings" in options:
        read_wordings(str(options["wordings"]))  # nothing is begun with a file that is none
    lengths = {row.name: row for row in catalog()}
    groups = [group] if group or split != "test" else list(GROUPS)
    for at in count():
        lap, which = divmod(at, len(groups))
        chosen = episode(split, lap, seed=int(options.get("seed", 0)), group=groups[which], only=only,  # type: ignore[arg-type]
                         languages=languages)  # type: ignore[arg-type]  # fmt: skip
        row = lengths[chosen.task]
        steps = row.steps[chosen.language][1]
        tags = {"task": chosen.task, "app": row.apps[0] if len(row.apps) == 1 else "several", "kind": row.kind,
                "language": chosen.language, "group": chosen.group,
                "length": "1-5" if steps <= 5 else "6-10" if steps <= 10 else "11+"}  # fmt: skip
        told = {"language": chosen.language, "theme": chosen.theme, "split": split,
                "interruptions": bool(options.get("interruptions", True))}  # fmt: skip
        if "scale" in options:
            told["scale"] = float(options["scale"])
        if "wordings" in options:
            told["wordings"] = str(options["wordings"])
        yield Task(f"{at:05}-{chosen.task}", f"phone/{chosen.task}", chosen.seed, told, tags)


def miniwob_tasks(options: Mapping[str, Any]) -> Iterator[Task]:
    """A named set of tasks (`miniwob-20`, for pixels-and-text policies, or `all`) with as many seeds each."""
    seeds = int(options.get("seeds", 5))
    for at in range(seeds):
        for name in task_set(str(options.get("set", "miniwob-20"))):
            yield Task(f"{name}-{at}", f"miniwob/{name}", MINIWOB_SEED + at, {}, {"task": name})
