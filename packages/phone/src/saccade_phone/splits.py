"""What is trained on and what is kept for tests (as SecAgent's Table 5 sets unseen apps apart).

Parameters are divided by value (`draw.share_of`), phones by seed, wordings by template (the last of each is for tests),
and whole templates, two apps and one kit's looks are never trained on.
"""

from __future__ import annotations

import random
from typing import Literal, NamedTuple

from saccade.errors import InputError
from saccade_phone.seeded_random import SPLITS, Language, Split
from saccade_phone.tasks import Task, tasks

HELD_OUT_APPS = frozenset({"music", "travel"})
OFFSETS: dict[Split, int] = {"train": 0, "validation": 100_000_000, "test": 200_000_000}
"""Where the seeds of each split begin."""
Group = Literal["seen", "template", "app", "theme"]
GROUPS: tuple[Group, ...] = ("seen", "template", "app", "theme")
"""What is new in a test episode: only words and parameters; the template; the app; the looks."""


class Chosen(NamedTuple):
    """One episode of a split."""

    task: str
    seed: int
    language: Language
    theme: str
    group: Group


def group_of(task: Task) -> Group:
    if HELD_OUT_APPS & set(task.apps):
        return "app"
    return "template" if task.held_out else "seen"


def templates(split: Split, group: Group | None = None) -> list[Task]:
    """The templates of a split; of a test split, those of one group."""
    if split not in SPLITS:
        raise InputError(f"there is no split {split!r}: use {', '.join(SPLITS)}")
    if group is not None and group not in GROUPS:
        raise InputError(f"there is no group {group!r}: use {', '.join(GROUPS)}")
    found = [tasks()[name] for name in sorted(tasks())]
    if split != "test" or group == "theme":
        return [task for task in found if group_of(task) == "seen"]
    return [task for task in found if group is None or group_of(task) == group]


def episode(
    split: Split,
    index: int,
    *,
    seed: int = 0,
    group: Group | None = None,
    only: tuple[str, ...] = (),
    languages: tuple[Language, ...] = ("en", "zh"),
) -> Chosen:
    """The index-th episode of a split: each template in turn, in an order that the seed settles, in each language."""
    pool = [task for task in templates(split, group) if not only or task.name in only or set(task.apps) & set(only)]
    if not pool:
        raise InputError(f"no task of the split {split} fits {', '.join(only)}: saccade tasks list shows them")
    lap, at = divmod(index, len(pool))
    order = random.Random(f"{split}/{seed}/{lap}").sample(pool, len(pool))
    task = order[at]
    language = languages[(lap + at) % len(languages)]
    place = OFFSETS[split] + seed * 1_000_000 + index
    if group == "theme":
        return Chosen(task.name, place, language, "material-dark" if lap % 2 else "material", "theme")
    return Chosen(task.name, place, language, "", group_of(task))
