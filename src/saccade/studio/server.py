"""Runs the application until Ctrl-C."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path

import uvicorn

from saccade.errors import InputError
from saccade.records import lock_file
from saccade.studio.app import create_app
from saccade.studio.database.engine import database_address
from saccade.studio.settings import StudioSettings


def serve(settings: StudioSettings, say: Callable[[str], object], launch: Callable[[str], object] | None) -> None:
    """Listen, say where, and serve. The socket is opened first, so that an address in use is told in one sentence."""
    listening = open_socket(settings)
    settings = replace(settings, port=listening.getsockname()[1])
    with claim_database(settings):
        app = create_app(settings)
        address = address_of(settings)
        say(f"The studio is at {address}")
        if launch is not None:
            launch(address)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=3, lifespan="on"))
        server.run(sockets=[listening])


def claim_database(settings: StudioSettings) -> AbstractContextManager[object]:
    """A database file belongs to one studio at a time: two would both read all folders into it, and each would show
    only the runs that it started itself. PostgreSQL is there for several.
    """
    address = database_address(settings.database, settings.folders)
    if not address.startswith("sqlite:///"):
        return nullcontext()
    file = Path(address.removeprefix("sqlite:///"))
    advice = "open the page of that studio, end it, or give another --database"
    return lock_file(file.with_name(f"{file.name}.lock"), file, "a studio with the database", advice)


def open_socket(settings: StudioSettings) -> socket.socket:
    """A socket that listens on the settings' address."""
    try:
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((settings.host.strip("[]"), settings.port))
        found.listen(128)
    except OSError as error:
        problem = f"cannot listen on {settings.host}, port {settings.port}: {error.strerror or error}"
        raise InputError(f"{problem}; give another --port (0: any that is free)") from None
    return found


def address_of(settings: StudioSettings) -> str:
    """What to open in a browser; with the token, where one is needed."""
    host = outside_address(settings.host)
    host = f"[{host}]" if ":" in host else host
    return f"http://{host}:{settings.port}/" + (f"?token={settings.token}" if settings.token else "")


def outside_address(host: str) -> str:
    """An address by which others reach a host; of "all addresses" (0.0.0.0, ::) that of the way out of here."""
    host = host.strip("[]")
    try:
        wanted = ip_address(host)
    except ValueError:
        return host
    if not wanted.is_unspecified:
        return host
    family, far = (socket.AF_INET, "192.0.2.1") if wanted.version == 4 else (socket.AF_INET6, "2001:db8::1")
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as way:  # nothing is sent: the system only chooses the way
            way.connect((far, 9))
            return str(way.getsockname()[0])
    except OSError:
        return socket.gethostname()
