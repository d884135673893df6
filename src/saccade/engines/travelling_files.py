"""Files that travel between machines: those that a try left, and the plug-in files that workers need."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from tempfile import mkdtemp

import msgspec

from saccade import plugins
from saccade.errors import InputError
from saccade.untrusted import read_bytes
from saccade.worlds.base import InfrastructureError

MOST_BYTES = 512 << 20
"""So much may one try leave. An episode on the phone leaves about 3 MB."""
SENT_VARIABLES = ("OPENAI_API_KEY", "OPENAI_BASE_URL")
"""Environment variables that workers need wherever they are: where the served model is, and the key for it. What a
machine has installed, and where, is its own affair (SACCADE_CHROMIUM, SACCADE_CACHE).
"""


def pack(folder: Path) -> dict[str, bytes]:
    """All files below a folder by their relative paths; nothing if there is no such folder."""
    files, total = dict[str, bytes](), 0
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.is_symlink():
            continue
        total += path.stat().st_size
        if total > MOST_BYTES:
            raise InfrastructureError(f"a job left more than {MOST_BYTES >> 20} MB of files: give it less to do")
        files[path.relative_to(folder).as_posix()] = read_bytes(path)
    return files


def unpack(files: Mapping[str, bytes], folder: Path) -> None:
    """Write packed files. Names that lead out of the folder are refused."""
    for name, data in files.items():
        path = PurePosixPath(name)
        if path.is_absolute() or not path.parts or ".." in path.parts or "\\" in name:
            raise InfrastructureError(f"a worker sent a file called {name!r}, which lies outside its folder")
        target = folder / path
        if any(each.is_symlink() for each in (target, *target.parents[: len(path.parts) - 1])):
            raise InfrastructureError(f"a worker sent a file called {name!r}, which would be written through a link")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


class Surroundings(msgspec.Struct):
    """What a worker needs beside its job: plug-in files and environment variables."""

    plugins: dict[str, bytes]
    """Path on the driver's machine → content."""
    variables: dict[str, str]
    paths: list[str]
    """The driver's `sys.path`: those that the worker's machine has, too, are searched after its own."""


def surroundings() -> Surroundings:
    """Those of this process."""
    paths = [Path(each) for each in os.environ.get(plugins.VARIABLE, "").split(os.pathsep) if each]
    try:
        files = {str(path): read_bytes(path) for path in paths}
    except OSError as error:
        raise InputError(f"the plug-in {error.filename} cannot be read: {error.strerror}") from None
    return Surroundings(files, {name: os.environ[name] for name in SENT_VARIABLES if name in os.environ}, sys.path)


def settle_in(given: Surroundings) -> None:
    """Take over what the driver sent. A plug-in file that this machine has at the same place, with the same content, is
    used where it is, because it may import its neighbours.
    """
    os.environ.update(given.variables)
    sys.path += [path for path in given.paths if path not in sys.path and Path(path).exists()]
    paths = []
    for at, (name, content) in enumerate(given.plugins.items()):
        path = Path(name)
        if not (path.is_file() and read_bytes(path) == content):
            path = Path(mkdtemp(prefix=f"saccade-plugin-{at}-")) / path.name
            path.write_bytes(content)
        paths.append(str(path))
    if paths:
        os.environ[plugins.VARIABLE] = os.pathsep.join(paths)
