"""What stands around every screen: bars, tabs, a field to search in, dialogs; and what screens are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from saccade.geometry import Box
from saccade.train.madeup.app import App
from saccade.train.madeup.widgets import Op, Page, Widget

if TYPE_CHECKING:
    from saccade.train.madeup.machine import Machine


def name_key(app: App) -> str:
    return app.t("Name", "名称")


def category_key(app: App) -> str:
    return app.t("Category", "类别")


def title(m: Machine, name: str, arg: str = "") -> str:
    """What stands above a screen, which is also what a tap is said to open."""
    app = m.app
    if name in ("item", "menu", "booking"):
        return app.named(int(arg)).name if name != "booking" else app.bookings[int(arg)].item
    fixed = {
        "cat": arg, "collection": arg, "pick": arg, "setting": arg, "search": app.label["find"],
        "order": app.domain.order.label,
        "new": app.label["new"], "edit": app.label["edit"], "addto": app.label["addto"], "sort": app.label["sort"],
        "delete": app.t("Delete it?", "确定删除吗？"), "void": app.t("Cancel it?", "确定取消吗？"),
        "pay": app.t("Place this order?", "确认下单吗？"), "ordered": app.t("All booked", "预订成功"),
        "tabs": app.t("Menu", "菜单"),
    }  # fmt: skip
    return fixed.get(name) or app.label[name]


def home(m: Machine) -> Page:
    """The launcher."""
    found = Page(y0=0, y1=0)
    found.top.append(Widget("button", m.app.t("Search apps", "搜索应用"), Box(12, 40, 348, 86), ("noop",)))
    for at, name in enumerate(m.icons):
        dock = at >= len(m.icons) - 4
        column, row = (at - (len(m.icons) - 4), 0) if dock else (at % 4, at // 4)
        y0 = 636 if dock else 106 + 98 * row
        found.top.append(Widget("button", name, Box(16 + 83 * column, y0, 95 + 83 * column, y0 + 94), ("open", name)))
    return found


def dialog(m: Machine, heading: str, text: str, away: str, off: Op, on: str, do: Op) -> Page:
    y = 288
    top = [
        Widget("button", m.app.label["close"], Box(0, 0, 360, y - 8), off, caption=m.app.label["close"]),
        Widget("heading", heading, Box(24, y, 336, y + 46)),
        Widget("text", text, Box(48, y + 60, 312, y + 84)),
        Widget("button", away, Box(36, y + 120, 175, y + 166), off),
        Widget("button", on, Box(185, y + 120, 324, y + 166), do),
    ]
    return Page(heading, top, y0=0, y1=0, sheet=True)


def bar(m: Machine, heading: str, icons: list[tuple[str, Op]]) -> list[Widget]:
    """The strip at the top of a screen."""
    found = []
    if len(m.stack) > 1:
        found.append(Widget("button", m.app.label["back"], Box(4, 32, 44, 72), ("back",), caption=m.app.label["back"]))
    found.append(Widget("heading", heading, Box(48, 41, 352 - 40 * max(1, len(icons)), 63)))
    for at, (label, op) in enumerate(icons):
        x1 = 356 - 40 * (len(icons) - 1 - at)
        found.append(Widget("button", label, Box(x1 - 40, 32, x1, 72), op, caption=label))
    return found


def root(m: Machine, icons: list[tuple[str, Op]], field: bool = False) -> Page:
    """One of the app's main screens, with its tabs."""
    app = m.app
    if app.tabs_at == "menu":
        icons = [*icons, (app.t("Menu", "菜单"), ("go", "tabs"))]
    name = m.top.name
    heading = app.name if name == app.tabs[0] and app.inset else title(m, name)
    found = Page(heading, bar(m, heading, icons))
    width = 360 / len(app.tabs)
    if app.tabs_at in ("top", "bottom"):
        y0 = 76 if app.tabs_at == "top" else 696
        tabs = [Widget("tab", app.label[each], Box(width * at, y0, width * (at + 1), y0 + (44 if y0 == 76 else 56)),
                       ("tab", each), state="selected" if each == name else "")
                for at, each in enumerate(app.tabs)]  # fmt: skip
        if app.tabs_at == "top":
            found.top += tabs
            found.y0 = 120
        else:
            found.foot, found.y1 = tabs, 696
    if field:
        seek(m, found)
    return told(m, found)


def seek(m: Machine, found: Page) -> None:
    """A field to search in."""
    y0 = found.y0 + 6
    state = "focused" if m.focus == "query" else ""
    x1 = 300 if m.query else 348
    found.top.append(Widget("input", m.query or m.app.label["search"], Box(12, y0, x1, y0 + 42), ("focus", "query"),
                            state=state, caption=m.app.label["search"]))  # fmt: skip
    if m.query:
        found.top.append(Widget("button", m.app.label["clear"], Box(308, y0 + 1, 348, y0 + 41), ("clear", "query"),
                                caption=m.app.label["clear"]))  # fmt: skip
    found.y0 = y0 + 50


def told(m: Machine, found: Page) -> Page:
    """With what the app says to what was done last."""
    if m.toast:
        found.foot.append(Widget("text", m.toast, Box(115, 373, 245, 394)))
    return found
