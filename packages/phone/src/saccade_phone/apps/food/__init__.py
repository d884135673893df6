"""Food delivery: orders. Other screens are in `restaurants`, `search`, `basket` and `me`."""

from __future__ import annotations

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, Data, View
from saccade_phone.apps.food import me, search  # noqa: F401  (their screens belong to the app)
from saccade_phone.apps.food.basket import ask, cost_rows, dish_rows, order_way, set_count, time_text
from saccade_phone.apps.food.content import REASONS, TAGS
from saccade_phone.apps.food.restaurants import FOOD, dishes_text, lines, money, place, tabs, when
from saccade_phone.goal_changes import Fields, Need, Way, plain
from saccade_phone.widgets import Page, back, do, go, put

STATES = {
    "preparing": ("Preparing", "备餐中", 0.3),
    "delivering": ("On the way", "配送中", 0.75),
    "done": ("Delivered", "已送达", 1.0),
    "cancelled": ("Cancelled", "已取消", 0.0),
}
SHOWN = {
    "all": ("All", "全部"),
    "active": ("Active", "进行中"),
    "unrated": ("To rate", "待评价"),
    "cancelled": ("Cancelled", "已取消"),
}


def heap(each: Data) -> str:
    """Under which head an order is listed."""
    if each["status"] == "done":
        return "rated" if each["stars"] else "unrated"
    return "cancelled" if each["status"] == "cancelled" else "active"


@FOOD.screen("orders", form=lambda v: {"shown": "all"})
def orders(v: View) -> Page:
    rows = []
    for id, each in sorted(v.data["orders"].items(), key=lambda item: item[1]["at"], reverse=True):
        if v.form["shown"] in ("all", heap(each)):
            shop = v.data["restaurants"][each["restaurant"]]
            rows.append(
                w.cell(
                    shop["name"],
                    f"{when(v, each['at'])} · {money(v, each['total'])}",
                    "★" * each["stars"] or v.t(*STATES[each["status"]][:2]),
                    emoji=shop["emoji"],
                    tap=go("order", order=id),
                    hold=go("order-menu", order=id),
                )
            )
    bar = w.segments(
        [w.chip(v.t(*words), put("shown", name), v.form["shown"] == name) for name, words in SHOWN.items()]
    )
    return Page(
        v.t("Orders", "订单"),
        rows or [w.empty(v.t("No orders here", "这里没有订单"), "🧾")],
        head=[bar],
        tabs=tabs(v, "orders"),
        pull=do("refresh"),
    )


@FOOD.screen("order-menu", style="sheet")
def order_menu(v: View) -> Page:
    each = v.data["orders"][v.args["order"]]
    rows = [w.cell(v.t("Details", "查看详情"), icon="receipt-text", tap=go("order", **v.args))]
    if each["status"] in ("done", "cancelled"):
        rows.append(w.cell(v.t("Delete", "删除订单"), icon="trash-2", tap=go("delete-order", **v.args)))
    return Page(v.data["restaurants"][each["restaurant"]]["name"], rows)


@FOOD.screen("order")
def order_page(v: View) -> Page:
    id = v.args["order"]
    each = v.data["orders"][id]
    shop, status = v.data["restaurants"][each["restaurant"]], STATES[each["status"]]
    facts = [
        w.cell(v.t("Ordered", "下单时间"), value=when(v, each["at"]), icon="clock"),
        w.cell(v.t("Deliver to", "收货地址"), value=place(v, each["address"]), icon="map-pin"),
        w.cell(v.t("Time", "送达时间"), value=time_text(v, each["time"]), icon="alarm-clock"),
        w.cell(
            v.t("Cutlery", "餐具"),
            value=v.t("Yes", "需要") if each["cutlery"] else v.t("No", "不需要"),
            icon="utensils",
        ),
        w.cell(v.t("Rider", "骑手"), value=each["rider"], icon="bike", tap=do("call", order=id)),
    ]
    if each["note"]:
        facts.append(w.cell(v.t("Note", "备注"), each["note"], icon="pencil"))
    if each["reason"]:
        facts.append(w.cell(v.t("Reason", "取消原因"), value=v.t(*REASONS[each["reason"]]), icon="circle-x"))
    if each["stars"]:
        facts.append(w.cell("★" * each["stars"], each["review"], icon="message-circle"))
    body = [
        w.progress(status[2], v.t(*status[:2]), money(v, each["total"])),
        w.section(
            "",
            [
                w.cell(shop["name"], emoji=shop["emoji"], tap=go("restaurant", restaurant=each["restaurant"])),
                *dish_rows(v, shop, each["items"]),
                *cost_rows(v, shop, each["items"]),
            ],
        ),
        w.section(v.t("Details", "订单信息"), facts),
    ]
    again = w.button(v.t("Order again", "再来一单"), do("reorder", order=id))
    foot = [w.row([w.button(v.t("Rate", "评价"), go("rate", order=id), style="plain"), again])]
    if each["status"] == "preparing":
        foot = [w.button(v.t("Cancel order", "取消订单"), go("cancel", order=id), style="danger")]
    elif each["status"] != "done":
        foot = [again] if each["status"] == "cancelled" else []
    return Page(v.t("Order", "订单详情"), body, foot=foot)


