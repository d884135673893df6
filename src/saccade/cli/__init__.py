"""The command line: one module per noun, each thin."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from saccade import __version__
from saccade.errors import InputError, MissingError
from saccade.models.base import ModelError
from saccade.plugins import blamed, plugins_loaded
from saccade.registry import Registry
from saccade.worlds.base import InfrastructureError

TRACEBACK = "SACCADE_TRACEBACK"
"""Environment variable: where it is set, an unexpected error is shown with its traceback."""
PLUGIN = "--plugin"

COMMANDS: Registry[Any] = Registry(
    "command",
    {
        "run": "saccade.cli.run:run",
        "view": "saccade.cli.run:view",
        "studio": "saccade.cli.studio:studio",
        "bench": "saccade.cli.bench:app",
        "score": "saccade.cli.score:score",
        "reward": "saccade.cli.reward:reward",
        "similarity": "saccade.cli.similarity:similarity",
        "parse": "saccade.cli.parse:parse",
        "worlds": "saccade.cli.worlds:app",
        "tasks": "saccade.cli.tasks:app",
        "data": "saccade.cli.data:app",
        "review": "saccade.cli.review:app",
        "train": "saccade.cli.train:app",
    },
    accepts=lambda found: isinstance(found, typer.Typer) or callable(found),
)
"""A function, or a `typer.Typer` with subcommands. Only the one that is called is imported and built: all of them take
0.4 seconds of a processor. Other packages add theirs in the group `saccade.commands`.
"""


class Commands(TyperGroup):
    """The root command: loads plug-ins, finds the commands that they bring, and gives Ctrl-C a sentence."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **options: Any) -> Any:
        """`--plugin FILE.py` may stand anywhere: it is taken out before the command reads its own options."""
        files, others = take_plugins(sys.argv[1:] if args is None else args)
        with plugins_loaded(files):
            try:
                return super().main(others, *rest, **options)
            except Exception as error:
                if os.environ.get(TRACEBACK) or (blame := blamed(error, (InfrastructureError, ModelError))) is None:
                    raise
                raise blame from error

    def list_commands(self, ctx: Any) -> list[str]:
        return COMMANDS.names()

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return build_command(cmd_name) if cmd_name in COMMANDS.names() else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] not in COMMANDS.names():
            COMMANDS.get(args[0])  # says that it is unknown, and what is near
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:  # typer would end in silence before `main` hears of it
            typer.echo("saccade: interrupted", err=True)
            raise typer.Exit(130) from None
        except BrokenPipeError:  # the reader of our output went away; say nothing more to it
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit from None


def take_plugins(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The files of all `--plugin FILE.py`, and the other words.

    >>> take_plugins(["bench", "counter", "--plugin", "counter_world.py", "--limit", "2"])
    (['counter_world.py'], ['bench', 'counter', '--limit', '2'])
    """
    files: list[str] = []
    others: list[str] = []
    left = iter(words)
    for word in left:
        if word == "--":
            others += [word, *left]
        elif word == PLUGIN:
            if (file := next(left, None)) is None:
                raise InputError(f"{PLUGIN} needs a file: {PLUGIN} FILE.py")
            files.append(file)
        elif word.startswith(f"{PLUGIN}="):
            files.append(word.removeprefix(f"{PLUGIN}="))
        else:
            others.append(word)
    return files, others


def build_command(name: str) -> Any:
    """The command of this name. One that cannot be loaded stays in the list, and says why when it is called."""
    try:
        found = COMMANDS.get(name)
    except (InputError, MissingError) as error:
        problem = error

        def fail() -> None:
            raise problem

        return TyperCommand(name, callback=fail, help=f"It cannot be loaded: {error}", rich_markup_mode="markdown")
    if not isinstance(found, typer.Typer):
        made = typer.Typer(rich_markup_mode="markdown")
        made.command(name)(found)
        found = made
    command = typer.main.get_command(found)
    command.name = name
    return command


app = typer.Typer(
    cls=Commands,
    help="Run, train and measure GUI agents.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    plugin: Annotated[
        list[str] | None,
        typer.Option(
            PLUGIN,
            metavar="FILE.py",
            help="Load a file with worlds, suites, paradigms, … of your own. On every command, anywhere; may be given "
            "again.",
            show_default=False,
        ),
    ] = None,
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
