"""Calendar: a month with its days, an agenda, appointments with guests and reminders, holidays."""

from __future__ import annotations

from itertools import chain, combinations
from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, Data, View
from saccade_phone.apps.calendar import search, settings  # noqa: F401  (their screens are part of this app)
from saccade_phone.apps.calendar.content import KINDS, event_templates, holidays_by_day
from saccade_phone.apps.calendar.holidays import find_holiday
from saccade_phone.apps.calendar.parts import (
    BLANK,
    CALENDAR,
    LENGTHS,
    REMINDERS,
    SUMMARIES,
    Event,
    day_text,
    event_cell,
    later,
    leave,
    length_text,
    minutes_of,
    month_grid,
    month_of,
    near_text,
    reach,
    reminder_text,
    shown_events,
    tabs,
    this_month,
    tools,
    under,
)
from saccade_phone.apps.patterns import cancel_or
from saccade_phone.goal_changes import Fields, Need, Way, plain
from saccade_phone.seeded_random import Draw
from saccade_phone.widgets import Page, Widget, do, go, pick, put, tab


@CALENDAR.seed
def seed(draw: Draw) -> Data:
    events: dict[str, Event] = {}
    for at, each in enumerate(draw.sample(event_templates(draw.language), 40)):
        when = draw.day(-14, 32) if at < 32 else draw.day(-40, 60)
        guests = draw.sample(draw.people, each.guests if draw.chance(0.8) else 0)
        events[f"e{at + 1}"] = {
            "title": each.title,
            "date": when.isoformat(),
            "start": each.start,
            "end": later(each.start, each.minutes),
            "place": each.place,
            "reminder": draw.choice((0, 5, 10, 15, 30, 60, 1440)),
            "notes": each.notes,
            "invited": sorted(guest.id for guest in guests),
            "kind": each.kind,
        }
    people = {who.id: {"name": who.name, "email": who.email, "emoji": who.emoji} for who in draw.people}
    words = [event["title"] for event in draw.sample(list(events.values()), 3)]
    return {
        "events": events,
        "people": people,
        "calendars": {kind: {"shown": True} for kind in KINDS},
        "show_holidays": True,
        "summary": draw.choice(SUMMARIES),
        "history": words,
    }


