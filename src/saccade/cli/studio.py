"""`saccade studio`: the web application over runs, measurements, data sets and training logs."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated

import typer

from saccade.errors import InputError, MissingError
from saccade.types import Language

INSTALL = "the studio needs more packages: run make setup-all, or pip install 'saccade[studio]'"


def studio(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(help="Folders with runs, measurements, data or trainings; by default runs.", show_default=False),
    ] = None,
    port: Annotated[int, typer.Option(help="0: any that is free.")] = 8765,
    host: Annotated[
        str, typer.Option(help="The address to listen on. Any but this machine's own needs the token that is printed.")
    ] = "127.0.0.1",
    database: Annotated[
        str,
        typer.Option(
            help="sqlite:///FILE, or postgresql://USER@HOST/NAME where several people or machines share one; by "
            "default a file in your cache folder.",
            show_default=False,
        ),
    ] = "",
    author: Annotated[str, typer.Option(help="Your name, as decisions carry it.")] = "me",
    bundle: Annotated[
        Path | None,
        typer.Option(
            help="Write runs and measurements as a static site into this folder, and serve nothing.", show_default=False
        ),
    ] = None,
    language: Annotated[Language, typer.Option(help="Of the static site.")] = "en",
    open_page: Annotated[bool, typer.Option("--open", help="Open it in your browser.")] = False,
) -> None:
    """Open one page to watch runs, take over, review, annotate and browse.

    The page is for this machine alone unless --host says otherwise. Ctrl-C ends it; nothing that was decided is lost.

    Examples:

        saccade studio runs --open

        saccade studio runs --bundle site

        saccade studio runs data --database postgresql://me@db/review --host 0.0.0.0 --author Lin
    """
    try:
        from saccade.studio.server import serve  # noqa: PLC0415  (extras)
        from saccade.studio.settings import StudioSettings, is_loopback, read_folders  # noqa: PLC0415
    except ImportError as error:
        raise MissingError(f"{INSTALL} ({error})") from None
    if not 0 <= port < 65_536:
        raise InputError(f"--port is {port}: give a number from 0 to 65535")
    if bundle is not None:
        from saccade.studio.bundle import write_bundle  # noqa: PLC0415  (extras)

        page = write_bundle(StudioSettings(read_folders(folders or [])), bundle, language, typer.echo)
        if open_page:
            typer.launch(str(page))
        return
    token = "" if is_loopback(host) else secrets.token_urlsafe(24)
    settings = StudioSettings(read_folders(folders or []), database, host, port, token, author=author)
    serve(settings, typer.echo, typer.launch if open_page else None)
