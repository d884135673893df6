"""What a task wants of a made-up app, and when it has it."""

from __future__ import annotations

from dataclasses import dataclass, field

from saccade.train.madeup import chrome
from saccade.train.madeup.app import Item
from saccade.train.madeup.machine import Machine


@dataclass
class Goal:
    """One thing that is wanted. Questions are answered; everything else is to be seen in the app's state."""

    kind: str
    """flag, ask, extreme, rank, new, edit, delete, list, unlist, order, void or set."""
    key: int | None = None
    """The item that it is about, or the booking; none if there is no such thing."""
    name: str = ""
    category: str = ""
    """Where the task says that the item is."""
    label: str = ""
    """The button, attribute, list or setting that it is about."""
    values: dict[str, str] = field(default_factory=dict)
    """What a form is to say; of a setting the value."""
    answer: str = ""
    place: int = 0
    way: str = ""
    absent: bool = False
    """Is something asked for that is not offered?"""
    before: int = 0
    """How many there were before: a new one makes it more."""

    @property
    def impossible(self) -> bool:
        return self.absent or (self.key is None and self.kind not in ("new", "set", "extreme", "rank"))


def done(goal: Goal, m: Machine) -> bool:
    """Does the app hold what is wanted?"""
    app = m.app
    if goal.impossible or goal.kind in ("ask", "extreme", "rank"):
        return False
    match goal.kind:
        case "flag":
            return goal.label in app.named(goal.key or 0).flags
        case "delete":
            return all(each.key != goal.key for each in app.items)
        case "list" | "unlist":
            return (goal.key in app.lists[goal.label]) == (goal.kind == "list")
        case "set":
            return app.settings[goal.label].value == goal.values["value"]
        case "void":
            return app.bookings[goal.key or 0].cancelled
        case "order":
            made = app.bookings[goal.before :]
            return any(each.item == goal.name and goal.values.items() <= each.chosen.items() for each in made)
        case "new":
            return len(app.items) > goal.before and goal.values.items() <= told(m, app.items[0]).items()
    return goal.values.items() <= told(m, app.named(goal.key or 0)).items()


def told(m: Machine, item: Item) -> dict[str, str]:
    """An item as a form tells it."""
    values = {name: text for name, (_, text) in item.values.items()}
    return values | {chrome.name_key(m.app): item.name, chrome.category_key(m.app): item.category}