@CALENDAR.screen("month", form=lambda v: {"month": month_of(v.state["now"]), "day": v.state["now"][:10]})
def month_screen(v: View) -> Page:
    number, chosen = v.form["month"], v.form["day"]
    inside = [(id, event) for id, event in shown_events(v) if month_of(event["date"]) == number]
    body = [month_grid(v, lambda iso: put("day", iso), chosen, [event["date"] for _, event in inside])]
    if month_of(chosen) == number:
        feast = holidays_by_day(v.language, number // 12).get(chosen) if v.data["show_holidays"] else None
        if feast:
            body.append(
                w.banner(
                    feast.name, feast.about, emoji=feast.emoji, tint=CALENDAR.tint, tap=go("holiday", holiday=feast.id)
                )
            )
        rows = [event_cell(v, id, event) for id, event in inside if event["date"] == chosen]
        body.append(
            w.section(near_text(v, chosen), rows or [w.text(v.t("Nothing planned", "这一天没有安排"), "quiet")])
        )
    else:
        rows = [event_cell(v, id, event, dated=True) for id, event in inside]
        body.append(w.section(v.t(f"{len(rows)} events this month", f"本月共{len(rows)}项日程"), rows))
    return Page(
        v.t("Calendar", "日历"),
        body,
        tabs=tabs(v, "month"),
        actions=[w.icon_button("calendar-check", v.t("Back to today", "回到今天"), tab("month")), *tools(v)],
    )


@CALENDAR.screen("agenda", form=lambda v: {"kind": ""})
def agenda(v: View) -> Page:
    today, kind = v.state["now"][:10], v.form["kind"]
    days: dict[str, list[Widget]] = {}
    for id, event in shown_events(v):
        if event["date"] >= today and kind in ("", event["kind"]):
            days.setdefault(event["date"], []).append(event_cell(v, id, event))
    filters = [w.chip(v.t("All", "全部"), put("kind", ""), kind == "")]
    filters += [w.chip(v.t(*KINDS[each][:2]), put("kind", each), kind == each) for each in KINDS]
    body = [w.section(near_text(v, iso), rows) for iso, rows in days.items()]
    body = body or [w.empty(v.t("Nothing planned", "没有安排"), "🍃")]
    return Page(
        v.t("Agenda", "日程"),
        body,
        head=[w.segments(filters)],
        tabs=tabs(v, "agenda"),
        actions=tools(v),
        pull=do("refresh"),
    )


@CALENDAR.command("refresh")
def refresh(h: CommandContext) -> None:
    h.toast("Calendars are up to date", "日历已是最新")


# -- one event ---------------------------------------------------------------------------------------------------------


@CALENDAR.screen("event")
def event_screen(v: View) -> Page:
    id = v.args["event"]
    event = v.data["events"][id]
    en, zh, emoji, tint = KINDS[event["kind"]]
    rows = [w.cell(v.t("Calendar", "所属日历"), value=v.t(en, zh), icon="tag")]
    if event["place"]:
        rows.insert(0, w.cell(event["place"], v.t("Place", "地点"), icon="map-pin"))
    rows.append(
        w.entry(v.t("Reminder", "提醒"), reminder_text(v, event["reminder"]), go("remind", event=id), icon="bell")
    )
    if event["notes"]:
        rows.append(w.cell(event["notes"], v.t("Notes", "备注"), icon="align-left"))
    when = f"{day_text(v, event['date'])} · {event['start']}–{event['end']}"
    body = [w.banner(event["title"], when, emoji=emoji, tint=tint), w.section("", rows)]
    people = [v.data["people"][who] for who in event["invited"] if who in v.data["people"]]
    if people:
        guests = [w.cell(who["name"], who["email"], emoji=who["emoji"]) for who in people]
        body.append(w.section(v.t(f"Invited ({len(people)})", f"参与人（{len(people)}）"), guests))
    more = w.icon_button("ellipsis", v.t("More", "更多"), go("menu", event=id))
    change = w.button(v.t("Edit", "编辑"), go("edit", event=id), icon="pencil")
    drop = w.button(v.t("Delete", "删除"), go("delete", event=id), style="danger", icon="trash-2")
    return Page(v.t("Event", "日程详情"), body, actions=[more], foot=[w.row([change, drop])])


@CALENDAR.screen("menu", style="sheet")
def menu(v: View) -> Page:
    return Page(
        v.data["events"][v.args["event"]]["title"],
        [
            w.cell(v.t("Open", "查看"), icon="eye", tap=go("event", **v.args)),
            w.cell(v.t("Edit", "编辑"), icon="pencil", tap=go("edit", **v.args)),
            w.cell(v.t("Move to another day", "改到另一天"), icon="calendar-arrow-up", tap=go("move", **v.args)),
            w.cell(v.t("Reminder", "提醒"), icon="bell", tap=go("remind", **v.args)),
            w.cell(v.t("Delete", "删除"), icon="trash-2", tap=go("delete", **v.args)),
        ],
    )


@CALENDAR.screen("move", style="sheet", form=lambda v: {"month": month_of(v.data["events"][v.args["event"]]["date"])})
def move(v: View) -> Page:
    event = v.data["events"][v.args["event"]]
    grid = month_grid(v, lambda iso: do("move", date=iso, **v.args), event["date"])
    return Page(v.t("Move to", "改到哪一天"), [grid], actions=[this_month(v)])


@CALENDAR.screen("remind", style="sheet")
def remind(v: View) -> Page:
    now = v.data["events"][v.args["event"]]["reminder"]
    rows = [w.choice(reminder_text(v, each), each == now, do("remind", minutes=each, **v.args)) for each in REMINDERS]
    return Page(v.t("Reminder", "提醒"), rows)


@CALENDAR.screen("delete", style="dialog")
def delete(v: View) -> Page:
    title = v.data["events"][v.args["event"]]["title"]
    words = w.text(v.t(f"“{title}” will be removed from your calendar.", f"“{title}”将从日历中移除。"))
    return Page(
        v.t("Delete event?", "删除日程？"), [words], foot=cancel_or(v, v.t("Delete", "删除"), do("remove", **v.args))
    )


@CALENDAR.command("move")
def do_move(h: CommandContext, event: str, date: str) -> None:
    h.data["events"][event]["date"] = date
    h.toast(f"Moved to {day_text(h, date)}", f"已改到{day_text(h, date)}")
    leave(h, "move", "menu")


@CALENDAR.command("remind")
def do_remind(h: CommandContext, event: str, minutes: int) -> None:
    h.data["events"][event]["reminder"] = minutes
    h.toast(f"Reminder: {reminder_text(h, minutes)}", f"提醒已设为：{reminder_text(h, minutes)}")
    leave(h, "remind", "menu")


@CALENDAR.command("remove")
def do_remove(h: CommandContext, event: str) -> None:
    del h.data["events"][event]
    h.toast("Event deleted", "日程已删除")
    leave(h, "delete", "menu", "event")


# -- making and changing one -------------------------------------------------------------------------------------------


def edit_form(v: View) -> dict[str, Any]:
    """As it is; a new one begins on the day that was looked at."""
    event = v.data["events"].get(v.args["event"])
    if event is None:
        place, today = under(v), v.state["now"][:10]
        start = place["form"].get("day", today)
        if place["screen"] == "holiday":
            start = find_holiday(v, place["args"]["holiday"]).date
        event = {**BLANK, "date": start, "start": "09:00", "end": "10:00"}
    values = {name: event[name] for name in (*BLANK, "date")}
    length = minutes_of(event["end"]) - minutes_of(event["start"])
    return {**values, "hour": event["start"][:2], "minute": event["start"][3:], "length": length}


@CALENDAR.screen("edit", form=edit_form)
def edit(v: View) -> Page:
    form, id = v.form, v.args["event"]
    hours = w.wheel([w.chip(f"{h:02}", put("hour", f"{h:02}"), form["hour"] == f"{h:02}") for h in range(24)])
    minutes = w.wheel(
        [w.chip(f"{m:02}", put("minute", f"{m:02}"), form["minute"] == f"{m:02}") for m in range(0, 60, 5)]
    )
    sizes = sorted({*LENGTHS, form["length"]})
    lengths = w.wheel([w.chip(length_text(v, each), put("length", each), form["length"] == each) for each in sizes])
    start = f"{form['hour']}:{form['minute']}"
    names = [v.data["people"][who]["name"] for who in form["invited"] if who in v.data["people"]]
    guests = v.t(", ", "、").join(names[:1]) + (v.t(f" +{len(names) - 1}", f"等{len(names)}人") if names[1:] else "")
    body = [
        w.field("title", form["title"], v.t("What is planned?", "日程内容"), label=v.t("Title", "标题")),
        w.field("place", form["place"], v.t("Where?", "在哪里"), label=v.t("Place", "地点")),
        w.entry(v.t("Date", "日期"), day_text(v, form["date"]), go("pick-date", field="date"), icon="calendar-days"),
        w.section(
            v.t(
                f"Start and duration · {start}–{later(start, form['length'])}",
                f"开始时间与时长 · {start}–{later(start, form['length'])}",
            ),
            [w.row([hours, minutes, lengths])],
        ),
        w.entry(
            v.t("Reminder", "提醒"), reminder_text(v, form["reminder"]), go("reminders", field="reminder"), icon="bell"
        ),
        w.entry(
            v.t("Invite", "参与人"),
            guests,
            go("invite", field="invited"),
            placeholder=v.t("Nobody", "无"),
            icon="users",
        ),
        w.section(
            v.t("Calendar", "所属日历"),
            [w.chips([w.chip(v.t(*KINDS[kind][:2]), put("kind", kind), form["kind"] == kind) for kind in KINDS])],
        ),
        w.field(
            "notes",
            form["notes"],
            v.t("Anything to remember", "需要记住的事"),
            label=v.t("Notes", "备注"),
            style="long",
        ),
    ]
    title = v.t("Edit event", "编辑日程") if id else v.t("New event", "新建日程")
    return Page(title, body, foot=[w.button(v.t("Save", "保存"), do("save", event=id))])


def date_form(v: View) -> dict[str, Any]:
    chosen = under(v)["form"].get("date", v.state["now"][:10])
    return {"month": month_of(chosen), "date": chosen}


@CALENDAR.screen("pick-date", style="sheet", form=date_form)
def pick_date(v: View) -> Page:
    grid = month_grid(v, lambda iso: pick("date", iso), v.form["date"])
    return Page(v.t("Date", "日期"), [grid], actions=[this_month(v)])


@CALENDAR.screen("reminders", style="sheet", form=lambda v: {"now": under(v)["form"].get("reminder")})
def reminders(v: View) -> Page:
    now = v.form["now"]
    rows = [w.choice(reminder_text(v, each), each == now, pick("reminder", each)) for each in REMINDERS]
    return Page(v.t("Reminder", "提醒"), rows)


@CALENDAR.screen("invite", style="sheet", form=lambda v: {"invited": under(v)["form"].get("invited", [])})
def invite(v: View) -> Page:
    asked = v.form["invited"]
    rows = [
        w.check(who["name"], id in asked, put("invited", sorted({*asked} ^ {id})), who["email"], emoji=who["emoji"])
        for id, who in v.data["people"].items()
    ]
    done = w.button(v.t(f"Done ({len(asked)})", f"完成（{len(asked)}）"), pick("invited", asked))
    return Page(v.t("Invite people", "选择参与人"), rows, foot=[done])


@CALENDAR.command("save")
def save(h: CommandContext, event: str) -> None:
    form = h.form
    title, start = form["title"].strip(), f"{form['hour']}:{form['minute']}"
    if not title:
        return h.toast("The event needs a title", "请填写日程标题")
    if minutes_of(start) + form["length"] >= 1440:
        return h.toast("It must end before midnight", "日程须在当天结束")
    id = event or h.new_id("event")
    h.data["events"][id] = {
        "title": title,
        "date": form["date"],
        "start": start,
        "end": later(start, form["length"]),
        "place": form["place"].strip(),
        "reminder": form["reminder"],
        "notes": form["notes"].strip(),
        "invited": form["invited"],
        "kind": form["kind"],
    }
    h.toast("Event saved", "日程已保存")
    return leave(h, "edit", "menu")


def set_event(v: View, id: str, fields: Fields) -> Way:
    """The form that makes or changes an event."""
    old = v.data["events"].get(id, {})
    values: dict[str, Any] = {}
    if "start" in fields:
        values["hour"], values["minute"] = fields["start"].split(":")
    start, end = (fields.get(name, old.get(name, "")) for name in ("start", "end"))
    if start and end and ("start" in fields or "end" in fields):
        values["length"] = minutes_of(end) - minutes_of(start)
        if values["length"] not in LENGTHS:
            return None
    names = ("title", "place", "notes", "kind", "reminder", "date", "invited")  # what takes longest comes last
    values |= {name: plain(fields[name]) for name in names if name in fields}
    through = reach(v, *(day for day in (old.get("date"), fields.get("date")) if day))
    if not old:
        through["day"] = ()  # the day looked at is where a new event begins: not to be gone back for
    asked = set(old.get("invited", []))
    change = sorted(asked ^ set(fields.get("invited", asked)))
    steps = chain.from_iterable(combinations(change, count) for count in range(len(change) + 1))
    through["invited"] = tuple(sorted(asked ^ set(step)) for step in steps)
    query = old.get("title", "")
    return Need("calendar", "edit", {"event": id}, values, do("save", event=id), query=query, through=through)


def update_event(v: View, id: str, fields: Fields) -> Way:
    old = v.data["events"][id]
    if set(fields) == {"reminder"}:
        return Need(
            "calendar",
            "remind",
            {"event": id},
            commit=do("remind", event=id, minutes=fields["reminder"]),
            query=old["title"],
            through=reach(v, old["date"]),
        )
    if set(fields) == {"date"}:
        new = fields["date"]
        return Need(
            "calendar",
            "move",
            {"event": id},
            {"month": month_of(new)},
            do("move", event=id, date=new),
            old["title"],
            reach(v, old["date"]),
        )
    return set_event(v, id, fields)


def remove_event(v: View, id: str) -> Way:
    event = v.data["events"][id]
    return Need(
        "calendar",
        "delete",
        {"event": id},
        commit=do("remove", event=id),
        query=event["title"],
        through=reach(v, event["date"]),
    )


CALENDAR.holds(
    "events",
    create=lambda v, fields: set_event(v, "", fields),
    update=update_event,
    remove=remove_event,
    defaults={name: value for name, value in BLANK.items() if name != "title"},
)

__all__ = ["CALENDAR"]
