"""Travel: paying, tickets, refunds, passengers. Search and booking are in `trips`."""

from __future__ import annotations

from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, View
from saccade_phone.apps.patterns import cancel_or
from saccade_phone.apps.travel import trips as trips
from saccade_phone.apps.travel.content import CITIES, SEATS, fare
from saccade_phone.apps.travel.content import ticket as new_ticket
from saccade_phone.apps.travel.trips import TRAVEL, find, money, when
from saccade_phone.goal_changes import Fields, Need, Value, Way, plain
from saccade_phone.widgets import Page, Widget, back, do, go, put

__all__ = ["TRAVEL"]

STATES = {"paid": ("Booked", "已出票"), "used": ("Travelled", "已完成"), "refunded": ("Refunded", "已退款")}
TRIP = ("kind", "from", "to", "date", "nights")
"""What can be searched for."""


# -- booking ----------------------------------------------------------------------------------------------------------


def seat_name(v: View, kind: str, seat: str) -> str:
    return v.t(*SEATS[kind][seat])


@TRAVEL.screen("book", form=lambda v: {"passenger": "me"})
def book(v: View) -> Page:
    args, what = v.args, find(v, v.args)
    stay = args["kind"] == "hotel"
    total = fare(what.price, args["seat"], args["kind"]) * args.get("nights", 1)
    nights = v.t(f", nights: {args['nights']}", f" · 共{args['nights']}晚") if stay else ""
    who = [
        w.choice(
            each["name"],
            v.form["passenger"] == id,
            put("passenger", id),
            f"{v.t(*trips.TYPES[each['type']])} · {each['document']}",
        )
        for id, each in v.data["passengers"].items()
    ]
    place = args["to"] if stay else f"{args['from']} → {args['to']}"
    return Page(
        v.t("Check the order", "确认订单"),
        [
            w.banner(
                f"{args['number']} · {seat_name(v, args['kind'], args['seat'])}",
                place,
                emoji=trips.PICTURES[args["kind"]],
                tint="#0f8b8d",
            ),
            w.section(
                "",
                [
                    w.cell(
                        v.t("Check-in", "入住") if stay else v.t("Date", "日期"),
                        "",
                        when(v, args["date"]) + nights,
                        icon="calendar",
                    )
                ],
            ),
            w.section(v.t("Guest", "入住人") if stay else v.t("Traveller", "乘客"), who),
            w.cell(v.t("Manage travellers", "管理常用旅客"), icon="user-plus", tap=go("passengers")),
        ],
        foot=[
            w.text(v.t(f"Total {money(v, total)}", f"合计 {money(v, total)}"), "price"),
            w.button(v.t("Place order", "提交订单"), go("pay", **args, passenger=v.form["passenger"])),
        ],
    )


@TRAVEL.screen("pay", style="dialog")
def pay(v: View) -> Page:
    args, what = v.args, find(v, v.args)
    total = money(v, fare(what.price, args["seat"], args["kind"]) * args.get("nights", 1))
    name = v.data["passengers"][args["passenger"]]["name"]
    words = f"{args['number']}, {seat_name(v, args['kind'], args['seat'])}, {when(v, args['date'])}"
    body = [w.text(words), w.text(v.t(f"For {name}", f"旅客：{name}"), "quiet")]
    return Page(
        v.t(f"Pay {total}?", f"支付{total}？"),
        body,
        foot=[
            w.button(v.t("Not yet", "暂不支付"), back(), style="plain"),
            w.button(v.t("Pay", "确认支付"), do("pay", **args)),
        ],
    )


@TRAVEL.command("pay")
def do_pay(h: CommandContext, passenger: str, **args: Any) -> None:
    id = h.new_id("t")
    h.data["tickets"][id] = new_ticket(args, find(h, args)) | {
        "passenger": passenger,
        "name": h.data["passengers"][passenger]["name"],
        "status": "paid",
    }
    h.toast("Paid and booked", "支付成功，已出票")
    h.then(back(), back(), go("ticket", ticket=id))


