"""The command line: one module per noun, each thin."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from saccade import __version__
from saccade.cli import bench, data, parse, phone, reward, run, score, tasks, train, worlds
from saccade.errors import InputError, MissingError

app = typer.Typer(
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
app.command("phone")(phone.phone)
app.add_typer(worlds.app, name="worlds")
app.add_typer(tasks.app, name="tasks")
app.add_typer(data.app, name="data")
app.add_typer(train.app, name="train")


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
    """Exit codes: 0 done, 1 ran but failed, 2 bad input, 3 something must be installed."""
    try:
        app()
    except InputError as error:
        _fail(str(error), 2)
    except MissingError as error:
        _fail(str(error), 3)
    except KeyboardInterrupt:
        _fail("interrupted", 130)
    except BrokenPipeError:  # the reader of our output went away; say nothing more to it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


def _fail(message: str, code: int) -> None:
    typer.echo(f"saccade: {message}", err=True)
    sys.exit(code)
