"""Data sets: which there are, their contact sheet, one sample large, their problems, and questions in SQL."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, FastAPI, Form, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from saccade.actions import Action
from saccade.data.check import KINDS
from saccade.errors import InputError
from saccade.paradigms.wording import in_words
from saccade.scoring.judge import match_context
from saccade.scoring.profiles import get_profile
from saccade.studio.datasets.dataset_reading import DatasetReading, OpenDatasets
from saccade.studio.datasets.discovery import FoundDataset, find_datasets
from saccade.studio.datasets.file_query import QueryAnswer, ask, queryable_files
from saccade.studio.datasets.overlay import shapes_of
from saccade.studio.datasets.sample_index import SampleFilter, truth_in_words
from saccade.studio.datasets.sample_pictures import Thumbnails, picture_of
from saccade.studio.folder_walk import Discovery
from saccade.studio.rendering import NavigationEntry, language_of, render
from saccade.types import Step

router = APIRouter()
ENTRY = NavigationEntry("/datasets", "datasets", "d")
PAGE = 24
MOST_LISTED = 500
FINDINGS_PAGE = 100
LONGEST_TEXT = 20_000
FILTERS = ("words", "finding", "answered", "with")
_queries = threading.Semaphore(2)


class DatasetState(NamedTuple):
    """What the pages of data sets keep between requests."""

    discovery: Discovery[FoundDataset]
    open: OpenDatasets
    thumbnails: Thumbnails


def start(app: FastAPI) -> None:
    """Called when the server starts."""
    folders = app.state.studio.settings.folders
    look: Callable[[], Any] = lambda: find_datasets(folders)  # noqa: E731
    app.state.datasets = DatasetState(Discovery(look), OpenDatasets(folders), Thumbnails())


class Chosen(NamedTuple):
    """A data set as a request names it: its reader's options and the filter are in the query."""

    found: FoundDataset
    reading: DatasetReading
    wanted: SampleFilter
    query: dict[str, str]
    """What links to other pages of this data set carry on."""

    def link(self, **changes: object) -> str:
        """A query string with changes; None takes a part away."""
        kept = self.query | {name.replace("__", "."): str(value) for name, value in changes.items()}
        return urlencode({name: value for name, value in kept.items() if value not in ("", "None")})


def chosen(request: Request, identity: str) -> Chosen:
    """The data set of a request; 404 if there is none."""
    state: DatasetState = request.app.state.datasets
    found = state.discovery.get(identity)
    if found is None:
        raise HTTPException(404, "error.no data set")
    given = {name: value[:200] for name, value in request.query_params.items() if value}
    options = {name[4:]: value for name, value in given.items() if name.startswith("set.")}
    tags = tuple((name[4:], value) for name, value in given.items() if name.startswith("tag."))
    wanted = SampleFilter(tags, given.get("words", ""), given.get("finding", ""), "answered" in given)
    query = {name: value for name, value in given.items() if name in FILTERS or name.startswith(("set.", "tag."))}
    return Chosen(found, state.open.get(found, options), wanted, query)


@router.get("/datasets")
def list_datasets(request: Request) -> Response:
    """All data sets that were found."""
    found, complete = request.app.state.datasets.discovery.found()
    listed = sorted(found.values(), key=lambda each: each.label)
    values: dict[str, Any] = {"found": listed[:MOST_LISTED], "total": len(listed), "complete": complete}
    return render(request, "datasets.html", **values)


@router.get("/datasets/{identity}")
def show_contact_sheet(request: Request, identity: str, page: int = 1) -> Response:
    """A page of small pictures with the right actions."""
    data = chosen(request, identity)
    data.reading.done.wait(0.7)  # small data sets are complete at once
    return render(request, "dataset.html", **sheet_values(data, page))


@router.get("/datasets/{identity}/state")
def show_progress(request: Request, identity: str) -> Response:
    """How far the reading is, for a page that waits."""
    return render(
        request, "dataset_state.html", reading=chosen(request, identity).reading, data=chosen(request, identity)
    )


