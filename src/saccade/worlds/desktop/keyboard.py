"""Types any text and presses any key on an X display through the XTest extension.

Characters that the keyboard layout lacks are put on unused key codes for a moment, as xdotool does. Programs read the
new layout when they get to its notice, so a key code gets another character only after the program had time to read
the last one: two halves of the unused codes take turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

from Xlib import XK, X
from Xlib.ext import xtest

from saccade.worlds.desktop.display import DesktopDisplay, reported

PRESS_GROUP = 20
"""Keys in one go; a short pause follows, so that slow programs keep up."""
BUTTON_SECONDS = 0.3
"""A button that a key presses, as in a calculator, stays down for 0.25 s in GTK, and takes the key no second time."""
_UNICODE = 0x01000000
_CONTROLS = {"\n": 0xFF0D, "\r": 0xFF0D, "\t": 0xFF09, "\b": 0xFF08}
_NAMES = {
    "enter": "Return",
    "return": "Return",
    "numpadenter": "KP_Enter",
    "esc": "Escape",
    "escape": "Escape",
    "tab": "Tab",
    "space": "space",
    "backspace": "BackSpace",
    "delete": "Delete",
    "del": "Delete",
    "insert": "Insert",
    "home": "Home",
    "end": "End",
    "pageup": "Prior",
    "pagedown": "Next",
    "up": "Up",
    "down": "Down",
    "left": "Left",
    "right": "Right",
    "ctrl": "Control_L",
    "control": "Control_L",
    "shift": "Shift_L",
    "alt": "Alt_L",
    "option": "Alt_L",
    "meta": "Super_L",
    "super": "Super_L",
    "cmd": "Super_L",
    "win": "Super_L",
    "menu": "Menu",
    "plus": "plus",
    "minus": "minus",
    "printscreen": "Print",
    "capslock": "Caps_Lock",
    "numlock": "Num_Lock",
    "scrolllock": "Scroll_Lock",
    "pause": "Pause",
}


def keysym_of(letter: str) -> int:
    """The X name of a character: Latin-1 characters are themselves, others have a Unicode number.

    >>> hex(keysym_of("é")), hex(keysym_of("中")), hex(keysym_of("😀"))
    ('0xe9', '0x1004e2d', '0x101f600')
    """
    code = ord(letter)
    if letter in _CONTROLS:
        return _CONTROLS[letter]
    return code if 0x20 <= code <= 0x7E or 0xA0 <= code <= 0xFF else _UNICODE + code


def keysyms_of(chord: str) -> list[int]:
    """The keys of a chord such as `ctrl+shift+a`; empty if one of them is unknown."""
    chord = chord.strip()
    parts = [chord] if len(chord) == 1 else [part.strip() for part in chord.replace("++", "+plus").split("+")]
    found = []
    for part in parts:
        plain = part.lower().replace("_", "").replace("-", "").replace(" ", "").removeprefix("arrow")
        keysym = keysym_of(part if len(parts) == 1 else part.lower()) if len(part) == 1 else 0
        keysym = keysym or XK.string_to_keysym(_NAMES.get(plain) or (plain.upper() if plain[:1] == "f" else part))
        if not keysym:
            return []
        found.append(keysym)
    return found


class DesktopKeyboard:
    """The keyboard of a display. `wait_until_idle` lets programs read a new layout, or the keys typed with the last."""

    def __init__(self, display: DesktopDisplay, wait_until_idle: Callable[[], None]) -> None:
        self.wait_until_idle = wait_until_idle
        self.x = display.x
        with reported():
            first, last = self.x.display.info.min_keycode, self.x.display.info.max_keycode
            rows = [list(row) for row in self.x.get_keyboard_mapping(first, last - first + 1)]
        self._levels: dict[int, tuple[int, bool]] = {}
        """Key symbol → key code, and whether shift is held."""
        unused = []
        for code, row in enumerate(rows, first):
            for level, keysym in enumerate(row[:2]):
                if keysym:
                    self._levels.setdefault(keysym, (code, level == 1))
            if not any(row):
                unused.append(code)
        self._halves = [unused[0::2], unused[1::2]]
        self._first = min(unused, default=first)
        self._rows = rows[self._first - first : max(unused, default=first) - first + 1]
        """The layout from the first unused key code to the last."""
        self._borrowed: dict[int, tuple[int, bool]] = {}
        """The same for characters that were put on unused key codes."""
        self._turn = 0
        self._pressed: dict[int, float] = {}
        """When the keys of buttons were pressed."""

    def press(self, chord: str, buttons: Collection[str] = ()) -> str:
        """Press a key or a chord; returns an error text, or "" if it was done. `buttons`: see `type`."""
        keysyms = keysyms_of(chord)
        if not keysyms:
            return f"there is no key {chord[:40]!r} on this keyboard"
        with reported():
            self._borrow(keysyms)
            codes = [self._code(keysym) for keysym in keysyms]
            if len(chord) == 1 and chord in buttons:
                self._wait_for_button(keysyms[0])
            held = [code for code, _ in codes[:-1]]
            if codes[-1][1]:
                held.append(self._levels[XK.XK_Shift_L][0])
            for code in [*held, codes[-1][0]]:
                xtest.fake_input(self.x, X.KeyPress, code)
            for code in [codes[-1][0], *reversed(held)]:
                xtest.fake_input(self.x, X.KeyRelease, code)
            self.x.sync()
        return ""

    def type(self, text: str, buttons: Collection[str] = ()) -> str:
        """Type a text; returns an error text, or "" if it was done. `buttons` are characters whose keys may press
        buttons on the screen: such a key gets time before it comes again.
        """
        if not self._halves[0]:
            return "the keyboard of this display has no unused key, so only its own characters can be typed"
        keysyms = [keysym_of(letter) for letter in text.replace("\r\n", "\n")]
        slow = frozenset(map(keysym_of, buttons))
        with reported():
            while keysyms:
                count = self._batch(keysyms)
                self._borrow(keysyms[:count])
                self._tap(keysyms[:count], slow)
                del keysyms[:count]
        return ""

    def _batch(self, keysyms: list[int]) -> int:
        """How many of the keys can be typed before unused codes must be given other characters, at least one."""
        known = self._levels.keys() | self._borrowed.keys()
        ready = next((at for at, keysym in enumerate(keysyms) if keysym not in known), len(keysyms))
        if ready:
            return ready
        lacking: set[int] = set()
        for count, keysym in enumerate(keysyms):
            lacking |= {keysym} - self._kept()
            if len(lacking) > 2 * len(self._halves[self._turn]):
                return count
        return len(keysyms)

    def _kept(self) -> set[int]:
        """What can be typed even after the next half of the unused codes was given other characters."""
        codes = self._halves[self._turn]
        return {*self._levels, *(keysym for keysym, place in self._borrowed.items() if place[0] not in codes)}

    def _borrow(self, keysyms: list[int]) -> None:
        """Put characters on unused key codes, two on each: on the half that was not used last."""
        if all(keysym in self._levels or keysym in self._borrowed for keysym in keysyms):
            return
        codes, kept = self._halves[self._turn], self._kept()
        self._turn = 1 - self._turn
        self._borrowed = {keysym: place for keysym, place in self._borrowed.items() if keysym in kept}
        self.wait_until_idle()
        for at, keysym in enumerate(keysym for keysym in dict.fromkeys(keysyms) if keysym not in kept):
            code, shifted = codes[at // 2], bool(at % 2)
            self._borrowed[keysym] = code, shifted
            row = self._rows[code - self._first]
            row[:] = [row[0] if shifted else keysym, keysym] + [0] * (len(row) - 2)
        self.x.change_keyboard_mapping(self._first, self._rows)  # one request: every program reads all of it each time
        self.x.sync()
        self.wait_until_idle()

    def _code(self, keysym: int) -> tuple[int, bool]:
        return self._levels.get(keysym) or self._borrowed[keysym]

    def _wait_for_button(self, keysym: int) -> None:
        self.x.sync()
        time.sleep(max(self._pressed.get(keysym, 0) + BUTTON_SECONDS - time.monotonic(), 0))
        self._pressed[keysym] = time.monotonic()

    def _tap(self, keysyms: list[int], slow: Collection[int]) -> None:
        shift = self._levels[XK.XK_Shift_L][0]
        for at, keysym in enumerate(keysyms, 1):
            code, shifted = self._code(keysym)
            if keysym in slow:
                self._wait_for_button(keysym)
            if shifted:
                xtest.fake_input(self.x, X.KeyPress, shift)
            xtest.fake_input(self.x, X.KeyPress, code)
            xtest.fake_input(self.x, X.KeyRelease, code)
            if shifted:
                xtest.fake_input(self.x, X.KeyRelease, shift)
            if at % PRESS_GROUP == 0:
                self.x.sync()
                time.sleep(0.01)
        self.x.sync()
