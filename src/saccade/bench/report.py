"""The HTML report of a measurement: tables, embedded plots, and links to the replays of its cases."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import quote

from saccade.agents.replay_page import NAME
from saccade.bench.cases import Result
from saccade.bench.figures import judge_answers
from saccade.bench.samples import sample_name
from saccade.bench.table import Table, html
from saccade.scoring.profiles import Profile
from saccade.untrusted import read_bytes

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


ENDS = {
    "failed": "Cases that failed",
    "right": "Cases that succeeded and were kept",
    "broken": "Broken cases (not counted)",
}


class LinkedCase(NamedTuple):
    """A case with its end and its replay page."""

    id: str
    end: Literal["failed", "broken", "right"]
    what: str
    """Why it failed, or what it was about."""
    link: str = ""
    """Its replay page, relative to the report; empty if there is none."""


def linked_cases(folder: Path, results: Sequence[Result], profile: Profile) -> list[LinkedCase]:
    """All cases, those with a replay page first. Of the right ones only those with a page are worth a line."""
    found = [_linked(folder, result, profile) for result in results]
    return sorted((case for case in found if case.link or case.end != "right"), key=lambda case: not case.link)


def _linked(folder: Path, result: Result, profile: Profile) -> LinkedCase:
    places = [f"{place}/{NAME}" for place in (result.run, f"runs/{sample_name(result.id)}") if place]
    link = next((place for place in places if (folder / place).is_file()), "")
    if result.status == "broken":
        return LinkedCase(result.id, "broken", result.problem, link)
    if result.outcome is not None:
        why = result.outcome.reason or f"ended by {result.outcome.ended_by}"
        return LinkedCase(result.id, "right" if result.success else "failed", why, link)
    items = judge_answers(result.steps, profile)
    wrong, asked = sum(not item.right for item in items), result.steps[0].instruction[:LONGEST]
    why = f"{wrong} of {len(items)} steps wrong: {asked}" if len(items) > 1 else f"wrong: {asked}"
    return LinkedCase(result.id, "failed", why, link) if wrong else LinkedCase(result.id, "right", asked, link)


def page(
    title: str, tables: Sequence[Table], plots: Sequence[Path], cases: Sequence[LinkedCase] = (), missing: str = ""
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
        *(_cases(title, [case for case in cases if case.end == end]) for end, title in ENDS.items()),
        "</body></html>",
    ]
    return "\n".join(filter(None, parts)) + "\n"


def _image(path: Path) -> str:
    data = base64.b64encode(read_bytes(path)).decode()
    return f'<figure><img alt="{escape(path.stem)}" src="data:image/png;base64,{data}"></figure>'


def _cases(title: str, cases: Sequence[LinkedCase]) -> str:
    if not cases:
        return ""
    rows = "\n".join(f"<tr><td>{_link(case)}</td><td>{escape(case.what)}</td></tr>" for case in cases[:MOST_LISTED])
    more = f"<p>… and {len(cases) - MOST_LISTED:,} more.</p>" if len(cases) > MOST_LISTED else ""
    head = f"<details open><summary>{title}: {len(cases):,}</summary>"
    return f'{head}\n<table class="cases">{rows}</table>{more}</details>'


def _link(case: LinkedCase) -> str:
    name = escape(case.id)
    return f'<a href="{quote(case.link)}">{name}</a>' if case.link else name
