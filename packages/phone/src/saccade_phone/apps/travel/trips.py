"""Travel: home, search, timetables, hotels, booking."""

from __future__ import annotations

import datetime as dt
from datetime import timedelta
from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import App, CommandContext, Data, View
from saccade_phone.apps.travel.content import (
    CITIES,
    SEATS,
    Hotel,
    Service,
    fare,
    hotels,
    left,
    lowest,
    old_ticket,
    services,
)
from saccade_phone.goal_changes import Need, Way
from saccade_phone.seeded_random import Draw
from saccade_phone.widgets import Page, Widget, do, go, pick, put, tab

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


# -- search -----------------------------------------------------------------------------------------------------------


def search_form(v: View) -> dict[str, Any]:
    last: dict[str, Any] = v.data["trip"] if v.data["trip"].get("kind") == v.args["kind"] else {}
    other = next(name for name in CITIES[v.language] if name != v.data["home"])
    form = {"to": v.args.get("to") or last.get("to", other), "date": last.get("date", tomorrow(v))}
    if v.args["kind"] == "hotel":
        return {**form, "nights": last.get("nights", 1)}
    return {**form, "from": last.get("from", v.data["home"])}


@TRAVEL.screen("search", form=search_form)
def search(v: View) -> Page:
    kind, form = v.args["kind"], v.form
    bar = w.segments([w.chip(v.t(*names), tab("search", kind=each), each == kind) for each, names in KINDS.items()])
    day = w.entry(
        v.t("Check-in", "入住日期") if kind == "hotel" else v.t("Date", "出发日期"),
        when(v, form["date"]),
        go("dates", field="date"),
        icon="calendar",
    )
    if kind == "hotel":
        nights = [
            w.chip(v.t(f"{n} night{'s' * (n > 1)}", f"{n}晚"), put("nights", n), form["nights"] == n) for n in NIGHTS
        ]
        body = [
            w.section("", [w.entry(v.t("City", "城市"), form["to"], go("cities", field="to"), icon="map-pin"), day]),
            w.section(v.t("Nights", "入住几晚"), [w.chips(nights)]),
        ]
    else:
        body = [
            w.section(
                "",
                [
                    w.entry(v.t("From", "出发地"), form["from"], go("cities", field="from"), icon="map-pin"),
                    w.entry(v.t("To", "目的地"), form["to"], go("cities", field="to"), icon="map-pin"),
                    day,
                ],
            ),
            w.button(v.t("Swap", "交换出发地和目的地"), do("swap"), style="plain", icon="arrow-up-down"),
        ]
    look = w.button(v.t(f"Search {KINDS[kind][0].lower()}", f"搜索{KINDS[kind][1]}"), do("search", kind=kind))
    old = [
        w.cell(trip_words(v, trip), icon="history", tap=go(results_of(trip), **trip))
        for trip in v.data["recent"]
        if trip["kind"] == kind
    ]
    return Page(
        v.t(*KINDS[kind]),
        [*body, look, *([w.section(v.t("Searched lately", "最近搜索"), old)] if old else [])],
        head=[bar],
    )


@TRAVEL.screen("cities", style="sheet", form=lambda v: {"query": ""})
def choose_city(v: View) -> Page:
    name, words = v.args["field"], v.form["query"].strip().casefold()
    every = [city for city in CITIES[v.language].values() if words in city.name.casefold()]
    rows = [w.cell(city.name, emoji=city.emoji, tap=pick(name, city.name)) for city in every]
    ask = w.field("query", v.form["query"], v.t("City", "输入城市名"), style="search")
    none = w.empty(v.t("No such city", "没有这个城市"))
    return Page(v.t("Choose a city", "选择城市"), [w.section("", rows) if rows else none], head=[ask])


@TRAVEL.screen("dates", style="sheet", form=lambda v: {"month": v.state["now"][:7]})
def choose_date(v: View) -> Page:
    today, first = v.now.date(), dt.date.fromisoformat(f"{v.form['month']}-01")
    after = (first + timedelta(days=32)).replace(day=1)
    last = today + timedelta(days=AHEAD)
    days = []
    for number in range(1, (after - first).days + 1):
        each = first.replace(day=number)
        free = today <= each <= last
        days.append(w.day(number, pick(v.args["field"], each.isoformat()) if free else None, today=each == today))
    before = (first - timedelta(days=1)).isoformat()[:7]
    title = v.t(f"{MONTHS[first.month - 1]} {first.year}", f"{first.year}年{first.month}月")
    return Page(
        v.t("Choose a day", "选择日期"),
        [
            w.month(
                title,
                days,
                first.weekday(),
                put("month", before) if first > today else None,
                put("month", after.isoformat()[:7]) if after <= last else None,
            ),
        ],
    )


@TRAVEL.command("swap")
def swap(h: CommandContext) -> None:
    h.form["from"], h.form["to"] = h.form["to"], h.form["from"]


@TRAVEL.command("search")
def do_search(h: CommandContext, kind: str) -> None:
    names = ("to", "date", "nights") if kind == "hotel" else ("from", "to", "date")
    trip = {"kind": kind, **{name: h.form[name] for name in names}}
    if trip.get("from") == trip["to"]:
        h.toast("From and to are the same", "出发地和目的地不能相同")
        return
    h.data["trip"] = trip
    h.data["recent"] = [trip, *(old for old in h.data["recent"] if old != trip)][:6]
    h.then(go(results_of(trip), **trip))


def months(v: View) -> tuple[str, ...]:
    """Those in which something can be booked, for the way through the calendar."""
    return tuple(dict.fromkeys((v.now.date() + timedelta(days=ahead)).isoformat()[:7] for ahead in range(AHEAD + 1)))


