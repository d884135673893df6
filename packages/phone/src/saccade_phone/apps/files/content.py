"""Draw the folders and files. Every file name occurs once in a language, so that the name alone identifies a file."""

from __future__ import annotations

from typing import Any

from saccade_phone.data_files import Entry, table
from saccade_phone.seeded_random import Draw


class Folder(Entry):
    en: str
    zh: str
    files: list[tuple[str, str, str]]
    """Names in English and Chinese, and for a picture an emoji of what it shows."""


FOLDERS = table("files", "folders", list[Folder])


KINDS = table("files", "kinds", dict[str, str])
SIZES = table("files", "sizes", dict[str, tuple[int, int]])
"""Least and greatest size in KB."""


def kind_of(name: str) -> str:
    return KINDS.get(name.rpartition(".")[2].casefold(), "document")


def entries(draw: Draw) -> dict[str, dict[str, Any]]:
    """The folders of one phone with four fifths of their files."""
    found: dict[str, dict[str, Any]] = {}
    ids = {"": "root"}
    for folder in FOLDERS:
        path, names = draw.t(folder.en, folder.zh), [(draw.t(en, zh), sight) for en, zh, sight in folder.files]
        above, _, name = path.rpartition("/")
        ids[path] = f"d{len(ids)}"
        found[ids[path]] = made(draw, name, "folder", ids[above])
        for each, sight in draw.sample(names, max(2, round(len(names) * 0.8))):
            found[f"f{len(found) + 1}"] = {**made(draw, each, kind_of(each), ids[path]), "emoji": sight}
    loose = [id for id, entry in found.items() if entry["kind"] != "folder" and not entry["starred"]]
    for id in draw.sample(loose, 5):
        found[id].update(origin=found[id]["parent"], parent="trash")
    return found


def made(draw: Draw, name: str, kind: str, parent: str) -> dict[str, Any]:
    low, high = SIZES.get(kind, (0, 0))
    size = min(draw.integer(low, high), draw.integer(low, high))
    return {
        "name": name,
        "kind": kind,
        "parent": parent,
        "size": size,
        "date": draw.day(-300, -1).isoformat(),
        "starred": draw.chance(0.1) and kind != "folder",
        "origin": "",
        "emoji": "",
    }
