"""The travel app's cities, timetables (computed from distances) and hotels. All but the cities are invented."""

from __future__ import annotations

import random
from functools import cache
from math import cos, hypot, radians
from typing import Any, NamedTuple

from saccade_phone.data_files import Entry, Words, table
from saccade_phone.seeded_random import Draw


class City(Entry):
    name: str
    north: float
    east: float
    emoji: str
    about: str


CITIES = {
    language: {city.name: city for city in cities}
    for language, cities in table("travel", "cities", dict[str, list[City]]).items()
}
SEATS = table("travel", "seats", dict[str, dict[str, Words]])
"""Classes by kind of trip; a hotel's are its rooms."""
FACTORS = table("travel", "factors", dict[str, float])
AIRLINES = table("travel", "airlines", dict[str, list[Words]])
TRAINS = table("travel", "trains", dict[str, list[Words]])
HOTELS = table("travel", "hotels", dict[str, list[Words]])
AREAS = table("travel", "areas", dict[str, list[str]])


class Service(NamedTuple):
    """A train or a flight of the daily timetable."""

    number: str
    company: str
    depart: str
    arrive: str
    minutes: int
    price: int
    """Price of the cheapest class."""


class Hotel(NamedTuple):
    name: str
    emoji: str
    area: str
    score: float
    price: int
    """Price of a queen room for one night."""
    rooms: tuple[str, ...]


def distance(language: str, origin: str, to: str) -> float:
    """Straight-line distance in kilometres."""
    one, two = CITIES[language][origin], CITIES[language][to]
    return hypot((one.north - two.north) * 111, (one.east - two.east) * 111 * cos(radians((one.north + two.north) / 2)))


def lowest(hotel: Hotel) -> int:
    """Price of its cheapest room for one night."""
    return min(fare(hotel.price, room, "hotel") for room in hotel.rooms)


def hour(minutes: int) -> str:
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


@cache
def services(language: str, kind: str, origin: str, to: str) -> tuple[Service, ...]:
    """The timetable between two cities, by departure. All prices differ; there are no flights under 260 km."""
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
    """Price of a seat or room, from the base price."""
    factor = 2.6 if (kind, seat) == ("flight", "business") else FACTORS[seat]
    return round(price * factor)


@cache
def left(number: str, date: str, seat: str) -> int:
    """Seats left on a day, sometimes none. The cheapest class is never full."""
    count = random.Random(f"{number}/{date}/{seat}").randint(0, 28)
    return count + 1 if seat in ("second", "economy") else count


def old_ticket(draw: Draw, kind: str, home: str, place: str, when: str) -> dict[str, Any]:
    """Something that was booked before."""
    if kind == "hotel":
        hotel = draw.choice(hotels(draw.language, place))
        seat, nights = draw.choice(hotel.rooms), draw.integer(1, 4)
        return ticket(
            {"kind": kind, "to": place, "date": when, "number": hotel.name, "seat": seat, "nights": nights}, hotel
        )
    service = draw.choice(services(draw.language, kind, home, place))
    seat = draw.choice(sorted(SEATS[kind]))
    return ticket(
        {"kind": kind, "from": home, "to": place, "date": when, "number": service.number, "seat": seat}, service
    )


def ticket(args: dict[str, Any], what: Service | Hotel) -> dict[str, Any]:
    """The entry of a booking, without the passenger."""
    kind, nights = args["kind"], args.get("nights", 0)
    price = fare(what.price, args["seat"], kind) * max(nights, 1)
    mark = sum(map(ord, f"{args['number']}{args['date']}{args['seat']}"))
    times = {"depart": what.depart, "arrive": what.arrive, "company": what.company} if isinstance(what, Service) else {}
    place = f"{mark % 16 + 1:02}-{mark % 28 + 1}{'ABCDF'[mark % 5]}" if times else f"{mark % 7 + 2}{mark % 30 + 1:02}"
    return {
        "from": "",
        **args,
        "nights": nights,
        "price": price,
        "place": place,
        "gate": f"{'ABCD'[mark % 4]}{mark % 37 + 1}",
        **times,
    }
