"""`saccade studio --bundle OUT`: runs and measurements as a static site, to read and not to change.

The pages are the studio's own. They need no server: everything is a relative link, and the list of runs is read as
small scripts, because browsers load neither modules nor JSON from a disk. A page for each step.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Engine

from saccade.errors import InputError
from saccade.studio import formats
from saccade.studio.database.engine import open_database
from saccade.studio.database.runs import IndexedMeasurement, IndexedRun, MeasuredCase
from saccade.studio.index import step_view
from saccade.studio.index.indexer import Indexer
from saccade.studio.index.queries import (
    FILTERS,
    STEPS_PAGE,
    Page,
    RunFilter,
    cases_page,
    error_classes,
    measurements_page,
    runs_page,
    step_rows,
    totals,
)
from saccade.studio.pages.measurements import read_tables
from saccade.studio.rendering import Language, phrase, phrases, render_to_text
from saccade.studio.served_files import read_picture
from saccade.studio.settings import StudioSettings
from saccade.untrusted import read_bytes, read_text

STATIC = Path(__file__).with_name("static")
STYLES = ("studio.css", "runs.css", "run.css")
SCRIPTS = ("zoom.js", "runs_bundle.js")
MOST_STEPS = 200_000
"""A step is a page and a picture: more files than this are no site."""
RUNS_A_FILE, CASES_A_PAGE = 500, 200
ENDINGS = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}
GOOD = ("success", "claimed")


def write_bundle(settings: StudioSettings, out: Path, language: Language, say: Callable[[str], object]) -> Path:
    """Write the site; returns its first page. The folder must be empty, or not be there."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out} is not empty: choose another folder for --bundle")
    with tempfile.TemporaryDirectory() as scratch:
        engine = open_database(f"sqlite:///{scratch}/index.db")
        try:
            Indexer(engine, settings.folders).look()
            return _Bundle(engine, out, language).write(say)
        finally:
            engine.dispose()


def classic_script() -> str:
    """Our modules joined to one script that is no module."""
    code = "\n".join(read_text(STATIC / name) for name in SCRIPTS)
    return '(() => {\n"use strict";\n' + re.sub(r"^(import .*$|export )", "", code, flags=re.MULTILINE) + "})();\n"


