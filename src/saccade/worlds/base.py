"""What a world is: something real to look at and act on.

A failed action is part of the next observation (`error`), never an exception. An exception means that the world itself
broke; such runs never count as failures of an agent.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self, overload

from saccade.actions import Action, ActionType
from saccade.types import Element, Screen


class InfrastructureError(Exception):
    """The world broke: a browser died, a device was unplugged. `reset` may bring it back."""


@dataclass(slots=True)
class Observation:
    """What an agent gets to know after a reset or an action."""

    screen: Screen
    url: str = ""
    app: str = ""
    error: str = ""
    """Why the last action could not be done; empty if it was."""
    events: tuple[str, ...] = ()
    """What happened besides: dialogs, new tabs, downloads, blocked requests."""
    reward: float = 0.0
    done: bool = False
    """Did the task end by itself? (worlds that judge, such as MiniWoB)"""
    instruction: str = ""
    """What is to be done, in worlds that bring their own tasks."""


class World(ABC):
    """Reset, act, close. Usable in a `with` statement."""

    name: ClassVar[str]
    actions: frozenset[ActionType]
    """What can be done here; anything else gives an observation with an error."""
    real: ClassVar[bool] = True
    """Do actions have effects outside a sandbox? (agents ask before risky ones)"""

    @abstractmethod
    def reset(self, seed: int | None = None, task: str | None = None) -> Observation:
        """A fresh start; the same seed and task give the same screen."""

    @abstractmethod
    def act(self, action: Action) -> Observation: ...

    @abstractmethod
    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class LazyElements(Sequence[Element]):
    """Elements that are found when first asked for: finding them costs time that not every agent needs to spend.

    They can only be found while their screen is still shown: `expire` is called before the next action.
    """

    def __init__(self, find: Callable[[], Sequence[Element]]) -> None:
        self._find: Callable[[], Sequence[Element]] | None = find
        self._found: Sequence[Element] | None = None

    @property
    def found(self) -> Sequence[Element]:
        if self._found is None:
            if self._find is None:
                raise LookupError("the elements of an earlier screen were never asked for, and it is gone")
            self._found = list(self._find())
            self._find = None
        return self._found

    def expire(self) -> None:
        self._find = None

    @overload
    def __getitem__(self, index: int) -> Element: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Element]: ...
    def __getitem__(self, index: int | slice) -> Element | Sequence[Element]:
        return self.found[index]

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Element]:
        return iter(self.found)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]
