"""Runs: the list, one run step by step, and two runs side by side."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import anyio
from fastapi import APIRouter, FastAPI, HTTPException, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response, StreamingResponse

from saccade.agents.run import RESUMABLE
from saccade.studio import formats
from saccade.studio.database.runs import IndexedRun, IndexedStep
from saccade.studio.index import step_view
from saccade.studio.index.comparison import compare
from saccade.studio.index.indexer import Indexer
from saccade.studio.index.queries import (
    FILTERS,
    SORTS,
    STEPS_PAGE,
    choices,
    find_run,
    next_problem,
    read_filter,
    runs_page,
    same_task,
    step_rows,
    totals,
)
from saccade.studio.index.warm_up import warm_up
from saccade.studio.rendering import NavigationEntry, language_of, render
from saccade.studio.served_files import read_picture

router = APIRouter()
ENTRY = NavigationEntry("/runs", "runs", "r")
RESUMABLE_STATUSES = (*RESUMABLE, "unfinished")
"""Of runs that the page offers to go on with."""
LIVE_SECONDS = 0.5
"""How often a page that shows a running run asks the index for news."""


def start(app: FastAPI) -> None:
    """Begin to read the folders."""
    indexer = app.state.indexer = Indexer(app.state.studio.engine, app.state.studio.settings.folders)
    threading.Thread(target=warm_up, args=(indexer,), name="studio-warm-up", daemon=True).start()
    indexer.start()


def stop(app: FastAPI) -> None:
    app.state.indexer.stop()


def the_run(request: Request, id: str) -> IndexedRun:
    """The run of an address, if it lies in this studio's folders."""
    run = find_run(request.app.state.studio.engine, id)
    if run is None:
        raise HTTPException(404, "error.no run")
    folders = request.app.state.studio.settings.folders
    if not any(Path(run.path).resolve().is_relative_to(folder) for folder in folders):
        raise HTTPException(404, "error.run elsewhere")
    return run


def the_row(request: Request, run: IndexedRun, position: int) -> IndexedStep:
    rows = step_rows(request.app.state.studio.engine, run, max(0, min(position, 2**31 - 1)), 1)
    if not rows or rows[0].position != position:
        raise HTTPException(404, "error.no step")
    return rows[0]


# -- the list ----------------------------------------------------------------------------------------------------------


@router.get("/runs")
def runs(request: Request) -> Response:
    """All runs, by filters."""
    return render(request, "runs.html", **list_values(request))


@router.get("/runs/rows")
def rows(request: Request, seen: int = -1) -> Response:
    """The rows alone, where something is new."""
    if seen == request.app.state.indexer.generation:
        return Response(status_code=204)
    return render(request, "runs_rows.html", **list_values(request))


def list_values(request: Request) -> dict[str, Any]:
    """What the list of runs shows."""
    indexer: Indexer = request.app.state.indexer
    seen = indexer.generation
    wanted = read_filter(request.query_params)
    page = runs_page(indexer.engine, wanted)
    return {
        "page": page,
        "wanted": wanted,
        "choices": remembered_choices(indexer),
        "filters": FILTERS,
        "sorts": SORTS,
        "seen": seen,
        "looked": indexer.looked.is_set(),
        "link": lambda **changes: "/runs?" + urlencode(wanted.address(after="", **changes)),
        "live": "/runs/rows?" + urlencode(wanted.address()),
        "following": "/runs?" + urlencode(wanted.address(after=page.following)) if page.following else "",
        "f": formats,
    }


def remembered_choices(indexer: Indexer) -> dict[str, list[tuple[str, int]]]:
    """The choices of the filters, counted anew where something was written."""
    if indexer.choices is None or indexer.choices[0] != indexer.generation:
        indexer.choices = indexer.generation, choices(indexer.engine)
    return indexer.choices[1]


@router.get("/runs/state")
def state(request: Request) -> Response:
    """How far the index is."""
    indexer: Indexer = request.app.state.indexer
    runs, steps = totals(indexer.engine)
    return JSONResponse({"runs": runs, "steps": steps, "looked": indexer.looked.is_set()})


# -- one run -----------------------------------------------------------------------------------------------------------


@router.get("/runs/{id}")
def run_page(request: Request, id: str, step: int = 0) -> Response:
    """A run, with one step large."""
    run = the_run(request, id)
    engine = request.app.state.studio.engine
    step = max(0, min(step, run.steps - 1))
    others = same_task(engine, run)
    resumable = run.status in RESUMABLE_STATUSES and not run.measurement
    return render(request, "run.html", others=others, resumable=resumable, **run_values(request, run, step))


