"""Shop: the cart and the checkout."""

from __future__ import annotations

from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, Data, View
from saccade_phone.apps.patterns import cancel_or
from saccade_phone.apps.shop.content import CATEGORIES, LABELS, PAYMENTS
from saccade_phone.apps.shop.products import SHOP, lines, money, product_cell, tabs
from saccade_phone.goal_changes import Fields
from saccade_phone.widgets import Op, Page, Widget, back, do, go, pick

Items = list[dict[str, Any]]


# -- the cart ---------------------------------------------------------------------------------------------------------


def subtotal(data: Data, items: Items) -> float:
    return float(round(sum(data["products"][item["product"]]["price"] * item["count"] for item in items), 2))


def items_of(chosen: Items) -> Items:
    """An order's items, sorted."""
    found = [{name: item[name] for name in ("product", "variant", "count")} for item in chosen]
    return sorted(found, key=lambda item: (item["product"], item["variant"]))


def chosen_lines(data: Data) -> Items:
    return [line for line in lines(data).values() if line["chosen"]]


@SHOP.screen("cart")
def cart(v: View) -> Page:
    cards = []
    for id, line in lines(v.data).items():
        it, count = v.data["products"][line["product"]], line["count"]
        less = do("count", line=id, count=count - 1) if count > 1 else go("drop", line=id)
        more = do("count", line=id, count=count + 1) if count < 9 else None
        cards.append(
            w.card(
                it["name"],
                line["variant"],
                money(v, it["price"]),
                emoji=it["emoji"],
                tint=CATEGORIES[it["category"]][3],
                tap=go("product", product=line["product"]),
                hold=go("drop", line=id),
                children=[
                    w.icon_button(
                        "square-check-big" if line["chosen"] else "square",
                        v.t("Deselect", "取消选择") if line["chosen"] else v.t("Select", "选择"),
                        do("choose", line=id, on=not line["chosen"]),
                    ),
                    w.counter(count, less, more),
                    w.icon_button("trash-2", v.t("Delete", "删除"), go("drop", line=id)),
                ],
            )
        )
    picked, title = chosen_lines(v.data), v.t("Cart", "购物车")
    if not cards:
        return Page(title, [w.empty(v.t("The cart is empty", "购物车还是空的"), "🛒")], tabs=tabs(v, "cart"))
    everything = len(picked) == len(cards)
    total = money(v, subtotal(v.data, picked))
    pay: Op = go("checkout", product="") if picked else do("unready")
    foot = [
        w.check(v.t("Select all", "全选"), everything, do("choose-all", on=not everything), value=total),
        w.button(v.t(f"Check out ({len(picked)})", f"结算（{len(picked)}）"), pay),
    ]
    return Page(title, cards, tabs=tabs(v, "cart"), foot=foot)


@SHOP.screen("drop", style="dialog")
def drop_dialog(v: View) -> Page:
    line = v.data["cart"][v.args["line"]]
    name = v.data["products"][line["product"]]["name"]
    return Page(
        v.t("Delete from cart?", "移出购物车？"),
        [w.text(f"{name} ({line['variant']})")],
        foot=cancel_or(v, v.t("Delete", "删除"), do("drop", **v.args)),
    )


@SHOP.command("count")
def set_count(h: CommandContext, line: str, count: int) -> None:
    h.data["cart"][line]["count"] = count


@SHOP.command("choose")
def choose(h: CommandContext, line: str, on: bool) -> None:
    h.data["cart"][line]["chosen"] = on


@SHOP.command("choose-all")
def choose_all(h: CommandContext, on: bool) -> None:
    for line in h.data["cart"].values():
        line["chosen"] = on


@SHOP.command("drop")
def drop(h: CommandContext, line: str) -> None:
    if not h.data["cart"].pop(line).get("fresh"):
        h.data["dropped"] = [*h.data["dropped"], line]
    h.toast("Deleted from the cart", "已移出购物车")
    h.then(back())


# -- checkout ---------------------------------------------------------------------------------------------------------


def wares_of(v: View) -> Items:
    """The items being bought: one product directly, or the chosen lines of the cart."""
    return items_of([dict(v.args)] if v.args["product"] else chosen_lines(v.data))


def goods(v: View, items: Items, open: bool) -> list[Widget]:
    return [
        product_cell(
            v,
            item["product"],
            f"{item['variant']} × {item['count']}",
            go("product", product=item["product"]) if open else None,
        )
        for item in items
    ]


def headed(v: View, address: Fields, name: str = "name") -> str:
    """An address by its label, and one more thing of it."""
    return " · ".join(filter(None, (v.t(*LABELS.get(address["label"], ("", ""))), address[name])))


def place(v: View, address: Fields) -> str:
    return v.t(f"{address['detail']}, {address['region']}", f"{address['region']}{address['detail']}")


def target(v: View, id: str) -> str:
    """An order's address in short; it may have been deleted."""
    return headed(v, v.data["addresses"][id], "detail") if id in v.data["addresses"] else ""


def spent(data: Data) -> set[str]:
    return {order["coupon"] for order in data["orders"].values() if order["status"] != "cancelled"}


def begin(v: View) -> dict[str, Any]:
    return {"address": v.data["default_address"], "payment": "card", "coupon": "", "note": ""}


