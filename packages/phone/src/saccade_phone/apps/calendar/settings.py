"""Calendar: which calendars are shown, holidays in the month view, and the daily summary."""

from __future__ import annotations

from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, View
from saccade_phone.apps.calendar.content import KINDS
from saccade_phone.apps.calendar.parts import (
    CALENDAR,
    SUMMARIES,
    leave,
    tabs,
)
from saccade_phone.goal_changes import Fields, Need, Way
from saccade_phone.widgets import Page, do, go


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


@CALENDAR.command("show")
def show(h: CommandContext, calendar: str, shown: bool) -> None:
    h.data["calendars"][calendar]["shown"] = shown


@CALENDAR.command("show-holidays")
def show_holidays(h: CommandContext, on: bool) -> None:
    h.data["show_holidays"] = on


@CALENDAR.command("set-summary")
def set_summary(h: CommandContext, time: str) -> None:
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