def at_hand(v: View, trip: dict[str, Any]) -> bool:
    """Whether the results of this search can be reached without searching."""
    if trip in v.data["recent"] or trip in v.data["deals"]:
        return True
    if trip["kind"] == "hotel" and trip["date"] == trips.tomorrow(v) and trip["nights"] == 1:
        return True
    stack = v.state["nav"]["stacks"].get("travel", [])
    return any(trip.items() <= shown["args"].items() for shown in stack)


def book_way(v: View, fields: Fields) -> Way:
    """First the search, then the choice of a train, a flight or a room, and the payment."""
    if fields.get("status", "paid") != "paid" or "number" not in fields:
        return None
    trip = {name: fields[name] for name in TRIP if fields.get(name)}
    if not at_hand(v, trip):
        return [Value("travel.trip", trip)]
    who = fields.get("passenger", "me")
    args = {**trip, "number": fields["number"], "seat": fields["seat"], "passenger": who}
    query = fields["number"] if trip["kind"] == "hotel" else ""
    return Need("travel", "pay", args, commit=do("pay", **args), query=query, through={"passenger": (who,)})


def update_ticket(v: View, id: str, fields: Fields) -> Way:
    if v.data["tickets"][id]["status"] != "paid":
        return None
    if "date" in fields:
        return Need(
            "travel",
            "change",
            {"ticket": id},
            {"date": fields["date"]},
            do("change", ticket=id),
            through={"month": trips.months(v)},
        )
    if fields.get("status") == "refunded":
        return Need("travel", "refund", {"ticket": id}, commit=do("refund", ticket=id))
    return None


def drop_ticket(v: View, id: str) -> Way:
    if v.data["tickets"][id]["status"] != "used":
        return None
    return Need("travel", "drop", {"ticket": id}, commit=do("drop", ticket=id))


TRAVEL.holds("tickets", create=book_way, update=update_ticket, remove=drop_ticket, defaults={"status": "paid"})


# -- tickets ----------------------------------------------------------------------------------------------------------


def ticket_cell(v: View, id: str) -> Widget:
    one = v.data["tickets"][id]
    words = one["number"] if one["kind"] == "hotel" else f"{one['from']} → {one['to']}"
    more = one["to"] if one["kind"] == "hotel" else one["number"]
    return w.cell(
        words,
        f"{when(v, one['date'])} · {more}",
        v.t(*STATES[one["status"]]),
        icon=trips.ICONS[one["kind"]],
        tap=go("ticket", ticket=id),
        hold=go("drop", ticket=id) if one["status"] == "used" else None,
        done=one["status"] == "refunded",
    )


@TRAVEL.screen("tickets")
def tickets(v: View) -> Page:
    every = sorted(v.data["tickets"].items(), key=lambda item: (item[1]["date"], item[0]))
    parts = [
        (v.t("Upcoming", "待出行"), [id for id, one in every if one["status"] == "paid"]),
        (v.t("Refunded", "已退款"), [id for id, one in every if one["status"] == "refunded"]),
        (v.t("Past", "历史行程"), [id for id, one in reversed(every) if one["status"] == "used"]),
    ]
    body = [w.section(name, [ticket_cell(v, id) for id in ids]) for name, ids in parts if ids]
    return Page(
        v.t("My trips", "我的行程"),
        body or [w.empty(v.t("No trips yet", "还没有行程"), "🧳")],
        tabs=trips.tabs(v, "tickets"),
        pull=do("refresh"),
    )


