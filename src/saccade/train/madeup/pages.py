"""The screens of made-up apps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from saccade.geometry import Box
from saccade.train.madeup.app import App, Field, Item
from saccade.train.madeup.chrome import bar, category_key, dialog, home, name_key, root, seek, title, told
from saccade.train.madeup.widgets import Op, Page, Widget

if TYPE_CHECKING:
    from saccade.train.madeup.machine import Machine


def fields(app: App, kind: str, arg: str) -> dict[str, Field]:
    """A form as it is opened."""
    if kind == "order":
        return {each.key: replace(each) for each in app.choices}
    item = app.named(int(arg)) if kind == "edit" else None
    found = [Field(name_key(app), "text", (), item.name if item else "")]
    for each in app.attributes[:4]:
        value = item.values[each.name][1] if item and each.name in item.values else ""
        found.append(Field(each.name, "choice" if each.kind == "of" else "text", each.arguments, value))
    found.append(Field(category_key(app), "choice", tuple(app.categories), item.category if item else ""))
    return {each.key: each for each in found}


def page(m: Machine) -> Page:
    """What the machine shows now."""
    if m.popup:
        heading, text, away, on = m.popup
        return dialog(m, heading, text, away, ("dismiss",), on, ("noop",))
    if not m.opened:
        return home(m)
    name = m.top.name
    if name in ("delete", "void", "pay"):
        asks = {"delete": (m.app.label["delete"], ("delete", m.top.arg)),
                "void": (m.app.label["yes"], ("void", m.top.arg)),
                "pay": (m.app.label["yes"], ("save", "order", m.top.arg))}[name]  # fmt: skip
        return dialog(
            m, title(m, name), m.app.t("Please confirm.", "请确认。"), m.app.label["cancel"], ("back",), *asks
        )
    if name in ("menu", "pick", "setting", "addto", "sort", "tabs"):
        return sheet(m, name)
    return SCREENS[name](m)


def sheet(m: Machine, name: str) -> Page:
    """A list of choices at the foot of the screen."""
    app, arg = m.app, m.top.arg
    rows: list[tuple[str, Op, bool]] = []
    if name == "menu":
        rows = [(label, op, False) for label, op in actions(m, app.named(int(arg)), ("more",))]
    elif name == "pick":
        rows = [(each, ("choose", arg, each), each == m.form[arg].value) for each in m.form[arg].options]
    elif name == "setting":
        spec = app.settings[arg]
        rows = [(each, ("set", arg, each), each == spec.value) for each in spec.options]
    elif name == "addto":
        rows = [(each, ("listed", arg, each), int(arg) in keys) for each, keys in app.lists.items()]
    elif name == "tabs":
        rows = [(app.label[each], ("tab", each), each == m.stack[0].name) for each in app.tabs]
    else:
        words = (("lowest first", "从低到高"), ("highest first", "从高到低"))
        rows = [(f"{app.shown.name}{app.t(': ', '')}{app.t(*both)}", ("sorted", way), m.order == way)
                for both, way in zip(words, ("up", "down"), strict=True)]  # fmt: skip
    height = 54 if len(rows) < 11 else 44
    y = 740 - height * len(rows)
    top = [Widget("button", app.label["close"], Box(0, 0, 360, y - 56), ("back",), caption=app.label["close"]),
           Widget("heading", title(m, name, arg), Box(8, y - 36, 352, y - 12))]  # fmt: skip
    for at, (label, op, on) in enumerate(rows):
        kind = "option" if app.radio and name in ("pick", "setting", "sort") else "button"
        box = Box(0, y + at * height, 360, y + (at + 1) * height)
        top.append(Widget(kind, label, box, op, state="selected" if on and name != "menu" else ""))
    return Page(title(m, name, arg), top, y0=0, y1=0, sheet=True)


def actions(m: Machine, item: Item, places: tuple[str, ...]) -> list[tuple[str, Op]]:
    """What can be done with an item in these places of its page."""
    app, key = m.app, str(item.key)
    found: list[tuple[str, Op]] = []
    for verb in app.verbs:
        if app.place[verb.label] in places:
            on = verb.label in item.flags
            found.append(
                (app.t(f"Undo: {verb.label}", f"取消{verb.label}") if on else verb.label, ("flag", key, verb.label))
            )
    ops: dict[str, Op] = {"edit": ("go", "edit", key), "delete": ("go", "delete", key) if app.asks else ("delete", key),
                          "addto": ("go", "addto", key)}  # fmt: skip
    found += [(app.label[each], op) for each, op in ops.items() if app.place[each] in places]
    return found


def results(m: Machine) -> list[Item]:
    """What a search finds; some apps also show what is only like it."""
    asked = m.asked.strip().casefold()
    found = [each for each in m.app.items if asked in each.name.casefold()]
    if m.app.fuzzy:
        part = asked[:2] if m.app.zh else asked.split(" ")[0]
        found += [each for each in m.app.items if each not in found and part in each.name.casefold()]
    return found


def rows(m: Machine, found: Page, items: list[Item], numbered: bool = False) -> None:
    app = m.app
    if not items:
        found.body.append(Widget("text", app.label["nothing"], found.next(40, 30, 60, 300)))
    for at, item in enumerate(items):
        key, value = str(item.key), item.values.get(app.shown.name, (0, ""))[1]
        name = f"{at + 1}. {item.name}" if numbered else item.name
        hold: Op = ("go", "menu", key) if app.holds and actions(m, item, ("more",)) else ()
        found.row(name, ("go", "item", key), app.row, app.inset, sub=(value,) if value else (), hold=hold)


def ordered(m: Machine, items: list[Item]) -> list[Item]:
    if not m.order:
        return items
    return sorted(items, key=lambda item: item.values.get(m.app.shown.name, (0, ""))[0], reverse=m.order == "down")


def browse(m: Machine) -> Page:
    """Everything, or the categories."""
    app = m.app
    icons: list[tuple[str, Op]] = []
    if app.search == "icon":
        icons.append((app.label["find"], ("go", "search")))
    if app.sorts and app.home != "cats":
        icons.append((app.label["sort"], ("go", "sort")))
    if app.new_at == "bar":
        icons.append((app.label["new"], ("go", "new")))
    found = root(m, icons, app.search == "field")
    if m.asked and app.search == "field":
        rows(m, found, results(m))
    elif app.home == "cats":
        for each in app.categories:
            count = sum(item.category == each for item in app.items)
            found.row(each, ("go", "cat", each), app.row, app.inset, sub=(str(count),))
    else:
        items = app.items
        if app.home == "chips":
            chips = [app.t("All", "全部"), *app.categories[:4]]
            width = 352 / len(chips)
            found.top += [Widget("tab", each, Box(4 + width * at, found.y0 + 4, width * (at + 1), found.y0 + 40),
                                 ("chip", each if at else ""),
                                 state="selected" if m.chip == (each if at else "") else "")
                          for at, each in enumerate(chips)]  # fmt: skip
            found.y0 += 46
            items = [each for each in items if m.chip in ("", each.category)]
        rows(m, found, ordered(m, items))
    if app.new_at == "float":
        low = found.y1 - 60
        found.foot.insert(
            0, Widget("button", app.label["new"], Box(292, low, 348, low + 52), ("go", "new"), caption=app.label["new"])
        )
    return found


def search(m: Machine) -> Page:
    if len(m.stack) > 1:
        found = Page(title(m, "search"), bar(m, title(m, "search"), []))
        seek(m, found)
    else:
        found = root(m, [], True)
    if m.asked:
        rows(m, found, results(m))
    return found


def category(m: Machine) -> Page:
    icons: list[tuple[str, Op]] = [(m.app.label["sort"], ("go", "sort"))] if m.app.sorts else []
    found = Page(m.top.arg, bar(m, m.top.arg, icons))
    rows(m, found, ordered(m, [each for each in m.app.items if each.category == m.top.arg]))
    return told(m, found)


def ranking(m: Machine) -> Page:
    found = root(m, [])
    rows(m, found, ranked(m.app), numbered=m.app.numbered)
    return found


def ranked(app: App) -> list[Item]:
    """The order of the charts, which is nobody's business."""
    return sorted(app.items, key=lambda item: (item.key * 7919 + len(app.name) * 31) % 101)[:10]


