"""Secrets at the fingertips: real pages that want them, phones, and what is seen afterwards."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from android_look import find, show
from fake_phone import FakePhone
from PIL import Image
from playwright.async_api import Route

from saccade.actions import Action
from saccade.agents.redact import redact
from saccade.worlds.android.world import AndroidWorld
from saccade.worlds.base import Observation
from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.network import AllowList
from saccade.worlds.browser.tabs import Tabs
from saccade.worlds.browser.world import PHONE, BrowserWorld, Device
from saccade.worlds.secrets import NO_SECRETS, Secret, Vault
from saccade_phone.world import PhoneWorld

pytestmark = pytest.mark.browser

pytest_plugins = ["android_fixtures"]
VALUE = 'hunter2 & "co"/é'
CARD = "4111111111111111"
VAULT = Vault({"bank": Secret(VALUE, "bank.example"), "card": Secret(CARD, "*.bank.example", "the credit card")})
COVER = (0x3A, 0x3A, 0x3A)


def pixels(seen: Observation) -> Image.Image:
    assert seen.screen.picture is not None
    return Image.open(io.BytesIO(seen.screen.picture.data())).convert("RGB")


# -- in the browser ---------------------------------------------------------------------------------------------------

BANK = """<!doctype html><meta charset="utf-8"><style>body { margin: 8px } p { width: 500px }</style>
<input id="user" aria-label="Name"> <input id="pass" type="password" aria-label="Password"> <span id="host"></span>
<select aria-label="List"><option>one</option></select> <button onclick="alert(pass.value)">Tell</button>
<p id="said"></p><div id="narrow" style="width:40px;height:20px;white-space:nowrap"></div>
<script>
  const root = host.attachShadow({ mode: "open" });
  root.innerHTML = '<input aria-label="Inner">';
  const place = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = (node.value ? node : range).getBoundingClientRect();
    return [box.left, box.top, box.right, box.bottom];
  };
</script>"""
EVIL = """<!doctype html><meta charset="utf-8"><input id="mine" aria-label="Mine">
<iframe id="frame" src="https://bank.example/" style="width:600px;height:300px"></iframe>
<script>
  const [way, delay] = location.hash.slice(1).split("-");
  if (way === "thief") addEventListener("blur", () => setTimeout(() => mine.focus(), Number(delay)));
  if (way === "liar") {
    mine.focus();
    Object.defineProperty(document, "activeElement", { get: () => frame });
    document.hasFocus = () => false;
  }
