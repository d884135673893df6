"""Measurements: the list, one with its tables and cases, and cases that have no folder of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response

from saccade.agents.records import LoggedStep
from saccade.bench.cases import Result
from saccade.bench.table import Table, shortened
from saccade.studio import formats
from saccade.studio.database.runs import IndexedMeasurement, IndexedStep, MeasuredCase
from saccade.studio.index import step_view
from saccade.studio.index.growing_file import read_part, read_whole
from saccade.studio.index.measurement_reader import rule_of
from saccade.studio.index.queries import cases_page, error_classes, find_measurement, measurements_page
from saccade.studio.index.run_reader import UNREADABLE, error_class, mark_of, profile_named
from saccade.studio.rendering import Language, NavigationEntry, language_of, render
from saccade.untrusted import decode_json

router = APIRouter()
ENTRY = NavigationEntry("/measurements", "measurements", "m")
ENDS = ("failed", "right", "broken")
MOST_TABLES = 50


def the_measurement(request: Request, id: str) -> IndexedMeasurement:
    """The measurement of an address, if it lies in this studio's folders."""
    found = find_measurement(request.app.state.studio.engine, id)
    folders = request.app.state.studio.settings.folders
    if found is None or not any(Path(found.path).resolve().is_relative_to(folder) for folder in folders):
        raise HTTPException(404, "error.no measurement")
    return found


@router.get("/measurements")
def measurements(request: Request, after: int = 0) -> Response:
    """All measurements, the latest first."""
    page = measurements_page(request.app.state.studio.engine, max(0, min(after, 2**31 - 1)))
    following = f"/measurements?after={page.following}" if page.following else ""
    return render(request, "measurements.html", page=page, following=following, f=formats)


@router.get("/measurements/{id}")
def measurement_page(request: Request, id: str, end: str = "", after: int = -1) -> Response:
    """One measurement: tables, error classes, cases."""
    measurement = the_measurement(request, id)
    return render(request, "measurement.html", **measurement_values(request, measurement, end, after))


def measurement_values(request: Request, measurement: IndexedMeasurement, end: str, after: int) -> dict[str, Any]:
    """What the page of a measurement shows."""
    engine = request.app.state.studio.engine
    end = end if end in ENDS else ""
    cases = cases_page(engine, measurement, end, max(-1, min(after, 2**31 - 1)))
    tables, trouble = read_tables(Path(measurement.path))
    address = f"/measurements/{measurement.id}"
    chosen = f"&end={end}" if end else ""
    return {
        "measurement": measurement,
        "tables": tables,
        "trouble": trouble,
        "cases": cases,
        "end": end,
        "ends": ENDS,
        "classes": error_classes(engine, measurement),
        "address": address,
        "first": after < 0,
        "following": f"{address}?after={cases.following}{chosen}#cases" if cases.following else "",
        "case_address": case_address,
        "f": formats,
    }


def case_address(measurement: IndexedMeasurement, case: MeasuredCase) -> str:
    """The page of a case: its run's, or its own where no run was kept."""
    return f"/runs/{case.run}" if case.run else f"/measurements/{measurement.id}/cases/{case.position}"


def read_tables(folder: Path) -> tuple[list[Table], str]:
    """The tables of `report.json`, and why there are none."""
    try:
        tables = decode_json(read_whole(folder / "report.json"), list[Table])
        return list(map(shortened, tables[:MOST_TABLES])), ""
    except FileNotFoundError:
        return [], ""
    except (OSError, *UNREADABLE, ValueError) as error:
        return [], f"report.json: {str(error)[:200]}"


# -- cases without a run -----------------------------------------------------------------------------------------------


@router.get("/measurements/{id}/cases/{position}")
def case_page(request: Request, id: str, position: int, step: int = 0) -> Response:
    """A case of a recording whose screenshots were not kept: what was asked, answered and right."""
    measurement = the_measurement(request, id)
    found = cases_page(
        request.app.state.studio.engine, measurement, after=max(-1, min(position, 2**31 - 1) - 1), most=1
    )
    if not found.rows or found.rows[0].position != position:
        raise HTTPException(404, "error.no case")
    case = found.rows[0]
    views, trouble = read_case_views(measurement, case, step, language_of(request))
    step = max(0, min(step, len(views) - 1))
    address = f"/measurements/{id}/cases/{position}"
    return render(
        request,
        "case.html",
        measurement=measurement,
        case=case,
        views=views,
        view=views[step] if views else None,
        trouble=trouble,
        address=lambda at: f"{address}?step={at}",
        picture="",
        f=formats,
        v=step_view,
    )


def read_case_views(
    measurement: IndexedMeasurement, case: MeasuredCase, whole: int, language: Language
) -> tuple[list[step_view.StepView], str]:
    """The steps of a case, read from its line in `results.jsonl`; the step `whole` with all that is drawn on it."""
    try:
        data = read_part(Path(measurement.path) / "results.jsonl", case.offset, case.length)
        result = decode_json(data, Result)
        rule = rule_of(measurement.suite)
        return [
            step_view.view_of_step(case_row(at, step, rule), _without_picture(step), language, at == whole)
            for at, step in enumerate(result.steps)
        ], result.problem
    except (OSError, *UNREADABLE, ValueError) as error:
        return [], str(error)[:200]


def case_row(position: int, step: LoggedStep, rule: str) -> IndexedStep:
    """The row that the index would have of a step."""
    wrong = error_class(step, profile_named(rule))
    action = step.prediction.type if step.prediction else ""
    mark = mark_of(step, bool(wrong))
    return IndexedStep(position=position, attempt=step.attempt, action=action, mark=mark, error_class=wrong)


def _without_picture(step: LoggedStep) -> LoggedStep:
    """The data's own pictures may lie outside of the folders shown here: they are not served."""
    step.image = ""
    return step
