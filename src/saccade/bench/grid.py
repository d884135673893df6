"""Grids: the same measurement with several combinations of settings, with one table and one plot.

    --grid history=0,1,2,5 --grid context=on,off     all combinations
    --grid secagent-history                          an ablation from a paper

Each combination is a measurement in its own folder, so a grid can be resumed after a kill, and each folder can be
compared separately. Ablations of training (reward parts, data mixes) are grids over the folders that `saccade train`
left: `--grid trained=runs/a,runs/b`.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from saccade.agents.build import ask_of, paradigm_of
from saccade.agents.reference_model import REFERENCE_MODELS
from saccade.agents.settings import Settings, read_settings
from saccade.bench.efficiency import cost_cells
from saccade.bench.figures import broken, done, load_measurement, main_figure
from saccade.bench.grid_axes import AXES, LIVE_ONLY, Axes, AxisValue, Combination, value_text
from saccade.bench.notes import caveats_of
from saccade.bench.plots import bars, lines
from saccade.bench.published import PUBLISHED_NOTE, published_rows
from saccade.bench.report import page
from saccade.bench.runner import BenchRequest, OnResult, measure
from saccade.bench.suites import get_suite
from saccade.bench.table import Cell, Table, TableRow, cell_of, heads, markdown, picture
from saccade.bench.tables import table_of
from saccade.errors import InputError, MissingError
from saccade.models import MODELS
from saccade.records import write_whole
from saccade.scoring.profiles import get_profile

LONGEST_NAME = 72
"""Characters of a folder's name."""


@dataclass
class GridVariant:
    """One combination of the grid, with its settings and folder."""

    name: str
    values: Combination
    settings: Settings
    out: Path

    @property
    def label(self) -> str:
        return self.name.replace(",", ", ")


OnVariant = Callable[[GridVariant, int, int], None]
"""Called before each combination is measured: the combination, its index, the number of all."""


# -- reading -----------------------------------------------------------------------------------------------------------


def variants(request: BenchRequest, axes: Axes) -> list[GridVariant]:
    """The checked combinations of a request; combinations with the same effect are merged."""
    base = with_values(request.settings, axes.shared)
    made: list[GridVariant] = []
    for point in axes.points:
        if point.get("reward") == "model" and request.settings.reward:
            point = point | {"reward": request.settings.reward}  # noqa: PLW2901  (an ablation's reward model is the user's)
        name = ",".join(f"{axis}={value_text(axis, value)}" for axis, value in point.items())
        variant = GridVariant(name, dict(point), with_values(base, point), request.out / folder_name(name))
        effect = check_variant(request, variant)
        same = next((each for each in made if check_variant(request, each) == effect), None)
        if same is None:
            made.append(variant)
        else:
            same.values |= variant.values
    if axes.mode == "one":
        plain = GridVariant("base", {}, base, request.out / "base")
        if check_variant(request, plain) not in [check_variant(request, each) for each in made]:
            made.insert(0, plain)
    return made


def folder_name(name: str) -> str:
    """A folder name for a combination: special characters such as the slashes of model names are replaced."""
    plain = re.sub(r"[^\w.,=+-]+", "_", name)[:LONGEST_NAME]
    return name if plain == name else f"{plain}-{sha256(name.encode()).hexdigest()[:8]}"


def with_values(settings: Settings, point: Mapping[str, AxisValue]) -> Settings:
    """The settings with the values of a combination."""
    fields: dict[str, Any] = msgspec.to_builtins(settings)
    for name, given in point.items():
        where, _, inner = AXES[name].where.partition(".")
        value = AXES[name].form.format(given) or given
        if inner:
            fields[where] = {**fields.get(where, {}), inner: value}
        else:
            fields[where] = value
    try:
        return read_settings(fields)
    except InputError as error:
        written = ", ".join(f"{name}={value_text(name, value)}" for name, value in point.items())
        raise InputError(f"--grid {written}: {str(error).partition(': ')[2]}") from None


