"""For each suite, the paper's own table layout: measured rows first, published rows below.

A layout is a function from a `Measurement` to tables; `Suite.table` names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from saccade.agents.records import LoggedStep
from saccade.bench.cases import Bench, Result
from saccade.bench.compare import label_of
from saccade.bench.efficiency import efficiency_table, headline
from saccade.bench.figures import (
    answers,
    best_of_candidates,
    broken,
    comprehension,
    done,
    ended_by,
    judge_answers,
    mean,
    metrics,
    part,
    pass_key,
    pass_title,
    step_accuracy,
    success,
)
from saccade.bench.notes import blind_mark, notes_of
from saccade.bench.published import published_notes, published_rows
from saccade.bench.suites import Suite, get_suite
from saccade.bench.table import Cell, Table, TableRow, cell_of
from saccade.data.readers.osworld_g import CAPABILITIES, REFUSAL
from saccade.errors import InputError
from saccade.models.embeddings import open_similarity
from saccade.scoring.embedding_similarity import PUBLISHED_NOTE, gate_shares
from saccade.scoring.intervals import Figure
from saccade.scoring.judge import JudgedStep
from saccade.scoring.profiles import Profile, get_profile
from saccade.scoring.reasoning_coverage import coverage
from saccade.types import SEVERAL

PLANNING = {"type": "Type", "gr": "GR", "sr": "SR"}
STEPS = PLANNING | {"task_accuracy": "Task", "goal_progress": "Progress", "partial_match": "Partial match"}
TASKS = {
    "step_accuracy": "Step",
    "task_accuracy": "Task",
    "accuracy_click": "Click",
    "accuracy_type": "Type",
    "accuracy_swipe": "Swipe",
    "accuracy_terminate": "Terminate",
}
STEP_AND_TASK = {"step_accuracy": "Step", "task_accuracy": "Task"}
APPS = {
    "Taobao": ("淘宝",),
    "Kuaishou": ("快手",),
    "Fliggy": ("飞猪", "飞猪旅行"),
    "JD": ("京东", "JD.com"),
    "Rednote": ("小红书", "Xiaohongshu"),
    "Bilibili": ("哔哩哔哩", "B站"),
    "Baidu Maps": ("百度地图", "Baidu Map"),
    "Pinduoduo": ("拼多多",),
}
"""The apps of SecAgent's Table 5 and what data sets call them; the last four are out of its partial training data."""
COVERED = (
    "Named: the element's text or description stands in the reasoning, or at least half of its words do (UILoop's "
    "Figure 4 does not say when it counts). n counts key elements; 95 % bootstrap over steps."
)
COMPREHENSION = {"locate": "Loc.", "lingualize": "Lin.", "leverage": "Lev.", "overall": "Overall"}
PLATFORMS = ("platform", ("mobile", "desktop", "web"))
AXES = {
    "screenspot": PLATFORMS,
    "screenspot-v2": PLATFORMS,
    "screenspot-pro": ("group", ("dev", "creative", "cad", "scientific", "office", "os")),
    "osworld-g": ("capability", (*CAPABILITIES, REFUSAL)),
}
TITLES = {"dev": "Development", "cad": "CAD", "os": "OS"}
SUBSETS = ("general", "google_apps", "install", "single", "web_shopping")
ORDER = ("seen", "template", "app", "theme", "do", "ask", "infeasible", "1-5", "6-10", "11+")
"""Order of tag values; all others are sorted alphabetically."""
SPLITS = ("subsplit", "category", "platform", "language", "source", "group", "domain", "app")
"""Tags by which a recording is split, if they have between 2 and `MOST_VALUES` values."""
MOST_VALUES = 24
NO_WIDTH = "An interval of width 0: all n had the same result. By the rule of three, up to 3/n may still differ."


