"""Food delivery: favorites, addresses, help, and restaurants viewed lately."""

from __future__ import annotations

from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, View
from saccade_phone.apps.food.content import LABELS
from saccade_phone.apps.food.restaurants import FOOD, place, shop_card, tabs
from saccade_phone.apps.patterns import cancel_or
from saccade_phone.data_files import table
from saccade_phone.goal_changes import Fields, Need, Way, plain
from saccade_phone.widgets import Page, Widget, back, do, go, put

HELP = table("food", "help", dict[str, tuple[str, str, str, str]])


@FOOD.screen("me")
def me(v: View) -> Page:
    done = sum(order["status"] == "done" for order in v.data["orders"].values())
    tiles = [
        w.tile(v.t("Favorites", "我的收藏"), icon="heart", tint="#e4572e", tap=go("favorites")),
        w.tile(v.t("Addresses", "收货地址"), icon="map-pin", tint="#3a86ff", tap=go("addresses")),
        w.tile(v.t("Viewed", "最近浏览"), icon="history", tint="#6a994e", tap=go("viewed")),
        w.tile(v.t("Help", "帮助中心"), icon="circle-question-mark", tint="#8338ec", tap=go("help")),
    ]
    promos = v.data["promos"]
    body: list[Widget] = [
        w.banner(
            v.t("Gold gourmet", "黄金吃货"),
            v.t(f"{done} meals delivered", f"累计送达{done}餐"),
            emoji="🏅",
            tint="#b7791f",
        ),
        w.grid(tiles, 4),
        w.section(
            v.t("Settings", "设置"),
            [
                w.switch(v.t("Offers and news", "接收优惠通知"), promos, do("promos", on=not promos), icon="bell"),
                w.cell(
                    v.t("Delivering to", "当前地址"), value=place(v, v.data["address"]), icon="map-pin", tap=go("where")
                ),
            ],
        ),
    ]
    return Page(v.t("Me", "我的"), body, tabs=tabs(v, "me"))


@FOOD.command("promos")
def set_promos(h: CommandContext, on: bool) -> None:
    h.data["promos"] = on


FOOD.value("promos", lambda v, wanted: Need("food", "me", commit=do("promos", on=wanted)))


@FOOD.screen("help")
def help_page(v: View) -> Page:
    rows = [
        w.cell(v.t(*words[:2]), icon="circle-question-mark", tap=go("answer", topic=id)) for id, words in HELP.items()
    ]
    return Page(v.t("Help", "帮助中心"), [w.section("", rows)])


@FOOD.screen("answer", style="dialog")
def answer(v: View) -> Page:
    words = HELP[v.args["topic"]]
    return Page(v.t(*words[:2]), [w.text(v.t(*words[2:]))], foot=[w.button(v.t("Got it", "知道了"), back())])


# -- favorites ---------------------------------------------------------------------------------------------------------


@FOOD.screen("favorites")
def favorites(v: View) -> Page:
    cards = [shop_card(v, id, go("unfavorite", restaurant=id)) for id in v.data["favorites"]]
    return Page(v.t("Favorites", "我的收藏"), cards or [w.empty(v.t("No favorites yet", "还没有收藏"), "💛")])


@FOOD.screen("unfavorite", style="sheet")
def unfavorite(v: View) -> Page:
    name = v.data["restaurants"][v.args["restaurant"]]["name"]
    return Page(
        name, [w.cell(v.t("Remove from favorites", "取消收藏"), icon="heart-off", tap=do("unfavorite", **v.args))]
    )


@FOOD.screen("viewed")
def viewed_page(v: View) -> Page:
    cards = [shop_card(v, id) for id in v.data["viewed"]]
    return Page(v.t("Viewed", "最近浏览"), cards or [w.empty(v.t("Nothing yet", "还没有浏览记录"), "👀")])


@FOOD.command("favorite")
def favorite(h: CommandContext, restaurant: str, on: bool) -> None:
    if on:
        h.data["favorites"][restaurant] = {"restaurant": restaurant}
        h.toast("Added to favorites", "已收藏")
    else:
        h.data["favorites"].pop(restaurant, None)
        h.toast("Removed from favorites", "已取消收藏")


@FOOD.command("unfavorite")
def do_unfavorite(h: CommandContext, restaurant: str) -> None:
    favorite(h, restaurant, on=False)
    h.then(back())


FOOD.holds(
    "favorites",
    create=lambda v, fields: Need(
        "food",
        "restaurant",
        {"restaurant": fields["restaurant"]},
        commit=do("favorite", restaurant=fields["restaurant"], on=True),
        query=v.data["restaurants"][fields["restaurant"]]["name"],
    ),
    remove=lambda v, shop: Need("food", "unfavorite", {"restaurant": shop}, commit=do("unfavorite", restaurant=shop)),
)


