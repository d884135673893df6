"""Helpers of the tasks that need several apps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from saccade_phone.app import View
from saccade_phone.apps.calendar.parts import reach
from saccade_phone.apps.shop import route
from saccade_phone.goal_changes import Change, Says, See, added, see
from saccade_phone.tasks.base import Params

Fit = Callable[[dict[str, Any]], bool]


def friend(p: Params, *without: str) -> tuple[str, str]:
    """Somebody with a thread of their own in the chat: id and name."""
    id, thread = p.entry("chat.threads", lambda each: len(each["members"]) == 1 and each["members"][0] not in without)
    return id, thread["name"]


def tell(who: str, *facts: str, text: str = "") -> Change:
    """A chat message that names the facts."""
    return added("chat.messages", thread=who, text=Says(text or ", ".join(facts), facts))


def hear(p: Params, who: str, words: str) -> See:
    """Add a new message from somebody to the chat."""
    entry = {
        "thread": who,
        "sender": who,
        "text": words,
        "at": p.state["now"],
        "forwarded": "",
        "reply": "",
        "starred": False,
        "deleted": False,
    }
    p.data("chat")["messages"]["m-heard"] = entry
    return see("chat", "thread", thread=who)


def person(p: Params, fit: Fit = lambda _: True) -> tuple[str, Any]:
    """Somebody in the contacts that the other apps know too."""
    known = {each.id for each in p.people}
    found = [(id, entry) for id, entry in p.entries("contacts.people", fit) if id in known]
    p.need(found)
    return p.random.choice(found)


def card(id: str, name: str) -> See:
    return see("contacts", "person", query=name, person=id)


def event_of(p: Params, fit: Fit = lambda _: True) -> tuple[Any, See]:
    """A coming event with a unique title, and the screen that shows it."""
    titles = Counter(each["title"] for _, each in p.entries("calendar.events"))
    today = p.today.isoformat()
    id, event = p.entry("calendar.events", lambda e: e["date"] >= today and titles[e["title"]] == 1 and fit(e))
    through = reach(View(p.state, "calendar", {}, {}), event["date"])
    return event, See("calendar", "event", {"event": id}, event["title"], through)


def amount_mail(p: Params) -> tuple[Any, str, See]:
    """A mail of the inbox that names an amount."""
    subjects = Counter(each["subject"] for _, each in p.entries("mail.mails"))
    id, mail = p.entry(
        "mail.mails",
        lambda each: (
            each["folder"] == "inbox" and subjects[each["subject"]] == 1 and each["fact"].get("kind") == "amount"
        ),
    )
    return mail, mail["fact"]["value"], See("mail", "mail", {"mail": id}, mail["subject"], {"folder": ("inbox",)})


def ware_of(p: Params) -> tuple[str, str, See]:
    """A product's name and price, and the screen that shows them."""
    id = p.choice(list(p.data("shop")["products"]))
    ware = p.data("shop")["products"][id]
    look = See("shop", "product", {"product": id}, **route(View(p.state, "shop", {}, {}), id))
    return ware["name"], f"{ware['price']:g}", look
