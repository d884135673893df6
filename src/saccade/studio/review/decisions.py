"""Decisions as events: what was said, by whom, when, and what it replaced.

A decision is acknowledged after the database has committed it, so a server that is killed loses none. Nothing is
changed in place: who changes a decision adds one that replaces it, and undo is an event, too.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence

import msgspec
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from saccade.errors import InputError
from saccade.studio.database.review import ReviewEvent, ReviewItem, ReviewSlot
from saccade.studio.review.kinds import KINDS, Decision
from saccade.studio.review.kinds.base import agrees
from saccade.studio.review.queue import CLAIM_SECONDS, new_slot, steps_of
from saccade.types import Step

GONE = "your claim of this item ran out and somebody else has it: take another"


def decide(engine: Engine, person: str, item_id: int, data: bytes) -> str:
    """Record a person's decision on an item that they have claimed or decided; returns the item's new state."""
    with Session(engine) as session, session.begin():
        item = locked_item(session, item_id)
        slot = slot_of(session, item_id, person)
        if slot is None:
            raise InputError(GONE)
        decision = KINDS.get(item.kind).read(data, steps_of(item))
        add_decision(session, item, slot, person, decision)
        settle(session, item)
        return item.state


def undo(engine: Engine, person: str, item_id: int) -> str:
    """Take a person's standing decision back: the one before stands again, or the item is theirs to judge anew."""
    with Session(engine) as session, session.begin():
        item = locked_item(session, item_id)
        slot = slot_of(session, item_id, person)
        undone = session.get(ReviewEvent, slot.event_id) if slot is not None and slot.event_id is not None else None
        if slot is None or undone is None:
            raise InputError("there is no decision of yours on this item to take back")
        session.add(new_event(item_id, slot.number, person, "undo", None, undone.id))
        stand(slot, undone.replaces)
        settle(session, item)
        return item.state


def locked_item(session: Session, item_id: int) -> ReviewItem:
    """The item, locked against other decisions until the transaction ends."""
    item = session.scalar(select(ReviewItem).where(ReviewItem.id == item_id).with_for_update())
    if item is None:
        raise InputError(f"there is no item {item_id} in the review")
    return item


def slot_of(session: Session, item_id: int, person: str) -> ReviewSlot | None:
    """The slot of an item that a person has."""
    held = select(ReviewSlot).where(ReviewSlot.item_id == item_id, ReviewSlot.person == person)
    return session.scalar(held.with_for_update())


def add_decision(session: Session, item: ReviewItem, slot: ReviewSlot, person: str, decision: Decision) -> None:
    """Add the event, unless the same decision stands already (a browser that sends twice)."""
    data = encoded(decision)
    before = session.get(ReviewEvent, slot.event_id) if slot.event_id is not None else None
    if before is not None and before.decision == data:
        return
    event = new_event(item.id, slot.number, person, "decide", data, slot.event_id)
    session.add(event)
    session.flush()
    stand(slot, event.id)


def encoded(decision: Decision) -> bytes:
    """As it is stored. Numbers keep their types, so equal decisions have equal bytes."""
    return msgspec.json.encode(decision)


def new_event(
    item_id: int, number: int, person: str, verb: str, decision: bytes | None, replaces: int | None
) -> ReviewEvent:
    """An event that happens now."""
    return ReviewEvent(
        uid=uuid.uuid4().hex,
        item_id=item_id,
        number=number,
        author=person,
        at=time.time(),
        verb=verb,
        decision=decision,
        replaces=replaces,
    )


def stand(slot: ReviewSlot, event_id: int | None) -> None:
    """Let an event be the one that stands in a slot; none: the slot is claimed by its person again."""
    slot.event_id, slot.decided = event_id, event_id is not None
    slot.until = 0.0 if slot.decided else time.time() + CLAIM_SECONDS


def settle(session: Session, item: ReviewItem) -> None:
    """Compute the item's state from what stands. Where opinions differ, a slot for a third person is added."""
    session.flush()
    slots = slots_of(session, item.id)
    steps = steps_of(item)
    opinions, judges = slots[: item.opinions], slots[item.opinions :]
    decisions = [standing(session, item, slot, steps) for slot in opinions]
    said = [each for each in decisions if each is not None]
    kind = KINDS.get(item.kind)
    disputed = len(said) == len(decisions) and not all(agrees(kind, said[0], each, steps) for each in said[1:])
    last = standing(session, item, judges[0], steps) if judges else None
    if len(said) < len(decisions):
        item.state = "open"
    elif disputed and last is None:
        item.state = "disputed"
    else:
        item.state = "rejected" if (last if disputed and last is not None else said[0]).rejected else "done"
    if disputed and not judges:
        session.add(new_slot(item, item.opinions))
    elif not disputed and judges and last is None:
        session.delete(judges[0])


def slots_of(session: Session, item_id: int) -> Sequence[ReviewSlot]:
    """In the order of their numbers."""
    return session.scalars(select(ReviewSlot).where(ReviewSlot.item_id == item_id).order_by(ReviewSlot.number)).all()


def standing(session: Session, item: ReviewItem, slot: ReviewSlot, steps: Sequence[Step]) -> Decision | None:
    """The decision that stands in a slot."""
    event = session.get(ReviewEvent, slot.event_id) if slot.event_id is not None else None
    if event is None or event.decision is None:
        return None
    return KINDS.get(item.kind).read(event.decision, steps)


def result(session: Session, item: ReviewItem, steps: Sequence[Step]) -> Decision | None:
    """What was decided in the end; None while opinions are missing or differ."""
    if item.state not in ("done", "rejected"):
        return None
    slots = slots_of(session, item.id)
    opinions = [standing(session, item, slot, steps) for slot in slots]
    said = [each for each in opinions[: item.opinions] if each is not None]
    kind = KINDS.get(item.kind)
    if len(opinions) > item.opinions and not all(agrees(kind, said[0], each, steps) for each in said[1:]):
        return opinions[item.opinions]
    return said[0]
