"""Plug-ins that are one plain Python file: `--plugin FILE.py` on the command line, `load_plugin` in a program.

What a file offers stands in a module-level mapping, by group and name:

    SACCADE = {"worlds": {"counter": open_counter}, "suites": {"counter": SUITE}}

Worker processes load the same files: their paths travel in the environment variable SACCADE_PLUGINS.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import os
import re
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoints, entry_points
from pathlib import Path
from types import FrameType, ModuleType, TracebackType

from saccade.errors import InputError, MissingError
from saccade.untrusted import read_text

VARIABLE = "SACCADE_PLUGINS"
"""Environment variable: files to load, separated as in PATH."""
GROUPS: dict[str, str] = {
    "worlds": "a function open(rest, **options) that returns a World",
    "tasks": "a TaskCatalog",
    "suites": "a Suite",
    "engines": "a subclass of Engine",
    "element_sources": "a function open(**options) that returns an ElementSource",
    "players": "a function (seen, lesson, chance, step) that returns an Action",
    "paradigms": "a subclass of Paradigm",
    "profiles": "a subclass of Profile",
    "rewards": "a subclass of Reward",
    "readers": "a subclass of Dataset",
    "exporters": "a subclass of Exporter",
    "result_readers": "a class with recognises(value) and steps(value), as LineReader has them",
    "models": "a function open(rest, **options) that returns a Model",
    "policies": "a subclass of Policy",
    "process_rewards": "a function open(rest, *, policy, ledger, **options) that returns a ProcessReward",
    "backbones": "a subclass of Backbone",
    "recipes": "a Path of a folder with YAML recipes",
    "stages": "a subclass of Stage",
    "pipelines": "a Path of a folder with YAML pipelines",
    "commands": "a function or a typer.Typer",
}
"""What a plug-in can bring: the group's name, and what each of its entries must be."""


@dataclass
class Plugin:
    """A loaded file."""

    path: Path
    module: ModuleType
    offers: dict[str, dict[str, object]] = field(default_factory=dict)
    """Group → name → object."""


FILE = "plug-in "
_loaded: dict[Path, Plugin] = {}
_state = {"environment": False}


def load_plugin(path: str | Path) -> Plugin:
    """Load a plug-in file and register what its `SACCADE` mapping offers. A file that is loaded already stays."""
    file = Path(path).expanduser().resolve()
    if file in _loaded:
        return _loaded[file]
    if not file.is_file():
        raise InputError(f"there is no plug-in file {path}: --plugin takes the path of a Python file")
    plugin = Plugin(file, _run(file))
    plugin.offers = _offers(plugin)
    _loaded[file] = plugin
    return plugin