def item_page(m: Machine) -> Page:
    app, item = m.app, m.app.named(int(m.top.arg))
    icons = actions(m, item, ("bar",))
    if actions(m, item, ("more",)):
        icons.append((app.label["more"], ("go", "menu", m.top.arg)))
    found = Page(item.name, bar(m, app.domain.item.capitalize() if app.icons else item.name, icons))
    found.body.append(Widget("text", item.name, found.next(24, 20, 20, 340)))
    found.body.append(Widget("text", item.category, found.next(18, 2, 20, 340)))
    order = (app.domain.order.label, ("go", "order", m.top.arg))
    buttons = [*([] if app.order_late else [order]), *actions(m, item, ("page",))]
    if len(m.stack) > 1 and m.stack[-2].name == "collection":
        buttons.append((app.label["takeout"], ("takeout", m.top.arg, m.stack[-2].arg)))
    for label, op in buttons:
        found.body.append(Widget("button", label, found.next(46, 8, 12, 348), op))
    found.body.append(Widget("heading", app.label["details"], found.next(42, 8)))
    for name, (_, value) in item.values.items():
        pair(found, name, value)
    if app.order_late:
        found.foot.append(Widget("button", order[0], Box(12, 698, 348, 744), order[1]))
        found.y1 = 690
    return told(m, found)


