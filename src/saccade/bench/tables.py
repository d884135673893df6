"""For each suite the paper's own table: its rows and columns, ours first, what others published below.

A layout is a function from a view of one measurement to tables; `Suite.table` names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

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
    judged,
    mean,
    metrics,
    part,
    resampled,
    step_accuracy,
    success,
)
from saccade.bench.published import notes_beside, rows_beside
from saccade.bench.suites import Suite, get_suite
from saccade.bench.table import Cell, Table, TableRow, cell_of
from saccade.errors import InputError
from saccade.scoring.intervals import Figure
from saccade.scoring.judge import JudgedStep
from saccade.scoring.profiles import Profile, get_profile

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
COMPREHENSION = {"locate": "Loc.", "lingualize": "Lin.", "leverage": "Lev.", "overall": "Overall"}
PLATFORMS = ("platform", ("mobile", "desktop", "web"))
AXES = {
    "screenspot": PLATFORMS,
    "screenspot-v2": PLATFORMS,
    "screenspot-pro": ("group", ("dev", "creative", "cad", "scientific", "office", "os")),
}
TITLES = {"dev": "Development", "cad": "CAD", "os": "OS"}
SUBSETS = ("general", "google_apps", "install", "single", "web_shopping")
ORDER = ("seen", "template", "app", "theme", "do", "ask", "infeasible", "1-5", "6-10", "11+")
"""Values of tags that have an order of their own; others go by the alphabet."""
SPLITS = ("subsplit", "category", "platform", "language", "source", "group", "domain", "app")
"""Tags that a recording is divided by, where they have a readable number of values."""
MOST_VALUES = 24
NO_WIDTH = "An interval without width: all n fell the same way. Of others up to 3/n may fall the other way."


@dataclass(frozen=True)
class Measurement:
    """One measurement under one rule."""

    suite: Suite
    profile: Profile
    label: str
    results: list[Result]
    """Without those that broke."""
    steps: list[LoggedStep]
    items: list[JudgedStep]
    notes: list[str]
    beside: bool

    def metrics(self, items: Sequence[JudgedStep]) -> dict[str, Figure]:
        return metrics(items, self.profile)

    def table(
        self,
        what: str,
        columns: Mapping[str, str],
        rows: Sequence[TableRow],
        keys: Sequence[str] = (),
        groups: Sequence[tuple[str, int]] = (),
    ) -> Table:
        """Ours, and what was published under the same keys."""
        theirs = rows_beside(self.suite.name, keys) if self.beside and keys else []
        notes = self.notes + ([NO_WIDTH] if any(map(_flat, rows)) else [])
        notes += notes_beside(self.suite.name) if theirs else []
        title = f"{headline(self.suite)}: {what}"
        return Table(title, list(columns.values()), [*rows, *theirs], list(groups), notes=notes)

    def row(self, label: str, figures: Mapping[str, Figure], columns: Mapping[str, str]) -> TableRow:
        return TableRow(label, [cell_of(figures.get(key)) for key in columns])


def _flat(row: TableRow) -> bool:
    return any(cell is not None and cell.low == cell.high for cell in row.cells)


Layout = Callable[[Measurement], list[Table]]


def table_of(
    bench: Bench, results: Sequence[Result], profile: str | None = None, published: bool = True, date: str = ""
) -> list[Table]:
    """The tables of a measurement: the paper's own first, then finer ones, then what it took."""
    suite = get_suite(bench.suite)
    rule = get_profile(profile or suite.profile)
    found = done(results)
    if not found:
        first = next((f": {each.problem}" for each in broken(results)), "")
        raise InputError(f"no case of {suite.name} is done, {len(broken(results))} broke{first}")
    steps = answers(found)
    items = judged(steps, rule)
    label = label_of(bench)
    notes = notes_of(bench, suite, results, items, rule, date)
    view = Measurement(suite, rule, label, found, steps, items, notes, published)
    tables = LAYOUTS.get(suite.table, steps_layout)(view)
    taken = efficiency_table(suite, results, label, published)
    taken.notes = [notes[0], *taken.notes, notes[-1]]
    return [*tables, taken]


