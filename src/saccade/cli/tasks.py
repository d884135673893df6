"""`saccade tasks`: what there is to do on the phone."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from saccade.cli.common import JsonOption, console
from saccade.errors import InputError, check_choices
from saccade_phone.catalog import Row, catalog
from saccade_phone.draw import SPLITS, Language, Split
from saccade_phone.session import Session, roll_out
from saccade_phone.splits import templates
from saccade_phone.tasks import find_task, tasks

app = typer.Typer(help="Tasks on the phone.", no_args_is_help=True, rich_markup_mode="markdown")
KINDS = ("do", "ask", "infeasible")


@app.callback()
def _tasks() -> None:
    """Tasks on the phone."""


@app.command("list")
def list_tasks(
    app_name: Annotated[str | None, typer.Option("--app", help="Only tasks that need this app.")] = None,
    kind: Annotated[str | None, typer.Option(help="Only do, ask or infeasible.")] = None,
    split: Annotated[str | None, typer.Option(help="Only tasks of train, validation or test.")] = None,
    longest: Annotated[int | None, typer.Option(help="Only tasks of at most so many steps (median).")] = None,
    language: Annotated[str | None, typer.Option(help="Examples and lengths in en or zh only.")] = None,
    json_lines: JsonOption = False,
) -> None:
    """List the task templates with their apps, kind, length and an example.

    Examples:

        saccade tasks list

        saccade tasks list --app shop --longest 8

        saccade tasks list --kind ask --language zh --json
    """
    check_choices({"--kind": (kind, KINDS), "--split": (split, SPLITS), "--language": (language, ("en", "zh"))})
    inside = {task.name for task in templates(split)} if split in SPLITS else None
    rows = [
        row
        for row in catalog()
        if (app_name is None or app_name in row.apps)
        and (kind is None or row.kind == kind)
        and (inside is None or row.name in inside)
        and (longest is None or max(steps[1] for steps in row.steps.values()) <= longest)
    ]
    if not rows:
        raise InputError("no task fits: saccade tasks list shows all")
    if json_lines:
        for row in rows:
            typer.echo(msgspec.json.encode(row))
        return
    console.print(_table(rows, [language] if language else ["en", "zh"]))
    across = sum(len(row.apps) > 1 for row in rows)
    kinds = ", ".join(f"{sum(row.kind == each for row in rows)} {each}" for each in KINDS)
    console.print(f"{len(rows)} templates: {kinds}; {across} across apps")


def _table(rows: list[Row], languages: list[str]) -> Table:
    made = Table(box=SIMPLE_HEAD, header_style="bold", padding=(0, 1, 0, 0))
    for column in ("task", "apps", "kind", "kept for", *(f"steps {each}" for each in languages)):
        made.add_column(column, no_wrap=column in ("task", "kind"))
    made.add_column("example", overflow="fold")
    for row in rows:
        kept = "" if row.group == "seen" else f"test ({row.group})"
        steps = [f"{row.steps[each][0]}–{row.steps[each][2]}" for each in languages]
        made.add_row(row.name, ", ".join(row.apps), row.kind, kept, *steps, row.example[languages[0]])
    return made


@app.command("show")
def show_task(
    name: Annotated[str, typer.Argument(help="A task's name: app.task.", show_default=False)],
    seed: Annotated[int, typer.Option(help="Which phone and parameters.")] = 0,
    language: Annotated[str, typer.Option(help="en or zh.")] = "en",
    split: Annotated[str | None, typer.Option(help="Draw as for train, validation or test.")] = None,
    json_lines: JsonOption = False,
) -> None:
    """Show one task: what is said, what must then be so, and how the oracle does it.

    Examples:

        saccade tasks show clock.add_alarm

        saccade tasks show clock.add_alarm --seed 7 --language zh --json
    """
    if language not in ("en", "zh"):
        raise InputError(f"--language is {language!r}: use en or zh")
    if split is not None and split not in SPLITS:
        raise InputError(f"--split is {split!r}: use {', '.join(SPLITS)}")
    template = find_task(name, tasks())
    session = begin(name, seed, language, split)  # type: ignore[arg-type]
    played = roll_out(session)
    goal = session.goal
    wanted = [str(change) for change in goal.changes]
    if goal.answer is not None:
        wanted.append(f"answer {goal.answer!r}")
    if goal.infeasible:
        wanted.append("say that it cannot be done (terminate failure)")
    moves = [" ".join(filter(None, (move.kind, move.id, move.text))) for move in played.moves]
    if json_lines:
        told = {"name": name, "apps": template.apps, "seed": seed, "instruction": goal.instruction, "goal": wanted,
                "oracle": moves, "success": played.success}  # fmt: skip
        typer.echo(msgspec.json.encode(told))
        return
    console.print(f"[bold]{goal.instruction}[/]\n")
    console.print(f"{name} on phone {seed}, with {', '.join(template.apps)}\n\nIn the end, and nothing else:")
    for line in wanted:
        console.print(f"  • {line}", markup=False, highlight=False)
    console.print("\nThe oracle:")
    for at, line in enumerate(moves, 1):
        console.print(f"  {at:2}  {line}", markup=False, highlight=False)


def begin(name: str, seed: int, language: Language, split: Split | None) -> Session:
    return Session.begin(name, seed, language, split=split)
