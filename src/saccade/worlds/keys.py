"""Converts canonical key names (`enter`, `ctrl+a`) to those of Playwright."""

from __future__ import annotations

_ALIASES = {
    "Enter": "enter return",
    "Tab": "tab",
    "Escape": "escape esc",
    "Space": "space",
    "Backspace": "backspace",
    "Delete": "delete del",
    "Insert": "insert",
    "End": "end",
    "PageUp": "pageup",
    "PageDown": "pagedown",
    "ArrowUp": "up arrowup",
    "ArrowDown": "down arrowdown",
    "ArrowLeft": "left arrowleft",
    "ArrowRight": "right arrowright",
    "Control": "ctrl control",
    "Shift": "shift",
    "Alt": "alt option",
    "Meta": "meta cmd super win",
    "+": "plus",
    "-": "minus",
}
NAMES = {alias: name for name, aliases in _ALIASES.items() for alias in aliases.split()}


def playwright_keys(key: str) -> str:
    """`ctrl+a` as `Control+a`; a lone `+` is itself."""
    key = key.strip()
    parts = [part.strip() for part in key.split("+")] if len(key) > 1 else [key]
    return "+".join(NAMES.get(part.lower(), part) for part in parts)
