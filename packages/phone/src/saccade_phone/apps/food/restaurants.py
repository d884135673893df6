"""Food delivery: the app's declaration and data, restaurant lists and search, and a restaurant's page."""

from __future__ import annotations

from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import App, CommandContext, Data, View
from saccade_phone.apps.food.content import (
    AUTHORS,
    CATEGORIES,
    LABELS,
    REVIEWS,
    STREETS,
    bill,
    meal,
    past,
    stock,
)
from saccade_phone.seeded_random import Draw
from saccade_phone.widgets import Op, Page, Widget, do, go, pick, put, tab

FOOD = App("food", "Tasty", "饱饱外卖", "utensils", "#f2a007", "vant")

ON_HOME = 8
MOST = 20
"""Of one dish in a basket."""
SORTS = {
    "best": ("Recommended", "综合排序"),
    "rating": ("Top rated", "好评优先"),
    "minutes": ("Fastest", "速度最快"),
    "distance": ("Nearest", "距离最近"),
    "fee": ("Lowest fee", "配送费最低"),
}
FILTERS = {
    "free": ("Free delivery", "免配送费"),
    "deal": ("Deals", "满减优惠"),
    "fast": ("Under 35 min", "35分钟内"),
    "loved": ("4.5 and up", "4.5分以上"),
}
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


@FOOD.seed
def seed(draw: Draw) -> Data:
    shops = stock(draw)
    people = draw.sample(draw.people, 4)
    addresses = {
        f"a{at}": {"label": label, "name": person.name, "phone": person.phone, "street": draw.t(*STREETS[at - 1])}
        for at, (label, person) in enumerate(zip(("home", "work", "parents", "school"), people, strict=True), 1)
    }
    basket = {
        item["dish"]: {"restaurant": shop, **item}
        for shop in draw.sample(sorted(shops), 3)
        for item in meal(draw, shops[shop])
    }
    searches = draw.sample([dish["name"] for shop in shops.values() for dish in shop["dishes"].values()], 5)
    return {
        "restaurants": shops,
        "basket": basket,
        "orders": past(draw, shops, sorted(addresses)),
        "favorites": {shop: {"restaurant": shop} for shop in draw.sample(sorted(shops), 4)},
        "addresses": addresses,
        "address": draw.choice(sorted(addresses)),
        "promos": draw.chance(0.5),
        "searches": searches,
        "viewed": draw.sample(sorted(shops), 6),
    }


# -- words -------------------------------------------------------------------------------------------------------------


def money(v: View, amount: float) -> str:
    return v.t(f"${amount:.2f}", f"¥{amount:g}")


def when(v: View, at: str) -> str:
    month, day = int(at[5:7]), int(at[8:10])
    return v.t(f"{MONTHS[month - 1]} {day}", f"{month}月{day}日") + at[10:]


def categories(v: View) -> dict[str, tuple[str, str]]:
    return CATEGORIES.of(v.language)


def fee_text(v: View, shop: Data) -> str:
    return (
        v.t(f"{money(v, shop['fee'])} delivery", f"配送费{money(v, shop['fee'])}")
        if shop["fee"]
        else v.t("Free delivery", "免配送费")
    )


def deal_text(v: View, shop: Data) -> str:
    over, off = shop["deal"]["over"], shop["deal"]["off"]
    return v.t(f"${off} off ${over}", f"满{over}减{off}") if off else ""


def shop_of(v: View, dish: str) -> Data:
    shop: Data = v.data["restaurants"][dish.partition("d")[0]]
    return shop


def lines(v: View, restaurant: str) -> list[dict[str, Any]]:
    """What is in the basket of a restaurant, in the order of its menu."""
    found = [line for line in v.data["basket"].values() if line["restaurant"] == restaurant]
    return sorted(({"dish": line["dish"], "count": line["count"]} for line in found), key=lambda line: line["dish"])


def dishes_text(v: View, items: list[dict[str, Any]]) -> str:
    return v.t(", ", "、").join(f"{shop_of(v, i['dish'])['dishes'][i['dish']]['name']} ×{i['count']}" for i in items)


def place(v: View, address: str) -> str:
    """An address by its label; one that was deleted since has none."""
    entry = v.data["addresses"].get(address)
    return v.t(*LABELS[entry["label"]][:2]) if entry else v.t("Old address", "旧地址")


def tabs(v: View, here: str) -> list[Widget]:
    count = len({line["restaurant"] for line in v.data["basket"].values()})
    return [
        w.tab_item(v.t("Home", "首页"), "house", "home", here == "home"),
        w.tab_item(v.t("Baskets", "购物车"), "shopping-basket", "baskets", here == "baskets", str(count or "")),
        w.tab_item(v.t("Orders", "订单"), "receipt-text", "orders", here == "orders"),
        w.tab_item(v.t("Me", "我的"), "user", "me", here == "me"),
    ]


