"""Does a click at the centre of an element reach it? Elements of all applications: of their start screens, of menus, of
context menus, and of dialogs that menus open.

A click counts as reached if, compared with the pointer resting there,
- the element, or one inside its box, has another state, text or focus (`state`),
- an AT-SPI event comes from a node whose centre is inside its box (`event`),
- windows or popups appeared or went away (`window`),
- its box looks different (`picture`), or other elements have changed (`effect`), or
- it looks pressed while the mouse button is held (`press`): the home button does nothing at home.
"""

from __future__ import annotations

import random
import sqlite3
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from PIL import Image
from Xlib import X
from Xlib.ext import xtest

from saccade.actions import Action
from saccade.geometry import Box, Point, Size
from saccade.types import Element
from saccade.worlds.base import InfrastructureError, Observation
from saccade.worlds.desktop.applications import APPLICATIONS
from saccade.worlds.desktop.world import DesktopWorld

LARGE = Size(1920, 1080)
KINDS = frozenset(
    "button cell checkbox columnheader icon input listitem menuitem radio select slider spinbutton tab treeitem".split()
)
CHOSEN = {"selected", "focused"}
EVENTS = ("object:state-changed", "object:selection-changed", "object:text-caret-moved", "object:property-change")
Way = tuple[str, ...]
"""How a screen is reached from the start: the texts to click, one after the other; `` is a right click."""


class PreparedWorld(DesktopWorld):
    """An application with something to work on."""

    def prepare(self, home: Path, application: str) -> list[str]:
        if application == "mousepad":
            (home / "notes.txt").write_text("milk\nbread\ntea\n" * 20, encoding="utf-8")
            return ["notes.txt"]
        if application == "pcmanfm":
            for name in ("letters", "photos"):
                (home / name).mkdir()
            for number in range(8):
                (home / f"file {number}.txt").write_text("x", encoding="utf-8")
        if application == "gnumeric":
            rows = [f"item {number},{number},{3 * number}" for number in range(20)]
            (home / "sales.csv").write_text("\n".join(rows), encoding="utf-8")
            return ["sales.csv"]
        if application == "ristretto":
            for name, color in (("a.png", "red"), ("b.png", "green"), ("c.png", "blue")):
                Image.new("RGB", (640, 480), color).save(home / name)
            return ["a.png"]
        if application == "sqlitebrowser":
            with sqlite3.connect(home / "shop.db") as database:
                database.execute("create table goods (id integer primary key, name text, price real)")
                database.executemany("insert into goods (name, price) values (?, 2)", [(f"tea {n}",) for n in range(9)])
            return ["shop.db"]
        return []


Signature = tuple[str, str, str, Box]


class Target(NamedTuple):
    way: Way
    element: Element

    @property
    def where(self) -> str:
        return (
            "start" if not self.way else "context menu" if not self.way[-1] else ("menu", "dialog")[len(self.way) - 1]
        )


def sign(element: Element) -> Signature:
    return element.type, element.text, element.caption, element.box


