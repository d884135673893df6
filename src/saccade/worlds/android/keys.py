"""Android's names for keys: hardware, system and keyboard."""

from __future__ import annotations

import re
import string

_SYSTEM = {
    "back": "BACK", "home": "HOME", "menu": "MENU", "recent": "APP_SWITCH", "recents": "APP_SWITCH",
    "app_switch": "APP_SWITCH", "overview": "APP_SWITCH", "power": "POWER", "wakeup": "WAKEUP", "sleep": "SLEEP",
    "volume_up": "VOLUME_UP", "volume_down": "VOLUME_DOWN", "volume_mute": "VOLUME_MUTE", "mute": "VOLUME_MUTE",
    "camera": "CAMERA", "search": "SEARCH", "notification": "NOTIFICATION", "notifications": "NOTIFICATION",
    "settings": "SETTINGS", "call": "CALL", "endcall": "ENDCALL", "assist": "ASSIST", "play_pause": "MEDIA_PLAY_PAUSE",
    "media_next": "MEDIA_NEXT", "media_previous": "MEDIA_PREVIOUS", "brightness_up": "BRIGHTNESS_UP",
    "brightness_down": "BRIGHTNESS_DOWN", "screenshot": "SYSRQ",
}  # fmt: skip
_KEYBOARD = {
    "enter": "ENTER", "return": "ENTER", "tab": "TAB", "space": "SPACE", "escape": "ESCAPE", "esc": "ESCAPE",
    "backspace": "DEL", "delete": "FORWARD_DEL", "del": "FORWARD_DEL", "forward_del": "FORWARD_DEL", "insert": "INSERT",
    "up": "DPAD_UP", "down": "DPAD_DOWN", "left": "DPAD_LEFT", "right": "DPAD_RIGHT", "center": "DPAD_CENTER",
    "arrowup": "DPAD_UP", "arrowdown": "DPAD_DOWN", "arrowleft": "DPAD_LEFT", "arrowright": "DPAD_RIGHT",
    "pageup": "PAGE_UP", "page_up": "PAGE_UP", "pagedown": "PAGE_DOWN", "page_down": "PAGE_DOWN",
    "move_home": "MOVE_HOME", "end": "MOVE_END", "move_end": "MOVE_END", "clear": "CLEAR",
    "copy": "COPY", "cut": "CUT", "paste": "PASTE", "minus": "MINUS", "plus": "PLUS", "comma": "COMMA",
    "period": "PERIOD", "slash": "SLASH", "equals": "EQUALS",
    "ctrl": "CTRL_LEFT", "control": "CTRL_LEFT", "shift": "SHIFT_LEFT", "alt": "ALT_LEFT", "option": "ALT_LEFT",
    "meta": "META_LEFT", "cmd": "META_LEFT", "super": "META_LEFT", "win": "META_LEFT",
}  # fmt: skip
_SIGNS = {
    " ": "SPACE", "\n": "ENTER", "\t": "TAB", "-": "MINUS", ",": "COMMA", ".": "PERIOD", "/": "SLASH", "=": "EQUALS",
    "*": "STAR", "#": "POUND", "@": "AT", "+": "PLUS",
}  # fmt: skip
_PLAIN = {**{c: c.upper() for c in string.ascii_lowercase + string.digits}, **{f"f{n}": f"F{n}" for n in range(1, 13)}}
KEYS = {**_PLAIN, **_SIGNS, **_KEYBOARD, **_SYSTEM}
CODES = frozenset(KEYS.values())
MOST_KEYS = 4
_JOINED = {name.replace("_", ""): code for name, code in KEYS.items() if name.isprintable() and name.strip("-")}


def key_codes(key: str) -> list[str] | None:
    """The key codes of a key or a chord such as `ctrl+a`; None for what no Android key is called.

    >>> key_codes("Volume-Up"), key_codes("ctrl+a"), key_codes("KEYCODE_BACK")
    (['KEYCODE_VOLUME_UP'], ['KEYCODE_CTRL_LEFT', 'KEYCODE_A'], ['KEYCODE_BACK'])
    """
    parts = [key] if len(key) == 1 else [part.strip() for part in key.split("+")]
    if len(parts) > MOST_KEYS:
        return None
    codes = [_code(part) for part in parts]
    return [f"KEYCODE_{code}" for code in codes if code] if all(codes) else None


def _code(name: str) -> str | None:
    if name in _SIGNS:
        return _SIGNS[name]
    upper = name.upper().removeprefix("KEYCODE_")
    if upper in CODES and name.upper() != upper:
        return upper
    return _JOINED.get(re.sub(r"[\s_-]+", "", name.lower()))
