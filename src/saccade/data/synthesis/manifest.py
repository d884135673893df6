"""`manifest.json` of a made data set: what was made from what, by whom, and what each stage dropped.

It holds no times and no paths, so that the same request gives the same bytes, however often it was interrupted.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import msgspec

from saccade.data.synthesis.records import Dropped
from saccade.models.base import Usage
from saccade.untrusted import open_file

EXAMPLES = 3
"""Dropped records that are shown for each reason."""
LONGEST_EXAMPLE = 300
PACKAGES = ("saccade", "saccade-phone", "saccade-vision")


class DroppedFor(msgspec.Struct):
    """All that a stage dropped for one reason."""

    count: int = 0
    examples: list[Dropped] = msgspec.field(default_factory=list)


class StageReport(msgspec.Struct, omit_defaults=True):
    """What a stage did."""

    stage: str
    settings: dict[str, Any]
    taken: int = 0
    made: int = 0
    dropped: dict[str, DroppedFor] = msgspec.field(default_factory=dict)
    facts: dict[str, Any] = msgspec.field(default_factory=dict)

    def count(self, each: Dropped) -> None:
        """Count a dropped record; the first ones are kept as examples."""
        place = self.dropped.setdefault(each.reason, DroppedFor())
        place.count += 1
        if len(place.examples) < EXAMPLES:
            detail = each.detail[:LONGEST_EXAMPLE]
            place.examples.append(msgspec.structs.replace(each, detail=detail))


class Source(msgspec.Struct, omit_defaults=True):
    """What the pipeline was given."""

    name: str
    """The last part of its path."""
    sha256: str
    records: int = 0


class Manifest(msgspec.Struct, omit_defaults=True):
    """Everything about a made data set."""

    pipeline: str
    title: str
    sources: list[Source]
    model: str
    seed: int
    samples: int
    episodes: int
    stages: list[StageReport]
    roles: dict[str, dict[str, str]] = msgspec.field(default_factory=dict)
    """Role → language → SHA-256 of the prompt's template."""
    paid: dict[str, Usage] = msgspec.field(default_factory=dict)
    """Tokens, calls and cost by role; answers that several data sets share are counted in each."""
    policy: str = ""
    review: dict[str, Any] = msgspec.field(default_factory=dict)
    licence: str = ""
    versions: dict[str, str] = msgspec.field(default_factory=dict)
    counts: dict[str, dict[str, int]] = msgspec.field(default_factory=dict)
    """Samples by language, app, action and split."""


def file_hash(file: Path) -> str:
    """SHA-256 of a file."""
    found = sha256()
    with open_file(file) as stream:
        while block := stream.read(1 << 20):
            found.update(block)
    return found.hexdigest()


def versions() -> dict[str, str]:
    """Of Python and our packages that are installed."""
    found = {"python": ".".join(map(str, sys.version_info[:2]))}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def most_common(values: Iterable[str], most: int = 60) -> dict[str, int]:
    """Counts, the most frequent first."""
    counted = Counter(value for value in values if value)
    return dict(sorted(counted.items(), key=lambda each: (-each[1], each[0]))[:most])


def total(paid: Mapping[str, Usage]) -> Usage:
    """What all roles cost together."""
    return sum(paid.values(), Usage())
