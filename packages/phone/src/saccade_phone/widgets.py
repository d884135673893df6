"""Widgets: an app's screens as plain data, with what a touch on each widget does.

An app declares a tree of widgets. A UI kit (vant, weui, framework7) draws it, and the planner reads the same tree to
find out what can be done, so that the screen and the oracle's plan cannot differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec

OpKind = Literal["go", "tab", "back", "put", "pick", "do", "open"]


class Op(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a touch does. `do` changes an app's data; all others only navigate or fill in a form."""

    kind: OpKind
    name: str = ""
    """Name of the screen, field, command or app."""
    args: dict[str, Any] = msgspec.field(default_factory=dict)
    value: Any = None
    app: str = ""
    """Another app than the one shown."""


def go(screen: str, *, app: str = "", **args: Any) -> Op:
    """Open a screen on top of this one. In another `app`, that app comes to the front with it."""
    return Op("go", screen, args, app=app)


def tab(screen: str, **args: Any) -> Op:
    """Show another of the app's main screens in place of this one."""
    return Op("tab", screen, args)


def back() -> Op:
    """Close this screen, sheet or dialog."""
    return Op("back")


def put(field: str, value: Any) -> Op:
    """Give a field of this screen's form a value."""
    return Op("put", field, value=value)


def pick(field: str, value: Any) -> Op:
    """On a sheet or dialog: give a field of the screen below a value, and close."""
    return Op("pick", field, value=value)


def do(command: str, **args: Any) -> Op:
    """Change the app's data: the function that the app registered under this name is called."""
    return Op("do", command, args)


def open_app(app: str) -> Op:
    return Op("open", app)


class Widget(msgspec.Struct, omit_defaults=True):
    """One thing on a screen. Made by the functions below, never by hand."""

    kind: str
    id: str = ""
    text: str = ""
    sub: str = ""
    """A second, quieter line."""
    value: Any = None
    """A control's value; on a row, the text at its end."""
    icon: str = ""
    """A name of lucide's icons."""
    emoji: str = ""
    """A picture: products, dishes, people, covers."""
    tint: str = ""
    badge: str = ""
    style: str = ""
    tap: Op | None = None
    hold: Op | None = None
    """What a long press does."""
    submit: Op | None = None
    """What Enter does in a text field."""
    children: list[Widget] = msgspec.field(default_factory=list)

    def walk(self) -> Iterator[Widget]:
        yield self
        for child in self.children:
            if child.children:
                yield from child.walk()
            else:
                yield child


Style = Literal["page", "sheet", "dialog"]


class Page(msgspec.Struct, omit_defaults=True):
    """A whole screen, or a sheet or dialog over one."""

    title: str
    body: list[Widget] = msgspec.field(default_factory=list)
    actions: list[Widget] = msgspec.field(default_factory=list)
    """Icon buttons at the end of the title bar."""
    tabs: list[Widget] = msgspec.field(default_factory=list)
    """The tab bar at the foot: made with `tab_item`."""
    foot: list[Widget] = msgspec.field(default_factory=list)
    """What stays in view below the scrolling body: buttons, a text field."""
    head: list[Widget] = msgspec.field(default_factory=list)
    """What stays in view above it: a search field, chips, tabs."""
    pull: Op | None = None
    """What pulling the list down does."""
    style: str = "page"
    plain: bool = False
    """Without a title bar."""

    def walk(self) -> Iterator[Widget]:
        for part in (self.head, self.body, self.foot, self.actions, self.tabs):
            for widget in part:
                if widget.children:
                    yield from widget.walk()
                else:
                    yield widget


# -- rows and groups ---------------------------------------------------------------------------------------------------


def section(title: str, children: Sequence[Widget]) -> Widget:
    """Rows that belong together, under a quiet heading (may be empty)."""
    return Widget("section", text=title, children=list(children))


