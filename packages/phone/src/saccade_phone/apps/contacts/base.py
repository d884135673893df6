"""The contacts app's declaration, and helpers for phone numbers."""

from __future__ import annotations

import re
from functools import lru_cache

from saccade_phone.app import App, CommandContext, Data, View
from saccade_phone.apps.contacts.content import build
from saccade_phone.seeded_random import Draw
from saccade_phone.widgets import Widget, tab_item

CONTACTS = App("contacts", "Contacts", "通讯录", "contact", "#2a78c5", "weui", home="people")


@CONTACTS.seed
def seed(draw: Draw) -> Data:
    return build(draw)


@lru_cache(4096)
def digits(number: str) -> str:
    return re.sub(r"\D", "", number)


def neat(number: str) -> str:
    """A number as the phone writes it, however it was typed."""
    plain = digits(number)
    return (
        f"{plain[:3]}-{plain[3:6]}-{plain[6:]}" if len(plain) == 10 else plain if len(plain) == 11 else number.strip()
    )


def owner(v: View, number: str) -> str:
    """The id of whom a number belongs to, or nothing."""
    return next((id for id, person in v.data["people"].items() if digits(person["phone"]) == digits(number)), "")


def blocking(v: View, number: str) -> str:
    """The id of the entry that blocks a number, or nothing."""
    return next((id for id, each in v.data["blocked"].items() if digits(each["number"]) == digits(number)), "")


def tabs(v: View, here: str) -> list[Widget]:
    return [
        tab_item(v.t("Contacts", "联系人"), "users-round", "people", here == "people"),
        tab_item(v.t("Recents", "最近通话"), "clock", "recents", here == "recents"),
        tab_item(v.t("Keypad", "拨号"), "grid-3x3", "keypad", here == "keypad"),
        tab_item(v.t("Groups", "群组"), "tags", "groups", here == "groups"),
    ]


def under(h: CommandContext) -> str:
    """The screen below the shown one."""
    stack = h.state["nav"]["stacks"]["contacts"]
    return str(stack[-2]["screen"]) if len(stack) > 1 else ""
