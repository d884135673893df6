"""Files that the studio serves: regular files inside the folders it was given, and only pictures of a known kind."""

from __future__ import annotations

from pathlib import Path

from saccade.errors import InputError
from saccade.untrusted import read_bytes

MOST_BYTES = 64 * 2**20
SIGNATURES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"RIFF": "image/webp"}
"""How files of these types begin. SVG is not among them: it can hold scripts."""


def file_inside(folder: Path, name: str) -> Path:
    """A file of a folder by its relative name. Names that lead out of the folder, by `..`, by an absolute path or by a
    link, are refused.
    """
    root = folder.resolve()
    try:
        path = (root / name).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        raise InputError(f"there is no file {name[:200]!r}") from None
    if not path.is_relative_to(root) or not path.is_file():
        raise InputError(f"{name[:200]!r} is not a file of this folder")
    return path


def read_picture(folder: Path, name: str) -> tuple[bytes, str]:
    """A picture's bytes and type."""
    path = file_inside(folder, name)
    if path.stat().st_size > MOST_BYTES:
        raise InputError(f"{name[:200]!r} is larger than {MOST_BYTES // 2**20} MB")
    data = read_bytes(path)
    kind = picture_type(data)
    if not kind:
        raise InputError(f"{name[:200]!r} is not a PNG, JPEG or WebP picture")
    return data, kind


def picture_type(data: bytes) -> str:
    """The media type of a picture by its first bytes; empty: it is none of ours."""
    for begin, kind in SIGNATURES.items():
        if data.startswith(begin) and (kind != "image/webp" or data[8:12] == b"WEBP"):
            return kind
    return ""
