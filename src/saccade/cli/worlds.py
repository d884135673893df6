"""`saccade worlds`: where an agent can act, and what is ready on this machine."""

from __future__ import annotations

import msgspec
import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from saccade.cli.common import JsonOption, console
from saccade.worlds import WORLDS
from saccade.worlds.readiness import readiness_of

app = typer.Typer(help="Places to act in.", no_args_is_help=True, rich_markup_mode="markdown")


@app.callback()
def _worlds() -> None:
    """Places to act in."""


@app.command("list")
def list_worlds(json_lines: JsonOption = False) -> None:
    """List the worlds, how to name one, and whether it is ready on this machine.

    Examples:

        saccade worlds list

        saccade worlds list --json
    """
    found = {name: readiness_of(name) for name in WORLDS.names()}
    if json_lines:
        for name, told in found.items():
            typer.echo(msgspec.json.encode({"name": name} | msgspec.to_builtins(told)))
        return
    made = Table(box=SIMPLE_HEAD, header_style="bold", padding=(0, 1, 0, 0))
    for column in ("world", "named by", "what it is", "ready", "found, or to do"):
        made.add_column(column, no_wrap=column in ("world", "ready"))
    for name, told in found.items():
        made.add_row(name, told.usage, told.about, "[green]yes[/]" if told.ready else "[red]no[/]", told.detail)
    console.print(made)
