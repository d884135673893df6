"""Files: search."""

from __future__ import annotations

from saccade_phone import widgets as w
from saccade_phone.app import View
from saccade_phone.apps.files.screens import FILES, KINDS, Rows, listing, ordered, sort_button, thrown
from saccade_phone.apps.patterns import remember
from saccade_phone.widgets import Page, Widget, do, go


def matching(v: View, query: str) -> Rows:
    words, gone = query.strip().casefold(), thrown(v)
    rows = v.data["entries"].items()
    return ordered(v, [row for row in rows if words in row[1]["name"].casefold() and row[1]["parent"] not in gone])


@FILES.screen("search", form=lambda v: {"query": ""})
def search(v: View) -> Page:
    query = v.form["query"]
    head = w.field("query", query, v.t("Search files", "搜索文件"), style="search", submit=go("results", query=query))
    if query.strip():
        hits = matching(v, query)[:8]
        return Page(v.t("Search", "搜索"), listing(v, hits, v.t("No such file", "没有找到文件")), head=[head])
    body: list[Widget] = []
    if v.data["history"]:
        earlier = [w.chip(words, go("results", query=words)) for words in v.data["history"]]
        body.append(w.section(v.t("Recent searches", "最近搜索"), [w.chips(earlier)]))
        body.append(w.button(v.t("Clear history", "清空搜索记录"), do("clear-history"), style="plain"))
    kinds = [
        w.cell(v.t(en, zh), icon=icon, tint=tint, tap=go("category", kind=kind))
        for kind, (en, zh, icon, _, tint) in KINDS.items()
        if kind != "folder"
    ]
    return Page(v.t("Search", "搜索"), [*body, w.section(v.t("By type", "按类型"), kinds)], head=[head])


@FILES.screen("results", opened=remember)
def results(v: View) -> Page:
    query = v.args["query"]
    found = matching(v, query) if query.strip() else []
    note = w.text(v.t(f"{len(found)} found for “{query}”", f"“{query}”共找到{len(found)}项"), "quiet")
    return Page(
        v.t("Results", "搜索结果"),
        [note, *listing(v, found, v.t("No such file", "没有找到文件"))],
        actions=[sort_button(v)],
    )
