"""Ordinary browsing steps on real applications: following links, searching, scrolling, going back.

On each page that a walk over the application's own links reaches, every link is a step, every search field, and one
scroll. Left out is what a reader of the application takes for a change (`changes`): for the applications that nobody
looked at before, one list of words written beforehand.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

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
MEDIAWIKI = Path("/usr/share/mediawiki")
WIKI_PAGES = {
    "Main Page": "= Kitchen =\n* [[Soup]]\n* [[Bread]]\n* [[Shopping list]]\n",
    "Soup": "== Things ==\nCarrots, leeks. See [[Bread]].\n== Steps ==\nCook.\n[[Category:Recipes]]\n",
    "Bread": "== Things ==\nFlour, water, salt.\n== Steps ==\nBake. Back to the [[Main Page]].\n[[Category:Recipes]]\n",
    "Shopping list": "Flour, milk. Order it at the mill. [[Category:Lists]]\n",
}
CHANGES = (
    r"log ?in|log ?out|register|create|\bnew\b|edit|delete|remove|\bmove\b|upload|attach|rename|preferences|\bwatch|"
    r"subscri|submit|send|import|export|download|\badd\b|lost|protect|save"
)
"""What is no browsing, for applications that nobody looked at before this was written."""


def _trac(folder: Path, port: int) -> Sequence[str]:
    environment = folder / "trac"
    create = ("trac-admin", str(environment), "initenv", "Kitchen", "sqlite:db/trac.db")
    subprocess.run(create, check=True, capture_output=True, timeout=120)
    return ("tracd", "--hostname", "127.0.0.1", "--port", str(port), "-s", str(environment))


def _roundup(folder: Path, port: int) -> Sequence[str]:
    home = str(folder / "demo")
    settings = f"tracker_web=http://127.0.0.1:{port}/,mail_domain=example.com,mail_host=localhost"
    titles = ("Soup is too salty", "Bread does not rise", "Delete old recipes", "Order new pans")
    for words in (
        ("install", "classic", "sqlite", settings),
        ("initialise", "of a test"),
        *(("create", "issue", f"title={title}", "priority=2", "status=1") for title in titles),
    ):
        subprocess.run(("roundup-admin", "-i", home, *words), check=True, capture_output=True, timeout=60)
    serve = folder / "serve.py"  # its own server refuses to run as root, as in many containers
    serve.write_text(
        "from wsgiref.simple_server import make_server\nfrom roundup.cgi.wsgi_handler import RequestDispatcher\n"
        f"make_server('127.0.0.1', {port}, RequestDispatcher({home!r})).serve_forever()\n",
        encoding="utf-8",
    )
    return (str(Path(shutil.which("roundup-admin") or "").with_name("python")), str(serve))


def _mediawiki(folder: Path, port: int) -> Sequence[str]:
    php = shutil.which("php") or "php"
    maintenance = MEDIAWIKI / "maintenance"
    address = f"http://127.0.0.1:{port}"
    options = ["--dbtype", "sqlite", "--dbpath", str(folder / "data"), "--dbname", "kitchen", "--confpath", str(folder)]
    options += ("--server", address, "--scriptpath", "", "--pass", "of a test only 1", "Kitchen", "Cook")
    subprocess.run((php, maintenance / "install.php", *options), check=True, capture_output=True, timeout=180)
    environment = os.environ | {"MW_CONFIG_FILE": str(folder / "LocalSettings.php")}
    for title, text in WIKI_PAGES.items():
        edit = (php, maintenance / "edit.php", "--user", "Cook", title)
        subprocess.run(edit, input=text.encode(), env=environment, check=True, capture_output=True, timeout=60)
    served = ("-S", f"127.0.0.1:{port}", "-t", str(MEDIAWIKI))
    return ("env", f"MW_CONFIG_FILE={folder / 'LocalSettings.php'}", php, *served)


def _datasette(folder: Path, port: int) -> Sequence[str]:
    with sqlite3.connect(folder / "kitchen.db") as database:
        database.execute("CREATE TABLE recipes (id INTEGER PRIMARY KEY, title TEXT, minutes INTEGER, cook TEXT)")
        database.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, what TEXT, sent TEXT)")
        recipes = [("Soup", 40, "Anna"), ("Bread", 180, "Boris"), ("Remove the stones", 5, "Chen")]
        database.executemany("INSERT INTO recipes (title, minutes, cook) VALUES (?, ?, ?)", recipes * 40)
        database.executemany("INSERT INTO orders (what, sent) VALUES (?, ?)", [("flour", "2026-01-02")] * 30)
    return ("datasette", str(folder / "kitchen.db"), "--host", "127.0.0.1", "--port", str(port))


def _mercurial(folder: Path, port: int) -> Sequence[str]:
    home = folder / "kitchen"
    subprocess.run(("hg", "init", home), check=True, capture_output=True, timeout=60)
    for name, text in WIKI_PAGES.items():
        (home / f"{name}.txt").write_text(text, encoding="utf-8")
        commit = ("hg", "--cwd", home, "commit", "--addremove", "--user", "Cook", "--message", f"Add {name}")
        subprocess.run(commit, check=True, capture_output=True, timeout=60)
    return ("hg", "serve", "--cwd", str(home), "--address", "127.0.0.1", "--port", str(port))


def _fossil(folder: Path, port: int) -> Sequence[str]:
    repository, checkout = str(folder / "kitchen.fossil"), folder / "kitchen"
    environment = os.environ | {"HOME": str(folder), "USER": "Cook"}
    checkout.mkdir()

    def fossil(*words: str) -> None:
        subprocess.run(("fossil", *words), cwd=checkout, env=environment, check=True, capture_output=True, timeout=60)

    fossil("init", repository, "--admin-user", "Cook")
    fossil("open", repository)
    for name, text in WIKI_PAGES.items():
        file = checkout / f"{name.replace(' ', '-')}.md"
        file.write_text(text, encoding="utf-8")
        fossil("wiki", "create", name, str(file), "--mimetype", "text/x-markdown")
        fossil("add", file.name)
        fossil("commit", "--no-warnings", "-m", f"Add {name}")
        fossil("ticket", "add", "title", f"{name} is too short", "status", "Open", "type", "Feature_Request")
    return ("fossil", "server", repository, "--port", str(port), "--localhost", "--nojail")


def _klaus(folder: Path, port: int) -> Sequence[str]:
    home = folder / "kitchen"
    subprocess.run(("git", "init", "--quiet", home), check=True, capture_output=True, timeout=60)
    for name, text in WIKI_PAGES.items():
        (home / f"{name}.md").write_text(text, encoding="utf-8")
        subprocess.run(("git", "-C", home, "add", "."), check=True, capture_output=True, timeout=60)
        author = ("-c", "user.name=Cook", "-c", "user.email=cook@example.com")
        commit = ("git", "-C", home, *author, "commit", "--quiet", "--message", f"Add {name}")
        subprocess.run(commit, check=True, capture_output=True, timeout=60)
    return ("klaus", "--host", "127.0.0.1", "--port", str(port), str(home))


def _pydoc(folder: Path, port: int) -> Sequence[str]:
    del folder
    serve = "import pydoc, sys, time; pydoc._start_server(pydoc._url_handler, '127.0.0.1', int(sys.argv[1]));"
    return (sys.executable, "-c", f"{serve} time.sleep(1e6)", str(port))


def _no_datasette() -> str:
    return "" if shutil.which("datasette") else "Datasette is not installed: pip install datasette"


def _no_mercurial() -> str:
    return "" if shutil.which("hg") else "Mercurial is not installed: pip install mercurial"


def _no_fossil() -> str:
    return "" if shutil.which("fossil") else "Fossil is not installed: apt-get install --no-install-recommends fossil"


def _no_klaus() -> str:
    return "" if shutil.which("klaus") else "Klaus is not installed: pip install klaus"


def _no_trac() -> str:
    return "" if shutil.which("tracd") else "Trac is not installed: pip install Trac 'setuptools<80'"


def _no_roundup() -> str:
    return "" if shutil.which("roundup-admin") else "Roundup is not installed: pip install roundup"


def _no_mediawiki() -> str:
    if shutil.which("php") and MEDIAWIKI.is_dir():
        return ""
    return "MediaWiki is not installed: apt-get install --no-install-recommends mediawiki php-cli php-sqlite3"


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
    Browsed(Application("trac", _trac, _no_trac, "/"), CHANGES),
    Browsed(Application("roundup", _roundup, _no_roundup, "/"), CHANGES),
    Browsed(Application("mediawiki", _mediawiki, _no_mediawiki, "/index.php"), CHANGES),
    Browsed(Application("datasette", _datasette, _no_datasette, "/"), CHANGES),
    Browsed(Application("mercurial", _mercurial, _no_mercurial, "/"), CHANGES),
    Browsed(Application("pydoc", _pydoc, lambda: "", "/"), CHANGES),
    Browsed(Application("fossil", _fossil, _no_fossil, "/"), CHANGES),
    Browsed(Application("klaus", _klaus, _no_klaus, "/"), CHANGES),
)


@dataclass(frozen=True)
class BrowsingStep:
    """A step, and what the gate said of it: the rule that allowed it, or that asks."""

    application: str
    what: str
    allowed: bool
    rule: str
    outside: bool
    """Does it lead to a host that is not allowed?"""


def browsing_steps(browsed: Browsed, folder: Path, gate: Gate) -> list[BrowsingStep]:
    """All steps that the walk came by; what is on several pages occurs several times."""
    found: list[BrowsingStep] = []
    with started(browsed.application, folder) as address, BrowserWorld(address) as world:
        todo, done = [address], set[str]()
        root = f"http://{urlsplit(address).netloc}/"
        chance = random.Random(0)
        while todo and len(done) < MOST_PAGES:
            done.add(page := todo.pop(chance.randrange(len(todo))))
            seen = world.reset(task=page)
            for what, action in _steps(seen, browsed.changes):
                approval = gate.check(action, seen, world)
                target = world.current_target(action)
                leads = target.leads if target else ()
                outside = any(urlsplit(lead).hostname not in (None, "127.0.0.1") for lead in leads)
                found.append(BrowsingStep(browsed.application.name, what, approval.allowed, approval.rule, outside))
                todo += [lead for lead in leads if lead not in done and lead.startswith(root)]
    return found


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
