"""Tasks in the trips app."""

from __future__ import annotations

import datetime as dt
from typing import Any

from saccade_phone.apps.travel.content import CITIES, SEATS, Service, hotels, left, services
from saccade_phone.apps.travel.trips import NIGHTS, TYPES
from saccade_phone.data_files import Words, table
from saccade_phone.goal_changes import Removed, See, added, changed, see
from saccade_phone.tasks.base import Goal, Params, task

MONTHS = "January February March April May June July August September October November December".split()
TRAVELLERS = table("tasks/travel", "travellers", list[Words])
DOCUMENTS = table("tasks/travel", "documents", list[str])
PHONES = table("tasks/travel", "phones", list[Words])
ELSEWHERE = table("tasks/travel", "elsewhere", list[Words])
KIND_EN = {"train": "train", "flight": "flight"}
KIND_ZH = {"train": "火车", "flight": "飞机"}


def spoken(p: Params, date: str) -> str:
    """A date in words."""
    day = dt.date.fromisoformat(date)
    return p.t(f"{day.day} {MONTHS[day.month - 1]}", f"{day.month}月{day.day}日")


def some_day(p: Params, low: int, high: int) -> str:
    return p.choice([(p.today + dt.timedelta(days=ahead)).isoformat() for ahead in range(low, high + 1)])


def route(p: Params, kind: str, start: str = "") -> tuple[str, str, tuple[Service, ...]]:
    """Two cities and the trains or flights between them."""
    names = list(CITIES[p.language])
    origin = start or p.choice(names)
    to = p.choice([name for name in names if name != origin])
    found = services(p.language, kind, origin, to)
    p.need(found)
    return origin, to, found


def named(p: Params, one: dict[str, Any]) -> str:
    """A booking, named by its city: no two go to the same one."""
    if one["kind"] == "hotel":
        return p.t(f"hotel in {one['to']}", f"{one['to']}的酒店")
    zh = {"train": "火车票", "flight": "机票"}[one["kind"]]
    return p.t(f"{one['kind']} to {one['to']}", f"去{one['to']}的{zh}")


def free_seat(p: Params, kind: str, number: str, date: str) -> str:
    return p.choice([seat for seat in SEATS[kind] if left(number, date, seat)])


@task("travel.book_train")
def book_train(p: Params) -> Goal:
    origin, to, found = route(p, "train", p.data("travel")["home"])
    number, date = p.choice(found).number, some_day(p, 2, 24)
    seat = free_seat(p, "train", number, date)
    who, person = p.entry("travel.passengers", lambda each: each["name"] not in ("Robin Hale", "江予安"))
    name, day, grade = person["name"], spoken(p, date), p.t(*SEATS["train"][seat])
    trip = {"kind": "train", "from": origin, "to": to, "date": date, "number": number}
    return p.goal(
        [added("travel.tickets", **trip, seat=seat, passenger=who)],
        en=[
            f"Book train {number} from {origin} to {to} on {day}, {grade.lower()}, for {name}",
            f"Buy {name} a {grade.lower()} ticket for train {number}, {origin} to {to}, on {day}",
            f"{name} needs a train ticket from {origin} to {to} on {day}: {number}, {grade.lower()}. Pay for it too",
            f"Please see to it that {name} gets to {to} by rail: leaving {origin} on {day}, service {number}, and the "
            f"compartment should be {grade.lower()}; pay as well",
        ],
        zh=[
            f"帮{name}买一张{day}从{origin}到{to}的{number}次{grade}",
            f"订{day}{number}次列车，{origin}到{to}，{grade}，乘客{name}，并完成支付",
            f"给{name}买火车票：{origin}→{to}，{day}，{number}次，{grade}",
            f"{name}{day}要坐火车出门，起点{origin}终点{to}，班次认准{number}，席别要{grade}，请替TA下单付款",
        ],
    )


