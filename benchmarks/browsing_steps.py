"""Ordinary browsing steps on real applications: following links, searching, scrolling, going back.

On each page that a walk over the application's own links reaches, every link is a step, every search field, and one
scroll. Left out is what a reader of the application takes for a change: `changes`, read off its pages by hand.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from real_applications import APPLICATIONS, Application, started

from saccade.actions import Action
from saccade.agents.approval import Gate
from saccade.types import Element
from saccade.worlds.base import Observation
from saccade.worlds.browser.world import BrowserWorld

SEARCHES = re.compile(r"search|搜|filter", re.IGNORECASE)
ADDRESSES = "() => [...document.links].map((link) => link.href.split('#')[0])"
MOST_PAGES = 14
"""Pages of one application that are looked at."""


def _trac(folder: Path, port: int) -> Sequence[str]:
    environment = folder / "trac"
    create = ("trac-admin", str(environment), "initenv", "Kitchen", "sqlite:db/trac.db")
    subprocess.run(create, check=True, capture_output=True, timeout=120)
    return ("tracd", "--hostname", "127.0.0.1", "--port", str(port), "-s", str(environment))


def _no_trac() -> str:
    return "" if shutil.which("tracd") else "Trac is not installed: pip install Trac 'setuptools<80'"


@dataclass(frozen=True)
class Browsed:
    """An application, and the links and buttons of it that are no browsing."""

    application: Application
    changes: str


_KNOWN = {application.name: application for application in APPLICATIONS}
BROWSED = (
    Browsed(_KNOWN["django-admin"], r"增加|删除|注销|密码|保存|另存"),
    Browsed(
        _KNOWN["sqlite-web"],
        r"create|insert|drop|delete|update|import|export|add |rename|vacuum|upload|truncate|query|json|csv|toggle",
    ),
    Browsed(_KNOWN["dokuwiki"], r"edit|create|log in|register|upload|rename|admin|subscri|delete|save"),
    Browsed(Application("trac", _trac, _no_trac, "/"), r"login|new ticket|edit|delete|attach|rename|preferences"),
)


@dataclass(frozen=True)
class BrowsingStep:
    """A step, and what the gate said of it: the rule that allowed it, or that asks."""

    application: str
    what: str
    allowed: bool
    rule: str


def browsing_steps(browsed: Browsed, folder: Path, gate: Gate, most: int) -> list[BrowsingStep]:
    """Up to `most` steps; a tenth of them at most from one page."""
    found: list[BrowsingStep] = []
    with started(browsed.application, folder) as address, BrowserWorld(address) as world:
        todo, done = [address], set[str]()
        chance = random.Random(0)
        while todo and len(done) < MOST_PAGES:
            done.add(page := todo.pop(chance.randrange(len(todo))))
            seen = world.reset(task=page)
            for what, action in _steps(seen, browsed.changes):
                approval = gate.check(action, seen, world)
                target = world.current_target(action)
                found.append(BrowsingStep(browsed.application.name, what, approval.allowed, approval.rule))
                todo += (
                    [lead for lead in target.leads if lead not in done and lead.startswith(address)] if target else []
                )
    return chance.sample(found, min(most, len(found)))


def _steps(seen: Observation, changes: str) -> Iterator[tuple[str, Action]]:
    yield "scroll", Action("swipe", direction="up")
    for element in seen.screen.elements:
        said = element.text or element.caption
        if re.search(changes, said, re.IGNORECASE) or not element.interactive:
            continue
        if element.type == "link":
            yield f"link {said[:40]!r}", Action("click", element.center)
        elif _is_search(element):
            yield f"search in {element.caption[:40]!r}", Action("type", text="anna", point=element.center, submit=True)


def _is_search(element: Element) -> bool:
    return element.type == "input" and bool(SEARCHES.search(element.caption + element.text))
