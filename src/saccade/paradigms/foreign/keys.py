"""One name for each key, whoever writes it: lower case, `enter`, `escape`, `pagedown`, `ctrl+shift+a`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

MAX_KEYS = 8
MAX_NAME = 40

_NAMES: dict[str, str] = {
    "return": "enter",
    "kpenter": "enter",
    "newline": "enter",
    "esc": "escape",
    "control": "ctrl",
    "controlleft": "ctrl",
    "controll": "ctrl",
    "controlr": "ctrl",
    "shiftl": "shift",
    "shiftr": "shift",
    "altl": "alt",
    "altr": "alt",
    "option": "alt",
    "cmd": "meta",
    "command": "meta",
    "super": "meta",
    "superl": "meta",
    "win": "meta",
    "windows": "meta",
    "del": "delete",
    "ins": "insert",
    "bksp": "backspace",
    "spacebar": "space",
    "arrowup": "up",
    "arrowdown": "down",
    "arrowleft": "left",
    "arrowright": "right",
    "pageup": "pageup",
    "pgup": "pageup",
    "prior": "pageup",
    "pagedown": "pagedown",
    "pgdn": "pagedown",
    "pgdown": "pagedown",
    "next": "pagedown",
    "capslock": "capslock",
    "printscreen": "printscreen",
    "prtsc": "printscreen",
    "appswitch": "recent",
    "recents": "recent",
    "backspace": "backspace",
    "scrolllock": "scrolllock",
    "numlock": "numlock",
}
"""As written, without `_`, `-` and spaces → the name used here. `meta` is the Windows, Command or Super key."""
_WHITE = {" ": "space", "\n": "enter", "\t": "tab"}


def key_name(written: str) -> str:
    """A key or a chord by the name used here.

    >>> key_name("Return"), key_name("CTRL+Page_Down"), key_name("ctrl++")
    ('enter', 'ctrl+pagedown', 'ctrl+plus')
    """
    parts = (written[:-1] + "plus" if written.endswith("+") else written).split("+", MAX_KEYS)
    if len(parts) > MAX_KEYS or max(map(len, parts)) > MAX_NAME:
        raise ValueError(f"{written[:MAX_NAME]!r} is too long for a key")
    return "+".join(_single(part) for part in parts)


def chord(keys: Sequence[Any]) -> str:
    """The chord of a list of keys, such as `["CTRL", "A"]`."""
    if not keys or len(keys) > MAX_KEYS or not all(isinstance(key, str) for key in keys):
        raise ValueError(f"`keys` must be a list of 1 to {MAX_KEYS} key names")
    return "+".join(key_name(key) for key in keys)


def canonical(key: str) -> str:
    """The key itself; a name that would be read back as another is refused."""
    if key != (name := key_name(key)):
        raise ValueError(f"the key {key[:MAX_NAME]!r} is called {name!r} here")
    return key


def _single(part: str) -> str:
    words = _WHITE.get(part, part).lower().rpartition("keycode_")[2].split()
    if not words:
        raise ValueError("a key has no name")
    name = "_".join(words)
    return _NAMES.get(name.replace("_", "").replace("-", ""), name)
