"""Writes what was decided: all of it or nothing.

OUT/KIND.jsonl       step records of each kind         OUT/agreement.json, agreement.md   how people agree
OUT/images/…         their pictures, personal data     OUT/decisions.jsonl                items with all events, for
                     hidden                                                               `saccade review import`
"""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from msgspec.structs import replace
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from saccade.errors import InputError
from saccade.geometry import Box
from saccade.records import as_line, write_object, write_whole
from saccade.screens.hidden_regions import hide_regions
from saccade.studio.database.review import ReviewItem
from saccade.studio.review.agreement import as_markdown, report
from saccade.studio.review.decision_files import stored_item, with_images
from saccade.studio.review.decisions import result
from saccade.studio.review.kinds import KINDS
from saccade.studio.review.kinds.personal_data import PersonalDataDecision, PersonalDataReview, hidden
from saccade.studio.review.pictures import item_picture
from saccade.studio.review.queue import steps_of
from saccade.studio.served_files import file_inside
from saccade.types import Step
from saccade.untrusted import read_bytes

ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}
Regions = dict[tuple[str, str], list[Box]]
"""What to hide, by folder and picture."""


class ExportSummary(msgspec.Struct):
    """What was written: steps of each kind, items still open, and pictures that could not be read."""

    steps: dict[str, int]
    undecided: int = 0
    rejected: int = 0
    pictures: int = 0
    pictures_missing: int = 0


def export(engine: Engine, out: Path, folders: Sequence[Path], kind: str = "") -> ExportSummary:
    """Write everything, or one kind, to a new folder."""
    if kind:
        KINDS.get(kind)
    part = out.with_name(out.name + ".part")
    if out.exists():
        raise InputError(f"{out} already exists: choose another folder, or remove it")
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        with Session(engine.execution_options(reads=True)) as session:
            summary = Exporter(session, part, folders).write(kind)
        found = report(engine, kind)
        write_object(part / "agreement.json", found)
        write_whole(part / "agreement.md", as_markdown(found).encode())
        part.replace(out)
    except OSError as error:
        raise InputError(f"cannot write {out}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return summary


class Exporter:
    """Writes the files of one export."""

    def __init__(self, session: Session, out: Path, folders: Sequence[Path]) -> None:
        self.session, self.out, self.folders = session, out, folders
        self.regions = personal_regions(session)
        self.images: dict[tuple[str, str], str] = {}
        self.missing: set[tuple[str, str]] = set()

    def write(self, kind: str) -> ExportSummary:
        """All items, one after the other."""
        steps: Counter[str] = Counter()
        states: Counter[str] = Counter()
        files: dict[str, BinaryIO] = {}
        try:
            with (self.out / "decisions.jsonl").open("wb") as decisions:
                for item in all_items(self.session, kind):
                    states[item.state] += 1
                    records = self.published(item)
                    decisions.write(as_line(stored_item(self.session, item, records)))
                    for step in decided_steps(self.session, item, records):
                        if item.kind not in files:
                            files[item.kind] = (self.out / f"{item.kind}.jsonl").open("wb")
                        files[item.kind].write(as_line(step))
                        steps[item.kind] += 1
        finally:
            for file in files.values():
                file.close()
        open_items = states["open"] + states["disputed"]
        return ExportSummary(dict(steps), open_items, states["rejected"], len(self.images), len(self.missing))

    def published(self, item: ReviewItem) -> list[Step]:
        """An item's records as they may be published: their pictures beside the file, personal data hidden."""
        records = steps_of(item)
        names = [self.image(item, step.image) for step in records]
        shown = [hidden(step, self.regions.get((item.folder, step.image), [])) for step in records]
        return with_images(shown, names)

    def image(self, item: ReviewItem, name: str) -> str:
        """Copy a picture, once; returns its name in the export, empty if it cannot be read."""
        place = (item.folder, name)
        if not name or place in self.missing:
            return ""
        if place not in self.images:
            try:
                data, kind = item_picture(item, name, self.folders)
            except InputError:
                self.missing.add(place)
                return ""
            if self.regions.get(place):
                data, kind = hide_regions(data, self.regions[place]), "image/png"
            target = f"images/{hashlib.sha256(data).hexdigest()[:24]}{ENDINGS[kind]}"
            (self.out / "images").mkdir(exist_ok=True)
            (self.out / target).write_bytes(data)
            self.images[place] = target
        return self.images[place]


def decided_steps(session: Session, item: ReviewItem, records: Sequence[Step]) -> Iterator[Step]:
    """The step records that come of an item, made of its records as they may be published."""
    decision = result(session, item, steps_of(item))
    if decision is None or decision.rejected:
        return
    for at, step in enumerate(KINDS.get(item.kind).steps(decision, records)):
        yield step if step.id else replace(step, id=f"{item.key[:12]}-{at}")


def all_items(session: Session, kind: str = "") -> Iterator[ReviewItem]:
    """All items, or those of a kind, by id; a hundred at a time are in memory."""
    last = 0
    while True:
        query = select(ReviewItem).where(ReviewItem.id > last).order_by(ReviewItem.id).limit(100)
        found = session.scalars(query.where(ReviewItem.kind == kind) if kind else query).all()
        if not found:
            return
        for item in found:
            last = item.id
            yield item
        session.expunge_all()


def personal_regions(session: Session) -> Regions:
    """What people found to be personal, by picture."""
    found: Regions = defaultdict(list)
    for item in all_items(session, PersonalDataReview.name):
        steps = steps_of(item)
        decision: Any = result(session, item, steps)
        if isinstance(decision, PersonalDataDecision) and not decision.rejected:
            found[item.folder, steps[0].image] += decision.regions
    return dict(found)


def hide_in_originals(engine: Engine, folders: Sequence[Path]) -> int:
    """Hide personal data in the pictures themselves, for good; returns how many were changed. Only on request."""
    with Session(engine.execution_options(reads=True)) as session:
        regions = personal_regions(session)
    changed = 0
    for (folder, name), boxes in regions.items():
        if boxes and any(Path(folder).is_relative_to(each) for each in folders):
            path = file_inside(Path(folder), name)
            write_whole(path, hide_regions(read_bytes(path), boxes, format=""))
            changed += 1
    return changed
