"""Start a run or a recording; watch it live, pause it, edit what it wants to do, take over, and hand back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any, get_args

import msgspec
from fastapi import APIRouter, Body, FastAPI, Form, Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from saccade.agents.records import Status
from saccade.errors import InputError, readable
from saccade.studio import formats
from saccade.studio.index.measurement_reader import id_of
from saccade.studio.live.messages import Command, Phase, Start
from saccade.studio.live.processes import LiveRun, LiveRuns
from saccade.studio.live.recording import PERSON
from saccade.studio.live.start_form import StartForm, choices, start_of
from saccade.studio.pages.runs import RESUMABLE_STATUSES, the_run
from saccade.studio.rendering import NavigationEntry, language_of, phrase, phrase_or, phrases, render
from saccade.studio.served_files import picture_type
from saccade.typed_values import to_type

router = APIRouter()
ENTRY = NavigationEntry("/act", "act", "n")
LOOK_SECONDS, ALIVE_SECONDS = 0.05, 15.0
"""So often a stream looks for news, and so often it says that it is alive."""
SHOWN_BY_SCRIPT = ("by.agent", "by.person", "edited", "asked", "no_action", "no_records")
FILLED_BY_SCRIPT = ("left", "records")
"""Texts with a value that only the page knows."""


def start(app: FastAPI) -> None:
    app.state.live = LiveRuns(app.state.studio.settings.folders[0])


def stop(app: FastAPI) -> None:
    app.state.live.close()


def live_run(request: Request, id: str) -> LiveRun:
    runs: LiveRuns = request.app.state.live
    return runs.get(id)


@router.get("/act")
def act(request: Request) -> Response:
    return show_form(request, StartForm())


@router.post("/act")
def begin(request: Request, form: Annotated[StartForm, Form()]) -> Response:
    """Start it; what is wrong with the form is said above it."""
    runs: LiveRuns = request.app.state.live
    try:
        wanted = start_of(form, request.app.state.studio.settings.folders)
        run = runs.start(wanted, form.instruction.strip() or form.world.strip())
    except InputError as error:
        return show_form(request, form, phrase_or(f"sentence.{error}", language_of(request), str(error)), 400)
    return RedirectResponse(f"/live/{run.id}", 303)


@router.post("/act/resume/{id}")
def go_on(request: Request, id: str) -> Response:
    """Go on with a run or a recording that broke off."""
    run, runs = the_run(request, id), request.app.state.live
    if run.status not in RESUMABLE_STATUSES:
        raise InputError("this run is over, or goes on already: there is nothing to go on with")
    wanted = Start({}, run.path, record=run.model == PERSON, resume=True)
    return RedirectResponse(f"/live/{runs.start(wanted, run.instruction or run.name).id}", 303)


def show_form(request: Request, form: StartForm, sentence: str = "", status: int = 200) -> Response:
    runs: LiveRuns = request.app.state.live
    return render(
        request, "act.html", status, form=form, choices=choices(), sentence=sentence, runs=runs.all()[:20], f=formats
    )


@router.get("/live/{id}")
def live(request: Request, id: str) -> Response:
    """The page of one run; a module fills it from the stream of events."""
    run, language = live_run(request, id), language_of(request)

    def texts(*names: str, under: str = "") -> dict[str, str]:
        return {name: phrase(f"live.{under}{name}", language) for name in names}

    return render(
        request,
        "live.html",
        run=run,
        run_page=id_of(run.folder),
        phases=texts(*get_args(Phase), under="phase."),
        outcomes=texts(*get_args(Status), under="outcome."),
        texts=texts(*SHOWN_BY_SCRIPT)
        | {name: phrases()[f"live.{name}"][language == "zh"] for name in FILLED_BY_SCRIPT},
    )


@router.get("/live/{id}/events")
async def events(request: Request, id: str) -> Response:
    """The state, again whenever it changes, as server-sent events."""
    return StreamingResponse(stream(live_run(request, id)), media_type="text/event-stream")


async def stream(run: LiveRun) -> AsyncIterator[bytes]:
    told, last = -1, time.monotonic()
    while True:
        if told != run.version:
            told, last = run.version, time.monotonic()
            ended = not run.running
            yield b"data: " + msgspec.json.encode(run.state) + b"\n\n"
            if ended:
                return
        elif time.monotonic() - last > ALIVE_SECONDS:
            last = time.monotonic()
            yield b": alive\n\n"
        await asyncio.sleep(LOOK_SECONDS)


@router.get("/live/{id}/screen/{number}")
def screen(request: Request, id: str, number: int) -> Response:
    """The picture of the screen that is shown now; the number keeps the browser from showing an old one."""
    run = live_run(request, id)
    if not run.picture:
        raise InputError("this world gives no pictures")
    return Response(run.picture, media_type=picture_type(run.picture) or "application/octet-stream")


@router.get("/live/{id}/elements/{number}")
def elements(request: Request, id: str, number: int) -> Response:
    return Response(live_run(request, id).elements, media_type="application/json")


@router.post("/live/{id}/command")
def command(request: Request, id: str, value: Annotated[dict[str, Any], Body()]) -> dict[str, str]:
    try:
        wanted = to_type(value, Command)
    except msgspec.ValidationError as error:
        raise InputError(f"that cannot be done: {readable(error)}") from None
    live_run(request, id).command(wanted)
    return {"sent": wanted.do}
