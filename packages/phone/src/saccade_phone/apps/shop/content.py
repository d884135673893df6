"""Draw the shop's data: products, addresses, past orders, coupons. Prices differ between the languages."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from saccade_phone.data_files import ByLanguage, Entry, Words, table
from saccade_phone.seeded_random import Draw

CATEGORIES = table("shop", "categories", dict[str, tuple[str, str, str, str]])
SELLERS = table("shop", "sellers", dict[str, Words])


class Option(ByLanguage[list[str]]):
    name: Words


class Ware(Entry):
    category: str
    emoji: str
    name: Words
    price: tuple[int, int]
    """In dollars on English phones, in yuan on Chinese ones."""
    options: list[str]
    about: Words


OPTIONS = table("shop", "options", dict[str, Option])

WARES = table("shop", "wares", tuple[Ware, ...])
REVIEWS = table("shop", "reviews", tuple[Words, ...])
FANS = table("shop", "fans", tuple[Words, ...])
COUPONS = table("shop", "coupons", tuple[Words, ...])
OFFERS = table("shop", "offers", tuple[tuple[tuple[int, int], tuple[int, int]], ...])
COURIERS = table("shop", "couriers", tuple[Words, ...])
PAYMENTS = table("shop", "payments", dict[str, tuple[str, str, str]])
STATUSES = table("shop", "statuses", dict[str, tuple[str, str, str]])
REASONS = table("shop", "reasons", dict[str, Words])
OWNER = table("shop", "owner", tuple[Words, Words])
LABELS = table("shop", "labels", dict[str, Words])
HOT = table("shop", "hot_searches", tuple[Words, ...])
PAST = table("shop", "past_searches", tuple[Words, ...])
REGIONS = table("shop", "regions", ByLanguage[tuple[str, ...]])
STREETS = table("shop", "streets", ByLanguage[tuple[str, ...]])


def catalogue(draw: Draw) -> dict[str, Any]:
    """Seven of each category's eight products, with random prices, so that an agent cannot learn them by heart."""
    absent = {draw.choice([at for at, ware in enumerate(WARES) if ware.category == name]) for name in CATEGORIES}
    found = {}
    for at, ware in enumerate(WARES):
        if at in absent:
            continue
        factor = draw.random.uniform(0.8, 1.25)
        price, fraction = (
            int(draw.t(*ware.price) * factor),
            draw.t(draw.choice((0.49, 0.99)), draw.choice((0, 0.5, 0.9))),
        )
        full = round((price + fraction) * draw.choice((1.1, 1.25, 1.4)))
        groups = [[draw.t(*OPTIONS[key].name), list(OPTIONS[key].of(draw.language))] for key in ware.options]
        found[f"p{at}"] = {
            "name": draw.t(*ware.name),
            "price": round(price + fraction, 2),
            "was": full,
            "category": ware.category,
            "emoji": ware.emoji,
            "sold": draw.integer(40, 9800),
            "rating": draw.integer(41, 50) / 10,
            "options": groups,
        }
    return found


def addresses(draw: Draw) -> dict[str, Any]:
    """Three addresses with different labels."""
    regions, streets = REGIONS.of(draw.language), STREETS.of(draw.language)
    owner, other = draw.t(*OWNER), draw.choice(draw.people)
    who = (owner, owner, (other.name, other.phone))
    return {
        f"a{at + 1}": {"name": who[at][0], "phone": who[at][1], "region": region, "detail": street, "label": label}
        for at, (region, street, label) in enumerate(
            zip(draw.sample(regions, 3), draw.sample(streets, 3), ("home", "office", "parents"), strict=True)
        )
    }


def purchase(draw: Draw, products: dict[str, Any], product: str) -> dict[str, Any]:
    """A product in one of its variants, with a count."""
    variant = " / ".join(draw.choice(values) for _, values in products[product]["options"])
    return {"product": product, "variant": variant, "count": draw.choice((1, 1, 1, 2, 2, 3))}


def orders(draw: Draw, products: dict[str, Any], fresh: list[str]) -> dict[str, Any]:
    """Past orders. No product is in two of them, so that any product identifies its order."""
    states = ["unpaid"] * 2 + ["unshipped"] * 3 + ["shipped"] * 3 + ["done"] * 6 + ["cancelled"]
    found, when = {}, draw.now
    for at, status in enumerate(states):
        hours = draw.integer(90, 400) if status == "done" else draw.integer(9, 50)
        when -= timedelta(hours=hours, minutes=draw.integer(0, 59))
        items = [purchase(draw, products, fresh.pop()) for _ in range(draw.choice((1, 1, 2)))]
        items.sort(key=lambda item: (item["product"], item["variant"]))
        total = round(sum(products[item["product"]]["price"] * item["count"] for item in items), 2)
        sent = status in ("shipped", "done")
        found[f"o{at + 1}"] = {
            "items": items,
            "address": draw.choice(("a1", "a1", "a2", "a3")),
            "payment": draw.choice(sorted(PAYMENTS)),
            "coupon": "",
            "note": "",
            "total": total,
            "status": status,
            "at": when.isoformat(" ", "minutes"),
            "number": f"{when:%y%m%d}{draw.integer(100000, 999999)}",
            "reason": "mind" if status == "cancelled" else "",
            "courier": draw.t(*draw.choice(COURIERS)) if sent else "",
            "tracking": f"{draw.choice('BKMQTX')}{draw.integer(10**8, 10**9 - 1)}" if sent else "",
        }
    return found


def coupons(draw: Draw) -> dict[str, Any]:
    """Coupons with a minimum order value."""
    names = draw.sample(COUPONS, len(OFFERS))
    return {
        f"k{at + 1}": {
            "name": draw.t(*names[at]),
            "off": draw.t(*offer)[0],
            "least": draw.t(*offer)[1],
            "until": draw.day(3, 40).isoformat(),
        }
        for at, offer in enumerate(OFFERS)
    }
