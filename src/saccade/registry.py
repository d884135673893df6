"""Names to objects, loaded when first asked for: built in, from a plug-in file, or from an installed package."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Generic, TypeVar, cast

from saccade.errors import InputError, MissingError
from saccade.plugins import GROUPS, installed, load_plugin, offered

T = TypeVar("T")


class Registry(Generic[T]):
    """Objects of one kind by name.

    `built_in` maps a name to the object itself, or to `module:attribute`, which is imported when it is asked for.
    Others plug in by the entry-point group `saccade.GROUP` (by default the noun with an s), or by a file (`--plugin`)
    whose mapping `SACCADE` has that group. `accepts` says whether an object is of the right kind.
    """

    def __init__(
        self,
        noun: str,
        built_in: Mapping[str, str | T],
        *,
        group: str = "",
        accepts: Callable[[object], bool] = lambda found: True,
    ) -> None:
        self.noun, self.group, self.accepts = noun, group or f"{noun}s", accepts
        self._built_in = dict(built_in)
        self._loaded: dict[str, T] = {}

    def names(self) -> list[str]:
        """Built-in names in their order, then those of plug-in files, then those of installed packages."""
        found = dict.fromkeys(self._built_in)
        found |= dict.fromkeys(self._files())
        found |= dict.fromkeys(sorted(each.name for each in installed(self.group)))
        return list(found)

    def plugged(self) -> list[str]:
        """The names that are not built in."""
        return [name for name in self.names() if name not in self._built_in]

    def get(self, name: str) -> T:
        """The object of that name; an unknown name is the user's mistake and says what there is."""
        files = self._files()
        if name in files:
            found, where = files[name]
            return self._checked(found, f"the plug-in {where}")
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def _files(self) -> dict[str, tuple[object, str]]:
        """What plug-in files bring: name → object and place."""
        files = offered(self.group)
        for name, (_, where) in files.items():
            if name in self._built_in:
                raise InputError(f"the plug-in {where}: there is a built-in {self.noun} {name!r}: choose another name")
        return files

    def _load(self, name: str) -> T:
        if name in self._built_in:
            target = self._built_in[name]
            if not isinstance(target, str):
                return target
            module, _, attribute = target.partition(":")
            return cast(T, getattr(import_module(module), attribute))
        for entry_point in installed(self.group).select(name=name):
            where = f"the plug-in {entry_point.value} of {entry_point.dist.name if entry_point.dist else 'a package'}"
            try:
                found = entry_point.load()
            except (InputError, MissingError):
                raise
            except Exception as error:
                raise InputError(f"{where} cannot be loaded ({type(error).__name__}: {error})") from error
            return self._checked(found, where)
        names = self.names()
        near = difflib.get_close_matches(name, names, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise InputError(f"unknown {self.noun} {name!r}{hint}: use one of {', '.join(names)}")

    def _checked(self, found: object, where: str) -> T:
        if not self.accepts(found):
            expected = GROUPS.get(self.group, f"a {self.noun}")
            raise InputError(f"{where}: an entry of {self.group!r} must be {expected}, got {_described(found)}")
        return cast(T, found)


def _described(found: object) -> str:
    return f"the class {found.__name__}" if isinstance(found, type) else type(found).__name__


def subclass_of(base: type) -> Callable[[object], bool]:
    """For `Registry(accepts=…)`: a class that inherits from `base`."""
    return lambda found: isinstance(found, type) and issubclass(found, base)


def instance_of(base: type) -> Callable[[object], bool]:
    """For `Registry(accepts=…)`: an object of the class `base`."""
    return lambda found: isinstance(found, base)


__all__ = ["Registry", "instance_of", "load_plugin", "subclass_of"]
