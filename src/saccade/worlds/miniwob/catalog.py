"""The MiniWoB++ tasks. Their pages come from the installed `miniwob` package."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

from saccade.errors import InputError, MissingError

MINIWOB_20: tuple[str, ...] = tuple(
    """
    click-button click-button-sequence click-checkboxes click-collapsible click-dialog-2 click-link click-option
    click-tab-2 click-test-2 click-widget choose-list email-inbox-delete enter-date enter-password enter-text
    login-user navigate-tree read-table simple-arithmetic use-autocomplete
    """.split()
)
"""Twenty tasks that need reading, clicking, typing and a little memory, but neither speed nor drawing."""

RELOADED = frozenset(
    """
    book-flight book-flight-nodelay chase-circle choose-date choose-date-easy choose-date-medium choose-date-nodelay
    copy-paste-2 moving-items scroll-text scroll-text-2 simon-says social-media social-media-all social-media-some
    use-colorwheel use-colorwheel-2
    """.split()
)
"""Pages that keep state from one episode to the next (an open calendar, a scroll position, moving things): they are
reloaded for each episode."""


def task_set(name: str) -> tuple[str, ...]:
    """Tasks by the name of a set: `miniwob-20` or `all`."""
    if name == "all":
        return tasks()
    if name == "miniwob-20":
        return MINIWOB_20
    raise InputError(f"unknown set of MiniWoB tasks {name!r}: use miniwob-20 or all")


@lru_cache
def pages() -> Path:
    """The folder `html` of the installed package, with `miniwob/`, `core/` and what they need. The package is located
    but not imported: importing it would need its own browser driver.
    """
    for place in _places():
        folder = Path(place, "html")
        if (folder / "core" / "core.js").is_file():
            return folder.resolve()
    raise MissingError("the MiniWoB++ pages are not installed: run pip install --no-deps miniwob")


def _places() -> Iterator[str]:
    spec = find_spec("miniwob")
    yield from (spec.submodule_search_locations if spec else None) or ()
    try:  # a script of the same name may shadow the package
        yield str(distribution("miniwob").locate_file("miniwob"))
    except PackageNotFoundError:
        return


@lru_cache
def tasks() -> tuple[str, ...]:
    """The names of all tasks, sorted."""
    return tuple(sorted(file.stem for file in (pages() / "miniwob").glob("*.html")))


def check_task(name: str) -> str:
    """Return the name if there is such a task, else raise `InputError`."""
    known = tasks()
    if name in known:
        return name
    near = difflib.get_close_matches(name, known, n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise InputError(f"there is no MiniWoB task {name!r}{hint}: there are {len(known)}, for example click-test")
