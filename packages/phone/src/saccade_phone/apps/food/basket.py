"""Food delivery: baskets and the checkout."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, Data, View
from saccade_phone.apps.food.content import LABELS, NOTES, RIDERS, bill
from saccade_phone.apps.food.restaurants import (
    FOOD,
    MOST,
    dish_counter,
    dishes_text,
    lines,
    money,
    place,
    shop_of,
    tabs,
)
from saccade_phone.goal_changes import Added, Change, Changed, Fields, Need, Removed, Way, plain
from saccade_phone.widgets import Page, Widget, back, do, go, pick, put, tab

SLOTS = 12
"""Times of delivery to choose from, a quarter of an hour apart."""

# -- baskets -----------------------------------------------------------------------------------------------------------


@FOOD.screen("baskets")
def baskets(v: View) -> Page:
    body: list[Widget] = []
    for id in dict.fromkeys(line["restaurant"] for line in v.data["basket"].values()):
        shop, items = v.data["restaurants"][id], lines(v, id)
        words = v.t(f"{sum(item['count'] for item in items)} items", f"共{sum(item['count'] for item in items)}件")
        more = w.button(v.t("Add more", "再加点"), go("restaurant", restaurant=id), style="plain")
        pay = w.button(v.t("Checkout", "去结算"), go("checkout", restaurant=id))
        enough = bill(shop, items)["goods"] >= shop["minimum"]
        body.append(
            w.section(
                shop["name"],
                [
                    w.card(
                        words,
                        dishes_text(v, items),
                        money(v, bill(shop, items)["goods"]),
                        emoji=shop["emoji"],
                        tap=go("basket", restaurant=id),
                    ),
                    w.row([more, pay] if enough else [more]),
                ],
            )
        )
    return Page(
        v.t("Baskets", "购物车"),
        body or [w.empty(v.t("Your baskets are empty", "购物车还是空的"), "🧺")],
        tabs=tabs(v, "baskets"),
    )


@FOOD.screen("basket", style="sheet")
def basket(v: View) -> Page:
    id = v.args["restaurant"]
    shop, items = v.data["restaurants"][id], lines(v, id)
    if not items:
        return Page(shop["name"], [w.empty(v.t("This basket is empty", "购物车是空的"), "🧺")])
    cards = []
    for item in items:
        dish = shop["dishes"][item["dish"]]
        drop = w.icon_button("trash-2", v.t("Remove", "移除"), do("count", dish=item["dish"], count=0))
        cards.append(
            w.card(
                dish["name"],
                money(v, dish["price"]),
                emoji=dish["emoji"],
                children=[dish_counter(v, item["dish"]), drop],
            )
        )
    goods = bill(shop, items)["goods"]
    foot = [w.button(v.t(f"Checkout {money(v, goods)}", f"去结算 {money(v, goods)}"), tab("checkout", restaurant=id))]
    if goods < shop["minimum"]:
        foot = [w.text(v.t(f"Orders from {money(v, shop['minimum'])}", f"{money(v, shop['minimum'])}起送"), "quiet")]
    clear = w.icon_button("trash-2", v.t("Empty basket", "清空购物车"), go("clear", restaurant=id))
    return Page(shop["name"], cards, actions=[clear], foot=foot)


@FOOD.screen("clear", style="dialog")
def clear_dialog(v: View) -> Page:
    name = v.data["restaurants"][v.args["restaurant"]]["name"]
    words = v.t(f"All dishes from {name} will be removed.", f"将移除“{name}”的所有菜品。")
    return ask(
        v,
        v.t("Empty basket?", "清空购物车？"),
        words,
        w.button(v.t("Empty", "清空"), do("clear", **v.args), style="danger"),
    )


def ask(v: View, title: str, words: str, yes: Widget) -> Page:
    return Page(title, [w.text(words)], foot=[w.button(v.t("Cancel", "取消"), back(), style="plain"), yes])


@FOOD.command("count")
def set_count(h: CommandContext, dish: str, count: int) -> None:
    if count <= 0:
        h.data["basket"].pop(dish, None)
    else:
        h.data["basket"][dish] = {"restaurant": dish.partition("d")[0], "dish": dish, "count": min(count, MOST)}


@FOOD.command("add")
def add(h: CommandContext, dish: str) -> None:
    set_count(h, dish, h.form["count"])
    h.toast("Basket updated", "已加入购物车")
    h.then(back())


@FOOD.command("clear")
def clear(h: CommandContext, restaurant: str) -> None:
    for item in lines(h, restaurant):
        del h.data["basket"][item["dish"]]
    h.toast("Basket emptied", "购物车已清空")
    h.then(back(), back())


def count_way(v: View, dish: str, count: int) -> Way:
    """Change a dish's count by one: less in the basket, more on the menu."""
    id, now = dish.partition("d")[0], v.data["basket"].get(dish, {"count": 0})["count"]
    shop = shop_of(v, dish)
    if count > now:
        step = do("count", dish=dish, count=now + 1)
        return (
            None
            if shop["dishes"][dish]["out"]
            else Need("food", "restaurant", {"restaurant": id}, commit=step, query=shop["name"])
        )
    step = do("count", dish=dish, count=now - 1 if count else 0)
    return Need("food", "basket", {"restaurant": id}, commit=step, query=shop["name"])