</script>"""
PAGES = {"bank.example": BANK, "evil.example": EVIL, "shop.example": EVIL.replace("bank.example", "evil.example")}


class HostedTabs(Tabs):
    """Hosts that this browser alone knows."""

    async def start(self) -> None:
        await super().start()
        for host in PAGES:
            await self.context.route(f"*://{host}/**", self._page)

    @staticmethod
    async def _page(route: Route) -> None:
        await route.fulfill(body=PAGES[urlsplit(route.request.url).hostname or ""], content_type="text/html")


class HostedWorld(BrowserWorld):
    tabs_type = HostedTabs

    def frame(self, host: str, script: str) -> object:
        frame = next(f for f in self.tabs.page.frames if host in f.url)
        return self.engine.run(frame.evaluate(script), 5)


@pytest.fixture(scope="module")
def hosted() -> Iterator[HostedWorld]:
    engine = BrowserEngine(AllowList.of(PAGES))
    with HostedWorld(allow=PAGES, engine=engine, settle_limit=1.0) as world:
        world.vault = VAULT
        world.reset()
        yield world
    engine.close()


def go(world: HostedWorld, url: str) -> Observation:
    seen = world.act(Action("open_url", text="about:blank"))
    seen = world.act(Action("open_url", text=url))
    assert seen.error == ""
    return seen


def typing(seen: Observation, name: str, text: str = "{secret.bank}", submit: bool | None = None) -> Action:
    return Action("type", text=text, point=find(seen, name).center, submit=submit)


def test_a_value_reaches_the_fields_of_its_host(hosted: HostedWorld) -> None:
    seen = go(hosted, "https://bank.example/")
    fields = {"Name": "user", "Password": "pass", "Inner": "root.querySelector('input')"}
    for name, script in fields.items():
        after = hosted.act(typing(seen, name, "a{secret.bank}b"))
        assert after.error == ""
        assert hosted.frame("bank.example", f"{script}.value") == f"a{VALUE}b"
    hosted.frame("bank.example", "pass.value = ''; pass.focus()")
    assert hosted.act(Action("type", text="{secret.card}")).error == ""
    assert hosted.frame("bank.example", "pass.value") == CARD


@pytest.mark.parametrize(
    ("url", "name", "said"),
    [
        ("http://bank.example/", "Name", "http is not encrypted"),
        ("https://evil.example/", "Mine", "belongs to bank.example, not to evil.example"),
        ("https://shop.example/", "Mine", "belongs to bank.example, not to shop.example"),
    ],
)
def test_other_places_get_nothing(hosted: HostedWorld, url: str, name: str, said: str) -> None:
    seen = go(hosted, url)
    assert said in hosted.act(typing(seen, name)).error
    assert hosted.frame(str(urlsplit(url).hostname), "document.querySelector('input').value") == ""


def test_a_frame_is_a_place_of_its_own(hosted: HostedWorld) -> None:
    seen = go(hosted, "https://evil.example/")
    assert hosted.act(typing(seen, "Password")).error == ""
    assert hosted.frame("bank.example", "pass.value") == VALUE
    seen = go(hosted, "https://shop.example/")
    mine = [e.center for e in seen.screen.elements if e.caption == "Mine"]
    assert "not to evil.example" in hosted.act(Action("type", text="{secret.bank}", point=mine[1])).error
    assert hosted.frame("evil.example", "mine.value") == ""


def test_a_page_that_steals_the_focus_gets_nothing(hosted: HostedWorld) -> None:
    for delay in (1, 55, 60, 65, 70, 80):
        seen = go(hosted, f"https://evil.example/#thief-{delay}")
        hosted.act(typing(seen, "Password"))
        assert hosted.frame("evil.example", "mine.value") == ""


def test_a_page_that_lies_about_the_focus_gets_nothing(hosted: HostedWorld) -> None:
    go(hosted, "https://evil.example/#liar")
    hosted.frame("bank.example", "pass.focus()")
    hosted.frame("evil.example", "mine.focus()")
    assert hosted.act(Action("type", text="{secret.bank}")).error == "nothing to type into: no text field has the focus"
    assert hosted.frame("evil.example", "mine.value") == hosted.frame("bank.example", "pass.value") == ""


def test_names_are_values_nowhere_else(hosted: HostedWorld) -> None:
    seen = go(hosted, "https://bank.example/")
    choice = hosted.act(Action("select", find(seen, "List").center, text="{secret.bank}"))
    assert 'no option "{secret.bank}"' in choice.error
    hosted.act(Action("open_url", text="https://bank.example/?p={secret.bank}"))
    assert "hunter2" not in hosted.tabs.page.url
    assert "there is no secret other" in hosted.act(typing(seen, "Name", "{secret.other}")).error
    for key in ("ctrl+c", "Meta+X", "ctrl+Insert", "shift+Delete"):
        assert "copying is off" in hosted.act(Action("press", key=key)).error
    assert hosted.act(Action("press", key="ctrl+a")).error == ""


def test_without_a_vault_a_name_stays_a_name(hosted: HostedWorld) -> None:
    seen = go(hosted, "https://bank.example/")
    hosted.vault = NO_SECRETS
    try:
        assert "there is no secret bank: the known ones are none" in hosted.act(typing(seen, "Name")).error
    finally:
        hosted.vault = VAULT


def test_nothing_of_a_value_is_seen(hosted: HostedWorld) -> None:
    seen = go(hosted, "https://bank.example/")
    hosted.act(typing(seen, "Password"))
    hosted.act(typing(seen, "Name"))
    hosted.frame("bank.example", f"said.textContent = 'word '.repeat(150) + {json.dumps(VALUE)}")
    hosted.frame("bank.example", f"narrow.textContent = 'wide '.repeat(9) + '{CARD}'")
    hosted.frame("bank.example", "history.replaceState(0, '', '?p=' + encodeURIComponent(pass.value))")
    raw = hosted.act(Action("click", find(seen, "Tell").center))
    clean = redact(raw, VAULT)
    assert clean.url == "https://bank.example/?p={secret.bank}"
    assert "{secret.bank}" in clean.events[0]
    assert find(clean, "{secret.bank}").type == "input"
    for text in (clean.url, *clean.events, *(e.text + e.caption for e in clean.screen.elements)):
        assert "hunter2" not in text
        assert "4111" not in text
        assert len(text) <= 700
    covered = pixels(clean)
    for id in ("user", "said", "narrow"):
        box = hosted.frame("bank.example", f"place({id})")
        assert isinstance(box, list)
        left, top, right, bottom = (int(side) for side in box)
        assert covered.getpixel((left, top)) == COVER, id
        assert covered.crop((right - 12, bottom - 4, right - 1, bottom - 1)).getcolors() == [(33, COVER)], id


# -- on phones --------------------------------------------------------------------------------------------------------


def test_android_types_a_value_into_its_app_alone(android: AndroidWorld, phone: FakePhone) -> None:
    android.vault = Vault(
        {"note": Secret("pa55 word", "com.miui.notes"), "other": Secret("o7her", "com.example.counter")}
    )
    try:
        seen = show(android, phone, "notes")
        phone.page("note.value = ''")
        after = android.act(Action("type", text="{secret.note}", point=find(seen, "写点什么").center))
        assert (after.error, phone.page("note.value")) == ("", "pa55 word")
        assert find(redact(after, android.vault), "{secret.note}").type == "input"
        refused = android.act(Action("type", text="{secret.other}"))
        assert "belongs to com.example.counter, not to com.miui.notes" in refused.error
        assert phone.page("note.value") == "pa55 word"
        assert "copying is off" in android.act(Action("press", key="ctrl+c")).error
        fresh = android.current_target(Action("type", text="x"))
        assert fresh is not None
        assert fresh.app == "com.miui.notes"
        assert any("focused" in element.state for element in fresh.elements)
    finally:
        android.vault = NO_SECRETS


def test_the_sandbox_phone_knows_its_apps() -> None:
    with PhoneWorld(device=Device(PHONE.width, PHONE.height, 1.0, touch=True)) as world:
        world.reset(seed=3)
        world.vault = Vault({"note": Secret("pa55 word", "notes"), "other": Secret("o7her", "mail")})
        seen = world.act(Action("open_app", text="notes"))
        seen = world.act(Action("click", find(seen, "New note").center))
        place = next(element.center for element in seen.screen.elements if element.type == "input")
        refused = world.act(Action("type", text="{secret.other}", point=place))
        assert "belongs to mail, not to notes" in refused.error
        after = world.act(Action("type", text="{secret.note}", point=place))
        assert after.error == ""
        assert any(element.text == "pa55 word" for element in after.screen.elements)
        assert all("pa55" not in element.text for element in redact(after, world.vault).screen.elements)
