"""Travel: the search form with its city and date sheets."""

from __future__ import annotations

import datetime as dt
from datetime import timedelta
from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, View
from saccade_phone.apps.travel.content import (
    CITIES,
)
from saccade_phone.apps.travel.trips import AHEAD, KINDS, MONTHS, NIGHTS, TRAVEL, results_of, tomorrow, trip_words, when
from saccade_phone.goal_changes import Need, Way
from saccade_phone.widgets import Page, do, go, pick, put, tab


def search_form(v: View) -> dict[str, Any]:
    last: dict[str, Any] = v.data["trip"] if v.data["trip"].get("kind") == v.args["kind"] else {}
    other = next(name for name in CITIES[v.language] if name != v.data["home"])
    form = {"to": v.args.get("to") or last.get("to", other), "date": last.get("date", tomorrow(v))}
    if v.args["kind"] == "hotel":
        return {**form, "nights": last.get("nights", 1)}
    return {**form, "from": last.get("from", v.data["home"])}


@TRAVEL.screen("search", form=search_form)
def search(v: View) -> Page:
    kind, form = v.args["kind"], v.form
    bar = w.segments([w.chip(v.t(*names), tab("search", kind=each), each == kind) for each, names in KINDS.items()])
    day = w.entry(
        v.t("Check-in", "入住日期") if kind == "hotel" else v.t("Date", "出发日期"),
        when(v, form["date"]),
        go("dates", field="date"),
        icon="calendar",
    )
    if kind == "hotel":
        nights = [
            w.chip(v.t(f"{n} night{'s' * (n > 1)}", f"{n}晚"), put("nights", n), form["nights"] == n) for n in NIGHTS
        ]
        body = [
            w.section("", [w.entry(v.t("City", "城市"), form["to"], go("cities", field="to"), icon="map-pin"), day]),
            w.section(v.t("Nights", "入住几晚"), [w.chips(nights)]),
        ]
    else:
        body = [
            w.section(
                "",
                [
                    w.entry(v.t("From", "出发地"), form["from"], go("cities", field="from"), icon="map-pin"),
                    w.entry(v.t("To", "目的地"), form["to"], go("cities", field="to"), icon="map-pin"),
                    day,
                ],
            ),
            w.button(v.t("Swap", "交换出发地和目的地"), do("swap"), style="plain", icon="arrow-up-down"),
        ]
    look = w.button(v.t(f"Search {KINDS[kind][0].lower()}", f"搜索{KINDS[kind][1]}"), do("search", kind=kind))
    old = [
        w.cell(trip_words(v, trip), icon="history", tap=go(results_of(trip), **trip))
        for trip in v.data["recent"]
        if trip["kind"] == kind
    ]
    return Page(
        v.t(*KINDS[kind]),
        [*body, look, *([w.section(v.t("Searched lately", "最近搜索"), old)] if old else [])],
        head=[bar],
    )


@TRAVEL.screen("cities", style="sheet", form=lambda v: {"query": ""})
def choose_city(v: View) -> Page:
    name, words = v.args["field"], v.form["query"].strip().casefold()
    every = [city for city in CITIES[v.language].values() if words in city.name.casefold()]
    rows = [w.cell(city.name, emoji=city.emoji, tap=pick(name, city.name)) for city in every]
    ask = w.field("query", v.form["query"], v.t("City", "输入城市名"), style="search")
    none = w.empty(v.t("No such city", "没有这个城市"))
    return Page(v.t("Choose a city", "选择城市"), [w.section("", rows) if rows else none], head=[ask])


@TRAVEL.screen("dates", style="sheet", form=lambda v: {"month": v.state["now"][:7]})
def choose_date(v: View) -> Page:
    today, first = v.now.date(), dt.date.fromisoformat(f"{v.form['month']}-01")
    after = (first + timedelta(days=32)).replace(day=1)
    last = today + timedelta(days=AHEAD)
    days = []
    for number in range(1, (after - first).days + 1):
        each = first.replace(day=number)
        free = today <= each <= last
        days.append(w.day(number, pick(v.args["field"], each.isoformat()) if free else None, today=each == today))
    before = (first - timedelta(days=1)).isoformat()[:7]
    title = v.t(f"{MONTHS[first.month - 1]} {first.year}", f"{first.year}年{first.month}月")
    return Page(
        v.t("Choose a day", "选择日期"),
        [
            w.month(
                title,
                days,
                first.weekday(),
                put("month", before) if first > today else None,
                put("month", after.isoformat()[:7]) if after <= last else None,
            ),
        ],
    )


@TRAVEL.command("swap")
def swap(h: CommandContext) -> None:
    h.form["from"], h.form["to"] = h.form["to"], h.form["from"]


@TRAVEL.command("search")
def do_search(h: CommandContext, kind: str) -> None:
    names = ("to", "date", "nights") if kind == "hotel" else ("from", "to", "date")
    trip = {"kind": kind, **{name: h.form[name] for name in names}}
    if trip.get("from") == trip["to"]:
        h.toast("From and to are the same", "出发地和目的地不能相同")
        return
    h.data["trip"] = trip
    h.data["recent"] = [trip, *(old for old in h.data["recent"] if old != trip)][:6]
    h.then(go(results_of(trip), **trip))


def months(v: View) -> tuple[str, ...]:
    """Those in which something can be booked, for the way through the calendar."""
    return tuple(dict.fromkeys((v.now.date() + timedelta(days=ahead)).isoformat()[:7] for ahead in range(AHEAD + 1)))


def search_way(v: View, trip: Any) -> Way:
    values = {name: value for name, value in trip.items() if name != "kind"}
    return Need(
        "travel",
        "search",
        {"kind": trip["kind"]},
        values,
        do("search", kind=trip["kind"]),
        through={"month": months(v), "to": (trip["to"],)},
    )


TRAVEL.forgets("trip", "recent")
TRAVEL.value("trip", search_way)  # nobody minds what was searched for, but a booking begins with it
