"""`saccade tasks`: what there is to do in the worlds that bring tasks."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import msgspec
import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from saccade.cli.common import JsonOption, console
from saccade.errors import InputError, check_choices
from saccade.worlds.tasks import TASKS, TaskCatalog, TaskTemplate, default_catalog

app = typer.Typer(help="Tasks of worlds.", no_args_is_help=True, rich_markup_mode="markdown")
WorldOption = Annotated[
    str, typer.Option("--world", help="Whose tasks: phone, miniwob, desktop or a plug-in's world.", show_default=False)
]


@app.callback()
def _tasks() -> None:
    """Tasks of worlds."""


@app.command("list")
def list_tasks(
    world: WorldOption = "",
    app_name: Annotated[str | None, typer.Option("--app", help="Only tasks that need this app.")] = None,
    kind: Annotated[str | None, typer.Option(help="Only do, ask or infeasible.")] = None,
    split: Annotated[str | None, typer.Option(help="Only tasks of train, validation or test.")] = None,
    longest: Annotated[int | None, typer.Option(help="Only tasks of at most so many steps (median).")] = None,
    language: Annotated[str | None, typer.Option(help="Examples and lengths in en or zh only.")] = None,
    json_lines: JsonOption = False,
) -> None:
    """List the task templates with their apps, kind, length and an example, as far as their world knows them.

    Examples:

        saccade tasks list

        saccade tasks list --app shop --longest 8

        saccade tasks list --kind ask --language zh --json

        saccade tasks list --world desktop --app gnumeric
    """
    catalog = TASKS.get(world or default_catalog())
    check_catalog(catalog, split, language)
    everything = catalog.templates(split)
    kinds = sorted({row.kind for row in everything if row.kind})
    check_choices({"--kind": (kind, kinds or ("nothing: these tasks have no kind",))})
    rows = [
        row
        for row in everything
        if (app_name is None or app_name in row.apps)
        and (kind is None or row.kind == kind)
        and (longest is None or (bool(row.steps) and max(steps[1] for steps in row.steps.values()) <= longest))
    ]
    if not rows:
        raise InputError("no task fits: saccade tasks list shows all")
    if json_lines:
        for row in rows:
            typer.echo(msgspec.json.encode(row))
        return
    console.print(_table(rows, (language,) if language else catalog.languages))
    counts = Counter(row.kind for row in rows if row.kind)
    across = sum(len(row.apps) > 1 for row in rows)
    parts = [", ".join(f"{count} {name}" for name, count in counts.items())] if counts else []
    parts += [f"{across} across apps"] if across else []
    console.print(f"{len(rows)} templates" + (f": {'; '.join(parts)}" if parts else ""))


def check_catalog(catalog: TaskCatalog, split: str | None, language: str | None) -> None:
    """Has the catalog such a split and language?"""
    none = (f"none: {catalog.world} has no splits",)
    check_choices({"--split": (split, catalog.splits or none), "--language": (language, catalog.languages)})


def _table(rows: list[TaskTemplate], languages: tuple[str, ...]) -> Table:
    """Columns that no row fills are left out."""
    steps = [each for each in languages if any(each in row.steps for row in rows)]
    columns = ["task"]
    columns += ["apps"] if any(row.apps for row in rows) else []
    columns += ["kind"] if any(row.kind for row in rows) else []
    columns += ["group"] if any(row.group for row in rows) else []
    made = Table(box=SIMPLE_HEAD, header_style="bold", padding=(0, 1, 0, 0))
    for column in (*columns, *(f"steps {each}" for each in steps)):
        made.add_column(column, no_wrap=column in ("task", "kind"))
    examples = any(row.example for row in rows)
    if examples:
        made.add_column("example", overflow="fold")
    for row in rows:
        cells = {"task": row.name, "apps": ", ".join(row.apps), "kind": row.kind, "group": row.group}
        lengths = [f"{row.steps[each][0]}–{row.steps[each][2]}" if each in row.steps else "" for each in steps]
        example = next((row.example[each] for each in languages if each in row.example), "")
        made.add_row(*(cells[column] for column in columns), *lengths, *([example] if examples else []))
    return made


@app.command("show")
def show_task(
    name: Annotated[str, typer.Argument(help="A task's name, as saccade tasks list shows it.", show_default=False)],
    world: WorldOption = "",
    seed: Annotated[int, typer.Option(help="Other seeds give other parameters.")] = 0,
    language: Annotated[str | None, typer.Option(help="en or zh.", show_default=False)] = None,
    split: Annotated[str | None, typer.Option(help="Draw as for train, validation or test.")] = None,
    json_lines: JsonOption = False,
) -> None:
    """Show one task: what is said, what must then be so, and how the oracle does it, as far as its world knows.

    Examples:

        saccade tasks show clock.add_alarm

        saccade tasks show clock.add_alarm --seed 7 --language zh --json

        saccade tasks show click-button --world miniwob
    """
    catalog = TASKS.get(world or default_catalog())
    check_catalog(catalog, split, language)
    task = catalog.show(name, seed, language or catalog.languages[0], split)
    if json_lines:
        typer.echo(msgspec.json.encode(task))
        return
    console.print(f"[bold]{task.instruction}[/]\n")
    apps = f", with {', '.join(task.apps)}" if task.apps else ""
    console.print(f"{task.name}, seed {seed}{apps}")
    if task.goal:
        console.print("\nIn the end, and nothing else:")
        for line in task.goal:
            console.print(f"  • {line}", markup=False, highlight=False)
    if task.oracle:
        console.print("\nThe oracle:")
        for at, line in enumerate(task.oracle, 1):
            console.print(f"  {at:2}  {line}", markup=False, highlight=False)