class ClickCheck:
    """The clicks of one application."""

    def __init__(self, world: DesktopWorld, draw: random.Random) -> None:
        self.world, self.draw = world, draw
        self.way: Way | None = None
        self.seen: Observation | None = None
        self.base: set[Signature] = set()
        self.start: set[Signature] = set()

    # -- reaching screens ---------------------------------------------------------------------------------------------

    def go(self, way: Way) -> bool:
        """Show the screen at the end of this way, from a new start unless nothing has changed since the last one."""
        if self.way == way:
            return True
        seen = self.seen if self.way == () else None
        self.way = None
        if seen is None:
            seen = self.world.reset()
            while any(each.type == "dialog" for each in seen.screen.elements):  # a warning, about root for example
                seen = self.world.act(Action("press", key="escape"))
            assert self.world._bus is not None
            for event in EVENTS:
                self.world._bus.listen(event)
            self.start = set(map(sign, seen.screen.elements))
        for text in way:
            step = Action("right_click", Point(LARGE.width // 2, LARGE.height // 2))
            if text:
                found = [each for each in seen.screen.elements if each.text == text and each.type == "menuitem"]
                if not found:
                    return False
                step = Action("click", found[0].center)
            seen = self.world.act(step)
        self.show(way, seen)
        return True

    def show(self, way: Way, seen: Observation) -> None:
        self.way, self.seen, self.base = way, seen, set(map(sign, seen.screen.elements))

    def targets(self, way: Way, known: set[Signature]) -> list[Target]:
        """What can be clicked on a screen, and was not on an earlier one."""
        if not self.go(way):
            return []
        assert self.seen is not None
        elements = self.seen.screen.elements
        found = [each for each in elements if each.type in KINDS and each.interactive and "disabled" not in each.state]
        # A separator, and what is chosen, has the focus or holds what has it already, react to nothing.
        chosen = [each.center for each in elements if {*each.state.split()} & CHOSEN]
        found = [each for each in found if each.type != "cell" or each.text]
        found = [each for each in found if not any(each.box.contains(center) for center in chosen)]
        new = [Target(way, each) for each in found if sign(each) not in known]
        known |= {sign(each) for each in found}
        self.draw.shuffle(new)
        return new

    def choose(self, count: int) -> list[Target]:
        """A part from the start screen, and parts from menus, a context menu and dialogs, in turns; then as many to
        spare for those that are not shown a second time.
        """
        known: set[Signature] = set()
        groups = [self.targets((), known)]
        bar = [each for each in groups[0] if each.element.type == "menuitem"][:5]
        for way in [(each.element.text,) for each in bar] + [("",)]:
            inside = self.targets(way, known)
            groups.append(inside)
            if way != ("",):
                opening = [each for each in inside if each.element.text.endswith(("...", "…"))][:2]
                groups += [self.targets((*way, each.element.text), known) for each in opening]
        chosen: list[Target] = []
        while len(chosen) < 2 * count and any(groups):
            chosen += [group.pop() for group in [groups[0], *groups] if group]
        parts = chosen[:count], chosen[count:]
        return [each for part in parts for each in sorted(part, key=lambda each: each.way)]

    # -- clicking -----------------------------------------------------------------------------------------------------

    def reached(self, point: Point, box: Box) -> str:
        """How the click was seen; "" if it was not."""
        world = self.world
        assert world._display is not None and world._bus is not None
        shown = popups(world)
        before = world.act(Action("hover", point))  # the highlight under the pointer is no reaction to a click
        if popups(world) > shown:
            return "window"  # submenus open by themselves
        then = contents(before.screen.elements, box)
        old, windows = world._display.pixels(), world._display.windows()
        world._bus.take_events()
        try:
            after = world.act(Action("click", point))
            now = contents(after.screen.elements, box)
            if now[0] != then[0]:
                return "state"
            for event in reversed(world._bus.take_events()[-50:]):
                place = world._bus.place_of(event)
                if place is not None and place.area and box.contains(place.center):
                    return "event"
            if world._display.windows() != windows:
                return "window"
            if cut(old, box) != cut(world._display.pixels(), box):
                return "picture"
            if now != then:
                return "effect"
            old = world._display.pixels()
            return "press" if cut(old, box) != cut(held(world), box) else ""
        except InfrastructureError:  # it closed its window
            return "window"

    def go_back(self) -> None:
        """Leave what the click opened; a screen that is not as before is reached anew."""
        way, self.way = self.way, None
        try:
            for _ in range(3):
                seen = self.world.act(Action("press", key="escape"))
                now = set(map(sign, seen.screen.elements))
                if way is not None and now in (self.base, self.start):
                    self.show(way if now == self.base else (), seen)
                    return
        except InfrastructureError:
            return


def held(world: DesktopWorld) -> bytearray:
    """The picture while the mouse button is held down where the pointer is."""
    assert world._display is not None
    for kind in (X.ButtonPress, X.ButtonRelease):
        xtest.fake_input(world._display.x, kind, 1)
        world._display.x.sync()
        if kind == X.ButtonPress:
            time.sleep(0.3)
            pixels = world._display.pixels()
    return pixels


def popups(world: DesktopWorld) -> int:
    assert world._display is not None
    return sum(window.popup and not window.tooltip for window in world._display.windows())


def contents(elements: Iterable[Element], box: Box) -> tuple[list[object], list[object]]:
    """What the elements inside a box say, and all others."""
    inside: list[object] = []
    outside: list[object] = []
    for each in elements:
        (inside if box.contains(each.center) else outside).append((*sign(each), each.state))
    return inside, outside


def cut(pixels: bytearray, box: Box) -> list[bytearray]:
    rows = range(int(box.y0), int(box.y1))
    return [pixels[4 * (y * LARGE.width + int(box.x0)) : 4 * (y * LARGE.width + int(box.x1))] for y in rows]


def check_clicks(total: int) -> tuple[int, int]:
    """Clicks that were reached, and all; prints them by application."""
    draw = random.Random(0)
    done, good = 0, 0
    for at, name in enumerate(APPLICATIONS):
        with PreparedWorld(name, size=LARGE) as world:
            check = ClickCheck(world, draw)
            seen, missed, places, lost = Counter[str](), list[str](), Counter[str](), 0
            wanted = -(-(total - done) // (len(APPLICATIONS) - at))  # what one lacks, the others make up
            for target in check.choose(wanted):
                if sum(seen.values()) == wanted:
                    break
                if not check.go(target.way) or sign(target.element) not in check.base:
                    lost += 1
                    continue
                how = check.reached(target.element.center, target.element.box)
                seen[how] += 1
                places[target.where] += 1
                if not how:
                    missed.append(f"{target.where} {target.way}: {target.element.type} {sign(target.element)[1:]}")
                check.go_back()
            count = sum(seen.values())
            done, good = done + count, good + count - seen[""]
            where = ", ".join(f"{number} {place}" for place, number in places.items())
            how = ", ".join(f"{word} {number}" for word, number in seen.most_common() if word)
            print(
                f"clicks {name}: {count - seen['']} of {count} reached ({where}; seen by {how}; {lost} not shown again)"
            )
            for each in missed:
                print(f"  not seen: {each}")
    return good, done
