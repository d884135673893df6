"""The calendar's search, holidays and settings."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import Hand, View
from saccade_phone.apps.calendar.content import KINDS, Holiday, holidays
from saccade_phone.apps.calendar.parts import (
    CALENDAR,
    SUMMARIES,
    Event,
    day_text,
    event_cell,
    leave,
    month_of,
    month_text,
    tabs,
)
from saccade_phone.apps.patterns import remember, search_page
from saccade_phone.changes import Fields, Need, Way
from saccade_phone.widgets import Page, Widget, do, go

SUGGESTED = 5

# -- search ------------------------------------------------------------------------------------------------------------


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


@CALENDAR.deed("forget")
def forget(h: Hand) -> None:
    h.data["history"] = []


# -- holidays ----------------------------------------------------------------------------------------------------------


def coming_holidays(language: str, today: date) -> list[Holiday]:
    """Those of the next twelve months."""
    first, last = today.isoformat(), (today + timedelta(days=364)).isoformat()
    return [
        each for year in (today.year, today.year + 1) for each in holidays(language, year) if first <= each.date <= last
    ]


def find_holiday(v: View, id: str) -> Holiday:
    return next(each for each in holidays(v.language, int(id[-4:])) if each.id == id)


def days_left(v: View, iso: str) -> int:
    return (date.fromisoformat(iso) - v.now.date()).days


def left_text(v: View, iso: str) -> str:
    left = days_left(v, iso)
    if left in (0, 1):
        return v.t("Today", "今天") if left == 0 else v.t("Tomorrow", "明天")
    return v.t(f"in {left} days", f"{left}天后") if left > 0 else v.t(f"{-left} days ago", f"{-left}天前")


@CALENDAR.screen("holidays")
def holidays_screen(v: View) -> Page:
    months: dict[int, list[Widget]] = {}
    for each in coming_holidays(v.language, v.now.date()):
        badge = v.t("off", "休") if each.off else ""
        row = w.cell(
            each.name,
            day_text(v, each.date),
            left_text(v, each.date),
            emoji=each.emoji,
            badge=badge,
            tap=go("holiday", holiday=each.id),
        )
        months.setdefault(month_of(each.date), []).append(row)
    body = [w.section(month_text(v, number), rows) for number, rows in months.items()]
    return Page(v.t("Holidays", "节日"), body, tabs=tabs(v, "holidays"))


@CALENDAR.screen("holiday")
def holiday_screen(v: View) -> Page:
    each = find_holiday(v, v.args["holiday"])
    rows = [
        w.cell(v.t("Date", "日期"), value=day_text(v, each.date), icon="calendar-days"),
        w.cell(v.t("Day off", "放假"), value=v.t("Yes", "是") if each.off else v.t("No", "否"), icon="sun"),
    ]
    plan = w.button(v.t("New event that day", "在这天新建日程"), go("edit", event=""), icon="plus")
    body = [
        w.picture(each.emoji, CALENDAR.tint),
        w.text(each.name, "title"),
        w.text(left_text(v, each.date), "big"),
        w.text(each.about),
        w.section("", rows),
    ]
    return Page(v.t("Holiday", "节日详情"), body, foot=[plan])


# -- settings ----------------------------------------------------------------------------------------------------------


@CALENDAR.screen("settings")
def settings(v: View) -> Page:
    shown = []
    for kind, calendar in v.data["calendars"].items():
        count = sum(event["kind"] == kind for event in v.data["events"].values())
        shown.append(
            w.switch(
                v.t(*KINDS[kind][:2]),
                calendar["shown"],
                do("show", calendar=kind, shown=not calendar["shown"]),
                v.t(f"{count} events", f"{count}项日程"),
            )
        )
    on = v.data["show_holidays"]
    rows = [
        w.switch(
            v.t("Holidays in month view", "月历显示节日"), on, do("show-holidays", on=not on), icon="party-popper"
        ),
        w.entry(v.t("Daily summary", "每日摘要"), v.data["summary"] or v.t("Off", "关闭"), go("summary"), icon="bell"),
    ]
    note = w.text(v.t("Events of hidden calendars stay searchable.", "隐藏的日历仍可被搜索到。"), "quiet")
    body = [w.section(v.t("Show calendars", "显示的日历"), shown), note, w.section(v.t("General", "通用"), rows)]
    return Page(v.t("Settings", "日历设置"), body, tabs=tabs(v, "settings"))


@CALENDAR.screen("summary", style="sheet")
def summary(v: View) -> Page:
    rows = [
        w.choice(time or v.t("Off", "关闭"), time == v.data["summary"], do("set-summary", time=time))
        for time in SUMMARIES
    ]
    return Page(v.t("Daily summary at", "每日摘要时间"), rows)


@CALENDAR.deed("show")
def show(h: Hand, calendar: str, shown: bool) -> None:
    h.data["calendars"][calendar]["shown"] = shown


@CALENDAR.deed("show-holidays")
def show_holidays(h: Hand, on: bool) -> None:
    h.data["show_holidays"] = on


@CALENDAR.deed("set-summary")
def set_summary(h: Hand, time: str) -> None:
    h.data["summary"] = time
    h.toast(f"Summary at {time}" if time else "Summary is off", f"每天{time}发送摘要" if time else "已关闭每日摘要")
    leave(h, "summary")


def update_calendar(v: View, id: str, fields: Fields) -> Way:
    return Need("calendar", "settings", commit=do("show", calendar=id, shown=fields["shown"]))


def summary_way(v: View, wanted: Any) -> Way:
    return Need("calendar", "summary", commit=do("set-summary", time=wanted)) if wanted in SUMMARIES else None


CALENDAR.holds("calendars", update=update_calendar)
CALENDAR.value("show_holidays", lambda v, on: Need("calendar", "settings", commit=do("show-holidays", on=on)))
CALENDAR.value("summary", summary_way)
CALENDAR.forgets("history")
