"""The review's pages: how far it is, disagreements, what was decided, adding, exporting and importing."""

from __future__ import annotations

import io
import tempfile
import zipfile
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import msgspec
from fastapi import APIRouter, Depends, Form, Request
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse

from saccade.errors import InputError
from saccade.studio.database.review import ReviewEvent, ReviewItem, ReviewSlot
from saccade.studio.database.runs import IndexedRun
from saccade.studio.pages import review_items
from saccade.studio.pages.review_people import PERSON_COOKIE, read_body, reviewer, studio_of, words_of
from saccade.studio.rendering import NavigationEntry, render
from saccade.studio.review.agreement import Opinions, opinions, report
from saccade.studio.review.decisions import undo
from saccade.studio.review.descriptions import described
from saccade.studio.review.export import export
from saccade.studio.review.files import import_text
from saccade.studio.review.kinds import KINDS
from saccade.studio.review.queue import add_items, check_person, claim, counts, steps_of
from saccade.studio.review.sources import items_of
from saccade.untrusted import decode_json

router = APIRouter()
router.include_router(review_items.router)
ENTRY = NavigationEntry("/review", "review", "v")
PAGE = 50
MOST_IMPORTED = 64 * 2**20


class AddRequest(msgspec.Struct, forbid_unknown_fields=True):
    """What a run's page sends to have it reviewed."""

    kind: str
    run: str
    """The run's id."""
    opinions: int = 0


@router.get("/review")
def overview(request: Request, message: str = "") -> Response:
    """How far each kind is, and what this person decided last."""
    studio, person = studio_of(request), reviewer(request)
    with Session(studio.engine.execution_options(reads=True)) as session:
        mine = select(ReviewEvent, ReviewItem).join(ReviewItem, ReviewItem.id == ReviewEvent.item_id)
        standing = select(ReviewSlot.event_id).where(ReviewSlot.person == person, ReviewSlot.decided)
        recent = session.execute(
            mine.where(ReviewEvent.id.in_(standing)).order_by(ReviewEvent.id.desc()).limit(10)
        ).all()
    known = message if message in ("nothing-left", "given-back", "undone") else ""
    return render(request, "review.html", counts=counts(studio.engine), person=person, recent=recent, message=known)


@router.post("/review/name")
def choose_name(request: Request, name: Annotated[str, Form()]) -> Response:
    """Remember who decides, in a cookie of this browser."""
    answer = RedirectResponse("/review", 303)
    answer.set_cookie(PERSON_COOKIE, quote(check_person(name)), max_age=365 * 86_400, samesite="strict", httponly=True)
    return answer


@router.post("/review/next")
def next_item(request: Request, kind: Annotated[str, Form()] = "") -> Response:
    """Claim an item and go to it."""
    found = claim(studio_of(request).engine, reviewer(request), kind)
    return RedirectResponse("/review?message=nothing-left" if found is None else f"/review/items/{found}", 303)


@router.post("/review/undo")
def undo_last(request: Request) -> Response:
    """Take this person's last decision back, and say where its item is."""
    studio, person = studio_of(request), reviewer(request)
    with Session(studio.engine.execution_options(reads=True)) as session:
        decided = select(ReviewSlot.item_id).where(ReviewSlot.person == person, ReviewSlot.decided)
        last = session.scalar(decided.order_by(ReviewSlot.event_id.desc()).limit(1))
    if last is None:
        raise InputError("there is no decision of yours to take back")
    undo(studio.engine, person, last)
    return JSONResponse({"next": f"/review/items/{last}"})


@router.post("/review/add")
def add_run(request: Request, body: Annotated[bytes, Depends(read_body)]) -> Response:
    """Add a run to the queue."""
    try:
        wanted = decode_json(body, AddRequest)
    except ValueError as error:
        raise InputError(f"the request cannot be read: {error}") from None
    studio = studio_of(request)
    with Session(studio.engine.execution_options(reads=True)) as session:
        path = session.scalar(select(IndexedRun.path).where(IndexedRun.id == wanted.run))
    if path is None:
        raise InputError(f"there is no run {wanted.run[:40]!r}")
    items = items_of(wanted.kind, Path(path), studio.settings.folders)
    added, known = add_items(studio.engine, wanted.kind, items, wanted.opinions)
    return JSONResponse({"added": added, "known": known, "next": "/review"})


@router.get("/review/disagreements")
def disagreements(request: Request, after: int = 0) -> Response:
    """Items that two people judged differently, with the agreement of all. Others' opinions on what one has not judged
    yet are not shown to keep second opinions independent: an item is here after both were given.
    """
    studio, found, word = studio_of(request), [], words_of(request)
    with Session(studio.engine.execution_options(reads=True)) as session:
        for each, steps in opinions(session, after=after, disputed=True):
            kind = KINDS.get(each.kind)
            found.append((each, [described(kind, decision, steps, word) for decision in each.decisions]))
            if len(found) > PAGE:
                break
    shown: list[tuple[Opinions, list[list[str]]]] = found[:PAGE]
    more = shown[-1][0].item if len(found) > PAGE else None
    return render(
        request,
        "review_disagreements.html",
        shown=shown,
        more=more,
        report=report(studio.engine),
        person=reviewer(request),
    )


@router.get("/review/events")
def events(request: Request, before: int = 0, item: int = 0) -> Response:
    """Every decision and every undo, newest first. What others said about an item on which opinions are missing is
    hidden, because the next opinion must be independent.
    """
    studio, person = studio_of(request), reviewer(request)
    query = select(ReviewEvent, ReviewItem).join(ReviewItem, ReviewItem.id == ReviewEvent.item_id)
    query = query.where(ReviewEvent.id < before) if before > 0 else query
    query = query.where(ReviewEvent.item_id == item) if item else query
    rows = []
    with Session(studio.engine.execution_options(reads=True)) as session:
        found = session.execute(query.order_by(ReviewEvent.id.desc()).limit(PAGE + 1)).all()
        for event, of in found[:PAGE]:
            lines = []
            if event.decision is not None and (of.state != "open" or event.author == person):
                kind, steps = KINDS.get(of.kind), steps_of(of)
                lines = described(kind, kind.read(event.decision, steps), steps, words_of(request))
            rows.append((event, of, lines, of.state == "open" and event.author != person))
    more = rows[-1][0].id if len(found) > PAGE else None
    return render(request, "review_events.html", rows=rows, more=more, item=item)


@router.get("/review/export.zip")
def download(request: Request) -> Response:
    """What was decided, as `saccade review export` writes it."""
    studio = studio_of(request)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "review"
        export(studio.engine, out, studio.settings.folders)
        packed = tempfile.SpooledTemporaryFile(max_size=2**24)  # noqa: SIM115  (closed when it was sent)
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(out.rglob("*")):
                if file.is_file():
                    archive.write(file, file.relative_to(folder).as_posix())
    packed.seek(0)
    headers = {"content-disposition": 'attachment; filename="review.zip"'}
    parts = iter(lambda: packed.read(io.DEFAULT_BUFFER_SIZE * 8), b"")
    return StreamingResponse(parts, media_type="application/zip", headers=headers)


async def _read_import(request: Request) -> bytes:
    return await read_body(request, MOST_IMPORTED)


@router.post("/review/import")
def upload(request: Request, body: Annotated[bytes, Depends(_read_import)]) -> Response:
    """Decisions of an export (`decisions.jsonl`), or Label Studio's JSON."""
    return JSONResponse(import_text(studio_of(request).engine, body)._asdict())
