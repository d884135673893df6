"""What one does who knows the task and sees the screen: one move at a time, and from any screen."""

from __future__ import annotations

from dataclasses import dataclass

from saccade.train.madeup import chrome
from saccade.train.madeup.goals import Goal
from saccade.train.madeup.machine import ROOTS, Machine
from saccade.train.madeup.widgets import LEAST, Op

BACK: Op = ("back",)


@dataclass
class Move:
    """What to do next: tap what does `op`, or something that needs no element."""

    kind: str
    """open, tap, type, enter, back, up, down, answer, fail or done."""
    op: Op = ()
    text: str = ""
    noted: str = ""
    about: str = ""
    """What is looked for, where one scrolls or goes back."""


def tap(m: Machine, op: Op, about: str = "") -> Move:
    """Tap it, or bring it into view first."""
    page = m.page
    if page.find(op) is not None:
        return Move("tap", op)
    widget = page.hidden(op)
    if widget is None:
        return Move("back", BACK, about=about)
    return Move("up" if widget.box.y1 - page.offset > page.y1 - LEAST else "down", about=about or widget.text)


def next_move(m: Machine, goal: Goal) -> Move:
    """The next one towards a goal."""
    if m.popup:
        return Move("tap", ("dismiss",))
    if not m.opened:
        return Move("open")
    if m.top.name == "tabs":
        return tap(m, ("tab", tab_of(m, goal)))
    return MOVES[goal.kind](m, goal)


def tab_of(m: Machine, goal: Goal) -> str:
    """The main screen that a goal is reached from."""
    tabs = {"set": "settings", "void": "mine", "unlist": "lists", "rank": "rank"}
    first = "search" if m.app.search == "tab" and goal.kind not in ("new", "extreme") else m.app.tabs[0]
    return tabs.get(goal.kind, first)


def to_tab(m: Machine, name: str) -> Move:
    if len(m.stack) > 1:
        return Move("back", BACK)
    return tap(m, ("go", "tabs") if m.app.tabs_at == "menu" else ("tab", name))


# -- finding things ----------------------------------------------------------------------------------------------------


def find_item(m: Machine, goal: Goal) -> Move | None:
    """Towards an item's page; none if it is there."""
    app, screen, key = m.app, m.top.name, str(goal.key)
    if screen == "item" and m.top.arg == key:
        return None
    row: Op = ("go", "item", key)
    if screen in ("list", "cats", "cat", "search", "rank", "collection") and m.page.find(row):
        return Move("tap", row)
    if screen == "search" or (screen == app.tabs[0] and app.search == "field"):
        return look_up(m, goal, row)
    if screen == "cat":
        return scan(m, goal, row) if m.top.arg == goal.category else Move("back", BACK, about=goal.name)
    if screen != app.tabs[0]:
        return to_tab(m, app.tabs[0]) if screen in ROOTS else Move("back", BACK, about=goal.name)
    if app.search == "icon":
        return tap(m, ("go", "search"))
    if app.search == "tab":
        return to_tab(m, "search") if app.tabs_at != "menu" else tap(m, ("go", "tabs"))
    if app.home == "cats":
        return tap(m, ("go", "cat", goal.category))
    if app.home == "chips" and m.chip != (goal.category if goal.category in app.categories[:4] else ""):
        return tap(m, ("chip", goal.category if goal.category in app.categories[:4] else ""))
    return scan(m, goal, row)


def scan(m: Machine, goal: Goal, row: Op) -> Move:
    """Go through a list; at its end what is not there is missing."""
    if goal.key is None:
        return Move("fail") if m.page.offset >= m.page.far - 1 else Move("up", about=goal.name)
    return tap(m, row, goal.name)


def look_up(m: Machine, goal: Goal, row: Op) -> Move:
    """Search for a name."""
    if m.query and m.query != goal.name:
        return Move("tap", ("clear", "query"))
    if not m.query:
        return Move("type", text=goal.name) if m.focus == "query" else Move("tap", ("focus", "query"))
    if m.asked != m.query:
        return Move("enter") if m.focus == "query" else Move("tap", ("focus", "query"))
    return scan(m, goal, row)


def press(m: Machine, goal: Goal, op: Op, inside: str) -> Move:
    """A button of an item's page, or of the menu behind it."""
    key = str(goal.key)
    if m.top.name == "menu" and m.top.arg == key:
        return tap(m, op)
    if (found := find_item(m, goal)) is not None:
        return found
    return tap(m, ("go", "menu", key) if m.app.place[inside] == "more" else op)


# -- what is wanted ----------------------------------------------------------------------------------------------------


def flag(m: Machine, goal: Goal) -> Move:
    return press(m, goal, ("flag", str(goal.key), goal.label), goal.label)


def delete(m: Machine, goal: Goal) -> Move:
    op: Op = ("delete", str(goal.key))
    if m.top.name == "delete" and m.top.arg == str(goal.key):
        return tap(m, op)
    return press(m, goal, ("go", *op) if m.app.asks else op, "delete")


def put_on_list(m: Machine, goal: Goal) -> Move:
    if m.top.name == "addto" and m.top.arg == str(goal.key):
        return tap(m, ("listed", str(goal.key), goal.label))
    return press(m, goal, ("go", "addto", str(goal.key)), "addto")


def take_off_list(m: Machine, goal: Goal) -> Move:
    key = str(goal.key)
    if m.top.name == "item" and m.top.arg == key and m.stack[-2].name == "collection":
        return tap(m, ("takeout", key, goal.label))
    if m.top.name == "collection" and m.top.arg == goal.label:
        return tap(m, ("go", "item", key), goal.name)
    return tap(m, ("go", "collection", goal.label)) if m.top.name == "lists" else to_tab(m, "lists")


