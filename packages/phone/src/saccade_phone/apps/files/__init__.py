"""Files: the trash, the commands, and how each change is made. The other screens are in `screens` and `search`.

An entry in the trash has "trash" as its parent. A new folder's id is made from its parent and name, so that a
task can name a folder that does not exist yet.
"""

from __future__ import annotations

from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, Data, View
from saccade_phone.apps.files import search  # noqa: F401  (its screens belong to the app)
from saccade_phone.apps.files.content import entries
from saccade_phone.apps.files.screens import (
    FILES,
    KINDS,
    about,
    dialog,
    folder_name,
    inside,
    path,
)
from saccade_phone.goal_changes import Fields, Need, Way, added, changed, plain
from saccade_phone.seeded_random import Draw
from saccade_phone.widgets import Page, back, do, go


@FILES.seed
def seed(draw: Draw) -> Data:
    found = entries(draw)
    names = [entry["name"].rpartition(".")[0] for entry in found.values() if entry["kind"] != "folder"]
    return {"entries": found, "sort": "name", "history": draw.sample(names, 3)}


# -- trash -------------------------------------------------------------------------------------------------------------


@FILES.screen("trash")
def trash_page(v: View) -> Page:
    rows = [
        w.cell(entry["name"], about(v, id, entry), icon=KINDS[entry["kind"]][2], tap=go("trashed", file=id))
        for id, entry in sorted(inside(v, "trash"), key=lambda row: row[1]["name"].casefold())
    ]
    note = w.text(v.t("Files stay here until you delete them for good.", "文件会一直保留，直到您彻底删除。"), "quiet")
    body = [note, w.section("", rows)] if rows else [w.empty(v.t("The trash is empty", "回收站是空的"), "🗑️")]
    foot = [w.button(v.t("Empty trash", "清空回收站"), go("empty-trash"), style="danger")] if rows else []
    return Page(v.t("Trash", "回收站"), body, foot=foot)


def origin(v: View, entry: dict[str, Any]) -> str:
    """Where an entry in the trash came from; if that is gone too, the uppermost folder."""
    home = str(entry["origin"])
    return home if home in v.data["entries"] and path(v, home)[0] == "root" else "root"


@FILES.screen("trashed", style="sheet")
def trashed(v: View) -> Page:
    id = v.args["file"]
    entry = v.data["entries"][id]
    home = v.t("Back to ", "放回：") + folder_name(v, origin(v, entry))
    return Page(
        entry["name"],
        [
            w.cell(v.t("Restore", "恢复"), home, icon="rotate-ccw", tap=do("restore", file=id)),
            w.cell(v.t("Delete for good", "彻底删除"), icon="trash-2", tap=go("purge", file=id)),
        ],
    )


@FILES.screen("purge", style="dialog")
def purge_dialog(v: View) -> Page:
    name = v.data["entries"][v.args["file"]]["name"]
    words = w.text(v.t(f"“{name}” will be gone for good.", f"“{name}”将被彻底删除，无法恢复。"))
    return dialog(
        v, v.t("Delete for good?", "彻底删除？"), [words], v.t("Delete", "删除"), do("purge", **v.args), danger=True
    )


@FILES.screen("empty-trash", style="dialog")
def empty_dialog(v: View) -> Page:
    count = len(inside(v, "trash"))
    words = w.text(v.t(f"{count} files will be gone for good.", f"{count}个文件将被彻底删除，无法恢复。"))
    return dialog(v, v.t("Empty trash?", "清空回收站？"), [words], v.t("Empty", "清空"), do("empty-trash"), danger=True)


# -- commands ----------------------------------------------------------------------------------------------------------


def close(h: CommandContext, *, leave: str = "") -> None:
    """Close the sheets and dialogs over the page, and the page itself if it is `leave`."""
    stack = h.state["nav"]["stacks"][h.app]
    over = 0
    while FILES.screens[stack[-1 - over]["screen"]].style != "page":
        over += 1
    h.then(*[back()] * (over + (stack[-1 - over]["screen"] == leave)))


def taken(h: CommandContext, folder: str, name: str, but: str = "") -> bool:
    return any(entry["name"].casefold() == name.casefold() and id != but for id, entry in inside(h, folder))


@FILES.command("sort")
def sort(h: CommandContext, by: str) -> None:
    h.data["sort"] = by
    h.then(back())


@FILES.command("star")
def star(h: CommandContext, file: str, on: bool) -> None:
    h.data["entries"][file]["starred"] = on
    h.toast("Star added" if on else "Star removed", "已加星标" if on else "已取消星标")
    close(h)


@FILES.command("rename")
def rename(h: CommandContext, file: str) -> None:
    entry, name = h.data["entries"][file], h.form["name"].strip()
    _, dot, ending = entry["name"].rpartition(".")
    if entry["kind"] != "folder" and dot and name and not name.casefold().endswith(f".{ending.casefold()}"):
        name = f"{name}.{ending}"  # an ending that was left out is kept
    if not name or taken(h, entry["parent"], name, but=file):
        h.toast("Choose another name", "请换一个名称")
        return
    entry["name"] = name
    h.toast("Renamed", "已重命名")
    close(h)


@FILES.command("add-folder")
def add_folder(h: CommandContext, folder: str) -> None:
    name = h.form["name"].strip()
    if not name or taken(h, folder, name):
        h.toast("Choose another name", "请换一个名称")
        return
    id = f"{folder}/{name}"
    h.data["entries"][h.new_id(id) if id in h.data["entries"] else id] = {
        "name": name,
        "kind": "folder",
        "parent": folder,
        "size": 0,
        "date": h.state["now"][:10],
        "starred": False,
        "origin": "",
        "emoji": "",
    }
    h.toast("Folder created", "文件夹已创建")
    h.then(back())


