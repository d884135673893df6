"""The state machine: what touches do to a phone's state."""

from __future__ import annotations

import json
from typing import Any

import pytest

from saccade_phone.apps import SYSTEM_APPS, apps
from saccade_phone.phone_state import THEMES, new_phone, tick
from saccade_phone.screenshots import screens
from saccade_phone.session import Session
from saccade_phone.state_machine import Machine, clone, name_widgets, shared_copy, tree
from saccade_phone.widgets import Page, back, button, cell, do, go, put

NAMES = [name for name in apps() if name not in SYSTEM_APPS]


def phone(seed: int = 1, language: Any = "en", **options: Any) -> Machine:
    return Machine(new_phone(apps(), seed, language, **options)[0], apps())


def test_there_are_the_apps_that_were_promised() -> None:
    promised = "settings shop food chat contacts calendar clock notes mail music files travel".split()
    assert set(promised) <= set(NAMES)
    assert {apps()[name].kit for name in NAMES} == {"vant", "weui", "f7-ios"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_phone_is_json_and_the_same_for_the_same_seed(language: Any) -> None:
    one, two = phone(5, language).state, phone(5, language).state
    assert one == two
    assert clone(one) == one, "a state must survive JSON as it is"
    assert phone(6, language).state != one


def test_opening_going_and_coming_back() -> None:
    machine = phone()
    machine.front_app("clock")
    machine.apply(go("edit", alarm=""))
    assert (machine.front, machine.top["screen"]) == ("clock", "edit")
    machine.press("home")
    assert machine.front == "launcher"
    machine.front_app("clock")
    assert machine.top["screen"] == "edit", "an app comes back as it was left"
    machine.press("back")
    assert machine.top["screen"] == "alarms"
    machine.press("back")
    assert machine.front == "launcher"
    machine.press("back")
    assert machine.front == "launcher", "there is nothing behind the launcher"
    machine.press("recents")
    assert machine.front == "recents"


def test_forms_keep_what_is_put_in_and_start_anew() -> None:
    machine = phone()
    machine.front_app("clock")
    machine.apply(go("edit", alarm=""))
    machine.touch({"id": "label", "kind": "input", "value": "Run"})
    machine.apply(put("hour", "06"))
    assert machine.top["form"]["label"] == "Run"
    before = len(machine.state["apps"]["clock"]["alarms"])
    machine.apply(do("save", alarm=""))
    added = [alarm for id, alarm in machine.state["apps"]["clock"]["alarms"].items() if "new" in id]
    assert len(machine.state["apps"]["clock"]["alarms"]) == before + 1
    assert (added[0]["label"], added[0]["time"][:2]) == ("Run", "06")
    assert machine.state["toast"]
    machine.apply(go("edit", alarm=""))
    assert machine.top["form"]["label"] == ""


def test_a_command_changes_one_of_the_copies_that_share_the_apps_data() -> None:
    machine = phone()
    before, copied = clone(machine.state), shared_copy(machine.state)
    machine.front_app("clock")
    machine.apply(go("edit", alarm=""))
    machine.apply(do("save", alarm=""))
    assert machine.state["apps"]["clock"] != copied["apps"]["clock"]
    machine.state["nav"]["system"].append({"screen": "update", "args": {}, "form": {}})
    refused = next(id for id, each in before["apps"]["settings"]["permissions"].items() if not each["allowed"])
    app, _, permission = refused.partition(".")
    machine.apply(do("allow", app=app, permission=permission))  # changes the data of another app than its own
    assert machine.state["apps"]["settings"] != copied["apps"]["settings"]
    assert copied == before
    assert copied["apps"]["music"] is machine.state["apps"]["music"]


@pytest.mark.parametrize(
    "event",
    [
        {"id": "no-such-widget", "kind": "tap"},
        {"id": "", "kind": "pull"},
        {"id": "search", "kind": "hold"},
        {},
    ],
)
def test_a_touch_on_nothing_does_nothing(event: dict[str, str]) -> None:
    machine = phone()
    before = json.dumps(machine.state["apps"])
    assert machine.touch(event)
    assert json.dumps(machine.state["apps"]) == before


def test_the_launcher_turns_its_pages_and_stops_at_the_last() -> None:
    machine = phone()
    shown = {widget.text for widget in machine.shown().walk() if widget.kind == "tile"}
    for _ in range(3):
        machine.touch({"kind": "left"})
    other = {widget.text for widget in machine.shown().walk() if widget.kind == "tile"}
    assert shown != other
    assert len(shown | other) == len(NAMES)
    for _ in range(3):
        machine.touch({"kind": "right"})
    assert {widget.text for widget in machine.shown().walk() if widget.kind == "tile"} == shown


def test_names_of_widgets_are_unique_and_say_what_they_do() -> None:
    page = Page("", [cell("a", tap=go("x", thing="1")), cell("b", tap=go("x", thing="1")), button("c", back())])
    name_widgets(page)
    assert [widget.id for widget in page.walk()] == ["go/x/1", "go/x/1~2", "back"]


def test_what_gets_in_the_way_waits_for_its_answer() -> None:
    session = Session.free(1)
    session.state["interruptions"] = [
        {"after": 1, "kind": "permission", "args": {"app": "chat", "permission": "location"}},
        {"after": 2, "kind": "update", "args": {}},
    ]
    machine = session.machine
    tick(session.state, session.start)
    assert machine.front == "system"
    machine.press("home")
    assert machine.front == "system", "a dialog of the system cannot be left alone"
    tick(session.state, session.start)
    assert len(machine.nav["system"]) == 1, "one at a time"
    machine.touch({"id": "do/deny", "kind": "tap"})
    assert machine.front == "launcher"
    tick(session.state, session.start)
    machine.touch({"id": "do/update", "kind": "tap"})
    assert session.state["apps"]["system"]["updating"]


def test_a_message_that_comes_in_is_not_the_agents_doing() -> None:
    session = Session.begin("clock.toggle_alarm", 3)
    sender = {"id": "u1", "name": "Ann", "phone": "", "email": "", "emoji": "🙂"}
    session.state["interruptions"] = [{"after": 1, "kind": "message", "args": {"sender": sender, "at": 0}}]
    session.tick()
    assert session.state["nav"]["banner"]["shows"]["text"] == "Ann"
    assert session.state["apps"]["chat"] == session.start["apps"]["chat"]
    session.machine.touch({"id": "banner:open", "kind": "tap"})
    assert (session.machine.front, session.machine.top["args"]) == ("chat", {"thread": "u1"})


@pytest.mark.parametrize("theme", ["", *THEMES])
def test_every_app_can_be_drawn(theme: str) -> None:
    machine = phone(2, "zh", theme=theme)
    for name in NAMES:
        machine.front_app(name)
        drawn = tree(machine)
        json.dumps(drawn)
        assert (drawn["app"]["kit"] == "f7-md") == ("material" in theme)
        assert drawn["pages"][0]["body"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_screen_is_in_the_phones_language(language: Any) -> None:
    """On a Chinese phone every screen has Chinese on it, on an English one none has."""
    state = phone(4, language).state
    for name in NAMES:
        for screen, shown in screens(state, name):
            page = Machine(shown, apps()).shown()
            words = " ".join([page.title, *(f"{w.text} {w.sub} {w.badge}" for w in page.walk())])
            chinese = any("一" <= letter <= "鿿" for letter in words)
            assert chinese == (language == "zh"), f"{name}/{screen} in {language}: {words[:300]}"
