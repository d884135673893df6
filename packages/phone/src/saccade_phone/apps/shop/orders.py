"""Shop: the list of orders, an order's page, cancelling, confirming and paying it."""

from __future__ import annotations

from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, View
from saccade_phone.apps.shop.checkout import goods, target
from saccade_phone.apps.shop.content import CATEGORIES, PAYMENTS, REASONS, STATUSES
from saccade_phone.apps.shop.products import SHOP, money
from saccade_phone.widgets import Page, Widget, back, do, go, put, tab


@SHOP.screen("orders")
def orders(v: View) -> Page:
    wanted = v.args["status"]
    names: dict[str, tuple[str, ...]] = {"all": ("All", "全部"), **STATUSES}
    del names["cancelled"]
    bar = w.segments(
        [w.chip(v.t(*words[:2]), tab("orders", status=status), status == wanted) for status, words in names.items()]
    )
    cards = []
    for id, it in v.data["orders"].items():
        if wanted in ("all", it["status"]):
            first = v.data["products"][it["items"][0]["product"]]
            others = "".join(f"+ {v.data['products'][item['product']]['name']} · " for item in it["items"][1:])
            status = f"{v.t(*STATUSES[it['status']][:2])} · {it['at'][5:10]}"
            cards.append(
                w.card(
                    first["name"],
                    others + status,
                    money(v, it["total"]),
                    emoji=first["emoji"],
                    tint=CATEGORIES[first["category"]][3],
                    tap=go("order", order=id),
                )
            )
    return Page(
        v.t("My orders", "我的订单"), cards or [w.empty(v.t("No orders here", "这里没有订单"), "📦")], head=[bar]
    )


def track(v: View, order: dict[str, Any]) -> list[Widget]:
    """A parcel's tracking events."""
    share = {"unpaid": 0.05, "unshipped": 0.3, "shipped": 0.7, "done": 1.0}.get(order["status"], 0.0)
    bar = w.progress(share, v.t("Ordered", "已下单"), v.t("Delivered", "已签收"))
    if not order["tracking"]:
        return [bar]
    return [
        bar,
        w.section(
            v.t("Delivery", "物流信息"),
            [
                w.cell(v.t("Courier", "快递公司"), value=order["courier"], icon="truck"),
                w.cell(v.t("Tracking no.", "运单号"), value=order["tracking"], icon="package"),
            ],
        ),
    ]


@SHOP.screen("order")
def order_page(v: View) -> Page:
    id = v.args["order"]
    it = v.data["orders"][id]
    status = it["status"]
    facts = [
        (v.t("Order no.", "订单编号"), it["number"]),
        (v.t("Ordered", "下单时间"), it["at"]),
        (v.t("Paid with", "支付方式"), v.t(*PAYMENTS[it["payment"]][:2])),
        (v.t("Note", "备注"), it["note"]),
        (v.t("Coupon", "优惠券"), v.data["coupons"].get(it["coupon"], {"name": ""})["name"]),
        (v.t("Reason", "取消原因"), v.t(*REASONS[it["reason"]]) if it["reason"] else ""),
        (v.t("Total", "实付"), money(v, it["total"])),
    ]
    body = [
        w.banner(
            v.t(*STATUSES[status][:2]),
            target(v, it["address"]),
            emoji={"cancelled": "🚫", "done": "✅"}.get(status, "📦"),
        ),
        *track(v, it),
        w.section(v.t("Items", "商品"), goods(v, it["items"], open=True)),
        w.section(v.t("Details", "订单信息"), [w.cell(label, value=value) for label, value in facts if value]),
    ]
    foot = []
    if status in ("unpaid", "unshipped"):
        foot.append(w.button(v.t("Cancel order", "取消订单"), go("cancel", order=id), style="plain"))
    if status == "unpaid":
        foot.append(w.button(v.t("Pay now", "立即付款"), go("pay", order=id)))
    if status == "shipped":
        foot.append(w.button(v.t("Confirm receipt", "确认收货"), go("confirm", order=id)))
    return Page(v.t("Order", "订单详情"), body, foot=[w.row(foot)] if foot else [])


@SHOP.screen("cancel", style="sheet", form=lambda v: {"reason": ""})
def cancel_sheet(v: View) -> Page:
    rows = [w.choice(v.t(*words), v.form["reason"] == id, put("reason", id)) for id, words in REASONS.items()]
    return Page(
        v.t("Why cancel?", "取消原因"),
        rows,
        foot=[w.button(v.t("Cancel order", "确认取消"), do("cancel", **v.args), style="danger")],
    )


@SHOP.command("cancel")
def cancel(h: CommandContext, order: str) -> None:
    if not h.form["reason"]:
        h.toast("Choose a reason", "请选择取消原因")
        return
    h.data["orders"][order].update(status="cancelled", reason=h.form["reason"])
    h.toast("Order cancelled", "订单已取消")
    h.then(back())


@SHOP.screen("confirm", style="dialog")
def confirm_dialog(v: View) -> Page:
    words = v.t("The seller will be paid now.", "确认后货款将付给商家。")
    return Page(
        v.t("Have you got it?", "确认收货？"),
        [w.text(words)],
        foot=[
            w.button(v.t("Not yet", "还没有"), back(), style="plain"),
            w.button(v.t("Confirm", "确认"), do("confirm", **v.args)),
        ],
    )


@SHOP.command("confirm")
def confirm(h: CommandContext, order: str) -> None:
    h.data["orders"][order]["status"] = "done"
    h.toast("Thank you for confirming", "已确认收货")
    h.then(back())


@SHOP.screen("pay", style="sheet", form=lambda v: {"payment": v.data["orders"][v.args["order"]]["payment"]})
def pay_sheet(v: View) -> Page:
    rows = [w.choice(v.t(*it[:2]), v.form["payment"] == id, put("payment", id)) for id, it in PAYMENTS.items()]
    total = money(v, v.data["orders"][v.args["order"]]["total"])
    return Page(
        v.t("Pay with", "选择支付方式"), rows, foot=[w.button(v.t(f"Pay {total}", f"支付{total}"), do("pay", **v.args))]
    )


@SHOP.command("pay")
def pay(h: CommandContext, order: str) -> None:
    h.data["orders"][order].update(status="unshipped", payment=h.form["payment"])
    h.toast("Paid", "支付成功")
    h.then(back())
