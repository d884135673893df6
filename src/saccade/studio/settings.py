"""What a studio is started with."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

from platformdirs import user_cache_dir

from saccade.errors import InputError

PORT = 8765


@dataclass(frozen=True)
class StudioSettings:
    """The folders that are shown, where the database is, and who may come in."""

    folders: tuple[Path, ...]
    """Absolute; nothing outside them is served."""
    database: str = ""
    """`sqlite:///FILE` or `postgresql://…`; empty: a file in the user's cache folder, one for each set of folders."""
    host: str = "127.0.0.1"
    port: int = PORT
    token: str = ""
    """Whoever opens the page must know it, unless the studio can be reached from this machine only; empty: none."""
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    """Signs sessions: they end with the process."""
    author: str = "me"
    """Who decides, where nobody gives a name."""

    @property
    def loopback(self) -> bool:
        """Can only this machine reach it?"""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Does a host's name or address mean this machine itself?"""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def read_folders(given: list[Path]) -> tuple[Path, ...]:
    """The folders as absolute paths without links; `InputError` for what is no folder. None given: runs, or here."""
    wanted = given or [Path("runs") if Path("runs").is_dir() else Path()]
    for folder in wanted:
        if not folder.is_dir():
            raise InputError(f"{folder} is not a folder: give folders with runs, measurements or data")
    return tuple(dict.fromkeys(folder.resolve() for folder in wanted))


def cache_folder() -> Path:
    """Where the studio keeps its own files."""
    import os  # noqa: PLC0415

    return Path(os.environ.get("SACCADE_CACHE") or user_cache_dir("saccade")) / "studio"
