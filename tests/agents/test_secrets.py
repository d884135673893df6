"""Secrets: typed only where they belong, and seen by nobody."""

from __future__ import annotations

import html
import io
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, quote_plus, urlsplit

import pytest
from android_look import find, show
from fake_phone import FakePhone
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from playwright.async_api import Route

from saccade.actions import Action
from saccade.agents.redact import redact
from saccade.errors import InputError
from saccade.geometry import Box, Size
from saccade.types import Element, Picture, Screen
from saccade.worlds.android.world import AndroidWorld
from saccade.worlds.base import Observation
from saccade.worlds.browser.engine import Engine
from saccade.worlds.browser.network import AllowList
from saccade.worlds.browser.tab import Tabs
from saccade.worlds.browser.world import BrowserWorld
from saccade.worlds.phone.world import PhoneWorld
from saccade.worlds.secrets import NO_SECRETS, Secret, SecretError, Vault, belongs, load_secrets, web_place

pytest_plugins = ["android_fixtures"]
VALUE = 'hunter2 & "co"/é'
CARD = "4111111111111111"
VAULT = Vault({"bank": Secret(VALUE, "bank.example"), "card": Secret(CARD, "*.bank.example", "the credit card")})

COVER = (0x3A, 0x3A, 0x3A)

# -- the file ---------------------------------------------------------------------------------------------------------


def load(folder: Path, text: str) -> Vault:
    file = folder / "secrets.yaml"
    file.write_text(text, encoding="utf-8")
    return load_secrets(file)


def test_a_file_of_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL_PASSWORD", "from the environment")
    vault = load(
        tmp_path,
        "mail: {env: MAIL_PASSWORD, place: com.example.mail, about: my mail}\n"
        'pin-2: {value: "0042", place: "*.bank.example"}\n',
    )
    assert vault.secrets["mail"] == Secret("from the environment", "com.example.mail", "my mail")
    assert vault.fill("{secret.pin-2}!", "login.bank.example") == "0042!"
    assert "0042" not in repr(vault) + str(vault)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no secrets"),
        ("- s3cr3t", "holds no secrets"),
        ("a: s3cr3t", "secret a: it needs `value` or `env`"),
        ("s3cr3t!: {value: x, place: y}", "the name of entry 1"),
        ("a: {value: s3cr3t}", "`place` must be one host"),
        ("a: {value: s3cr3t, place: '*'}", "`place` must be one host"),
        ("a: {value: s3cr3t, place: 'https://bank.example/'}", "`place` must be one host"),
        ("a: {value: s3cr3t, place: '*.com'}", "too wide"),
        ("a: {value: s3cr3t, place: com.android.chrome}", "a browser, which shows any site"),
        ("a: {value: 's3cr3t', env: B, place: b.example}", "either `value` or `env`"),
        ("a: {place: b.example}", "either `value` or `env`"),
        ("a: {value: 123456, place: b.example}", "`value` must be text: put it in quotes"),
        ("a: {value: '123', place: b.example}", "4 to 4096 characters"),
        ("a: {value: '', place: b.example}", "4 to 4096 characters"),
        ('a: {value: "s3cr3t\\n", place: b.example}', "no key types"),
        ("a: {value:s3cr3t, place: b.example}", "is there a space after each colon?"),
        ("a: {value: s3cr3t, place: b.example, note: x}", "a key other than"),
        ("a: {env: s3cr3t, place: b.example}", "that `env` names is not set"),
        ("a: {env: 's3cr3t!', place: b.example}", "name of an environment variable"),
        ("a: {value: *s3cr3t, place: b.example}", "secrets.yaml:1: this is not YAML"),
        ("a: {value: !s3cr3t x, place: b.example}", "secrets.yaml:1: this is not YAML"),
        ("a: {value: s3cr3t\nb", "this is not YAML"),
        ("a: {value: x, s3cr3t: y, s3cr3t: z}", "secrets.yaml:1: the key stands twice"),
    ],
)
def test_a_wrong_file_says_where_and_never_what(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        load(tmp_path, text)
    assert said in str(caught.value)
    assert "s3cr3t" not in str(caught.value)
    assert "123" not in str(caught.value).replace(str(tmp_path), "")


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read the file of secrets"):
        load_secrets(tmp_path / "nothing.yaml")


# -- places -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "pattern", "right"),
    [
        ("bank.example", "bank.example", True),
        ("BANK.example.", "bank.example", True),
        ("bank.example:8443", "bank.example", True),
        ("bank.example", "bank.example:8443", False),
        ("www.bank.example", "bank.example", False),
        ("www.bank.example", "*.bank.example", True),
        ("bank.example", "*.bank.example", True),
        ("evilbank.example", "*.bank.example", False),
        ("bank.example.evil.net", "bank.example", False),
        ("com.example.mail", "com.example.mail", True),
        ("com.example.mail.fake", "com.example.mail", False),
        ("", "bank.example", False),
        ("[::1]:80", "[::1]", True),
    ],
)
def test_where_a_secret_belongs(place: str, pattern: str, right: bool) -> None:
    assert belongs(place, pattern) is right