@TRAVEL.screen("ticket")
def ticket(v: View) -> Page:
    id = v.args["ticket"]
    one = v.data["tickets"][id]
    stay = one["kind"] == "hotel"
    rows = [(v.t("Check-in", "入住") if stay else v.t("Date", "日期"), when(v, one["date"]), "calendar")]
    if stay:
        title, below = one["number"], one["to"]
        rows += [(v.t("Nights", "晚数"), str(one["nights"]), "moon"), (v.t("Room", "房号"), one["place"], "key-round")]
    else:
        title, below = f"{one['depart']} → {one['arrive']}", f"{one['from']} – {one['to']}"
        gate = v.t("Gate", "登机口") if one["kind"] == "flight" else v.t("Gate", "检票口")
        rows += [
            (v.t("Number", "车次") if one["kind"] == "train" else v.t("Number", "航班"), one["number"], "hash"),
            (v.t("Seat", "座位"), one["place"], "armchair"),
            (gate, one["gate"], "door-open"),
        ]
    rows += [
        (v.t("Class", "类型"), seat_name(v, one["kind"], one["seat"]), "star"),
        (v.t("Guest", "入住人") if stay else v.t("Traveller", "乘客"), one["name"], "user-round"),
        (v.t("Price", "价格"), money(v, one["price"]), "receipt-text"),
        (v.t("State", "状态"), v.t(*STATES[one["status"]]), "info"),
    ]
    foot = []
    if one["status"] == "paid":
        foot = [
            w.button(v.t("Change date", "改签"), go("change", ticket=id), style="plain"),
            w.button(v.t("Refund", "退订"), go("refund", ticket=id), style="danger"),
        ]
    return Page(
        v.t("Booking", "订单详情"),
        [
            w.banner(title, below, emoji=trips.PICTURES[one["kind"]], tint="#0f8b8d"),
            w.section("", [w.cell(name, "", value, icon=icon) for name, value, icon in rows]),
            w.cell(v.t("Refunds and changes", "退改规则"), icon="circle-help", tap=go("rules")),
        ],
        foot=foot,
    )


@TRAVEL.screen("refund", style="dialog")
def refund(v: View) -> Page:
    one = v.data["tickets"][v.args["ticket"]]
    back_to_you = money(v, round(one["price"] * 0.95, 2))
    words = v.t(
        f"A fee of 5% is kept: {back_to_you} will be paid back. This cannot be undone.",
        f"将收取5%手续费，预计退回{back_to_you}，退订后无法恢复。",
    )
    return Page(
        v.t("Refund this booking?", "确认退订？"),
        [w.text(words)],
        foot=[
            w.button(v.t("Keep it", "再想想"), back(), style="plain"),
            w.button(v.t("Refund", "确认退订"), do("refund", **v.args), style="danger"),
        ],
    )


@TRAVEL.screen("change", form=lambda v: {"date": v.data["tickets"][v.args["ticket"]]["date"]})
def change(v: View) -> Page:
    one = v.data["tickets"][v.args["ticket"]]
    words = one["number"] if one["kind"] == "hotel" else f"{one['from']} → {one['to']} · {one['number']}"
    return Page(
        v.t("Change date", "改签"),
        [
            w.section(
                "",
                [
                    w.cell(
                        words,
                        v.t(f"Booked for {when(v, one['date'])}", f"原日期：{when(v, one['date'])}"),
                        icon=trips.ICONS[one["kind"]],
                    ),
                    w.entry(
                        v.t("New date", "新日期"), when(v, v.form["date"]), go("dates", field="date"), icon="calendar"
                    ),
                ],
            ),
            w.text(
                v.t("Number, class and traveller stay the same. Changes are free.", "班次、类型和旅客不变，改签免费。"),
                "quiet",
            ),
        ],
        foot=[w.button(v.t("Confirm change", "确认改签"), do("change", **v.args))],
    )


@TRAVEL.screen("drop", style="dialog")
def drop(v: View) -> Page:
    one = v.data["tickets"][v.args["ticket"]]
    words = one["number"] if one["kind"] == "hotel" else f"{one['from']} → {one['to']}"
    return Page(
        v.t("Delete this record?", "删除这条记录？"),
        [w.text(f"{words}, {when(v, one['date'])}")],
        foot=cancel_or(v, v.t("Delete", "删除"), do("drop", **v.args)),
    )


