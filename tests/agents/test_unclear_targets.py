"""The gate asks where an action is not what it looks like, and where it cannot find out what is under the finger."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path
from time import sleep

import pytest
from gate_table import Table, element, shows
from playwright.async_api import Route

from saccade.actions import Action
from saccade.agents.approval import ApprovalQuestion, Gate, StoppedByPerson, load_approval_policy
from saccade.agents.approval.ask import Answer
from saccade.geometry import Point, Size
from saccade.types import Screen
from saccade.worlds.base import CurrentTarget, LazyElements, Observation
from saccade.worlds.browser.tabs import Tabs
from saccade.worlds.browser.world import BrowserWorld

SPOT = Point(50, 50)


def swipe(length: float) -> Action:
    """Upwards on a screen of 1000 × 1000, where touch slop is 50."""
    return Action("swipe", direction="up", start=SPOT, end=Point(50, 50 - length))


@pytest.mark.parametrize("length", [0, 3, 50])
@pytest.mark.parametrize("policy", ["careful", "browse"])
def test_a_short_swipe_is_asked_for_as_the_click_that_it_is(policy: str, length: float) -> None:
    asked: list[ApprovalQuestion] = []

    def no(question: ApprovalQuestion) -> Answer:
        asked.append(question)
        return "no"

    gate = Gate(load_approval_policy(policy), ask=no, allowed_hosts=["shop.example"])
    approval = gate.check(swipe(length), shows(element("Delete account")), Table())
    assert (approval.allowed, approval.risk) == (False, "delete")
    assert asked[0].action == Action("click", SPOT)


def test_a_long_swipe_and_a_short_one_on_nothing() -> None:
    assert Gate().check(Action("swipe", direction="up"), shows(element("Opening hours")), Table()).allowed
    assert not Gate().check(swipe(0), shows(element("Opening hours")), Table()).allowed


def test_a_rule_for_drags_does_not_allow_clicks(tmp_path: Path) -> None:
    """A drag that begins and ends on one button clicks it, however long it is."""
    file = tmp_path / "policy.yaml"
    file.write_text("rules: [{name: puzzle, decision: allow, action: drag}]")
    gate = Gate(load_approval_policy(str(file)))
    for end, allowed in [(SPOT, False), (Point(95, 50), False), (Point(500, 500), True)]:
        drag = Action("drag", start=SPOT, end=end)
        assert gate.check(drag, shows(element("Pay")), Table()).allowed == allowed, end


# -- targets that cannot be found out ---------------------------------------------------------------------------------


def test_not_knowing_what_is_there_is_a_reason_to_ask() -> None:
    """Whatever else is known: the texts on the screen are harmless."""
    seen = element("Show more")
    there = CurrentTarget((seen,), "https://shop.example/", words=("Show more",), evidence=("link",), unknown=True)
    gate = Gate(load_approval_policy("browse"), allowed_hosts=["shop.example"])
    for action in (Action("click", SPOT), Action("swipe", direction="up"), Action("hover", SPOT)):
        approval = gate.check(action, shows(seen), Table([there]))
        assert (approval.allowed, approval.rule) == (False, "unknown-target"), action
    assert gate.check(Action("wait"), shows(seen), Table([there])).allowed, "nothing is under a finger"


def test_nor_is_anything_known_of_a_screen_that_was_never_read() -> None:
    gone = LazyElements(lambda: [element("Pay")])
    gone.expire()
    seen = Observation(Screen(Size(1000, 1000), None, gone), url="https://shop.example/")
    approval = Gate().check(Action("swipe", direction="up"), seen, Table())
    assert (approval.allowed, approval.rule) == (False, "unknown-target")


def nested(depth: int) -> str:
    page = "<a href='/page/2' style='position:fixed;inset:0'>Next page</a>"
    for _ in range(depth):
        page = f"<body style='margin:0'><iframe frameborder=0 width=600 height=300 srcdoc='{escape(page)}'></iframe>"
    return page


LINK = "<a href='https://evil.example/' style='position:fixed;left:0;top:0;width:300px;height:100px'>Next page</a>"
FIND = """<form action='https://evil.example/' style='position:fixed;left:0;top:0'>
<input type=search name=q aria-label=Search style='width:300px;height:100px'>
<button>Find</button><input type=hidden name={name}></form>"""
SCRIPT = "<script>{}</script>" + LINK
PAGES = {
    "plain": LINK,
    "far": LINK.replace("Next page", "<div style='height: 100px'>" * 80 + "Next page" + "</div>" * 80),
    "elements": FIND.format(name="elements"),
    "attribute": FIND.format(name="getAttribute"),
    "closest": FIND.format(name="closest"),
    "matches": FIND.format(name="matches"),
    "document": "<img name=elementFromPoint><form name=activeElement></form><img name=baseURI>" + LINK,
    "lies": SCRIPT.format("Document.prototype.elementFromPoint = () => document.body"),
    "throws": SCRIPT.format("document.elementFromPoint = () => { throw 1 }"),
    "no-matches": SCRIPT.format("Element.prototype.matches = Element.prototype.getAttribute = () => null"),
    "no-arrays": SCRIPT.format("Array.prototype.push = () => 0; Array.prototype.map = () => []"),
    "no-urls": SCRIPT.format("window.URL = class { href = 'https://shop.example/' }"),
}
PLACE = "style='position:absolute;left:0;top:0;width:300px;height:100px'"
LONG = "Order today and pay later, or delete your account. " * 12
AROUND = {
    "sentence": (f"<p>{LONG}<a href='/prices' {PLACE}>Prices</a>", True),
    "floating": (f"<a href='/prices' style='float:left;width:300px;height:100px'>Prices</a><p>{LONG}", True),
    "upgrade": (f"<h2 id=prices>Prices</h2><a href='#prices' {PLACE}>Prices</a>", True),
    "delete": (f"<h2 id=prices>Prices</h2><a href='#prices' {PLACE}>Delete my account</a>", False),
    "confirms": (f"<h2 id=prices>Prices</h2><a href='#prices' {PLACE}>Save</a>", False),
    "listened": (f"<h2 id=p>Prices</h2><a href='#p' onclick='go()' {PLACE}>Prices</a>", False),
    "nowhere": (f"<a href='#prices' {PLACE}>Prices</a>", False),
    "routed": (f"<h2 id='/account/close'></h2><a href='#/account/close' {PLACE}>Prices</a>", False),
    "listening": (f"<div onclick='go()'>Delete all <a href='/prices' {PLACE}>prices</a></div>", False),
    "button": (f"<button>Delete <a href='/prices' {PLACE}>prices</a></button>", False),
    "wrapped": (f"<div onclick='go()'><b>Delete all</b> <a href='/prices' {PLACE}>prices</a></div>", False),
    "named": (f"<div onclick='go()' aria-label='Delete all'><a href='/prices' {PLACE}>prices</a></div>", False),
    "beside": (
        f"<div onclick='go()'><a href='/prices' {PLACE}>prices</a> <a href='/y'>Delete old recipes</a></div>",
        True,
    ),
    "focus": (
        f"<main tabindex=0><a href='/prices' {PLACE}>prices</a> <a href='/y'>Delete old recipes</a></main>",
        True,
    ),
    "shadow": (
        f"<div id=x><a href='/prices' {PLACE}>prices</a></div><script>x.onclick = () => 1;"
        "x.attachShadow({mode: 'open'}).innerHTML = '<b>Delete all</b><slot></slot>'</script>",
        False,
    ),
    "long": (f"<a href='/prices' {PLACE}><div style='height:90px;overflow:hidden'>{LONG}</div></a>", False),
}
"""Links with what stands around them, and whether `browse` opens them."""


class HostileTabs(Tabs):
    """Serves the pages above from a host that is known to this browser alone."""

    async def start(self) -> None:
        await super().start()
        await self.context.route("https://shop.example/**", self._page)

    @staticmethod
    async def _page(route: Route) -> None:
        name = route.request.url.rpartition("/")[2]
        page = nested(int(name)) if name.isdigit() else PAGES.get(name, AROUND.get(name, ("<p>nothing",))[0])
        await route.fulfill(body=f"<!doctype html><meta charset=utf-8>{page}", content_type="text/html")


class HostileWorld(BrowserWorld):
    tabs_type = HostileTabs


@pytest.fixture(scope="module")
def browser() -> Iterator[BrowserWorld]:
    with HostileWorld("https://shop.example/") as world:
        yield world


@pytest.mark.parametrize("name", PAGES)
def test_a_page_cannot_hide_where_its_link_or_form_leads(browser: BrowserWorld, name: str) -> None:
    seen = browser.reset(task=f"https://shop.example/{name}")
    assert seen.error == ""
    form = "form" in PAGES[name] and "Next page" not in PAGES[name]
    action = Action("type", text="tea", point=SPOT, submit=True) if form else Action("click", SPOT)
    approval = Gate(load_approval_policy("browse"), allowed_hosts=["shop.example"]).check(action, seen, browser)
    assert (approval.allowed, approval.risk) == (False, "leave"), approval


def test_what_stands_around_a_link_is_not_its_label_unless_it_listens(browser: BrowserWorld) -> None:
    gate = Gate(load_approval_policy("browse"), allowed_hosts=["shop.example"])
    wrong = []
    for name, (_, allowed) in AROUND.items():
        seen = browser.reset(task=f"https://shop.example/{name}")
        approval = gate.check(Action("click", SPOT), seen, browser)
        wrong += [(name, approval)] if approval.allowed is not allowed else []
    assert not wrong


@pytest.mark.parametrize("depth", [3, 12])
def test_frames_in_frames_are_followed(browser: BrowserWorld, depth: int) -> None:
    seen = browser.reset(task=f"https://shop.example/{depth}")
    gate = Gate(load_approval_policy("browse"), allowed_hosts=["shop.example"])
    approval = gate.check(Action("click", SPOT), seen, browser)
    assert (approval.allowed, approval.rule) == (True, "link"), approval


def test_only_the_node_that_was_judged_is_acted_on(browser: BrowserWorld) -> None:
    seen = browser.reset(task="https://shop.example/plain")
    click = Action("click", SPOT)
    Gate().check(click, seen, browser)
    swap = "() => { document.body.innerHTML = `<button style='position:fixed;inset:0' onclick='document.title=1'>Pay` }"
    browser.engine.run(browser.tabs.page.evaluate(swap), 5)
    assert "has changed where the action goes" in browser.act(click).error
    assert browser.engine.run(browser.tabs.page.title(), 5) == ""
    assert browser.act(click).error == ""  # nobody judged it this time
    assert browser.engine.run(browser.tabs.page.title(), 5) == "1"


def test_a_page_that_does_not_answer_is_not_touched(browser: BrowserWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("saccade.worlds.browser.world.SCREENSHOT_SECONDS", 1.0)
    seen = browser.reset(task="https://shop.example/plain")
    assert [element.text for element in seen.screen.elements] == ["Next page"]
    browser.engine.run(browser.tabs.page.evaluate("() => { setTimeout(() => { for (;;); }, 50) }"), 5)
    sleep(0.2)
    approval = Gate().check(Action("swipe", direction="up"), seen, browser)
    assert (approval.allowed, approval.rule) == (False, "unknown-target")
    with pytest.raises(StoppedByPerson):
        Gate(ask=lambda _: "stop").check(Action("swipe", direction="up"), seen, browser)
