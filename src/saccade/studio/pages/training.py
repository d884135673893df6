"""Trainings: a list, their curves as they grow, and answers of a step with their rewards."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import msgspec
from fastapi import APIRouter, FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from saccade.studio import formats
from saccade.studio.folder_walk import Discovery
from saccade.studio.rendering import NavigationEntry, language_of, phrases, render
from saccade.studio.training_logs import FoundTraining, charts, find_trainings, read_log, sampled_steps, samples_of

router = APIRouter()
ENTRY = NavigationEntry("/training", "training", "t")
MOST_COMPARED = 6
PAGE = 50
LONGEST_TEXT = 6_000


def start(app: FastAPI) -> None:
    """Called when the server starts."""
    folders = app.state.studio.settings.folders
    app.state.trainings = Discovery(lambda: find_trainings(folders), every=3.0)


def training_of(request: Request, identity: str) -> FoundTraining:
    """The training of a request; 404 if there is none."""
    discovery: Discovery[FoundTraining] = request.app.state.trainings
    found = discovery.get(identity)
    if found is None:
        raise HTTPException(404, "error.no training")
    return found


@router.get("/training")
def list_trainings(request: Request, page: int = 1) -> Response:
    """All trainings that were found, the newest first."""
    found, complete = request.app.state.trainings.found()
    dated = sorted(((each.changed(), each) for each in found.values()), reverse=True)
    page = max(1, min(page, 10**6))
    rows = [
        {"training": each, "stage": each.stage(), "changed": changed}
        for changed, each in dated[(page - 1) * PAGE : page * PAGE]
    ]
    values: dict[str, Any] = {
        "rows": rows,
        "page": page,
        "pages": max(1, -(-len(dated) // PAGE)),
        "most": MOST_COMPARED,
    }
    return render(request, "trainings.html", complete=complete, f=formats, **values)


@router.get("/training/compare")
def compare_trainings(request: Request) -> Response:
    """The curves of several trainings over one another; without any, the list to choose from."""
    wanted = list(dict.fromkeys(request.query_params.getlist("run")))[:MOST_COMPARED]
    if not wanted:
        return RedirectResponse("/training", 303)
    return show_curves(request, [training_of(request, identity) for identity in wanted])


@router.get("/training/{identity}")
def show_training(request: Request, identity: str) -> Response:
    """The curves of a training, its recipe, and a way to its samples."""
    return show_curves(request, [training_of(request, identity)])


def show_curves(request: Request, trainings: list[FoundTraining]) -> Response:
    """The page with curves; its script fetches them and goes on as the logs grow."""
    one = trainings[0] if len(trainings) == 1 else None
    values: dict[str, Any] = {
        "trainings": trainings,
        "one": one,
        "recipe": one.recipe() if one else "",
        "has_samples": one is not None and one.file("samples.jsonl") is not None,
    }
    return render(request, "training.html", **values)


@router.get("/training/{identity}/log")
def send_log(request: Request, identity: str, after: int = 0) -> Response:
    """The curves from a byte of the log on, and how they make charts, as JSON."""
    file = training_of(request, identity).file("log.jsonl")
    if file is None:
        raise HTTPException(404, "error.no log")
    part = read_log(file, after)
    language = language_of(request)
    titles = {
        name: phrases()[key][language == "zh"] if (key := f"training.chart.{name}") in phrases() else name
        for name, _ in charts(list(part.curves))
    }
    told: dict[str, Any] = {"charts": charts(list(part.curves)), "titles": titles, **msgspec.to_builtins(part)}
    return Response(msgspec.json.encode(told), media_type="application/json")


@router.get("/training/{identity}/samples")
def show_samples(request: Request, identity: str, step: int | None = None) -> Response:
    """Answers that were sampled at a step, with their rewards and parts."""
    training = training_of(request, identity)
    file = training.file("samples.jsonl")
    steps = sampled_steps(file) if file is not None else []
    if file is None or not steps:
        return render(request, "training_samples.html", training=training, steps=[], step=0, groups=[], parts=[], cut=0)
    shown = step if step in steps else steps[-1]
    samples = samples_of(file, shown)
    values: dict[str, Any] = {
        "training": training,
        "steps": steps[-2000:],
        "step": shown,
        "before": max((each for each in steps if each < shown), default=None),
        "after": min((each for each in steps if each > shown), default=None),
        "groups": [(key, list(group)) for key, group in groupby(samples, key=lambda each: each.id)],
        "parts": list(dict.fromkeys(name for sample in samples for name in sample.parts))[:20],
        "cut": LONGEST_TEXT,
    }
    return render(request, "training_samples.html", **values)