def shop_card(v: View, restaurant: str, hold: Op | None = None) -> Widget:
    shop = v.data["restaurants"][restaurant]
    sub = v.t(
        f"★ {shop['rating']} · {shop['minutes']} min · {shop['distance']} km",
        f"★ {shop['rating']} · {shop['minutes']}分钟 · {shop['distance']}km",
    )
    return w.card(
        shop["name"],
        sub,
        fee_text(v, shop),
        emoji=shop["emoji"],
        badge=deal_text(v, shop),
        tap=go("restaurant", restaurant=restaurant),
        hold=hold,
    )


# -- finding a restaurant ----------------------------------------------------------------------------------------------


@FOOD.screen("home")
def home(v: View) -> Page:
    tiles = [w.tile(name, emoji=emoji, tap=go("list", category=id)) for id, (name, emoji) in categories(v).items()]
    tiles.append(w.tile(v.t("All", "全部"), emoji="🍽️", tap=go("list", category="all")))
    body = [
        w.cell(v.t("Restaurants and dishes", "搜索商家、菜品"), icon="search", tap=go("search")),
        w.grid(tiles, 5),
        w.banner(
            v.t("Today's deals", "今日满减"),
            v.t("Save on your dinner", "下单立享优惠"),
            emoji="🎉",
            tint="#e4572e",
            tap=go("list", category="deals"),
        ),
        w.section(v.t("Recommended", "为你推荐"), [shop_card(v, id) for id in list(v.data["restaurants"])[:ON_HOME]]),
    ]
    address = v.data["addresses"][v.data["address"]]
    where = w.cell(place(v, v.data["address"]), address["street"], icon="map-pin", tap=go("where"))
    return Page(v.t("Tasty", "饱饱外卖"), body, head=[where], tabs=tabs(v, "home"), pull=do("refresh"))


@FOOD.command("refresh")
def refresh(h: CommandContext) -> None:
    h.toast("Up to date", "已是最新")


def passes(shop: Data, name: str) -> bool:
    return bool(
        {
            "free": not shop["fee"],
            "deal": shop["deal"]["off"],
            "fast": shop["minutes"] <= 35,
            "loved": shop["rating"] >= 4.5,
        }[name]
    )


@FOOD.screen("list", form=lambda v: {"sort": "best", "filters": ["deal"] if v.args["category"] == "deals" else []})
def listing(v: View) -> Page:
    category, sort, filters = v.args["category"], v.form["sort"], v.form["filters"]
    shops = v.data["restaurants"]
    found = [id for id, shop in shops.items() if category in ("all", "deals", shop["category"])]
    found = [id for id in found if all(passes(shops[id], name) for name in filters)]
    if sort != "best":
        found.sort(key=lambda each: -shops[each]["rating"] if sort == "rating" else shops[each][sort])
    bar = [w.chip(f"{v.t(*SORTS[sort])} ▾", go("sort", field="sort"), sort != "best")]
    bar += [
        w.chip(v.t(*words), put("filters", sorted({*filters} ^ {name})), name in filters)
        for name, words in FILTERS.items()
    ]
    title = {"all": v.t("All restaurants", "全部商家"), "deals": v.t("Deals", "今日满减")}.get(category)
    none = w.empty(v.t("Nothing fits these filters", "没有符合条件的商家"), "🍽️")
    return Page(title or categories(v)[category][0], [shop_card(v, id) for id in found] or [none], head=[w.chips(bar)])


@FOOD.screen("sort", style="sheet")
def sort_sheet(v: View) -> Page:
    return Page(v.t("Sort by", "排序"), [w.cell(v.t(*words), tap=pick("sort", name)) for name, words in SORTS.items()])


# -- a restaurant ------------------------------------------------------------------------------------------------------


def parts(v: View, here: str) -> Widget:
    names = {"restaurant": v.t("Menu", "点菜"), "reviews": v.t("Reviews", "评价"), "about": v.t("About", "商家")}
    return w.segments([w.chip(name, tab(screen, **v.args), screen == here) for screen, name in names.items()])


def heart(v: View) -> Widget:
    id = v.args["restaurant"]
    if id in v.data["favorites"]:
        return w.icon_button("heart-off", v.t("Remove favorite", "取消收藏"), do("favorite", restaurant=id, on=False))
    return w.icon_button("heart", v.t("Add to favorites", "收藏"), do("favorite", restaurant=id, on=True))


def dish_counter(v: View, dish: str) -> Widget:
    count = v.data["basket"].get(dish, {"count": 0})["count"]
    less = do("count", dish=dish, count=count - 1) if count else None
    return w.counter(count, less, do("count", dish=dish, count=count + 1) if count < MOST else None)


def dish_card(v: View, restaurant: str, dish: str) -> Widget:
    found = v.data["restaurants"][restaurant]["dishes"][dish]
    sub = v.t(f"{found['sold']} sold this month", f"月售{found['sold']}")
    if found["out"]:
        return w.card(found["name"], sub, money(v, found["price"]), emoji=found["emoji"], badge=v.t("Sold out", "售罄"))
    return w.card(
        found["name"],
        sub,
        money(v, found["price"]),
        emoji=found["emoji"],
        tap=go("dish", restaurant=restaurant, dish=dish),
        children=[dish_counter(v, dish)],
    )


