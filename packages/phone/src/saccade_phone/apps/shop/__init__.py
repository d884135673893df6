"""Shop: addresses, the account page, and how each change is made. See also `products`, `checkout`, `orders`."""

from __future__ import annotations

from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, View
from saccade_phone.apps.patterns import cancel_or
from saccade_phone.apps.shop import content as stock
from saccade_phone.apps.shop import orders  # noqa: F401  (its screens belong to the app)
from saccade_phone.apps.shop.checkout import begin, headed, items_of, place, spent, subtotal
from saccade_phone.apps.shop.content import LABELS, STATUSES
from saccade_phone.apps.shop.products import SHOP, lines, tabs
from saccade_phone.goal_changes import Fields, Need, Way, plain
from saccade_phone.widgets import Page, back, do, go, pick, put

# -- addresses and me -------------------------------------------------------------------------------------------------


@SHOP.screen("addresses")
def addresses(v: View) -> Page:
    rows = [
        w.cell(
            headed(v, it) + v.t(" · Default", " · 默认") * (id == v.data["default_address"]),
            f"{it['phone']}, {place(v, it)}",
            icon="map-pin",
            tap=go("address", address=id),
            hold=go("drop-address", address=id),
        )
        for id, it in v.data["addresses"].items()
    ]
    add = w.button(v.t("New address", "新增地址"), go("address", address=""), icon="plus")
    return Page(v.t("Addresses", "收货地址"), [w.section("", rows)], foot=[add])


def address_form(v: View) -> dict[str, Any]:
    id = v.args["address"]
    it = v.data["addresses"].get(id, {"name": "", "phone": "", "region": "", "detail": "", "label": ""})
    return {**it, "default": id == v.data["default_address"]}


@SHOP.screen("address", form=address_form)
def address_page(v: View) -> Page:
    id, form = v.args["address"], v.form
    labels = [
        w.chip(v.t(*words), put("label", "" if form["label"] == key else key), form["label"] == key)
        for key, words in LABELS.items()
    ]
    body = [
        w.field("name", form["name"], v.t("Full name", "收货人姓名"), label=v.t("Name", "收货人")),
        w.field("phone", form["phone"], v.t("Phone number", "手机号码"), label=v.t("Phone", "电话")),
        w.entry(
            v.t("City", "地区"), form["region"], go("regions", field="region"), placeholder=v.t("Choose", "请选择")
        ),
        w.field(
            "detail", form["detail"], v.t("Street and number", "街道、楼栋、门牌号"), label=v.t("Street", "详细地址")
        ),
        w.section(v.t("Label", "标签"), [w.chips(labels)]),
        w.switch(v.t("Default address", "设为默认地址"), form["default"], put("default", not form["default"])),
    ]
    drop = [w.icon_button("trash-2", v.t("Delete", "删除"), go("drop-address", address=id))] if id else []
    return Page(
        v.t("Edit address", "编辑地址") if id else v.t("New address", "新增地址"),
        body,
        actions=drop,
        foot=[w.button(v.t("Save", "保存"), do("save-address", address=id))],
    )


@SHOP.screen("regions", style="sheet")
def regions(v: View) -> Page:
    return Page(
        v.t("City", "所在地区"),
        [w.cell(name, tap=pick("region", name)) for name in stock.REGIONS.of(v.language)],
    )


@SHOP.screen("drop-address", style="dialog")
def drop_address_dialog(v: View) -> Page:
    it = v.data["addresses"][v.args["address"]]
    return Page(
        v.t("Delete address?", "删除地址？"),
        [w.text(place(v, it))],
        foot=cancel_or(v, v.t("Delete", "删除"), do("drop-address", **v.args)),
    )


@SHOP.command("save-address")
def save_address(h: CommandContext, address: str) -> None:
    fields = {name: h.form[name].strip() for name in ("name", "phone", "region", "detail", "label")}
    if not all(value for name, value in fields.items() if name != "label"):
        h.toast("Fill in all fields", "请填写完整")
        return
    id = address or h.new_id("address")
    h.data["addresses"][id] = fields
    if h.form["default"]:
        h.data["default_address"] = id
    h.toast("Address saved", "地址已保存")
    h.then(back())


@SHOP.command("drop-address")
def drop_address(h: CommandContext, address: str) -> None:
    del h.data["addresses"][address]
    if h.data["default_address"] == address:
        h.data["default_address"] = next(iter(h.data["addresses"]), "")
    h.toast("Address deleted", "地址已删除")
    h.then(back(), back())


@SHOP.screen("me")
def me(v: View) -> Page:
    states = [order["status"] for order in v.data["orders"].values()]
    tiles = [
        w.tile(
            v.t(*words[:2]),
            icon=words[2],
            tint=SHOP.tint,
            tap=go("orders", status=status),
            badge=str(states.count(status)) if status in states and status != "done" else "",
        )
        for status, words in STATUSES.items()
        if status != "cancelled"
    ]
    free = len(v.data["coupons"].keys() - spent(v.data))
    body = [
        w.banner(v.t(*stock.OWNER)[0], v.t("Gold member · free shipping", "金卡会员 · 全场包邮"), emoji="🧑🏻"),
        w.section(v.t("My orders", "我的订单"), [w.grid(tiles, 4)]),
        w.section(
            "",
            [
                w.cell(
                    v.t("All orders", "全部订单"),
                    value=str(len(states)),
                    icon="receipt-text",
                    tap=go("orders", status="all"),
                ),
                w.cell(
                    v.t("Favorites", "我的收藏"), value=str(len(v.data["favorites"])), icon="heart", tap=go("favorites")
                ),
                w.cell(v.t("Coupons", "优惠券"), value=str(free), icon="ticket-percent", tap=go("coupons")),
                w.cell(v.t("Addresses", "收货地址"), icon="map-pin", tap=go("addresses")),
            ],
        ),
    ]
    return Page(v.t("Me", "我的"), body, tabs=tabs(v, "me"))