def check_variant(request: BenchRequest, variant: GridVariant) -> tuple[Any, ...]:
    """Check a combination before anything is run. Returns its effect, by which equal combinations are recognised: the
    paradigm with its switches, the sampling, and the other settings.
    """
    settings = variant.settings
    idle = [name for name in LIVE_ONLY if name in variant.values]
    if request.suite.kind == "static" and idle:
        raise InputError(f"--grid {idle[0]}: only live suites have attempts, but {request.suite.name} is a recording")
    model = request.model.name if request.model else settings.model
    trained = variant.values.get("trained")
    if request.model is None and trained is not None and not (Path(str(trained)) / "model").is_dir():
        raise InputError(f"--grid {variant.name}: {trained} has no model: train it first (saccade train list)")
    try:
        if request.model is None and model not in REFERENCE_MODELS:
            MODELS.get(model.partition("/")[0])
        paradigm, _ = paradigm_of(settings, request.suite.space, "en", model)
        ask = ask_of(settings, paradigm)
    except InputError as error:
        raise InputError(f"--grid {variant.name}: {error}") from None
    return paradigm, ask, msgspec.structs.replace(settings, switches={})


# -- running -----------------------------------------------------------------------------------------------------------


def run_grid(
    request: BenchRequest,
    axes: Axes,
    on_result: OnResult = lambda result, done, total: None,
    on_variant: OnVariant = lambda variant, at, total: None,
) -> list[GridVariant]:
    """Measure all combinations one after the other; completed cases are not repeated."""
    made = variants(request, axes)
    if (request.out / "bench.json").exists():
        raise InputError(f"{request.out} contains a single measurement: choose another --out for the grid")
    for at, variant in enumerate(made):
        on_variant(variant, at, len(made))
        label = f"{request.label}, {variant.name}" if request.label else variant.name
        measure(dataclasses.replace(request, settings=variant.settings, out=variant.out, label=label), on_result)
    return made


# -- one table, one plot -----------------------------------------------------------------------------------------------

PUBLISHED_ABLATIONS = {
    "history": "history",
    "context": "history",
    "thought": "history",
    "lambda": "lambda",
    "hints": "elements",
}
"""The published ablation for an axis."""
COST_COLUMNS = {"input": "input per step (tokens)", "time": "time per task (s)"}


def grid_table(made: Sequence[GridVariant], profile: str | None = None) -> Table:
    """One row per combination: the suite's figures, input tokens per step and time per case; then the published rows of
    the same ablation.
    """
    loaded = [load_measurement(variant.out) for variant in made]
    tables = [
        table_of(bench, results, profile, published=False)[0] if done(results) else None for bench, results in loaded
    ]
    main = max((table for table in tables if table), key=lambda table: len(table.columns), default=None)
    if main is None:
        raise InputError(f"no case is completed in {made[0].out.parent}, in any of the {len(made)} combinations")
    rows, notes = list[TableRow](), list[str]()
    for variant, (bench, results), table in zip(made, loaded, tables, strict=True):
        found = dict(zip(heads(table), table.rows[0].cells, strict=True)) if table else {}
        taken = cost_cells(results)
        marks = table.rows[0].label.removeprefix(bench.label) if table else ""  # blind, judged by the world, pass@n
        label = variant.label + marks
        rows.append(TableRow(label, [*map(found.get, heads(main)), *map(taken.get, COST_COLUMNS)]))
        notes += [f"{variant.label}: {note}" for note in (caveats_of(bench, results, profile) if done(results) else [])]
        if lost := broken(results):
            notes.append(f"{variant.label}: {len(lost):,} cases were broken and are not counted.")
    bench, names = loaded[0][0], varied(made)
    fixed = {"model": "mini", "paradigm": "btl"} | bench.settings
    varies = {AXES[name].where for name in names}
    agent = ", ".join(f"{name} {fixed[name]}" for name in ("model", "paradigm") if name not in varies) or "as named"
    notes = [*main.notes[:2], f"Agent: {agent}; rows differ in the settings they are named after.", *notes]
    keys = [*(name.lower() for name in main.columns), *COST_COLUMNS]
    rule = profile or get_suite(bench.suite).profile
    theirs = _published(bench.suite, published_ablations(made), keys, rule)
    groups = [*main.groups, ("", len(COST_COLUMNS))] if main.groups else []
    title = f"{get_suite(bench.suite).title} by {', '.join(names)}"
    notes += [PUBLISHED_NOTE] if theirs else []
    return Table(title, [*main.columns, *COST_COLUMNS.values()], rows + theirs, groups, notes=notes)