def cell(
    text: str,
    sub: str = "",
    value: str = "",
    *,
    icon: str = "",
    emoji: str = "",
    tint: str = "",
    badge: str = "",
    tap: Op | None = None,
    hold: Op | None = None,
    strong: bool = False,
    done: bool = False,
) -> Widget:
    """A row of a list. `strong`: unread; `done`: struck through."""
    style = "strong" if strong else "done" if done else ""
    return Widget(
        "cell",
        text=text,
        sub=sub,
        value=value or None,
        icon=icon,
        emoji=emoji,
        tint=tint,
        badge=badge,
        tap=tap,
        hold=hold,
        style=style,
    )


def grid(children: Sequence[Widget], columns: int = 2) -> Widget:
    """Tiles or cards side by side."""
    return Widget("grid", value=columns, children=list(children))


def tile(
    text: str,
    *,
    icon: str = "",
    emoji: str = "",
    tint: str = "",
    badge: str = "",
    tap: Op | None = None,
    hold: Op | None = None,
) -> Widget:
    """A small square with a picture and a word: categories, shortcuts, apps."""
    return Widget("tile", text=text, icon=icon, emoji=emoji, tint=tint, badge=badge, tap=tap, hold=hold)


def card(
    text: str,
    sub: str = "",
    price: str = "",
    *,
    emoji: str = "",
    tint: str = "",
    badge: str = "",
    tap: Op | None = None,
    hold: Op | None = None,
    children: Sequence[Widget] = (),
) -> Widget:
    """A picture with a title, a line and a price: products, dishes, albums. `children`: small controls on it."""
    return Widget(
        "card",
        text=text,
        sub=sub,
        value=price or None,
        emoji=emoji,
        tint=tint,
        badge=badge,
        tap=tap,
        hold=hold,
        children=list(children),
    )


def row(children: Sequence[Widget]) -> Widget:
    """Widgets side by side, equally wide."""
    return Widget("row", children=list(children))


# -- controls ----------------------------------------------------------------------------------------------------------


def button(text: str, tap: Op, *, style: Literal["primary", "plain", "danger"] = "primary", icon: str = "") -> Widget:
    return Widget("button", text=text, tap=tap, style=style, icon=icon)


def icon_button(icon: str, label: str, tap: Op) -> Widget:
    """A picture to tap. The label is read out, not shown."""
    return Widget("icon_button", text=label, icon=icon, tap=tap)


def switch(
    text: str, on: bool, tap: Op, sub: str = "", *, icon: str = "", row_tap: Op | None = None, hold: Op | None = None
) -> Widget:
    """A row with a switch at its end. `row_tap`: what a tap beside the switch does (else nothing)."""
    if row_tap is None and hold is None:
        return Widget("switch", text=text, sub=sub, value=on, tap=tap, icon=icon)
    knob = Widget("knob", text=text, value=on, tap=tap)
    return Widget("cell", text=text, sub=sub, icon=icon, tap=row_tap, hold=hold, children=[knob])


def check(
    text: str,
    on: bool,
    tap: Op,
    sub: str = "",
    value: str = "",
    *,
    emoji: str = "",
    hold: Op | None = None,
    row_tap: Op | None = None,
) -> Widget:
    """A row with a box to tick at its start; a tap on the row ticks it, unless the row does something else."""
    if row_tap is None and hold is None:
        return Widget("check", text=text, sub=sub, value=on, badge=value, tap=tap, emoji=emoji)
    box = Widget("tick", text=text, value=on, tap=tap)
    style = "done" if on else ""
    return Widget(
        "cell",
        text=text,
        sub=sub,
        value=value or None,
        emoji=emoji,
        tap=row_tap,
        hold=hold,
        style=style,
        children=[box],
    )


def choice(text: str, chosen: bool, tap: Op, sub: str = "") -> Widget:
    """A row that is one of several to choose from; the chosen one has a mark."""
    return Widget("choice", text=text, sub=sub, value=chosen, tap=tap)


def chips(children: Sequence[Widget]) -> Widget:
    return Widget("chips", children=list(children))


def chip(text: str, tap: Op, chosen: bool = False) -> Widget:
    """A small pill: weekdays, filters, sizes, seats, earlier searches."""
    return Widget("chip", text=text, value=chosen, tap=tap)


