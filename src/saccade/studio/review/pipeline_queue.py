"""The review queue as a pipeline of data uses it: items go in, and what people decided comes out as step records.

It shares its database with the studio, so people decide on its pages while the pipeline goes on or waits. Pictures are
not copied; `saccade review export` writes a data set that can be published.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec.structs import replace
from sqlalchemy import select
from sqlalchemy.orm import Session

from saccade.errors import InputError
from saccade.geometry import Box
from saccade.studio.database.engine import database_address, open_database
from saccade.studio.database.review import ReviewItem
from saccade.studio.review.agreement import report
from saccade.studio.review.decisions import result
from saccade.studio.review.export import decided_steps, personal_regions
from saccade.studio.review.kinds import KINDS
from saccade.studio.review.kinds.base import done, same_action
from saccade.studio.review.kinds.personal_data import hidden
from saccade.studio.review.queue import NewItem, add_items, key_of, steps_of
from saccade.studio.review.sources import inside
from saccade.studio.settings import read_folders
from saccade.types import Step

AT_ONCE = 500
"""Keys in one query."""
NO_RECORDS = "the answers leave no record"


class PipelineDecision(msgspec.Struct, frozen=True):
    """What people decided on an item in the end."""

    verdict: Literal["accepted", "changed", "rejected"]
    """`changed`: a record differs from what was added in more than its tags and a truth that confirms what was done."""
    steps: list[Step] = msgspec.field(default_factory=list)
    """The records as `review export` would write them, with the pictures' own names; none if rejected."""
    reason: str = ""
    """Why it was rejected."""
    hide: dict[str, list[Box]] = msgspec.field(default_factory=dict)
    """Regions that people marked as personal, by picture: to hide before the pictures are published."""


class StudioReviewQueue:
    """The queue of the studio that is started with these folders, or with this database."""

    def __init__(self, folders: Sequence[Path], database: str = "") -> None:
        self.folders = read_folders(list(folders))
        self._engine = open_database(database_address(database, self.folders))

    def add(self, kind: str, steps: Sequence[Step], folder: Path, opinions: int = 0) -> str:
        """Add one item; returns its key. What is there already stays as it is, and its key is returned.

        `folder` is what the records' pictures are named from. `opinions` people judge it; 0: as the kind says.
        """
        root = inside(folder, self.folders)
        items = list(KINDS.get(kind).items(steps))
        if len(items) != 1:
            raise InputError(f"{len(steps)} steps make {len(items)} items of the kind {kind}: give those of one item")
        item = NewItem(items[0], root)
        add_items(self._engine, kind, [item], opinions)
        return key_of(kind, item)

    def decided(self, keys: Iterable[str]) -> dict[str, PipelineDecision]:
        """What was decided on items, by key. Those still open, disputed or unknown are left out."""
        wanted, found = list(dict.fromkeys(keys)), {}
        with Session(self._engine.execution_options(reads=True)) as session:
            regions = personal_regions(session)
            for start in range(0, len(wanted), AT_ONCE):
                query = select(ReviewItem).where(ReviewItem.key.in_(wanted[start : start + AT_ONCE]))
                for item in session.scalars(query):
                    of_item = {image: boxes for (folder, image), boxes in regions.items() if folder == item.folder}
                    if (decision := _decision(session, item, of_item)) is not None:
                        found[item.key] = decision
        return found

    def agreement(self) -> dict[str, Any]:
        """How people agree on all items of the queue (`agreement.json` of an export)."""
        return dict(msgspec.to_builtins(report(self._engine)))

    def close(self) -> None:
        self._engine.dispose()


def _decision(session: Session, item: ReviewItem, regions: dict[str, list[Box]]) -> PipelineDecision | None:
    given = steps_of(item)
    decision = result(session, item, given)
    if decision is None:
        return None
    if decision.rejected:
        return PipelineDecision("rejected", reason=decision.rejected)
    shown = [hidden(step, regions.get(step.image, [])) for step in given]
    steps = list(decided_steps(session, item, shown))
    if not steps:
        return PipelineDecision("rejected", reason=NO_RECORDS)
    same = len(steps) == len(given) and all(map(_unchanged, given, steps))
    hide = {step.image: boxes for step in given if (boxes := regions.get(step.image, []))}
    return PipelineDecision("accepted" if same else "changed", steps, hide=hide)


def _unchanged(before: Step, after: Step) -> bool:
    """Is a record as it was, apart from its tags? Where it had no right action, what was done may have become it."""
    if replace(before, tags={}, id="", truth=[]) != replace(after, tags={}, id="", truth=[]):
        return False
    action = done(before)
    if before.truth or action is None or len(after.truth) != 1:
        return before.truth == after.truth
    return same_action(action, after.truth[0])
