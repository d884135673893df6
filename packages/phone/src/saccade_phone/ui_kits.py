"""The npm packages that the phone's page is drawn with (vant, framework7, weui, vue, lucide icons)."""

from __future__ import annotations

from pathlib import Path

from saccade.npm_packages import NpmPackages

LOCK_FOLDER = Path(__file__).parent / "kits"
UI_KITS = NpmPackages("phone-kits", LOCK_FOLDER, "the phone's UI kits", "saccade phone setup")
