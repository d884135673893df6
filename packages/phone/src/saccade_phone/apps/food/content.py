"""Draw the food app's restaurants, past orders and addresses. English and Chinese phones have other restaurants."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from saccade_phone.app import Data
from saccade_phone.data_files import ByLanguage, Entry, Words, table
from saccade_phone.seeded_random import Draw

OPEN = 18
"""Number of restaurants that deliver to a phone."""

CATEGORIES = table("food", "categories", ByLanguage[dict[str, tuple[str, str]]])


class Restaurant(Entry):
    name: str
    category: str
    emoji: str
    slogan: str
    menu: dict[str, list[tuple[str, float, str]]]
    """By section: name, price and emoji of each dish."""


def menus(pool: list[Restaurant]) -> list[dict[str, Any]]:
    """Restaurants as an app's data, without what differs from phone to phone."""
    found = []
    for each in pool:
        dishes = [
            {"name": name, "price": price, "section": section, "emoji": emoji}
            for section, row in each.menu.items()
            for name, price, emoji in row
        ]
        head = {"name": each.name, "category": each.category, "emoji": each.emoji, "slogan": each.slogan}
        found.append({**head, "dishes": dishes})
    return found


RESTAURANTS = {
    language: menus(pool) for language, pool in table("food", "restaurants", dict[str, list[Restaurant]]).items()
}

REVIEWS = table("food", "reviews", tuple[tuple[int, str, str], ...])
AUTHORS = table("food", "authors", tuple[Words, ...])
RIDERS = table("food", "riders", tuple[Words, ...])
NOTES = table("food", "notes", tuple[Words, ...])
TAGS = table("food", "tags", tuple[Words, ...])
REASONS = table("food", "reasons", dict[str, Words])
LABELS = table("food", "labels", dict[str, tuple[str, str, str]])
STREETS = table("food", "streets", tuple[Words, ...])


def stock(draw: Draw) -> Data:
    """The restaurants of one phone. Within a category no two are equally well rated, fast or near."""
    pool: list[dict[str, Any]] = draw.sample(RESTAURANTS[draw.language], OPEN)
    ratings, minutes, ways = (
        {key: draw.shuffled(values) for key in CATEGORIES.of(draw.language)}
        for values in (range(41, 50), range(20, 56, 5), range(4, 48, 3))
    )
    found = {}
    for at, menu in enumerate(pool, 1):
        category, gone = menu["category"], draw.integer(1, len(menu["dishes"]) * 2)
        dishes = {
            f"r{at}d{n}": {**dish, "sold": draw.integer(12, 480), "out": n == gone}
            for n, dish in enumerate(menu["dishes"], 1)
        }
        off = draw.choice((0, 0, 3, 4, 5, 6))
        found[f"r{at}"] = {
            **menu,
            "rating": ratings[category].pop() / 10,
            "minutes": minutes[category].pop(),
            "distance": ways[category].pop() / 10,
            "fee": draw.choice(draw.t((0, 0.99, 1.49, 1.99, 2.99), (0, 2, 3, 4, 5))),
            "packing": draw.t(0.5, 1),
            "minimum": draw.choice(draw.t((6, 8, 10), (10, 15, 18))),
            "deal": {"over": draw.t(20, 35), "off": off},
            "sold": draw.integer(3, 60) * 50,
            "dishes": dishes,
            "reviews": [[draw.integer(0, len(AUTHORS) - 1), review] for review in draw.sample(range(len(REVIEWS)), 6)],
        }
    return found


def bill(shop: Data, items: list[dict[str, Any]]) -> dict[str, float]:
    """The bill for these dishes with packing, delivery and discount."""
    goods = round(sum(shop["dishes"][item["dish"]]["price"] * item["count"] for item in items), 2)
    off = shop["deal"]["off"] if goods >= shop["deal"]["over"] else 0
    return {"goods": goods, "off": off, "total": round(goods + shop["packing"] + shop["fee"] - off, 2)}


def meal(draw: Draw, shop: Data) -> list[dict[str, Any]]:
    """Some dishes that together are enough to be delivered."""
    fresh = [dish for dish, entry in shop["dishes"].items() if not entry["out"]]
    items: list[dict[str, Any]] = []
    for dish in draw.sample(fresh, len(fresh)):
        if len(items) >= 2 and bill(shop, items)["goods"] >= shop["minimum"]:
            break
        items.append({"dish": dish, "count": draw.choice((1, 1, 1, 2))})
    return sorted(items, key=lambda item: str(item["dish"]))


def past(draw: Draw, shops: Data, addresses: list[str]) -> Data:
    """Orders of the last two months: two being cooked, one on its way, the others over."""
    where = draw.sample(sorted(shops), 13)
    days = sorted(draw.sample(range(1, 58), 13))
    states = ["preparing", "preparing", "delivering", *["done"] * 11, "cancelled", "cancelled"]
    found = {}
    for at, status in enumerate(states):
        shop = where[at] if at < len(where) else where[at - 10]
        moment = draw.now - timedelta(minutes=9 + 13 * at)
        if at >= 3:
            moment = datetime.combine(draw.today - timedelta(days=days[at - 3]), datetime.min.time())
            moment += timedelta(minutes=draw.integer(11 * 60, 21 * 60))
        stars = draw.choice((5, 5, 4, 3)) if status == "done" and at % 2 else 0
        review = REVIEWS[draw.choice([n for n, each in enumerate(REVIEWS) if each[0] == (stars or 5)])]
        items = meal(draw, shops[shop])
        found[f"o{at + 1}"] = {
            "restaurant": shop,
            "items": items,
            "address": draw.choice(addresses),
            "note": "",
            "time": "asap",
            "cutlery": draw.chance(0.4),
            "total": bill(shops[shop], items)["total"],
            "status": status,
            "at": moment.isoformat(" ", "minutes"),
            "rider": draw.t(*draw.choice(RIDERS)),
            "stars": stars,
            "tags": sorted(draw.sample(range(len(TAGS)), 2)) if stars else [],
            "review": draw.t(review[1], review[2]) if stars else "",
            "reason": "plans" if status == "cancelled" else "",
        }
    return found
