"""Shop: the app's declaration, product lists, search, and a product's page."""

from __future__ import annotations

from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import App, CommandContext, Data, View
from saccade_phone.apps.patterns import remember
from saccade_phone.apps.shop.content import (
    CATEGORIES,
    FANS,
    HOT,
    PAST,
    REVIEWS,
    SELLERS,
    WARES,
    addresses,
    catalogue,
    coupons,
    orders,
    purchase,
)
from saccade_phone.goal_changes import fold
from saccade_phone.seeded_random import Draw
from saccade_phone.widgets import Op, Page, Widget, back, do, go, put, tab

SHOP = App("shop", "Shop", "优购", "shopping-bag", "#e4572e", "vant")
SORTS = {"best": ("Popular", "综合"), "sold": ("Best sold", "销量"), "cheap": ("Price", "价格")}


@SHOP.seed
def seed(draw: Draw) -> Data:
    products = catalogue(draw)
    fresh = draw.shuffled(sorted(products))
    carried = [purchase(draw, products, fresh.pop()) for _ in range(draw.integer(4, 6))]
    cart = {line_id(it["product"], it["variant"]): {**it, "chosen": draw.chance(0.4)} for it in carried}
    loved = [fresh.pop() for _ in range(6)]
    return {
        "products": products,
        "cart": cart,
        "addresses": addresses(draw),
        "default_address": "a1",
        "orders": orders(draw, products, fresh),
        "coupons": coupons(draw),
        "favorites": {product: {"product": product} for product in loved},
        "history": [draw.t(*words) for words in draw.sample(PAST, 4)],
        "feed": draw.shuffled(sorted(products)),
        "dropped": [],
    }


def money(v: View, sum: float) -> str:
    return f"{v.t('$', '¥')}{sum:,.2f}"


def line_id(product: str, variant: str) -> str:
    """The id of a cart line is made from product and variant: deleted and added again, it is the same line."""
    return f"{product}|{variant}"


def lines(data: Data) -> dict[str, Any]:
    """What is in the cart. Lines that were bought are kept, but not shown: what an order does to the cart follows from
    the order, and is no change of its own.
    """
    return {id: line for id, line in data["cart"].items() if not line.get("bought")}


def ware(v: View, product: str, **more: Any) -> Widget:
    """A product as a card that opens its page."""
    it = v.data["products"][product]
    sold = v.t(f"★ {it['rating']} · {it['sold']} sold", f"{it['rating']}分 · 已售{it['sold']}件")
    less = round(100 - 100 * it["price"] / it["was"])
    return w.card(
        it["name"],
        sold,
        money(v, it["price"]),
        emoji=it["emoji"],
        tint=CATEGORIES[it["category"]][3],
        badge=f"-{less}%" if less >= 20 else "",
        tap=go("product", product=product),
        **more,
    )


def ordered(v: View, found: list[str]) -> list[str]:
    """Products sorted by the form's `sort`."""
    key = {"best": lambda it: -it["rating"], "sold": lambda it: -it["sold"], "cheap": lambda it: it["price"]}
    return sorted(found, key=lambda product: key[v.form["sort"]](v.data["products"][product]))


def sorts(v: View) -> Widget:
    return w.segments([w.chip(v.t(*words), put("sort", name), v.form["sort"] == name) for name, words in SORTS.items()])


def product_cell(v: View, product: str, sub: str, tap: Op | None = None) -> Widget:
    it = v.data["products"][product]
    return w.cell(
        it["name"], sub, money(v, it["price"]), emoji=it["emoji"], tint=CATEGORIES[it["category"]][3], tap=tap
    )


def tabs(v: View, here: str) -> list[Widget]:
    carried = len(lines(v.data))
    return [
        w.tab_item(v.t("Home", "首页"), "house", "home", here == "home"),
        w.tab_item(v.t("Categories", "分类"), "layout-grid", "categories", here == "categories"),
        w.tab_item(v.t("Cart", "购物车"), "shopping-cart", "cart", here == "cart", str(carried) if carried else ""),
        w.tab_item(v.t("Me", "我的"), "user", "me", here == "me"),
    ]


# -- looking around ---------------------------------------------------------------------------------------------------


@SHOP.screen("home")
def home(v: View) -> Page:
    tiles = [
        w.tile(v.t(*it[:2]), emoji=it[2], tint=it[3], tap=go("category", category=id)) for id, it in CATEGORIES.items()
    ]
    offer = max(v.data["coupons"].values(), key=lambda it: it["off"])
    strip = w.banner(
        v.t(f"{money(v, offer['off'])} off this week", f"本周满减{money(v, offer['off'])}"),
        v.t("Look at your coupons", "去看看我的优惠券"),
        emoji="🎁",
        tap=go("coupons"),
    )
    body = [
        strip,
        w.grid(tiles, 4),
        w.section(v.t("Picked for you", "猜你喜欢"), [w.grid([ware(v, it) for it in v.data["feed"][:12]])]),
    ]
    search = w.cell(v.t("Search products", "搜索商品"), icon="search", tap=go("search"))
    return Page(v.t("Shop", "优购"), body, head=[search], tabs=tabs(v, "home"), pull=do("refresh"))


