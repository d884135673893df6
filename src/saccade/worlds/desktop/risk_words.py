"""Words for risks that no text at an action's target names: keys that delete or quit, commands in a terminal, and what
keys may press elsewhere on the screen (Alt+D presses "Delete", Enter the default button of a dialog).

Approval rules look for words at an action's target. These words are in their lists (`delete`, `install`), or are the
labels of what a key may press. Which letter of a label is underlined is not known, so each of them counts.
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
_SENDING = frozenset(("ctrl+enter", "meta+enter"))
_PRESSES = frozenset(("enter", "space"))
_TAKES_ENTER = frozenset(("button", "link", "menuitem", "document", "terminal", "tree", "treeitem", "listitem", "cell"))
"""Where Enter acts on what has the focus, and presses no default button."""
_PRESSED = frozenset(("button", "menuitem", "checkbox", "radio", "switch", "tab", "link"))
"""What a letter of its label may press."""
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
        if key in _SENDING:
            words.append("send")
        words += _pressed_by(key, elements, focused)
    if action.type == "type" and action.point is None:
        letters = {letter.casefold() for letter in action.text or ""}
        words += [item.text for item in _open_menu(elements) if letters & set(item.text.casefold())]
    point = action.point
    if point is not None:
        hit = [element for element in elements if element.box.contains(point) and element.interactive]
        if any(_UNSAVED.search(element.text) for element in hit):
            words.append("discard what is not saved")
        if any(element.type == "terminal" for element in hit) and action.type == "type":
            words.append("execute a command")
    return tuple(dict.fromkeys(words))


def _pressed_by(key: str, elements: Sequence[Element], focused: Sequence[str]) -> list[str]:
    """The labels of what this key may press, though it has not the focus."""
    *held, last = key.split("+")
    menu = _open_menu(elements)
    if last in _PRESSES:
        chosen = [item.text for item in menu if "selected" in item.state.split()]
        default = last == "enter" and not _TAKES_ENTER & set(focused)
        return chosen + [each.text for each in elements if default and each.type == "button"]
    if len(last) != 1 or set(held) - {"alt", "shift"}:
        return []
    may = [each for each in elements if each.type in _PRESSED] if "alt" in held else menu
    return [each.text for each in may if last in each.text.casefold()]


def _open_menu(elements: Sequence[Element]) -> list[Element]:
    """The items of menus that are open: more than those of a menu bar, which lie in one row."""
    items = [each for each in elements if each.type == "menuitem"]
    return items if len({each.box.y0 for each in items}) > 1 else []
