"""`saccade parse` and `saccade worlds` as a user runs them: real pages, right and wrong input."""

from __future__ import annotations

import io
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import command
import pytest
from command import CommandResult
from PIL import Image

from loopback import Handler, serve

PAGES = Path(__file__).parents[1] / "screens" / "pages"
DUMP = """<?xml version='1.0' encoding='UTF-8'?><hierarchy rotation="0">
<node class="android.widget.FrameLayout" bounds="[0,0][540,1200]">
<node class="android.widget.Button" text="Go [on]" clickable="true" bounds="[20,40][220,140]"/></node></hierarchy>"""
BUTTON = {"class": "android.widget.Button", "text": "Go [on]", "clickable": True, "bounds": [[40, 80], [440, 280]]}
ROOT = {"class": "android.widget.FrameLayout", "bounds": [[0, 0], [1080, 2400]], "parent": -1, "children": [1]}
STATE = {"width": 2400, "height": 1080, "views": [ROOT, BUTTON | {"parent": 0}]}


class Redirecting(Handler):
    def do_GET(self) -> None:  # noqa: N802
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", "http://elsewhere.example/")
            self.end_headers()
        else:
            super().do_GET()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with serve(PAGES, Redirecting) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A screen, its elements in two formats, and things that are neither."""
    folder = tmp_path_factory.mktemp("files")
    Image.new("RGB", (540, 1200), "white").save(folder / "screen.png")
    Image.new("RGB", (540, 1200), "white").save(folder / "screen.jpg")
    (folder / "dump.xml").write_text(DUMP, encoding="utf-8")
    (folder / "state.json").write_text(json.dumps(STATE), encoding="utf-8")
    (folder / "other.json").write_text('{"nodes": []}', encoding="utf-8")
    (folder / "broken.json").write_text('{"views": [', encoding="utf-8")
    (folder / "wrong.json").write_text('{"views": [{"bounds": 5}]}', encoding="utf-8")
    (folder / "page.xml").write_text("<html></html>", encoding="utf-8")
    (folder / "words.png").write_text("no picture", encoding="utf-8")
    noise = Image.frombytes("RGB", (99, 99), random.Random(0).randbytes(99 * 99 * 3))
    noise.save(folder / "cut.png")
    (folder / "cut.png").write_bytes((folder / "cut.png").read_bytes()[:9000])
    Image.new("1", (12_000, 12_000)).save(folder / "huge.png")
    (folder / "stubs").mkdir()
    return folder


@pytest.fixture
def here(files: Path, tmp_path: Path) -> Path:
    """A folder of the test's own with copies of these files."""
    return shutil.copytree(files, tmp_path, dirs_exist_ok=True)


def saccade(folder: Path, *arguments: str | Path, **environment: str) -> CommandResult:
    return command.saccade(*arguments, folder=folder, **environment)


def in_a_new_process(folder: Path, *arguments: str, path: str) -> subprocess.CompletedProcess[str]:
    """With a folder first on Python's path."""
    whole = os.environ | {"PYTHONPATH": path}
    argv = [sys.executable, "-m", "saccade", *arguments]
    return subprocess.run(argv, capture_output=True, text=True, timeout=90, env=whole, check=False, cwd=folder)


def read(folder: Path) -> dict[str, Any]:
    """What was written, after a look at the pictures."""
    written: dict[str, Any] = json.loads((folder / "elements.json").read_text(encoding="utf-8"))
    sizes = [Image.open(io.BytesIO((folder / name).read_bytes())).size for name in ("screen.png", "marked.png")]
    assert [list(size) for size in sizes] == [written["screen"]] * 2
    assert (folder / "screen.png").read_bytes() != (folder / "marked.png").read_bytes()
    return written


# -- pages ------------------------------------------------------------------------------------------------------------


@pytest.mark.browser
def test_page_on_a_desktop(here: Path, server: str) -> None:
    done = saccade(here, "parse", f"{server}/controls.html", "--out", "a/b")
    assert done.returncode == 0, done.stderr
    written = read(here / "a" / "b")
    assert written["screen"] == [1280, 800]
    assert {"text": "Japan", "type": "select"}.items() <= next(e for e in written["elements"] if e["id"] == 5).items()
    assert f"1280×800, {len(written['elements'])} elements" in done.stdout
    assert "Newsletter" in done.stdout
    assert "a/b/marked.png" in done.stdout
    for secret in ("correct horse", "battery staple"):
        assert secret not in done.stdout + json.dumps(written)