@task("travel.book_flight")
def book_flight(p: Params) -> Goal:
    origin, to, found = route(p, "flight")
    number, date = p.choice(found).number, some_day(p, 2, 24)
    seat = free_seat(p, "flight", number, date)
    day, cabin = spoken(p, date), p.t(*SEATS["flight"][seat])
    trip = {"kind": "flight", "from": origin, "to": to, "date": date, "number": number}
    return p.goal(
        [added("travel.tickets", **trip, seat=seat, passenger="me")],
        en=[
            f"Book me flight {number} from {origin} to {to} on {day} in {cabin.lower()}",
            f"Get me a {cabin.lower()} seat on flight {number}, {origin} to {to}, {day}",
            f"I fly from {origin} to {to} on {day}: buy flight {number}, {cabin.lower()} class, for me",
            f"A meeting takes me to {to} on {day}, so order and pay my plane ticket out of {origin}; it has to be "
            f"{number} "
            f"and the cabin {cabin.lower()}",
        ],
        zh=[
            f"帮我订{day}从{origin}飞{to}的{number}航班，{cabin}",
            f"给我自己买一张{number}的{cabin}机票，{day}，{origin}到{to}",
            f"预订航班{number}：{origin}→{to}，{day}，{cabin}，乘机人是我",
            f"{day}我要去{to}开会，从{origin}起飞，认准{number}这一班，舱位选{cabin}，请直接付款出票",
        ],
    )


@task("travel.book_hotel")
def book_hotel(p: Params) -> Goal:
    city = p.choice(list(CITIES[p.language]))
    hotel = p.choice(hotels(p.language, city))
    room, nights, date = p.choice(hotel.rooms), p.choice(NIGHTS[1:]), some_day(p, 2, 24)
    day, kind = spoken(p, date), p.t(*SEATS["hotel"][room])
    fields = {"kind": "hotel", "to": city, "date": date, "number": hotel.name, "seat": room, "nights": nights}
    return p.goal(
        [added("travel.tickets", **fields, passenger="me")],
        en=[
            f"Book me a {kind.lower()} at {hotel.name} in {city} from {day} for {nights} nights",
            f"Reserve {hotel.name} in {city} for me: {kind.lower()}, check-in {day}, {nights} nights",
            f"I need a {kind.lower()} in {city} at {hotel.name}, {nights} nights from {day}, paid",
            f"My holiday begins on {day} in {city}; arrange {nights} nights of sleep for me under the roof of "
            f"{hotel.name}, "
            f"the sort of bed being a {kind.lower()}",
        ],
        zh=[
            f"帮我订{city}的{hotel.name}，{kind}，{day}入住，住{nights}晚",
            f"预订{hotel.name}（{city}）{kind}，{day}入住，共{nights}晚，入住人是我",
            f"我要在{city}住{nights}晚，{day}入住，订{hotel.name}的{kind}并付款",
            f"假期从{day}开始，我到{city}落脚，看中了{hotel.name}，请安排一个{kind}，一共待{nights}个晚上",
        ],
    )


@task("travel.best_train")
def best_train(p: Params) -> Goal:
    origin, to, found = route(p, "train", p.data("travel")["home"])
    date = (p.today + dt.timedelta(days=1)).isoformat()
    cheap = p.chance(0.5)
    best = min(found, key=lambda each: each.price if cheap else each.depart)
    en, zh = ("cheapest", "最便宜") if cheap else ("earliest", "最早")
    day = spoken(p, date)
    trip = {"kind": "train", "from": origin, "to": to, "date": date, "number": best.number}
    return p.goal(
        [added("travel.tickets", **trip, seat="second", passenger="me")],
        en=[
            f"Book me the {en} train from {origin} to {to} tomorrow ({day}), standard class",
            f"Find the {en} train tomorrow, {day}, from {origin} to {to} and buy me a standard class ticket",
            f"I must get from {origin} to {to} tomorrow, {day}: take the {en} train in standard class",
            f"Compare what runs by rail on {day}, which is tomorrow, between {origin} and {to}; whichever is {en} "
            f"shall be "
            f"mine, an ordinary standard class place will do",
        ],
        zh=[
            f"帮我订明天（{day}）从{origin}到{to}{zh}的火车，二等座",
            f"买一张明天{day}{origin}去{to}的二等座，要{zh}的那趟车，乘客是我",
            f"明天（{day}）我要从{origin}坐火车到{to}，选{zh}的一班，二等座",
            f"比较一下{day}也就是明天{origin}开往{to}的各趟列车，{zh}的那一趟给我来个二等座并付款",
        ],
    )


