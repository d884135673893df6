"""The settings that exist, and draw their values for a phone."""

from __future__ import annotations

from typing import Any

from saccade_phone.app import Data
from saccade_phone.apps.launcher import all_apps
from saccade_phone.data_files import ByLanguage, Words, table
from saccade_phone.seeded_random import Draw

FLIPS = table("settings", "flips", dict[str, tuple[str, str, str]])
"""Switches: their names, and the screen they are on."""

VOLUMES = table("settings", "volumes", dict[str, Words])
LOUDEST = 10
LEVELS = tuple(range(10, 101, 10))

CHOICES = table("settings", "choices", dict[str, tuple[str, str, str, tuple[tuple[int | str, str, str], ...]]])
"""Settings with a sheet to choose from: their names, the screen they are on, and (value, names) of each choice."""

RINGTONES = table("settings", "ringtones", dict[str, Words])
WALLPAPERS = table("settings", "wallpapers", dict[str, tuple[str, str, str, str]])
KEYBOARDS = table("settings", "keyboards", dict[str, Words])
KINDS = table("settings", "kinds", dict[str, tuple[str, str, str]])
LIMITS = (15, 20, 30, 45, 60, 75, 90, 100, 120, 150, 180, 240)
TIMES = tuple(f"{hour:02}:{minute:02}" for hour in range(24) for minute in (0, 30))
BANDS = {"2.4": "2.4 GHz", "5": "5 GHz"}

INDEX: tuple[tuple[str, str, str], ...] = (
    *FLIPS.values(),
    *((en, zh, screen) for en, zh, screen, _ in CHOICES.values()),
    *((f"{en} volume", zh, "sound") for en, zh in VOLUMES.values()),
    *table("settings", "search_index", tuple[tuple[str, str, str], ...]),
)
"""What the search knows: names, and the screen to open."""

NETWORKS = table("settings", "networks", ByLanguage[tuple[str, ...]])
DEVICES = table("settings", "devices", tuple[tuple[str, str, str], ...])
FINGERS = table("settings", "fingers", tuple[Words, ...])
PASSWORDS = table("settings", "passwords", tuple[str, ...])
"""What networks ask for. Tasks say it; no screen shows it."""
CARRIERS = table("settings", "carriers", tuple[Words, ...])
PHONES = table("settings", "phones", tuple[Words, ...])


def seed(draw: Draw) -> Data:
    names = sorted(all_apps())
    model = draw.choice(PHONES)
    return {
        **{name: draw.chance(0.4) for name in FLIPS},
        **{name: draw.choice(choices)[0] for name, (*_, choices) in CHOICES.items()},
        **{name: draw.integer(2, 8) for name in VOLUMES},
        "airplane": False,
        "wifi": True,
        "bluetooth": draw.chance(0.6),
        "mobile_data": draw.chance(0.8),
        "brightness": draw.choice(LEVELS),
        "ringtone": draw.choice(sorted(RINGTONES)),
        "wallpaper": draw.choice(sorted(WALLPAPERS)),
        "language_keyboard": draw.t("en_us", "pinyin9"),
        "device_name": draw.t(*model),
        "hotspot_setup": {
            "name": draw.t(*model),
            "password": draw.choice(PASSWORDS),
            "band": draw.choice(("2.4", "5")),
        },
        "quiet_hours": {"on": draw.chance(0.3), "from": draw.choice(TIMES[42:46]), "to": draw.choice(TIMES[12:16])},
        "network": "n0",
        "networks": networks(draw),
        "devices": devices(draw),
        "fingerprints": {f"f{at}": {"name": draw.t(*FINGERS[at])} for at in range(draw.integer(1, 3))},
        "permissions": {f"{app}.{kind}": {"allowed": draw.chance(0.6)} for app in names for kind in KINDS},
        "limits": {app: {"app": app, "minutes": draw.choice(LIMITS)} for app in draw.sample(names, 2)},
        "storage": {app: {"size": draw.integer(60, 2400), "cache": draw.integer(4, 480)} for app in names},
        "usage": usage(draw, names),
        "about": about(draw, model),
        "searches": [draw.t(*item[:2]) for item in draw.sample(INDEX, 4)],
        "scans": 0,
    }


def networks(draw: Draw) -> dict[str, dict[str, Any]]:
    """One is connected, four more are known, the others are what the neighbours have."""
    names = draw.sample(NETWORKS.of(draw.language), 16)
    secrets = draw.sample(PASSWORDS, 16)
    signals = sorted((draw.integer(15, 99) for _ in names), reverse=True)
    parts, hosts = draw.sample(range(32), 16), draw.sample(range(2, 250), 16)
    known = {0, *draw.sample(range(1, 16), 4)}
    return {
        f"n{at}": {
            "name": name,
            "known": at in known,
            "connected": at == 0,
            "secured": at in known or draw.chance(0.8),
            "password": secrets[at],
            "signal": signals[at],
            "band": draw.choice(sorted(BANDS)),
            "address": f"192.168.{parts[at]}.{hosts[at]}",
            "router": f"192.168.{parts[at]}.1",
        }
        for at, name in enumerate(names)
    }


def devices(draw: Draw) -> dict[str, dict[str, Any]]:
    """Half of them are paired."""
    return {
        f"d{at}": {
            "name": draw.t(en, zh),
            "icon": icon,
            "paired": at < 5,
            "connected": at == 0,
            "battery": draw.integer(10, 99),
        }
        for at, (en, zh, icon) in enumerate(draw.shuffled(DEVICES))
    }


def usage(draw: Draw, names: list[str]) -> dict[str, dict[str, int]]:
    """What each app used: a different share of the battery each, so that a question has one answer."""
    shares = draw.sample(range(1, 2 * len(names)), len(names))
    total = sum(shares)
    percents = sorted({max(1, share * 94 // total) for share in shares}, reverse=True)
    while len(percents) < len(names):  # rounding made some equal
        percents.append(next(share for share in range(1, 99) if share not in percents))
    return {
        app: {"battery": percents[at], "data": draw.integer(8, 1900), "minutes": draw.integer(1, 50)}
        for at, app in enumerate(draw.shuffled(names))
    }


def about(draw: Draw, model: Words) -> dict[str, Any]:
    letters = "".join(draw.choice("ABCDEFGHJKLMNPRSTUVWXYZ23456789") for _ in range(10))
    digits = "".join(str(draw.integer(0, 9)) for _ in range(11))
    number = draw.t(f"555-{digits[:3]}-{digits[3:7]}", f"13{digits[:9]}")
    return {
        "model": draw.t(*model),
        "version": draw.choice(("6.4.2", "7.0.1", "7.1.0", "7.1.3")),
        "serial": letters,
        "number": number,
        "imei": f"8675{digits}",
        "carrier": draw.t(*draw.choice(CARRIERS)),
        "patch": draw.day(-70, -5).isoformat(),
        "cloud": draw.integer(3, 44),
    }
