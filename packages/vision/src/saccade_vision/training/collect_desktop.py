"""Collects screens of real desktop applications with the boxes of their accessibility trees.

    python -m saccade_vision.training.collect_desktop --out DIR --screens 900 --seed 0

Each session opens one application (now and then two) on a desktop of its own in a random look, then clicks about:
menus, tabs, buttons, the shortcuts that open dialogs. It is a sandbox: nothing outside it can be harmed.
"""

from __future__ import annotations

import csv
import sqlite3
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
from PIL import Image, ImageDraw
from Xlib import X
from Xlib.error import XError

from saccade.actions import Action
from saccade.geometry import Box, Point
from saccade.screens.atspi import StackedWindow
from saccade.types import Element
from saccade.worlds.base import InfrastructureError, Observation
from saccade.worlds.desktop.applications import Application
from saccade.worlds.desktop.display import DesktopDisplay
from saccade.worlds.desktop.world import DesktopWorld
from saccade_vision.training.collect_common import (
    FEWEST_ELEMENTS,
    ScreenCollection,
    labels_of,
    pixels_of,
    progress_bar,
    read_arguments,
)
from saccade_vision.training.desktop_looks import COMMANDS, DesktopLook, installed

SCREENS_A_SESSION = 10
SESSION_SECONDS = 75.0
STEPS_A_SESSION = 22
START_SECONDS = 40.0
TWO_APPLICATIONS = 0.4
SHORTCUTS = ("ctrl+o", "ctrl+f", "ctrl+p", "ctrl+h", "ctrl+shift+s", "ctrl+s", "f1", "ctrl+n", "ctrl+t", "alt+enter")
_ENDS = ("quit", "exit", "close", "log out", "退出", "关闭", "minimi", "最小化", "full", "全屏")
_OPENS = (
    "prefer",
    "option",
    "setting",
    "propert",
    "about",
    "find",
    "首选",
    "选项",
    "设置",
    "属性",
    "关于",
    "查找",
    "...",
    "…",
)
SENTENCES = {
    "en": "The meeting starts at nine. Please bring the printed report, two pens and the spare key.\n",
    "zh": "会议九点开始。请带上打印好的报告、两支笔和备用钥匙。\n",
}


class StyledDesktopWorld(DesktopWorld):
    """A desktop in a given look, with some files in its home folder."""

    def __init__(self, application: str, look: DesktopLook) -> None:
        self.look = look
        super().__init__(application, size=look.size, locale=look.locale, settle_limit=1.5)

    def find_application(self, name: str) -> Application:
        """One of the programs that screens are collected of, in the look's environment. It is started once more if it
        fails: LibreOffice ends with a status of its own after it has made its folders.
        """
        words = [f"{key}={value}" for key, value in self.look.environment().items()]
        twice = ("sh", "-c", '"$@" || "$@"', "sh")
        return Application(("env", *words, *twice, *COMMANDS[name].split()), name, name)

    def prepare(self, home: Path, application: str) -> Sequence[str]:
        write_files(home, self.look.language)
        assert self.session is not None and self._display is not None  # it was started just before
        self.look.write(self.session.folder / "config")
        self.session.start(Application(("openbox", "--reconfigure"), "openbox", ""))
        self._display.root.change_attributes(background_pixel=self.look.background)
        self._display.root.clear_area()
        time.sleep(0.2)
        return ()

    def title_bars(self) -> list[Element]:
        """Title and buttons of every window that openbox put borders around."""
        assert self._display is not None
        return self.uncovered(title_bar_elements(self._display))

    def uncovered(self, elements: Sequence[Element]) -> list[Element]:
        """Those at whose corners (one may differ) the same window is on top as in their middle."""
        assert self._display is not None
        windows = self._display.windows()
        found = []
        for element in elements:
            box, own = element.box, _top(windows, element.center)
            xs, ys = (box.x0 + 2, box.x1 - 2), (box.y0 + 2, box.y1 - 2)
            if sum(_top(windows, Point(x, y)) != own for x in xs for y in ys) <= 1:
                found.append(element)
        return found


def _top(windows: Sequence[StackedWindow], point: Point) -> int:
    for at in range(len(windows) - 1, -1, -1):
        if windows[at].box.contains(point):
            return at
    return -1


def title_bar_elements(display: DesktopDisplay) -> list[Element]:
    """Openbox makes an X window for each part of a title bar, so the boxes of its buttons are exact."""
    found: list[Element] = []
    windows = display.windows()
    framed = {tuple(each.box)[:2]: at for at, each in enumerate(windows) if each.inner is not None}
    for frame in display.root.query_tree().children:
        try:
            shape = frame.get_geometry()
            own = framed.get((shape.x, shape.y))
            inner = windows[own].inner if own is not None else None
            if inner is None:
                continue
            bars = [each for each in frame.query_tree().children if shape.y + each.get_geometry().y < inner.y0]
            for part in [part for bar in bars for part in bar.query_tree().children]:
                at, inside = part.get_attributes(), part.get_geometry()
                if at.map_state != X.IsViewable or at.win_class != X.InputOutput or not 8 <= inside.height <= 48:
                    continue
                corner = part.translate_coords(display.root, 0, 0)
                square = inside.width <= 1.6 * inside.height
                box = Box.from_xywh(-corner.x, -corner.y, inside.width, inside.height)
                kind, text = ("button", "") if square else ("text", "title")
                if box.y1 <= inner.y0 and _top(windows, box.center) == own:
                    found.append(Element(0, box, kind, text, interactive=square))
        except XError:  # the window went away
            continue
    return found