def notes_of(
    bench: Bench, suite: Suite, results: Sequence[Result], items: Sequence[JudgedStep], rule: Profile, date: str
) -> list[str]:
    """Data, count, rule, interval; who was measured, with which versions, when; what broke."""
    options = ", ".join(f"{name}={value}" for name, value in bench.data_options.items())
    where = "; ".join(filter(None, (Path(bench.data).name if bench.data else "", options)))
    first = f", the first {bench.limit:,}" if bench.limit else ""
    counted = done(results)
    count = (
        f"{len(items):,} steps of {len(counted):,} cases" if len(items) > len(counted) else f"{len(counted):,} samples"
    )
    count = count if suite.kind == "static" else f"{len(counted):,} tasks"
    notes = [f"Data: {suite.title}{f' ({where})' if where else ''}, {count}{first}."]
    if suite.kind == "live":
        notes.append(
            "Success is the world's own verdict; 95 % Wilson intervals over tasks. Right steps are those that "
            f"the oracle would take, by the rule {suite.profile}; 95 % bootstrap over tasks."
        )
    else:
        notes.append(f"Rule: {rule.name} ({rule.source}). Intervals: 95 % bootstrap over {resampled(items)}s.")
    if lost := broken(results):
        names = ", ".join(each.id for each in lost[:5]) + (", …" if len(lost) > 5 else "")
        cases = "1 case" if len(lost) == 1 else f"{len(lost):,} cases"
        notes.append(f"{cases} broke (the model or the world failed, not the agent), counted nowhere: {names}.")
    switches = ", ".join(f"{name}={value}" for name, value in sorted(bench.settings.get("switches", {}).items()))
    agent = [
        f"model {bench.settings.get('model', '')}",
        f"paradigm {bench.settings.get('paradigm', 'btl')}",
        switches,
        *(
            f"{name} {bench.settings[name]}"
            for name in ("elements", "k", "reward", "retries", "coordinates")
            if bench.settings.get(name)
        ),
    ]
    made = ", ".join(f"{name} {bench.versions[name]}" for name in ("saccade", "python") if name in bench.versions)
    return [*notes, f"Agent: {', '.join(filter(None, agent))}. {made}{', ' + date if date else ''}."]


# -- recordings --------------------------------------------------------------------------------------------------------


def grounding_layout(view: Measurement) -> list[Table]:
    """ScreenSpot and its kin: where it was measured × text or icon, and all samples."""
    tag, places = AXES.get(view.suite.name, ("platform", tuple(values(view.items, "platform"))))
    kinds = [kind for kind in ("text", "icon") if part(view.items, kind=kind)] or [""]
    columns, cells, groups = dict[str, str](), [], []
    for place in places:
        groups.append((TITLES.get(place, place.capitalize()), len(kinds)))
        for kind in kinds:
            columns[f"{place} {kind}".strip()] = kind.capitalize() or "All"
            cells.append(_right(view, part(view.items, **{tag: place}, **({"kind": kind} if kind else {}))))
    for kind in kinds if kinds[0] and tag == "group" else []:
        columns[f"all {kind}"] = kind.capitalize()
        cells.append(_right(view, part(view.items, kind=kind)))
    groups.append(("Overall", len(columns) + 1 - sum(width for _, width in groups)))
    columns["avg"] = "Avg"
    cells.append(_right(view, view.items))
    return [view.table("click accuracy", columns, [TableRow(view.label, cells)], list(columns), groups)]


def _right(view: Measurement, items: Sequence[JudgedStep]) -> Cell | None:
    return cell_of(view.metrics(items).get("sr"))


def planning_layout(view: Measurement) -> list[Table]:
    """AndroidControl and GUI-Odyssey: type, click point, step."""
    rows = [view.row(view.label, view.metrics(view.items), PLANNING)]
    return [view.table("type, GR and SR", PLANNING, rows, list(PLANNING)), *_finer(view, PLANNING)]


def steps_layout(view: Measurement) -> list[Table]:
    rows = [view.row(view.label, view.metrics(view.items), STEPS)]
    return [view.table("steps and episodes", STEPS, rows), *_finer(view, PLANNING)]


def tasks_layout(view: Measurement) -> list[Table]:
    """CMGUI-Bench: steps, whole tasks, and each action."""
    keys = [key.removeprefix("accuracy_").removesuffix("_accuracy") for key in TASKS]
    rows = [view.row(view.label, view.metrics(view.items), TASKS)]
    groups = [("Accuracy", 2), ("Accuracy per action", 4)]
    finer = {"step_accuracy": "Step", "task_accuracy": "Task"}
    return [view.table("step, task and action accuracy", TASKS, rows, keys, groups), *_finer(view, finer)]


