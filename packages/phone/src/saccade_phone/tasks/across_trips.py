"""Tasks across apps that include an app kept for tests."""

from __future__ import annotations

from collections import Counter

from saccade_phone.goal_changes import See, added, see
from saccade_phone.tasks.across_base import friend, tell
from saccade_phone.tasks.across_tables import BOOKINGS
from saccade_phone.tasks.base import Goal, Params, task


@task("across.tell_artist", "music", "chat")
def tell_artist(p: Params) -> Goal:
    music = p.data("music")
    song = music["songs"][p.choice(list(music["songs"]))]
    artist = music["artists"][song["artist"]]["name"]
    who, name = friend(p)
    return p.goal(
        [tell(who, artist)],
        sees=[See("music", "results", {"query": song["title"]}, song["title"])],
        en=[
            f"Tell {name} in Chat who sings “{song['title']}”",
            f"Find the artist of “{song['title']}” in Music and message the name to {name}",
            f"Send {name} the name of the artist of “{song['title']}”",
            f"{name} hums “{song['title']}” all day without knowing whose it is: look that up and reply in the chat",
        ],
        zh=[
            f"在微聊告诉{name}“{song['title']}”是谁唱的",
            f"在音乐里查“{song['title']}”的歌手，发消息给{name}",
            f"把“{song['title']}”的歌手名字发给{name}",
            f"{name}整天哼着“{song['title']}”却不晓得演唱者，请查出来在聊天里回复",
        ],
    )


@task("across.trip_event", "travel", "calendar")
def trip_event(p: Params) -> Goal:
    today = p.today.isoformat()
    tickets = Counter((each["kind"], each["to"]) for _, each in p.entries("travel.tickets"))
    id, ticket = p.entry(
        "travel.tickets",
        lambda e: (
            e["date"] >= today and e["status"] == "paid" and e["kind"] != "hotel" and tickets[e["kind"], e["to"]] == 1
        ),
    )
    kind = BOOKINGS[ticket["kind"]]
    title = p.t(f"Trip to {ticket['to']}", f"去{ticket['to']}")
    return p.goal(
        [added("calendar.events", title=title, date=ticket["date"])],
        sees=[see("travel", "ticket", ticket=id)],
        en=[
            f"Add an event “{title}” to my calendar on the day of my {kind[0]} to {ticket['to']}",
            f"Check the date of my {kind[0]} ticket to {ticket['to']} and put “{title}” in the calendar",
            f"Put my {kind[0]} to {ticket['to']} in the calendar as “{title}”",
            f"On which day do I leave for {ticket['to']} by {kind[0]}? Reserve it among my appointments under “{title}”",
        ],
        zh=[
            f"在我去{ticket['to']}的{kind[1]}当天，给日历加一个日程“{title}”",
            f"查去{ticket['to']}的{kind[1]}票日期，在日历里加“{title}”",
            f"把去{ticket['to']}的{kind[1]}记进日历，标题“{title}”",
            f"我哪一天坐{kind[1]}动身前往{ticket['to']}？请在日程安排中为它占好位置，写作“{title}”",
        ],
    )


@task("across.tell_trip", "travel", "chat")
def tell_trip(p: Params) -> Goal:
    today = p.today.isoformat()
    tickets = Counter((each["kind"], each["to"]) for _, each in p.entries("travel.tickets"))
    id, ticket = p.entry(
        "travel.tickets",
        lambda e: (
            e["date"] >= today and e["status"] == "paid" and e["kind"] != "hotel" and tickets[e["kind"], e["to"]] == 1
        ),
    )
    kind = BOOKINGS[ticket["kind"]]
    who, name = friend(p)
    return p.goal(
        [tell(who, ticket["number"])],
        sees=[see("travel", "ticket", ticket=id)],
        en=[
            f"Send {name} the number of my {kind[0]} to {ticket['to']}",
            f"Look up which {kind[0]} I take to {ticket['to']} and message its number to {name}",
            f"Tell {name} in Chat the {kind[0]} number of my trip to {ticket['to']}",
            f"{name} will pick me up in {ticket['to']} and needs to know under which number my {kind[0]} runs",
        ],
        zh=[
            f"把我去{ticket['to']}的{kind[1]}车次（航班号）发给{name}",
            f"查我去{ticket['to']}坐哪班{kind[1]}，把班次号发给{name}",
            f"在微聊告诉{name}我去{ticket['to']}的{kind[1]}班次号",
            f"{name}会到{ticket['to']}接我，需要知道我搭乘的{kind[1]}编号，请转告",
        ],
    )
