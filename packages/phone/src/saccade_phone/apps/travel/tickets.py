"""Travel: tickets, refunds and changes."""

from __future__ import annotations

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, View
from saccade_phone.apps.patterns import cancel_or
from saccade_phone.apps.travel.booking import seat_name
from saccade_phone.apps.travel.trips import ICONS, PICTURES, TRAVEL, money, tabs, when
from saccade_phone.widgets import Page, Widget, back, do, go

STATES = {"paid": ("Booked", "已出票"), "used": ("Travelled", "已完成"), "refunded": ("Refunded", "已退款")}


def ticket_cell(v: View, id: str) -> Widget:
    one = v.data["tickets"][id]
    words = one["number"] if one["kind"] == "hotel" else f"{one['from']} → {one['to']}"
    more = one["to"] if one["kind"] == "hotel" else one["number"]
    return w.cell(
        words,
        f"{when(v, one['date'])} · {more}",
        v.t(*STATES[one["status"]]),
        icon=ICONS[one["kind"]],
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
        tabs=tabs(v, "tickets"),
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
            w.banner(title, below, emoji=PICTURES[one["kind"]], tint="#0f8b8d"),
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
                        icon=ICONS[one["kind"]],
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
