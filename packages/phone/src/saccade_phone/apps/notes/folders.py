"""Notes: folders, search, and the trash."""

from __future__ import annotations

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, View
from saccade_phone.apps.notes.parts import NOTES, TRASH, Note, folder_name, kept, leave, note_cell, tabs, when
from saccade_phone.apps.patterns import remember, search_page
from saccade_phone.goal_changes import Fields, Need, Way, plain
from saccade_phone.widgets import Page, Widget, back, do, go

SUGGESTED = 6
FIRST = "quick"
"""The folder that cannot be removed."""
TINTS = ("#d4a017", "#3b7fc4", "#4f9a68", "#cf4b43", "#8a5fc0", "#2a9d8f", "#b5651d")


def deleted_notes(v: View) -> list[tuple[str, Note]]:
    return [(id, note) for id, note in v.data["notes"].items() if note["folder"] == TRASH]


# -- folders -----------------------------------------------------------------------------------------------------------


@NOTES.screen("folders")
def folders(v: View) -> Page:
    notes = kept(v)
    tiles = [
        w.tile(
            f"{folder['name']} ({sum(note['folder'] == id for _, note in notes)})",
            emoji=folder["emoji"],
            tint=TINTS[at % len(TINTS)],
            tap=go("folder", folder=id),
            hold=go("folder-menu", folder=id),
        )
        for at, (id, folder) in enumerate(v.data["folders"].items())
    ]
    rows = [
        w.cell(v.t("New folder", "新建文件夹"), icon="folder-plus", tap=go("new-folder")),
        w.cell(v.t("Recently deleted", "最近删除"), value=str(len(deleted_notes(v))), icon="trash-2", tap=go("trash")),
    ]
    body = [w.section(v.t(f"{len(notes)} notes", f"共{len(notes)}篇便签"), [w.grid(tiles, 3)]), w.section("", rows)]
    find = w.icon_button("search", v.t("Search", "搜索"), go("search"))
    return Page(v.t("Folders", "文件夹"), body, actions=[find], tabs=tabs(v, "folders"))


@NOTES.screen("folder")
def folder_screen(v: View) -> Page:
    id = v.args["folder"]
    rows = [note_cell(v, note, entry) for note, entry in kept(v, id)]
    nothing = w.empty(v.t("No notes in this folder", "文件夹里还没有便签"), "🗂️")
    actions = [
        w.icon_button("plus", v.t("New note", "新建便签"), go("edit", note="")),
        w.icon_button("ellipsis", v.t("More", "更多"), go("folder-menu", folder=id)),
    ]
    return Page(folder_name(v, id), [w.section("", rows)] if rows else [nothing], actions=actions)


@NOTES.screen("folder-menu", style="sheet")
def folder_menu(v: View) -> Page:
    rows = [w.cell(v.t("Rename", "重命名"), icon="pencil", tap=go("rename-folder", **v.args))]
    if v.args["folder"] != FIRST:
        rows.append(w.cell(v.t("Delete folder", "删除文件夹"), icon="trash-2", tap=go("drop-folder", **v.args)))
    return Page(folder_name(v, v.args["folder"]), rows)


def answers(v: View, yes: Widget) -> list[Widget]:
    return [w.button(v.t("Cancel", "取消"), back(), style="plain"), yes]


@NOTES.screen("new-folder", style="dialog", form=lambda v: {"name": ""})
def new_folder(v: View) -> Page:
    name = w.field("name", v.form["name"], v.t("Folder name", "文件夹名称"))
    return Page(
        v.t("New folder", "新建文件夹"), [name], foot=answers(v, w.button(v.t("Create", "创建"), do("add-folder")))
    )


@NOTES.screen("rename-folder", style="dialog", form=lambda v: {"name": folder_name(v, v.args["folder"])})
def rename_folder(v: View) -> Page:
    name = w.field("name", v.form["name"], v.t("Folder name", "文件夹名称"))
    return Page(
        v.t("Rename", "重命名"), [name], foot=answers(v, w.button(v.t("Save", "保存"), do("rename-folder", **v.args)))
    )


@NOTES.screen("drop-folder", style="dialog")
def drop_folder(v: View) -> Page:
    count, name = len(kept(v, v.args["folder"])), folder_name(v, v.args["folder"])
    if count:
        words = w.text(
            v.t(f"Move the {count} notes in “{name}” elsewhere first.", f"请先移走“{name}”里的{count}篇便签。")
        )
        return Page(v.t("Not empty", "文件夹不为空"), [words], foot=[w.button(v.t("OK", "知道了"), back())])
    words = w.text(v.t(f"The empty folder “{name}” will be deleted.", f"将删除空文件夹“{name}”。"))
    drop = w.button(v.t("Delete", "删除"), do("drop-folder", **v.args), style="danger")
    return Page(v.t("Delete folder?", "删除文件夹？"), [words], foot=answers(v, drop))


@NOTES.command("add-folder")
def add_folder(h: CommandContext) -> None:
    name = h.form["name"].strip()
    if not name or any(folder["name"] == name for folder in h.data["folders"].values()):
        return h.toast("Choose another name", "请换一个名称")
    h.data["folders"][h.new_id("folder")] = {"name": name, "emoji": "📁"}
    return leave(h, "new-folder")


@NOTES.command("rename-folder")
def do_rename_folder(h: CommandContext, folder: str) -> None:
    name = h.form["name"].strip()
    if not name or any(entry["name"] == name and id != folder for id, entry in h.data["folders"].items()):
        return h.toast("Choose another name", "请换一个名称")
    h.data["folders"][folder]["name"] = name
    return leave(h, "rename-folder", "folder-menu")