def aitw_layout(view: Measurement) -> list[Table]:
    """GuidNav's Table 1: the share of right actions of an episode, by sub-set; of candidates also the best."""
    names = [name for name in SUBSETS if name != "single" or part(view.items, source=name)]
    columns = {name: name for name in names} | {"average": "Average"}
    rows = [TableRow(view.label, _by_subset(view, view.items, columns))]
    if best := best_of_candidates(view.items):
        rows.append(TableRow(f"{view.label}, oracle among the candidates", _by_subset(view, best, columns)))
    main = view.table("share of right actions of an episode, averaged", columns, rows, list(columns))
    return [main, *_finer(view, PLANNING)]


def _by_subset(view: Measurement, items: Sequence[JudgedStep], columns: Mapping[str, str]) -> list[Cell | None]:
    chosen = [items if name == "average" else part(items, source=name) for name in columns]
    return [cell_of(view.metrics(each).get("partial_match")) for each in chosen]


def comprehension_layout(view: Measurement) -> list[Table]:
    """UILoop's Table 4, and its four figures by group."""
    rows = [view.row(view.label, comprehension(view.steps), COMPREHENSION)]
    tables = [view.table("Locate, Lingualize, Leverage and Overall", COMPREHENSION, rows, list(COMPREHENSION))]
    groups = sorted({step.tags["group"] for step in view.steps if "group" in step.tags})
    if 2 <= len(groups) <= MOST_VALUES:
        by = [
            view.row(
                group, comprehension([step for step in view.steps if step.tags.get("group") == group]), COMPREHENSION
            )
            for group in groups
        ]
        tables.append(view.table("by group", COMPREHENSION, by))
    return [*tables, *_finer(view, PLANNING, ("platform", "language"))]


def _finer(view: Measurement, columns: Mapping[str, str], tags: Sequence[str] = SPLITS) -> list[Table]:
    """By the type of the right action, and by each tag that divides the steps into a readable number of sets."""
    tables = []
    found = {
        name.removeprefix("accuracy_"): figure
        for name, figure in view.metrics(view.items).items()
        if name.startswith("accuracy_")
    }
    if len(found) > 1:
        names = sorted(found, key=lambda name: (-found[name].n, name))
        row = TableRow(view.label, [cell_of(found[name]) for name in names])
        tables.append(view.table("accuracy by the type of the right action", {name: name for name in names}, [row]))
    for tag in tags:
        named = values(view.items, tag)
        if 2 <= len(named) <= MOST_VALUES:
            rows = [view.row(value, view.metrics(part(view.items, **{tag: value})), columns) for value in named]
            tables.append(view.table(f"by {tag}", columns, rows))
    return tables


def values(items: Sequence[JudgedStep], tag: str) -> list[str]:
    return ordered({item.step.tags[tag] for item in items if tag in item.step.tags})


def ordered(names: set[str]) -> list[str]:
    return sorted(names, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))


# -- live tasks --------------------------------------------------------------------------------------------------------


def live_layout(view: Measurement) -> list[Table]:
    """Success of all tasks and by what they are tagged with; then each app or task; then how they ended."""
    columns, cells, groups = {"all": "All"}, [cell_of(success(view.results))], [("", 1)]
    for tag in ("group", "language", "kind", "length"):
        named = ordered({result.tags[tag] for result in view.results if tag in result.tags})
        if len(named) > 1:
            groups.append((tag.capitalize(), len(named)))
            columns |= {f"{tag} {name}": name for name in named}
            cells += [cell_of(success(tagged(view.results, tag, name))) for name in named]
    tables = [view.table("success", columns, [TableRow(view.label, cells)], (), groups if len(groups) > 1 else ())]
    by = {"success": "success", "steps": "right steps", "turns": "turns (steps)"}
    tag = "app" if any("app" in result.tags for result in view.results) else "task"
    named = ordered({result.tags[tag] for result in view.results if tag in result.tags})
    rows = [_live_row(name, tagged(view.results, tag, name)) for name in named]
    tables.append(view.table(f"by {tag}", by, [_live_row("all", view.results), *rows]))
    ends = ended_by(view.results)
    row = TableRow(view.label, [cell_of(figure) for figure in ends.values()])
    return [*tables, view.table("how tasks ended", {end: end for end in ends}, [row])]


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
