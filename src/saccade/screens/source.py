"""Scripts that run inside pages, kept in files of their own."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files


@lru_cache
def javascript(package: str, name: str) -> str:
    """The script without its leading comment, as one expression."""
    lines = files(package).joinpath(name).read_text(encoding="utf-8").splitlines()
    while lines and lines[0].startswith("//"):
        lines.pop(0)
    return "\n".join(lines)