# -- how each part is changed -----------------------------------------------------------------------------------------


def route(v: View, product: str) -> dict[str, Any]:
    """Half of the products are found through their category, the others by search, as people do both."""
    it = v.data["products"][product]
    return {"query": it["name"], "through": {"category": (it["category"],)} if int(product[1:]) % 2 else {}}


def parts(v: View, item: Fields) -> dict[str, Any]:
    """A variant as the sheet's fields."""
    options = v.data["products"][item["product"]]["options"]
    values = item["variant"].split(" / ") if "variant" in item else [values[0] for _, values in options]
    return {**dict(zip(("style", "size"), values, strict=False)), "count": item.get("count", 1)}


def create_line(v: View, fields: Fields) -> Way:
    product = fields["product"]
    if product not in v.data["products"]:
        return None
    return Need(
        "shop", "variant", {"product": product}, parts(v, fields), do("add", product=product), **route(v, product)
    )


def update_line(v: View, id: str, fields: Fields) -> Way:
    line = lines(v.data).get(id)
    if not fields.keys() <= {"count", "chosen"}:
        return None
    if line is None:  # it was deleted: put in again, it will be the same
        product, _, variant = id.partition("|")
        return create_line(v, {"product": product, "variant": variant, **fields}) if "count" in fields else None
    if "chosen" in fields and fields["chosen"] != line["chosen"]:
        return Need("shop", "cart", commit=do("choose", line=id, on=fields["chosen"]))
    step = 1 if fields.get("count", 0) > line["count"] else -1
    return Need("shop", "cart", commit=do("count", line=id, count=line["count"] + step))


def alike(line: Fields, item: Fields) -> bool:
    return bool(line["product"] == item["product"] and line["variant"] == item["variant"])


def create_order(v: View, fields: Fields) -> Way:
    """One product is bought directly; several, or one that is in the cart already, through the cart."""
    items, inside = items_of(fields["items"]), lines(v.data)
    named = {name: plain(fields[name]) for name in begin(v) if name in fields}
    values = {"payment": "card", "coupon": "", "note": "", **named}
    through: dict[str, tuple[Any, ...]] = {"total": (subtotal(v.data, items),)}
    first = items[0]
    if len(items) == 1 and first not in items_of(list(inside.values())):
        found = route(v, first["product"])
        ahead = {name: (value,) for name, value in parts(v, first).items()}
        through |= {**found["through"], **ahead, "count": tuple(range(1, 10))}
        return Need("shop", "checkout", first, values, do("order", **first), found["query"], through)
    for item in items:
        if not any(alike(line, item) for line in inside.values()):
            return create_line(v, item)
    for id, line in inside.items():
        same = next((item for item in items if alike(line, item)), None)
        wanted: dict[str, Any] = {"chosen": False} if same is None else {"chosen": True, "count": same["count"]}
        if any(line[name] != value for name, value in wanted.items()):
            return update_line(v, id, wanted)
    return Need("shop", "checkout", {"product": ""}, values, do("order", product=""), through=through)


def update_order(v: View, id: str, fields: Fields) -> Way:
    now, wanted = v.data["orders"][id]["status"], fields.get("status")
    through = {"status": (now, "all")}
    if wanted == "cancelled" and now in ("unpaid", "unshipped"):
        reason = {"reason": fields.get("reason", "mind")}
        return Need("shop", "cancel", {"order": id}, reason, do("cancel", order=id), through=through)
    if wanted == "done" and now == "shipped":
        return Need("shop", "confirm", {"order": id}, commit=do("confirm", order=id), through=through)
    if wanted == "unshipped" and now == "unpaid":
        payment = {"payment": fields.get("payment", v.data["orders"][id]["payment"])}
        return Need("shop", "pay", {"order": id}, payment, do("pay", order=id), through=through)
    return None


def write_address(v: View, id: str, fields: Fields) -> Way:
    values = {name: plain(value) for name, value in fields.items()}
    return Need("shop", "address", {"address": id}, values, do("save-address", address=id))


def love(v: View, product: str) -> Way:
    commit = do("favorite", product=product, on=True)
    return Need("shop", "product", {"product": product}, commit=commit, **route(v, product))


SHOP.holds(
    "cart",
    create=create_line,
    update=update_line,
    remove=lambda v, line: Need("shop", "drop", {"line": line}, commit=do("drop", line=line)),
    volatile=("chosen", "bought", "fresh"),
)
SHOP.holds(
    "orders",
    create=create_order,
    update=update_order,
    defaults={"payment": "card", "coupon": "", "note": "", "status": "unshipped"},
)
SHOP.holds(
    "favorites",
    create=lambda v, fields: love(v, fields["product"]),
    remove=lambda v, product: Need("shop", "favorites", commit=do("favorite", product=product, on=False)),
)
SHOP.holds(
    "addresses",
    create=lambda v, fields: write_address(v, "", fields),
    update=write_address,
    remove=lambda v, key: Need("shop", "drop-address", {"address": key}, commit=do("drop-address", address=key)),
    defaults={"label": ""},
)
SHOP.value(
    "default_address",
    lambda v, key: write_address(v, key, {"default": True}) if key in v.data["addresses"] else None,
)
SHOP.forgets("history", "feed", "dropped")