@SHOP.command("refresh")
def refresh(h: CommandContext) -> None:
    h.data["feed"] = h.data["feed"][12:] + h.data["feed"][:12]
    h.toast("New things for you", "已为你换一批")


@SHOP.screen("categories")
def categories(v: View) -> Page:
    rows = []
    for id, words in CATEGORIES.items():
        names = [it["name"] for it in v.data["products"].values() if it["category"] == id]
        rows.append(
            w.cell(
                v.t(*words[:2]),
                v.t(", ", "、").join(names[:2]),
                str(len(names)),
                emoji=words[2],
                tint=words[3],
                tap=go("category", category=id),
            )
        )
    body = [w.section(v.t("All departments", "全部分类"), rows)]
    return Page(
        v.t("Categories", "分类"),
        body,
        tabs=tabs(v, "categories"),
        actions=[w.icon_button("search", v.t("Search", "搜索"), go("search"))],
    )


@SHOP.screen("category", form=lambda v: {"sort": "best"})
def category(v: View) -> Page:
    found = [product for product, it in v.data["products"].items() if it["category"] == v.args["category"]]
    cards = [ware(v, product) for product in ordered(v, found)]
    return Page(
        v.t(*CATEGORIES[v.args["category"]][:2]),
        [w.grid(cards)],
        head=[sorts(v)],
        actions=[w.icon_button("search", v.t("Search", "搜索"), go("search"))],
    )


def matching(v: View, query: str) -> list[str]:
    """Products whose name has all words of the query, or whose category it is."""
    words, whole = [fold(word) for word in query.split()], fold(query)
    kinds = [id for id, it in CATEGORIES.items() if fold(v.t(*it[:2])) == whole]
    return [
        product
        for product, it in v.data["products"].items()
        if it["category"] in kinds or (words and all(word in fold(it["name"]) for word in words))
    ]


@SHOP.screen("search", form=lambda v: {"query": ""})
def search(v: View) -> Page:
    query = v.form["query"]
    box = w.field(
        "query",
        query,
        v.t("What are you looking for?", "想买点什么？"),
        style="search",
        submit=go("results", query=query.strip()) if query.strip() else None,
    )
    if query.strip():
        names = [v.data["products"][product]["name"] for product in matching(v, query)[:8]]
        body = [w.section("", [w.cell(name, icon="search", tap=go("results", query=name)) for name in names])]
        return Page(v.t("Search", "搜索"), body if names else [], head=[box])
    hot = [w.chip(v.t(*words), go("results", query=v.t(*words))) for words in HOT]
    past = [w.chip(words, go("results", query=words)) for words in v.data["history"]]
    body = [w.section(v.t("Popular now", "热门搜索"), [w.chips(hot)])]
    if past:
        wipe = w.button(v.t("Clear history", "清空历史"), do("forget"), style="plain", icon="eraser")
        body = [w.section(v.t("Searched before", "搜索历史"), [w.chips(past)]), *body, wipe]
    return Page(v.t("Search", "搜索"), body, head=[box])


@SHOP.command("forget")
def forget(h: CommandContext) -> None:
    h.data["history"] = []


@SHOP.screen("results", form=lambda v: {"query": v.args["query"], "sort": "best"}, opened=remember)
def results(v: View) -> Page:
    query = v.form["query"].strip()
    box = w.field(
        "query",
        v.form["query"],
        v.t("Search products", "搜索商品"),
        style="search",
        submit=tab("results", query=query) if query else None,
    )
    found = ordered(v, matching(v, v.args["query"]))
    none = w.empty(v.t(f"No products match “{v.args['query']}”", f"没有找到“{v.args['query']}”相关的商品"), "🔍")
    count = w.text(v.t(f"Found: {len(found)}", f"共{len(found)}件商品"), "quiet")
    body = [count, *(ware(v, product) for product in found)] if found else [none]
    return Page(v.t("Results", "搜索结果"), body, head=[box, sorts(v)])


