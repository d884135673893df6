"""What the trips app has: cities, a timetable that follows from the map, and hotels. All of it invented
but for the cities.
"""

from __future__ import annotations

import random
from functools import cache
from math import cos, hypot, radians
from typing import Any, NamedTuple

from saccade_phone.draw import Draw

EN = """
London | 51.5 | -0.1 | 🎡 | Riverside walks, and a museum for every mood.
Paris | 48.9 | 2.4 | 🥐 | Zinc roofs, bookstalls, and dinner at nine.
Brussels | 50.9 | 4.4 | 🧇 | Guild houses, and comics painted on walls.
Amsterdam | 52.4 | 4.9 | 🚲 | Canals, narrow houses and more bicycles than people.
Cologne | 50.9 | 7.0 | ⛪ | A cathedral by the station, evenings on the Rhine.
Hamburg | 53.6 | 10.0 | ⚓ | Brick warehouses and harbour ferries.
Berlin | 52.5 | 13.4 | 🐻 | Lakes, and galleries in old power stations.
Munich | 48.1 | 11.6 | 🥨 | Beer gardens, and the Alps on a clear day.
Vienna | 48.2 | 16.4 | 🎻 | Coffee houses, and waltzes in January.
Prague | 50.1 | 14.4 | 🏰 | A castle on the hill, a clock that performs.
Zurich | 47.4 | 8.5 | 🏔️ | A lake to swim in, mountains half an hour away.
Milan | 45.5 | 9.2 | 👗 | Arcades of glass, and supper by the canal.
Rome | 41.9 | 12.5 | 🏛️ | Fountains, and ruins between the bus stops.
Lyon | 45.8 | 4.9 | 🍷 | Hidden passages, two rivers and very long lunches.
Barcelona | 41.4 | 2.2 | 🏖️ | Mosaics in the sun, a beach by metro.
Madrid | 40.4 | -3.7 | 🖼️ | Great paintings by day, small plates by night.
Lisbon | 38.7 | -9.1 | 🚋 | Yellow trams, seven hills and custard tarts.
Copenhagen | 55.7 | 12.6 | 🧜 | Harbour baths, wooden boats and cinnamon buns.
"""

ZH = """
北京 | 39.9 | 116.4 | 🍁 | 胡同里的早点摊，秋天的红墙与银杏。
上海 | 31.2 | 121.5 | 🌃 | 梧桐树下的弄堂，江边看不完的灯火。
广州 | 23.1 | 113.3 | 🥟 | 一盅两件的早茶，老城区的骑楼街。
深圳 | 22.5 | 114.1 | 🏙️ | 海边的栈道，山上的日出，不打烊的夜市。
杭州 | 30.3 | 120.2 | 🛶 | 湖上泛舟，茶山徒步，雨天也好看。
苏州 | 31.3 | 120.6 | 🏮 | 园林一步一景，评弹配一碗奥灶面。
南京 | 32.1 | 118.8 | 🍂 | 城墙上走一圈，秋天去看满山的枫叶。
武汉 | 30.6 | 114.3 | 🌸 | 清晨一碗热干面，三月满城樱花。
长沙 | 28.2 | 112.9 | 🌶️ | 江心洲头看烟花，夜里排队吃小龙虾。
成都 | 30.7 | 104.1 | 🐼 | 茶馆里坐一下午，晚上再去吃火锅。
重庆 | 29.6 | 106.5 | 🍲 | 轻轨穿楼而过，坐索道看两江夜景。
西安 | 34.3 | 108.9 | 🐎 | 骑车绕城墙一圈，回民街上吃泡馍。
郑州 | 34.7 | 113.6 | 🚄 | 四通八达的路口，一碗胡辣汤开启一天。
济南 | 36.7 | 117.0 | ⛲ | 泉水从街边石缝里冒出来，处处杨柳。
青岛 | 36.1 | 120.4 | 🍺 | 红瓦绿树，海鲜市场里现买现做。
天津 | 39.1 | 117.2 | 🎡 | 河边的洋楼，茶馆里的相声。
厦门 | 24.5 | 118.1 | 🏖️ | 环岛路上骑车，坐轮渡去听钢琴。
昆明 | 25.0 | 102.7 | 💐 | 四季花开，冬天去湖边看红嘴鸥。
"""


class City(NamedTuple):
    name: str
    north: float
    east: float
    emoji: str
    about: str


