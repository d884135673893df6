"""What an app declares: its screens, its commands, its data, and how each part of the data can be changed.

An app only declares. `state_machine` runs it, the page draws it with a UI kit, and `planner` reads the same
declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from saccade_phone.goal_changes import Fields, Way
from saccade_phone.seeded_random import Draw
from saccade_phone.widgets import Op, Page

State = dict[str, Any]
Data = dict[str, Any]
T = TypeVar("T")


class View:
    """What a screen function may read. It must not change anything."""

    __slots__ = ("app", "args", "form", "language", "state")

    def __init__(self, state: State, app: str, args: Mapping[str, Any], form: dict[str, Any]) -> None:
        self.state = state
        self.app = app
        self.args = args
        self.form = form
        self.language: str = state["language"]

    def t(self, en: T, zh: T) -> T:
        """The words for the phone's language."""
        return zh if self.language == "zh" else en

    @property
    def data(self) -> Data:
        """This app's data."""
        data: Data = self.state["apps"][self.app]
        return data

    def other(self, app: str) -> Data:
        """Another app's data, to read."""
        data: Data = self.state["apps"][app]
        return data

    @property
    def now(self) -> datetime:
        return datetime.fromisoformat(self.state["now"])


def json_copy(data: T) -> T:
    """A deep copy through JSON, which also ensures that the data holds nothing but JSON."""
    copied: T = msgspec.json.decode(msgspec.json.encode(data))
    return copied


class CommandContext(View):
    """What a command function gets: it may change `data` and `form`, open or close screens, and show a toast.

    States share the data of apps (`shared_copy`), so a command changes a copy that it puts in place.
    """

    __slots__ = ("_own", "moves", "said")

    def __init__(self, state: State, app: str, args: Mapping[str, Any], form: dict[str, Any]) -> None:
        super().__init__(state, app, args, form)
        self.moves: list[Op] = []
        self.said = ""
        self._own: set[str] = set()

    @property
    def data(self) -> Data:
        """This app's data, to change."""
        return self.other(self.app)

    def other(self, app: str) -> Data:
        """Another app's data, to change."""
        apps = self.state["apps"]
        if app not in self._own:
            self._own.add(app)
            apps[app] = json_copy(apps[app])
        data: Data = apps[app]
        return data

    def then(self, *ops: Op) -> None:
        """Navigation after the command: `back()`, `go(...)`, `tab(...)`, in this order."""
        self.moves.extend(ops)

    def toast(self, en: str, zh: str) -> None:
        self.said = self.t(en, zh)

    def new_id(self, prefix: str) -> str:
        """A name for a new entry, the same in every run."""
        self.state["serial"] += 1
        return f"{prefix}-new{self.state['serial']}"


ViewFunction = Callable[[View], Page]
FormFunction = Callable[[View], dict[str, Any]]
CommandFunction = Callable[..., None]
CreateWay = Callable[[View, Fields], Way]
UpdateWay = Callable[[View, str, Fields], Way]
RemoveWay = Callable[[View, str], Way]
ValueWay = Callable[[View, Any], Way]


@dataclass
class ScreenSpec:
    view: ViewFunction
    style: str = "page"
    form: FormFunction | None = None
    """The form's values when the screen opens."""
    opened: Callable[[CommandContext], None] | None = None
    """A side effect of opening it, such as marking a mail as read. It may change volatile data only."""


@dataclass
class Collection:
    """Entries by id, and how one is created, updated and removed. None: the app cannot do that."""

    create: CreateWay | None = None
    update: UpdateWay | None = None
    remove: RemoveWay | None = None
    volatile: tuple[str, ...] = ()
    """Fields that the judge ignores: read marks, times."""
    defaults: Fields = field(default_factory=dict)
    """What a new entry's fields must be where the task does not name them."""


@dataclass
class App:
    """An app's declaration. `kit` is its usual UI kit; a theme may use another."""

    id: str
    en: str
    zh: str
    icon: str
    tint: str
    kit: str
    home: str = "home"
    screens: dict[str, ScreenSpec] = field(default_factory=dict)
    commands: dict[str, CommandFunction] = field(default_factory=dict)
    collections: dict[str, Collection] = field(default_factory=dict)
    values: dict[str, ValueWay] = field(default_factory=dict)
    volatile: set[str] = field(default_factory=set)
    """Parts of the data that the judge ignores: search history, the song played last."""
    seeder: Callable[[Draw], Data] = lambda _: {}

    def name(self, language: str) -> str:
        return self.zh if language == "zh" else self.en

    def seed(self, function: Callable[[Draw], Data]) -> Callable[[Draw], Data]:
        """Decorator: the function that draws the app's data for a phone."""
        self.seeder = function
        return function

    def screen(
        self,
        name: str,
        *,
        style: str = "page",
        form: FormFunction | None = None,
        opened: Callable[[CommandContext], None] | None = None,
    ) -> Callable[[ViewFunction], ViewFunction]:
        """Decorator: a screen (or a sheet or dialog, by `style`)."""

        def register(function: ViewFunction) -> ViewFunction:
            self.screens[name] = ScreenSpec(function, style, form, opened)
            return function

        return register

    def command(self, name: str) -> Callable[[CommandFunction], CommandFunction]:
        """Decorator: a function `(hand, **args)` that changes the data."""

        def register(function: CommandFunction) -> CommandFunction:
            self.commands[name] = function
            return function

        return register

    def holds(
        self,
        name: str,
        *,
        create: CreateWay | None = None,
        update: UpdateWay | None = None,
        remove: RemoveWay | None = None,
        volatile: tuple[str, ...] = (),
        defaults: Fields | None = None,
    ) -> None:
        """Declare a collection: `data[name]` is a dict of entries (dicts) by id."""
        self.collections[name] = Collection(create, update, remove, volatile, defaults or {})

    def value(self, name: str, way: ValueWay) -> None:
        """Declare a single value, `data[name]`, and how it is changed."""
        self.values[name] = way

    def forgets(self, *names: str) -> None:
        """Declare parts of the data as volatile."""
        self.volatile.update(names)