def _run(file: Path) -> ModuleType:
    """Run the file as a module of its own name, so that classes in it can be found again in this process."""
    name = (
        f"saccade_plugin_{re.sub(r'[^0-9A-Za-z_]', '_', file.stem)}_{hashlib.sha1(str(file).encode()).hexdigest()[:8]}"
    )
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise InputError(f"the plug-in {file} is no Python file: its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        sys.modules.pop(name, None)
        raise InputError(f"the plug-in {error.filename}, line {error.lineno}: not valid Python ({error.msg})") from None
    except (InputError, MissingError):
        sys.modules.pop(name, None)
        raise
    except Exception as error:
        sys.modules.pop(name, None)
        place = _place(error.__traceback__, file)
        raise InputError(
            f"the plug-in {file}, line {place}: it cannot be loaded ({type(error).__name__}: {error})"
        ) from error
    return module


def _place(trace: TracebackType | None, file: Path) -> int:
    """The innermost line of `file` in a traceback."""
    return next((line for frame, line in _frames(trace) if frame.f_code.co_filename == str(file)), 1)


def _offers(plugin: Plugin) -> dict[str, dict[str, object]]:
    """What the file's mapping holds, checked."""
    file, mapping = plugin.path, getattr(plugin.module, "SACCADE", None)
    expected = 'SACCADE = {"worlds": {"name": open_world}, …}'
    if not isinstance(mapping, Mapping):
        raise InputError(f"the plug-in {file} has no mapping of that name to say what it offers: {expected}")
    line = _line_of(file, "SACCADE")
    offers: dict[str, dict[str, object]] = {}
    for group, entries in mapping.items():
        if group not in GROUPS:
            known = ", ".join(GROUPS)
            raise InputError(f"the plug-in {file}, line {line}: there is no group {group!r}: use {known}")
        if not isinstance(entries, Mapping) or not all(isinstance(name, str) for name in entries):
            raise InputError(
                f"the plug-in {file}, line {line}: {group!r} must be a mapping from names to objects, "
                f"got {type(entries).__name__}"
            )
        offers[group] = dict(entries)
        for name in entries:
            for other in _loaded.values():
                if name in other.offers.get(group, {}):
                    raise InputError(
                        f"the plug-ins {file} and {other.path} both bring {name!r} in {group!r}: rename one"
                    )
    return offers


def _line_of(file: Path, name: str) -> int:
    """Where a module-level name is given its value, as near as a search finds it."""
    lines = read_text(file).splitlines()
    return next((at for at, text in enumerate(lines, 1) if text.startswith(name)), 1)


def offered(group: str) -> dict[str, tuple[object, str]]:
    """All objects that plug-in files bring for a group: name → object and `FILE, line N`."""
    load_environment()
    return {
        name: (found, f"{plugin.path}, line {_defined(found, plugin)}")
        for plugin in _loaded.values()
        for name, found in plugin.offers.get(group, {}).items()
    }


def source_of(found: object) -> str:
    """Where a class or function is written: `FILE, line N`; its name where that cannot be told."""
    try:
        return f"{inspect.getsourcefile(found)}, line {inspect.getsourcelines(found)[1]}"  # type: ignore[arg-type]
    except (TypeError, OSError):
        return repr(found)


def _defined(found: object, plugin: Plugin) -> int:
    """The line where a function or class of the plug-in stands; for anything else, that of its mapping."""
    with suppress(TypeError, OSError):
        if Path(inspect.getsourcefile(found) or "") == plugin.path:  # type: ignore[arg-type]
            return inspect.getsourcelines(found)[1]  # type: ignore[arg-type]
    return _line_of(plugin.path, "SACCADE")


def load_environment() -> None:
    """Load the files that SACCADE_PLUGINS names, once in a process: worker processes get their parent's plug-ins so."""
    if _state["environment"]:
        return
    _state["environment"] = True
    for path in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        load_plugin(path)


@contextmanager
def plugins_loaded(paths: Sequence[str]) -> Iterator[None]:
    """Plug-ins for the time of one command; processes that are started meanwhile load them too."""
    load_environment()
    before, variable = dict(_loaded), os.environ.get(VARIABLE)
    try:
        for path in paths:
            load_plugin(path)
        if _loaded:
            os.environ[VARIABLE] = os.pathsep.join(map(str, _loaded))
        yield
    finally:
        for file in set(_loaded) - set(before):
            sys.modules.pop(_loaded.pop(file).module.__name__, None)
        if variable is None:
            os.environ.pop(VARIABLE, None)
        else:
            os.environ[VARIABLE] = variable


# -- whose mistake an exception is ------------------------------------------------------------------------------------


def blamed(error: BaseException, excused: tuple[type[BaseException], ...] = ()) -> InputError | None:
    """An error of plug-in code as one sentence with its file, line and what was expected; None if it is not one.

    The innermost frame of the traceback that lies in a plug-in file, or in a package that plugs in by an entry point,
    is where the user has to look. A call that its function does not take is the function's mistake if that is theirs.
    An error in our own code while a plug-in file is loaded most likely comes from a value that the file gave us.
    `excused` are exceptions that plug-ins may raise: a world that broke, a model that does not answer.
    """
    if isinstance(error, (InputError, MissingError, *excused)):
        return None
    frames = list(_frames(error.__traceback__))
    for frame, line in frames:
        owner = _owner(frame.f_code.co_filename)
        if owner and (owner == FILE or not isinstance(error, OSError)):
            where = f"the {owner}{frame.f_code.co_filename}, line {line}, in {frame.f_code.co_qualname}"
            return InputError(f"{where}: {_said(error)}{_expected(frame)}")
    if isinstance(error, TypeError) and (found := _called(str(error))) is not None:
        file, line, name, base = found
        return InputError(f"the plug-in {file}, line {line}, in {name}: {error}{base}")
    if _loaded and frames and not isinstance(error, OSError):
        frame, line = frames[0]
        return InputError(
            f"{_said(error)} (at {frame.f_code.co_filename}, line {line}): the plug-in {', '.join(map(str, _loaded))} "
            "may have given something of the wrong type"
        )
    return None


def _frames(trace: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    """Frames with their lines, innermost first."""
    yield from reversed(list(traceback.walk_tb(trace)))


def _owner(filename: str) -> str:
    """Whose file it is, as words for a message; empty for our own files and everybody else's."""
    path = Path(filename)
    if path in _loaded:
        return FILE
    for name, folder in _packages().items():
        if path.is_relative_to(folder):
            return f"plug-in package {name}, "
    return ""


_all_installed = cache(entry_points)
"""Read once: it takes a file of every installed package."""


@cache
def installed(group: str) -> EntryPoints:
    """What installed packages offer in a group."""
    return _all_installed().select(group=f"saccade.{group}")


def _packages() -> dict[str, Path]:
    """Packages with entry points for us, and where they lie, as far as they are loaded."""
    ours = Path(__file__).parent
    found: dict[str, Path] = {}
    for group in GROUPS:
        for entry_point in installed(group):
            top = entry_point.module.partition(".")[0]
            place = getattr(sys.modules.get(top), "__file__", None)
            if place and (folder := Path(place).parent) != ours and Path(place).stem == "__init__":
                found[top] = folder
    return found


def _said(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _expected(frame: FrameType) -> str:
    """What a method that overrides one of ours must do: the signature of ours."""
    self = frame.f_locals.get("self")
    return _signature(type(self), frame.f_code.co_name) if self is not None else ""


def _signature(kind: type, method: str) -> str:
    for base in kind.__mro__:
        if base.__module__.startswith("saccade.") and callable(own := base.__dict__.get(method)):
            try:
                return f" (expected: {base.__name__}.{method}{inspect.signature(own)})"
            except (TypeError, ValueError):
                return ""
    return ""


def _called(message: str) -> tuple[Path, int, str, str] | None:
    """The plug-in's function of which Python says that it does not take such arguments: file, line, name, expected."""
    if (match := re.match(r"([A-Za-z_][\w.]*)\(\) (?:takes|got|missing)", message)) is None:
        return None
    for plugin in _loaded.values():
        found: object = plugin.module
        *outer, last = match[1].split(".")
        kind: object = None
        for part in outer:
            kind = found = getattr(found, part, None)
        function = getattr(found, last, None)
        code = getattr(function, "__code__", None)
        if code is not None and code.co_filename == str(plugin.path):
            base = _signature(kind, last) if isinstance(kind, type) else ""
            return plugin.path, code.co_firstlineno, match[1], base
    return None