def cities(words: str) -> dict[str, City]:
    """Read one of the tables above."""
    rows = ([part.strip() for part in line.split("|")] for line in words.strip().splitlines())
    return {name: City(name, float(north), float(east), emoji, about) for name, north, east, emoji, about in rows}


CITIES = {"en": cities(EN), "zh": cities(ZH)}
SEATS = {
    "train": {"second": ("Standard class", "二等座"), "first": ("First class", "一等座"),
              "business": ("Business class", "商务座")},
    "flight": {"economy": ("Economy", "经济舱"), "premium": ("Premium economy", "超级经济舱"),
               "business": ("Business", "公务舱")},
    "hotel": {"single": ("Single room", "单人间"), "queen": ("Queen room", "大床房"), "twin": ("Twin room", "双床房"),
              "family": ("Family room", "家庭房"), "suite": ("Suite", "套房")},
}  # fmt: skip
"""Classes by kind of trip; a hotel's are its rooms."""
FACTORS = {"second": 1.0, "first": 1.6, "business": 3.0, "economy": 1.0, "premium": 1.5, "single": 0.8, "queen": 1.0,
           "twin": 1.1, "family": 1.5, "suite": 2.2}  # fmt: skip
AIRLINES = {
    "en": [("Skylark Air", "YL"), ("Heron Airways", "HN"), ("Meridian Blue", "MB"), ("Northlight", "NG")],
    "zh": [("云雀航空", "YQ"), ("鹭岛航空", "LD"), ("北辰航空", "BX"), ("赤松航空", "CG")],
}
TRAINS = {
    "en": [("Express", "EX"), ("InterCity", "IR"), ("Regional", "RG")],
    "zh": [("高铁", "G"), ("动车", "D"), ("快速", "K")],
}
HOTELS = {
    "en": [
        ("Lantern Quay Hotel", "🏮"), ("The Blue Kettle Inn", "🫖"), ("Hotel Belvoir Garden", "🌷"),
        ("Station Loft", "🚉"),
        ("Grand Marchmont", "🏛️"), ("Oak & Linen", "🛏️"), ("Harbour Bell House", "🔔"), ("Hotel Quince", "🍐"),
        ("Copper Roof Suites", "🏠"), ("The Paper Crane", "🕊️"), ("Riverlight Hotel", "🌉"),
        ("Old Mill Guesthouse", "🌾"),
        ("Casa Tramontane", "🌬️"), ("Hotel Petit Nord", "🧭"), ("The Ninth Window", "🪟"), ("Maple Court", "🍁"),
    ],
    "zh": [
        ("枕河雅舍", "🏮"), ("半山听雨酒店", "🌧️"), ("青橙公寓酒店", "🍊"), ("拾光旅舍", "📷"), ("望江宾馆", "🌉"),
        ("海棠花园酒店", "🌷"),
        ("归雁客栈", "🪿"), ("明月里民宿", "🌙"), ("梧桐街酒店", "🍂"), ("白鹭洲大酒店", "🕊️"), ("站前驿酒店", "🚉"),
        ("老磨坊客栈", "🌾"),
        ("云上小筑", "☁️"), ("松风阁酒店", "🌲"), ("蓝壶青年旅舍", "🫖"), ("九号窗酒店", "🪟"),
    ],
}  # fmt: skip
AREAS = {
    "en": ["Old town", "By the station", "Riverside", "Museum quarter", "Near the airport", "University district"],
    "zh": ["老城区", "火车站旁", "滨江", "博物馆附近", "机场附近", "大学城"],
}


class Service(NamedTuple):
    """A train or a flight as it goes every day."""

    number: str
    company: str
    depart: str
    arrive: str
    minutes: int
    price: int
    """Of the plainest seat."""


class Hotel(NamedTuple):
    name: str
    emoji: str
    area: str
    score: float
    price: int
    """Of a queen room, for a night."""
    rooms: tuple[str, ...]


def distance(language: str, origin: str, to: str) -> float:
    """In kilometres, as the crow flies."""
    one, two = CITIES[language][origin], CITIES[language][to]
    return hypot((one.north - two.north) * 111, (one.east - two.east) * 111 * cos(radians((one.north + two.north) / 2)))


def lowest(hotel: Hotel) -> int:
    """What its plainest room costs for a night."""
    return min(fare(hotel.price, room, "hotel") for room in hotel.rooms)


def hour(minutes: int) -> str:
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