def write_files(home: Path, language: str) -> None:
    """Something to open: texts, a table, a picture, a drawing, a program, a database, an archive, a PDF file."""
    text = SENTENCES[language] * 12
    names = {"en": ("Documents", "Music", "Work"), "zh": ("文档", "音乐", "工作")}[language]
    for name in (*names, "Pictures"):
        (home / name).mkdir(exist_ok=True)
    for name, words in (("notes.txt", text), ("letter.txt", text.replace("nine", "ten").replace("九", "十") + "\n!\n")):
        (home / name).write_text(words, encoding="utf-8")
    (home / "script.py").write_text("import sys\n\n\ndef main() -> int:\n    print(sys.argv)\n    return 0\n" * 5)
    with (home / "table.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([(f"item {at}", at, at * 3.5, text[:12]) for at in range(40)])
    rise, run = np.mgrid[0:300, 0:400]
    waves = np.stack([rise * 0.8, run * 0.6, 128 + 80 * np.sin(rise / 20 + run / 30)], axis=2).astype(np.uint8)
    Image.fromarray(waves).save(home / "Pictures/hills.png")
    Image.fromarray(waves[::-1, ::-1]).save(home / "Pictures/lake.jpg")
    shapes = '<circle cx="90" cy="80" r="60" fill="#d55"/><rect x="120" y="60" width="120" height="90" fill="#47b"/>'
    drawing = f'<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200">{shapes}</svg>'
    (home / "drawing.svg").write_text(drawing)
    page = Image.new("RGB", (600, 800), "white")
    for at in range(20):
        ImageDraw.Draw(page).text((50, 60 + 30 * at), f"{at + 1}. The quick brown fox jumps over the lazy dog", "black")
    page.save(home / "paper.pdf")
    with zipfile.ZipFile(home / "archive.zip", "w") as archive:
        for name in ("notes.txt", "script.py", "table.csv"):
            archive.write(home / name, name)
    with sqlite3.connect(home / "shop.db") as base:
        base.execute("create table if not exists goods (name text, price real, stock integer)")
        base.executemany("insert into goods values (?, ?, ?)", [(f"thing {at}", at * 2.5, at) for at in range(30)])


def next_action(elements: Sequence[Element], random: Random) -> Action:
    """A click, mostly on what opens something, or a shortcut; seldom on what closes a window."""
    if random.random() < 0.2:
        return Action("press", key=random.choice(SHORTCUTS))
    if random.random() < 0.12:
        return Action("press", key="escape")
    weights = []
    for element in elements:
        name = (element.text + element.caption).casefold()
        weight = {"menuitem": 4.0, "tab": 4.0, "button": 2.0, "select": 2.0, "checkbox": 0.7}.get(element.type, 0.6)
        weight *= 4.0 if any(word in name for word in _OPENS) else 1.0
        weight *= 0.03 if any(word in name for word in _ENDS) else 1.0
        weights.append(weight if element.interactive and "disabled" not in element.state else 0.0)
    if not any(weights):
        return Action("press", key="escape")
    chosen = random.choices(list(elements), weights)[0]
    kind = "click" if random.random() < 0.93 else "right_click"
    return Action(kind, chosen.center)  # type: ignore[arg-type]


def collect_session(screens: ScreenCollection, application: str, look: DesktopLook, random: Random, limit: int) -> int:
    """Open the application and walk about. Returns how many screens were stored."""
    screens.new_session()
    stored = 0
    world = StyledDesktopWorld(application, look)
    try:
        seen = _started(world)
        if random.random() < TWO_APPLICATIONS and not look.maximised:
            other = random.choice(installed([]))
            seen = world.act(Action("open_app", text=other))
        deadline = time.monotonic() + SESSION_SECONDS
        for _ in range(STEPS_A_SESSION):
            if stored >= limit or time.monotonic() > deadline:
                break
            elements = world.uncovered(seen.screen.elements)
            stored += _store(screens, world, seen, elements, application)
            if not elements:
                break
            seen = world.act(next_action(elements, random))
    except InfrastructureError:
        pass  # the application crashed: the next session starts another
    finally:
        world.close()
    return stored


def _started(world: StyledDesktopWorld) -> Observation:
    """The first screen with elements on it; office programs take long."""
    deadline = time.monotonic() + START_SECONDS
    seen = world.reset()
    while len(seen.screen.elements) < FEWEST_ELEMENTS and time.monotonic() < deadline:
        seen = world.act(Action("wait"))
    return seen


def _store(
    screens: ScreenCollection, world: StyledDesktopWorld, seen: Observation, elements: list[Element], application: str
) -> bool:
    if seen.screen.picture is None:
        return False
    pixels = pixels_of(seen.screen.picture.data())
    labels = labels_of([*elements, *world.title_bars()], pixels)
    look = world.look
    return screens.add(pixels, labels, source=f"desktop/{application}", look=look.name, language=look.language)


def main() -> None:
    options = read_arguments("Collect screens of desktop applications with the boxes of their elements.")
    screens = ScreenCollection(options.out)
    names = installed(options.only)
    failed: dict[str, int] = dict.fromkeys(names, 0)
    with progress_bar() as bar:
        task = bar.add_task("desktop", total=options.screens, completed=len(screens))
        while len(screens) < options.screens and names:
            random = Random(f"{options.seed}/{len(screens)}/{sum(failed.values())}")
            name = screens.next_source([f"desktop/{each}" for each in names], random).partition("/")[2]
            bar.update(task, description=name)
            limit = min(SCREENS_A_SESSION, options.screens - len(screens))
            stored = collect_session(screens, name, DesktopLook.draw(random), random, limit)
            failed[name] = failed[name] + 1 if stored == 0 else 0
            if failed[name] >= 2:
                names.remove(name)  # it shows no elements, or its boxes are not where things are
                bar.console.print(f"{name} gave no screens twice: left out")
            bar.update(task, completed=len(screens))


if __name__ == "__main__":
    main()
