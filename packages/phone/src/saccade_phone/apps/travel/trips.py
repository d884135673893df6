"""Travel: home, search, timetables, hotels, booking."""

from __future__ import annotations

import datetime as dt
from datetime import timedelta
from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import App, Data, View
from saccade_phone.apps.travel.content import (
    CITIES,
    Hotel,
    Service,
    hotels,
    lowest,
    old_ticket,
    services,
)
from saccade_phone.seeded_random import Draw
from saccade_phone.widgets import Page, Widget, go

TRAVEL = App("travel", "Trips", "出行", "plane", "#0f8b8d", "weui")

KINDS = {"train": ("Trains", "火车票"), "flight": ("Flights", "机票"), "hotel": ("Hotels", "酒店")}
ICONS = {"train": "train-front", "flight": "plane", "hotel": "bed-double"}
PICTURES = {"train": "🚄", "flight": "✈️", "hotel": "🏨"}
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
DAYS = (
    ("Mon", "周一"),
    ("Tue", "周二"),
    ("Wed", "周三"),
    ("Thu", "周四"),
    ("Fri", "周五"),
    ("Sat", "周六"),
    ("Sun", "周日"),
)
TYPES = {
    "adult": ("Adult", "成人"),
    "student": ("Student", "学生"),
    "child": ("Child", "儿童"),
    "senior": ("Senior", "老人"),
}
NIGHTS = (1, 2, 3, 4, 5, 6, 7)
AHEAD = 60
"""A trip can be booked at most this many days ahead."""


@TRAVEL.seed
def seed(draw: Draw) -> Data:
    names = list(CITIES[draw.language])
    home = draw.choice(names[:12])
    travellers = {
        "me": {
            "name": draw.t("Robin Hale", "江予安"),
            "type": "adult",
            "document": "P40718825",
            "phone": draw.t("555-010-7788", "13800107788"),
        }
    }
    for person in draw.sample(draw.people, 5):
        travellers[person.id] = {
            "name": person.name,
            "type": draw.choice(sorted(TYPES)),
            "phone": person.phone,
            "document": f"P{draw.integer(10_000_000, 99_999_999)}",
        }
    tickets: dict[str, Any] = {}
    days = [*sorted(draw.sample(range(2, 45), 9)), *sorted(draw.sample(range(-90, -3), 6), reverse=True)]
    places = draw.sample([name for name in names if name != home], 15)
    for at, (ahead, place) in enumerate(zip(days, places, strict=True), 1):
        kind = ("train", "flight", "hotel")[at % 3] if services(draw.language, "flight", home, place) else "train"
        status = "used" if ahead < 0 else "refunded" if draw.chance(0.15) else "paid"
        who = draw.choice(sorted(travellers))
        when = (draw.today + timedelta(days=ahead)).isoformat()
        tickets[f"t{at}"] = old_ticket(draw, kind, home, place, when) | {
            "passenger": who,
            "name": travellers[who]["name"],
            "status": status,
        }
    stay = {"kind": "hotel", "to": places[0], "date": draw.day(3, 20).isoformat(), "nights": draw.integer(1, 3)}
    deals = []
    for at, to in enumerate(draw.sample([name for name in names if name != home], 14)):
        kind = "flight" if at % 2 and services(draw.language, "flight", home, to) else "train"
        deals.append({"kind": kind, "from": home, "to": to, "date": draw.day(1, 9).isoformat()})
    return {
        "home": home,
        "passengers": travellers,
        "tickets": tickets,
        "deals": deals,
        "trip": {},
        "recent": [deals[9], stay, deals[10]],
        "alerts": draw.chance(0.5),
    }


# -- words ------------------------------------------------------------------------------------------------------------


def tabs(v: View, here: str) -> list[Widget]:
    return [
        w.tab_item(v.t("Home", "首页"), "house", "home", here == "home"),
        w.tab_item(v.t("My trips", "行程"), "ticket", "tickets", here == "tickets"),
        w.tab_item(v.t("Me", "我的"), "user-round", "me", here == "me"),
    ]


def money(v: View, amount: float) -> str:
    return f"{v.t('$', '¥')}{amount:.2f}".removesuffix(".00")


def when(v: View, date: str, week: bool = True) -> str:
    """A date in words."""
    day = dt.date.fromisoformat(date)
    if not week:
        return v.t(f"{day.day} {MONTHS[day.month - 1]}", f"{day.month}月{day.day}日")
    name = v.t(*DAYS[day.weekday()])
    return v.t(f"{name} {day.day} {MONTHS[day.month - 1]}", f"{day.month}月{day.day}日 {name}")


def tomorrow(v: View) -> str:
    return (v.now.date() + timedelta(days=1)).isoformat()


def lasting(v: View, minutes: int) -> str:
    return v.t(f"{minutes // 60}h {minutes % 60:02}m", f"{minutes // 60}时{minutes % 60}分")


def find(v: View, args: Any) -> Service | Hotel:
    """The service or hotel that a screen's arguments name."""
    pool: tuple[Service | Hotel, ...] = (
        hotels(v.language, args["to"])
        if args["kind"] == "hotel"
        else services(v.language, args["kind"], args["from"], args["to"])
    )
    return next(each for each in pool if args["number"] == (each.name if isinstance(each, Hotel) else each.number))


