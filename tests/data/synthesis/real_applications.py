"""Web applications that nobody here wrote, each started on 127.0.0.1 with data that is thrown away.

Django's admin and sqlite-web come from PyPI (extra `dev`), DokuWiki from Debian (packages dokuwiki and php-cli).
Nobody has to log in: a walk types no passwords.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

READY_SECONDS = 40.0
DOKUWIKI = Path("/usr/share/dokuwiki")


@dataclass(frozen=True)
class Application:
    """How an application is started. `missing` says what to install where it cannot be."""

    name: str
    command: Callable[[Path, int], Sequence[str]]
    """From a folder for its data and a port to the command that serves it."""
    missing: Callable[[], str]
    path: str = "/"


@contextmanager
def started(application: Application, folder: Path) -> Iterator[str]:
    """The address of the application while it runs. Its data lies in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    command = application.command(folder, port)
    address = f"http://127.0.0.1:{port}{application.path}"
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, env=os.environ | {"HOME": str(folder)})
        try:
            wait_until_served(address, process, folder / "server.log")
            yield address
        finally:
            process.terminate()
            process.wait(10)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def wait_until_served(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + READY_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{address} answers {error.code}: {log.read_text(errors='replace')[-2000:]}") from None
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"{address} did not come up: {log.read_text(errors='replace')[-2000:]}")


# -- Django's admin ----------------------------------------------------------------------------------------------------

_SETTINGS = """
import sys
from pathlib import Path

import django
from django.conf import settings

FOLDER = Path(__file__).parent
settings.configure(
    DEBUG=True, SECRET_KEY="of a test", ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF="site_of_a_test", USE_TZ=True,
    LANGUAGE_CODE="zh-hans", STATIC_URL="static/", DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": FOLDER / "site.sqlite3"}},
    INSTALLED_APPS=[f"django.contrib.{name}" for name in
                    ("admin", "auth", "contenttypes", "sessions", "messages", "staticfiles", "sites", "flatpages")],
    SITE_ID=1,
    MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.common.CommonMiddleware",
                "django.contrib.auth.middleware.AuthenticationMiddleware", "site_of_a_test.everybody_is_admin",
                "django.contrib.messages.middleware.MessageMiddleware"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True, "OPTIONS": {
        "context_processors": [f"django.{name}" for name in (
            "template.context_processors.request", "contrib.auth.context_processors.auth",
            "contrib.messages.context_processors.messages")]}}],
)


def everybody_is_admin(answer):
    from django.contrib.auth import get_user_model

    def answered(request):
        request.user = get_user_model().objects.get(username="admin")
        return answer(request)

    return answered


def fill():
    from django.contrib.auth.models import Group, User
    from django.contrib.flatpages.models import FlatPage

    User.objects.create_superuser("admin", "admin@example.com", "of a test")
    for name in ("anna", "boris", "chen", "dora", "emil", "fatima"):
        User.objects.create_user(name, f"{name}@example.com", first_name=name.title(), is_staff=name < "d")
    for name in ("Editors", "Authors", "Translators"):
        Group.objects.create(name=name)
    for name in ("about", "help", "imprint"):
        FlatPage.objects.create(url=f"/{name}/", title=name.title(), content=f"The page {name}.").sites.set([1])


if __name__ == "__main__":
    sys.modules["site_of_a_test"] = sys.modules["__main__"]
    django.setup()
    from django.contrib import admin
    from django.core.management import call_command
    from django.urls import path

    urlpatterns = [path("admin/", admin.site.urls)]
    call_command("migrate", verbosity=0)
    fill()
    call_command("runserver", f"127.0.0.1:{sys.argv[1]}", "--noreload")
"""


def _django(folder: Path, port: int) -> Sequence[str]:
    """In Chinese, so that one of the applications is."""
    (folder / "site_of_a_test.py").write_text(_SETTINGS, encoding="utf-8")
    return (sys.executable, str(folder / "site_of_a_test.py"), str(port))