@SHOP.screen("product")
def product_page(v: View) -> Page:
    product = v.args["product"]
    it, at = v.data["products"][product], int(product[1:])
    loved = product in v.data["favorites"]
    heart = w.icon_button(
        "heart-off" if loved else "heart",
        v.t("Remove favorite", "取消收藏") if loved else v.t("Add to favorites", "收藏"),
        do("favorite", product=product, on=not loved),
    )
    labels = v.t(" and ", "、").join(label for label, _ in it["options"])
    near = [other for other in v.data["products"] if v.data["products"][other]["category"] == it["category"]]
    fans = [
        w.cell(v.t(*FANS[(at + n) % 5]), v.t(*REVIEWS[(at * 3 + n) % 10]), "★★★★★"[: 5 - (at + n) % 2])
        for n in range(3)
    ]
    facts = v.t(
        f"Was ${it['was']} · rated {it['rating']} · {it['sold']} sold",
        f"原价¥{it['was']} · 评分{it['rating']} · 已售{it['sold']}件",
    )
    body = [
        w.picture(it["emoji"], CATEGORIES[it["category"]][3], tall=True),
        w.text(money(v, it["price"]), "price"),
        w.text(it["name"], "title"),
        w.text(v.t(*WARES[at].about)),
        w.text(facts + (v.t(" · in your favorites", " · 已收藏") if loved else ""), "quiet"),
        w.section(
            "",
            [
                w.entry(v.t("Options", "规格"), labels, go("variant", product=product)),
                w.cell(v.t("Seller", "店铺"), v.t(*SELLERS[it["category"]]), icon="store"),
                w.cell(
                    v.t("Returns", "售后"), v.t("Free within 30 days", "七天无理由退货，免运费"), icon="shield-check"
                ),
            ],
        ),
        w.section(v.t("Reviews", "买家评价"), fans),
        w.section(
            v.t("More like this", "看了又看"), [w.grid([ware(v, other) for other in near if other != product][:4])]
        ),
    ]
    foot = w.row(
        [
            w.button(v.t("Add to cart", "加入购物车"), go("variant", product=product), style="plain"),
            w.button(v.t("Buy now", "立即购买"), go("variant", product=product)),
        ]
    )
    basket = w.icon_button("shopping-cart", v.t("Cart", "购物车"), go("cart"))
    return Page(v.t("Product", "商品详情"), body, actions=[basket, heart], foot=[foot])


@SHOP.command("favorite")
def favorite(h: CommandContext, product: str, on: bool) -> None:
    h.data["favorites"].pop(product, None)
    if on:
        h.data["favorites"][product] = {"product": product}
    h.toast(*(("Added to favorites", "已收藏") if on else ("Removed from favorites", "已取消收藏")))


@SHOP.screen("favorites")
def favorites(v: View) -> Page:
    cards = [
        ware(
            v,
            product,
            children=[
                w.icon_button(
                    "heart-off", v.t("Remove favorite", "取消收藏"), do("favorite", product=product, on=False)
                )
            ],
        )
        for product in v.data["favorites"]
    ]
    return Page(v.t("Favorites", "我的收藏"), cards or [w.empty(v.t("No favorites yet", "还没有收藏"), "💛")])


@SHOP.screen("variant", style="sheet", form=lambda v: {"style": "", "size": "", "count": 1})
def variant_sheet(v: View) -> Page:
    product, form = v.args["product"], v.form
    it = v.data["products"][product]
    groups = list(zip(("style", "size"), it["options"], strict=False))
    body = [
        w.card(
            it["name"],
            variant_of(v, product) or v.t("Please choose", "请选择规格"),
            money(v, it["price"]),
            emoji=it["emoji"],
            tint=CATEGORIES[it["category"]][3],
        )
    ]
    body += [
        w.section(label, [w.chips([w.chip(value, put(name, value), form[name] == value) for value in values])])
        for name, (label, values) in groups
    ]
    body.append(w.stepper("count", form["count"], 1, 9, v.t("Quantity", "数量")))
    ready = all(form[name] for name, _ in groups)
    buy = (
        go("checkout", product=product, variant=variant_of(v, product), count=form["count"]) if ready else do("unready")
    )
    foot = [
        w.button(v.t("Add to cart", "加入购物车"), do("add", product=product), style="plain"),
        w.button(v.t("Buy now", "立即购买"), buy),
    ]
    return Page(v.t("Choose options", "选择规格"), body, foot=[w.row(foot)])


def variant_of(v: View, product: str) -> str:
    names = ("style", "size")[: len(v.data["products"][product]["options"])]
    return " / ".join(v.form[name] for name in names if v.form[name])


@SHOP.command("unready")
def unready(h: CommandContext) -> None:
    h.toast("Please choose first", "请先选择")


@SHOP.command("add")
def add(h: CommandContext, product: str) -> None:
    variant, count = variant_of(h, product), h.form["count"]
    if variant.count(" / ") + bool(variant) < len(h.data["products"][product]["options"]):
        unready(h)
        return
    id = line_id(product, variant)
    if id in lines(h.data):
        h.data["cart"][id]["count"] += count
    else:
        h.data["cart"][id] = {
            "product": product,
            "variant": variant,
            "count": count,
            "chosen": True,
            "fresh": id not in h.data["cart"] and id not in h.data["dropped"],
        }
    h.toast("Added to the cart", "已加入购物车")
    h.then(back())