def basket_bar(v: View, restaurant: str) -> list[Widget]:
    """The basket's price, and the checkout button if the minimum order is reached."""
    shop, items = v.data["restaurants"][restaurant], lines(v, restaurant)
    goods = bill(shop, items)["goods"]
    least = shop["minimum"]
    if not items:
        return [w.text(v.t(f"Orders from {money(v, least)}", f"{money(v, least)}起送"), "quiet")]
    count = sum(item["count"] for item in items)
    show = w.button(
        v.t(f"{count} · {money(v, goods)}", f"{count}件 {money(v, goods)}"),
        go("basket", restaurant=restaurant),
        style="plain",
        icon="shopping-basket",
    )
    if goods < least:
        return [
            w.row(
                [show, w.text(v.t(f"{money(v, least - goods)} to go", f"还差{money(v, least - goods)}起送"), "quiet")]
            )
        ]
    return [w.row([show, w.button(v.t("Checkout", "去结算"), go("checkout", restaurant=restaurant))])]


def viewed(h: CommandContext) -> None:
    id = h.args["restaurant"]
    h.data["viewed"] = [id, *(each for each in h.data["viewed"] if each != id)][:12]


@FOOD.screen("restaurant", opened=viewed)
def restaurant(v: View) -> Page:
    id = v.args["restaurant"]
    shop = v.data["restaurants"][id]
    body: list[Widget] = [w.text(shop["slogan"], "quiet")]
    if off := deal_text(v, shop):
        body.append(w.banner(off, fee_text(v, shop), emoji="🎟️", tint="#e4572e"))
    for title in dict.fromkeys(dish["section"] for dish in shop["dishes"].values()):
        body.append(
            w.section(title, [dish_card(v, id, d) for d, dish in shop["dishes"].items() if dish["section"] == title])
        )
    return Page(shop["name"], body, actions=[heart(v)], head=[parts(v, "restaurant")], foot=basket_bar(v, id))


@FOOD.screen("reviews")
def reviews(v: View) -> Page:
    shop = v.data["restaurants"][v.args["restaurant"]]
    body: list[Widget] = [w.text(f"★ {shop['rating']}", "big"), w.progress(shop["rating"] / 5, "0", "5")]
    rows = []
    for author, number in shop["reviews"]:
        stars, en, zh = REVIEWS[number]
        rows.append(w.cell(v.t(*AUTHORS[author]), v.t(en, zh), "★" * stars, emoji="🙂"))
    return Page(shop["name"], [*body, w.section("", rows)], actions=[heart(v)], head=[parts(v, "reviews")])


@FOOD.screen("about")
def about(v: View) -> Page:
    shop = v.data["restaurants"][v.args["restaurant"]]
    rows = [
        w.cell(v.t("Cuisine", "品类"), value=categories(v)[shop["category"]][0], icon="utensils"),
        w.cell(
            v.t("Delivery time", "配送时间"),
            value=v.t(f"{shop['minutes']} min", f"约{shop['minutes']}分钟"),
            icon="clock",
        ),
        w.cell(v.t("Distance", "距离"), value=f"{shop['distance']} km", icon="map-pin"),
        w.cell(v.t("Delivery fee", "配送费"), value=money(v, shop["fee"]), icon="bike"),
        w.cell(v.t("Minimum order", "起送价"), value=money(v, shop["minimum"]), icon="wallet"),
        w.cell(v.t("Packaging", "打包费"), value=money(v, shop["packing"]), icon="package"),
        w.cell(v.t("Monthly orders", "月售"), value=str(shop["sold"]), icon="receipt-text"),
    ]
    return Page(
        shop["name"],
        [w.picture(shop["emoji"]), w.text(shop["slogan"], "title"), w.section("", rows)],
        actions=[heart(v)],
        head=[parts(v, "about")],
    )


@FOOD.screen(
    "dish", style="sheet", form=lambda v: {"count": v.data["basket"].get(v.args["dish"], {"count": 1})["count"]}
)
def dish_sheet(v: View) -> Page:
    dish = shop_of(v, v.args["dish"])["dishes"][v.args["dish"]]
    body = [
        w.picture(dish["emoji"]),
        w.text(money(v, dish["price"]), "price"),
        w.text(
            v.t(f"{dish['section']} · {dish['sold']} sold this month", f"{dish['section']} · 月售{dish['sold']}"),
            "quiet",
        ),
        w.stepper("count", v.form["count"], 1, MOST, v.t("Quantity", "数量")),
    ]
    words = (
        v.t("Update basket", "更新购物车") if v.args["dish"] in v.data["basket"] else v.t("Add to basket", "加入购物车")
    )
    return Page(dish["name"], body, foot=[w.button(words, do("add", dish=v.args["dish"]))])
