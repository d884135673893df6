"""The queue: who gets which item.

Claims are taken in the database, so that two people never get the same opinion of an item: on PostgreSQL the chosen row
is locked and rows locked by others are passed over (`FOR UPDATE SKIP LOCKED`); on SQLite the transaction has the write
lock from its beginning (`database.engine`), and the clause is not needed. Both then run one `UPDATE … RETURNING`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, Engine, ScalarSelect, and_, func, or_, select, update
from sqlalchemy.orm import Session, aliased

from saccade.errors import InputError
from saccade.records import as_line
from saccade.studio.database.review import ReviewItem, ReviewSlot
from saccade.studio.review.kinds import KINDS, ReviewKind
from saccade.types import Step
from saccade.untrusted import JsonDecoder

CLAIM_SECONDS = 15 * 60.0
LONGEST_NAME = 60
MOST_OPINIONS = 5
MOST_BYTES = 16 * 2**20
"""Most bytes of an item's records."""
_DECODER = JsonDecoder(Step)


class NewItem(NamedTuple):
    """An item as it is added: its records, and the folder that its pictures are named from."""

    steps: Sequence[Step]
    folder: Path


def check_person(name: str) -> str:
    """A name as it is stored; `InputError` for none."""
    found = " ".join(name.split())
    if not found or len(found) > LONGEST_NAME or not found.isprintable():
        raise InputError(f"the name {name[:80]!r} cannot be used: give 1 to {LONGEST_NAME} letters")
    return found


def add_items(engine: Engine, kind: str, items: Iterable[NewItem], opinions: int = 0) -> tuple[int, int]:
    """Add items for so many opinions each (0: as the kind says); returns how many are new and how many were there."""
    chosen = KINDS.get(kind)
    wanted = opinions or chosen.opinions
    if not 1 <= wanted <= MOST_OPINIONS:
        raise InputError(f"opinions is {opinions}: give 1 to {MOST_OPINIONS}")
    added = known = 0
    with Session(engine) as session, session.begin():
        for item in items:
            new = add_item(session, chosen, item, wanted)
            added, known = added + (new is not None), known + (new is None)
    return added, known


def add_item(session: Session, kind: type[ReviewKind], item: NewItem, opinions: int) -> ReviewItem | None:
    """Add one item; None if it is there already."""
    records = encoded_records(item)
    if len(records) > MOST_BYTES:
        raise InputError(f"{item.steps[0].id}: the records of one item have more than {MOST_BYTES // 2**20} MB")
    key = key_of(kind.name, item)
    if session.scalar(select(ReviewItem.id).where(ReviewItem.key == key)) is not None:
        return None
    title = item.steps[0].instruction[:500].replace("\0", "")  # PostgreSQL takes none
    row = ReviewItem(
        key=key,
        kind=kind.name,
        title=title,
        folder=str(item.folder),
        records=records,
        opinions=opinions,
        state="open",
        created=time.time(),
    )
    session.add(row)
    session.flush()
    session.add_all(new_slot(row, number) for number in range(opinions))
    return row


def encoded_records(item: NewItem) -> bytes:
    """The records as they are stored."""
    return b"".join(map(as_line, item.steps))


def key_of(kind: str, item: NewItem) -> str:
    """The key of an item: the same for the same kind, folder and records."""
    return sha256(f"{kind}\n{item.folder}\n".encode() + encoded_records(item)).hexdigest()


def new_slot(item: ReviewItem, number: int) -> ReviewSlot:
    """A free slot."""
    return ReviewSlot(item_id=item.id, number=number, kind=item.kind, until=0.0, decided=False)


def steps_of(item: ReviewItem) -> list[Step]:
    """Its step records."""
    return _DECODER.decode_lines(item.records)


# -- claims -----------------------------------------------------------------------------------------------------------