def test_the_place_of_a_frame() -> None:
    assert web_place("https://bank.example/login?x") == "bank.example"
    assert web_place("https://user@bank.example:8443/") == "bank.example:8443"
    assert web_place("http://127.0.0.1:5000/") == "127.0.0.1:5000"
    assert web_place("http://[::1]:5000/") == "[::1]:5000"
    assert web_place("about:blank") == web_place("data:text/html,x") == web_place("file:///x") == ""
    for url in ("http://bank.example/", "http://127.0.0.1.evil.net/", "http://localhost.evil.net"):
        with pytest.raises(SecretError, match="http is open to all"):
            web_place(url)


def test_filling() -> None:
    assert VAULT.fill("no secret {here}", "anywhere") == "no secret {here}"
    assert VAULT.fill("{secret.bank} and {secret.card}", "bank.example") == f"{VALUE} and {CARD}"
    with pytest.raises(SecretError, match=r"\{secret.bank\} was not typed: it belongs to bank.example, not to evil"):
        VAULT.fill("{secret.bank}", "evil.net")
    with pytest.raises(SecretError, match="where this is, nobody knows"):
        VAULT.fill("{secret.bank}", "")
    with pytest.raises(SecretError, match=r"no secret other: those there are: \{secret.bank\}, \{secret.card\}"):
        VAULT.fill("{secret.other}", "bank.example")
    assert Vault({"a": Secret("{secret.b}", "x"), "b": Secret("value", "y")}).fill("{secret.a}", "x") == "{secret.b}"


# -- names for values -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written",
    [VALUE, VALUE.upper(), quote(VALUE), quote_plus(VALUE), quote(VALUE, safe=""), html.escape(VALUE),
     json.dumps(VALUE)[1:-1], json.dumps(VALUE, ensure_ascii=False)[1:-1], VALUE.replace(" ", "  "),
     VALUE.replace("t", "t\u200b"), VALUE.replace("&", "&#38;").replace('"', "&#x22;")],
)  # fmt: skip
def test_a_value_is_found_however_it_is_written(written: str) -> None:
    assert VAULT.redact(f"<{written}>") == "<{secret.bank}>"


def test_numbers_are_found_in_groups() -> None:
    for card in ("4111 1111 1111 1111", "4111-1111-1111-1111", "4111\u00a01111\u00a01111\u00a01111"):
        assert VAULT.redact(f"Card {card}.") == "Card {secret.card}."
    assert VAULT.redact("4111 1111 1111 1112") == "4111 1111 1111 1112"
    assert Vault({"a": Secret("test", "x")}).redact("great estate") == "great estate"


def test_the_longer_value_is_found_first() -> None:
    vault = Vault({"a": Secret("abcd", "x"), "b": Secret("abcdefgh", "x")})
    assert vault.redact("abcdefgh abcd") == "{secret.b} {secret.a}"


