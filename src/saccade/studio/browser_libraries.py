"""The libraries that pages use in the browser: htmx (parts of pages) and Konva (drawing boxes), from npm."""

from __future__ import annotations

from pathlib import Path

from saccade.npm_packages import NpmPackages

LIBRARIES = NpmPackages("studio-libraries", Path(__file__).with_name("libraries"), "the studio's libraries")