@dataclass(frozen=True)
class Measurement:
    """One measurement under one match profile."""

    suite: Suite
    profile: Profile
    label: str
    results: list[Result]
    """Completed cases only."""
    steps: list[LoggedStep]
    items: list[JudgedStep]
    notes: list[str]
    beside: bool
    similarity: str = ""
    """The name of what compares descriptions in UILoop's figures."""

    def metrics(self, items: Sequence[JudgedStep]) -> dict[str, Figure]:
        return metrics(items, self.profile)

    def table(
        self,
        what: str,
        columns: Mapping[str, str],
        rows: Sequence[TableRow],
        keys: Sequence[str] = (),
        groups: Sequence[tuple[str, int]] = (),
        beside: str = "main",
        **rest: Any,
    ) -> Table:
        """A table of the measured rows, and the published rows with the same keys."""
        theirs = published_rows(self.suite.name, keys, beside, self.profile.name) if self.beside and keys else []
        notes = self.notes + ([NO_WIDTH] if any(map(_flat, rows)) else [])
        notes += published_notes(self.suite.name, beside) if theirs else []
        title = f"{headline(self.suite)}: {what}"
        return Table(title, list(columns.values()), [*rows, *theirs], list(groups), notes=notes, **rest)

    def row(self, label: str, figures: Mapping[str, Figure], columns: Mapping[str, str]) -> TableRow:
        return TableRow(label, [cell_of(figures.get(key)) for key in columns])


def _flat(row: TableRow) -> bool:
    return any(cell is not None and cell.low == cell.high for cell in row.cells)


Layout = Callable[[Measurement], list[Table]]


def table_of(
    bench: Bench, results: Sequence[Result], profile: str | None = None, published: bool = True, date: str = ""
) -> list[Table]:
    """The tables of a measurement: the paper's own first, then finer ones, then costs."""
    suite = get_suite(bench.suite)
    rule = get_profile(profile or suite.profile)
    found = done(results)
    if not found:
        first = next((f": {each.problem}" for each in broken(results)), "")
        raise InputError(f"no case of {suite.name} is completed, {len(broken(results))} are broken{first}")
    steps = answers(found)
    items = judge_answers(steps, rule)
    mark = blind_mark(found)
    label = label_of(bench) + mark
    notes = notes_of(bench, suite, results, items, rule, date)
    measurement = Measurement(suite, rule, label, found, steps, items, notes, published, bench.similarity)
    tables = [*LAYOUTS.get(suite.table, steps_layout)(measurement), *pass_tables(measurement)]
    tables += reasoning_tables(measurement)
    tables[0].plot = "main"
    if not bench.predictions or any(result.usage.tokens or result.seconds for result in found):
        taken = efficiency_table(suite, results, label, published)
        taken.notes = [notes[0], *taken.notes, notes[-1]]
        tables.append(taken)
    for table in tables:
        table.title += mark
    return tables


# -- recordings --------------------------------------------------------------------------------------------------------


def grounding_layout(measurement: Measurement) -> list[Table]:
    """ScreenSpot and similar sets: platform or application × text or icon, and all samples."""
    tag, places = AXES.get(measurement.suite.name, ("platform", tuple(values(measurement.items, "platform"))))
    kinds = [kind for kind in ("text", "icon") if part(measurement.items, kind=kind)] or [""]
    columns, cells, groups = dict[str, str](), [], []
    for place in places:
        groups.append((TITLES.get(place, place.capitalize()), len(kinds)))
        for kind in kinds:
            columns[f"{place} {kind}".strip()] = kind.capitalize() or "All"
            cells.append(
                _right(measurement, part(measurement.items, **{tag: place}, **({"kind": kind} if kind else {})))
            )
    for kind in kinds if kinds[0] and tag == "group" else []:
        columns[f"all {kind}"] = kind.capitalize()
        cells.append(_right(measurement, part(measurement.items, kind=kind)))
    groups.append(("Overall", len(columns) + 1 - sum(width for _, width in groups)))
    columns["avg"] = "Avg"
    cells.append(_right(measurement, measurement.items))
    main = measurement.table("click accuracy", columns, [TableRow(measurement.label, cells)], list(columns), groups)
    by_type = {each: part(measurement.items, type=each) for each in values(measurement.items, "type")}
    if len(by_type) < 2:
        return [main]
    common = sorted(by_type, key=lambda each: -len(by_type[each]))[:MOST_VALUES]
    rows = [TableRow(each, [_right(measurement, by_type[each])]) for each in common]
    return [main, measurement.table("by type of the element", {"avg": "Avg"}, rows)]


def _right(measurement: Measurement, items: Sequence[JudgedStep]) -> Cell | None:
    return cell_of(measurement.metrics(items).get("sr"))


def planning_layout(measurement: Measurement) -> list[Table]:
    """AndroidControl and GUI-Odyssey: accuracy of type, click point and step."""
    rows = [measurement.row(measurement.label, measurement.metrics(measurement.items), PLANNING)]
    return [measurement.table("type, GR and SR", PLANNING, rows, list(PLANNING)), *_finer(measurement, PLANNING)]