@TRAVEL.command("refund")
def do_refund(h: CommandContext, ticket: str) -> None:
    h.data["tickets"][ticket]["status"] = "refunded"
    h.toast("Refunded", "退订成功")
    h.then(back())


@TRAVEL.command("change")
def do_change(h: CommandContext, ticket: str) -> None:
    one = h.data["tickets"][ticket]
    if one["date"] == h.form["date"]:
        h.toast("Choose another date", "请选择新的日期")
        return
    one["date"] = h.form["date"]
    h.toast("Date changed", "改签成功")
    h.then(back())


@TRAVEL.command("drop")
def do_drop(h: CommandContext, ticket: str) -> None:
    del h.data["tickets"][ticket]
    h.toast("Deleted", "已删除")
    h.then(back())


@TRAVEL.command("refresh")
def refresh(h: CommandContext) -> None:
    h.toast("Up to date", "已是最新")


# -- travellers and the rest ------------------------------------------------------------------------------------------


@TRAVEL.screen("passengers")
def passengers(v: View) -> Page:
    rows = [
        w.cell(
            each["name"],
            f"{each['document']} · {each['phone']}",
            v.t(*trips.TYPES[each["type"]]),
            icon="user-round",
            tap=go("passenger", passenger=id),
            hold=go("remove", passenger=id) if id != "me" else None,
        )
        for id, each in v.data["passengers"].items()
    ]
    add = w.icon_button("user-plus", v.t("Add traveller", "添加旅客"), go("passenger", passenger=""))
    return Page(v.t("Travellers", "常用旅客"), [w.section("", rows)], actions=[add])


def passenger_form(v: View) -> dict[str, Any]:
    blank = {"name": "", "document": "", "phone": "", "type": "adult"}
    return {**blank, **v.data["passengers"].get(v.args["passenger"], {})}


@TRAVEL.screen("passenger", form=passenger_form)
def passenger(v: View) -> Page:
    id, form = v.args["passenger"], v.form
    types = [w.chip(v.t(*names), put("type", name), form["type"] == name) for name, names in trips.TYPES.items()]
    foot = [w.button(v.t("Save", "保存"), do("keep", passenger=id))]
    if id not in ("", "me"):
        foot.insert(0, w.button(v.t("Delete", "删除"), go("remove", passenger=id), style="danger"))
    return Page(
        v.t("Edit traveller", "编辑旅客") if id else v.t("New traveller", "新增旅客"),
        [
            w.section(
                "",
                [
                    w.field("name", form["name"], v.t("As on the passport", "与证件一致"), label=v.t("Name", "姓名")),
                    w.field(
                        "document",
                        form["document"],
                        v.t("Passport number", "证件号码"),
                        label=v.t("Passport", "证件号"),
                    ),
                    w.field("phone", form["phone"], v.t("Optional", "选填"), label=v.t("Phone", "手机号")),
                ],
            ),
            w.section(v.t("Fare", "旅客类型"), [w.chips(types)]),
        ],
        foot=foot,
    )


@TRAVEL.screen("remove", style="dialog")
def remove(v: View) -> Page:
    name = v.data["passengers"].get(v.args["passenger"], {}).get("name", "")
    return Page(
        v.t("Delete traveller?", "删除旅客？"),
        [w.text(v.t(f"{name} will be taken off your list.", f"将从常用旅客中删除{name}。"))],
        foot=cancel_or(v, v.t("Delete", "删除"), do("remove", **v.args)),
    )


@TRAVEL.command("keep")
def keep(h: CommandContext, passenger: str) -> None:
    values = {name: h.form[name].strip() for name in ("name", "document", "phone")}
    if not values["name"] or not values["document"]:
        h.toast("Name and passport are needed", "请填写姓名和证件号")
        return
    h.data["passengers"][passenger or h.new_id("p")] = {**values, "type": h.form["type"]}
    h.toast("Saved", "已保存")
    h.then(back())