def test_a_cut_text_may_end_within_a_value() -> None:
    assert VAULT.redact_cut("my card is 41111111…") == "my card is {secret.card}"
    assert VAULT.redact_cut("my card is 411") == "my card is 411"


@given(value=st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Co", "Cn", "Zl", "Zp"]), min_size=4))
def test_any_value_is_found_in_each_of_its_forms(value: str) -> None:
    value = " ".join(value.split())
    if len(value) < 4:
        return
    vault = Vault({"s": Secret(value, "x")})
    for written in (value, quote(value), quote_plus(value), html.escape(value), json.dumps(value)[1:-1]):
        assert vault.redact(written) == "{secret.s}", written


# -- observations -----------------------------------------------------------------------------------------------------


def white(width: int = 200, height: int = 100) -> Picture:
    file = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(file, "PNG")
    return Picture(file.getvalue(), Size(width, height))


def pixels(seen: Observation) -> Image.Image:
    assert seen.screen.picture is not None
    return Image.open(io.BytesIO(seen.screen.picture.data())).convert("RGB")


def test_no_secrets_no_work() -> None:
    seen = Observation(Screen(Size(1, 1)))
    assert redact(seen, NO_SECRETS) is seen
    clean = Observation(Screen(Size(200, 100), white(), [Element(1, Box(0, 0, 9, 9), text="hello")]), url="https://x/")
    assert redact(clean, VAULT) == clean
    assert redact(clean, VAULT).screen.picture is clean.screen.picture


def test_values_vanish_from_every_part_of_an_observation() -> None:
    elements = [
        Element(1, Box(10, 10, 60, 30), "input", VALUE),
        Element(2, Box(10, 50, 60, 70), "text", "fine", f"typed {CARD}"),
        Element(3, Box(100, 50, 150, 70), "text", "x" * 291 + " 41111111"),
        Element(4, Box(160, 50, 190, 70), "text", "x" * 400 + CARD),
    ]
    seen = redact(
        Observation(
            Screen(Size(200, 100), white(), elements),
            url=f"https://bank.example/?p={quote(VALUE)}",
            error=f"no option {VALUE}",
            events=(f"the page showed a dialog: {html.escape(VALUE)}",),
            instruction=f"Log in with {VALUE}",
        ),
        VAULT,
    )
    assert [e.text for e in seen.screen.elements[:2]] == ["{secret.bank}", "fine"]
    assert [e.text[290:] for e in seen.screen.elements[2:]] == ["x {secret.", "x" * 10]
    assert seen.screen.elements[1].caption == "typed {secret.card}"
    assert seen.url == "https://bank.example/?p={secret.bank}"
    assert (seen.error, seen.instruction) == ("no option {secret.bank}", "Log in with {secret.bank}")
    assert seen.events == ("the page showed a dialog: {secret.bank}",)
    image = pixels(seen)
    for element in elements:
        assert image.getpixel((int(element.box.x0), int(element.box.y1))) == COVER
    assert image.getpixel((80, 40)) == (255, 255, 255)


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
    engine = Engine(AllowList.of(PAGES))
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
        ("http://bank.example/", "Name", "http is open to all"),
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
        assert "nothing is copied" in hosted.act(Action("press", key=key)).error
    assert hosted.act(Action("press", key="ctrl+a")).error == ""


def test_without_a_vault_a_name_stays_a_name(hosted: HostedWorld) -> None:
    seen = go(hosted, "https://bank.example/")
    hosted.vault = NO_SECRETS
    try:
        assert "there is no secret bank: those there are: none" in hosted.act(typing(seen, "Name")).error
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
        assert "nothing is copied" in android.act(Action("press", key="ctrl+c")).error
        fresh = android.now(Action("type", text="x"))
        assert fresh is not None
        assert fresh.app == "com.miui.notes"
        assert any("focused" in element.state for element in fresh.elements)
    finally:
        android.vault = NO_SECRETS


def test_the_sandbox_phone_knows_its_apps() -> None:
    with PhoneWorld() as world:
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