def claim(engine: Engine, person: str, kind: str = "", item: int | None = None) -> int | None:
    """Give a person an item to judge, for `CLAIM_SECONDS`; returns its id, or None if there is nothing for them.

    Who has a claim already gets the same item again. `kind` and `item` narrow the choice.
    """
    with engine.begin() as connection:
        one_claim_at_a_time(connection, person)
        moment = time.time()
        wanted: list[ColumnElement[bool]] = [ReviewSlot.decided.is_(False)]
        wanted += [ReviewSlot.kind == kind] if kind else []
        wanted += [ReviewSlot.item_id == item] if item is not None else []
        mine = select(ReviewSlot.id).where(*wanted, ReviewSlot.person == person, ReviewSlot.until > moment)
        slot = connection.scalar(mine.order_by(ReviewSlot.id).limit(1))
        chosen = slot if slot is not None else free_slot(person, moment, wanted)
        taken = update(ReviewSlot).where(ReviewSlot.id == chosen)
        taken = taken.values(person=person, until=moment + CLAIM_SECONDS).returning(ReviewSlot.item_id)
        found: int | None = connection.scalar(taken)
        return found


def one_claim_at_a_time(connection: Connection, person: str) -> None:
    """Wait until no other window of the same person is claiming, for the rest of the transaction. Otherwise two windows
    choose two slots of one item, or find every slot locked by each other and say that nothing is left.
    """
    if connection.dialect.name == "postgresql":  # on SQLite the transaction has the write lock already
        number = int.from_bytes(sha256(person.encode()).digest()[:8], signed=True)
        connection.execute(select(func.pg_advisory_xact_lock(number)))


def free_slot(person: str, moment: float, wanted: Sequence[ColumnElement[bool]]) -> ScalarSelect[int]:
    """A query for a slot that this person may take: free or expired, of an item of which they have no other slot. First
    opinions come before second ones.
    """
    other = aliased(ReviewSlot)
    already = select(other.id).where(
        other.item_id == ReviewSlot.item_id, other.person == person, other.id != ReviewSlot.id
    )
    free = or_(ReviewSlot.person.is_(None), ReviewSlot.until < moment)
    query = select(ReviewSlot.id).where(*wanted, free, ~already.exists())
    query = query.order_by(ReviewSlot.number, ReviewSlot.id).limit(1)
    return query.with_for_update(skip_locked=True, of=ReviewSlot).scalar_subquery()


def renew(engine: Engine, person: str, item: int) -> bool:
    """Prolong a claim; False if the person has none any more."""
    with engine.begin() as connection:
        held = and_(ReviewSlot.item_id == item, ReviewSlot.person == person, ReviewSlot.decided.is_(False))
        done = connection.execute(update(ReviewSlot).where(held).values(until=time.time() + CLAIM_SECONDS))
        return bool(done.rowcount)


def give_back(engine: Engine, person: str, item: int) -> bool:
    """End a claim without a decision; False if there was none."""
    with engine.begin() as connection:
        held = and_(ReviewSlot.item_id == item, ReviewSlot.person == person, ReviewSlot.decided.is_(False))
        done = connection.execute(update(ReviewSlot).where(held).values(until=0.0, person=None))
        return bool(done.rowcount)


# -- what there is ----------------------------------------------------------------------------------------------------


class KindCounts(NamedTuple):
    """How far a kind is: items by state, opinions that are missing, and those being worked on now."""

    kind: str
    open: int = 0
    disputed: int = 0
    done: int = 0
    rejected: int = 0
    missing: int = 0
    claimed: int = 0


def counts(engine: Engine) -> list[KindCounts]:
    """Of every kind that has items, in the registry's order."""
    with engine.connect().execution_options(reads=True) as connection:
        states = connection.execute(
            select(ReviewItem.kind, ReviewItem.state, func.count()).group_by(ReviewItem.kind, ReviewItem.state)
        ).all()
        missing = select(ReviewSlot.kind, func.count()).where(ReviewSlot.decided.is_(False)).group_by(ReviewSlot.kind)
        open_slots = dict(connection.execute(missing).all())
        held = missing.where(ReviewSlot.person.is_not(None), ReviewSlot.until > time.time())
        claimed = dict(connection.execute(held).all())
    found: dict[str, dict[str, int]] = {}
    for kind, state, number in states:
        found.setdefault(kind, {})[state] = number
    order = [*KINDS.names(), *sorted(found.keys() - set(KINDS.names()))]
    return [
        KindCounts(kind, **found[kind], missing=open_slots.get(kind, 0), claimed=claimed.get(kind, 0))
        for kind in order
        if kind in found
    ]
