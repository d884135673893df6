"""Popups of Qt 5, Qt 6 and GTK 4, buttons of title bars, and keys that press buttons."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from desktop_helpers import EditorWorld, the

from saccade.actions import Action
from saccade.geometry import Point
from saccade.types import Screen
from saccade.worlds.desktop.applications import APPLICATIONS, Application
from saccade.worlds.desktop.dbus import SECONDS, Bus, Call
from saccade.worlds.desktop.world import DesktopWorld

pytest_plugins = ["desktop_fixtures"]
pytestmark = [pytest.mark.desktop, pytest.mark.usefixtures("installed")]

QT_6 = "/usr/lib/qt6/bin/assistant"
GTK_4 = "gnome-text-editor"


def in_popups(world: DesktopWorld, screen: Screen) -> dict[str, Point]:
    """The texts in popup windows, and where to click them. Each popup must be full of its own elements."""
    assert world._display is not None
    popups = [window.box for window in world._display.windows() if window.popup and window.process]
    inside = [each for each in screen.elements if any(popup.contains(each.center) for popup in popups)]
    for each in inside:
        assert any(popup.iou(each.box) > 0 and popup.x0 <= each.box.x0 and each.box.x1 <= popup.x1 for popup in popups)
    return {each.text: each.center for each in inside if each.type == "menuitem"}


def test_context_menus_of_qt_5() -> None:
    """They are in no tree; nor may lists of closed combo boxes be taken for a menu's items."""
    with DesktopWorld("sqlitebrowser") as world:
        bar = the(world.reset().screen, "DB Toolbar", "toolbar").box
        seen = world.act(Action("right_click", Point(bar.x0 + 3, bar.center.y)))
        items = in_popups(world, seen.screen)
        assert {"SQL Log", "Plot", "DB Toolbar"} <= items.keys()
        seen = world.act(Action("click", items["DB Toolbar"]))
        assert not in_popups(world, seen.screen)
        assert not [each for each in seen.screen.elements if each.text == "DB Toolbar"], "it was switched off"
        seen = world.act(Action("click", the(seen.screen, "File", "menuitem").center))
        assert in_popups(world, seen.screen).keys() >= {"New Database...", "Exit"}
        assert not [each for each in seen.screen.elements if each.type == "listitem"]


def test_context_menus_of_qt_6(monkeypatch: pytest.MonkeyPatch) -> None:
    if not Path(QT_6).exists():
        pytest.skip("there is no Qt 6 program: apt-get install assistant-qt6 libqt6sql6-sqlite")
    monkeypatch.setitem(APPLICATIONS, "qt", Application((QT_6,), "assistant-qt6", "a Qt 6 program"))
    with DesktopWorld("qt") as world:
        bar = the(world.reset().screen, "Navigation Toolbar", "toolbar").box
        seen = world.act(Action("right_click", Point(bar.x0 + 3, bar.center.y)))
        items = in_popups(world, seen.screen)
        assert {"Open Pages", "Navigation Toolbar"} <= items.keys()
        seen = world.act(Action("click", items["Navigation Toolbar"]))
        assert not [each for each in seen.screen.elements if each.text == "Navigation Toolbar"]


def test_popovers_of_gtk_4(monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which(GTK_4) is None:
        pytest.skip(f"there is no GTK 4 program: apt-get install {GTK_4}")
    monkeypatch.setitem(APPLICATIONS, "gtk", Application((GTK_4, "--standalone"), GTK_4, "a GTK 4 program"))
    with DesktopWorld("gtk") as world:
        seen = world.reset()
        editor = the(seen.screen, type="input").box.center
        seen = world.act(Action("type", point=editor, text="one two"))
        seen = world.act(Action("right_click", editor))
        seen = world.act(Action("click", in_popups(world, seen.screen)["Change Case"]))
        assert "Paste" not in in_popups(world, seen.screen), "it is on the page behind"
        seen = world.act(Action("press", key="escape"))
        seen = world.act(Action("right_click", editor))
        seen = world.act(Action("click", in_popups(world, seen.screen)["Select All"]))
        seen = world.act(Action("type", text="three"))
        assert the(seen.screen, type="input").text == "three"


def test_the_buttons_of_a_title_bar(editor: EditorWorld) -> None:
    seen = editor.reset()
    found = {each.caption: each for each in seen.screen.elements if each.type == "button" and each.caption}
    assert list(found) == ["Minimize window", "Maximize window", "Close window"]
    seen = editor.act(Action("click", found["Maximize window"].center))
    assert seen.screen.elements[0].box.width == 1280
    found = {each.caption: each for each in seen.screen.elements}
    assert found["Close window"].box.x1 > 1260
    seen = editor.act(Action("click", found["Close window"].center))
    seen = editor.act(Action("wait", seconds=0.3)) if not seen.events else seen
    assert seen.events == ("mousepad ended",)


def test_a_screen_is_read_again_in_one_batch(calculator: DesktopWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    calculator.reset()
    first = list(calculator._find_elements())
    batches: list[int] = []
    plain = Bus.call_all

    def counting(self: Bus, calls: Sequence[Call], seconds: float = SECONDS) -> list[Any]:
        batches.append(len(calls))
        return plain(self, calls, seconds)

    monkeypatch.setattr(Bus, "call_all", counting)
    assert list(calculator._find_elements()) == first
    assert len(batches) <= 2 and sum(batches) > 100, "one to the registry, one straight to the application"


def test_the_same_digit_again_and_again(calculator: DesktopWorld) -> None:
    """A key of the calculator stays down for a quarter of a second, and takes no second press meanwhile."""
    calculator.reset()
    seen = calculator.act(Action("type", text="100552"))
    seen = calculator.act(Action("press", key="2"))
    seen = calculator.act(Action("press", key="2"))
    assert the(seen.screen, type="input").text.split()[0] == "10055222"