def steps_layout(measurement: Measurement) -> list[Table]:
    rows = [measurement.row(measurement.label, measurement.metrics(measurement.items), STEPS)]
    return [measurement.table("steps and episodes", STEPS, rows), *_finer(measurement, PLANNING)]


def tasks_layout(measurement: Measurement) -> list[Table]:
    """CMGUI-Bench: accuracy of steps, whole tasks, and each action type."""
    keys = [key.removeprefix("accuracy_").removesuffix("_accuracy") for key in TASKS]
    rows = [measurement.row(measurement.label, measurement.metrics(measurement.items), TASKS)]
    groups = [("Accuracy", 2), ("Accuracy per action", 4)]
    main = measurement.table("step, task and action accuracy", TASKS, rows, keys, groups, main=0)
    return [main, *apps_table(measurement), *_finer(measurement, STEP_AND_TASK)]


def apps_table(measurement: Measurement) -> list[Table]:
    """SecAgent's Table 5: step and task accuracy in the eight apps that it shows. The table by app has all apps."""
    columns: dict[str, str] = {}
    cells: list[Cell | None] = []
    groups = []
    for title, called in APPS.items():
        if items := [item for name in (title, *called) for item in part(measurement.items, app=name)]:
            figures = measurement.metrics(items)
            columns |= {f"{title} {name.lower()}": name for name in STEP_AND_TASK.values()}
            cells += [cell_of(figures.get(key)) for key in STEP_AND_TASK]
            groups.append((title, len(STEP_AND_TASK)))
    if not groups:
        return []
    row = [TableRow(measurement.label, cells)]
    return [measurement.table("by app, as SecAgent's Table 5", columns, row, list(columns), groups, "apps", main=0)]


def reasoning_tables(measurement: Measurement) -> list[Table]:
    """UILoop's Figure 4 (right), where key elements are annotated and answers have reasoning."""
    found = coverage(measurement.steps)
    if not found:
        return []
    row = TableRow(measurement.label, [cell_of(figure) for figure in found.values()])
    table = measurement.table(
        "how often the reasoning names the key elements, by action", {name: name for name in found}, [row], main=0
    )
    table.plot = "reasoning"
    table.notes = [*table.notes, COVERED]
    return [table]


def aitw_layout(measurement: Measurement) -> list[Table]:
    """GuidNav's Table 1: the share of right actions per episode, by subset; with several tries, pass@n first; with
    candidates, also the oracle's choice.
    """
    names = [name for name in SUBSETS if name != "single" or part(measurement.items, source=name)]
    columns = {name: name for name in names} | {"average": "Average"}
    rows = [TableRow(measurement.label, _by_subset(measurement, measurement.items, columns))]
    if key := pass_key(measurement.metrics(measurement.items)):
        rows[0].label += ", mean of the tries"
        passed = _by_subset(measurement, measurement.items, columns, key)
        rows.insert(0, TableRow(f"{measurement.label}, {pass_title(key)}", passed))
    if best := best_of_candidates(measurement.items):
        rows.append(
            TableRow(f"{measurement.label}, oracle among the candidates", _by_subset(measurement, best, columns))
        )
    main = measurement.table("share of right actions of an episode, averaged", columns, rows, list(columns))
    return [main, *_finer(measurement, PLANNING)]


def _by_subset(
    measurement: Measurement, items: Sequence[JudgedStep], columns: Mapping[str, str], key: str = "partial_match"
) -> list[Cell | None]:
    chosen = [items if name == "average" else part(items, source=name) for name in columns]
    return [cell_of(measurement.metrics(each).get(key)) for each in chosen]


def pass_tables(measurement: Measurement) -> list[Table]:
    """Where episodes were answered several times: right in the mean, in any try, and an episode right throughout."""
    found = measurement.metrics(measurement.items) if measurement.suite.kind == "static" else {}
    if not (key := pass_key(found)):
        return []
    columns = {"sr": "SR, mean of the tries"} | {name: pass_title(name) for name in (key, f"episode_{key}")}
    return [measurement.table("several tries", columns, [measurement.row(measurement.label, found, columns)])]


