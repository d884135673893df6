"""Shared by the calendar's screens: dates and times in words, the month grid, event rows."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Iterable
from datetime import date
from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import App, CommandContext, View
from saccade_phone.apps.calendar.content import KINDS
from saccade_phone.widgets import Op, Widget, back, go, put

CALENDAR = App("calendar", "Calendar", "日历", "calendar-days", "#c8553d", "f7-ios", home="month")

DAYS_EN = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
DAYS_ZH = ("周一", "周二", "周三", "周四", "周五", "周六", "周日")
MONTHS_EN = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
REMINDERS = (-1, 0, 5, 10, 15, 30, 60, 120, 1440, 2880)
LENGTHS = (15, 30, 45, 60, 75, 90, 105, 120, 150, 180, 210, 240, 300, 360, 480)
SUMMARIES = ("", "06:30", "07:00", "07:30", "08:00", "08:30", "20:00", "21:00", "22:00")
REACH = 12
"""So many months back and ahead can be turned to."""
BLANK = {"title": "", "place": "", "reminder": 15, "notes": "", "invited": [], "kind": "life"}
Event = dict[str, Any]


# -- words and numbers -------------------------------------------------------------------------------------------------


def minutes_of(time: str) -> int:
    return int(time[:2]) * 60 + int(time[3:])


def later(time: str, minutes: int) -> str:
    total = minutes_of(time) + minutes
    return f"{total // 60:02}:{total % 60:02}"


def month_of(day: str) -> int:
    """Months are counted through, so that the next one is one more."""
    return int(day[:4]) * 12 + int(day[5:7]) - 1


def month_text(v: View, number: int) -> str:
    year, at = divmod(number, 12)
    return v.t(f"{MONTHS_EN[at]} {year}", f"{year}年{at + 1}月")


def day_text(v: View, iso: str) -> str:
    when = date.fromisoformat(iso)
    return v.t(
        f"{DAYS_EN[when.weekday()]}, {MONTHS_EN[when.month - 1][:3]} {when.day}",
        f"{when.month}月{when.day}日 {DAYS_ZH[when.weekday()]}",
    )


def near_text(v: View, iso: str) -> str:
    """Today and tomorrow by name."""
    names = {0: v.t("Today", "今天"), 1: v.t("Tomorrow", "明天"), -1: v.t("Yesterday", "昨天")}
    name = names.get((date.fromisoformat(iso) - v.now.date()).days)
    return f"{name} · {day_text(v, iso)}" if name else day_text(v, iso)


def reminder_text(v: View, minutes: int) -> str:
    if minutes <= 0:
        return v.t("No reminder", "不提醒") if minutes else v.t("At start time", "日程开始时")
    for size, en, zh in ((1440, "day", "天"), (60, "hour", "小时"), (1, "minute", "分钟")):
        if minutes % size == 0:
            count = minutes // size
            return v.t(f"{count} {en}{'s' if count > 1 else ''} before", f"提前{count}{zh}")
    return ""


def length_text(v: View, minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    words = [v.t(f"{hours} h", f"{hours}小时")] if hours else []
    return " ".join([*words, v.t(f"{rest} m", f"{rest}分")] if rest else words)


# -- months ------------------------------------------------------------------------------------------------------------


def shown_events(v: View) -> list[tuple[str, Event]]:
    """What is in the calendars that are shown, in order of time."""
    hidden = {kind for kind, calendar in v.data["calendars"].items() if not calendar["shown"]}
    found = [(id, event) for id, event in v.data["events"].items() if event["kind"] not in hidden]
    return sorted(found, key=lambda item: (item[1]["date"], item[1]["start"], item[0]))


def event_cell(v: View, id: str, event: Event, dated: bool = False) -> Widget:
    emoji, tint = KINDS[event["kind"]][2:]
    when = day_text(v, event["date"]) if dated else f"{event['start']}–{event['end']}"
    sub = " · ".join(filter(None, (when, event["place"])))
    return w.cell(
        event["title"],
        sub,
        event["start"] if dated else "",
        emoji=emoji,
        tint=tint,
        tap=go("event", event=id),
        hold=go("menu", event=id),
    )


def month_grid(v: View, touch: Callable[[str], Op], chosen: str = "", dots: Iterable[str] = ()) -> Widget:
    """The month that the form names; a touch on a day does what `touch` says."""
    number, marked = v.form["month"], set(dots)
    year, at = divmod(number, 12)
    offset, count = monthrange(year, at + 1)
    today, now = v.state["now"][:10], month_of(v.state["now"])
    names = [f"{year}-{at + 1:02}-{each:02}" for each in range(1, count + 1)]
    days = [
        w.day(n + 1, touch(iso), chosen=iso == chosen, today=iso == today, dot=iso in marked)
        for n, iso in enumerate(names)
    ]
    earlier = put("month", number - 1) if number > now - REACH else None
    return w.month(
        month_text(v, number), days, offset, earlier, put("month", number + 1) if number < now + REACH else None
    )


def this_month(v: View) -> Widget:
    """On a sheet: back from months far away."""
    return w.icon_button("calendar-check", v.t("Back to today", "回到今天"), put("month", month_of(v.state["now"])))


def tabs(v: View, here: str) -> list[Widget]:
    return [
        w.tab_item(v.t("Month", "月历"), "calendar-days", "month", here == "month"),
        w.tab_item(v.t("Agenda", "日程"), "calendar-range", "agenda", here == "agenda"),
        w.tab_item(v.t("Holidays", "节日"), "party-popper", "holidays", here == "holidays"),
        w.tab_item(v.t("Settings", "设置"), "settings", "settings", here == "settings"),
    ]


def tools(v: View) -> list[Widget]:
    return [
        w.icon_button("search", v.t("Search", "搜索"), go("search")),
        w.icon_button("plus", v.t("New event", "新建日程"), go("edit", event="")),
    ]


# -- where one is ------------------------------------------------------------------------------------------------------


def under(v: View) -> dict[str, Any]:
    """The screen from which the one that opens is opened."""
    stack = v.state["nav"]["stacks"].get("calendar") or [{"screen": "", "args": {}, "form": {}}]
    found: dict[str, Any] = stack[-1]
    return found


def leave(h: CommandContext, *screens: str) -> None:
    """Close the top screens as long as they are among these: an event's sheets open over lists and over its page."""
    for place in reversed(h.state["nav"]["stacks"][h.app]):
        if place["screen"] not in screens:
            return
        h.then(back())


def reach(v: View, *days: str) -> dict[str, tuple[Any, ...]]:
    """Months and days that the way to these days may go through."""
    known = [month_of(day) for day in (v.state["now"], *days)]
    return {"month": tuple(range(min(known) - 1, max(known) + 2)), "day": days[:1]}