FOOD.holds(
    "basket",
    create=lambda v, fields: count_way(v, fields["dish"], fields.get("count", 1)),
    update=lambda v, dish, fields: count_way(v, dish, fields["count"]) if set(fields) == {"count"} else None,
    remove=lambda v, dish: count_way(v, dish, 0),
    defaults={"count": 1},
)


# -- checkout ----------------------------------------------------------------------------------------------------------


def slots(v: View) -> list[str]:
    first = v.now + timedelta(minutes=45 + -v.now.minute % 15)
    times = [first + timedelta(minutes=15 * at) for at in range(SLOTS)]
    return [f"{time.hour:02}:{time.minute:02}" for time in times]


def time_text(v: View, time: str) -> str:
    return v.t("As soon as possible", "尽快送达") if time == "asap" else time


@FOOD.screen("checkout", form=lambda v: {"address": v.data["address"], "time": "asap", "cutlery": False, "note": ""})
def checkout(v: View) -> Page:
    id, form = v.args["restaurant"], v.form
    shop, items = v.data["restaurants"][id], lines(v, id)
    address = v.data["addresses"].get(form["address"], {"street": ""})
    notes = [w.chip(v.t(*words), put("note", v.t(*words)), form["note"] == v.t(*words)) for words in NOTES]
    body = [
        w.section(
            v.t("Delivery", "配送信息"),
            [
                w.entry(
                    v.t("Address", "收货地址"),
                    place(v, form["address"]),
                    go("choose-address", field="address"),
                    icon="map-pin",
                ),
                w.entry(v.t("Time", "送达时间"), time_text(v, form["time"]), go("times", field="time"), icon="clock"),
            ],
        ),
        w.text(address["street"], "quiet"),
        w.section(
            v.t("Wishes", "备注与餐具"),
            [
                w.switch(
                    v.t("Include cutlery", "需要餐具"),
                    form["cutlery"],
                    put("cutlery", not form["cutlery"]),
                    icon="utensils",
                ),
                w.field(
                    "note", form["note"], v.t("Anything to tell them?", "口味、偏好等要求"), label=v.t("Note", "备注")
                ),
                w.chips(notes),
            ],
        ),
        w.section(shop["name"], [*dish_rows(v, shop, items), *cost_rows(v, shop, items)]),
    ]
    total = money(v, bill(shop, items)["total"])
    return Page(
        v.t("Checkout", "确认订单"),
        body,
        foot=[w.button(v.t(f"Place order · {total}", f"提交订单 {total}"), do("order", restaurant=id))],
    )


