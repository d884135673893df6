"""The home screen with its pages, dock and search, and the list of apps used last."""

from __future__ import annotations

from saccade_phone.app import App, Data, View
from saccade_phone.seeded_random import Draw
from saccade_phone.widgets import Page, Widget, button, cell, empty, field, go, grid, open_app, tile

LAUNCHER_APP = App("launcher", "Home", "主屏幕", "house", "#33415c", "f7-ios")
RECENTS_APP = App("recents", "Recent apps", "最近任务", "square", "#33415c", "f7-ios")
DOCK = COLUMNS = 4


def all_apps() -> dict[str, App]:
    from saccade_phone.apps import SYSTEM_APPS, apps  # noqa: PLC0415  (this app shows all the others)

    return {name: app for name, app in apps().items() if name not in SYSTEM_APPS}


@LAUNCHER_APP.seed
def seed(draw: Draw) -> Data:
    order = draw.shuffled(sorted(all_apps()))
    dock, rest = order[:DOCK], order[DOCK:]
    first = (len(rest) + 1) // 2
    return {"dock": dock, "grid": [rest[:first], rest[first:]], "pages": 2}


def app_tile(v: View, name: str) -> Widget:
    app = all_apps()[name]
    return tile(app.name(v.language), icon=app.icon, tint=app.tint, tap=open_app(name))


@LAUNCHER_APP.screen("home", form=lambda v: {"page": 0})
def home(v: View) -> Page:
    shown = v.data["grid"][v.form["page"]]
    dots = Widget("dots", value=v.form["page"], badge=str(v.data["pages"]))
    search = button(v.t("Search apps", "搜索应用"), go("search"), style="plain", icon="search")
    return Page(
        "",
        [search, grid([app_tile(v, name) for name in shown], COLUMNS), dots],
        foot=[grid([app_tile(v, name) for name in v.data["dock"]], COLUMNS)],
        plain=True,
    )


@LAUNCHER_APP.screen("search", form=lambda v: {"query": ""})
def search(v: View) -> Page:
    query = v.form["query"].strip().casefold()
    apps = all_apps()
    found = [name for name in sorted(apps) if query in f"{apps[name].en} {apps[name].zh}".casefold()]
    box = field("query", v.form["query"], v.t("App name", "应用名称"), style="search")
    tiles = grid([app_tile(v, name) for name in found], COLUMNS)
    return Page(
        v.t("Search", "搜索"), [tiles] if found else [empty(v.t("No such app", "没有找到应用"), "🔍")], head=[box]
    )


@RECENTS_APP.screen("home")
def recents(v: View) -> Page:
    apps = all_apps()
    rows = [
        cell(apps[name].name(v.language), icon=apps[name].icon, tint=apps[name].tint, tap=open_app(name))
        for name in v.state["nav"]["recents"]
    ]
    return Page(v.t("Recent apps", "最近任务"), rows or [empty(v.t("No recent apps", "没有最近使用的应用"), "🗂️")])
