"""A PostgreSQL cluster that lives as long as a `with` block: in a temporary folder, on a socket, without a port."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from saccade.errors import MissingError


def find_programs() -> Path:
    """The folder with `initdb` and `pg_ctl`."""
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in folders:
        if (folder / "initdb").is_file() and (folder / "pg_ctl").is_file():
            return folder
    raise MissingError("PostgreSQL's server programs are missing: install the package postgresql")


def as_user() -> tuple[list[str], str]:
    """How to run a program as a user who is not root, which the server refuses, and that user's name."""
    if os.getuid() != 0:
        return [], pwd.getpwuid(os.getuid()).pw_name
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        if shutil.which("setpriv"):
            return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"], name
    raise MissingError("PostgreSQL does not run as root: install the program setpriv and a user postgres or nobody")


def _run(folder: Path, command: list[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder)


@contextmanager
def postgres() -> Iterator[str]:
    """The address of an empty database."""
    programs, (prefix, user) = find_programs(), as_user()
    folder = Path(tempfile.mkdtemp(prefix="saccade-postgres-", dir="/tmp"))  # the path of a socket must be short
    shutil.chown(folder, user)
    data = folder / "data"
    try:
        made = [programs / "initdb", "-D", data, "-A", "trust", "-U", "review", "-E", "UTF8", "--no-sync"]
        _run(folder, [*prefix, *map(str, made)])
        _control(folder, "start")
        try:
            yield f"postgresql://review@/postgres?host={folder}"
        finally:
            _control(folder, "stop", "-m", "immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def restart(address: str) -> None:
    """End the server of an address that `postgres` gave, and start it again: it has nothing in its memory then."""
    folder = Path(address.partition("host=")[2])
    _control(folder, "stop", "-m", "fast")
    _control(folder, "start")


def _control(folder: Path, *what: str) -> None:
    """Start or stop the server whose data is in a folder."""
    options = ["-o", f"-k {folder} -c listen_addresses='' -c shared_buffers=64MB"] if what[0] == "start" else []
    command = [find_programs() / "pg_ctl", "-D", folder / "data", "-w", "-l", folder / "log", *options, *what]
    _run(folder, [*as_user()[0], *map(str, command)])
