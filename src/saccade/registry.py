"""Names to objects, loaded when first asked for: built in by a table row, from outside by an entry point."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import Generic, TypeVar, cast

from saccade.errors import InputError

T = TypeVar("T")


class Registry(Generic[T]):
    """`built_in` maps a name to `module:attribute`; entry-point group `saccade.<noun>s` adds more."""

    def __init__(self, noun: str, built_in: Mapping[str, str]) -> None:
        self.noun = noun
        self._built_in = dict(built_in)
        self._loaded: dict[str, T] = {}

    def names(self) -> list[str]:
        """Built-in names in table order, then those of plug-ins."""
        extra = sorted(ep.name for ep in entry_points(group=f"saccade.{self.noun}s"))
        return [*self._built_in, *(name for name in extra if name not in self._built_in)]

    def get(self, name: str) -> T:
        """The object of that name; an unknown name is the user's mistake and says what there is."""
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def _load(self, name: str) -> T:
        if target := self._built_in.get(name):
            module, _, attribute = target.partition(":")
            return cast(T, getattr(import_module(module), attribute))
        for entry_point in entry_points(group=f"saccade.{self.noun}s", name=name):
            return cast(T, entry_point.load())
        names = self.names()
        near = difflib.get_close_matches(name, names, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise InputError(f"unknown {self.noun} {name!r}{hint}: use one of {', '.join(names)}")
