"""Opens the database, and brings its tables up to date.

SQLite runs in WAL mode, so that readers do not wait for the writer, and syncs each transaction to disk: a decision that
was acknowledged survives a kill and a loss of power. PostgreSQL does so by itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, OperationalError

from saccade.errors import InputError
from saccade.studio.settings import cache_folder

MIGRATIONS = Path(__file__).with_name("migrations")
BUSY_SECONDS = 30.0


def database_address(given: str, folders: Sequence[Path]) -> str:
    """The address as SQLAlchemy takes it; without one, a file for this set of folders in the user's cache."""
    if not given:
        name = hashlib.sha256("\n".join(map(str, sorted(folders))).encode()).hexdigest()[:16]
        file = cache_folder() / f"{name}.db"
        file.parent.mkdir(parents=True, exist_ok=True)
        return f"sqlite:///{file}"
    if given.startswith("postgresql://"):
        return given.replace("postgresql://", "postgresql+psycopg://", 1)
    if given.startswith(("sqlite:///", "postgresql+psycopg://")):
        return given
    raise InputError(f"--database is {given[:100]!r}: give sqlite:///FILE or postgresql://USER@HOST/NAME")


def open_database(address: str) -> Engine:
    """An engine whose tables are up to date."""
    try:
        url = make_url(address)
        sqlite = url.get_backend_name() == "sqlite"
        options: dict[str, Any] = {"connect_args": {"timeout": BUSY_SECONDS}} if sqlite else {"pool_pre_ping": True}
        engine = create_engine(url, **options)
        if sqlite:
            event.listen(engine, "connect", _set_up_sqlite)
            event.listen(engine, "begin", _begin_immediately)
        else:
            event.listen(engine, "connect", _set_up_postgresql)
        migrate(engine)
    except ArgumentError:
        raise InputError("--database cannot be read: give sqlite:///FILE or postgresql://USER@HOST/NAME") from None
    except OperationalError as error:
        problem = str(error.orig).strip().partition("\n")[0]
        raise InputError(f"the database {make_url(address).render_as_string()} cannot be opened: {problem}") from None
    return engine


def migrate(engine: Engine) -> None:
    """Bring the tables to the present version."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    with engine.connect() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        connection.commit()


def _set_up_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # transactions begin where SQLAlchemy says (`_begin_immediately`)
    cursor = connection.cursor()
    for line in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {line}")
    cursor.close()


def _set_up_postgresql(connection: Any, _: Any) -> None:
    """Compiling a query (`jit`) takes longer than running any of ours."""
    connection.execute("SET jit = off")
    connection.commit()


def _begin_immediately(connection: Any) -> None:
    """Take the write lock at the beginning where something will be written: two transactions that both begin by reading
    could otherwise not both be finished. Readers say so with the execution option `reads`.
    """
    options = connection.get_execution_options()
    connection.exec_driver_sql("BEGIN" if options.get("reads") else "BEGIN IMMEDIATE")