@SHOP.screen("checkout", form=begin)
def checkout(v: View) -> Page:
    form, items, to = v.form, wares_of(v), v.data["addresses"].get(v.form["address"])
    sum, off = subtotal(v.data, items), v.data["coupons"].get(form["coupon"], {"off": 0})["off"]
    total = money(v, sum - off)
    usable = [id for id, it in v.data["coupons"].items() if it["least"] <= sum and id not in spent(v.data)]
    offer = f"-{money(v, off)}" if off else v.t(f"{len(usable)} available", f"{len(usable)}张可用")
    body = [
        w.section(
            v.t("Deliver to", "收货地址"),
            [
                w.cell(
                    headed(v, to) if to else v.t("Choose an address", "请选择收货地址"),
                    place(v, to) if to else "",
                    icon="map-pin",
                    tap=go("address-sheet", field="address"),
                ),
            ],
        ),
        w.section(v.t("Items", "商品清单"), goods(v, items, open=False)),
        w.section(
            v.t("Payment", "支付"),
            [
                w.entry(
                    v.t("Coupon", "优惠券"), offer, go("coupon-sheet", field="coupon", total=sum), icon="ticket-percent"
                ),
                w.entry(
                    v.t("Pay with", "支付方式"),
                    v.t(*PAYMENTS[form["payment"]][:2]),
                    go("payment-sheet", field="payment"),
                    icon="wallet",
                ),
                w.field("note", form["note"], v.t("For the seller", "选填，给商家留言"), label=v.t("Note", "备注")),
            ],
        ),
        w.section(
            "",
            [
                w.cell(v.t("Subtotal", "商品金额"), value=money(v, sum)),
                w.cell(v.t("Shipping", "运费"), value=v.t("Free", "包邮")),
                w.cell(v.t("Total", "合计"), value=total, strong=True),
            ],
        ),
    ]
    return Page(
        v.t("Checkout", "确认订单"),
        body,
        foot=[w.button(v.t(f"Place order · {total}", f"提交订单 · {total}"), do("order", **v.args))],
    )


@SHOP.screen("address-sheet", style="sheet")
def address_sheet(v: View) -> Page:
    rows = [
        w.cell(headed(v, it), place(v, it), icon="map-pin", tap=pick("address", id))
        for id, it in v.data["addresses"].items()
    ]
    return Page(
        v.t("Deliver to", "选择收货地址"),
        rows,
        foot=[w.button(v.t("New address", "新增地址"), go("address", address=""), style="plain")],
    )


@SHOP.screen("payment-sheet", style="sheet")
def payment_sheet(v: View) -> Page:
    return Page(
        v.t("Pay with", "支付方式"),
        [w.cell(v.t(*it[:2]), icon=it[2], tap=pick("payment", id)) for id, it in PAYMENTS.items()],
    )


def coupon_words(v: View, it: dict[str, Any]) -> tuple[str, str]:
    off, least = money(v, it["off"]), money(v, it["least"])
    rule = (
        v.t(f"{off} off, from {least}", f"满{least}减{off}")
        if it["least"]
        else v.t(f"{off} off any order", f"无门槛减{off}")
    )
    return it["name"], v.t(f"{rule} · until {it['until'][5:]}", f"{rule} · {it['until'][5:]}到期")


@SHOP.screen("coupon-sheet", style="sheet")
def coupon_sheet(v: View) -> Page:
    rows = [
        w.cell(*coupon_words(v, it), icon="ticket-percent", tap=pick("coupon", id))
        for id, it in v.data["coupons"].items()
        if it["least"] <= v.args["total"] and id not in spent(v.data)
    ]
    none = w.cell(v.t("No coupon", "不使用优惠券"), icon="ban", tap=pick("coupon", ""))
    return Page(v.t("Coupons", "选择优惠券"), [*rows, none])


@SHOP.screen("coupons")
def coupons(v: View) -> Page:
    used = spent(v.data)
    rows = [
        w.cell(
            *coupon_words(v, it),
            v.t("Used", "已使用") if id in used else "",
            icon="ticket-percent",
            tint=SHOP.tint,
            done=id in used,
        )
        for id, it in v.data["coupons"].items()
    ]
    return Page(v.t("My coupons", "我的优惠券"), [w.section("", rows)])


@SHOP.command("order")
def order_now(h: CommandContext, product: str, **_: Any) -> None:
    data, form, items = h.data, h.form, wares_of(h)
    if form["address"] not in data["addresses"] or not items:
        h.toast("Choose an address first", "请先选择收货地址")
        return
    off = data["coupons"].get(form["coupon"], {"off": 0})["off"]
    id = h.new_id("order")
    data["orders"] = {
        id: {
            "items": items,
            "address": form["address"],
            "payment": form["payment"],
            "coupon": form["coupon"],
            "note": form["note"].strip(),
            "total": round(subtotal(data, items) - off, 2),
            "status": "unshipped",
            "at": h.now.isoformat(" ", "minutes"),
            "number": f"{h.now:%y%m%d}{100000 + 37 * h.state['serial']}",
            "reason": "",
            "courier": "",
            "tracking": "",
        },
        **data["orders"],
    }
    if not product:
        for line in [line for line, it in lines(data).items() if it["chosen"]]:
            if data["cart"][line].get("fresh"):  # what was put in just now goes without a trace; see `lines`
                del data["cart"][line]
            else:
                data["cart"][line]["bought"] = True
    h.then(back(), *([back()] if product else []), go("placed", order=id))


@SHOP.screen("placed")
def placed(v: View) -> Page:
    order = v.data["orders"][v.args["order"]]
    total = money(v, order["total"])
    body = [
        w.picture("🎉", SHOP.tint),
        w.text(v.t("Order placed", "下单成功"), "big"),
        w.text(v.t(f"{total} · we will ship it soon.", f"实付{total}，商家会尽快发货。")),
        *goods(v, order["items"], open=False),
    ]
    foot = w.row(
        [
            w.button(v.t("Shop on", "继续逛逛"), back(), style="plain"),
            w.button(v.t("View order", "查看订单"), go("order", order=v.args["order"])),
        ]
    )
    return Page(v.t("Thank you", "下单成功"), body, foot=[foot])