def run_values(request: Request, run: IndexedRun, step: int) -> dict[str, Any]:
    """What a run's page shows: a page of the list of steps, and one step."""
    engine, language = request.app.state.studio.engine, language_of(request)
    first = step - step % STEPS_PAGE
    rows = step_rows(engine, run, first)
    views = step_view.read_views(run, rows, language)
    chosen = [row for row in rows if row.position == step]
    view = step_view.read_views(run, chosen, language, whole=True)[0] if chosen else None
    return {
        "run": run,
        "views": views,
        "view": view,
        "first": first,
        "pages": range(0, run.steps, STEPS_PAGE),
        "address": lambda position: f"/runs/{run.id}?step={position}",
        "picture": f"/runs/{run.id}/screens/{step}",
        "size": STEPS_PAGE,
        "f": formats,
        "v": step_view,
    }


@router.get("/runs/{id}/steps")
def steps_list(request: Request, id: str, step: int = 0) -> Response:
    """The list of steps alone, with the page that a step is on."""
    run = the_run(request, id)
    return render(request, "run_steps.html", **run_values(request, run, max(0, min(step, run.steps - 1))))


@router.get("/runs/{id}/steps/{position}")
def one_step(request: Request, id: str, position: int) -> Response:
    """One step alone."""
    run = the_run(request, id)
    row = the_row(request, run, position)
    view = step_view.read_views(run, [row], language_of(request), whole=True)[0]
    picture = f"/runs/{run.id}/screens/{position}"
    return render(request, "run_step.html", run=run, view=view, picture=picture, f=formats, v=step_view)


@router.get("/runs/{id}/problem")
def problem(request: Request, id: str, after: int = -1) -> Response:
    """Where the next marked step is."""
    run = the_run(request, id)
    after = max(-1, min(after, 2**31 - 1))
    return JSONResponse({"step": next_problem(request.app.state.studio.engine, run, after)})


@router.get("/runs/{id}/screens/{position}")
def screen(request: Request, id: str, position: int) -> Response:
    """The screenshot of a step in full size, as it lies on disk."""
    run = the_run(request, id)
    data, kind = read_picture(Path(run.path), step_view.picture_name(run, the_row(request, run, position)))
    return Response(data, media_type=kind)


@router.get("/runs/{id}/events")
async def events(request: Request, id: str) -> Response:
    """Tells a page that shows a running run of each new step, as server-sent events, until it ends."""
    await run_in_threadpool(the_run, request, id)
    return StreamingResponse(news(request, id), media_type="text/event-stream")


async def news(request: Request, id: str) -> AsyncIterator[str]:
    """Number of steps and status of a run, whenever one of them changes."""
    before = ""
    engine, indexer = request.app.state.studio.engine, request.app.state.indexer
    while not await request.is_disconnected() and not indexer.ending:
        run = await run_in_threadpool(find_run, engine, id)
        if run is None:
            return
        now = json.dumps({"steps": run.steps, "status": run.status})
        if now != before:
            yield f"data: {now}\n\n"
            before = now
        if run.status != "running":
            return
        await anyio.sleep(LIVE_SECONDS)


# -- two runs ----------------------------------------------------------------------------------------------------------


@router.get("/compare")
def compare_runs(request: Request, a: str, b: str, row: int = -1) -> Response:
    """Two runs side by side, their steps aligned."""
    pair = the_run(request, a), the_run(request, b)
    engine, language = request.app.state.studio.engine, language_of(request)
    found = compare(engine, pair, language)
    chosen = min(row if row >= 0 else found.first_difference or 0, max(0, len(found.rows) - 1))
    sides: list[dict[str, Any]] = []
    for side, run in enumerate(pair):
        view = found.rows[chosen].sides[side] if found.rows else None
        whole = step_view.read_views(run, [view.row], language, whole=True)[0] if view else None
        picture = f"/runs/{run.id}/screens/{view.row.position}" if view else ""
        sides.append({"run": run, "view": whole, "picture": picture})
    values: dict[str, Any] = {"found": found, "chosen": chosen, "sides": sides, "f": formats, "v": step_view}
    return render(request, "compare.html", address=lambda at: f"/compare?a={a}&b={b}&row={at}", **values)