@NOTES.command("drop-folder")
def do_drop_folder(h: CommandContext, folder: str) -> None:
    del h.data["folders"][folder]
    h.toast("Folder deleted", "文件夹已删除")
    leave(h, "drop-folder", "folder-menu", "folder")


def update_folder(v: View, id: str, fields: Fields) -> Way:
    return Need(
        "notes", "rename-folder", {"folder": id}, {"name": plain(fields["name"])}, do("rename-folder", folder=id)
    )


def remove_folder(v: View, id: str) -> Way:
    if id == FIRST or kept(v, id):
        return None
    return Need("notes", "drop-folder", {"folder": id}, commit=do("drop-folder", folder=id))


NOTES.holds(
    "folders",
    create=lambda v, fields: Need("notes", "new-folder", {}, {"name": plain(fields["name"])}, do("add-folder")),
    update=update_folder,
    remove=remove_folder,
    volatile=("emoji",),
)


# -- what was deleted --------------------------------------------------------------------------------------------------


@NOTES.screen("trash")
def trash(v: View) -> Page:
    rows = [
        w.cell(
            note["title"],
            v.t(f"from {place(v, note)}", f"来自“{place(v, note)}”"),
            when(v, note["at"]),
            emoji=note["emoji"],
            tap=go("deleted", note=id),
        )
        for id, note in deleted_notes(v)
    ]
    if not rows:
        return Page(folder_name(v, TRASH), [w.empty(v.t("Nothing was deleted", "没有删除的便签"), "🗑️")])
    hint = w.text(v.t("Notes are erased for good after 30 days.", "便签将在30天后彻底删除。"), "quiet")
    wipe = w.button(v.t("Erase all", "全部清空"), go("empty-trash"), style="danger", icon="trash-2")
    return Page(folder_name(v, TRASH), [hint, w.section("", rows)], foot=[wipe])


def place(v: View, note: Note) -> str:
    """Where a deleted note would go back to."""
    return folder_name(v, note["was"] if note["was"] in v.data["folders"] else FIRST)


@NOTES.screen("deleted", style="sheet")
def deleted(v: View) -> Page:
    note = v.data["notes"][v.args["note"]]
    return Page(
        note["title"],
        [
            *(w.text(line, "quiet") for line in note["body"].splitlines()[:3]),
            w.cell(v.t("Restore", "恢复"), icon="rotate-ccw", tap=do("restore", **v.args)),
            w.cell(v.t("Open", "查看"), icon="eye", tap=go("note", **v.args)),
            w.cell(v.t("Erase for good", "彻底删除"), icon="trash-2", tap=go("erase", **v.args)),
        ],
    )


@NOTES.screen("erase", style="dialog")
def erase(v: View) -> Page:
    title = v.data["notes"][v.args["note"]]["title"]
    words = w.text(v.t(f"“{title}” cannot be brought back then.", f"“{title}”删除后将无法找回。"))
    yes = w.button(v.t("Erase", "彻底删除"), do("erase", **v.args), style="danger")
    return Page(v.t("Erase for good?", "彻底删除？"), [words], foot=answers(v, yes))


@NOTES.screen("empty-trash", style="dialog")
def empty_trash(v: View) -> Page:
    count = len(deleted_notes(v))
    words = w.text(v.t(f"{count} notes cannot be brought back then.", f"{count}篇便签清空后将无法找回。"))
    yes = w.button(v.t("Erase all", "全部清空"), do("empty-trash"), style="danger")
    return Page(v.t("Erase all?", "全部清空？"), [words], foot=answers(v, yes))


@NOTES.command("restore")
def restore(h: CommandContext, note: str) -> None:
    entry = h.data["notes"][note]
    if entry["folder"] == TRASH:
        entry["folder"] = entry["was"] if entry["was"] in h.data["folders"] else FIRST
    h.toast(f"Back in {folder_name(h, entry['folder'])}", f"已恢复到“{folder_name(h, entry['folder'])}”")
    leave(h, "deleted")


@NOTES.command("erase")
def do_erase(h: CommandContext, note: str) -> None:
    if h.data["notes"][note]["folder"] == TRASH:
        del h.data["notes"][note]
        h.toast("Erased", "已彻底删除")
    leave(h, "erase", "deleted", "menu", "note")


@NOTES.command("empty-trash")
def do_empty_trash(h: CommandContext) -> None:
    for id, _ in deleted_notes(h):
        del h.data["notes"][id]
    leave(h, "empty-trash")


# -- search ------------------------------------------------------------------------------------------------------------


def matching(v: View, query: str) -> list[tuple[str, Note]]:
    word = query.strip().casefold()
    return [(id, note) for id, note in kept(v) if word in note["title"].casefold() or word in note["body"].casefold()]


@NOTES.screen("search", form=lambda v: {"query": ""})
def search(v: View) -> Page:
    found = matching(v, v.form["query"].strip()) if v.form["query"].strip() else []
    rows = [note_cell(v, id, note) for id, note in found[:SUGGESTED]]
    hint = v.t("Search titles and texts", "可搜索标题和正文")
    return search_page(v, rows, len(found), hint, v.t("Search notes", "搜索便签"))


@NOTES.screen("results", opened=remember)
def results(v: View) -> Page:
    rows = [note_cell(v, id, note) for id, note in matching(v, v.args["query"])]
    title = v.t(f"{len(rows)} notes", f"{len(rows)}篇便签")
    nothing = w.empty(v.t(f"No note matches “{v.args['query']}”", f"没有与“{v.args['query']}”相符的便签"), "🔍")
    return Page(v.t("Results", "搜索结果"), [w.section(title, rows)] if rows else [nothing])


@NOTES.command("forget")
def forget(h: CommandContext) -> None:
    h.data["history"] = []
