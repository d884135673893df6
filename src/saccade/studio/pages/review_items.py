"""One item: its page, its pictures, and what a person does with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Request
from sqlalchemy.orm import Session
from starlette.responses import JSONResponse, RedirectResponse, Response

from saccade.actions import FIELDS
from saccade.errors import InputError
from saccade.paradigms.wording import in_words
from saccade.studio.database.review import ReviewEvent, ReviewItem, ReviewSlot
from saccade.studio.pages.review_people import read_body, reviewer, studio_of, words_of
from saccade.studio.rendering import language_of, phrase, phrases, render
from saccade.studio.review.decisions import decide, slots_of, standing, undo
from saccade.studio.review.descriptions import described
from saccade.studio.review.kinds import KINDS
from saccade.studio.review.kinds.base import done
from saccade.studio.review.marks import Rectangle
from saccade.studio.review.pictures import item_picture
from saccade.studio.review.queue import claim, give_back, renew, steps_of
from saccade.types import Step

router = APIRouter()
SCRIPT_WORDS = "review.script."
"""Texts with this beginning go to the page's scripts."""


def find_item(session: Session, item_id: int) -> ReviewItem:
    """The item, or `InputError`."""
    item = session.get(ReviewItem, item_id)
    if item is None:
        raise InputError(f"there is no item {item_id} in the review")
    return item


def own_slot(session: Session, item_id: int, person: str) -> ReviewSlot | None:
    """The slot that a person has of an item."""
    return next((slot for slot in slots_of(session, item_id) if slot.person == person), None)


@router.get("/review/items/{item_id}")
def item_page(request: Request, item_id: int) -> Response:
    """The item with the form of its kind."""
    person = reviewer(request)
    with Session(studio_of(request).engine.execution_options(reads=True)) as session:
        item = find_item(session, item_id)
        KINDS.get(item.kind)
        slot = own_slot(session, item_id, person)
        others = others_said(session, item, slot, words_of(request))
    return render(request, "review_item.html", item=item, slot=slot, person=person, others=others, fields=list(FIELDS))


def others_said(
    session: Session, item: ReviewItem, slot: ReviewSlot | None, word: Callable[[str], str]
) -> list[tuple[str, list[str]]]:
    """The opinions of others, for the person who decides a disagreement; nobody else sees them before deciding."""
    if slot is None or slot.number < item.opinions:
        return []
    steps, kind = steps_of(item), KINDS.get(item.kind)
    said = [(each.person or "", standing(session, item, each, steps)) for each in slots_of(session, item.id)]
    return [(who, described(kind, one, steps, word)) for who, one in said[: item.opinions] if one is not None]


@router.get("/review/items/{item_id}/data")
def item_data(request: Request, item_id: int) -> Response:
    """What the page's scripts need."""
    person, language = reviewer(request), language_of(request)
    with Session(studio_of(request).engine.execution_options(reads=True)) as session:
        item = find_item(session, item_id)
        kind, steps = KINDS.get(item.kind), steps_of(item)
        slot = own_slot(session, item_id, person)
        mine = session.get(ReviewEvent, slot.event_id) if slot is not None and slot.event_id is not None else None
        boxes = []
        if slot is not None and slot.number >= item.opinions:
            for each in slots_of(session, item_id)[: item.opinions]:
                said = standing(session, item, each, steps)
                if said is not None and not said.rejected:
                    marks = [mark for mark in kind.to_marks(said, steps) if isinstance(mark, Rectangle)]
                    boxes += [{"page": mark.page, "box": mark.box, "label": each.person} for mark in marks]
        decision = kind.read(mine.decision, steps) if mine is not None and mine.decision else None
    proposal = kind.proposal(steps)
    listed = {"proposal": proposal, "decision": decision}
    names = [name for name in phrases() if name.startswith(SCRIPT_WORDS)]
    data = {
        "id": item.id,
        "kind": item.kind,
        "steps": [step_data(item.id, at, step, language) for at, step in enumerate(steps)],
        "decision": msgspec.Raw(mine.decision) if mine is not None and mine.decision else None,
        "proposal": proposal,
        "said": {
            name: [in_words(action, steps[0].view, language) for action in kind.actions(each)] if each else []
            for name, each in listed.items()
        },
        "others": boxes,
        "fields": {name: [*each.required, *each.optional] for name, each in FIELDS.items()},
        "pointed": [name for name, each in FIELDS.items() if "point" in each.required],
        "words": {name.removeprefix(SCRIPT_WORDS): phrase(name, language) for name in names},
    }
    return Response(msgspec.json.encode(data), media_type="application/json")


def step_data(item_id: int, at: int, step: Step, language: Any) -> dict[str, Any]:
    """A step as the scripts get it."""
    action = done(step)
    return {
        "screen": step.screen,
        "picture": f"/review/items/{item_id}/screens/{at}" if step.image else "",
        "instruction": step.instruction,
        "action": action,
        "said": in_words(action, step.view, language) if action is not None else "",
        "thought": step.thought[:2000],
        "elements": step.elements[:2000],
    }


@router.get("/review/items/{item_id}/screens/{number}")
def screen(request: Request, item_id: int, number: int) -> Response:
    """One of an item's pictures."""
    studio = studio_of(request)
    with Session(studio.engine.execution_options(reads=True)) as session:
        item = find_item(session, item_id)
        steps = steps_of(item)
    if not 0 <= number < len(steps):
        raise InputError(f"the item has {len(steps)} pictures")
    data, kind = item_picture(item, steps[number].image, studio.settings.folders)
    return Response(data, media_type=kind, headers={"cache-control": "private, max-age=3600"})


@router.post("/review/items/{item_id}/decision")
def take_decision(request: Request, item_id: int, body: Annotated[bytes, Depends(read_body)]) -> Response:
    """Record a decision. The answer is sent after the database has it on disk; it names the next item."""
    studio, person = studio_of(request), reviewer(request)
    state = decide(studio.engine, person, item_id, body)
    with Session(studio.engine.execution_options(reads=True)) as session:
        kind = find_item(session, item_id).kind
    following = claim(studio.engine, person, kind)
    address = "/review?message=nothing-left" if following is None else f"/review/items/{following}"
    return JSONResponse({"state": state, "next": address})


@router.post("/review/items/{item_id}/claim")
def claim_item(request: Request, item_id: int) -> Response:
    """Claim this very item."""
    if claim(studio_of(request).engine, reviewer(request), item=item_id) is None:
        raise InputError("nobody is wanted for this item now, or you have judged it already")
    return RedirectResponse(f"/review/items/{item_id}", 303)


@router.post("/review/items/{item_id}/give-back")
def give_item_back(request: Request, item_id: int) -> Response:
    """End the claim."""
    give_back(studio_of(request).engine, reviewer(request), item_id)
    return RedirectResponse("/review?message=given-back", 303)


@router.post("/review/items/{item_id}/renew")
def renew_claim(request: Request, item_id: int) -> Response:
    """Sent by a page that is open for long."""
    return JSONResponse({"held": renew(studio_of(request).engine, reviewer(request), item_id)})


@router.post("/review/items/{item_id}/undo")
def undo_decision(request: Request, item_id: int) -> Response:
    """Take a decision back."""
    undo(studio_of(request).engine, reviewer(request), item_id)
    return RedirectResponse(f"/review/items/{item_id}", 303)
