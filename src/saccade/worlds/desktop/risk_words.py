"""Words for risks that no text on a desktop's screen names: keys that delete or quit, commands in a terminal.

Approval rules look for words at an action's target. These words are in their lists (`delete`, `install`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from saccade.actions import Action
from saccade.types import Element
from saccade.worlds.base import key_name

_TERMINALS = re.compile(r"term|konsole|kitty|alacritty|^foot|tilix|guake|yakuake|rxvt|console", re.IGNORECASE)
_UNSAVED = re.compile(r"do(n.?t| not) save|without saving|不保存", re.IGNORECASE)
_QUITTING = frozenset(("alt+f4", "ctrl+q", "ctrl+w", "ctrl+shift+w", "meta+q", "ctrl+f4"))
_DELETING = frozenset(("delete", "del", "shift+delete", "ctrl+delete", "ctrl+d"))
_FIELDS = frozenset(("input", "password", "spinbutton", "document"))


def risk_words(action: Action, elements: Sequence[Element], app: str) -> tuple[str, ...]:
    """What the action may do beyond what its target says. `app` is the application that has the focus."""
    focused = [element.type for element in elements if "focused" in element.state.split()]
    words = []
    if action.type in ("type", "press") and ("terminal" in focused or _TERMINALS.search(app)):
        words.append("execute a command")
    if action.type == "press":
        key = key_name(str(action.key))
        if key in _QUITTING:
            words.append("discard what is not saved")
        if key in _DELETING and not _FIELDS & set(focused):
            words.append("delete")
    point = action.point
    if point is not None:
        hit = [element for element in elements if element.box.contains(point) and element.interactive]
        if any(_UNSAVED.search(element.text) for element in hit):
            words.append("discard what is not saved")
        if any(element.type == "terminal" for element in hit) and action.type == "type":
            words.append("execute a command")
    return tuple(dict.fromkeys(words))
