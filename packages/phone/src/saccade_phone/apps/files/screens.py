"""Files: the screens. The commands are in `apps.files`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import App, View
from saccade_phone.widgets import Op, Page, Widget, back, do, go, put, tab

FILES = App("files", "Files", "文件管理", "folder", "#4f7cac", "vant")

KINDS = {
    "image": ("Images", "图片", "image", "🖼️", "#e58f65"),
    "document": ("Documents", "文档", "file-text", "📄", "#4f7cac"),
    "audio": ("Audio", "音频", "music", "🎵", "#8e6bbf"),
    "video": ("Videos", "视频", "film", "🎬", "#c8553d"),
    "archive": ("Archives", "压缩包", "file-archive", "🗜️", "#6a994e"),
    "folder": ("Folders", "文件夹", "folder", "📁", "#e0a530"),
}
SORTS = {
    "name": ("Name", "名称", "From A to Z", "按拼写顺序"),
    "date": ("Date", "日期", "Newest first", "最新的在前"),
    "size": ("Size", "大小", "Largest first", "最大的在前"),
    "kind": ("Type", "类型", "Same kinds together", "同类排在一起"),
}
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
CAPACITY, SYSTEM = 64.0, 21.4
"""In GB: the whole storage, and what the system takes."""
Entry = dict[str, Any]
Rows = list[tuple[str, Entry]]


# -- reading the data --------------------------------------------------------------------------------------------------


def path(v: View, id: str) -> list[str]:
    """The folders above an entry, the uppermost first: "root" or "trash", and so on."""
    above: list[str] = []
    entries = v.data["entries"]
    while id in entries:
        id = entries[id]["parent"]
        above.insert(0, id)
    return above


def folder_name(v: View, folder: str) -> str:
    fixed = {"root": v.t("Internal storage", "内部存储"), "trash": v.t("Trash", "回收站")}
    return fixed.get(folder) or str(v.data["entries"][folder]["name"])


def trail(v: View, folder: str) -> str:
    """The path in words."""
    ids = [*path(v, folder), folder]
    return " › ".join(folder_name(v, id) for id in ids)


def thrown(v: View) -> set[str]:
    """The trash, and the folders in it."""
    gone, size = {"trash"}, 0
    folders = [(id, entry["parent"]) for id, entry in v.data["entries"].items() if entry["kind"] == "folder"]
    while size < len(gone):
        size = len(gone)
        gone.update(id for id, parent in folders if parent in gone)
    return gone


def alive(v: View) -> Rows:
    """All files that are not in the trash, nor in a folder that is."""
    gone = thrown(v)
    return [row for row in v.data["entries"].items() if row[1]["kind"] != "folder" and row[1]["parent"] not in gone]


def inside(v: View, folder: str) -> Rows:
    return [(id, entry) for id, entry in v.data["entries"].items() if entry["parent"] == folder]


def ordered(v: View, rows: Rows) -> Rows:
    """In the order that the user has chosen, folders first."""
    sort = v.data["sort"]
    rows = sorted(rows, key=lambda row: row[1]["name"].casefold())
    if sort in ("date", "size"):
        rows.sort(key=lambda row: row[1][sort], reverse=True)
    elif sort == "kind":
        rows.sort(key=lambda row: list(KINDS).index(row[1]["kind"]))
    return sorted(rows, key=lambda row: row[1]["kind"] != "folder")


def size_text(size: int) -> str:
    """A size in KB in words."""
    if size < 1000:
        return f"{size} KB"
    return f"{size / 1000:.1f} MB" if size < 1_000_000 else f"{size / 1_000_000:.2f} GB"


def date_text(v: View, date: str) -> str:
    year, month, day = (int(part) for part in date.split("-"))
    return v.t(f"{MONTHS[month - 1]} {day}, {year}", f"{year}年{month}月{day}日")


# -- lists -------------------------------------------------------------------------------------------------------------


def opening(id: str, entry: Entry) -> Op:
    return go("folder", folder=id) if entry["kind"] == "folder" else go("file", file=id)


def extent(v: View, id: str, entry: Entry) -> str:
    """How large a file is, or how much is in a folder."""
    count = len(inside(v, id)) if entry["kind"] == "folder" else 0
    return size_text(entry["size"]) if entry["size"] else v.t(f"{count} item{'' if count == 1 else 's'}", f"{count}项")


def about(v: View, id: str, entry: Entry) -> str:
    return f"{extent(v, id, entry)} · {date_text(v, entry['date'])}"


def entry_row(v: View, id: str, entry: Entry) -> Widget:
    _, _, icon, _, tint = KINDS[entry["kind"]]
    mark = "★" if entry["starred"] else ""
    return w.cell(
        entry["name"], about(v, id, entry), mark, icon=icon, tint=tint, tap=opening(id, entry), hold=go("menu", file=id)
    )


def entry_card(v: View, id: str, entry: Entry) -> Widget:
    *_, emoji, tint = KINDS[entry["kind"]]
    emoji = entry["emoji"] or emoji
    return w.card(
        entry["name"],
        extent(v, id, entry),
        emoji=emoji,
        tint=tint,
        badge="★" if entry["starred"] else "",
        tap=opening(id, entry),
        hold=go("menu", file=id),
    )


def listing(v: View, rows: Rows, words: str, *, cards: bool = False) -> list[Widget]:
    if not rows:
        return [w.empty(words, "📂")]
    if cards:
        return [w.grid([entry_card(v, id, entry) for id, entry in rows], 2)]
    return [w.section("", [entry_row(v, id, entry) for id, entry in rows])]


def tabs(v: View, here: str) -> list[Widget]:
    return [
        w.tab_item(v.t("Browse", "浏览"), "folder", "home", here == "home"),
        w.tab_item(v.t("Recent", "最近"), "clock", "recent", here == "recent"),
        w.tab_item(v.t("Storage", "存储"), "chart-pie", "storage", here == "storage"),
    ]


def search_button(v: View) -> Widget:
    return w.icon_button("search", v.t("Search", "搜索"), go("search"))


def sort_button(v: View) -> Widget:
    return w.icon_button("arrow-up-down", v.t("Sort", "排序"), go("sort"))


def layout_button(v: View) -> Widget:
    if v.form["layout"] == "list":
        return w.icon_button("layout-grid", v.t("As a grid", "网格视图"), put("layout", "grid"))
    return w.icon_button("list", v.t("As a list", "列表视图"), put("layout", "list"))


@FILES.screen("home")
def home(v: View) -> Page:
    counts: dict[str, int] = {}
    for _, entry in alive(v):
        counts[entry["kind"]] = counts.get(entry["kind"], 0) + 1
    tiles = [
        w.tile(v.t(en, zh), icon=icon, tint=tint, badge=str(counts.get(kind, "")), tap=go("category", kind=kind))
        for kind, (en, zh, icon, _, tint) in KINDS.items()
        if kind != "folder"
    ]
    tiles.append(w.tile(v.t("Starred", "星标"), icon="star", tint="#e0a530", tap=go("starred")))
    places = [
        w.cell(
            v.t("Internal storage", "内部存储"),
            v.t("All folders", "全部文件夹"),
            icon="hard-drive",
            tap=go("folder", folder="root"),
        ),
        *(
            w.cell(entry["name"], icon="download", tap=go("folder", folder=id))
            for id, entry in inside(v, "root")
            if entry["name"] in ("Downloads", "下载")
        ),
        w.cell(v.t("Trash", "回收站"), value=str(len(inside(v, "trash")) or ""), icon="trash-2", tap=go("trash")),
    ]
    body = [w.section(v.t("Categories", "分类"), [w.grid(tiles, 3)]), w.section(v.t("Places", "位置"), places)]
    return Page(v.t("Files", "文件管理"), body, actions=[search_button(v)], tabs=tabs(v, "home"))


@FILES.screen("recent")
def recent(v: View) -> Page:
    rows = sorted(alive(v), key=lambda row: (row[1]["date"], row[0]), reverse=True)[:30]
    return Page(
        v.t("Recent", "最近"),
        listing(v, rows, v.t("Nothing yet", "暂无文件")),
        actions=[search_button(v)],
        tabs=tabs(v, "recent"),
    )


@FILES.screen("storage")
def storage(v: View) -> Page:
    rows = alive(v)
    used = SYSTEM + sum(entry["size"] for _, entry in rows) / 1_000_000
    parts = []
    for kind, (en, zh, icon, _, tint) in KINDS.items():
        sizes = [entry["size"] for _, entry in rows if entry["kind"] == kind]
        if sizes:
            sub = v.t(f"{len(sizes)} files", f"{len(sizes)}个文件")
            parts.append(
                w.cell(v.t(en, zh), sub, size_text(sum(sizes)), icon=icon, tint=tint, tap=go("category", kind=kind))
            )
    largest = sorted(rows, key=lambda row: (-row[1]["size"], row[0]))[:8]
    binned = size_text(sum(entry["size"] for _, entry in inside(v, "trash")))
    bin_row = w.cell(v.t("Trash", "回收站"), value=binned, icon="trash-2", tap=go("trash"))
    body = [
        w.text(f"{used:.1f} GB", "big"),
        w.progress(used / CAPACITY, v.t("Used", "已用"), v.t(f"of {CAPACITY:.0f} GB", f"共{CAPACITY:.0f} GB")),
        w.section(v.t("What takes space", "空间占用"), parts),
        w.section(v.t("Clean up", "清理"), [bin_row]),
        w.section(v.t("Largest files", "最大的文件"), [entry_row(v, id, entry) for id, entry in largest]),
    ]
    return Page(v.t("Storage", "存储空间"), body, tabs=tabs(v, "storage"))


@FILES.screen("folder", form=lambda v: {"layout": "list"})
def folder_page(v: View) -> Page:
    folder = v.args["folder"]
    new = w.icon_button("folder-plus", v.t("New folder", "新建文件夹"), go("new-folder", folder=folder))
    rows = listing(
        v, ordered(v, inside(v, folder)), v.t("This folder is empty", "文件夹是空的"), cards=v.form["layout"] == "grid"
    )
    return Page(
        folder_name(v, folder),
        [w.text(trail(v, folder), "quiet"), *rows],
        actions=[sort_button(v), layout_button(v), new],
    )


@FILES.screen("category", form=lambda v: {"layout": "grid" if v.args["kind"] in ("image", "video") else "list"})
def category(v: View) -> Page:
    kind = v.args["kind"]
    rows = ordered(v, [row for row in alive(v) if row[1]["kind"] == kind])
    body = listing(v, rows, v.t("Nothing here", "这里没有文件"), cards=v.form["layout"] == "grid")
    return Page(v.t(*KINDS[kind][:2]), body, actions=[search_button(v), sort_button(v), layout_button(v)])


@FILES.screen("starred")
def starred(v: View) -> Page:
    rows = ordered(v, [row for row in alive(v) if row[1]["starred"]])
    return Page(
        v.t("Starred", "星标"), listing(v, rows, v.t("No starred files", "没有星标文件")), actions=[sort_button(v)]
    )


@FILES.screen("sort", style="sheet")
def sort_sheet(v: View) -> Page:
    rows = [
        w.choice(v.t(en, zh), v.data["sort"] == by, do("sort", by=by), v.t(hint, tip))
        for by, (en, zh, hint, tip) in SORTS.items()
    ]
    return Page(v.t("Sort by", "排序方式"), rows)


# -- one entry ---------------------------------------------------------------------------------------------------------


@FILES.screen("file")
def file_page(v: View) -> Page:
    id = v.args["file"]
    entry = v.data["entries"][id]
    en, zh, _, emoji, tint = KINDS[entry["kind"]]
    on = not entry["starred"]
    star = w.icon_button("star" if on else "star-off", v.t("Star", "星标"), do("star", file=id, on=on))
    more = w.icon_button("ellipsis", v.t("More", "更多"), go("menu", file=id))
    facts = [
        w.cell(v.t("Type", "类型"), value=v.t(en.removesuffix("s"), zh)),
        w.cell(v.t("Size", "大小"), value=extent(v, id, entry)),
        w.cell(v.t("Changed", "修改日期"), value=date_text(v, entry["date"])),
        w.cell(v.t("Folder", "所在文件夹"), value=folder_name(v, entry["parent"])),
        w.cell(v.t("Starred", "星标"), value=v.t("No", "否") if on else v.t("Yes ★", "是 ★")),
    ]
    body = [
        w.picture(entry["emoji"] or emoji, tint, tall=entry["kind"] in ("image", "video")),
        w.text(entry["name"], "title"),
        w.section("", facts),
    ]
    foot = w.row(
        [
            w.button(v.t("Move", "移动"), go("place", file=id, mode="move", folder="root"), style="plain"),
            w.button(v.t("Delete", "删除"), go("delete", file=id), style="danger"),
        ]
    )
    return Page(v.t("Details", "详细信息"), body, actions=[star, more], foot=[foot])


@FILES.screen("menu", style="sheet")
def menu(v: View) -> Page:
    id = v.args["file"]
    entry = v.data["entries"][id]
    on, plain = not entry["starred"], entry["kind"] != "folder"
    rows = [
        w.cell(v.t("Rename", "重命名"), icon="pencil", tap=go("rename", file=id)),
        w.cell(v.t("Move to…", "移动到…"), icon="folder-input", tap=go("place", file=id, mode="move", folder="root")),
    ]
    if plain:
        words = v.t("Add star", "加星标") if on else v.t("Remove star", "取消星标")
        rows += [
            w.cell(v.t("Copy to…", "复制到…"), icon="copy", tap=go("place", file=id, mode="copy", folder="root")),
            w.cell(words, icon="star" if on else "star-off", tap=do("star", file=id, on=on)),
        ]
    rows += [
        w.cell(v.t("Details", "详细信息"), icon="info", tap=go("file", file=id)),
        w.cell(v.t("Delete", "删除"), icon="trash-2", tap=go("delete", file=id)),
    ]
    return Page(entry["name"], rows)


def dialog(v: View, title: str, body: Sequence[Widget], words: str, commit: Op, *, danger: bool = False) -> Page:
    return Page(
        title,
        list(body),
        foot=[
            w.button(v.t("Cancel", "取消"), back(), style="plain"),
            w.button(words, commit, style="danger" if danger else "primary"),
        ],
    )


@FILES.screen("rename", style="dialog", form=lambda v: {"name": v.data["entries"][v.args["file"]]["name"]})
def rename_dialog(v: View) -> Page:
    commit = do("rename", **v.args)
    name = w.field("name", v.form["name"], v.t("New name", "新名称"), submit=commit)
    return dialog(v, v.t("Rename", "重命名"), [name], v.t("Save", "保存"), commit)


@FILES.screen("new-folder", style="dialog", form=lambda v: {"name": ""})
def new_folder(v: View) -> Page:
    commit = do("add-folder", **v.args)
    name = w.field("name", v.form["name"], v.t("Name of the folder", "文件夹名称"), submit=commit)
    return dialog(v, v.t("New folder", "新建文件夹"), [name], v.t("Create", "创建"), commit)


@FILES.screen("delete", style="dialog")
def delete_dialog(v: View) -> Page:
    name = v.data["entries"][v.args["file"]]["name"]
    words = v.t(f"“{name}” goes to the trash, where it can be restored.", f"“{name}”将移入回收站，之后仍可恢复。")
    return dialog(
        v, v.t("Delete?", "确认删除？"), [w.text(words)], v.t("Delete", "删除"), do("trash", **v.args), danger=True
    )


@FILES.screen("place", style="sheet")
def place(v: View) -> Page:
    """The folder chooser: go down and up, then move the entry into the shown folder."""
    id, mode, folder = v.args["file"], v.args["mode"], v.args["folder"]
    entry = v.data["entries"][id]
    rows = []
    if folder != "root":
        above = path(v, folder)[-1]
        up = v.t(f"Up to {folder_name(v, above)}", f"返回上级：{folder_name(v, above)}")
        rows.append(w.cell(up, icon="corner-left-up", tap=tab("place", file=id, mode=mode, folder=above)))
    below = sorted(
        (row for row in inside(v, folder) if row[1]["kind"] == "folder" and row[0] != id),
        key=lambda row: row[1]["name"].casefold(),
    )
    rows += [
        w.cell(each["name"], icon="folder", tint="#e0a530", tap=tab("place", file=id, mode=mode, folder=key))
        for key, each in below
    ]
    rows.append(w.cell(v.t("New folder", "新建文件夹"), icon="folder-plus", tap=go("new-folder", folder=folder)))
    here = w.button(
        v.t("Move here", "移动到此处") if mode == "move" else v.t("Copy here", "复制到此处"),
        do(mode, file=id, folder=folder),
    )
    note = w.text(f"“{entry['name']}” → {folder_name(v, folder)}")
    title = v.t("Move to", "移动到") if mode == "move" else v.t("Copy to", "复制到")
    return Page(title, rows, head=[note], foot=[here] if mode == "copy" or entry["parent"] != folder else [])