def sheet_values(data: Chosen, page: int) -> dict[str, Any]:
    """What the contact sheet shows."""
    index = data.reading.index
    rows, total = index.page(data.wanted, (max(1, min(page, 10**6)) - 1) * PAGE, PAGE)
    return {
        "data": data,
        "reading": data.reading,
        "rows": rows,
        "total": total,
        "page": page,
        "pages": max(1, -(-total // PAGE)),
        "facets": index.facets(),
        "finding_counts": index.finding_counts(),
        "kinds": KINDS,
        "tables": queryable_files(data.found.path),
    }


@router.post("/datasets/{identity}/again")
def read_again(request: Request, identity: str) -> Response:
    """Read the files anew."""
    state: DatasetState = request.app.state.datasets
    state.open.forget(chosen(request, identity).found)
    return Response(status_code=303, headers={"location": f"/datasets/{identity}"})


@router.get("/datasets/{identity}/sample/{n}")
def show_sample(request: Request, identity: str, n: int) -> Response:
    """One sample large, with truth and prediction drawn in."""
    data = chosen(request, identity)
    sample = data.reading.sample(n)
    step = sample.step
    prediction, source = prediction_for(request, data, step)
    before, after = data.reading.index.neighbours(data.wanted, n)
    language = language_of(request)
    others, _ = request.app.state.datasets.discovery.found(0.0)
    values: dict[str, Any] = {
        "data": data,
        "n": n,
        "step": step,
        "shapes": shapes_of(step, prediction),
        "radius": max(1, round(max(min(step.screen), 1) * 0.02)),
        "truth": truth_in_words(step, language, 10),
        "predicted": in_words(prediction, step.view, language) if prediction is not None else "",
        "right": verdict(data, step, prediction),
        "source": source,
        "findings": data.reading.index.findings_of(n),
        "before": before,
        "after": after,
        "has_picture": sample.picture is not None,
        "where": sample.where.rpartition("/")[2],
        "others": [each for each in others.values() if each.id != identity][:100],
        "cut": LONGEST_TEXT,
    }
    return render(request, "sample.html", **values)


def prediction_for(request: Request, data: Chosen, step: Step) -> tuple[Action | None, str]:
    """The prediction in the record itself, or in the chosen other data set under the same id; and that one's label."""
    other = data.query.get("with", "")
    if not other:
        return step.prediction, ""
    state: DatasetState = request.app.state.datasets
    found = state.discovery.get(other)
    if found is None:
        raise HTTPException(404, "error.no data set")
    reading = state.open.get(found, {})
    reading.done.wait(5)
    n = reading.index.number_of(step.id)
    return (reading.sample(n).step.prediction if n is not None else None), found.label


def verdict(data: Chosen, step: Step, prediction: Action | None) -> bool | None:
    """Is the prediction right by the data set's own profile? None where there is nothing to judge."""
    if prediction is None or not step.truth:
        return None
    profile = get_profile(data.found.kind.profile)
    return profile.judge(prediction, step.truth, match_context(step)).right


@router.get("/datasets/{identity}/sample/{n}/picture")
def send_picture(request: Request, identity: str, n: int) -> Response:
    """The sample's screenshot."""
    data = chosen(request, identity)
    content, kind = picture_of(data.reading.sample(n), data.reading.roots)
    return Response(content, media_type=kind, headers={"cache-control": "private, max-age=60"})


@router.get("/datasets/{identity}/sample/{n}/thumbnail")
def send_thumbnail(request: Request, identity: str, n: int) -> Response:
    """The small picture with the right actions drawn in."""
    data = chosen(request, identity)
    key = (identity, n, *sorted(data.reading.options.items()))
    content = request.app.state.datasets.thumbnails.get(key, data.reading.sample(n), data.reading.roots)
    return Response(content, media_type="image/jpeg", headers={"cache-control": "private, max-age=60"})


@router.get("/datasets/{identity}/problems")
def show_problems(request: Request, identity: str, page: int = 1) -> Response:
    """What `saccade data check` finds without opening pictures."""
    data = chosen(request, identity)
    data.reading.done.wait(0.7)
    start = (max(1, min(page, 10**6)) - 1) * FINDINGS_PAGE
    counts = data.reading.index.finding_counts()
    rows = data.reading.index.findings(data.wanted.finding, start, FINDINGS_PAGE + 1)
    values: dict[str, Any] = {
        "rows": rows[:FINDINGS_PAGE],
        "more": len(rows) > FINDINGS_PAGE,
        "page": page,
        "counts": counts,
    }
    return render(request, "dataset_problems.html", data=data, reading=data.reading, kinds=KINDS, **values)


@router.get("/datasets/{identity}/query")
def show_query(request: Request, identity: str, file: str = "") -> Response:
    """The form for a question, with the columns of the table."""
    return answer_query(request, chosen(request, identity), file, "")


@router.post("/datasets/{identity}/query")
def send_query(request: Request, identity: str, file: str = Form(""), sql: str = Form("")) -> Response:
    """The answer to a question."""
    return answer_query(request, chosen(request, identity), file, sql)


def answer_query(request: Request, data: Chosen, file: str, sql: str) -> Response:
    """The page with the table's columns and, if something was asked, the answer."""
    tables = queryable_files(data.found.path)
    if not tables:
        raise InputError("this data set has no JSON, CSV or parquet file that could be asked")
    data.reading.check()
    name = file or tables[0]
    with _queries:
        columns = ask(data.found.path, name, "")
        answer = ask(data.found.path, name, sql) if sql.strip() else QueryAnswer()
    values: dict[str, Any] = {"tables": tables, "file": name, "sql": sql, "columns": columns, "answer": answer}
    return render(request, "dataset_query.html", data=data, reading=data.reading, **values)
