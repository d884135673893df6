"""What a world is: something real to look at and act on.

A failed action is part of the next observation (`error`), never an exception. An exception means that the world itself
broke; such runs never count as failures of an agent.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, overload

from saccade.actions import Action, ActionType
from saccade.errors import InputError
from saccade.paradigms.verbs import Space
from saccade.plugins import source_of
from saccade.types import Element
from saccade.worlds.observation import Observation
from saccade.worlds.secrets import NO_SECRETS, Vault
from saccade.worlds.teachers import Teacher

__all__ = [
    "CurrentTarget",
    "InfrastructureError",
    "LazyElements",
    "Observation",
    "World",
    "check_observation",
    "submits",
]


class InfrastructureError(Exception):
    """The world broke: a browser died, a device was unplugged. `reset` may bring it back."""


_BREAK = re.compile(r"[\t\n\v\f\r\x85\u2028\u2029]")
_SENDING_KEYS = frozenset(("enter", "return", "numpadenter", "center", "dpadcenter"))


def key_name(key: str) -> str:
    """A key or chord under one name, however it is written: the worlds are lenient.

    >>> key_name("Ctrl + Return"), key_name("KEYCODE_BACK")
    ('ctrl+enter', 'back')
    """
    parts = [re.sub(r"[\s_-]+", "", part.lower()).removeprefix("keycode") for part in key.split("+")]
    return "+".join("enter" if part in _SENDING_KEYS else part for part in parts)


def submits(action: Action) -> bool:
    """Does it send off what was written? A line break is an enter key, and a tab leaves the field."""
    if action.type == "press":
        return "enter" in key_name(str(action.key)).split("+") or not str(action.key).strip()
    return action.type == "type" and (bool(action.submit) or _BREAK.search(action.text or "") is not None)


@dataclass(frozen=True, slots=True)
class CurrentTarget:
    """What is at an action's target right now, which may differ from what the last screenshot shows."""

    elements: Sequence[Element] = ()
    url: str = ""
    app: str = ""
    words: tuple[str, ...] = ()
    """Texts of the nodes that would be hit, visible or not, and of the buttons of the form that would be submitted."""
    labels: tuple[str, ...] = ()
    """Those of the words that links say themselves, and not what stands around them."""
    leads: tuple[str, ...] = ()
    """Addresses of the links and forms that would be followed."""
    fields: tuple[str, ...] = ()
    """Kinds of the fields that would receive text: password, search, text."""
    control: bool = False
    """Is a link, a button or a field hit?"""
    evidence: tuple[str, ...] = ()
    """For each node that would be hit, what shows that it is harmless: `link` (a plain link, opened by GET), `page`
    (it only changes what the page shows) or `search` (a search field, or the button of a search form, sent by GET);
    empty where nothing shows it.
    """
    unknown: bool = False
    """Could it not be found out what is there? Then a person is asked, whatever else is known."""


class World(ABC):
    """Reset, act, close. Usable in a `with` statement."""

    name: ClassVar[str]
    actions: frozenset[ActionType]
    """What can be done here; anything else gives an observation with an error."""
    real: ClassVar[bool] = True
    """Do actions have effects outside a sandbox? (agents ask before risky ones)"""
    space: Space = "web"
    """Which actions are declared to a model here."""
    judges: bool = False
    """Does it say by itself whether the task was done?"""
    rule: str = "cmgui"
    """The match profile by which steps are marked right or wrong: `cmgui` accepts any of several right actions."""
    vault: Vault = NO_SECRETS
    """What may be typed here by its name alone."""
    task_options: ClassVar[frozenset[str]] = frozenset()
    """Options that `configure` can change. All others are settled when the world is opened."""

    @abstractmethod
    def reset(self, seed: int | None = None, task: str | None = None) -> Observation:
        """A fresh start; the same seed and task give the same screen."""

    @abstractmethod
    def act(self, action: Action) -> Observation: ...

    @abstractmethod
    def close(self) -> None: ...

    def current_target(self, action: Action) -> CurrentTarget | None:
        """What this action would hit now: a page may have swapped the button since the screenshot. None in worlds where
        nothing changes by itself.
        """
        return None

    def succeeded(self, seen: Observation) -> bool:
        """Was the task done, in the eyes of a world that judges?"""
        return seen.done and seen.reward > 0

    def configure(self, task: str, options: Mapping[str, Any]) -> None:
        """Take another task, with other values of `task_options`, for the next `reset`. A world that overrides this
        stays open from task to task; any other is opened and closed for each.
        """
        raise NotImplementedError(f"{type(self).__name__} is opened for each task")

    @property
    def configurable(self) -> bool:
        """Can this world take another task while it is open?"""
        return type(self).configure is not World.configure

    def teacher(self, **options: Any) -> Teacher | None:
        """Who knows the right actions here; None if nobody does. With a teacher, the oracle can act in this world,
        steps are marked right or wrong, and `saccade data collect` works.
        """
        return None

    def sandbox_state(self) -> Mapping[str, Any] | None:
        """What a sandbox knows about its own state now, as plain JSON that later actions do not change: the data of its
        applications and the screen in front, without what is only presentation. None in all other worlds. Two of them
        say what an action really did (`saccade data walk`).
        """
        return None

    def resume(
        self, done: Sequence[Action], url: str = "", seed: int | None = None, task: str | None = None
    ) -> Observation:
        """Where a run that broke off goes on. A sandbox does again what was done; real worlds do nothing twice, and go
        on from what is there.
        """
        seen = self.reset(seed, task)
        for action in done:
            seen = self.act(action)
        return seen

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def check_observation(seen: Observation, world: World, method: str) -> Observation:
    """The observation itself; a world that gave something else is told so, by its class and method."""
    if not isinstance(seen, Observation):
        own = getattr(type(world), method)
        raise InputError(
            f"{source_of(own)}: {own.__qualname__} returned {type(seen).__name__}: it must return an Observation"
        )
    return seen


class LazyElements(Sequence[Element]):
    """Elements that are found when first asked for: finding them costs time that not every agent needs to spend.

    They can only be found while their screen is still shown: `expire` is called before the next action. A world that
    found them already gives them as `found`.
    """

    def __init__(self, find: Callable[[], Sequence[Element]], found: Sequence[Element] | None = None) -> None:
        self._find: Callable[[], Sequence[Element]] | None = find
        self._found = found
        self.asked = False
        """Has anybody asked for them?"""

    @property
    def found(self) -> Sequence[Element]:
        self.asked = True
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
