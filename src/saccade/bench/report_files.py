"""A measurement's report on disk: its tables, the same answers under other rules, pictures and plots, one page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from saccade.agents.records import LoggedStep
from saccade.bench.cases import Result
from saccade.bench.efficiency import headline
from saccade.bench.figures import answers, done, live_steps, load_measurement, metrics, success
from saccade.bench.notes import blind_mark
from saccade.bench.plots import bars, table_bars
from saccade.bench.report import linked_cases, page
from saccade.bench.suites import Suite, get_suite
from saccade.bench.table import Table, TableRow, cell_of, markdown, picture
from saccade.bench.tables import STEPS, ordered, table_of, tagged
from saccade.bench.terminal import notes_once
from saccade.errors import MissingError
from saccade.records import write_whole
from saccade.scoring.evaluate import judge_by
from saccade.scoring.judge import Prediction
from saccade.scoring.profiles import PROFILES, get_profile


def profiles_table(suite: Suite, steps: Sequence[LoggedStep], names: Sequence[str]) -> Table:
    """The same answers under several rules: how much of a figure is the rule's. A rule that judges none stays out."""
    given = [Prediction(step.prediction) for step in steps]
    found, left_out = judge_by(",".join(names) if list(names) != PROFILES.names() else "all", steps, given)
    verdicts = {rule.name: items for rule, items in found}
    figures = {rule.name: metrics(items, rule) for rule, items in found}
    columns = {key: title for key, title in STEPS.items() if any(key in each for each in figures.values())}
    rows = [
        TableRow(rule.name, [cell_of(figures[rule.name].get(key)) for key in columns], note=rule.source)
        for rule, _ in found
    ]
    notes = [
        f"Data: {suite.title}, the same {len(steps):,} answers under each rule; n is what a rule can judge.",
        "Intervals: 95 % bootstrap over episodes, or over steps where there are fewer than 10.",
        *(f"The profile {name} is left out: {reason}" for name, reason in left_out.items()),
    ]
    whole = {name: [item.right for item in items] for name, items in verdicts.items() if len(items) == len(steps)}
    split = sum(len(set(each)) > 1 for each in zip(*whole.values(), strict=True))
    if len(whole) > 1 and not split:
        notes.append(f"The {len(whole)} rules that judge all answers agree on each of them.")
    elif len(whole) > 1:
        low, high = min(whole, key=lambda name: sum(whole[name])), max(whole, key=lambda name: sum(whole[name]))
        notes.append(
            f"{split:,} answers ({100 * split / len(steps):.1f} %) are right under some of the {len(whole)} rules that "
            f"judge them all and wrong under others: the same answers score from {100 * figures[low]['sr'].value:.1f} "
            f"({low}) to {100 * figures[high]['sr'].value:.1f} ({high})."
        )
    title = f"{headline(suite)}: the same answers under {len(rows)} rules"
    return Table(title, list(columns.values()), rows, notes=notes)


def rules(profiles: str, suite: Suite) -> list[str]:
    """The rules that the user names: none for the suite's own, several with commas, or all."""
    named = PROFILES.names() if profiles == "all" else [name.strip() for name in profiles.split(",") if name.strip()]
    for name in named if profiles != "all" else ():
        get_profile(name)
    return named or [suite.profile]


def write_report(folder: Path, profiles: str = "") -> Path:
    """Write `report.html`, `report.md`, `report.json` and the pictures beside the results; returns the page."""
    bench, results = load_measurement(folder)
    suite = get_suite(bench.suite)
    names = rules(profiles, suite)
    own = suite.profile if profiles == "all" else names[0]
    when = datetime.fromtimestamp((folder / "results.jsonl").stat().st_mtime, UTC)
    tables = table_of(bench, results, own, date=f"{when:%Y-%m-%d}")
    if len(names) > 1 and (steps := answers(results) or live_steps(folder, results)):
        tables.append(profiles_table(suite, steps, names))
        tables[-1].title += blind_mark(done(results))
    for old in (*folder.glob("table-*.png"), *folder.glob("plot-*.png")):
        old.unlink()
    try:
        plots, missing = draw(tables, results, folder), ""
    except MissingError as error:
        plots, missing = [], f"Without pictures: {error}."
    title = f"{headline(suite)}: {tables[0].rows[0].label}"
    texts = [f"# {title}", *([missing] if missing else []), *map(markdown, notes_once(tables))]
    write_whole(folder / "report.json", msgspec.json.format(msgspec.json.encode(tables), indent=2))
    write_whole(folder / "report.md", "\n\n".join(texts).encode())
    cases = linked_cases(folder, results, get_profile(own))
    write_whole(folder / "report.html", page(title, notes_once(tables), plots, cases, missing).encode())
    return folder / "report.html"


def draw(tables: Sequence[Table], results: Sequence[Result], folder: Path) -> list[Path]:
    """Each table as a picture; returns the plots, which are the page's."""
    for at, table in enumerate(tables, 1):
        picture(table, folder / f"table-{at}.png")
    plots = []
    for table in tables:
        if table.plot:
            plots.append(folder / f"plot-{table.plot}.png")
            table_bars(table, plots[-1])
    lengths = ordered({result.tags["length"] for result in done(results) if "length" in result.tags})
    if len(lengths) > 1:
        cells = [cell_of(success(tagged(results, "length", name))) for name in lengths]
        bars(
            [f"{name} steps" for name in lengths],
            {"success": cells},
            folder / "plot-length.png",
            "Success by the task's usual length, scrolling apart",
        )
        plots.append(folder / "plot-length.png")
    return plots