def comprehension_layout(measurement: Measurement) -> list[Table]:
    """UILoop's Table 4, and the same figures by group."""
    sim = open_similarity(measurement.similarity)
    notes = [*measurement.notes, gate_shares(sim).sentence, *([PUBLISHED_NOTE] if measurement.beside else [])]
    measurement = replace(measurement, notes=notes)
    rows = [measurement.row(measurement.label, comprehension(measurement.steps, sim), COMPREHENSION)]
    tables = [measurement.table("Locate, Lingualize, Leverage and Overall", COMPREHENSION, rows, list(COMPREHENSION))]
    groups = sorted({step.tags["group"] for step in measurement.steps if "group" in step.tags})
    if 2 <= len(groups) <= MOST_VALUES:
        by = [
            measurement.row(
                group,
                comprehension([step for step in measurement.steps if step.tags.get("group") == group], sim),
                COMPREHENSION,
            )
            for group in groups
        ]
        tables.append(measurement.table("by group", COMPREHENSION, by))
    return [*tables, *_finer(measurement, PLANNING, ("platform", "language"))]


def _finer(measurement: Measurement, columns: Mapping[str, str], tags: Sequence[str] = SPLITS) -> list[Table]:
    """Tables by the type of the right action, and by each tag with between 2 and `MOST_VALUES` values."""
    tables = []
    found = {
        name.removeprefix("accuracy_"): figure
        for name, figure in measurement.metrics(measurement.items).items()
        if name.startswith("accuracy_")
    }
    if len(found) > 1:
        names = sorted(found, key=lambda name: (-found[name].n, name))
        row = TableRow(measurement.label, [cell_of(found[name]) for name in names])
        tables.append(
            measurement.table("accuracy by the type of the right action", {name: name for name in names}, [row])
        )
    for tag in tags:
        named = values(measurement.items, tag)
        if 2 <= len(named) <= MOST_VALUES:
            rows = [
                measurement.row(value, measurement.metrics(part(measurement.items, **{tag: value})), columns)
                for value in named
            ]
            tables.append(measurement.table(f"by {tag}", columns, rows))
    return tables


def values(items: Sequence[JudgedStep], tag: str) -> list[str]:
    return ordered({each for item in items if tag in item.step.tags for each in item.step.tags[tag].split(SEVERAL)})


def ordered(names: set[str]) -> list[str]:
    return sorted(names, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))


# -- live tasks --------------------------------------------------------------------------------------------------------


def live_layout(measurement: Measurement) -> list[Table]:
    """Success of all tasks and by tag; then by app or task; then how tasks ended."""
    columns, cells, groups = {"all": "All"}, [cell_of(success(measurement.results))], [("", 1)]
    for tag in ("group", "language", "kind", "length"):
        named = ordered({result.tags[tag] for result in measurement.results if tag in result.tags})
        if len(named) > 1:
            groups.append((tag.capitalize(), len(named)))
            columns |= {f"{tag} {name}": name for name in named}
            cells += [cell_of(success(tagged(measurement.results, tag, name))) for name in named]
    tables = [
        measurement.table(
            "success", columns, [TableRow(measurement.label, cells)], (), groups if len(groups) > 1 else ()
        )
    ]
    by = {"success": "success", "steps": "right steps", "turns": "turns (steps)"}
    tag = "app" if any("app" in result.tags for result in measurement.results) else "task"
    named = ordered({result.tags[tag] for result in measurement.results if tag in result.tags})
    rows = [_live_row(name, tagged(measurement.results, tag, name)) for name in named]
    tables.append(measurement.table(f"by {tag}", by, [_live_row("all", measurement.results), *rows]))
    ends = ended_by(measurement.results)
    row = TableRow(measurement.label, [cell_of(figure) for figure in ends.values()])
    return [*tables, measurement.table("how tasks ended", {end: end for end in ends}, [row])]


def tagged(results: Sequence[Result], tag: str, value: str) -> list[Result]:
    return [result for result in results if result.tags.get(tag) == value]


def _live_row(label: str, results: Sequence[Result]) -> TableRow:
    turns = cell_of(mean([result.turns for result in results]), 1)
    return TableRow(label, [cell_of(success(results)), cell_of(step_accuracy(results)), turns])


LAYOUTS: dict[str, Layout] = {
    "grounding": grounding_layout,
    "planning": planning_layout,
    "steps": steps_layout,
    "tasks": tasks_layout,
    "aitw": aitw_layout,
    "comprehension": comprehension_layout,
    "live": live_layout,
}