@TRAVEL.command("remove")
def do_remove(h: CommandContext, passenger: str) -> None:
    """Close the top screens that show this passenger."""
    del h.data["passengers"][passenger]
    h.toast("Deleted", "已删除")
    for shown in reversed(h.state["nav"]["stacks"]["travel"]):
        if shown["args"].get("passenger") != passenger:
            break
        h.then(back())


def passenger_way(id: str, fields: Fields) -> Need:
    return Need(
        "travel",
        "passenger",
        {"passenger": id},
        {name: plain(value) for name, value in fields.items()},
        do("keep", passenger=id),
    )


TRAVEL.holds(
    "passengers",
    create=lambda v, fields: passenger_way("", fields),
    update=lambda v, key, fields: passenger_way(key, fields),
    remove=lambda v, key: Need("travel", "remove", {"passenger": key}, commit=do("remove", passenger=key)),
    defaults={"phone": "", "type": "adult"},
)


@TRAVEL.screen("me")
def me(v: View) -> Page:
    mine, count = v.data["passengers"]["me"], len(v.data["passengers"])
    return Page(
        v.t("Me", "我的"),
        [
            w.banner(
                mine["name"],
                v.t("Silver member · 12,480 km this year", "白银会员 · 今年已出行12480公里"),
                emoji="🧳",
                tint="#0f8b8d",
            ),
            w.section(
                v.t("Travelling", "出行"),
                [
                    w.cell(v.t("Travellers", "常用旅客"), "", str(count), icon="users", tap=go("passengers")),
                    w.entry(v.t("Home city", "常驻城市"), v.data["home"], go("home-city"), icon="map-pin"),
                    w.switch(
                        v.t("Trip alerts", "行程提醒"),
                        v.data["alerts"],
                        do("alerts", on=not v.data["alerts"]),
                        v.t("Gate changes and delays", "登机口变更与延误通知"),
                        icon="bell",
                    ),
                ],
            ),
            w.section(
                v.t("Help", "帮助"),
                [w.cell(v.t("Refunds and changes", "退改规则"), icon="circle-help", tap=go("rules"))],
            ),
        ],
        tabs=trips.tabs(v, "me"),
    )


@TRAVEL.screen("home-city", style="sheet")
def home_city(v: View) -> Page:
    rows = [w.choice(name, name == v.data["home"], do("home", city=name)) for name in CITIES[v.language]]
    return Page(v.t("Home city", "常驻城市"), rows)


@TRAVEL.screen("rules")
def rules(v: View) -> Page:
    return Page(
        v.t("Refund rules", "退改规则"),
        [
            w.text(v.t("Refunds", "退订"), "title"),
            w.text(
                v.t(
                    "Trains, flights and hotels can be given back until the day of travel. A fee of 5% is kept.",
                    "火车票、机票和酒店在出行当天之前均可退订，收取5%手续费。",
                )
            ),
            w.text(v.t("Changes", "改签"), "title"),
            w.text(
                v.t(
                    "The date can be changed as often as you like, within the next 60 days, free of charge.",
                    "可免费改签至60天内的任意日期，次数不限。",
                )
            ),
            w.text(v.t("Travellers", "旅客"), "title"),
            w.text(
                v.t(
                    "The name on a ticket cannot be changed after it has been paid for.",
                    "支付成功后，票面旅客不可更改。",
                )
            ),
        ],
    )


@TRAVEL.command("alerts")
def set_alerts(h: CommandContext, on: bool) -> None:
    h.data["alerts"] = on


@TRAVEL.command("home")
def set_home(h: CommandContext, city: str) -> None:
    h.data["home"] = city
    h.then(back())


TRAVEL.value("alerts", lambda v, wanted: Need("travel", "me", commit=do("alerts", on=wanted)))
TRAVEL.value("home", lambda v, wanted: Need("travel", "home-city", commit=do("home", city=wanted)))
