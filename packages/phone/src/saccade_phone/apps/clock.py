"""Clock: alarms, timer, world clock."""

from __future__ import annotations

from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import App, CommandContext, Data, View
from saccade_phone.data_files import Words, table
from saccade_phone.goal_changes import Fields, Need, Way, plain
from saccade_phone.seeded_random import Draw
from saccade_phone.widgets import Op, Page, Widget, back, do, go, pick, put

CLOCK = App("clock", "Clock", "时钟", "alarm-clock", "#3d5a80", "f7-ios", home="alarms")

DAYS_EN = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
DAYS_ZH = ("周一", "周二", "周三", "周四", "周五", "周六", "周日")
SOUNDS = table("clock", "sounds", dict[str, Words])
NEW: dict[str, Any] = {"time": "08:00", "days": [], "label": "", "sound": "dawn", "on": True}
"""Initial values of a new alarm."""
LABELS = table("clock", "labels", tuple[Words, ...])
"""In the order of a day."""
CITIES = table("clock", "cities", dict[str, tuple[str, str, int]])
"""Names, and offset from UTC in winter in minutes."""
HOME = ("london", "beijing")
"""Where the phone is, by its language."""


@CLOCK.seed
def seed(draw: Draw) -> Data:
    times = draw.sample([f"{hour:02}:{minute:02}" for hour in range(5, 23) for minute in range(0, 60, 5)], 8)
    labels = sorted(draw.sample(LABELS, 8), key=LABELS.index)
    alarms = {
        f"a{at}": {
            "time": time,
            "days": draw.choice(([], [0, 1, 2, 3, 4], [5, 6], [0, 2, 4])),
            "label": draw.t(*labels[at]),
            "sound": draw.choice(sorted(SOUNDS)),
            "on": draw.chance(0.5),
        }
        for at, time in enumerate(sorted(times))
    }
    cities = {city: {"city": city} for city in draw.sample(sorted(set(CITIES) - set(HOME)), 4)}
    return {"alarms": alarms, "cities": cities, "timer": {"minutes": 0, "running": False}}


def days_text(v: View, days: list[int]) -> str:
    if not days:
        return v.t("Once", "仅一次")
    if days == [0, 1, 2, 3, 4]:
        return v.t("Weekdays", "工作日")
    if len(days) == 7:
        return v.t("Every day", "每天")
    return v.t(" ", "、").join(v.t(DAYS_EN, DAYS_ZH)[day] for day in days)


def tabs(v: View, here: str) -> list[Widget]:
    return [
        w.tab_item(v.t("Alarms", "闹钟"), "alarm-clock", "alarms", here == "alarms"),
        w.tab_item(v.t("World clock", "世界时钟"), "globe", "world", here == "world"),
        w.tab_item(v.t("Timer", "计时器"), "timer", "timer", here == "timer"),
    ]


@CLOCK.screen("alarms")
def alarms(v: View) -> Page:
    rows = [
        w.switch(
            alarm["time"],
            alarm["on"],
            do("toggle", alarm=id, on=not alarm["on"]),
            " · ".join(filter(None, (alarm["label"], days_text(v, alarm["days"])))),
            row_tap=go("edit", alarm=id),
            hold=go("menu", alarm=id),
        )
        for id, alarm in sorted(v.data["alarms"].items(), key=lambda item: (item[1]["time"], item[0]))
    ]
    add = w.icon_button("plus", v.t("Add alarm", "添加闹钟"), go("edit", alarm=""))
    body = [w.section("", rows)] if rows else [w.empty(v.t("No alarms", "没有闹钟"), "⏰")]
    return Page(v.t("Alarms", "闹钟"), body, actions=[add], tabs=tabs(v, "alarms"))


def as_form(alarm: Fields) -> dict[str, Any]:
    """An alarm as the form has it: the time in two parts."""
    hour, _, minute = alarm["time"].partition(":")
    return {"hour": hour, "minute": minute, **{name: plain(alarm[name]) for name in ("days", "label", "sound", "on")}}


def edit_form(v: View) -> dict[str, Any]:
    return as_form(v.data["alarms"].get(v.args["alarm"], NEW))


@CLOCK.screen("edit", form=edit_form)
def edit(v: View) -> Page:
    form, id = v.form, v.args["alarm"]
    hours = w.wheel([w.chip(f"{h:02}", put("hour", f"{h:02}"), form["hour"] == f"{h:02}") for h in range(24)])
    minutes = w.wheel(
        [w.chip(f"{m:02}", put("minute", f"{m:02}"), form["minute"] == f"{m:02}") for m in range(0, 60, 5)]
    )
    days = [
        w.chip(v.t(DAYS_EN, DAYS_ZH)[day], put("days", sorted(set(form["days"]) ^ {day})), day in form["days"])
        for day in range(7)
    ]
    body = [
        w.row([hours, minutes]),
        w.section(v.t("Repeat", "重复"), [w.chips(days)]),
        w.field("label", form["label"], v.t("Alarm", "闹钟"), label=v.t("Label", "标签")),
        w.entry(v.t("Sound", "铃声"), v.t(*SOUNDS[form["sound"]]), go("sounds", field="sound")),
        w.switch(v.t("Enabled", "启用"), form["on"], put("on", not form["on"])),
    ]
    title = v.t("Edit alarm", "编辑闹钟") if id else v.t("New alarm", "新建闹钟")
    return Page(title, body, foot=[w.button(v.t("Save", "保存"), do("save", alarm=id))])