def ask(m: Machine, goal: Goal) -> Move:
    if (found := find_item(m, goal)) is not None:
        return found
    seen = [widget.text for widget, box in m.page.walk() if box.height >= LEAST]
    if goal.label in seen and goal.answer in seen[seen.index(goal.label) :]:
        return Move("answer", text=goal.answer, noted=goal.answer)
    return Move("up", about="?")


def rank(m: Machine, goal: Goal) -> Move:
    if m.top.name != "rank":
        return to_tab(m, "rank")
    op: Op = ("go", "item", str(goal.key))
    return Move("answer", text=goal.answer, noted=goal.answer) if m.page.find(op) else Move("up", about="?")


def extreme(m: Machine, goal: Goal) -> Move:
    """Sort where that can be done; else read all of the list, and keep the best so far in mind."""
    app, screen = m.app, m.top.name
    if screen == "sort":
        return tap(m, ("sorted", goal.way))
    if screen != ("cat" if app.home == "cats" else "list") or (screen == "cat" and m.top.arg != goal.category):
        if screen == "cats":
            return tap(m, ("go", "cat", goal.category))
        return to_tab(m, app.tabs[0])
    if app.home == "chips" and m.chip != goal.category:
        return tap(m, ("chip", goal.category))
    if app.sorts and m.order != goal.way:
        return tap(m, ("go", "sort"))
    if app.sorts:
        return Move("answer", text=goal.answer, noted=goal.answer)
    page = m.page
    low = page.offset + page.y1
    keys = [int(each.op[2]) for each in page.body if each.box.y0 + 40 < low]
    items = [app.named(key) for key in keys]
    best = (max if goal.way == "down" else min)(items, key=lambda item: item.values[app.shown.name][0])
    if page.offset >= page.far - 1:
        return Move("answer", text=goal.answer, noted=goal.answer)
    return Move("up", about="?", noted=f"{best.name} {best.values[app.shown.name][1]}")


def fill(m: Machine, goal: Goal, kind: str) -> Move:
    """The next field of a form that is not right yet, then what sends it off."""
    key = str(goal.key) if goal.kind != "new" else ""
    if m.top.name == "pick":
        wanted = goal.values.get(m.top.arg)
        if wanted is None or m.form[m.top.arg].value == wanted:
            return Move("back", BACK)
        return tap(m, ("choose", m.top.arg, wanted)) if wanted in m.form[m.top.arg].options else Move("fail")
    for spec in m.form.values():
        wanted = goal.values.get(spec.key, spec.value)
        if spec.value == wanted:
            continue
        if spec.kind == "choice":
            return tap(m, ("go", "pick", spec.key))
        if spec.kind == "stepper":
            return tap(m, ("put", spec.key, str(int(spec.value) + (1 if int(wanted) > int(spec.value) else -1))))
        if spec.value:
            return tap(m, ("clear", spec.key))
        return Move("type", text=wanted, op=("focus", spec.key)) if m.focus == spec.key else tap(m, ("focus", spec.key))
    save: Op = ("save", kind, key)
    return tap(m, ("go", "pay", key) if kind == "order" and m.app.asks and m.top.name == "order" else save)


def order(m: Machine, goal: Goal) -> Move:
    if m.top.name in ("order", "pay") and m.top.arg == str(goal.key):
        return fill(m, goal, "order")
    if m.top.name == "pick" and m.stack[-2].name == "order":
        return fill(m, goal, "order")
    return find_item(m, goal) or tap(m, ("go", "order", str(goal.key)))


def edit(m: Machine, goal: Goal) -> Move:
    if m.top.name in ("edit", "pick"):
        return fill(m, goal, "edit")
    return press(m, goal, ("go", "edit", str(goal.key)), "edit")


def new(m: Machine, goal: Goal) -> Move:
    if m.top.name in ("new", "pick"):
        return fill(m, goal, "new")
    return tap(m, ("go", "new")) if m.top.name == m.app.tabs[0] else to_tab(m, m.app.tabs[0])


def void(m: Machine, goal: Goal) -> Move:
    op: Op = ("void", str(goal.key))
    if m.top.name == "void":
        return tap(m, op)
    if m.top.name == "booking" and m.top.arg == str(goal.key):
        return tap(m, ("go", *op) if m.app.asks else op)
    if m.top.name != "mine":
        return to_tab(m, "mine")
    if goal.key is None:
        return scan(m, goal, ())
    return tap(m, ("go", "booking", str(goal.key)), goal.name)


def change(m: Machine, goal: Goal) -> Move:
    value = goal.values["value"]
    if m.top.name == "setting" and m.top.arg == goal.label:
        return tap(m, ("set", goal.label, value))
    if m.top.name != "settings":
        return to_tab(m, "settings")
    choice = m.app.settings[goal.label].kind == "choice"
    return tap(m, ("go", "setting", goal.label) if choice else ("set", goal.label, value))


MOVES = {"flag": flag, "ask": ask, "extreme": extreme, "rank": rank, "new": new, "edit": edit, "delete": delete,
         "list": put_on_list, "unlist": take_off_list, "order": order, "void": void, "set": change}  # fmt: skip


def leads_to(m: Machine, op: Op) -> str:
    """The title of what a tap opens."""
    return chrome.title(m, *op[1:3])
