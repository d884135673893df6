"""Grids: the same measurement under several settings, in one command, with one table and one plot.

    --grid history=0,1,2,5 --grid context=on,off     every combination
    --grid secagent-history                          an ablation as its paper has it

Each combination is a measurement in a folder of its own, so that a grid goes on after a kill like any other, and a
folder can be compared or looked at by itself. What was trained differently (reward parts, data mixes) is another model:
`--grid model=hf/A,hf/B`.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from saccade.agents.build import ask_of, paradigm_of
from saccade.agents.settings import Settings, read_settings
from saccade.bench.efficiency import spent
from saccade.bench.figures import broken, done, load, main_figure
from saccade.bench.plots import bars, lines
from saccade.bench.published import THEIRS, rows_beside
from saccade.bench.report import page
from saccade.bench.runner import OnResult, Order, measure
from saccade.bench.suites import get_suite
from saccade.bench.table import Cell, Table, TableRow, cell_of, heads, markdown, picture
from saccade.bench.tables import table_of
from saccade.errors import InputError, MissingError
from saccade.models import MODELS
from saccade.records import write_whole
from saccade.scoring.profiles import get_profile

Value = str | int | float | bool | None
Point = dict[str, Value]
"""Some settings by their axis' names: one combination."""
Mode = Literal["product", "one"]
LONGEST_NAME = 72
MOST = 200
"""Combinations that anyone means to run."""


class Axis(NamedTuple):
    """A name on the command line: which setting it is, and what it takes."""

    where: str
    takes: Literal["whole", "number", "switch", "word"]


AXES: dict[str, Axis] = {
    "history": Axis("switches.window", "whole"), "context": Axis("switches.semantic_context", "switch"),
    "thought": Axis("switches.thought", "switch"), "lambda": Axis("switches.max_elements", "whole"),
    "dialect": Axis("switches.dialect", "word"), "template": Axis("switches.template", "word"),
    "swipe": Axis("switches.swipe", "word"), "elements": Axis("elements", "word"),
    "k": Axis("k", "whole"), "reward": Axis("reward", "word"), "floor": Axis("floor", "number"),
    "margin": Axis("margin", "number"), "prior": Axis("prior", "number"),
    "retries": Axis("retries", "whole"), "reflect": Axis("reflect", "switch"), "judge": Axis("judge", "word"),
    "paradigm": Axis("paradigm", "word"), "model": Axis("model", "word"), "language": Axis("language", "word"),
    "temperature": Axis("temperature", "number"), "top_p": Axis("top_p", "number"), "seed": Axis("seed", "whole"),
    "coordinates": Axis("coordinates", "word"), "steps": Axis("limits.steps", "whole"),
}  # fmt: skip
NONE: dict[str, Value] = {"reward": "", "judge": "", "temperature": None, "coordinates": None}
"""What `none` means for those that may be left out. `elements=none` is a value of its own."""
SWITCHES = {"on": True, "yes": True, "true": True, "off": False, "no": False, "false": False}
LEAST = {"k": 1, "lambda": 1}
CHOICES = {"dialect": ("xml", "json"), "swipe": ("finger", "content")}
"""Values that nobody else looks at before a prompt is written."""
LIVE_ONLY = ("retries", "reflect", "judge", "steps")


class Preset(NamedTuple):
    """An ablation of a paper. What all its rows share is set, whatever the command line says."""

    about: str
    shared: Point
    points: tuple[Point, ...]


