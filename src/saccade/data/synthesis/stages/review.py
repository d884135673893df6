"""What people do in a pipeline goes through the studio's review queue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any, ClassVar

from msgspec.structs import replace

from saccade.data.synthesis.records import Dropped, Record
from saccade.data.synthesis.stage import Settings, StoppedError, Tools, WholeStage
from saccade.errors import InputError


class ReviewSettings(Settings, frozen=True):
    """Settings of `review`."""

    kind: str = "step"
    """What people are shown: a kind of review of the studio."""
    share: float = 0.0
    """The share of the records that people judge; the others go on unjudged. 0: none, 1: all."""
    opinions: int = 0
    """Independent opinions of each; 0: as the kind says."""


class Review(WholeStage):
    """Puts records into the queue, waits for people, and goes on with what they said."""

    name: ClassVar[str] = "review"
    title: ClassVar[str] = "Let people judge a share of the records, and go on with what they left."
    kind: ClassVar[type[Settings]] = ReviewSettings

    def do(self, records: Iterator[Record], tools: Tools) -> Iterator[Record | Dropped]:
        """Rejected records are dropped, changed ones go on as they were changed."""
        settings: ReviewSettings = self.settings
        if not settings.share:
            yield from records
            return
        if tools.review is None:
            raise InputError(
                "this pipeline waits for reviews: it needs the extra studio (pip install 'saccade[studio]')"
            )
        everything = list(records)
        keys = {
            record.id: tools.review.add(settings.kind, record.steps, tools.out, settings.opinions)
            for record in everything
            if record.steps and chosen(record.id, tools.seed, settings.share)
        }
        decisions = self._wait(keys, tools)
        self.facts |= {"asked": len(keys), "share": settings.share}
        for record in everything:
            decision = decisions.get(keys.get(record.id, ""))
            if decision is None:
                yield record
            elif decision.verdict == "rejected":
                yield Dropped(record.id, "a person rejected it", decision.reason)
            else:
                steps = [replace(step, tags={**step.tags, "reviewed": "yes"}) for step in decision.steps]
                yield replace(record, steps=steps)

    def _wait(self, keys: dict[str, str], tools: Tools) -> Mapping[str, Any]:
        assert tools.review is not None
        while True:
            decisions = tools.review.decided(list(keys.values()))
            missing = len(set(keys.values()) - decisions.keys())
            if not missing:
                return decisions
            if not tools.waiting(missing):
                raise StoppedError(
                    f"{missing:,} of {len(keys):,} items wait for people: saccade studio {tools.out} shows them; the "
                    "same command then goes on"
                )


def chosen(id: str, seed: int, share: float) -> bool:
    """Is this record among the share that people see? By a hash, so that a larger share contains a smaller one."""
    value = int.from_bytes(blake2b(f"{seed}/{id}".encode(), digest_size=8).digest())
    return value < share * 2**64