def search_way(v: View, trip: Any) -> Way:
    values = {name: value for name, value in trip.items() if name != "kind"}
    return Need(
        "travel",
        "search",
        {"kind": trip["kind"]},
        values,
        do("search", kind=trip["kind"]),
        through={"month": months(v), "to": (trip["to"],)},
    )


TRAVEL.forgets("trip", "recent")
TRAVEL.value("trip", search_way)  # nobody minds what was searched for, but a booking begins with it


# -- timetables and hotels --------------------------------------------------------------------------------------------

PARTS = {"any": ("Any", "不限"), "06": ("Morning", "上午"), "12": ("Afternoon", "下午"), "18": ("Evening", "晚上")}


@TRAVEL.screen("trips", form=lambda v: {"sort": "depart", "part": "any"})
def trips(v: View) -> Page:
    args, form = v.args, v.form
    found = list(services(v.language, args["kind"], args["from"], args["to"]))
    if form["part"] != "any":
        first = int(form["part"])
        found = [each for each in found if first <= int(each.depart[:2]) < first + 6]
    found.sort(key=lambda each: (getattr(each, form["sort"]), each.depart))
    sorts = {"depart": v.t("Earliest", "最早"), "price": v.t("Cheapest", "最便宜"), "minutes": v.t("Fastest", "最快")}
    bar = w.segments([w.chip(words, put("sort", name), form["sort"] == name) for name, words in sorts.items()])
    parts = w.chips([w.chip(v.t(*names), put("part", name), form["part"] == name) for name, names in PARTS.items()])
    rows = [
        w.cell(
            f"{each.depart} – {each.arrive}",
            f"{each.number} · {each.company} · {lasting(v, each.minutes)}",
            money(v, each.price),
            icon=ICONS[args["kind"]],
            tap=go("service", **args, number=each.number),
        )
        for each in found
    ]
    none = w.empty(v.t("Nothing goes here at this time", "没有符合条件的班次"), "🛤️")
    body = [w.text(when(v, args["date"]), "quiet"), w.section("", rows) if rows else none]
    return Page(f"{args['from']}–{args['to']}", body, head=[bar, parts])


@TRAVEL.screen("service")
def service(v: View) -> Page:
    args = v.args
    what = find(v, args)
    assert isinstance(what, Service)
    rows = []
    for seat, names in SEATS[args["kind"]].items():
        free = left(what.number, args["date"], seat)
        many = (
            v.t("Sold out", "已售完")
            if not free
            else v.t(f"{free} left", f"余{free}张")
            if free < 15
            else v.t("Available", "有票")
        )
        rows.append(
            w.cell(
                v.t(*names),
                many,
                money(v, fare(what.price, seat, args["kind"])),
                icon="armchair",
                tap=go("book", **args, seat=seat) if free else None,
            )
        )
    return Page(
        what.number,
        [
            w.banner(
                f"{what.depart} → {what.arrive}",
                f"{args['from']} – {args['to']} · {lasting(v, what.minutes)}",
                emoji=PICTURES[args["kind"]],
                tint="#0f8b8d",
            ),
            w.section(
                "",
                [
                    w.cell(v.t("Date", "日期"), "", when(v, args["date"]), icon="calendar"),
                    w.cell(v.t("Operated by", "承运"), "", what.company, icon="info"),
                ],
            ),
            w.section(v.t("Choose a class", "选择席别"), rows),
        ],
    )


@TRAVEL.screen("hotels", form=lambda v: {"sort": "score"})
def stays(v: View) -> Page:
    found = list(hotels(v.language, v.args["to"]))
    if v.form["sort"] == "price":
        found.sort(key=lowest)
    names = {"score": v.t("Best rated", "好评优先"), "price": v.t("Cheapest", "低价优先")}
    bar = w.segments([w.chip(words, put("sort", name), v.form["sort"] == name) for name, words in names.items()])
    rows = [
        w.cell(
            each.name,
            f"{each.area} · ★ {each.score}",
            v.t(f"${lowest(each)}", f"¥{lowest(each)}起"),
            emoji=each.emoji,
            tap=go("hotel", **v.args, number=each.name),
        )
        for each in found
    ]
    count = v.args["nights"]
    nights = v.t(f"{count} night{'s' * (count > 1)}", f"共{count}晚")
    return Page(
        v.args["to"], [w.text(f"{when(v, v.args['date'])} · {nights}", "quiet"), w.section("", rows)], head=[bar]
    )


@TRAVEL.screen("hotel")
def hotel(v: View) -> Page:
    what = find(v, v.args)
    assert isinstance(what, Hotel)
    rooms = [
        w.card(
            v.t(*SEATS["hotel"][room]),
            v.t("Breakfast · free Wi-Fi", "含早餐 · 免费Wi-Fi"),
            v.t(f"${fare(what.price, room, 'hotel')} / night", f"¥{fare(what.price, room, 'hotel')}/晚"),
            emoji="🛏️",
            tap=go("book", **v.args, seat=room),
        )
        for room in what.rooms
    ]
    when_in, nights = when(v, v.args["date"]), v.args["nights"]
    return Page(
        what.name,
        [
            w.picture(what.emoji, tall=True),
            w.text(f"{v.args['to']} · {what.area} · ★ {what.score}"),
            w.text(v.t(f"Check-in {when_in}, nights: {nights}", f"{when_in}入住，共{nights}晚"), "quiet"),
            w.section(v.t("Rooms", "房型"), rooms),
        ],
    )
