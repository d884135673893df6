"""Notes: note list, editor, colours, pins and trash. Folders and to-do lists are in `folders` and `todos`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, Data, View
from saccade_phone.apps.notes import folders, todos
from saccade_phone.apps.notes.content import COLORS, FOLDERS, fact_line, facts, notes, todo_lists
from saccade_phone.apps.notes.parts import (
    NOTES,
    TRASH,
    Note,
    folder_name,
    kept,
    leave,
    note_card,
    note_cell,
    tabs,
    under,
    when,
)
from saccade_phone.apps.patterns import cancel_or
from saccade_phone.goal_changes import Change, Fields, Need, Way, changed, plain
from saccade_phone.seeded_random import Draw
from saccade_phone.widgets import Page, Widget, do, go, pick, put

DELETED = 4
PINNED = 3


@NOTES.seed
def seed(draw: Draw) -> Data:
    chosen = draw.shuffled([*draw.sample(notes(draw.language), 20), *draw.sample(facts(draw.language), 5)])
    entries: dict[str, Note] = {}
    for at, written in enumerate(chosen):
        body = written.body
        if written.pattern:
            value = "".join(str(draw.integer(1, 9)) if letter == "#" else letter for letter in written.pattern)
            opening, _, rest = body.partition("\n")
            body = "\n".join(filter(None, (opening, f"{fact_line(draw.language, written.label)}{value}", rest)))
        gone = at < DELETED and not written.pattern
        written_at = draw.now - timedelta(days=draw.integer(0, 40), minutes=5 * draw.integer(1, 60))
        entries[f"n{at + 1}"] = {
            "title": written.title,
            "body": body,
            "folder": TRASH if gone else written.folder,
            "pinned": not gone and DELETED <= at < DELETED + PINNED,
            "color": draw.choice(sorted(COLORS)),
            "emoji": written.emoji,
            "at": written_at.isoformat(timespec="minutes"),
            "was": written.folder,
        }
    folders = {id: {"name": draw.t(en, zh), "emoji": emoji} for id, (en, zh, emoji) in FOLDERS.items()}
    lists: dict[str, Any] = {}
    todos: dict[str, Any] = {}
    for each in todo_lists(draw.language):
        lists[each.id] = {"name": each.name, "emoji": each.emoji}
        for words in draw.sample(each.items, 6):
            todos[f"t{len(todos) + 1}"] = {
                "text": words,
                "done": draw.chance(0.35),
                "list": each.id,
                "important": draw.chance(0.15),
            }
    history = [entries[id]["title"] for id in draw.sample(sorted(entries), 3)]
    return {"notes": entries, "folders": folders, "lists": lists, "todos": todos, "layout": "list", "history": history}


# -- the list ----------------------------------------------------------------------------------------------------------


def tools(v: View) -> list[Widget]:
    return [
        w.icon_button("search", v.t("Search", "搜索"), go("search")),
        w.icon_button("plus", v.t("New note", "新建便签"), go("edit", note="")),
    ]


@NOTES.screen("notes", form=lambda v: {"folder": ""})
def notes_screen(v: View) -> Page:
    chosen, layout = v.form["folder"], v.data["layout"]
    filters = [w.chip(v.t("All", "全部"), put("folder", ""), chosen == "")]
    filters += [w.chip(folder["name"], put("folder", id), chosen == id) for id, folder in v.data["folders"].items()]
    found = kept(v, chosen if chosen in v.data["folders"] else "")
    body: list[Widget] = [w.chips(filters)]
    for title, pinned in ((v.t("Pinned", "置顶"), True), (v.t("All notes", "全部便签"), False)):
        some = [(id, note) for id, note in found if note["pinned"] == pinned]
        if not some:
            continue
        if layout == "grid":
            body.append(w.section(title, [w.grid([note_card(v, id, note) for id, note in some], 2)]))
        else:
            body.append(w.section(title, [note_cell(v, id, note) for id, note in some]))
    other, icon, label = (
        ("grid", "layout-grid", v.t("Grid", "网格")) if layout == "list" else ("list", "list", v.t("List", "列表"))
    )
    look = w.icon_button(icon, label, do("layout", layout=other))
    if not found:
        body.append(w.empty(v.t("No notes here", "这里没有便签"), "📝"))
    return Page(v.t("Notes", "便签"), body, actions=[look, *tools(v)], tabs=tabs(v, "notes"), pull=do("refresh"))


@NOTES.command("layout")
def set_layout(h: CommandContext, layout: str) -> None:
    h.data["layout"] = layout


@NOTES.command("refresh")
def refresh(h: CommandContext) -> None:
    h.toast("All notes are in sync", "便签已同步")


# -- one note ----------------------------------------------------------------------------------------------------------


@NOTES.screen("note")
def note_screen(v: View) -> Page:
    id = v.args["note"]
    note = v.data["notes"][id]
    pinned = note["pinned"]
    sub = f"{folder_name(v, note['folder'])} · {when(v, note['at'])}"
    body = [w.banner(note["title"], sub, emoji=note["emoji"], tint=COLORS[note["color"]][3])]
    body += [w.text(line) for line in note["body"].splitlines()]
    body.append(
        w.section(
            "",
            [
                w.entry(v.t("Folder", "文件夹"), folder_name(v, note["folder"]), go("move", note=id), icon="folder"),
                w.entry(v.t("Color", "颜色"), v.t(*COLORS[note["color"]][:2]), go("colors", note=id), icon="palette"),
            ],
        )
    )
    label = v.t("Unpin", "取消置顶") if pinned else v.t("Pin", "置顶")
    actions = [
        w.icon_button("pin-off" if pinned else "pin", label, do("pin", note=id, on=not pinned)),
        w.icon_button("ellipsis", v.t("More", "更多"), go("menu", note=id)),
    ]
    return Page(
        v.t("Note", "便签"),
        body,
        actions=actions,
        foot=[w.button(v.t("Edit", "编辑"), go("edit", note=id), icon="pencil")],
    )


@NOTES.screen("menu", style="sheet")
def menu(v: View) -> Page:
    id = v.args["note"]
    note = v.data["notes"][id]
    pinned = note["pinned"]
    return Page(
        note["title"],
        [
            w.cell(
                v.t("Unpin", "取消置顶") if pinned else v.t("Pin to top", "置顶"),
                icon="pin-off" if pinned else "pin",
                tap=do("pin", note=id, on=not pinned),
            ),
            w.cell(v.t("Color", "颜色"), icon="palette", tap=go("colors", note=id)),
            w.cell(v.t("Move to folder", "移动到文件夹"), icon="folder-input", tap=go("move", note=id)),
            w.cell(v.t("Edit", "编辑"), icon="pencil", tap=go("edit", note=id)),
            w.cell(
                v.t("Delete", "删除"), icon="trash-2", tap=go("erase" if note["folder"] == TRASH else "delete", note=id)
            ),
        ],
    )


@NOTES.screen("colors", style="sheet")
def colors(v: View) -> Page:
    now = v.data["notes"][v.args["note"]]["color"]
    rows = [
        w.choice(f"{emoji} {v.t(en, zh)}", color == now, do("color", color=color, **v.args))
        for color, (en, zh, emoji, _) in COLORS.items()
    ]
    return Page(v.t("Color", "颜色"), rows)


@NOTES.screen("move", style="sheet")
def move(v: View) -> Page:
    now = v.data["notes"][v.args["note"]]["folder"]
    rows = [
        w.choice(f"{folder['emoji']} {folder['name']}", id == now, do("move", folder=id, **v.args))
        for id, folder in v.data["folders"].items()
    ]
    return Page(v.t("Move to", "移动到"), rows)


@NOTES.screen("delete", style="dialog")
def delete(v: View) -> Page:
    title = v.data["notes"][v.args["note"]]["title"]
    words = w.text(v.t(f"“{title}” goes to Recently deleted.", f"“{title}”将移到“最近删除”。"))
    return Page(
        v.t("Delete note?", "删除便签？"), [words], foot=cancel_or(v, v.t("Delete", "删除"), do("trash", **v.args))
    )


@NOTES.command("pin")
def pin(h: CommandContext, note: str, on: bool) -> None:
    h.data["notes"][note]["pinned"] = on
    h.toast("Pinned" if on else "Unpinned", "已置顶" if on else "已取消置顶")
    leave(h, "menu")


@NOTES.command("color")
def set_color(h: CommandContext, note: str, color: str) -> None:
    h.data["notes"][note]["color"] = color
    leave(h, "colors", "menu")


@NOTES.command("move")
def do_move(h: CommandContext, note: str, folder: str) -> None:
    h.data["notes"][note]["folder"] = folder
    h.toast(f"Moved to {folder_name(h, folder)}", f"已移到“{folder_name(h, folder)}”")
    leave(h, "move", "menu")


@NOTES.command("trash")
def trash_note(h: CommandContext, note: str) -> None:
    entry = h.data["notes"][note]
    entry["was"], entry["folder"] = entry["folder"], TRASH
    h.toast("Moved to Recently deleted", "已移到“最近删除”")
    leave(h, "delete", "menu", "note")


# -- writing -----------------------------------------------------------------------------------------------------------


def edit_form(v: View) -> dict[str, Any]:
    """As it is; a new one goes into the folder that was looked at."""
    note = v.data["notes"].get(v.args["note"])
    if note is None:
        place = under(v)
        folder = place["args"].get("folder") or place["form"].get("folder")
        note = {"title": "", "body": "", "folder": folder or "quick", "color": "white", "pinned": False}
    return {name: note[name] for name in ("title", "body", "folder", "color", "pinned")}


@NOTES.screen("edit", form=edit_form)
def edit(v: View) -> Page:
    form, id = v.form, v.args["note"]
    colors = [
        w.chip(f"{emoji} {v.t(en, zh)}", put("color", color), form["color"] == color)
        for color, (en, zh, emoji, _) in COLORS.items()
    ]
    body = [
        w.field("title", form["title"], v.t("Title", "标题"), label=v.t("Title", "标题")),
        w.field("body", form["body"], v.t("Write something", "写点什么"), label=v.t("Text", "正文"), style="long"),
        w.entry(
            v.t("Folder", "文件夹"), folder_name(v, form["folder"]), go("pick-folder", field="folder"), icon="folder"
        ),
        w.section(v.t("Color", "颜色"), [w.chips(colors)]),
        w.switch(v.t("Pin to top", "置顶"), form["pinned"], put("pinned", not form["pinned"]), icon="pin"),
    ]
    title = v.t("Edit note", "编辑便签") if id else v.t("New note", "新建便签")
    return Page(title, body, foot=[w.button(v.t("Save", "保存"), do("save", note=id))])


@NOTES.screen("pick-folder", style="sheet", form=lambda v: {"now": under(v)["form"].get("folder")})
def pick_folder(v: View) -> Page:
    rows = [
        w.choice(f"{folder['emoji']} {folder['name']}", id == v.form["now"], pick("folder", id))
        for id, folder in v.data["folders"].items()
    ]
    return Page(v.t("Folder", "文件夹"), rows)


@NOTES.command("save")
def save(h: CommandContext, note: str) -> None:
    form, title = h.form, h.form["title"].strip()
    if not title:
        return h.toast("The note needs a title", "请填写标题")
    old = h.data["notes"].get(note, {"emoji": "📝", "was": form["folder"]})
    values = {
        "title": title,
        "body": form["body"].strip(),
        "folder": form["folder"],
        "pinned": form["pinned"],
        "color": form["color"],
        "at": h.state["now"],
    }
    h.data["notes"][note or h.new_id("note")] = {**old, **values}
    h.toast("Saved", "已保存")
    return leave(h, "edit", "menu")


# -- how notes change --------------------------------------------------------------------------------------------------


def at_note(v: View, id: str, screen: str, commit: Any, values: Fields | None = None) -> Need:
    """Something that is done on one of a note's screens."""
    note = v.data["notes"][id]
    return Need("notes", screen, {"note": id}, values or {}, commit, note["title"], {"folder": ("", note["folder"])})


