"""The notes app's declaration, and helpers of its screens."""

from __future__ import annotations

from datetime import date
from typing import Any

from saccade_phone.app import App, CommandContext, View
from saccade_phone.apps.notes.content import COLORS
from saccade_phone.widgets import Widget, back, card, cell, go, tab_item

NOTES = App("notes", "Notes", "便签", "notebook-pen", "#d4a017", "f7-ios", home="notes")
TRASH = "trash"
"""The folder of what was deleted."""
MONTHS_EN = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
Note = dict[str, Any]


def tabs(v: View, here: str) -> list[Widget]:
    left = sum(not todo["done"] for todo in v.data["todos"].values())
    return [
        tab_item(v.t("Notes", "便签"), "notebook-pen", "notes", here == "notes"),
        tab_item(v.t("Folders", "文件夹"), "folder", "folders", here == "folders"),
        tab_item(v.t("To-do", "待办"), "list-todo", "todos", here == "todos", str(left) if left else ""),
    ]


def when(v: View, at: str) -> str:
    """The time for today, else the date."""
    if at[:10] == v.state["now"][:10]:
        return at[11:16]
    day = date.fromisoformat(at[:10])
    return v.t(f"{MONTHS_EN[day.month - 1]} {day.day}", f"{day.month}月{day.day}日")


def folder_name(v: View, folder: str) -> str:
    if folder == TRASH:
        return v.t("Recently deleted", "最近删除")
    name: str = v.data["folders"][folder]["name"]
    return name


def kept(v: View, folder: str = "") -> list[tuple[str, Note]]:
    """The notes that were not deleted (in a folder), the pinned and the newest first."""
    found = [(id, n) for id, n in v.data["notes"].items() if n["folder"] != TRASH and folder in ("", n["folder"])]
    found.sort(key=lambda item: item[1]["at"], reverse=True)
    return sorted(found, key=lambda item: not item[1]["pinned"])


def first_line(v: View, note: Note) -> str:
    """The beginning of the text, as much as fits beside the date."""
    line: str = note["body"].partition("\n")[0]
    most = v.t(52, 28)
    short = line if len(line) <= most else f"{line[: most - 1]}…"
    return f"📌 {short}" if note["pinned"] else short


def note_cell(v: View, id: str, note: Note) -> Widget:
    return cell(
        note["title"],
        first_line(v, note),
        when(v, note["at"]),
        emoji=note["emoji"],
        tint=COLORS[note["color"]][3],
        tap=go("note", note=id),
        hold=go("menu", note=id),
    )


def note_card(v: View, id: str, note: Note) -> Widget:
    return card(
        note["title"],
        first_line(v, note),
        emoji=note["emoji"],
        tint=COLORS[note["color"]][3],
        tap=go("note", note=id),
        hold=go("menu", note=id),
    )


def under(v: View) -> dict[str, Any]:
    """The screen below the one being opened."""
    stack = v.state["nav"]["stacks"].get("notes") or [{"screen": "", "args": {}, "form": {}}]
    found: dict[str, Any] = stack[-1]
    return found


def leave(h: CommandContext, *screens: str) -> None:
    """Close the top screens as long as they are among these: a note's sheets open over lists and over its page."""
    for place in reversed(h.state["nav"]["stacks"][h.app]):
        if place["screen"] not in screens:
            return
        h.then(back())
