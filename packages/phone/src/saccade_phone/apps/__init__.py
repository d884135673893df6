"""The apps, by name. A new one is a file here and a line below."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from saccade_phone.app import App

WHERE = {
    "launcher": "launcher:LAUNCHER_APP",
    "recents": "launcher:RECENTS_APP",
    "system": "system:SYSTEM",
    "settings": "settings:SETTINGS",
    "contacts": "contacts:CONTACTS",
    "chat": "chat:CHAT",
    "mail": "mail:MAIL",
    "calendar": "calendar:CALENDAR",
    "clock": "clock:CLOCK",
    "notes": "notes:NOTES",
    "files": "files:FILES",
    "shop": "shop:SHOP",
    "food": "food:FOOD",
    "music": "music:MUSIC",
    "travel": "travel:TRAVEL",
}
SYSTEM_APPS = ("launcher", "recents", "system")
"""Apps that belong to the phone itself and have no icon."""


@cache
def apps() -> dict[str, App]:
    """All apps, loaded when first asked for."""
    found = {}
    for name, place in WHERE.items():
        module, _, constant = place.partition(":")
        found[name] = getattr(import_module(f"{__name__}.{module}"), constant)
    return found