@FOOD.screen(
    "rate", form=lambda v: {name: v.data["orders"][v.args["order"]][name] for name in ("stars", "tags", "review")}
)
def rate(v: View) -> Page:
    id, form = v.args["order"], v.form
    each = v.data["orders"][id]
    stars = [w.chip(f"{n}★", put("stars", n), n <= form["stars"]) for n in range(1, 6)]
    tags = [
        w.chip(v.t(*words), put("tags", sorted({*form["tags"]} ^ {n})), n in form["tags"])
        for n, words in enumerate(TAGS)
    ]
    body = [
        w.text(v.data["restaurants"][each["restaurant"]]["name"], "title"),
        w.text(dishes_text(v, each["items"]), "quiet"),
        w.section(v.t("Stars", "评分"), [w.chips(stars)]),
        w.section(v.t("What was good?", "哪里不错？"), [w.chips(tags)]),
        w.field("review", form["review"], v.t("How did it taste?", "味道怎么样？"), style="long"),
    ]
    foot = [w.button(v.t("Submit", "提交"), do("rate", order=id))]
    if each["stars"]:
        foot = [w.row([w.button(v.t("Delete", "删除评价"), do("unrate", order=id), style="danger"), *foot])]
    return Page(v.t("Rate order", "评价订单"), body, foot=foot)


@FOOD.screen("cancel", style="sheet", form=lambda v: {"reason": ""})
def cancel_sheet(v: View) -> Page:
    rows = [w.choice(v.t(*words), v.form["reason"] == name, put("reason", name)) for name, words in REASONS.items()]
    return Page(
        v.t("Why cancel?", "取消原因"),
        rows,
        foot=[w.button(v.t("Cancel order", "确认取消"), do("cancel", **v.args), style="danger")],
    )


@FOOD.screen("delete-order", style="dialog")
def delete_dialog(v: View) -> Page:
    words = v.t("It will disappear from your orders.", "删除后无法恢复。")
    return ask(
        v,
        v.t("Delete order?", "删除订单？"),
        words,
        w.button(v.t("Delete", "删除"), do("delete-order", **v.args), style="danger"),
    )


@FOOD.command("call")
def call(h: CommandContext, order: str) -> None:
    rider = h.data["orders"][order]["rider"]
    h.toast(f"{rider} is busy, try later", f"{rider}正在忙，请稍后再拨")


@FOOD.command("reorder")
def reorder(h: CommandContext, order: str) -> None:
    had = h.data["orders"][order]
    for item in lines(h, had["restaurant"]):
        del h.data["basket"][item["dish"]]
    for item in had["items"]:
        set_count(h, item["dish"], item["count"])
    h.toast("Added to basket", "已加入购物车")
    h.then(go("restaurant", restaurant=had["restaurant"]))


@FOOD.command("rate")
def do_rate(h: CommandContext, order: str) -> None:
    if not h.form["stars"]:
        h.toast("Give some stars first", "请先打分")
        return
    h.data["orders"][order].update(stars=h.form["stars"], tags=h.form["tags"], review=h.form["review"].strip())
    h.toast("Thanks for your review", "感谢你的评价")
    h.then(back())


@FOOD.command("unrate")
def unrate(h: CommandContext, order: str) -> None:
    h.data["orders"][order].update(stars=0, tags=[], review="")
    h.toast("Review deleted", "评价已删除")
    h.then(back())


@FOOD.command("cancel")
def cancel(h: CommandContext, order: str) -> None:
    if not h.form["reason"]:
        h.toast("Choose a reason", "请选择取消原因")
        return
    h.data["orders"][order].update(status="cancelled", reason=h.form["reason"])
    h.toast("Order cancelled", "订单已取消")
    h.then(back())


@FOOD.command("delete-order")
def delete_order(h: CommandContext, order: str) -> None:
    del h.data["orders"][order]
    h.toast("Order deleted", "订单已删除")
    h.then(back(), back())


def update_order(v: View, id: str, fields: Fields) -> Way:
    """Ratings come and go; a cancelled order stays cancelled."""
    status = v.data["orders"][id]["status"]
    if set(fields) <= {"stars", "tags", "review"} and status == "done":
        if fields.get("stars") == 0:
            return Need("food", "rate", {"order": id}, commit=do("unrate", order=id))
        return Need(
            "food", "rate", {"order": id}, {name: plain(value) for name, value in fields.items()}, do("rate", order=id)
        )
    if set(fields) <= {"status", "reason"} and fields.get("status") == "cancelled" and status == "preparing":
        return Need("food", "cancel", {"order": id}, {"reason": fields.get("reason", "plans")}, do("cancel", order=id))
    return None


def remove_order(v: View, id: str) -> Way:
    if v.data["orders"][id]["status"] not in ("done", "cancelled"):
        return None
    return Need("food", "delete-order", {"order": id}, commit=do("delete-order", order=id))


FOOD.holds(
    "orders",
    create=order_way,
    update=update_order,
    remove=remove_order,
    defaults={"note": "", "time": "asap", "cutlery": False, "status": "preparing"},
)
FOOD.forgets("searches", "viewed")

__all__ = ["FOOD"]
