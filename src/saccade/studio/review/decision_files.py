"""Items with all their events in a file, one JSON object a line: to keep, or to move to another database."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace
from sqlalchemy import select
from sqlalchemy.orm import Session

from saccade.errors import InputError, readable
from saccade.studio.database.review import ReviewEvent, ReviewItem, ReviewSlot
from saccade.studio.review.decisions import encoded, locked_item, new_event, settle, slots_of, stand
from saccade.studio.review.kinds import KINDS
from saccade.studio.review.queue import MOST_OPINIONS, NewItem, add_item, check_person, new_slot, steps_of
from saccade.types import Step
from saccade.untrusted import decode_json


class StoredEvent(msgspec.Struct, omit_defaults=True):
    """An event as a file has it."""

    uid: str
    number: int
    author: str
    at: float
    verb: str
    decision: dict[str, Any] | None = None
    replaces: str = ""
    """The uid of that event; empty: none."""


class StoredItem(msgspec.Struct, omit_defaults=True):
    """An item as a file has it."""

    key: str
    kind: str
    opinions: int
    records: list[Step]
    events: list[StoredEvent] = msgspec.field(default_factory=list)


class Imported(NamedTuple):
    """How many items and events are new, and how many events were left out: known already, or without a free slot."""

    items: int = 0
    events: int = 0
    left_out: int = 0

    def plus(self, other: Imported) -> Imported:
        return Imported(*(one + more for one, more in zip(self, other, strict=True)))


def stored_item(session: Session, item: ReviewItem, records: Sequence[Step]) -> StoredItem:
    """An item with its events, oldest first, and the records as they are to be written."""
    query = select(ReviewEvent).where(ReviewEvent.item_id == item.id).order_by(ReviewEvent.id)
    rows = session.scalars(query).all()
    uids = {row.id: row.uid for row in rows}
    events = [
        StoredEvent(
            uid=row.uid,
            number=row.number,
            author=row.author,
            at=row.at,
            verb=row.verb,
            decision=None if row.decision is None else decode_json(row.decision),
            replaces=uids.get(row.replaces or 0, ""),
        )
        for row in rows
    ]
    return StoredItem(item.key, item.kind, item.opinions, list(records), events)


def parse_item(line: str | bytes, where: str) -> StoredItem:
    """One line of such a file."""
    try:
        found = decode_json(line, StoredItem)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: this is not an item of a review: {readable(error)}") from None
    if not found.records or not 1 <= found.opinions <= MOST_OPINIONS or not found.key.isalnum() or len(found.key) > 64:
        raise InputError(f"{where}: an item needs a key, records, and 1 to {MOST_OPINIONS} opinions")
    return found


def import_item(session: Session, stored: StoredItem, folder: Path | None) -> Imported:
    """Add an item, if it is not there, and those of its events that are not there."""
    item = session.scalar(select(ReviewItem).where(ReviewItem.key == stored.key))
    new = item is None
    if item is None:
        kind = KINDS.get(stored.kind)
        item = add_item(session, kind, NewItem(stored.records, folder or Path()), stored.opinions)
        if item is None:
            return Imported(left_out=len(stored.events))
        item.key, item.folder = stored.key, str(folder) if folder else ""
        session.flush()
    item = locked_item(session, item.id)
    added = sum(import_event(session, item, event) for event in stored.events)
    settle(session, item)
    return Imported(int(new), added, len(stored.events) - added)


def import_event(session: Session, item: ReviewItem, stored: StoredEvent) -> bool:
    """Add an event; False if it is there already or no slot is free for its author."""
    if session.scalar(select(ReviewEvent.id).where(ReviewEvent.uid == stored.uid)) is not None:
        return False
    author = check_person(stored.author)
    slot = slot_for(session, item, author, stored.number)
    if slot is None or len(stored.uid) > 32 or stored.verb not in ("decide", "undo"):
        return False
    data = None
    if stored.verb == "decide":
        decision = KINDS.get(item.kind).read(msgspec.json.encode(stored.decision), steps_of(item))
        data = encoded(decision)
    event = new_event(item.id, slot.number, author, stored.verb, data, slot.event_id)
    event.uid, event.at = stored.uid, stored.at
    session.add(event)
    session.flush()
    undone = session.get(ReviewEvent, slot.event_id) if slot.event_id is not None else None
    slot.person = author
    stand(slot, event.id if data is not None else (undone.replaces if undone is not None else None))
    session.flush()
    return True


def slot_for(session: Session, item: ReviewItem, author: str, number: int) -> ReviewSlot | None:
    """The author's own slot, else the one of that number if it is free, else any free one."""
    slots = slots_of(session, item.id)
    own = [slot for slot in slots if slot.person == author]
    free = [slot for slot in slots if slot.person is None or (not slot.decided and slot.until == 0)]
    if not own and number == item.opinions and number == len(slots):
        session.add(slot := new_slot(item, number))
        session.flush()
        return slot
    wanted = [slot for slot in free if slot.number == number]
    return next(iter([*own, *wanted, *free]), None)


def import_items(session: Session, items: Iterable[StoredItem], folder: Path | None) -> Imported:
    """Add many."""
    total = Imported()
    for stored in items:
        total = total.plus(import_item(session, stored, folder))
    return total


def with_images(records: Sequence[Step], names: Sequence[str]) -> list[Step]:
    """The records with other names of their pictures."""
    return [replace(step, image=name) for step, name in zip(records, names, strict=True)]
