"""Calendar: the list of holidays, and a holiday's page."""

from __future__ import annotations

from datetime import date, timedelta

from saccade_phone import widgets as w
from saccade_phone.app import View
from saccade_phone.apps.calendar.content import Holiday, holidays
from saccade_phone.apps.calendar.parts import (
    CALENDAR,
    day_text,
    month_of,
    month_text,
    tabs,
)
from saccade_phone.widgets import Page, Widget, go


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
