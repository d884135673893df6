"""The applications that a desktop can start by name, and the Debian packages that they come in."""

from __future__ import annotations

import shutil
from typing import NamedTuple

from saccade.errors import InputError, MissingError


class Application(NamedTuple):
    """How an application is started, and what it is called in a task."""

    command: tuple[str, ...]
    package: str
    title: str


APPLICATIONS: dict[str, Application] = {
    "mousepad": Application(("mousepad", "--disable-server"), "mousepad", "text editor"),
    "galculator": Application(("galculator",), "galculator", "calculator"),
    "pcmanfm": Application(("pcmanfm",), "pcmanfm", "file manager"),
    "gnumeric": Application(("gnumeric", "--no-splash"), "gnumeric", "spreadsheet"),
    "ristretto": Application(("ristretto",), "ristretto", "image viewer"),
    "sqlitebrowser": Application(("sqlitebrowser",), "sqlitebrowser", "database browser"),
}


def find_application(name: str) -> Application:
    """An application by its name or title. `InputError` if it is unknown, `MissingError` if it is not installed."""
    wanted = name.strip().casefold()
    for key, application in APPLICATIONS.items():
        if wanted in (key, application.title):
            if shutil.which(application.command[0]) is None:
                raise MissingError(
                    f"{key} is not installed: run make setup-all, or apt-get install {application.package}"
                )
            return application
    known = ", ".join(f"desktop/{each}" for each in APPLICATIONS)
    raise InputError(f"there is no application {name!r} for the desktop: use {known}, or desktop: for this display")