def segments(children: Sequence[Widget]) -> Widget:
    """Tabs at the head of a screen; its children are made with `chip`."""
    return Widget("segments", children=list(children))


def field(
    name: str,
    value: str,
    placeholder: str = "",
    *,
    label: str = "",
    submit: Op | None = None,
    style: Literal["text", "search", "long", "number", "password"] = "text",
) -> Widget:
    """A text field of the form. With something in it, it can be cleared by a tap on the × at its end."""
    clear = [Widget("clear", id=f"{name}:clear", tap=put(name, ""))] if value else []
    return Widget(
        "field", id=name, text=label, sub=placeholder, value=value, style=style, submit=submit, children=clear
    )


def stepper(name: str, value: int, low: int, high: int, label: str = "") -> Widget:
    """A number with − and + beside it."""
    down = Widget("minus", id=f"{name}:minus", tap=put(name, value - 1) if value > low else None)
    up = Widget("plus", id=f"{name}:plus", tap=put(name, value + 1) if value < high else None)
    return Widget("stepper", text=label, value=value, children=[down, up])


def counter(value: int, less: Op | None, more: Op | None, label: str = "") -> Widget:
    """A number whose − and + act on data at once: dishes on a menu, things in a cart."""
    return Widget("stepper", text=label, value=value, children=[Widget("minus", tap=less), Widget("plus", tap=more)])


def entry(label: str, value: str, tap: Op, *, placeholder: str = "", icon: str = "") -> Widget:
    """A row of a form that opens a picker."""
    return Widget("entry", text=label, value=value, sub=placeholder, tap=tap, icon=icon)


def month(title: str, days: Sequence[Widget], offset: int, earlier: Op | None, later: Op | None) -> Widget:
    """A calendar month. `days` are made with `day`; `offset`: empty places before the first (Monday: 0)."""
    turn = [Widget("earlier", tap=earlier), Widget("later", tap=later)]
    return Widget("month", text=title, value=offset, children=[*turn, *days])


def day(number: int, tap: Op | None, *, chosen: bool = False, today: bool = False, dot: bool = False) -> Widget:
    style = " ".join(name for name, on in (("today", today), ("dot", dot)) if on)
    return Widget("day", text=str(number), value=chosen, tap=tap, style=style)


def wheel(children: Sequence[Widget]) -> Widget:
    """A column of values to scroll and tap (hours, minutes); its children are made with `chip`."""
    return Widget("wheel", children=list(children))


# -- things to look at -------------------------------------------------------------------------------------------------


def text(words: str, style: Literal["body", "title", "quiet", "price", "big"] = "body") -> Widget:
    return Widget("text", text=words, style=style)


def picture(emoji: str, tint: str = "", tall: bool = False) -> Widget:
    return Widget("picture", emoji=emoji, tint=tint, style="tall" if tall else "")


def banner(words: str, sub: str = "", *, emoji: str = "", tint: str = "", tap: Op | None = None) -> Widget:
    """A coloured strip with a message: offers, weather, the next trip."""
    return Widget("banner", text=words, sub=sub, emoji=emoji, tint=tint, tap=tap)


def bubble(words: str, *, mine: bool, who: str = "", emoji: str = "", at: str = "", hold: Op | None = None) -> Widget:
    """A message of a thread."""
    return Widget("bubble", text=words, sub=at, value=mine, emoji=emoji, badge=who, hold=hold)


def progress(share: float, left: str = "", right: str = "") -> Widget:
    """A bar, filled from 0 to 1, with words below its ends."""
    return Widget("progress", value=share, text=left, sub=right)


def empty(words: str, emoji: str = "🫙") -> Widget:
    return Widget("empty", text=words, emoji=emoji)


def tab_item(words: str, icon: str, screen: str, chosen: bool, badge: str = "") -> Widget:
    return Widget("tab_item", text=words, icon=icon, value=chosen, badge=badge, tap=tab(screen))