def pair(found: Page, name: str, value: str) -> None:
    """What something is called, and what it is, side by side."""
    left = found.next(44, 4, 20, 170)
    found.body.append(Widget("text", name, left))
    found.body.append(Widget("text", value, Box(180, left.y0, 340, left.y1)))


def form(m: Machine) -> Page:
    """Something to fill in: a new item, an old one, or an order."""
    app, kind = m.app, m.top.name
    save: Op = ("save", kind, m.top.arg)
    label = app.label["pay"] if kind == "order" else app.label["save"]
    if kind == "order" and app.asks:
        save = ("go", "pay", m.top.arg)
    found = Page(title(m, kind), bar(m, title(m, kind), [(label, save)] if app.save_on_top else []))
    if kind == "order":
        found.body.append(Widget("text", app.named(int(m.top.arg)).name, found.next(30, 12, 16, 344)))
    for each in m.form.values():
        if each.kind == "text":
            left = found.next(42, 12, 16, 104)
            found.body.append(Widget("text", each.key, left))
            box = Box(118, left.y0, 300 if each.value else 344, left.y1)
            state = "focused" if m.focus == each.key else ""
            found.body.append(
                Widget("input", each.value or each.key, box, ("focus", each.key), state=state, caption=each.key)
            )
            if each.value:
                clear = Box(314, left.y0 + 1, 354, left.y0 + 41)
                found.body.append(
                    Widget("button", app.label["clear"], clear, ("clear", each.key), caption=app.label["clear"])
                )
        elif each.kind == "stepper":
            count, left = int(each.value), found.next(44, 12, 16, 150)
            found.body.append(Widget("text", each.key, left))
            less: Op = ("put", each.key, str(count - 1)) if count > 1 else ()
            found.body.append(Widget("button", "−", Box(200, left.y0, 240, left.y1), less))
            found.body.append(Widget("text", each.value, Box(244, left.y0, 290, left.y1)))
            found.body.append(Widget("button", "+", Box(296, left.y0, 336, left.y1), ("put", each.key, str(count + 1))))
        else:
            found.body.append(Widget("button", each.key, found.next(54, 8), ("go", "pick", each.key),
                                     sub=(each.value or app.t("Choose", "请选择"),)))  # fmt: skip
    if not app.save_on_top:
        found.foot.append(Widget("button", label, Box(12, 698, 348, 744), save))
        found.y1 = 690
    return found


def mine(m: Machine) -> Page:
    found = root(m, [])
    for each in m.app.bookings:
        if not each.cancelled:
            chosen = next(iter(each.chosen.values()), "")
            found.row(
                each.item, ("go", "booking", str(each.key)), m.app.row, m.app.inset, sub=(chosen,) if chosen else ()
            )
    return found


def booking(m: Machine) -> Page:
    app, entry = m.app, m.app.bookings[int(m.top.arg)]
    found = Page(entry.item, bar(m, entry.item, []))
    for name, value in entry.chosen.items():
        pair(found, name, value)
    op: Op = ("go", "void", m.top.arg) if app.asks else ("void", m.top.arg)
    found.body.append(Widget("button", app.label["share"], found.next(46, 20, 12, 348), ("noop",)))
    found.body.append(Widget("button", app.label["void"], found.next(46, 8, 12, 348), op))
    return found


def success(m: Machine) -> Page:
    heading = title(m, "ordered")
    found = Page(heading, bar(m, heading, []))
    found.body.append(Widget("text", m.app.named(int(m.top.arg)).name, found.next(30, 60, 16, 344)))
    found.body.append(Widget("text", m.app.t("See you soon!", "期待您的光临！"), found.next(30, 8, 16, 344)))
    return found


def collections(m: Machine) -> Page:
    found = root(m, [])
    for name, keys in m.app.lists.items():
        found.row(name, ("go", "collection", name), m.app.row, m.app.inset, sub=(str(len(keys)),))
    return found


def collection(m: Machine) -> Page:
    found = Page(m.top.arg, bar(m, m.top.arg, []))
    rows(m, found, [m.app.named(key) for key in m.app.lists[m.top.arg]])
    return told(m, found)


def settings(m: Machine) -> Page:
    found = root(m, [])
    for each in m.app.settings.values():
        if each.kind == "switch":
            left = found.next(52, 0 if found.body else 12, 16, 270)
            found.body.append(Widget("text", each.key, left))
            found.body.append(Widget("switch", each.key, Box(292, left.y0 + 6, 344, left.y1 - 6),
                                     ("set", each.key, "" if each.value else "on"),
                                     state="checked" if each.value else "", caption=each.key))  # fmt: skip
        else:
            found.row(each.key, ("go", "setting", each.key), 54, 0, sub=(each.value,))
    return found


SCREENS = {"list": browse, "cats": browse, "search": search, "cat": category, "rank": ranking, "item": item_page,
           "new": form, "edit": form, "order": form, "mine": mine, "booking": booking, "ordered": success,
           "lists": collections, "collection": collection, "settings": settings}  # fmt: skip
