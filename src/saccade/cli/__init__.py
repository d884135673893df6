"""The command line: one module per noun, each thin."""

from __future__ import annotations

import os
import sys
from importlib.metadata import entry_points
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from saccade import __version__
from saccade.cli import bench, data, parse, reward, run, score, tasks, train, worlds
from saccade.errors import InputError, MissingError
from saccade.worlds.base import InfrastructureError

TRACEBACK = "SACCADE_TRACEBACK"
"""A variable of the environment: where it is set, a mistake of ours is shown with its traceback."""


class Commands(TyperGroup):
    """Ctrl-C gets a sentence: typer would end in silence before `main` hears of it."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            typer.echo("saccade: interrupted", err=True)
            raise typer.Exit(130) from None
        except BrokenPipeError:  # the reader of our output went away; say nothing more to it
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit from None


def add_plugin_commands(app: typer.Typer) -> None:
    """Commands of other packages: a function, or a `typer.Typer` with subcommands, in the group `saccade.commands`."""
    for entry_point in entry_points(group="saccade.commands"):
        found = entry_point.load()
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=entry_point.name)
        else:
            app.command(entry_point.name)(found)


app = typer.Typer(
    cls=Commands,
    help="Run, train and measure GUI agents.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run")(run.run)
app.command("view")(run.view)
app.command("bench")(bench.bench)
app.command("score")(score.score)
app.command("reward")(reward.reward)
app.command("parse")(parse.parse)
app.add_typer(worlds.app, name="worlds")
app.add_typer(tasks.app, name="tasks")
app.add_typer(data.app, name="data")
app.add_typer(train.app, name="train")
add_plugin_commands(app)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Exit codes: 0 done, 1 ran but failed, 2 bad input, 3 something must be installed, 130 interrupted."""
    try:
        app()
    except InputError as error:
        _fail(str(error), 2)
    except MissingError as error:
        _fail(str(error), 3)
    except (InfrastructureError, OSError) as error:  # a browser that broke, a disk that is full
        _fail(str(error), 1)
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        _fail(f"a mistake of ours, {type(error).__name__}: {error}; {TRACEBACK}=1 shows where, for a report", 1)


def _fail(message: str, code: int) -> None:
    typer.echo(f"saccade: {message}", err=True)
    sys.exit(code)
