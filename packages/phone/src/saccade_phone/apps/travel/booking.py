"""Travel: booking and payment."""

from __future__ import annotations

from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, View
from saccade_phone.apps.travel.content import SEATS, fare
from saccade_phone.apps.travel.content import ticket as new_ticket
from saccade_phone.apps.travel.search import months
from saccade_phone.apps.travel.trips import PICTURES, TRAVEL, TYPES, find, money, tomorrow, when
from saccade_phone.goal_changes import Fields, Need, Value, Way
from saccade_phone.widgets import Page, back, do, go, put

TRIP = ("kind", "from", "to", "date", "nights")
"""What can be searched for."""


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
            f"{v.t(*TYPES[each['type']])} · {each['document']}",
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
                emoji=PICTURES[args["kind"]],
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
    if trip["kind"] == "hotel" and trip["date"] == tomorrow(v) and trip["nights"] == 1:
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
            through={"month": months(v)},
        )
    if fields.get("status") == "refunded":
        return Need("travel", "refund", {"ticket": id}, commit=do("refund", ticket=id))
    return None


def drop_ticket(v: View, id: str) -> Way:
    if v.data["tickets"][id]["status"] != "used":
        return None
    return Need("travel", "drop", {"ticket": id}, commit=do("drop", ticket=id))


TRAVEL.holds("tickets", create=book_way, update=update_ticket, remove=drop_ticket, defaults={"status": "paid"})