class _Bundle:
    def __init__(self, engine: Engine, out: Path, language: Language) -> None:
        self.engine, self.out, self.language = engine, out, language
        self.measured: set[str] = set()

    def write(self, say: Callable[[str], object]) -> Path:
        runs, steps = totals(self.engine)
        if steps > MOST_STEPS:
            raise InputError(f"{steps:,} steps are too many for a site (at most {MOST_STEPS:,}): name fewer folders")
        try:
            (self.out / "assets").mkdir(parents=True)
            for name in STYLES:
                (self.out / "assets" / name).write_bytes(read_bytes(STATIC / name))
            (self.out / "assets/bundle.js").write_text(classic_script(), encoding="utf-8")
            measurements = self._measurements()
            self._runs()
        except OSError as error:
            raise InputError(f"cannot write {self.out}: {error.strerror or error}") from None
        first = self.out / "index.html"
        say(f"{runs:,} runs with {steps:,} steps and {measurements:,} measurements: {first}")
        return first

    def _page(self, name: str, template: str, **values: Any) -> None:
        file = self.out / name
        file.parent.mkdir(parents=True, exist_ok=True)
        root = "../" * name.count("/")
        values |= {"root": root, "f": formats, "v": step_view}
        file.write_text(render_to_text(template, self.language, values), encoding="utf-8")

    # -- runs ---------------------------------------------------------------------------------------------------------

    def _runs(self) -> None:
        (self.out / "data").mkdir()
        number, wanted = 0, RunFilter()
        while True:
            page = runs_page(self.engine, wanted, RUNS_A_FILE)
            number += 1
            text = msgspec.json.encode([self._row(run) for run in page.rows]).decode("utf-8")
            (self.out / f"data/runs-{number}.js").write_text(f"saccadeRuns({text});\n", encoding="utf-8")
            for run in page.rows:
                self._run(run)
            if not page.following:
                break
            wanted = RunFilter(after=page.following)
        self._page("index.html", "bundle_runs.html", filters=FILTERS, data_pages=number)

    def _row(self, run: IndexedRun) -> dict[str, str]:
        key = f"runs.status.{run.status}"
        found = {name: getattr(run, name) for name in FILTERS} | {
            "id": run.id,
            "when": formats.moment_text(run.started),
        }
        found |= {"instruction": run.instruction[:300] or run.name[:200], "answer": run.answer[:300]}
        found |= {"word": phrase(key, self.language) if key in phrases() else run.status}
        found |= {"tone": "good" if run.status in GOOD else "bad", "steps": formats.count_text(run.steps)}
        found |= {"problems": formats.count_text(run.problems) if run.problems else ""}
        found |= {"tokens": formats.tokens_text(run.tokens), "cost": formats.money_text(run.cost)}
        return found | {"seconds": formats.seconds_text(run.seconds)}

    def _run(self, run: IndexedRun) -> None:
        values: dict[str, Any] = {"run": run, "measured": self.measured, "size": STEPS_PAGE, "pages": ()}
        values |= {"address": lambda position: f"{position + 1}.html", "blocks": range(0, run.steps, STEPS_PAGE)}
        if not run.steps:
            nothing: dict[str, Any] = {
                "views": [],
                "view": None,
                "first": 0,
                "previous": None,
                "following": None,
                "picture": "",
            }
            self._page(f"runs/{run.id}/1.html", "bundle_run.html", **values, **nothing)
        pictures: dict[str, str] = {}
        for first in values["blocks"]:
            rows = step_rows(self.engine, run, first)
            views = step_view.read_views(run, rows, self.language)
            for row in rows:
                view = step_view.read_views(run, [row], self.language, whole=True)[0]
                at = row.position
                self._page(
                    f"runs/{run.id}/{at + 1}.html",
                    "bundle_run.html",
                    **values,
                    views=views,
                    view=view,
                    first=first,
                    previous=at - 1 if at else None,
                    following=at + 1 if at + 1 < run.steps else None,
                    picture=self._picture(run, view, pictures),
                )

    def _picture(self, run: IndexedRun, view: step_view.StepView, known: dict[str, str]) -> str:
        """Copy a screenshot, equal ones once; its name relative to the page."""
        if view.step is None or not view.step.image:
            return ""
        try:
            data, kind = read_picture(Path(run.path), view.step.image)
        except InputError:
            view.step.image = ""
            return ""
        digest = hashlib.sha256(data).hexdigest()
        if digest not in known:
            known[digest] = f"screens/{view.row.position + 1}.{ENDINGS[kind]}"
            file = self.out / "runs" / run.id / known[digest]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        return known[digest]

    # -- measurements -------------------------------------------------------------------------------------------------

    def _measurements(self) -> int:
        found = [*self._all_measurements()]
        self.measured = {each.id for each in found}
        page = Page(found, "", len(found))
        address: Callable[[IndexedMeasurement], str] = lambda each: f"measurements/{each.id}.html"  # noqa: E731
        self._page("measurements.html", "bundle_measurements.html", page=page, measurement_address=address)
        for each in found:
            self._measurement(each)
        return len(found)

    def _all_measurements(self) -> Iterator[IndexedMeasurement]:
        after = 0
        while True:
            page = measurements_page(self.engine, after)
            yield from page.rows
            if not page.following:
                return
            after = int(page.following)

    def _measurement(self, measurement: IndexedMeasurement) -> None:
        tables, trouble = read_tables(Path(measurement.path))
        values = {"measurement": measurement, "tables": tables, "trouble": trouble, "case_address": _case_address}
        values |= {"classes": error_classes(self.engine, measurement)}
        pages = max(1, -(-measurement.cases // CASES_A_PAGE))
        after = -1
        for number in range(1, pages + 1):
            cases = cases_page(self.engine, measurement, after=after, most=CASES_A_PAGE)
            name = f"measurements/{measurement.id}{f'-{number}' if number > 1 else ''}.html"
            self._page(name, "bundle_measurement.html", **values, cases=cases.rows, number=number, pages=pages)
            after = int(cases.following or -1)


def _case_address(_: IndexedMeasurement, case: MeasuredCase) -> str:
    """A case's run; a recording's case that was not kept has no page."""
    return f"../runs/{case.run}/1.html" if case.run else ""