# -- addresses ---------------------------------------------------------------------------------------------------------


@FOOD.screen("where", style="sheet")
def where(v: View) -> Page:
    rows = [
        w.choice(place(v, id), id == v.data["address"], do("use", address=id), address["street"])
        for id, address in v.data["addresses"].items()
    ]
    edit = w.button(v.t("Manage addresses", "管理收货地址"), go("addresses"), style="plain")
    return Page(v.t("Deliver to", "送到哪里"), rows, foot=[edit])


@FOOD.screen("addresses")
def addresses(v: View) -> Page:
    rows = [
        w.cell(
            place(v, id),
            f"{each['street']} · {each['name']}",
            icon=LABELS[each["label"]][2],
            badge=v.t("Current", "当前") if id == v.data["address"] else "",
            tap=go("address", address=id),
            hold=go("drop-address", address=id),
        )
        for id, each in v.data["addresses"].items()
    ]
    add = w.icon_button("plus", v.t("New address", "新增地址"), go("address", address=""))
    return Page(v.t("Addresses", "收货地址"), [w.section("", rows)], actions=[add])


def address_form(v: View) -> dict[str, Any]:
    blank = {"label": "", "name": "", "phone": "", "street": ""}
    return dict(v.data["addresses"].get(v.args["address"], blank))


@FOOD.screen("address", form=address_form)
def address_page(v: View) -> Page:
    id, form = v.args["address"], v.form
    labels = [w.chip(v.t(*words[:2]), put("label", name), form["label"] == name) for name, words in LABELS.items()]
    body = [
        w.section(v.t("Label", "标签"), [w.chips(labels)]),
        w.section(
            v.t("Recipient", "收货人"),
            [
                w.field("name", form["name"], v.t("Full name", "收货人姓名"), label=v.t("Name", "姓名")),
                w.field(
                    "phone", form["phone"], v.t("Phone number", "手机号码"), label=v.t("Phone", "电话"), style="number"
                ),
                w.field(
                    "street", form["street"], v.t("Street, number", "小区、楼栋、门牌"), label=v.t("Street", "地址")
                ),
            ],
        ),
    ]
    drop = [w.icon_button("trash-2", v.t("Delete", "删除"), go("drop-address", address=id))] if id else []
    return Page(
        v.t("Edit address", "编辑地址") if id else v.t("New address", "新增地址"),
        body,
        actions=drop,
        foot=[w.button(v.t("Save", "保存"), do("save-address", address=id))],
    )


@FOOD.screen("drop-address", style="dialog")
def drop_address(v: View) -> Page:
    return Page(
        v.t("Delete address?", "删除地址？"),
        [w.text(v.data["addresses"][v.args["address"]]["street"])],
        foot=cancel_or(v, v.t("Delete", "删除"), do("drop-address", **v.args)),
    )


@FOOD.command("use")
def use(h: CommandContext, address: str) -> None:
    h.data["address"] = address
    h.then(back())


@FOOD.command("save-address")
def save_address(h: CommandContext, address: str) -> None:
    made = {name: h.form[name].strip() for name in ("label", "name", "phone", "street")}
    if not all(made.values()):
        h.toast("Please fill in everything", "请把信息填写完整")
        return
    h.data["addresses"][address or h.new_id("address")] = made
    h.toast("Address saved", "地址已保存")
    h.then(back())


@FOOD.command("drop-address")
def do_drop_address(h: CommandContext, address: str) -> None:
    if address == h.data["address"]:
        h.toast("This address is in use", "当前使用的地址不能删除")
        h.then(back())
        return
    del h.data["addresses"][address]
    h.toast("Address deleted", "地址已删除")
    h.then(back())


def set_address(id: str, fields: Fields) -> Need:
    values = {name: plain(fields[name]) for name in ("label", "name", "phone", "street") if name in fields}
    return Need("food", "address", {"address": id}, values, do("save-address", address=id))


def remove_address(v: View, id: str) -> Way:
    if id == v.data["address"]:
        return None
    return Need("food", "drop-address", {"address": id}, commit=do("drop-address", address=id))


FOOD.holds(
    "addresses",
    create=lambda v, fields: set_address("", fields),
    update=lambda v, address, fields: set_address(address, fields),
    remove=remove_address,
)
FOOD.value("address", lambda v, wanted: Need("food", "where", commit=do("use", address=wanted)))
