"""Travel: timetables, trains and flights, hotels."""

from __future__ import annotations

from saccade_phone import widgets as w
from saccade_phone.app import View
from saccade_phone.apps.travel.content import (
    SEATS,
    Hotel,
    Service,
    fare,
    hotels,
    left,
    lowest,
    services,
)
from saccade_phone.apps.travel.trips import ICONS, PICTURES, TRAVEL, find, lasting, money, when
from saccade_phone.widgets import Page, go, put

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
