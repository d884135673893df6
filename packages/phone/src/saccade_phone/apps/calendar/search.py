"""Calendar: search for events."""

from __future__ import annotations

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, View
from saccade_phone.apps.calendar.parts import (
    CALENDAR,
    Event,
    event_cell,
)
from saccade_phone.apps.patterns import remember, search_page
from saccade_phone.widgets import Page

SUGGESTED = 5


def matching(v: View, query: str) -> list[tuple[str, Event]]:
    """Search finds events of all calendars, also of those that are not shown."""
    word = query.strip().casefold()
    found = [
        (id, event)
        for id, event in v.data["events"].items()
        if word in event["title"].casefold() or word in event["place"].casefold() or word in event["notes"].casefold()
    ]
    return sorted(found, key=lambda item: (item[1]["date"], item[1]["start"], item[0]))


@CALENDAR.screen("search", form=lambda v: {"query": ""})
def search(v: View) -> Page:
    found = matching(v, v.form["query"].strip()) if v.form["query"].strip() else []
    rows = [event_cell(v, id, event, dated=True) for id, event in found[:SUGGESTED]]
    hint = v.t("Titles, places and notes", "可搜索标题、地点和备注")
    return search_page(v, rows, len(found), hint, v.t("Search events", "搜索日程"))


@CALENDAR.screen("results", opened=remember)
def results(v: View) -> Page:
    found = matching(v, v.args["query"])
    rows = [event_cell(v, id, event, dated=True) for id, event in found]
    title = v.t(f"{len(rows)} events", f"{len(rows)}项日程")
    nothing = w.empty(v.t(f"No event matches “{v.args['query']}”", f"没有与“{v.args['query']}”相符的日程"), "🔍")
    return Page(v.t("Results", "搜索结果"), [w.section(title, rows)] if rows else [nothing])


@CALENDAR.command("forget")
def forget(h: CommandContext) -> None:
    h.data["history"] = []