@FILES.command("move")
def move(h: CommandContext, file: str, folder: str) -> None:
    entry = h.data["entries"][file]
    if taken(h, folder, entry["name"], but=file):
        h.toast("There is one of this name already", "已存在同名文件")
        return
    entry["parent"] = folder
    h.toast(f"Moved to {folder_name(h, folder)}", f"已移动到“{folder_name(h, folder)}”")
    close(h)


@FILES.command("copy")
def copy(h: CommandContext, file: str, folder: str) -> None:
    entry = h.data["entries"][file]
    stem, _, ending = entry["name"].rpartition(".")
    name, count = entry["name"], 0
    while taken(h, folder, name):
        count += 1
        name = f"{stem} ({count}).{ending}"
    copied = {**entry, "name": name, "parent": folder, "date": h.state["now"][:10], "starred": False}
    h.data["entries"][h.new_id("file")] = copied
    h.toast(f"Copied to {folder_name(h, folder)}", f"已复制到“{folder_name(h, folder)}”")
    close(h)


@FILES.command("trash")
def trash(h: CommandContext, file: str) -> None:
    entry = h.data["entries"][file]
    entry["origin"], entry["parent"] = entry["parent"], "trash"
    h.toast("Moved to the trash", "已移入回收站")
    close(h, leave="file")


@FILES.command("restore")
def restore(h: CommandContext, file: str) -> None:
    entry = h.data["entries"][file]
    entry["parent"] = origin(h, entry)
    h.toast("Restored", "已恢复")
    close(h)


def erase(h: CommandContext, file: str) -> None:
    """Remove an entry with everything in it."""
    for id, _ in inside(h, file):
        erase(h, id)
    del h.data["entries"][file]


@FILES.command("purge")
def purge(h: CommandContext, file: str) -> None:
    erase(h, file)
    h.toast("Deleted for good", "已彻底删除")
    close(h)


@FILES.command("empty-trash")
def empty_trash(h: CommandContext) -> None:
    for id, _ in inside(h, "trash"):
        erase(h, id)
    h.toast("The trash is empty", "回收站已清空")
    close(h)


@FILES.command("clear-history")
def clear_history(h: CommandContext) -> None:
    h.data["history"] = []


# -- ways --------------------------------------------------------------------------------------------------------------


def at_file(v: View, id: str, screen: str, commit: Any, values: Fields | None = None, **args: str) -> Need:
    """A command on an entry, reached through its folders or its kind."""
    folders = {*path(v, id), *path(v, args.get("folder", "root")), "root"}
    return Need(
        "files",
        screen,
        {"file": id, **args},
        values or {},
        commit,
        "",
        {"folder": tuple(sorted(folders)), "kind": (v.data["entries"][id]["kind"],)},
    )


def folder_first(v: View, folder: str) -> Way:
    """A folder that does not exist has to be made."""
    above, _, name = folder.rpartition("/")
    return [added("files.entries", kind="folder", name=name, parent=above)] if above else None


def create_entry(v: View, fields: Fields) -> Way:
    everything, folder = v.data["entries"], fields.get("parent", "root")
    if folder == "trash":
        return None
    if folder != "root" and folder not in everything:
        return folder_first(v, folder)
    if fields.get("kind") == "folder":
        through = {"folder": (*path(v, folder), folder)}
        return Need(
            "files",
            "new-folder",
            {"folder": folder},
            {"name": plain(fields["name"])},
            do("add-folder", folder=folder),
            "",
            through,
        )
    named = [
        id for id, entry in everything.items() if entry["name"] == fields.get("name") and path(v, id)[0] != "trash"
    ]
    if not named:
        return None
    return at_file(v, named[0], "place", do("copy", file=named[0], folder=folder), mode="copy", folder=folder)


def update_entry(v: View, id: str, fields: Fields) -> Way:
    entry = v.data["entries"][id]
    parent = fields.get("parent", entry["parent"])
    if fields.keys() - {"name", "parent", "starred"}:
        return None
    if entry["parent"] == "trash":
        return Need("files", "trashed", {"file": id}, commit=do("restore", file=id))
    if path(v, id)[0] == "trash":
        return [changed("files.entries", path(v, id)[1], parent=v.data["entries"][path(v, id)[1]]["origin"])]
    if "starred" in fields and fields["starred"] != entry["starred"]:
        return at_file(v, id, "file", do("star", file=id, on=fields["starred"]))
    if "name" in fields and fields["name"] != entry["name"]:
        return at_file(v, id, "rename", do("rename", file=id), {"name": plain(fields["name"])})
    if parent == "trash":
        return at_file(v, id, "delete", do("trash", file=id))
    if parent != "root" and parent not in v.data["entries"]:
        return folder_first(v, parent)
    return at_file(v, id, "place", do("move", file=id, folder=parent), mode="move", folder=parent)


def remove_entry(v: View, id: str) -> Way:
    if v.data["entries"][id]["parent"] != "trash":
        return [changed("files.entries", id, parent="trash")]
    return Need("files", "purge", {"file": id}, commit=do("purge", file=id))


FILES.holds(
    "entries",
    create=create_entry,
    update=update_entry,
    remove=remove_entry,
    volatile=("origin",),
    defaults={"starred": False},
)
FILES.value("sort", lambda v, wanted: Need("files", "sort", commit=do("sort", by=wanted)))
FILES.forgets("sort", "history")
