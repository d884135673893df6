"""Draw a new phone's state from a seed: people, the data of all apps, theme and interruptions."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from saccade.errors import check_choices
from saccade_phone.app import App, State
from saccade_phone.apps import SYSTEM_APPS
from saccade_phone.apps.system import KINDS
from saccade_phone.data_files import Words, table
from saccade_phone.people import people
from saccade_phone.seeded_random import SPLITS, Draw, Language, Person
from saccade_phone.state_machine import LAUNCHER, Machine

KITS = ("vant", "weui", "f7-ios")
HELD_OUT_KIT = "f7-md"
"""Framework7's Material theme is kept for tests: no training screen has it."""
THEMES = ("light", "dark", "large", "material", "material-dark")
LANGUAGES = ("en", "zh")
FIRST_DAY = datetime(2026, 3, 2, 7, 0)
INTERRUPTED = 0.3
"""Probability of each of up to two interruptions."""


def check_options(language: str | None, split: str | None, theme: str | None) -> None:
    """Raise `InputError` for a language, split or theme that there is not."""
    check_choices({"language": (language, LANGUAGES), "split": (split, SPLITS), "theme": (theme or None, THEMES)})


def new_phone(
    apps: Mapping[str, App], seed: int, language: Language, *, theme: str = "", interruptions: bool = False
) -> tuple[State, list[Person]]:
    """The state of a phone just switched on, and the people on it."""
    chance = random.Random(f"{seed}/phone")
    now = FIRST_DAY + timedelta(days=chance.randrange(120), minutes=5 * chance.randrange(12 * 13))
    known = people(Draw(seed, "people", language, now))
    state: State = {
        "seed": seed,
        "language": language,
        "now": now.isoformat(timespec="minutes"),
        "battery": chance.randrange(20, 100),
        "theme": draw_theme(theme, chance, apps),
        "serial": 0,
        "steps": 0,
        "toast": "",
        "nav": {"app": LAUNCHER, "stacks": {}, "recents": [], "system": [], "banner": None, "journal": []},
        "apps": {},
        "interruptions": [],
    }
    for name, app in apps.items():
        state["apps"][name] = app.seeder(Draw(seed, name, language, now, known))
    if interruptions:
        state["interruptions"] = draw_interruptions(chance, state, known)
    Machine(state, apps).front_app(LAUNCHER)
    return state, known


def draw_theme(theme: str, chance: random.Random, apps: Mapping[str, App]) -> dict[str, Any]:
    """Light or dark, normal or large font, and each app's UI kit. Without a theme's name, a random mixture for
    training.
    """
    if theme == "":
        mode, font = chance.choice(("light", "light", "dark")), chance.choice(("normal", "normal", "large"))
        kits = {name: chance.choice(KITS) for name in apps if chance.random() < 0.3}
    else:
        mode = "dark" if "dark" in theme else "light"
        font = "large" if "large" in theme else "normal"
        kits = dict.fromkeys(apps, HELD_OUT_KIT) if "material" in theme else {}
    return {"mode": mode, "font": font, "kits": kits}


def draw_interruptions(chance: random.Random, state: State, known: list[Person]) -> list[dict[str, Any]]:
    """Interruptions (permission prompt, update, coupon, message), each after some number of actions."""
    found = []
    names = [name for name in state["apps"] if name not in SYSTEM_APPS]
    for _ in range(2):
        if chance.random() >= INTERRUPTED:
            continue
        kind = chance.choice(("permission", "update", "coupon", "message"))
        args: dict[str, Any] = {}
        if kind == "permission":
            args = {"app": chance.choice(names), "permission": chance.choice(sorted(KINDS))}
        elif kind == "coupon":
            args = {"worth": chance.choice((3, 5, 8, 12))}
        elif kind == "message":
            args = {"sender": chance.choice(known)._asdict(), "at": chance.randrange(len(MESSAGES))}
        found.append({"after": chance.randrange(1, 7), "kind": kind, "args": args})
    return sorted(found, key=lambda each: int(each["after"]))


MESSAGES = table("people", "messages", tuple[Words, ...])


def tick(state: State, start: State) -> None:
    """After each action: show an interruption that is due. An incoming message was not caused by the agent, so it is
    also added to the start state that the judge compares with.
    """
    nav = state["nav"]
    state["steps"] += 1
    if nav["banner"] and state["steps"] - nav["banner"]["since"] >= 2:
        nav["banner"] = None
    due = [each for each in state["interruptions"] if each["after"] <= state["steps"]]
    if not due or nav["system"]:
        return
    first = due[0]
    state["interruptions"].remove(first)
    if first["kind"] != "message":
        nav["system"].append({"screen": first["kind"], "args": first["args"], "form": {}})
        return
    sender, words = first["args"]["sender"], MESSAGES[first["args"]["at"]][state["language"] == "zh"]
    for each in (state, start):
        entry = {"thread": sender["id"], "sender": sender["id"], "text": words, "at": state["now"]}
        chat = each["apps"]["chat"]
        each["apps"]["chat"] = chat | {"messages": chat["messages"] | {f"m-in{state['steps']}": entry}}
    shows = {"text": sender["name"], "sub": words, "emoji": sender["emoji"]}
    nav["banner"] = {
        "app": "chat",
        "screen": "thread",
        "args": {"thread": sender["id"]},
        "shows": shows,
        "since": state["steps"],
    }