@task("travel.refund")
def refund(p: Params) -> Goal:
    id, one = p.entry("travel.tickets", lambda one: one["status"] == "paid")
    what = named(p, one)
    return p.goal(
        [changed("travel.tickets", id, status="refunded")],
        en=[
            f"Refund my {what}",
            f"Cancel my booking: the {what}",
            f"Give back my {what} and get the refund",
            f"Plans have changed and I am staying home, so return what I paid for: it is the {what}, on "
            f"{spoken(p, one['date'])}",
        ],
        zh=[
            f"退掉我{what}",
            f"取消{what}订单并退款",
            f"帮我把{what}退订",
            f"计划有变，{spoken(p, one['date'])}哪儿也不去了，{what}请替我办理退订，把钱要回来",
        ],
    )


@task("travel.reschedule")
def reschedule(p: Params) -> Goal:
    id, one = p.entry("travel.tickets", lambda one: one["status"] == "paid")
    date = some_day(p, 3, 40)
    p.need(date != one["date"])
    what, day = named(p, one), spoken(p, date)
    return p.goal(
        [changed("travel.tickets", id, date=date)],
        en=[
            f"Move my {what} to {day}",
            f"Change the date of my {what} to {day}",
            f"I want to travel on {day} instead: change my {what}",
            f"The dates of my boss have shifted, which means that the {what} I already hold must now be for {day}",
        ],
        zh=[
            f"把我{what}改到{day}",
            f"{what}改签到{day}",
            f"我想改成{day}出行，帮我改签{what}",
            f"老板的日程挪了，我手上已经付过钱的{what}也得跟着换日子，新的日期是{day}",
        ],
    )


@task("travel.add_passenger")
def add_passenger(p: Params) -> Goal:
    name, document = p.t(*p.choice(TRAVELLERS)), p.choice(DOCUMENTS)
    kind = p.choice(list(TYPES))
    fare = p.t(*TYPES[kind])
    return p.goal(
        [added("travel.passengers", name=name, document=document, type=kind)],
        en=[
            f"Add a traveller in Trips: {name}, passport {document}, {fare.lower()}",
            f"Save {name} (passport number {document}) as a {fare.lower()} traveller",
            f"Put {name} on my list of travellers; the passport is {document} and the fare {fare.lower()}",
            f"I will soon be booking for somebody new, called {name}; register this person in the trips app with "
            f"document "
            f"{document} under the category {fare.lower()}",
        ],
        zh=[
            f"在出行里添加旅客{name}，证件号{document}，类型{fare}",
            f"新增常用旅客：{name}，{document}，{fare}",
            f"把{name}加到常用旅客，证件号是{document}，旅客类型选{fare}",
            f"以后要常给一位新朋友订票，姓名{name}，类别属于{fare}，护照号码为{document}，请先登记到出行应用",
        ],
    )


@task("travel.edit_passenger")
def edit_passenger(p: Params) -> Goal:
    id, one = p.entry("travel.passengers")
    phone = p.t(*p.choice(PHONES))
    name = one["name"]
    return p.goal(
        [changed("travel.passengers", id, phone=phone)],
        en=[
            f"In Trips, change the phone number of the traveller {name} to {phone}",
            f"Update {name}'s phone to {phone} in my list of travellers",
            f"The traveller {name} has a new phone number, {phone}: correct it in Trips",
            f"Among those I book journeys for there is {name}, reachable under {phone} from now on; bring the "
            f"details saved "
            f"in the trips app up to date",
        ],
        zh=[
            f"把出行里旅客{name}的手机号改成{phone}",
            f"更新常用旅客{name}的手机号为{phone}",
            f"旅客{name}换号了，新手机号{phone}，请在出行里修改",
            f"我常帮{name}订票，对方的联系方式从今往后是{phone}，请到出行应用把存着的资料更新一下",
        ],
    )


