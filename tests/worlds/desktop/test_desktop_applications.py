"""Applications of other tool kits: a GTK 2 file manager with many files, a Qt database browser with many rows."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from desktop_helpers import the, wait_until

from saccade.actions import Action
from saccade.geometry import Point
from saccade.worlds.desktop.applications import APPLICATIONS, Application
from saccade.worlds.desktop.world import DesktopWorld

pytest_plugins = ["desktop_fixtures"]
pytestmark = [pytest.mark.desktop, pytest.mark.usefixtures("installed")]


class FilesWorld(DesktopWorld):
    def prepare(self, home: Path, application: str) -> list[str]:
        for number in range(400):
            (home / f"文件 {number:03}.txt").write_text("x", encoding="utf-8")
        return []


class DatabaseWorld(DesktopWorld):
    def prepare(self, home: Path, application: str) -> list[str]:
        with sqlite3.connect(home / "shop.db") as database:
            database.execute("create table goods (id integer primary key, name text, price real)")
            database.executemany("insert into goods (name, price) values (?, 1)", [(f"茶 {n}",) for n in range(5000)])
        return ["shop.db"]


def test_a_folder_with_many_files_can_be_changed() -> None:
    with FilesWorld("pcmanfm") as world:
        seen = world.reset()
        seen = world.act(Action("click", the(seen.screen, "View", "menuitem").center))
        seen = world.act(Action("hover", the(seen.screen, "Sort Files", "menuitem").center))
        assert the(seen.screen, "By Size", "menuitem") and the(seen.screen, "Zoom In", "menuitem"), "a submenu, too"
        world.act(Action("press", key="escape"))
        world.act(Action("press", key="escape"))
        seen = world.act(Action("press", key="escape"))
        shown = [element.text for element in seen.screen.elements if element.type == "icon" and "文件" in element.text]
        assert "文件 001.txt" in shown and 10 < len(shown) < 60, "those that are on the screen"
        seen = world.act(Action("right_click", the(seen.screen, "文件 001.txt").center))
        seen = world.act(Action("click", the(seen.screen, "Rename...").center))
        world.act(Action("press", key="ctrl+a"))
        world.act(Action("type", text="新名字.txt", submit=True))
        assert world.session is not None
        assert wait_until((world.session.home / "新名字.txt").exists)
        assert not (world.session.home / "文件 001.txt").exists()


def test_rows_that_are_shown_and_text_typed_into_qt() -> None:
    with DatabaseWorld("sqlitebrowser", size="1920x1080") as world:
        seen = world.reset()
        seen = world.act(Action("click", the(seen.screen, "Browse Data", "tab").center))
        cells = [element.text for element in seen.screen.elements if element.type == "cell"]
        assert "茶 3" in cells and len(cells) < 300
        seen = world.act(Action("click", the(seen.screen, "File").center))
        assert the(seen.screen, "Close Database", "menuitem").interactive
        world.act(Action("press", key="escape"))
        seen = world.act(Action("press", key="escape"))
        seen = world.act(Action("click", the(seen.screen, "Execute SQL", "tab").center))
        editor = [e for e in seen.screen.elements if e.type == "input" and e.box.center.x < 960]
        place = min(editor, key=lambda element: element.box.y0).box
        sql = "insert into goods (name, price) values ('咖啡 ☕ кофе', 3);"
        world.act(Action("type", point=Point(place.center.x, place.y0 + 12), text=sql))
        world.act(Action("press", key="f5"))
        world.act(Action("press", key="ctrl+s"))
        assert world.session is not None
        file = world.session.home / "shop.db"

        def stored() -> bool:
            with sqlite3.connect(file) as database:
                return database.execute("select name, price from goods where id > 5000").fetchall() == [
                    ("咖啡 ☕ кофе", 3)
                ]

        assert wait_until(stored)


def test_an_application_without_a_tree_has_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here Galculator is started without its accessibility bridge."""
    bare = Application(("env", "NO_AT_BRIDGE=1", "GTK_MODULES=", "galculator"), "galculator", "bare calculator")
    monkeypatch.setitem(APPLICATIONS, "bare", bare)
    with DesktopWorld("bare") as world:
        seen = world.reset()
        assert seen.events == ("bare has shown no elements yet",)
        assert not seen.screen.elements and seen.screen.picture is not None
        before = seen.screen.picture.data()
        seen = world.act(Action("type", text="42"))
        assert seen.screen.picture is not None and seen.screen.picture.data() != before