def create_note(v: View, fields: Fields) -> Way:
    if fields.get("folder") == TRASH:
        return None
    values = {name: plain(fields[name]) for name in ("title", "body", "folder", "color", "pinned") if name in fields}
    return Need("notes", "edit", {"note": ""}, {"folder": "quick", **values}, do("save", note=""))


def update_note(v: View, id: str, fields: Fields) -> Way:
    note = v.data["notes"][id]
    names = set(fields)
    if note["folder"] == TRASH and names == {"folder"} and fields["folder"] == note["was"]:
        return Need("notes", "deleted", {"note": id}, commit=do("restore", note=id))
    if fields.get("folder") == TRASH:
        if names == {"folder"}:
            return at_note(v, id, "delete", do("trash", note=id))
        return [changed("notes.notes", id, **{name: value for name, value in fields.items() if name != "folder"})]
    if names == {"pinned"}:
        return at_note(v, id, "menu", do("pin", note=id, on=fields["pinned"]))
    if names == {"color"}:
        return at_note(v, id, "colors", do("color", note=id, color=fields["color"]))
    if names == {"folder"}:
        return at_note(v, id, "move", do("move", note=id, folder=fields["folder"]))
    return at_note(v, id, "edit", do("save", note=id), {name: plain(value) for name, value in fields.items()})


def remove_note(v: View, id: str) -> Way:
    """Only what is in the trash can be erased."""
    if v.data["notes"][id]["folder"] != TRASH:
        first: list[Change] = [changed("notes.notes", id, folder=TRASH)]
        return first
    return Need("notes", "erase", {"note": id}, commit=do("erase", note=id))


NOTES.holds(
    "notes",
    create=create_note,
    update=update_note,
    remove=remove_note,
    volatile=("at", "was", "emoji"),
    defaults={"body": "", "folder": "quick", "pinned": False, "color": "white"},
)
NOTES.forgets("layout", "history")

__all__ = ["NOTES", "folders", "todos"]