@task("travel.remove_passenger")
def remove_passenger(p: Params) -> Goal:
    id, one = p.entry("travel.passengers", lambda one: one["name"] not in ("Robin Hale", "江予安"))
    name = one["name"]
    return p.goal(
        [Removed("travel.passengers", id)],
        en=[
            f"Delete the traveller {name} in Trips",
            f"Remove {name} from my list of travellers",
            f"Take {name} off the travellers in Trips",
            f"I shall not be buying tickets for {name} any longer, hence the trips app need not remember that person's "
            f"passport: erase the entry",
        ],
        zh=[
            f"在出行里删除旅客{name}",
            f"把{name}从常用旅客中移除",
            f"常用旅客里不要{name}了，删掉",
            f"以后不会再替{name}买票，出行应用没必要留着此人的证件资料，请清理掉这一条",
        ],
    )


@task("travel.ask_gate")
def ask_gate(p: Params) -> Goal:
    id, one = p.entry("travel.tickets", lambda one: one["status"] == "paid" and one["kind"] != "hotel")
    what = named(p, one)
    others = p.entries("travel.tickets", lambda other: other["kind"] != "hotel")
    gate = "登机口" if one["kind"] == "flight" else "检票口"
    return p.ask(
        one["gate"],
        [see("travel", "ticket", ticket=id)],
        decoys=[each["gate"] for _, each in others] + [one["place"]],
        en=[
            f"Which gate does my {what} leave from?",
            f"What is the gate for my {what}?",
            f"Tell me the gate of the {what} that I have booked",
            f"I would like to know in advance where to queue on {spoken(p, one['date'])}: look up my {what} and "
            f"report the gate",
        ],
        zh=[
            f"我{what}是哪个{gate}？",
            f"查一下{what}的{gate}",
            f"告诉我已订的{what}上写的{gate}",
            f"{spoken(p, one['date'])}出门前想先弄清楚在哪儿排队，请翻出{what}订单，把{gate}报给我",
        ],
    )


@task("travel.ask_cheapest")
def ask_cheapest(p: Params) -> Goal:
    trip = p.choice(p.data("travel")["deals"])
    found = services(p.language, trip["kind"], trip["from"], trip["to"])
    best = min(found, key=lambda each: each.price)
    kind, zh = KIND_EN[trip["kind"]], KIND_ZH[trip["kind"]]
    day, origin, to = spoken(p, trip["date"]), trip["from"], trip["to"]
    return p.ask(
        best.number,
        [See("travel", "trips", trip)],
        decoys=[each.number for each in found],
        en=[
            f"What is the number of the cheapest {kind} from {origin} to {to} on {day}?",
            f"Which {kind} from {origin} to {to} on {day} costs the least? Tell me its number",
            f"Find the cheapest {kind} on {day} from {origin} to {to} and tell me the number",
            f"My budget is tight: of everything that goes from {origin} to {to} on {day} by {kind}, name the one "
            f"with the "
            f"lowest fare, using its number",
        ],
        zh=[
            f"{day}从{origin}到{to}最便宜的{zh}是哪个班次？",
            f"查一下{day}{origin}到{to}哪趟{zh}最便宜，告诉我班次号",
            f"{day}{origin}去{to}，票价最低的{zh}班次号是多少？",
            f"我手头有点紧，请看看{day}由{origin}前往{to}的所有{zh}，哪一个花钱最少，把它的编号说出来",
        ],
    )


@task("travel.no_city")
def no_city(p: Params) -> Goal:
    name = p.t(*p.choice(ELSEWHERE))
    return p.impossible(
        [See("travel", "results", {"query": name}, name)],
        en=[
            f"Book me a hotel in {name} for tomorrow, one night",
            f"Find me a hotel room in {name} for one night from tomorrow",
            f"I need a hotel in {name} tomorrow night: book one in Trips",
            f"Search the trips app for somewhere to sleep in {name}; any decent place will do, beginning with "
            f"tomorrow evening",
        ],
        zh=[
            f"帮我订明天{name}的酒店，住一晚",
            f"在出行里找一家{name}的酒店，明天入住一晚",
            f"明晚我要住在{name}，订个酒店",
            f"请用出行应用搜一搜{name}有什么地方可以过夜，条件过得去就行，从明天晚上开始",
        ],
    )
