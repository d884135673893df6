"""`saccade phone`: the phone by hand, in a browser."""

from __future__ import annotations

from typing import Annotated

import typer

from saccade.cli.common import console
from saccade.errors import InputError
from saccade_phone.phone import THEMES
from saccade_phone.serve import PhoneServer
from saccade_phone.session import Session


def phone(
    task: Annotated[str | None, typer.Option(help="A task to try; saccade tasks list shows them.")] = None,
    language: Annotated[str, typer.Option(help="en or zh.")] = "en",
    theme: Annotated[str, typer.Option(help=f"{', '.join(THEMES)}.")] = "light",
    seed: Annotated[int, typer.Option(help="Which phone.")] = 0,
    port: Annotated[int, typer.Option(help="0: any free one.")] = 0,
) -> None:
    """Use the phone by hand: open the printed address in a browser. Ctrl-C ends it.

    Examples:

        saccade phone

        saccade phone --language zh --theme dark --task clock.add_alarm
    """
    if language not in ("en", "zh"):
        raise InputError(f"--language is {language!r}: use en or zh")
    if theme not in THEMES:
        raise InputError(f"--theme is {theme!r}: use {', '.join(THEMES)}")
    if task:
        session = Session.begin(task, seed, language, theme=theme, interruptions=True)  # type: ignore[arg-type]
    else:
        session = Session.free(seed, language, theme=theme, interruptions=True)  # type: ignore[arg-type]
    try:
        server = PhoneServer(session, port)
    except OSError as error:
        raise InputError(f"port {port} cannot be used: {error.strerror}; choose another --port") from None
    if session.goal.instruction:
        console.print(f"[bold]{session.goal.instruction}[/]")
    console.print(f"the phone is at {server.address} (Ctrl-C to end)")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        if session.goal.changes:
            console.print("what was asked for is so now" if server.met else "what was asked for is not so")
    finally:
        server.server_close()