def trip_words(v: View, trip: dict[str, Any]) -> str:
    if trip["kind"] == "hotel":
        return f"{PICTURES['hotel']} {trip['to']} · {when(v, trip['date'], False)}"
    return f"{PICTURES[trip['kind']]} {trip['from']}–{trip['to']} · {when(v, trip['date'], False)}"


def results_of(trip: dict[str, Any]) -> str:
    return "hotels" if trip["kind"] == "hotel" else "trips"


# -- home -------------------------------------------------------------------------------------------------------------


@TRAVEL.screen("home", form=lambda v: {"query": ""})
def home(v: View) -> Page:
    words = v.form["query"].strip()
    ask = w.field(
        "query",
        v.form["query"],
        v.t("Cities and hotels", "搜索城市、酒店"),
        style="search",
        submit=go("results", query=words) if words else None,
    )
    coming = sorted((each["date"], id) for id, each in v.data["tickets"].items() if each["status"] == "paid")
    tiles = [w.tile(v.t(*KINDS[kind]), icon=ICONS[kind], tap=go("search", kind=kind)) for kind in KINDS]
    tiles += [
        w.tile(v.t("Deals", "特价"), icon="tag", tap=go("deals")),
        w.tile(v.t("Travellers", "旅客"), icon="users", tap=go("passengers")),
        w.tile(v.t("Refunds", "退改规则"), icon="circle-help", tap=go("rules")),
    ]
    body = [w.grid(tiles, 3)]
    if coming:
        date, id = coming[0]
        next_one = v.data["tickets"][id]
        what = next_one["number"] if next_one["kind"] == "hotel" else f"{next_one['from']} → {next_one['to']}"
        body.insert(
            0,
            w.banner(
                v.t(f"Next: {what}", f"下一程：{what}"),
                when(v, date),
                emoji=PICTURES[next_one["kind"]],
                tint="#0f8b8d",
                tap=go("ticket", ticket=id),
            ),
        )
    if v.data["recent"]:
        old = [w.chip(trip_words(v, trip), go(results_of(trip), **trip)) for trip in v.data["recent"]]
        body.append(w.section(v.t("Recent searches", "最近搜索"), [w.chips(old)]))
    guide = [
        w.card(city.name, city.about.partition(v.t(",", "，"))[0], emoji=city.emoji, tap=go("city", to=city.name))
        for city in CITIES[v.language].values()
        if city.name != v.data["home"]
    ][:8]
    body.append(w.section(v.t("Where to go", "热门目的地"), [w.grid(guide)]))
    return Page(v.t("Trips", "出行"), body, head=[ask], tabs=tabs(v, "home"))


@TRAVEL.screen("results")
def results(v: View) -> Page:
    query = v.args["query"]
    words = query.casefold()
    names = [city for city in CITIES[v.language].values() if words in city.name.casefold()]
    rows = [w.cell(city.name, city.about, emoji=city.emoji, tap=go("city", to=city.name)) for city in names]
    stays = [
        (city, hotel)
        for city in CITIES[v.language]
        for hotel in hotels(v.language, city)
        if words in hotel.name.casefold() or city == query
    ]
    beds = [
        w.cell(
            hotel.name,
            f"{city} · {hotel.area}",
            money(v, lowest(hotel)),
            emoji=hotel.emoji,
            tap=go("hotel", kind="hotel", to=city, date=tomorrow(v), nights=1, number=hotel.name),
        )
        for city, hotel in stays[:30]
    ]
    parts = [(v.t("Cities", "城市"), rows), (v.t("Hotels", "酒店"), beds)]
    body = [w.section(name, found) for name, found in parts if found]
    nothing = w.empty(v.t(f"No city or hotel is called “{query}”", f"没有找到与“{query}”相关的城市或酒店"), "🧳")
    return Page(query or v.t("Search", "搜索"), body or [nothing])


@TRAVEL.screen("city")
def city(v: View) -> Page:
    place = CITIES[v.language][v.args["to"]]
    stays = [
        w.cell(
            hotel.name,
            f"{hotel.area} · {hotel.score}",
            money(v, lowest(hotel)),
            emoji=hotel.emoji,
            tap=go("hotel", kind="hotel", to=place.name, date=tomorrow(v), nights=1, number=hotel.name),
        )
        for hotel in hotels(v.language, place.name)[:4]
    ]
    go_there = [
        w.tile(v.t(*KINDS[kind]), icon=ICONS[kind], tap=go("search", kind=kind, to=place.name)) for kind in KINDS
    ]
    return Page(
        place.name,
        [
            w.picture(place.emoji, tall=True),
            w.text(place.about),
            w.grid(go_there, 3),
            w.section(v.t("Well-liked hotels", "好评酒店"), stays),
        ],
    )


@TRAVEL.screen("deals")
def deals(v: View) -> Page:
    cards = []
    for deal in v.data["deals"]:
        least = min(each.price for each in services(v.language, deal["kind"], deal["from"], deal["to"]))
        cards.append(
            w.card(
                f"{deal['from']}–{deal['to']}",
                when(v, deal["date"]),
                v.t(f"from ${least}", f"¥{least}起"),
                emoji=PICTURES[deal["kind"]],
                tap=go("trips", **deal),
            )
        )
    return Page(v.t("Deals", "特价"), [w.grid(cards)])