PRESETS: dict[str, Preset] = {
    "secagent-history": Preset(
        "SecAgent, Table 4: window N, semantic context, thought",
        {"paradigm": "secagent"},
        ({"history": 0}, {"history": 1}, {"history": 2}, {"history": 5}, {"history": 5, "context": False},
         {"history": 1, "context": False}, {"history": 1, "thought": False}),
    ),
    "btl-lambda": Preset(
        "BTL-UI, Table 5b: the most elements of a blink",
        {"paradigm": "btl"},
        tuple({"lambda": most} for most in range(1, 7)),
    ),
    "uiloop-elements": Preset(
        "UILoop, Table 3: what the prompt tells of the elements",
        {},
        ({"elements": "none"}, {"elements": "key"}, {"elements": "false"}),
    ),
    "guidnav-k": Preset(
        "GuidNav, Table 1: direct prompting, top-k, guided by a reward model, by an oracle",
        {"paradigm": "guidnav"},
        ({"k": 1}, {"k": 3}, {"k": 3, "reward": "model"}, {"k": 3, "reward": "oracle"}),
    ),
    "guidnav-retries": Preset(
        "GuidNav, Figure 2: attempts after a failed one; live suites",
        {"paradigm": "guidnav"},
        ({"retries": 0}, {"retries": 1}, {"retries": 2}, {"retries": 3}),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Axes:
    """What is varied."""

    texts: tuple[str, ...]
    mode: Mode
    shared: Point
    points: tuple[Point, ...]


@dataclass
class Variant:
    """One combination."""

    name: str
    values: Point
    settings: Settings
    out: Path

    @property
    def label(self) -> str:
        return self.name.replace(",", ", ")


Begin = Callable[[Variant, int, int], None]
"""Is told of each combination before it is measured: which, at what place, of how many."""


# -- reading -----------------------------------------------------------------------------------------------------------


def read_axes(texts: Sequence[str], mode: str = "product") -> Axes:
    """Axes and ablations as on the command line. `product` combines all values of all of them, `one` varies one at a
    time, with the others as the command line has them.
    """
    if mode not in ("product", "one"):
        raise InputError(f"--grid-mode is {mode!r}: use product or one")
    words = tuple(word for text in texts for word in text.split())
    shared: Point = {}
    lists = []
    for word in words:
        if "=" in word:
            lists.append(read_axis(word))
        elif word in PRESETS:
            shared |= PRESETS[word].shared
            lists.append(list(PRESETS[word].points))
        else:
            raise InputError(f"--grid {word}: write NAME=VALUE,VALUE or one of the ablations {', '.join(PRESETS)}")
    if not lists:
        raise InputError("--grid names no axis: write NAME=VALUE,VALUE")
    points = combined(lists) if mode == "product" else [point for points in lists for point in points]
    if len(points) > MOST:
        raise InputError(f"--grid: {len(points):,} combinations; at most {MOST} are run in one go")
    return Axes(words, "product" if mode == "product" else "one", shared, tuple(points))


def combined(lists: Sequence[Sequence[Point]]) -> list[Point]:
    """All combinations; an axis may stand in only one of the lists."""
    seen: set[str] = set()
    for points in lists:
        names = {name for point in points for name in point}
        if twice := sorted(seen & names):
            raise InputError(f"--grid: {twice[0]} is varied twice")
        seen |= names
    return [{name: value for point in points for name, value in point.items()} for points in product(*lists)]


def read_axis(word: str) -> list[Point]:
    """`history=0,1,2,5`: one point for each value."""
    name, _, listed = word.partition("=")
    if name not in AXES:
        raise InputError(f"--grid {word}: there is no axis {name!r}: use {', '.join(AXES)}")
    values = [read_value(name, text.strip()) for text in listed.split(",") if text.strip()]
    if not values:
        raise InputError(f"--grid {word}: {name} has no value")
    if len(set(map(repr, values))) < len(values):
        raise InputError(f"--grid {word}: a value is there twice")
    return [{name: value} for value in values]


def read_value(name: str, text: str) -> Value:
    takes = AXES[name].takes
    if text == "none" and name in NONE:
        return NONE[name]
    if takes == "switch":
        if text.lower() not in SWITCHES:
            raise InputError(f"--grid {name}: {text!r} is neither on nor off")
        return SWITCHES[text.lower()]
    if takes == "word":
        if text not in CHOICES.get(name, (text,)):
            raise InputError(f"--grid {name}: {text!r} is not one of {', '.join(CHOICES[name])}")
        return text
    kind, read = ("a whole number", int) if takes == "whole" else ("a number", float)
    least = LEAST.get(name, 0)
    try:
        value = read(text)
    except ValueError:
        raise InputError(f"--grid {name}: {text!r} is not {kind}") from None
    if not least <= value < math.inf:
        raise InputError(f"--grid {name}: {text} is not {kind} of at least {least}")
    return value


def shown(name: str, value: Value) -> str:
    """A value as on the command line."""
    if value is True or value is False:
        return "on" if value else "off"
    return "none" if value is None or (value == "" and name in NONE) else str(value)


# -- combinations ------------------------------------------------------------------------------------------------------


def variants(order: Order, axes: Axes) -> list[Variant]:
    """The combinations of an order, each checked, and those that come to the same only once."""
    base = applied(order.settings, axes.shared)
    made: list[Variant] = []
    for point in axes.points:
        name = ",".join(f"{axis}={shown(axis, value)}" for axis, value in point.items())
        variant = Variant(name, dict(point), applied(base, point), order.out / folder_name(name))
        effect = checked(order, variant)
        same = next((each for each in made if checked(order, each) == effect), None)
        if same is None:
            made.append(variant)
        else:
            same.values |= variant.values
    if axes.mode == "one":
        plain = Variant("base", {}, base, order.out / "base")
        if checked(order, plain) not in [checked(order, each) for each in made]:
            made.insert(0, plain)
    return made


def folder_name(name: str) -> str:
    """A combination as the name of a folder: models have slashes in theirs."""
    plain = re.sub(r"[^\w.,=+-]+", "_", name)[:LONGEST_NAME]
    return name if plain == name else f"{plain}-{sha256(name.encode()).hexdigest()[:8]}"


def applied(settings: Settings, point: Mapping[str, Value]) -> Settings:
    """The settings with the values of a combination."""
    fields: dict[str, Any] = msgspec.to_builtins(settings)
    for name, value in point.items():
        where, _, inner = AXES[name].where.partition(".")
        if inner:
            fields[where] = {**fields.get(where, {}), inner: value}
        else:
            fields[where] = value
    try:
        return read_settings(fields)
    except InputError as error:
        said = ", ".join(f"{name}={shown(name, value)}" for name, value in point.items())
        raise InputError(f"--grid {said}: {str(error).partition(': ')[2]}") from None


def checked(order: Order, variant: Variant) -> tuple[Any, ...]:
    """What a combination comes to: the paradigm with its switches, and all else. What cannot be is said before anything
    is run.
    """
    settings = variant.settings
    idle = [name for name in LIVE_ONLY if name in variant.values]
    if order.suite.kind == "static" and idle:
        raise InputError(f"--grid {idle[0]}: only live suites have attempts, and {order.suite.name} is a recording")
    model = order.model.name if order.model else settings.model
    try:
        if order.model is None and model != "oracle":
            MODELS.get(model.partition("/")[0])
        paradigm, _ = paradigm_of(settings, order.suite.space, "en", model)
        ask = ask_of(settings, paradigm)
    except InputError as error:
        raise InputError(f"--grid {variant.name}: {error}") from None
    return paradigm, ask, msgspec.structs.replace(settings, switches={})


# -- running -----------------------------------------------------------------------------------------------------------


def run_grid(order: Order, axes: Axes, tell: OnResult = lambda result, done, total: None,
             begin: Begin = lambda variant, at, total: None) -> list[Variant]:  # fmt: skip
    """Measure all combinations, one after the other; what is done already is not done again."""
    made = variants(order, axes)
    if (order.out / "bench.json").exists():
        raise InputError(f"{order.out} holds a single measurement: choose another --out for the grid")
    for at, variant in enumerate(made):
        begin(variant, at, len(made))
        label = f"{order.label}, {variant.name}" if order.label else variant.name
        measure(dataclasses.replace(order, settings=variant.settings, out=variant.out, label=label), tell)
    return made


# -- one table, one plot -----------------------------------------------------------------------------------------------

BESIDE = {"history": "history", "context": "history", "thought": "history", "lambda": "lambda", "elements": "elements"}
"""Which published ablation stands beside which axis."""
TAKEN = {"input": "input a step (tokens)", "time": "time a task (s)"}


def grid_table(made: Sequence[Variant], profile: str | None = None) -> Table:
    """A row for each combination: the suite's own figures, and what a step reads and a case takes; then the published
    rows of the same ablation.
    """
    loaded = [load(variant.out) for variant in made]
    tables = [table_of(bench, results, profile, published=False)[0] if done(results) else None
              for bench, results in loaded]  # fmt: skip
    main = max((table for table in tables if table), key=lambda table: len(table.columns), default=None)
    if main is None:
        raise InputError(f"no case is done in {made[0].out.parent}, in none of the {len(made)} combinations")
    rows, notes = list[TableRow](), list[str]()
    for variant, (_, results), table in zip(made, loaded, tables, strict=True):
        found = dict(zip(heads(table), table.rows[0].cells, strict=True)) if table else {}
        taken = spent(results)
        rows.append(TableRow(variant.label, [*map(found.get, heads(main)), *map(taken.get, TAKEN)]))
        if lost := broken(results):
            notes.append(f"{variant.label}: {len(lost):,} cases broke, and count nowhere.")
    bench, names = loaded[0][0], varied(made)
    fixed = {"model": "mini", "paradigm": "btl"} | bench.settings
    agent = ", ".join(f"{name} {fixed[name]}" for name in ("model", "paradigm") if name not in names) or "as named"
    notes = [*main.notes[:2], f"Agent: {agent}; rows differ in what they are named after.", *notes]
    theirs = _published(bench.suite, names, [*(name.lower() for name in main.columns), *TAKEN])
    groups = [*main.groups, ("", len(TAKEN))] if main.groups else []
    title = f"{get_suite(bench.suite).title} by {', '.join(names)}"
    notes += [THEIRS] if theirs else []
    return Table(title, [*main.columns, *TAKEN.values()], rows + theirs, groups, notes=notes)


def varied(made: Sequence[Variant]) -> list[str]:
    return list(dict.fromkeys(name for variant in made for name in variant.values))


def _published(suite: str, axes: Sequence[str], keys: Sequence[str]) -> list[TableRow]:
    """Rows of the ablation, those of one label in one: SecAgent's table has accuracy and tokens."""
    found: dict[str, TableRow] = {}
    for beside in dict.fromkeys(BESIDE[axis] for axis in axes if axis in BESIDE):
        for row in rows_beside(suite, keys, beside):
            found[f"{beside}={row.label}" if row.label.isdigit() else row.label] = row
    for row in rows_beside(suite, keys, "efficiency"):
        if mine := found.get(row.label):
            mine.cells = [own or other for own, other in zip(mine.cells, row.cells, strict=True)]
    return [msgspec.structs.replace(row, label=label) for label, row in found.items()]


def grid_plot(made: Sequence[Variant], path: Path, profile: str | None = None) -> None:
    """The suite's main figure. Over the values of the first axis, a line for each combination of the others, where the
    grid is a product; else a bar for each combination.
    """
    cells: list[Cell | None] = []
    for variant in made:
        bench, results = load(variant.out)
        suite = get_suite(bench.suite)
        what, figure = main_figure(suite, results, get_profile(profile or suite.profile))
        cells.append(cell_of(figure))
    axis = varied(made)[0]
    xs = list(dict.fromkeys(shown(axis, variant.values[axis]) for variant in made if axis in variant.values))
    series: dict[str, dict[str, Cell | None]] = {}
    for variant, cell in zip(made, cells, strict=True):
        rest = ", ".join(f"{name}={shown(name, value)}" for name, value in variant.values.items() if name != axis)
        series.setdefault(rest or what, {})[shown(axis, variant.values.get(axis))] = cell
    title = f"{suite.title}: {what}"
    if len(xs) > 1 and all(list(found) == xs for found in series.values()):
        lines(xs, {name: list(found.values()) for name, found in series.items()}, path, axis, "%", title)
    else:
        bars([variant.label for variant in made], {what: cells}, path, title)


def write_grid(made: Sequence[Variant], out: Path, profile: str | None = None) -> Path:
    """Write `report.html`, `report.md`, `report.json` and the pictures; returns the page."""
    table = grid_table(made, profile)
    plots, missing = [out / "grid.png"], ""
    try:
        grid_plot(made, plots[0], profile)
        picture(table, out / "table.png")
    except MissingError as error:  # the figures are worth more than the pictures
        plots, missing = [], str(error)
    write_whole(out / "report.md", (markdown(table) + "".join(f"\n![]({plot.name})\n" for plot in plots)).encode())
    write_whole(out / "report.json", msgspec.json.format(msgspec.json.encode([table]), indent=2))
    write_whole(out / "report.html", page(table.title, [table], plots, missing=missing).encode())
    return out / "report.html"
