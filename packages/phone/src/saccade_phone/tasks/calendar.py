"""Tasks in the calendar."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from typing import Any

from saccade_phone.app import View
from saccade_phone.apps.calendar.content import KINDS
from saccade_phone.apps.calendar.holidays import coming_holidays
from saccade_phone.apps.calendar.parts import MONTHS_EN, REMINDERS, later, minutes_of, reach, reminder_text
from saccade_phone.apps.calendar.search import matching
from saccade_phone.data_files import ByLanguage, table
from saccade_phone.goal_changes import Removed, See, added, changed, see
from saccade_phone.tasks.base import Goal, Params, task

TITLES = table("tasks/calendar", "titles", ByLanguage[list[str]])
PLACES = table("tasks/calendar", "places", ByLanguage[list[str]])
ABSENT = table("tasks/calendar", "absent", ByLanguage[list[str]])
TIMES = [f"{hour:02}:{minute:02}" for hour in range(8, 20) for minute in (0, 15, 30, 45)]


def days_ahead(p: Params, low: int, high: int) -> list[str]:
    return [(p.today + timedelta(days=count)).isoformat() for count in range(low, high + 1)]


def said_day(p: Params, iso: str) -> str:
    when = date.fromisoformat(iso)
    return p.t(f"{MONTHS_EN[when.month - 1]} {when.day}", f"{when.month}月{when.day}日")


def view(p: Params) -> View:
    return View(p.state, "calendar", {}, {})


def coming(p: Params, low: int = 0) -> tuple[str, Any]:
    """An event that is still to come."""
    first = (p.today + timedelta(days=low)).isoformat()
    return p.entry("calendar.events", lambda event: event["date"] >= first)


@task("calendar.add_event")
def add_event(p: Params) -> Goal:
    title, day = p.choice(TITLES.of(p.language)), p.choice(days_ahead(p, 1, 21))
    start = p.choice(TIMES)
    end = later(start, p.choice((30, 45, 60, 90, 120)))
    on = said_day(p, day)
    return p.goal(
        [added("calendar.events", title=title, date=day, start=start, end=end)],
        en=[
            f"Add “{title}” to my calendar on {on} from {start} to {end}",
            f"Create an event called “{title}” for {on}, {start} to {end}",
            f"Put “{title}” into the calendar: {on}, {start}–{end}",
            f"I will be busy on {on} between {start} and {end}; block that time in the calendar as “{title}”",
        ],
        zh=[
            f"在日历上加一个日程“{title}”，{on}{start}到{end}",
            f"新建日程“{title}”，时间是{on}{start}至{end}",
            f"{on}{start}到{end}帮我安排“{title}”",
            f"{on}那天从{start}到{end}我有事，麻烦在日历里把这段时间占上，名称就写“{title}”",
        ],
    )


@task("calendar.add_detailed", held_out=True)
def add_detailed(p: Params) -> Goal:
    title, place = p.choice(TITLES.of(p.language)), p.choice(PLACES.of(p.language))
    day, start = p.choice(days_ahead(p, 1, 14)), p.choice([f"{hour:02}:00" for hour in range(8, 21)])
    end, minutes = later(start, 60), p.choice((5, 10, 30, 60, 120))
    on = said_day(p, day)
    before = reminder_text(view(p), minutes).removesuffix(" before").removeprefix("提前")
    return p.goal(
        [added("calendar.events", title=title, place=place, date=day, start=start, end=end, reminder=minutes)],
        en=[
            f"Create the event “{title}” at {place} on {on}, {start} to {end}, and remind me {before} before",
            f"Schedule “{title}” for {on} from {start} to {end}. Place: {place}. Reminder: {before} before",
            f"New event: “{title}”, {on}, {start}–{end}, place {place}, with a reminder {before} ahead",
            f"We are meeting at {place} for an hour on {on}: enter it from {start} until {end} as “{title}”, and "
            f"have the phone warn me {before} in advance",
        ],
        zh=[
            f"新建日程“{title}”，{on}{start}到{end}，地点{place}，提前{before}提醒",
            f"{on}{start}至{end}在{place}有“{title}”，记到日历里，提前{before}提醒我",
            f"帮我安排“{title}”：{on}，{start}–{end}，地点写{place}，提醒设为提前{before}",
            f"大家约好{on}在{place}碰头一个小时，请登记成名为“{title}”的日程，{start}开始、{end}结束，并且让手机早{before}通知我",
        ],
    )


@task("calendar.move_event")
def move_event(p: Params) -> Goal:
    id, event = coming(p)
    day = p.choice([iso for iso in days_ahead(p, 1, 30) if iso != event["date"]])
    title, on = event["title"], said_day(p, day)
    return p.goal(
        [changed("calendar.events", id, date=day)],
        en=[
            f"Move “{title}” to {on}",
            f"Reschedule the event “{title}” to {on}, same time of day",
            f"“{title}” has a new date, {on}. Change it in my calendar",
            f"The day of “{title}” no longer suits me; keep the hours as they are but shift the whole thing to {on}",
        ],
        zh=[
            f"把“{title}”改到{on}",
            f"“{title}”的日期换成{on}，时间不变",
            f"“{title}”换日子了，日历里改成{on}",
            f"原定“{title}”的那天我去不了，几点开始不用动，把它整个挪到{on}去吧",
        ],
    )


@task("calendar.change_time")
def change_time(p: Params) -> Goal:
    id, event = coming(p)
    size = minutes_of(event["end"]) - minutes_of(event["start"])
    start = p.choice([time for time in TIMES if time != event["start"]])
    size = p.choice((size, size, 60))
    title, end = event["title"], later(start, size)
    p.need(end < "23:00")
    return p.goal(
        [changed("calendar.events", id, start=start, end=end)],
        en=[
            f"Change the time of “{title}” to {start}–{end}",
            f"“{title}” should be from {start} to {end}, on the same day",
            f"Set “{title}” to start at {start} and end at {end}",
            f"It is still that day, yet the clock times of “{title}” are wrong: correct them so that it runs "
            f"from {start} until {end}",
        ],
        zh=[
            f"把“{title}”的时间改为{start}到{end}",
            f"“{title}”当天改成{start}开始，{end}结束",
            f"“{title}”调整到{start}–{end}",
            f"日期没有变，只是“{title}”的钟点记错了，请更正，应该是{start}起、{end}止",
        ],
    )


@task("calendar.set_reminder")
def set_reminder(p: Params) -> Goal:
    id, event = coming(p)
    minutes = p.choice([each for each in REMINDERS if each > 0 and each != event["reminder"]])
    title, before = event["title"], reminder_text(view(p), minutes)
    ahead = before.removeprefix("提前")
    return p.goal(
        [changed("calendar.events", id, reminder=minutes)],
        en=[
            f"Remind me of “{title}” {before}",
            f"Set the reminder of “{title}” to {before}",
            f"Change the alert for the event “{title}”: {before}",
            f"I keep being late for things, so let the phone give me a nudge about “{title}” {before} it begins",
        ],
        zh=[
            f"“{title}”提前{ahead}提醒我",
            f"把“{title}”的提醒改成提前{ahead}",
            f"将日程“{title}”的提醒时间设为提前{ahead}",
            f"我老是迟到，请让日历在“{title}”开始前{ahead}就通知我一声",
        ],
    )


@task("calendar.invite")
def invite(p: Params) -> Goal:
    id, event = coming(p)
    who = p.choice([person for person in p.people if person.id not in event["invited"]])
    title = event["title"]
    return p.goal(
        [changed("calendar.events", id, invited=sorted([*event["invited"], who.id]))],
        en=[
            f"Invite {who.name} to “{title}”",
            f"Add {who.name} to the guests of the event “{title}”",
            f"{who.name} is coming to “{title}” too: put that in the calendar",
            f"One more person joins “{title}”. Keep whoever is on the list already, and include {who.name} among them",
        ],
        zh=[
            f"邀请{who.name}参加“{title}”",
            f"在日程“{title}”的参与人里加上{who.name}",
            f"{who.name}也要来“{title}”，在日历里添上",
            f"“{title}”要多一个人了，原来的名单保留不动，再把{who.name}也算进去",
        ],
    )


@task("calendar.delete_event")
def delete_event(p: Params) -> Goal:
    id, event = coming(p)
    title = event["title"]
    return p.goal(
        [Removed("calendar.events", id)],
        en=[
            f"Delete “{title}” from my calendar",
            f"Remove the event “{title}”",
            f"“{title}” is cancelled, take it off the calendar",
            f"Nothing will come of “{title}” after all, so I do not want to see that appointment anywhere any more",
        ],
        zh=[
            f"从日历里删除“{title}”",
            f"把日程“{title}”删掉",
            f"“{title}”取消了，从日历上去掉",
            f"看来“{title}”是办不成了，这条安排我不想再看到，帮我清理一下",
        ],
    )


@task("calendar.toggle_calendar")
def toggle_calendar(p: Params) -> Goal:
    kind, shown = p.choice(sorted(KINDS)), p.chance(0.4)
    p.data("calendar")["calendars"][kind]["shown"] = not shown
    name = p.t(*KINDS[kind][:2])
    return p.goal(
        [changed("calendar.calendars", kind, shown=shown)],
        en=[
            f"{'Show' if shown else 'Hide'} the {name} calendar",
            f"Turn {'on' if shown else 'off'} the calendar named {name}",
            f"In the calendar's settings, switch the {name} calendar {'on' if shown else 'off'}",
            f"I would {'like to see my' if shown else 'rather not see any'} appointments of the category {name} in the "
            f"month view; adjust which calendars are visible",
        ],
        zh=[
            f"{'显示' if shown else '隐藏'}“{name}”日历",
            f"把“{name}”这个日历{'打开' if shown else '关掉'}",
            f"在日历设置里{'开启' if shown else '关闭'}“{name}”日历的显示",
            f"月历里我{'还想看到' if shown else '暂时不想看到'}属于“{name}”这一类的安排，请调整一下哪些日历可见",
        ],
    )


@task("calendar.ask_place")
def ask_place(p: Params) -> Goal:
    id, event = p.entry("calendar.events", lambda event: event["place"])
    title = event["title"]
    where = See("calendar", "event", {"event": id}, title, reach(view(p), event["date"]))
    return p.ask(
        event["place"],
        [where],
        decoys=[other["place"] for _, other in p.entries("calendar.events")],
        en=[
            f"Where does “{title}” take place?",
            f"What is the place of the event “{title}”?",
            f"Look up the location of “{title}” in my calendar",
            f"I have no idea any more where I am supposed to go for “{title}”; the calendar should know, so tell me",
        ],
        zh=[
            f"“{title}”在哪里？",
            f"日程“{title}”的地点是什么？",
            f"查一下日历里“{title}”的地点",
            f"我想不起来“{title}”该去什么地方了，日历上应该写着，看完告诉我",
        ],
    )


@task("calendar.ask_holiday", held_out=True)
def ask_holiday(p: Params) -> Goal:
    found = coming_holidays(p.language, p.today)
    days = {each.name: (date.fromisoformat(each.date) - p.today).days for each in found}
    twice = Counter(each.name for each in found)  # a feast of the moon may come round within twelve months
    name = p.choice([name for name, left in days.items() if left > 1 and twice[name] == 1])
    return p.ask(
        str(days[name]),
        [see("calendar", "holidays")],
        decoys=[str(left) for left in days.values()],
        en=[
            f"How many days are left until {name}?",
            f"In how many days is {name}, according to the calendar?",
            f"Check the holidays in the calendar: how many days to go to {name}?",
            f"My children keep asking how long they still have to wait for {name}. Give me the number of days",
        ],
        zh=[
            f"距离{name}还有多少天？",
            f"日历上看，{name}在几天以后？",
            f"看看日历里的节日，离{name}还剩几天？",
            f"孩子总问我{name}什么时候才到，请数一数还要等上多少天，只要天数",
        ],
    )


@task("calendar.missing")
def missing(p: Params) -> Goal:
    title = p.choice(ABSENT.of(p.language))
    p.need(not matching(view(p), title))
    day = said_day(p, p.choice(days_ahead(p, 1, 30)))
    return p.impossible(
        [See("calendar", "results", {"query": title}, title)],
        en=[
            f"Move the event “{title}” in my calendar to {day}",
            f"Find “{title}” in the calendar and reschedule it to {day}",
            f"“{title}” is on {day} now. Correct the entry in my calendar",
            f"Somebody told me that the “{title}” I have noted down happens on {day} instead, so update it",
        ],
        zh=[
            f"把日历里的“{title}”改到{day}",
            f"在日历中找到“{title}”，把日期换成{day}",
            f"“{title}”现在是{day}，把日历里那一条改过来",
            f"有人通知说我之前记下的“{title}”会换到{day}举行，请更新已有的那条记录",
        ],
    )