@CLOCK.screen("sounds", style="sheet")
def sounds(v: View) -> Page:
    rows = [w.cell(v.t(*names), icon="music", tap=pick("sound", sound)) for sound, names in SOUNDS.items()]
    return Page(v.t("Sound", "铃声"), rows)


@CLOCK.screen("menu", style="sheet")
def menu(v: View) -> Page:
    alarm = v.data["alarms"][v.args["alarm"]]
    edits = w.cell(v.t("Edit", "编辑"), icon="pencil", tap=go("edit", **v.args))
    deletes = w.cell(v.t("Delete", "删除"), icon="trash-2", tap=go("delete", **v.args))
    return Page(alarm["time"], [edits, deletes])


@CLOCK.screen("delete", style="dialog")
def delete(v: View) -> Page:
    time = v.data["alarms"][v.args["alarm"]]["time"]
    words = w.text(v.t(f"The {time} alarm will be deleted.", f"将删除{time}的闹钟。"))
    cancel = w.button(v.t("Cancel", "取消"), back(), style="plain")
    sure = w.button(v.t("Delete", "删除"), do("remove", **v.args), style="danger")
    return Page(v.t("Delete alarm?", "删除闹钟？"), [words], foot=[cancel, sure])


@CLOCK.command("toggle")
def toggle(h: CommandContext, alarm: str, on: bool) -> None:
    h.data["alarms"][alarm]["on"] = on


@CLOCK.command("save")
def save(h: CommandContext, alarm: str) -> None:
    form = h.form
    time = f"{form['hour']}:{form['minute']}"
    h.data["alarms"][alarm or h.new_id("alarm")] = {
        "time": time,
        "days": form["days"],
        "label": form["label"].strip(),
        "sound": form["sound"],
        "on": form["on"],
    }
    h.toast(f"Alarm saved for {time}", f"{time}的闹钟已保存")
    h.then(back())


@CLOCK.command("remove")
def remove(h: CommandContext, alarm: str) -> None:
    del h.data["alarms"][alarm]
    h.toast("Alarm deleted", "闹钟已删除")
    h.then(back(), back())


def update_alarm(v: View, id: str, fields: Fields) -> Way:
    if id not in v.data["alarms"]:
        return None
    if set(fields) == {"on"}:
        return Need("clock", "alarms", commit=do("toggle", alarm=id, on=fields["on"]))
    return Need("clock", "edit", {"alarm": id}, as_form({**v.data["alarms"][id], **fields}), do("save", alarm=id))


CLOCK.holds(
    "alarms",
    create=lambda v, fields: Need("clock", "edit", {"alarm": ""}, as_form({**NEW, **fields}), do("save", alarm="")),
    update=update_alarm,
    remove=lambda v, alarm: Need("clock", "delete", {"alarm": alarm}, commit=do("remove", alarm=alarm)),
    defaults={"days": [], "label": "", "sound": "dawn", "on": True},
)


# -- world clock ------------------------------------------------------------------------------------------------------


def city_name(v: View, city: str) -> str:
    return v.t(*CITIES[city][:2])


def ahead(v: View, city: str) -> int:
    """Minutes ahead of the phone."""
    return CITIES[city][2] - CITIES[v.t(*HOME)][2]


def city_time(v: View, city: str) -> str:
    minutes = v.now.hour * 60 + v.now.minute + ahead(v, city)
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def city_day(v: View, city: str) -> str:
    """Which day it is there, and how far its time is from here."""
    days = (v.now.hour * 60 + v.now.minute + ahead(v, city)) // (24 * 60)
    day = v.t(("Yesterday", "Today", "Tomorrow"), ("昨天", "今天", "明天"))[days + 1]
    hours = f"{abs(ahead(v, city)) / 60:g}"
    if ahead(v, city) == 0:
        return v.t(f"{day}, same time", f"{day}，无时差")
    if ahead(v, city) > 0:
        return v.t(f"{day}, {hours} h ahead", f"{day}，早{hours}小时")
    return v.t(f"{day}, {hours} h behind", f"{day}，晚{hours}小时")