@pytest.mark.browser
def test_page_on_a_phone_as_json_writes_nothing(here: Path, server: str) -> None:
    before = set(here.iterdir())
    done = saccade(here, "parse", f"{server}/dark.html", "--device", "phone", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["screen"] == [1080, 2400]
    assert "飞行模式" in {element["text"] for element in told["elements"]}
    assert set(here.iterdir()) == before


@pytest.mark.browser
def test_host_that_is_not_allowed(here: Path, server: str) -> None:
    done = saccade(here, "parse", f"{server}/away")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "allow it with --allow elsewhere.example" in done.stderr
    assert not (here / "parsed").exists()


@pytest.mark.browser
def test_page_that_cannot_be_reached(here: Path) -> None:
    done = saccade(here, "parse", "http://127.0.0.1:9/")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "http://127.0.0.1:9/ could not be opened: net::ERR" in done.stderr


# -- images -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("image", "tree"), [("screen.png", "dump.xml"), ("screen.jpg", "state.json")])
def test_image_with_its_elements(here: Path, image: str, tree: str) -> None:
    done = saccade(here, "parse", image, "--tree", tree)
    assert done.returncode == 0, done.stderr
    written = read(here / "parsed")
    (element,) = written["elements"]
    assert element == {"id": 1, "box": [20, 40, 220, 140], "type": "button", "text": "Go [on]"}
    assert "Go [on]" in done.stdout
    assert "20, 40, 220, 140" in done.stdout


@pytest.mark.shared
def test_real_state(here: Path, shared_data: Path) -> None:
    states = shared_data / "droidbot_yelp" / "states"
    tree = states / "state_2017-08-11_202527.json"
    done = saccade(here, "parse", states / "screen_2017-08-11_202527.png", "--tree", tree, "--json", "--out", "real")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == read(here / "real")
    assert "1. Veraldi Hair Beauty Wellness" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["example.com"], "there is no file example.com: give a picture, a folder of pictures, or an"),
        (["stubs"], "stubs contains no pictures"),
        ([".", "--tree", "dump.xml"], "--tree is for one picture, and . is a folder"),
        (["words.png"], "words.png: it is not an image that can be read: give a PNG, JPEG or WebP file"),
        (["cut.png"], "cut.png: it is not an image that can be read: image file is truncated"),
        (["huge.png"], "huge.png: it is not an image that can be read: 12000×12000 pixels are more than 40,000,000"),
        (["screen.png", "--language", "fr"], "--language is 'fr': use en or zh"),
        (["screen.png", "--elements", "tree"], "a picture's elements come from --tree FILE, or"),
        (["screen.png", "--elements", "eyes"], "unknown element source 'eyes': use one of tree, vision"),
        (["screen.png", "--tree", "other.json"], "other.json: it is neither a uiautomator dump (XML) nor a DroidBot"),
        (["screen.png", "--tree", "broken.json"], "broken.json: it is neither"),
        (["screen.png", "--tree", "screen.jpg"], "screen.jpg: it is neither"),
        (["screen.png", "--tree", "wrong.json"], "wrong.json: views[0].bounds: Expected `array`"),
        (["screen.png", "--tree", "page.xml"], "page.xml: "),
        (["words.png", "--tree", "dump.xml"], "words.png: it is not an image"),
        (["screen.png", "--tree", "dump.xml", "--device", "phone"], "--device and --allow are for addresses only"),
        (["screen.png", "--tree", "dump.xml", "--out", "dump.xml"], "cannot write to dump.xml"),
        (["https://example.com", "--tree", "dump.xml"], "--tree is for pictures only"),
        (["https://example.com", "--device", "watch"], "unknown device 'watch': use one of desktop, phone"),
    ],
)
def test_wrong_use_is_one_sentence_and_exit_2(here: Path, arguments: list[str], complaint: str) -> None:
    done = saccade(here, "parse", *arguments)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr
    assert not (here / "parsed").exists()


# -- what is not installed --------------------------------------------------------------------------------------------


def without(here: Path, package: str) -> str:
    """A path on which a package cannot be imported."""
    stub = here / "stubs" / package
    stub.mkdir(parents=True)
    (stub / "__init__.py").write_text(f"raise ModuleNotFoundError('No module named {package}')\n", encoding="utf-8")
    return str(stub.parent)


@pytest.mark.browser  # it starts the Playwright driver, but no browser
def test_without_chromium(here: Path) -> None:
    done = saccade(here, "parse", "about:blank", SACCADE_CHROMIUM="/nowhere/chromium")
    assert done.returncode == 3
    assert done.stderr.strip() == "saccade: SACCADE_CHROMIUM is /nowhere/chromium, but there is no such file"


def test_without_playwright(here: Path) -> None:
    done = in_a_new_process(here, "parse", "about:blank", path=without(here, "playwright"))
    assert done.returncode == 3
    assert "pip install 'saccade[browser]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    done = in_a_new_process(here, "worlds", "list", "--json", path=str(here / "stubs"))
    assert done.returncode == 0, done.stderr
    assert "pip install 'saccade[browser]'" in json.loads(done.stdout.splitlines()[0])["detail"]


def test_worlds(here: Path) -> None:
    done = saccade(here, "worlds", "list")
    assert done.returncode == 0
    for words in ("browser", "miniwob/TASK", "android:SERIAL", "replay:FOLDER", "Chromium at"):
        assert words in done.stdout


def test_worlds_that_are_not_ready(here: Path) -> None:
    done = saccade(here, "worlds", "list", "--json", SACCADE_CHROMIUM="/nowhere/chromium", SACCADE_ADB="/nowhere/adb")
    assert done.returncode == 0, done.stderr
    told = {line["name"]: line for line in map(json.loads, done.stdout.splitlines())}
    told.pop("desktop")  # it depends on Debian packages
    assert {name: line["ready"] for name, line in told.items()} == {
        "browser": False,
        "miniwob": False,
        "phone": False,
        "android": False,
        "replay": True,
    }
    assert "SACCADE_CHROMIUM is /nowhere/chromium" in told["browser"]["detail"]
    assert "SACCADE_ADB is /nowhere/adb" in told["android"]["detail"]


def test_help_has_examples(here: Path) -> None:
    assert "saccade parse screen.png --tree window_dump.xml" in saccade(here, "parse", "--help").stdout
    assert "saccade worlds list --json" in saccade(here, "worlds", "list", "--help").stdout
