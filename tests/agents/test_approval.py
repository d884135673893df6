"""The gate: words in every spelling, rules from files, and both views of a screen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from gate_table import CLICK, Table, element, shows
from playwright.async_api import Route

from saccade.actions import Action
from saccade.agents.approval import ApprovalPolicy, Gate, load_approval_policy
from saccade.agents.approval.policy import RISKS, address_matches
from saccade.agents.approval.word_lists import WordList, readable, word_lists
from saccade.agents.records import Approval
from saccade.errors import InputError
from saccade.geometry import Box, Point
from saccade.types import Element
from saccade.worlds.base import CurrentTarget, Observation
from saccade.worlds.browser.tabs import Tabs
from saccade.worlds.browser.world import BrowserWorld

LISTS = {name: WordList(words) for name, words in word_lists().items()}


def check(
    policy: str,
    action: Action,
    *elements: Element,
    now: CurrentTarget | None = None,
    url: str = "https://shop.example/",
) -> Approval:
    gate = Gate(load_approval_policy(policy), allowed_hosts=["shop.example"])
    return gate.check(action, shows(*elements, url=url), Table([now]))


# -- words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "risk"),
    [
        ("Delete account", "delete"),
        ("DELETE", "delete"),
        ("D e l e t e", "delete"),
        ("D.E.L.E.T.E", "delete"),
        ("D\u200be l e t e", "delete"),
        ("De-lete", "delete"),
        ("Del ete", "delete"),
        ("Dеlеtе", "delete"),
        ("Ｄｅｌｅｔｅ", "delete"),
        ("de\u00adlete", "delete"),
        ("d3l3te", "delete"),
        ("btnDeleteAll", "delete"),
        ("𝗗𝗲𝗹𝗲𝘁𝗲", "delete"),
        ("🅳🅴🅻🅴🆃🅴", "delete"),
        ("ᴅᴇʟᴇᴛᴇ", "delete"),
        ("Délete", "delete"),
        ("删 除", "delete"),
        ("删\u200b除", "delete"),
        ("删，除", "delete"),
        ("永久刪除", "delete"),
        ("🗑️ Photos", "delete"),
        ("Pay now", "pay"),
        ("p a y", "pay"),
        ("确认支付", "pay"),
        ("轉帳", "pay"),
        ("发红包", "pay"),
        ("Transfer money", "pay"),
        ("Place your order", "order"),
        ("提交订单", "order"),
        ("立即購買", "order"),
        ("Checkout", "order"),
        ("Send", "send"),
        ("Reply all", "send"),
        ("发表评论", "send"),
        ("公開發佈", "send"),
        ("Make it public", "send"),
        ("Allow", "permission"),
        ("始终允许", "permission"),
        ("授權", "permission"),
        ("Make admin", "permission"),
        ("Install", "install"),
        ("1nstall", "install"),
        ("下载", "install"),
        ("setup.exe", "install"),
        ("Current password", "password"),
        ("验证码", "password"),
        ("CVV", "password"),
    ],
)
def test_risky_words_are_found_however_they_are_spelled(text: str, risk: str) -> None:
    assert LISTS[risk].find([text])


@pytest.mark.parametrize(
    "text",
    [
        "model",
        "display",
        "payload",
        "Show more",
        "Next page",
        "Cancel",
        "About us",
        "首页",
        "返回",
        "看大图",
        "Weather in Bergen",
        "天气预报",
        "Close",
        "关闭",
        "Opening hours",
        "Bookshelf",
        "reservoir",
    ],
)
def test_harmless_words_are_not(text: str) -> None:
    assert [risk for risk in RISKS if risk in LISTS and LISTS[risk].find([text])] == []


def test_every_list_is_there_and_holds_words() -> None:
    assert set(RISKS) - {"", "leave"} <= set(word_lists())
    for words in word_lists().values():
        assert all(isinstance(word, str) and word.strip() for word in words)
        assert len(set(words)) == len(words)


def test_only_english_and_chinese_can_be_read() -> None:
    assert all(readable(text) for text in ("Show more", "更多", "第 3 页 next"))
    assert not any(readable(text) for text in ("", "●", "🗑", "Удалить", "Löschen", "削除する", "삭제", "\ue872"))


# -- policies ---------------------------------------------------------------------------------------------------------


def policy(folder: Path, text: str) -> ApprovalPolicy:
    file = folder / "policy.yaml"
    file.write_text(text, encoding="utf-8")
    return load_approval_policy(str(file))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rules: [{name: a, decision: allow, tex: b}]", "rule 1 (a): a rule has no key `tex` (did you mean `text`?)"),
        ("rules: [{name: a, decision: maybe}]", "rule 1 (a): `decision` is 'maybe': use one of allow, ask, deny"),
        (
            "rules: [{name: a, decision: ask, risk: fraud}]",
            "`risk` is 'fraud': use one of pay, order, delete",
        ),
        ("rules: [{name: a, decision: ask, action: clik}]", "rule 1 (a): `action` is 'clik': did you mean click?"),
        ("rules: [{name: a, decision: ask, action: 'press:'}]", "`action` is 'press:'"),
        ("rules: [{name: a, decision: ask, words: paying}]", "`words` is 'paying': did you mean pay?"),
        ("rules: [{name: a, decision: ask, text: []}]", "`text` is empty"),
        ("rules: [{name: a, decision: ask, field: hidden}]", "`field` is 'hidden': use one of password, search, text"),
        ("rules: [{name: a, decision: ask, host: 5}]", "host: Expected `str | null`, got `int`"),
        ("rules: [{name: 3, decision: ask}]", "rule 1: name: Expected `str`, got `int`"),
        ("rules: [click]", "rule 1 must be a mapping of keys to values"),
        ("rules: [{include: nothing.yaml}]", "there is no policy nothing.yaml"),
        ("rules: [{include: policy.yaml}]", "in a circle"),
        ("rules: {a: b}", "a list of `rules`"),
        ("default: never\nrules: []", "`default` is 'never': use one of allow, ask, deny"),
        ("defaults: ask", "a policy has no key `defaults` (did you mean `default`?)"),
        ("rules:\n- name: a\n  name: b", "policy.yaml:3: the key `name` appears twice"),
        ("rules: [", "this is not YAML"),
        ("", "a policy has `default`"),
    ],
)
def test_a_wrong_policy_says_where_and_what(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        policy(tmp_path, text)
    assert said in str(caught.value)
    assert "policy.yaml" in str(caught.value) or "nothing.yaml" in str(caught.value)


def test_unknown_policy() -> None:
    with pytest.raises(InputError, match=r"no policy carefull \(did you mean careful\?\)"):
        load_approval_policy("carefull")


def test_first_match_wins_and_own_rules_come_before_included_ones(tmp_path: Path) -> None:
    text = """
    rules:
      - {name: trash, decision: allow, action: click, text: [empty trash, 清空回收站], app: "com.example.*"}
      - {name: never, decision: deny, words: pay}
      - include: careful
    """
    gate = Gate(policy(tmp_path, text))
    for said, app, allowed, rule in [
        ("Empty Trash", "com.example.mail", True, "trash"),
        ("清空 回收站", "com.example.mail", True, "trash"),
        ("Empty trash", "org.other", False, "delete"),
        ("Pay", "com.example.mail", False, "never"),
        ("More", "com.example.mail", False, ""),
    ]:
        approval = gate.check(CLICK, shows(element(said), url="", app=app), Table())
        assert (approval.allowed, approval.rule) == (allowed, rule)


def test_addresses_match_part_by_part() -> None:
    assert address_matches("https://docs.example.com/a/b?c", "https://*.example.com/a/*")
    assert address_matches("http://127.0.0.1:8000/x", "127.0.0.1:8000")
    assert address_matches("https://example.com/x", "https://example.com")
    for url in (
        "https://evil.net/x.example.com/a/",
        "https://evil.net/?https://docs.example.com/a/",
        "http://d.example.com/a/",
        "https://docs.example.com@evil.net/a/",
        "https://docs.example.com.evil.net/a/",
    ):
        assert not address_matches(url, "https://*.example.com/a/*")


def test_a_rule_that_allows_must_cover_all_that_is_done(tmp_path: Path) -> None:
    gate = Gate(policy(tmp_path, "rules: [{name: write, decision: allow, action: type}]"))
    field = element("", type="input", state="focused")
    assert gate.check(Action("type", text="a"), shows(field), Table()).allowed
    for action in (Action("type", text="a", submit=True), Action("type", text="a\nb"), Action("type", text="a\tb")):
        assert not gate.check(action, shows(field), Table()).allowed
    assert gate.check(Action("type", text="a", point=Point(50, 50)), shows(field), Table()).allowed
    assert not gate.check(Action("type", text="a", point=Point(50, 50)), shows(element("Go")), Table()).allowed
    denying = Gate(policy(tmp_path, "default: allow\nrules: [{name: mute, decision: deny, action: submit}]"))
    for key in ("enter", "Return", "ctrl+Enter", "KEYCODE_ENTER", "numpad-enter", "\n"):
        assert not denying.check(Action("press", key=key), shows(field), Table()).allowed
    assert denying.check(Action("type", text="a"), shows(field), Table()).allowed


# -- the built-in policies --------------------------------------------------------------------------------------------


def test_sandboxes_are_free_unless_a_policy_is_named() -> None:
    seen = shows(element("Delete everything"))
    assert Gate(None, real=False).check(CLICK, seen, Table()) == Approval(True, by="sandbox")
    assert not Gate(load_approval_policy("careful"), real=False).check(CLICK, seen, Table()).allowed
    assert not Gate(None, real=True).check(CLICK, seen, Table()).allowed


@pytest.mark.parametrize(
    ("action", "allowed"),
    [
        (Action("swipe", direction="up"), True),
        (Action("swipe", direction="left", start=Point(50, 50)), False),
        (Action("swipe", direction="up", start=Point(50, 50), end=Point(500, 50)), False),
        (Action("wait"), True),
        (Action("press", key="back"), True),
        (Action("press", key=" Home "), True),
        (Action("press", key="KEYCODE_BACK"), True),
        (Action("press", key="enter"), False),
        (Action("press", key="back+enter"), False),
        (Action("answer", text="42"), True),
        (Action("terminate", status="failure"), True),
        (CLICK, False),
        (Action("hover", Point(50, 50)), False),
        (Action("type", text="a"), False),
        (Action("open_app", text="Notes"), False),
        (Action("open_url", text="shop.example"), False),
    ],
)
def test_careful_only_looks(action: Action, allowed: bool) -> None:
    assert check("careful", action, element("Show more")).allowed is allowed


def test_home_changes_the_value_of_what_has_the_focus() -> None:
    home = Action("press", key="home")
    assert check("careful", home, element("Volume", state="focused", type="button")).allowed
    for kind in ("slider", "spinbutton"):
        assert not check("careful", home, element("Volume", state="focused", type=kind)).allowed


@pytest.mark.parametrize("key", ["tab", "escape"])
def test_browse_presses_keys_on_web_pages_only(key: str) -> None:
    assert check("browse", Action("press", key=key)).allowed
    assert not check("browse", Action("press", key=key), url="").allowed


def test_a_slider_is_not_scrolled_over() -> None:
    up = Action("swipe", direction="up", start=Point(50, 90))
    assert check("careful", up, element("Your order was sent on Monday and comes on Thursday")).allowed
    assert not check("careful", up, element("Buy")).allowed
    assert not check("careful", Action("swipe", direction="up"), element("Buy", (400, 700, 600, 800))).allowed
    assert check("careful", Action("swipe", direction="down"), element("Buy", (400, 700, 600, 800))).allowed
    assert not check("careful", up, element("Swipe up to pay")).allowed
    assert not check("careful", up, element("上滑支付")).allowed


@pytest.mark.parametrize(
    ("action", "elements", "allowed"),
    [
        (CLICK, [element("Show more")], True),
        (CLICK, [element("更多评测")], True),
        (CLICK, [element("", type="icon")], False),
        (CLICK, [element("●")], False),
        (CLICK, [element("Удалить")], False),
        (CLICK, [element("x" * 300)], False),
        (CLICK, [], False),
        (CLICK, [element("17")], True),
        (CLICK, [element("»")], True),
        (CLICK, [element("", caption="Remove")], False),
        (CLICK, [element("More"), element("Danger: delete", (0, 0, 400, 400))], False),
        (CLICK, [element("More"), element("Please pay your bill", (0, 0, 900, 900), type="text")], True),
        (CLICK, [element("More"), element("Pay your bill", (0, 0, 900, 900))], False),
        (CLICK, [element("More"), element("Delete", (300, 300, 400, 400))], True),
        (Action("drag", start=Point(50, 50), end=Point(350, 350)), [element("a.txt")], False),
        (Action("select", Point(50, 50), text="Oldest first"), [element("Newest first", type="select")], True),
        (Action("select", Point(50, 50), text="Send to all"), [element("Newest first", type="select")], False),
        (Action("type", text="a", point=Point(50, 50)), [element("", type="input", caption="Search")], True),
        (Action("type", text="a", point=Point(50, 50)), [element("", type="password", caption="City")], False),
        (Action("type", text="a", point=Point(50, 50)), [element("", type="input", caption="PIN")], False),
        (Action("type", text="{secret.x}", point=Point(50, 50)), [element("", type="input", caption="City")], False),
        (Action("type", text="a", submit=True), [element("", type="input", caption="Search", state="focused")], True),
        (Action("press", key="enter"), [element("", type="input", caption="搜索", state="focused")], True),
        (Action("press", key="tab"), [], True),
        (Action("press", key="enter"), [element("More", type="link", state="focused")], True),
        (Action("press", key="space"), [element("More", state="focused")], False),
        (Action("press", key="#"), [element("More", state="focused")], False),
        (Action("open_url", text="https://shop.example/x"), [], False),
    ],
)
def test_browse_does_what_is_shown_to_be_harmless(action: Action, elements: list[Element], allowed: bool) -> None:
    """Each of the actions has evidence of its kind; without it nothing is allowed but what needs no target."""
    kind = {"select": "page", "type": "search", "click": "link"}.get(action.type, "link")
    kind = "search" if any(element.type == "input" for element in elements) else kind
    there = CurrentTarget(elements, "https://shop.example/", evidence=(kind,))
    assert check("browse", action, *elements, now=there).allowed is allowed
    for evidence in ((), ("",), (kind, "")):
        there = CurrentTarget(elements, "https://shop.example/", evidence=evidence)
        assert check("browse", action, *elements, now=there).allowed is (action.key == "tab")


@pytest.mark.parametrize("text", ["OK", "确定", "Log in", "下一步"])
def test_controls_that_confirm_something_are_asked_for_and_links_are_not(text: str) -> None:
    for kind, allowed in (("page", False), ("link", True)):
        there = CurrentTarget((element(text),), "https://shop.example/", evidence=(kind,))
        assert check("browse", CLICK, element(text), now=there).allowed is allowed


def test_what_is_there_now_counts_too() -> None:
    seen, swapped = element("Show more"), element("Delete account")
    link = partial(CurrentTarget, evidence=("link",))
    assert check("browse", CLICK, seen, now=link((seen,), "https://shop.example/")).allowed
    for now in (
        link((swapped,), "https://shop.example/"),
        link((), "https://shop.example/"),
        link((seen,), "https://evil.example/"),
        link((seen,), "https://shop.example/", words=("Pay $250",)),
        link((seen,), "https://shop.example/", leads=("https://evil.example/",)),
        link((seen,), "https://shop.example/", leads=("https://shop.example/?action=delete",)),
        link((seen,), "https://shop.example/", leads=("javascript:go()",)),
        link((seen,), "https://shop.example/", leads=("intent://x#Intent;end",)),
        link((seen,), "https://shop.example/", leads=("http://evil.example\\@shop.example/",)),
        link((seen,), "https://shop.example/", leads=("//",)),
    ):
        assert not check("browse", CLICK, seen, now=now).allowed, now
    for lead in ("https://shop.example/page/2", "javascript:void(0)", "https://shop.example/#"):
        now = link((seen,), "https://shop.example/", leads=(lead,))
        assert check("browse", CLICK, seen, now=now).allowed, lead
    typing = Action("type", text="x")
    focused = element("", type="input", caption="City", state="focused")
    hidden = CurrentTarget((focused,), "https://shop.example/", fields=("password",))
    assert check("browse", typing, focused, now=hidden).risk == "password"


def test_what_stands_around_a_link_is_not_its_label() -> None:
    """Paragraphs whose boxes reach under a floating link, the sentence that it stands in, and the address of the page
    in which it only jumps.
    """
    page = "https://shop.example/upgrade"
    paragraph = Element(2, Box(0, 0, 400, 90), "text", "Order today, pay later. " * 13, interactive=False)
    seen = [element("Prices", type="link"), paragraph]
    link = CurrentTarget(
        seen, page, words=("Prices", "Delete your account. " * 15), labels=("Prices",), evidence=("link",)
    )
    assert check("browse", CLICK, *seen, now=link).allowed
    for labels, leads, allowed in (
        (("Delete",), (), False),
        (("x" * 300,), (), False),
        (("Удалить",), (), False),
        (("Prices",), (f"{page}?action=delete#prices",), False),
        (("Prices",), (f"{page}#/account/close",), False),
        (("Prices",), (f"{page}#prices",), True),
    ):
        now = replace(link, labels=labels, leads=leads)
        assert check("browse", CLICK, *seen, now=now).allowed is allowed, (labels, leads)


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        " JavaScript:alert(1)",
        "java\tscript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "view-source:https://shop.example",
        "intent://x#Intent;end",
        "blob:https://shop.example/1",
        "about:config",
    ],
)
def test_some_addresses_are_never_opened(url: str) -> None:
    gate = Gate(ApprovalPolicy((), "allow"), ask=lambda _: "always")
    approval = gate.check(Action("open_url", text=url), shows(), Table())
    assert (approval.allowed, approval.by, approval.rule) == (False, "policy", "address")
    assert gate.check(Action("open_url", text="localhost:8000/x"), shows(), Table()).allowed


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example",
        "https://shop.example.evil.net",
        "https://shop.example@evil.net",
        "evil.example",
        "https://evil.net\\@shop.example",
        "https://shop．example",
    ],
)
def test_leaving_the_allowed_hosts_is_named(url: str) -> None:
    assert check("careful", Action("open_url", text=url)).risk == "leave"


# -- a real page ------------------------------------------------------------------------------------------------------

SHOP = """<!doctype html><meta charset="utf-8"><title>Shop</title>
<form action="/find"><input name="q" aria-label="Search the shop"><button>Go</button></form>
<form method="post" action="/say"><input name="q" aria-label="Search or say"><button>Broadcast</button></form>
<a href="/page/2">Next page</a> <a href="/cart/delete?id=3">Details</a> <a href="https://other.example/">Partner</a>
<a href="javascript:void(0)" onclick="1">Unfold</a> <a href="tel:112">Hotline</a>
<form action="/buy"><input aria-label="City"><input type="submit" value="Buy it"></form>
<label>Filter <input type="checkbox"></label>
"""


class ShopTabs(Tabs):
    """A host that is known to this browser alone."""

    async def start(self) -> None:
        await super().start()
        await self.context.route("https://shop.example/**", self._shop)

    @staticmethod
    async def _shop(route: Route) -> None:
        await route.fulfill(body=SHOP, content_type="text/html")


class ShopWorld(BrowserWorld):
    tabs_type = ShopTabs


Shop = tuple[BrowserWorld, Observation]


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with ShopWorld("https://shop.example/") as world:
        seen = world.reset()
        assert seen.error == ""
        yield world, seen


@pytest.mark.parametrize(
    ("name", "text", "allowed", "risk"),
    [
        ("Next page", None, True, ""),
        ("Details", None, False, "delete"),
        ("Partner", None, False, "leave"),
        ("Unfold", None, False, ""),
        ("Hotline", None, False, "send"),
        ("Search the shop", "tea", True, ""),
        ("Search or say", "tea", False, "send"),
        ("City", "Bergen", False, "order"),
        ("Filter", None, True, ""),
    ],
)
@pytest.mark.browser
def test_browse_on_a_page(shop: Shop, name: str, text: str | None, allowed: bool, risk: str) -> None:
    world, seen = shop
    place = next(e.center for e in seen.screen.elements if name in (e.text, e.caption))
    action = Action("type", text=text, point=place, submit=True) if text else Action("click", place)
    approval = Gate(load_approval_policy("browse"), allowed_hosts=["shop.example"]).check(action, seen, world)
    assert (approval.allowed, approval.risk) == (allowed, risk)


@pytest.mark.browser
def test_looking_needs_no_look_at_the_page(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    world, seen = shop
    monkeypatch.setattr(world, "current_target", None)
    for action in (Action("wait"), Action("press", key="back"), Action("answer", text="x")):
        assert Gate().check(action, seen, world).allowed
