"""The HTML report of a measurement: tables, embedded plots, and links to the replays of failed cases."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from saccade.agents.replay_page import NAME
from saccade.bench.cases import Result
from saccade.bench.figures import judge_answers
from saccade.bench.samples import sample_name
from saccade.bench.table import Table, html
from saccade.scoring.profiles import Profile

MOST_LISTED = 200
LONGEST = 160
"""Most characters of an instruction."""
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
STYLE = """
body{font:15px/1.5 system-ui,sans-serif;color:#1f2328;background:#fff;margin:2em auto;max-width:84em;padding:0 1em}
h1{font-size:1.4em} figure{margin:2em 0;overflow-x:auto} figcaption{font-weight:600;margin-bottom:.4em}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.2em .55em;text-align:right;border-bottom:1px solid #e3e7eb;vertical-align:top;white-space:nowrap}
th:first-child,td:first-child{text-align:left;font-weight:500;padding-right:1.2em}
thead th{vertical-align:bottom;white-space:normal;border-bottom:1px solid #1f2328;max-width:7em}
thead tr:not(:last-child) th{text-align:center;border:0} tr.ours{background:#eef4fb} tr.published{color:#5b6470}
small{display:block;color:#5b6470;font-size:.76em;font-weight:400} figure ul,p{color:#5b6470;font-size:.85em}
figure ul{padding-left:1.2em} img{max-width:100%;max-height:24em} a{color:#0b5cad}
.many table{font-size:.84em} .many th,.many td{padding:.2em .4em} tr.ours th{font-weight:600}
summary{font-weight:600;font-size:1.1em;margin:1.5em 0 .5em;cursor:pointer}
.cases td{text-align:left;white-space:normal} .cases td:first-child{white-space:nowrap}
"""


class Failure(NamedTuple):
    """A failed or broken case."""

    id: str
    why: str
    link: str = ""
    """Its replay page, relative to the report; empty if there is none."""
    broken: bool = False


def failures(folder: Path, results: Sequence[Result], profile: Profile) -> list[Failure]:
    """All failed and broken cases, those with a replay page first."""
    found = [failure for result in results if (failure := _failure(folder, result, profile))]
    return sorted(found, key=lambda failure: not failure.link)


def _failure(folder: Path, result: Result, profile: Profile) -> Failure | None:
    places = [f"{place}/{NAME}" for place in (result.run, f"runs/{sample_name(result.id)}") if place]
    link = next((place for place in places if (folder / place).is_file()), "")
    if result.status == "broken":
        return Failure(result.id, result.problem, link, True)
    if result.outcome is not None:
        why = result.outcome.reason or f"ended by {result.outcome.ended_by}"
        return None if result.success else Failure(result.id, why, link)
    items = judge_answers(result.steps, profile)
    wrong = sum(not item.right for item in items)
    why = f"{wrong} of {len(items)} steps wrong" if len(items) > 1 else "wrong"
    return Failure(result.id, f"{why}: {result.steps[0].instruction[:LONGEST]}", link) if wrong else None


def page(
    title: str, tables: Sequence[Table], plots: Sequence[Path], failed: Sequence[Failure] = (), missing: str = ""
) -> str:
    """The whole page. Case names and reasons come from data and models, so they are escaped."""
    drawn = "\n".join(_image(plot) for plot in plots)
    parts = [
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"><style>{STYLE}</style></head><body>',
        f"<h1>{escape(title)}</h1>",
        f"<p>{escape(missing)}</p>" if missing else "",
        html(tables[0]) if tables else "",
        drawn,
        *map(html, tables[1:]),
        _cases("Cases that failed", [failure for failure in failed if not failure.broken]),
        _cases("Broken cases (not counted)", [failure for failure in failed if failure.broken]),
        "</body></html>",
    ]
    return "\n".join(filter(None, parts)) + "\n"


def _image(path: Path) -> str:
    data = base64.b64encode(path.read_bytes()).decode()
    return f'<figure><img alt="{escape(path.stem)}" src="data:image/png;base64,{data}"></figure>'


def _cases(title: str, failed: Sequence[Failure]) -> str:
    if not failed:
        return ""
    rows = "\n".join(
        f"<tr><td>{_link(failure)}</td><td>{escape(failure.why)}</td></tr>" for failure in failed[:MOST_LISTED]
    )
    more = f"<p>… and {len(failed) - MOST_LISTED:,} more.</p>" if len(failed) > MOST_LISTED else ""
    head = f"<details open><summary>{title}: {len(failed):,}</summary>"
    return f'{head}\n<table class="cases">{rows}</table>{more}</details>'


def _link(failure: Failure) -> str:
    name = escape(failure.id)
    return f'<a href="{quote(failure.link)}">{name}</a>' if failure.link else name