@cache
def services(language: str, kind: str, origin: str, to: str) -> tuple[Service, ...]:
    """The timetable between two cities, by departure. No two cost the same, by `extra`; nobody flies a short way."""
    far = distance(language, origin, to)
    if origin == to or (kind == "flight" and far < 260):
        return ()
    chance = random.Random(f"{language}/{kind}/{origin}/{to}")
    count = chance.randint(15, 20) if kind == "train" else chance.randint(9, 13)
    starts = sorted(chance.sample(range(6 * 60, 22 * 60, 5), count))
    prices = chance.sample(range(40), count)
    found = []
    for at, (start, extra) in enumerate(zip(starts, prices, strict=True)):
        if kind == "train":
            rank = chance.choice((0, 0, 0, 1, 1, 2))
            company, letters = TRAINS[language][rank]
            took = int(far * 1.25 / (270, 190, 120)[rank] * 60) + chance.randint(5, 40)
            number = f"{letters}{chance.randint(1, 9)}{at:02}{chance.randint(0, 9)}"
            cost = far * (0.5, 0.4, 0.25)[rank] + 15
        else:
            company, letters = chance.choice(AIRLINES[language])
            took = int(far / 720 * 60) + chance.randint(35, 65)
            number = f"{letters}{chance.randint(1, 9)}{at:02}{chance.randint(0, 9)}"
            cost = far * 0.55 + 120
        price = int(cost * (1.0 if language == "zh" else 0.3)) // 40 * 40 + 25 + extra
        found.append(Service(number, company, hour(start), hour(start + took), took, price))
    return tuple(found)


@cache
def hotels(language: str, city: str) -> tuple[Hotel, ...]:
    """A city's hotels, the best first."""
    chance = random.Random(f"{language}/{city}")
    prices = chance.sample(range(12, 70), 10)
    areas = chance.sample(AREAS[language], len(AREAS[language])) * 2
    found = []
    for (name, emoji), price, area in zip(chance.sample(HOTELS[language], 10), prices, areas[:10], strict=True):
        rooms = sorted(chance.sample(list(SEATS["hotel"]), chance.randint(3, 4)), key=list(SEATS["hotel"]).index)
        cost = price * (10 if language == "zh" else 3) + 60
        score = chance.randint(39, 49) / 10
        found.append(Hotel(name, emoji, area, score, cost, tuple(rooms)))
    return tuple(sorted(found, key=lambda each: -each.score))


def fare(price: int, seat: str, kind: str) -> int:
    """What a seat or a room costs, given what the plainest costs."""
    factor = 2.6 if (kind, seat) == ("flight", "business") else FACTORS[seat]
    return round(price * factor)


@cache
def left(number: str, date: str, seat: str) -> int:
    """How many seats are left on a day; now and then none. The plainest class is never full."""
    count = random.Random(f"{number}/{date}/{seat}").randint(0, 28)
    return count + 1 if seat in ("second", "economy") else count


def old_ticket(draw: Draw, kind: str, home: str, place: str, when: str) -> dict[str, Any]:
    """Something that was booked before."""
    if kind == "hotel":
        hotel = draw.choice(hotels(draw.language, place))
        seat, nights = draw.choice(hotel.rooms), draw.integer(1, 4)
        return ticket({"kind": kind, "to": place, "date": when, "number": hotel.name, "seat": seat, "nights": nights},
                      hotel)  # fmt: skip
    service = draw.choice(services(draw.language, kind, home, place))
    seat = draw.choice(sorted(SEATS[kind]))
    return ticket(
        {"kind": kind, "from": home, "to": place, "date": when, "number": service.number, "seat": seat}, service
    )


def ticket(args: dict[str, Any], what: Service | Hotel) -> dict[str, Any]:
    """The entry for something booked, but for who it is for."""
    kind, nights = args["kind"], args.get("nights", 0)
    price = fare(what.price, args["seat"], kind) * max(nights, 1)
    mark = sum(map(ord, f"{args['number']}{args['date']}{args['seat']}"))
    times = {"depart": what.depart, "arrive": what.arrive, "company": what.company} if isinstance(what, Service) else {}
    place = f"{mark % 16 + 1:02}-{mark % 28 + 1}{'ABCDF'[mark % 5]}" if times else f"{mark % 7 + 2}{mark % 30 + 1:02}"
    return {"from": "", **args, "nights": nights, "price": price, "place": place,
            "gate": f"{'ABCD'[mark % 4]}{mark % 37 + 1}", **times}  # fmt: skip