def dish_rows(v: View, shop: Data, items: list[dict[str, Any]]) -> list[Widget]:
    dishes = shop["dishes"]
    return [
        w.cell(
            dishes[item["dish"]]["name"],
            f"×{item['count']}",
            money(v, round(dishes[item["dish"]]["price"] * item["count"], 2)),
            emoji=dishes[item["dish"]]["emoji"],
        )
        for item in items
    ]


def cost_rows(v: View, shop: Data, items: list[dict[str, Any]]) -> list[Widget]:
    rows = [
        w.cell(v.t("Packaging", "打包费"), value=money(v, shop["packing"])),
        w.cell(v.t("Delivery fee", "配送费"), value=money(v, shop["fee"])),
    ]
    if off := bill(shop, items)["off"]:
        rows.append(w.cell(v.t("Discount", "满减优惠"), value=f"-{money(v, off)}"))
    return rows


@FOOD.screen("choose-address", style="sheet")
def choose_address(v: View) -> Page:
    rows = [
        w.cell(place(v, id), address["street"], icon=LABELS[address["label"]][2], tap=pick("address", id))
        for id, address in v.data["addresses"].items()
    ]
    return Page(
        v.t("Deliver to", "送到哪里"),
        rows,
        foot=[w.button(v.t("New address", "新增地址"), go("address", address=""), style="plain", icon="plus")],
    )


@FOOD.screen("times", style="sheet")
def times(v: View) -> Page:
    rows = [w.cell(time_text(v, time), tap=pick("time", time), icon="clock") for time in ("asap", *slots(v))]
    return Page(v.t("Delivery time", "送达时间"), rows)


@FOOD.command("order")
def order(h: CommandContext, restaurant: str) -> None:
    form, items = h.form, lines(h, restaurant)
    shop = h.data["restaurants"][restaurant]
    if not items or form["address"] not in h.data["addresses"]:
        h.toast("Choose dishes and an address first", "请先选择菜品和地址")
        return
    id = h.new_id("order")
    h.data["orders"][id] = {
        "restaurant": restaurant,
        "items": items,
        "address": form["address"],
        "note": form["note"].strip(),
        "time": form["time"],
        "cutlery": form["cutlery"],
        "total": bill(shop, items)["total"],
        "status": "preparing",
        "at": h.now.isoformat(" ", "minutes"),
        "rider": h.t(*RIDERS[h.state["serial"] % len(RIDERS)]),
        "stars": 0,
        "tags": [],
        "review": "",
        "reason": "",
    }
    for item in items:
        del h.data["basket"][item["dish"]]
    h.toast("Order placed", "下单成功")
    h.then(tab("order", order=id))


def order_way(v: View, fields: Fields) -> Way:
    """The basket must first hold exactly these dishes; a past order is repeated with one tap."""
    if fields.get("status", "preparing") != "preparing" or "restaurant" not in fields or "items" not in fields:
        return None
    id, now = fields["restaurant"], {item["dish"]: item["count"] for item in lines(v, fields["restaurant"])}
    wanted = {item["dish"]: item["count"] for item in fields["items"]}
    old = next(
        (
            o
            for o, had in v.data["orders"].items()
            if had["restaurant"] == id and had["items"] == fields["items"] and had["status"] == "done"
        ),
        "",
    )
    if old and not now:
        return Need("food", "order", {"order": old}, commit=do("reorder", order=old))
    first: list[Change] = [Removed("food.basket", dish) for dish in now if dish not in wanted]
    for dish, count in wanted.items():
        if dish not in now:
            first.append(Added("food.basket", {"restaurant": id, "dish": dish, "count": count}))
        elif now[dish] != count:
            first.append(Changed("food.basket", dish, {"count": count}))
    if first:
        return first
    values = {"note": "", "time": "asap", "cutlery": False, "address": v.data["address"]}
    values = {name: plain(fields.get(name, value)) for name, value in values.items()}
    return Need(
        "food",
        "checkout",
        {"restaurant": id},
        values,
        do("order", restaurant=id),
        query=v.data["restaurants"][id]["name"],
    )
