"""Names of keys and their Android key codes: hardware, system and keyboard."""

from __future__ import annotations

import re
import string

_OWN_NAMES = (
    "back home menu app_switch power wakeup sleep volume_up volume_down volume_mute camera search notification "
    "settings call endcall assist media_next media_previous brightness_up brightness_down enter tab space escape "
    "forward_del insert page_up page_down move_home move_end clear copy cut paste minus plus comma period slash equals"
).split()
"""Keys whose name is their key code in lower case."""
_OTHER_NAMES = {
    "APP_SWITCH": "recent recents overview",
    "VOLUME_MUTE": "mute",
    "NOTIFICATION": "notifications",
    "MEDIA_PLAY_PAUSE": "play_pause",
    "SYSRQ": "screenshot",
    "ENTER": "return",
    "ESCAPE": "esc",
    "DEL": "backspace",
    "FORWARD_DEL": "delete del",
    "DPAD_UP": "up arrowup",
    "DPAD_DOWN": "down arrowdown",
    "DPAD_LEFT": "left arrowleft",
    "DPAD_RIGHT": "right arrowright",
    "DPAD_CENTER": "center",
    "PAGE_UP": "pageup",
    "PAGE_DOWN": "pagedown",
    "MOVE_END": "end",
    "CTRL_LEFT": "ctrl control",
    "SHIFT_LEFT": "shift",
    "ALT_LEFT": "alt option",
    "META_LEFT": "meta cmd super win",
}
_SIGNS = dict(
    zip(" \n\t-,./=*#@+", "SPACE ENTER TAB MINUS COMMA PERIOD SLASH EQUALS STAR POUND AT PLUS".split(), strict=True)
)
_PLAIN = {**{c: c.upper() for c in string.ascii_lowercase + string.digits}, **{f"f{n}": f"F{n}" for n in range(1, 13)}}
_NAMED = {name: name.upper() for name in _OWN_NAMES}
_ALIASES = {name: code for code, names in _OTHER_NAMES.items() for name in names.split()}
KEYS = {**_PLAIN, **_SIGNS, **_NAMED, **_ALIASES}
CODES = frozenset(KEYS.values())
MOST_KEYS = 4
_JOINED = {name.replace("_", ""): code for name, code in KEYS.items() if name.isprintable() and name.strip("-")}


def key_codes(key: str) -> list[str] | None:
    """The key codes of a key or a combination such as `ctrl+a`; None if there is no such key.

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