def varied(made: Sequence[GridVariant]) -> list[str]:
    return list(dict.fromkeys(name for variant in made for name in variant.values))


def published_ablations(made: Sequence[GridVariant]) -> list[str]:
    """The published ablations of the axes; an ablation of training is called like the folder of its models."""
    found = [PUBLISHED_ABLATIONS[axis] for axis in varied(made) if axis in PUBLISHED_ABLATIONS]
    found += [Path(str(each.values["trained"])).parent.name for each in made if "trained" in each.values]
    return list(dict.fromkeys(found))


def _published(suite: str, ablations: Sequence[str], keys: Sequence[str], rule: str = "") -> list[TableRow]:
    """The published rows of the ablation; rows with the same label are merged: SecAgent's table has accuracy and
    tokens.
    """
    found: dict[str, TableRow] = {}
    for beside in ablations:
        for row in published_rows(suite, keys, beside, rule):
            found[f"{beside}={row.label}" if row.label.isdigit() else row.label] = row
    for row in published_rows(suite, keys, "efficiency"):
        if mine := found.get(row.label):
            mine.cells = [own or other for own, other in zip(mine.cells, row.cells, strict=True)]
    return [msgspec.structs.replace(row, label=label) for label, row in found.items()]


def grid_plot(made: Sequence[GridVariant], path: Path, profile: str | None = None) -> None:
    """Plot the suite's main figure: for a product grid, lines over the values of the first axis, one for each
    combination of the others; otherwise one bar for each combination.
    """
    cells: list[Cell | None] = []
    for variant in made:
        bench, results = load_measurement(variant.out)
        suite = get_suite(bench.suite)
        what, figure = main_figure(suite, results, get_profile(profile or suite.profile), bench.similarity)
        cells.append(cell_of(figure))
    axis = varied(made)[0]
    xs = list(dict.fromkeys(value_text(axis, variant.values[axis]) for variant in made if axis in variant.values))
    series: dict[str, dict[str, Cell | None]] = {}
    for variant, cell in zip(made, cells, strict=True):
        rest = ", ".join(f"{name}={value_text(name, value)}" for name, value in variant.values.items() if name != axis)
        series.setdefault(rest or what, {})[value_text(axis, variant.values.get(axis))] = cell
    title = f"{suite.title}: {what}"
    if len(xs) > 1 and all(list(found) == xs for found in series.values()):
        lines(xs, {name: list(found.values()) for name, found in series.items()}, path, axis, "%", title)
    else:
        bars([variant.label for variant in made], {what: cells}, path, title)


def write_grid(made: Sequence[GridVariant], out: Path, profile: str | None = None) -> Path:
    """Write `report.html`, `report.md`, `report.json` and the pictures; returns the page."""
    table = grid_table(made, profile)
    plots, missing = [out / "grid.png"], ""
    try:
        grid_plot(made, plots[0], profile)
        picture(table, out / "table.png")
    except MissingError as error:  # without matplotlib, write the report without plots
        plots, missing = [], str(error)
    write_whole(out / "report.md", (markdown(table) + "".join(f"\n![]({plot.name})\n" for plot in plots)).encode())
    write_whole(out / "report.json", msgspec.json.format(msgspec.json.encode([table]), indent=2))
    write_whole(out / "report.html", page(table.title, [table], plots, missing=missing).encode())
    return out / "report.html"
