"""`saccade review add|list|export|import`: the studio's review queue from the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from saccade.cli.common import JsonOption, console, table
from saccade.cli.studio import INSTALL
from saccade.errors import InputError, MissingError

app = typer.Typer(help="Queue, decisions and agreement of the studio's review.", no_args_is_help=True)
FolderOption = Annotated[
    list[Path] | None,
    typer.Option("--folder", help="A folder that the studio is started with; may be repeated. By default runs."),
]
DatabaseOption = Annotated[
    str, typer.Option("--database", help="The studio's: sqlite:///FILE or postgresql://USER@HOST/NAME.")
]
KindArgument = Annotated[
    str,
    typer.Argument(help="trajectory, step, instruction, grounding, key_elements or personal_data.", show_default=False),
]


@contextmanager
def _opened(folders: list[Path] | None, database: str) -> Iterator[tuple[Any, tuple[Path, ...]]]:
    """The studio's database and its folders."""
    try:
        from saccade.studio.database.engine import database_address, open_database  # noqa: PLC0415  (extras)
        from saccade.studio.settings import read_folders  # noqa: PLC0415
    except ImportError as error:
        raise MissingError(f"{INSTALL} ({error})") from None
    found = read_folders(folders or [])
    engine = open_database(database_address(database, found))
    try:
        yield engine, found
    finally:
        engine.dispose()


@app.command("add")
def add(
    kind: KindArgument,
    sources: Annotated[
        list[Path], typer.Argument(help="Files of step records, runs, or data sets.", show_default=False)
    ],
    opinions: Annotated[
        int, typer.Option(min=0, help="How many people judge each item, independently; 0: as the kind says.")
    ] = 0,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N items of each source.")] = None,
    folder: FolderOption = None,
    database: DatabaseOption = "",
) -> None:
    """Add items to the queue. What is there already is not added again.

    Example:

        saccade review add trajectory runs/20261118-102324 --opinions 2
    """
    with _opened(folder, database) as (engine, folders):
        from saccade.studio.review.queue import add_items  # noqa: PLC0415
        from saccade.studio.review.sources import items_of  # noqa: PLC0415

        for source in sources:
            added, known = add_items(engine, kind, items_of(kind, source, folders, limit), opinions)
            typer.echo(f"{source}: added {added} items" + (f", {known} were there already" if known else ""))
            if not added and not known:
                raise InputError(f"{source} holds nothing that can be reviewed as {kind}")


@app.command("list")
def list_counts(folder: FolderOption = None, database: DatabaseOption = "", json_lines: JsonOption = False) -> None:
    """Show how far each kind is."""
    with _opened(folder, database) as (engine, _):
        from saccade.studio.review.queue import counts  # noqa: PLC0415

        rows = counts(engine)
    if json_lines:
        for row in rows:
            typer.echo(msgspec.json.encode(row._asdict()).decode())
        return
    made = table("kind", ["open", "disputed", "done", "rejected", "opinions missing", "claimed now"])
    for row in rows:
        made.add_row(row.kind, *map(str, row[1:]))
    console.print(made if rows else "The queue is empty: add items with saccade review add KIND FILE.")


@app.command("export")
def export_decisions(
    out: Annotated[Path, typer.Argument(help="A new folder.", show_default=False)],
    kind: Annotated[str, typer.Option(help="Only this kind; needed with --label-studio.")] = "",
    label_studio: Annotated[bool, typer.Option("--label-studio", help="Write Label Studio's JSON instead.")] = False,
    prefix: Annotated[
        str, typer.Option(help="Of --label-studio: what stands before a picture's name in its address.")
    ] = "/data/local-files/?d=",
    blur_originals: Annotated[
        bool,
        typer.Option("--blur-originals", help="Hide personal data in the original pictures, too. Cannot be undone."),
    ] = False,
    folder: FolderOption = None,
    database: DatabaseOption = "",
) -> None:
    """Write what was decided as step records, with a report of agreement.

    Pictures are copied; where people marked personal data, the copies are blurred and the texts there are left out.
    """
    with _opened(folder, database) as (engine, folders):
        from saccade.studio.review.export import export, hide_in_originals  # noqa: PLC0415
        from saccade.studio.review.files import export_label_studio  # noqa: PLC0415

        if label_studio:
            if not kind:
                raise InputError("--label-studio needs --kind: each kind is a project of its own there")
            count = export_label_studio(engine, out, folders, kind, prefix)
            typer.echo(f"{out}: {count} tasks; interface.xml is the labelling interface of the project")
        else:
            done = export(engine, out, folders, kind)
            typer.echo(f"{out}: " + (", ".join(f"{n} steps of {name}" for name, n in done.steps.items()) or "no steps"))
            typer.echo(f"left out: {done.undecided} items without a decision, {done.rejected} rejected")
            if done.pictures_missing:
                typer.echo(f"saccade: {done.pictures_missing} pictures could not be read", err=True)
        if blur_originals:
            typer.echo(f"changed {hide_in_originals(engine, folders)} original pictures")


@app.command("import")
def import_decisions(
    file: Annotated[
        Path, typer.Argument(help="A folder of `review export`, or Label Studio's .json.", show_default=False)
    ],
    kind: Annotated[str, typer.Option(help="What Label Studio's own tasks become.")] = "grounding",
    pictures: Annotated[
        Path | None, typer.Option(help="Where the pictures lie; by default beside the file.", show_default=False)
    ] = None,
    folder: FolderOption = None,
    database: DatabaseOption = "",
) -> None:
    """Read decisions back: from an export, or from Label Studio. What is there already is left alone."""
    with _opened(folder, database) as (engine, folders):
        from saccade.studio.review.files import import_file  # noqa: PLC0415
        from saccade.studio.review.sources import inside  # noqa: PLC0415

        if not file.exists():
            raise InputError(f"there is no file or folder {file}")
        done = import_file(engine, file, inside(pictures or file, folders), kind)
    typer.echo(f"{file}: {done.items} new items, {done.events} decisions, {done.left_out} left out")