def _module(name: str, package: str) -> Callable[[], str]:
    return lambda: "" if importlib.util.find_spec(name) else f"{package} is not installed: make setup-all"


# -- sqlite-web --------------------------------------------------------------------------------------------------------


def _sqlite_web(folder: Path, port: int) -> Sequence[str]:
    with sqlite3.connect(folder / "library.sqlite3") as database:
        database.execute("CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, author TEXT, year INTEGER)")
        database.execute("CREATE TABLE reader (id INTEGER PRIMARY KEY, name TEXT, town TEXT)")
        database.execute("CREATE INDEX book_author ON book (author)")
        books = [
            ("Dream of the Red Chamber", "Cao Xueqin", 1791),
            ("Emma", "Jane Austen", 1815),
            ("水浒传", "施耐庵", 1589),
        ]
        database.executemany("INSERT INTO book (title, author, year) VALUES (?, ?, ?)", books * 30)
        database.executemany("INSERT INTO reader (name, town) VALUES (?, ?)", [("Anna", "Ulm"), ("李娜", "杭州")] * 5)
    options = ("--no-browser", "--host", "127.0.0.1", "--port", str(port))
    return (sys.executable, "-m", "sqlite_web.sqlite_web", *options, str(folder / "library.sqlite3"))


# -- DokuWiki ----------------------------------------------------------------------------------------------------------

_PAGES = {
    "start": "====== Kitchen notes ======\n  * [[recipes:soup|Soup]]\n  * [[recipes:bread|Bread]]\n  * [[shopping]]\n",
    "recipes/soup": "====== Soup ======\n===== Things =====\n  * carrots\n  * leeks\nSee [[recipes:bread]].\n",
    "recipes/bread": "====== Bread ======\nFlour, water, salt. ((And time.)) Back to [[:start]].\n",
    "shopping": "====== Shopping ======\n^ what ^ how much ^\n| flour | 1 kg |\n| milk | 2 l |\n",
}


def _dokuwiki(folder: Path, port: int) -> Sequence[str]:
    """The installed program with a configuration and data of its own: everybody may read and edit."""
    configuration, data = folder / "conf", folder / "data"
    shutil.copytree("/etc/dokuwiki", configuration, ignore=lambda _, names: [n for n in names if "auth.php" in n])
    for name in "pages attic media media_attic media_meta meta cache index locks tmp log".split():
        (data / name).mkdir(parents=True, exist_ok=True)
    for name, text in _PAGES.items():
        (data / "pages" / f"{name}.txt").parent.mkdir(exist_ok=True)
        (data / "pages" / f"{name}.txt").write_text(text, encoding="utf-8")
    local = {"title": "Kitchen", "useacl": 0, "savedir": str(data), "updatecheck": 0}
    lines = "".join(f"$conf['{key}'] = {value!r};\n" for key, value in local.items())
    (configuration / "local.php").write_text(f"<?php\n{lines}", encoding="utf-8")
    (folder / "prepend.php").write_text(f"<?php define('DOKU_CONF', '{configuration}/');\n", encoding="utf-8")
    php = shutil.which("php") or "php"
    return (php, "-d", f"auto_prepend_file={folder / 'prepend.php'}", "-S", f"127.0.0.1:{port}", "-t", str(DOKUWIKI))


def _no_dokuwiki() -> str:
    if shutil.which("php") and (DOKUWIKI / "doku.php").is_file():
        return ""
    return "DokuWiki is not installed: apt-get install --no-install-recommends dokuwiki php-cli"


APPLICATIONS = (
    Application("django-admin", _django, _module("django", "Django"), "/admin/"),
    Application("sqlite-web", _sqlite_web, _module("sqlite_web", "sqlite-web"), "/"),
    Application("dokuwiki", _dokuwiki, _no_dokuwiki, "/doku.php"),
)
