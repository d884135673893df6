"""Food delivery: search for restaurants and dishes."""

from __future__ import annotations

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, View
from saccade_phone.apps.food.restaurants import FOOD, categories, money, shop_card, shop_of
from saccade_phone.widgets import Page, do, go


@FOOD.screen("search", form=lambda v: {"query": ""})
def search(v: View) -> Page:
    query = v.form["query"].strip()
    box = w.field(
        "query",
        v.form["query"],
        v.t("Restaurant or dish", "商家或菜品名称"),
        style="search",
        submit=go("results", query=query) if query else None,
    )
    if query:
        shops, dishes = matches(v, query)
        body = [
            w.cell(v.data["restaurants"][id]["name"], icon="store", tap=go("restaurant", restaurant=id))
            for id in shops[:4]
        ]
        names = [shop_of(v, dish)["dishes"][dish]["name"] for dish in dishes[:6]]
        body += [w.cell(name, icon="utensils", tap=go("results", query=name)) for name in names]
        body.append(
            w.cell(v.t(f"Search for “{query}”", f"搜索“{query}”"), icon="search", tap=go("results", query=query))
        )
    else:
        past_ones = [w.chip(words, go("results", query=words)) for words in v.data["searches"]]
        hot = [w.chip(name, go("results", query=name)) for name, _ in categories(v).values()]
        body = [w.section(v.t("Popular", "热门搜索"), [w.chips(hot)])]
        if past_ones:
            clear = w.button(v.t("Clear history", "清空历史"), do("clear-searches"), style="plain", icon="trash-2")
            body = [w.section(v.t("History", "历史搜索"), [w.chips(past_ones), clear]), *body]
    return Page(v.t("Search", "搜索"), body, head=[box])


def matches(v: View, query: str) -> tuple[list[str], list[str]]:
    """Restaurants and dishes with these words in their names (or the name of their category)."""
    words, names = query.casefold(), categories(v)
    shops = [
        id
        for id, shop in v.data["restaurants"].items()
        if words in shop["name"].casefold() or words in names[shop["category"]][0].casefold()
    ]
    dishes = [
        id
        for shop in v.data["restaurants"].values()
        for id, dish in shop["dishes"].items()
        if words in dish["name"].casefold()
    ]
    return shops, dishes


def searched(h: CommandContext) -> None:
    h.data["searches"] = [h.args["query"], *(each for each in h.data["searches"] if each != h.args["query"])][:8]


@FOOD.screen("results", opened=searched)
def results(v: View) -> Page:
    shops, dishes = matches(v, v.args["query"])
    body = [w.section(v.t("Restaurants", "商家"), [shop_card(v, id) for id in shops])] if shops else []
    rows = []
    for dish in dishes:
        shop = shop_of(v, dish)
        found, at = shop["dishes"][dish], dish.partition("d")[0]
        rows.append(
            w.card(
                found["name"],
                shop["name"],
                money(v, found["price"]),
                emoji=found["emoji"],
                tap=go("restaurant", restaurant=at),
            )
        )
    body += [w.section(v.t("Dishes", "菜品"), rows)] if rows else []
    none = w.empty(v.t(f"No results for “{v.args['query']}”", f"没有找到“{v.args['query']}”"), "🔍")
    return Page(v.args["query"], body or [none])


@FOOD.command("clear-searches")
def clear_searches(h: CommandContext) -> None:
    h.data["searches"] = []
    h.toast("History cleared", "已清空搜索历史")
