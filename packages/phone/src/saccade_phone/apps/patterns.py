"""Screens that several apps share: confirmation dialogs, search pages, search history."""

from __future__ import annotations

from collections.abc import Sequence

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, View
from saccade_phone.widgets import Op, Page, Widget, back, do, go

REMEMBERED = 8


def cancel_or(v: View, yes: str, op: Op) -> list[Widget]:
    """The buttons of a confirmation dialog."""
    return [w.button(v.t("Cancel", "取消"), back(), style="plain"), w.button(yes, op, style="danger")]


def remember(h: CommandContext, part: str = "history") -> None:
    """Keep what was searched for, the latest first. To be called when a screen with results opens."""
    words = h.args["query"].strip()
    if words:
        h.data[part] = [words, *(other for other in h.data[part] if other != words)][:REMEMBERED]


def search_page(v: View, rows: Sequence[Widget], count: int, hint: str, placeholder: str) -> Page:
    """A screen to search from: the first hits while typing, else what was searched for before."""
    query = v.form["query"].strip()
    body: list[Widget] = []
    if query:
        every = w.cell(
            v.t(f"All results for “{query}”", f"“{query}”的全部结果"),
            value=str(count),
            icon="search",
            tap=go("results", query=query),
        )
        body.append(w.section("", [*rows, every]))
    elif v.data["history"]:
        words = w.chips([w.chip(word, go("results", query=word)) for word in v.data["history"]])
        body.append(w.section(v.t("Recent searches", "最近搜索"), [words]))
        body.append(w.button(v.t("Clear history", "清空记录"), do("forget"), style="plain", icon="history"))
    else:
        body.append(w.empty(hint, "🔎"))
    box = w.field("query", v.form["query"], placeholder, style="search", submit=go("results", query=query))
    return Page(v.t("Search", "搜索"), body, head=[box])
