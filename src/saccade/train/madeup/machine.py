"""A made-up app in use: which screen is open, what is typed, and what a touch changes."""

from __future__ import annotations

from dataclasses import dataclass, field

from saccade.actions import Action
from saccade.train.madeup import chrome, pages
from saccade.train.madeup.app import App, Booking, Field, Item
from saccade.train.madeup.widgets import Op, Page, elements_of
from saccade.types import Element

ROOTS = ("list", "cats", "mine", "lists", "rank", "settings", "search")


@dataclass
class Frame:
    """One screen of the way back."""

    name: str
    arg: str = ""
    offset: float = 0


@dataclass
class Machine:
    """An app and where one is in it."""

    app: App
    icons: list[str] = field(default_factory=list)
    """Apps in view on the home screen."""
    opened: bool = False
    stack: list[Frame] = field(default_factory=list)
    form: dict[str, Field] = field(default_factory=dict)
    focus: str = ""
    query: str = ""
    asked: str = ""
    """What is searched for: what was typed, or what was sent off."""
    chip: str = ""
    order: str = ""
    """How lists are sorted: `up` or `down` by what they show."""
    toast: str = ""
    popup: tuple[str, str, str, str] | None = None
    clock: tuple[str, str] = ("12:00", "50%")
    kept: Page | None = None

    def __post_init__(self) -> None:
        self.stack = self.stack or [Frame(self.app.tabs[0])]

    @property
    def top(self) -> Frame:
        return self.stack[-1]

    @property
    def page(self) -> Page:
        """What is on the screen."""
        if self.kept is None:
            self.kept = pages.page(self)
            if not self.popup:  # what it covers stays where it was
                self.top.offset = self.kept.offset = min(self.top.offset, self.kept.far)
        return self.kept

    def elements(self) -> list[Element]:
        return elements_of(self.page, self.app.zh, self.clock)

    # -- what is touched ------------------------------------------------------------------------------------------

    def apply(self, action: Action) -> None:
        """Do it; what nothing answers to changes nothing."""
        page, self.kept = self.page, None
        if action.type == "open_app":
            self.opened = self.opened or action.text == self.app.name
        elif action.type == "swipe":
            moved = 0.6 * (page.y1 - page.y0) * (1 if action.direction == "up" else -1)
            if action.direction in ("up", "down"):
                self.top.offset = max(0.0, self.top.offset + moved)
        elif action.type == "press" and action.key == "back":
            self.do(("back",))
        elif action.type == "press" and action.key == "enter":
            self.asked = self.query
        elif action.type == "type" and self.focus:
            self.typed(action.text or "")
        elif action.point is not None:
            widget = page.at(action.point)
            if widget is None and action.point.y > 752 and action.point.x < 120:
                self.do(("back",))
            if widget is not None:
                self.do((widget.hold if action.type == "long_press" else widget.op) or widget.op)

    def typed(self, text: str) -> None:
        if self.focus == "query":
            self.query += text
            self.asked = self.query if self.app.live else self.asked
        elif self.focus in self.form:
            self.form[self.focus].value += text

    def do(self, op: Op) -> None:
        """What a tap does."""
        kind, rest = op[0], op[1:]
        self.toast = ""
        if kind not in ("focus", "clear", "put"):
            self.focus = ""
        getattr(self, f"do_{kind}")(*rest)

    def do_noop(self, *_: str) -> None:
        """A button that leads nowhere here."""

    def do_dismiss(self, *_: str) -> None:
        self.popup = None

    def do_open(self, name: str) -> None:
        self.opened = self.opened or name == self.app.name

    def do_back(self) -> None:
        if self.popup:
            self.popup = None
        elif len(self.stack) > 1:
            self.leave()
        elif self.query or self.asked:
            self.query = self.asked = ""

    def leave(self) -> None:
        left = self.stack.pop()
        if left.name in ("new", "edit", "order"):
            self.form = {}
        if left.name == "search":
            self.query = self.asked = ""

    def do_tab(self, name: str) -> None:
        self.stack, self.query, self.asked, self.form = [Frame(name)], "", "", {}

    def do_go(self, name: str, arg: str = "") -> None:
        if self.top.name in ("menu", "more"):
            self.stack.pop()
        self.stack.append(Frame(name, arg))
        if name in ("new", "edit", "order"):
            self.form = pages.fields(self.app, name, arg)
        if name == "search" and self.app.ready:
            self.focus = "query"

    def do_chip(self, name: str) -> None:
        self.chip, self.top.offset = name, 0

    def do_focus(self, name: str) -> None:
        self.focus = name

    def do_clear(self, name: str) -> None:
        if name == "query":
            self.query = self.asked = ""
        else:
            self.form[name].value = ""
        self.focus = ""

    def do_put(self, name: str, value: str) -> None:
        self.form[name].value = value

    def do_choose(self, name: str, value: str) -> None:
        self.stack.pop()
        self.form[name].value = value

    def do_set(self, name: str, value: str) -> None:
        if self.top.name == "setting":
            self.stack.pop()
        self.app.settings[name].value = value

    def do_sorted(self, way: str) -> None:
        self.stack.pop()
        self.order, self.top.offset = way, 0

    def do_flag(self, key: str, label: str) -> None:
        if self.top.name == "menu":
            self.stack.pop()
        flags = self.app.named(int(key)).flags
        flags ^= {label}
        self.toast = (
            self.app.t(f"{label}: done", f"{label}：已完成") if label in flags else self.app.t("Undone", "已撤销")
        )

    def do_listed(self, key: str, name: str) -> None:
        self.stack.pop()
        kept = self.app.lists[name]
        kept.append(int(key)) if int(key) not in kept else kept.remove(int(key))
        self.toast = self.app.t(f"{name} updated", f"{name}已更新")

    def do_takeout(self, key: str, name: str) -> None:
        self.stack.pop()
        self.app.lists[name].remove(int(key))
        self.toast = self.app.t(f"{name} updated", f"{name}已更新")

    def do_delete(self, key: str) -> None:
        while self.top.arg == key and len(self.stack) > 1:
            self.leave()
        self.app.items = [each for each in self.app.items if each.key != int(key)]
        for name, keys in self.app.lists.items():
            self.app.lists[name] = [each for each in keys if each != int(key)]
        self.toast = self.app.t(f"{self.app.domain.item} deleted", f"{self.app.domain.item}已删除").capitalize()

    def do_void(self, key: str) -> None:
        while self.top.name in ("void", "booking"):
            self.leave()
        self.app.bookings[int(key)].cancelled = True
        self.toast = self.app.t("Cancelled", "已取消")

    def do_save(self, kind: str, key: str) -> None:
        """A form is sent off."""
        app, values = self.app, {each.key: each.value for each in self.form.values()}
        while self.top.name in ("pay", kind):
            self.leave()
        if kind == "order":
            app.bookings.append(Booking(len(app.bookings), app.named(int(key)).name, values))
            if app.done_page:
                self.stack.append(Frame("ordered", key))
            self.toast = "" if app.done_page else app.t("Order placed", "下单成功")
            return
        name, category = values.pop(chrome.name_key(app)), values.pop(chrome.category_key(app), "")
        if kind == "new":
            app.items.insert(0, Item(max(each.key for each in app.items) + 1, name, category, {}))
            item = app.items[0]
        else:
            item = app.named(int(key))
            item.name, item.category = name, category or item.category
        item.values = item.values | {each: (item.values.get(each, (0, ""))[0], text) for each, text in values.items()}
        self.toast = app.t("Saved", "已保存")