@CLOCK.screen("world")
def world(v: View) -> Page:
    rows = [
        w.cell(city_name(v, id), city_day(v, id), city_time(v, id), hold=go("drop-city", city=id))
        for id in v.data["cities"]
    ]
    home = city_name(v, v.t(*HOME))
    here = [
        w.text(v.now.strftime("%H:%M"), "big"),
        w.text(v.t(f"Local time in {home}", f"本地时间（{home}）"), "quiet"),
    ]
    add = w.icon_button("plus", v.t("Add city", "添加城市"), go("add-city"))
    body = w.section("", rows) if rows else w.empty(v.t("No cities", "还没有城市"), "🌍")
    return Page(v.t("World clock", "世界时钟"), [*here, body], actions=[add], tabs=tabs(v, "world"))


def matching(v: View, query: str) -> list[str]:
    """Cities that can be added and whose name contains this."""
    wanted = query.strip().casefold()
    return [id for id in CITIES if id not in v.data["cities"] and wanted in city_name(v, id).casefold()]


def city_rows(v: View, query: str) -> list[Widget]:
    rows = [
        w.cell(city_name(v, id), city_day(v, id), city_time(v, id), tap=do("add-city", city=id))
        for id in matching(v, query)
    ]
    return [w.section("", rows)] if rows else [w.empty(v.t("No such city", "没有这个城市"), "🌍")]


@CLOCK.screen("add-city", form=lambda v: {"query": ""})
def add_city(v: View) -> Page:
    query = v.form["query"]
    enter = go("cities", query=query)
    search = w.field("query", query, v.t("Search cities", "搜索城市"), style="search", submit=enter)
    return Page(v.t("Add city", "添加城市"), city_rows(v, query), head=[search])


@CLOCK.screen("cities")
def cities(v: View) -> Page:
    return Page(v.t("Cities", "搜索结果"), city_rows(v, v.args["query"]))


@CLOCK.screen("drop-city", style="sheet")
def drop_city(v: View) -> Page:
    drop = w.cell(v.t("Remove", "移除"), icon="trash-2", tap=do("drop-city", **v.args))
    return Page(city_name(v, v.args["city"]), [drop])


@CLOCK.command("add-city")
def do_add_city(h: CommandContext, city: str) -> None:
    h.data["cities"][city] = {"city": city}
    h.toast(f"{city_name(h, city)} added", f"已添加{city_name(h, city)}")
    h.then(back(), *([back()] if "query" in h.args else []))


@CLOCK.command("drop-city")
def do_drop_city(h: CommandContext, city: str) -> None:
    del h.data["cities"][city]
    h.then(back())


def add_city_way(v: View, fields: Fields) -> Way:
    """The screen that lists the city: the open one if possible; a search that hides it is corrected."""
    city, commit = fields["city"], do("add-city", city=fields["city"])
    shown = v.state["nav"]["stacks"].get("clock", [{"screen": ""}])[-1]
    if shown["screen"] == "cities" and city in matching(v, shown["args"]["query"]):
        return Need("clock", "cities", shown["args"], commit=commit)
    hidden = shown["screen"] == "add-city" and city not in matching(v, shown["form"]["query"])
    return Need("clock", "add-city", values={"query": city_name(v, city)} if hidden else {}, commit=commit)


CLOCK.holds(
    "cities",
    create=add_city_way,
    remove=lambda v, city: Need("clock", "drop-city", {"city": city}, commit=do("drop-city", city=city)),
)


# -- timer ------------------------------------------------------------------------------------------------------------

TIMES = (1, 3, 5, 8, 10, 12, 15, 20, 25, 30, 40, 45, 50, 60, 75, 90)


@CLOCK.screen("timer", form=lambda v: {"minutes": v.data["timer"]["minutes"] or 5})
def timer(v: View) -> Page:
    now = v.data["timer"]
    if now["running"]:
        stop: Op = do("timer", minutes=0, running=False)
        body = [w.text(f"{now['minutes']:02}:00", "big"), w.button(v.t("Stop", "停止"), stop, style="danger")]
    else:
        choices = [w.chip(v.t(f"{m} min", f"{m}分钟"), put("minutes", m), v.form["minutes"] == m) for m in TIMES]
        start = w.button(v.t("Start", "开始"), do("timer", minutes=v.form["minutes"], running=True))
        body = [w.text(f"{v.form['minutes']:02}:00", "big"), w.chips(choices), start]
    return Page(v.t("Timer", "计时器"), body, tabs=tabs(v, "timer"))


@CLOCK.command("timer")
def run_timer(h: CommandContext, minutes: int, running: bool) -> None:
    h.data["timer"] = {"minutes": minutes, "running": running}


def timer_way(v: View, wanted: Any) -> Way:
    if v.data["timer"]["running"]:
        return Need("clock", "timer", commit=do("timer", minutes=0, running=False))
    return Need("clock", "timer", values={"minutes": wanted["minutes"]}, commit=do("timer", **wanted))


CLOCK.value("timer", timer_way)
