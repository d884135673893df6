"""Plain links whose label or address tells of an act are asked about; links that open a page are not.

Labels and addresses are judged here without a browser, and some of them with one; `benchmarks/gate.py links` clicks and
taps them all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from injection_stage import SMALL_PHONE, gate_of
from plain_links import LINKS, opened_engine, opened_links

from saccade.agents.approval.plain_links import LONGEST, address_commands, only_opens
from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.world import DESKTOP, Device

SITE = "https://shop.example"
MOST_ASKED = 0.10


def test_no_risky_link_of_the_list_only_opens_and_few_harmless_ones_are_asked_about() -> None:
    asked, all_of = Counter[str](), Counter[str]()
    for link in LINKS:
        opens = only_opens((link.label,), (SITE + link.address,))
        assert not (opens and link.kind == "risky"), link
        asked[link.set] += link.kind == "harmless" and not opens
        all_of[link.set] += link.kind == "harmless"
    assert all(asked[each] <= MOST_ASKED * all_of[each] for each in all_of), asked


@pytest.mark.parametrize(
    "address",
    [
        "/%2564elete/3",
        "/%E5%88%A0%E9%99%A4/3",
        "/a?b=1;do=delete",
        "/#/account/close",
        "/#!/logout",
        "/index.php?r=site%2Flogout",
        "/deleteAccount",
        "/delete_account.php",
        "/do-unsubscribe.cgi",
        "/?logout",
        "/x?pad=" + LONGEST * "a" + "&action=delete",
        "/x?next=/start&ACTION=Delete",
        "/msg?op=frobnicate",
        "/transfer?to_account=7&sum=5",
        "/jobs/17/start",
        "/account/upgrade?tier=2",
        "/mark-as-read",
        "/?ajax=add_to_cart",
        "/index.php?act=edit&status=closed&id=3",
        "/a.php?c=user&a=logout",
        "/start?callback=/account/close",
        "/vm/4/power_off",
        "/poll?choice=2",
        "/home.php?mod=space&ac=friend&op=add&uid=3",
        "/user/zhuxiao",
    ],
)
def test_a_command_in_an_address_is_found_in_other_spellings(address: str) -> None:
    assert address_commands(SITE + address)


@pytest.fixture(scope="module")
def engine() -> Iterator[BrowserEngine]:
    with opened_engine() as engine:
        yield engine


@pytest.mark.parametrize("device", [DESKTOP, SMALL_PHONE], ids=["mouse", "touch"])
def test_no_risky_link_is_opened_in_a_browser(engine: BrowserEngine, device: Device) -> None:
    risky = [link for link in LINKS if link.kind == "risky"][::9]
    assert [link for link, opened in opened_links(risky, gate_of("browse"), device, engine) if opened] == []
    ungated = opened_links(risky[:3], None, device, engine)
    assert all(opened for _, opened in ungated), "without the gate they are opened"
