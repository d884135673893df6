"""Key names: canonical (`enter`, `ctrl+a`) to those of Playwright."""

from __future__ import annotations

NAMES = {
    "enter": "Enter", "return": "Enter", "tab": "Tab", "escape": "Escape", "esc": "Escape", "space": "Space",
    "backspace": "Backspace", "delete": "Delete", "del": "Delete", "insert": "Insert", "end": "End", "pageup": "PageUp",
    "pagedown": "PageDown", "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight",
    "arrowup": "ArrowUp", "arrowdown": "ArrowDown", "arrowleft": "ArrowLeft", "arrowright": "ArrowRight",
    "ctrl": "Control", "control": "Control", "shift": "Shift", "alt": "Alt", "option": "Alt", "meta": "Meta",
    "cmd": "Meta", "super": "Meta", "win": "Meta", "plus": "+", "minus": "-",
}  # fmt: skip


def playwright_keys(key: str) -> str:
    """`ctrl+a` as `Control+a`; a lone `+` is itself."""
    key = key.strip()
    parts = [part.strip() for part in key.split("+")] if len(key) > 1 else [key]
    return "+".join(NAMES.get(part.lower(), part) for part in parts)
