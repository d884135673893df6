"""Tasks in the file manager."""

from __future__ import annotations

from typing import Any

from saccade_phone.apps.files.screens import SORTS, size_text
from saccade_phone.data_files import Words, table
from saccade_phone.goal_changes import See, Value, added, changed, see
from saccade_phone.tasks.base import Goal, Params, task


def is_file(entry: dict[str, Any]) -> bool:
    """A file that is not in the trash."""
    return bool(entry["kind"] != "folder" and entry["parent"] != "trash")


def above(p: Params, id: str) -> tuple[str, ...]:
    """The folders above an entry, and the entry itself."""
    entries = p.data("files")["entries"]
    way = [id]
    while way[-1] in entries:
        way.append(entries[way[-1]]["parent"])
    return tuple(way)


def folder_for(p: Params, file: dict[str, Any]) -> tuple[str, str]:
    """A folder that the file is not in: its id and name."""
    id, folder = p.entry("files.entries", lambda entry: entry["kind"] == "folder")
    p.need(id != file["parent"])
    return id, folder["name"]


@task("files.star")
def star(p: Params) -> Goal:
    id, file = p.entry("files.entries", is_file)
    name, on = file["name"], not file["starred"]
    return p.goal(
        [changed("files.entries", id, starred=on)],
        en=[
            f"{'Star' if on else 'Unstar'} the file “{name}”",
            f"{'Add a star to' if on else 'Remove the star from'} “{name}” in Files",
            f"The file “{name}” should {'get a' if on else 'lose its'} star",
            f"In the file manager “{name}” {'should be one' if on else 'is no longer one'} of my starred things",
        ],
        zh=[
            f"给文件“{name}”{'加星标' if on else '取消星标'}",
            f"在文件管理里把“{name}”{'标上星' if on else '的星标去掉'}",
            f"文件“{name}”{'要加个星标' if on else '不要星标了'}",
            f"打开文件管理，{'我希望以后在星标列表里能直接看到' if on else '别再让星标列表里出现'}“{name}”这一项",
        ],
    )


NAMES = table("tasks/files", "names", list[Words])


@task("files.rename")
def rename(p: Params) -> Goal:
    id, file = p.entry("files.entries", is_file)
    old, stem = file["name"], p.t(*p.choice(NAMES))
    new = f"{stem}.{old.rpartition('.')[2]}"
    return p.goal(
        [changed("files.entries", id, name=new)],
        en=[
            f"Rename the file “{old}” to “{new}”",
            f"Change the name of “{old}” to “{new}”",
            f"“{old}” should be called “{new}”",
            f"Nobody understands what “{old}” means, so let it bear the title “{new}” from now on",
        ],
        zh=[
            f"把文件“{old}”重命名为“{new}”",
            f"将“{old}”的名字改成“{new}”",
            f"“{old}”改名叫“{new}”",
            f"“{old}”这个叫法谁也看不懂，请在手机存储里找出来，换上新名称“{new}”",
        ],
    )


@task("files.move")
def move(p: Params) -> Goal:
    id, file = p.entry("files.entries", is_file)
    folder, place = folder_for(p, file)
    name = file["name"]
    return p.goal(
        [changed("files.entries", id, parent=folder)],
        en=[
            f"Move the file “{name}” to the folder “{place}”",
            f"Put “{name}” into the folder “{place}” instead of where it is now",
            f"“{name}” belongs into “{place}”: move it there",
            f"I keep looking for “{name}” in the wrong spot; from today on it shall lie in “{place}” and nowhere else",
        ],
        zh=[
            f"把文件“{name}”移动到“{place}”文件夹",
            f"将“{name}”移到“{place}”里",
            f"“{name}”应该放在“{place}”文件夹，帮我移过去",
            f"我老是找不到“{name}”，它现在待的地方不对，请让它今后只待在“{place}”这个目录底下",
        ],
    )


@task("files.copy")
def copy(p: Params) -> Goal:
    _, file = p.entry("files.entries", is_file)
    folder, place = folder_for(p, file)
    name = file["name"]
    return p.goal(
        [added("files.entries", name=name, kind=file["kind"], parent=folder, size=file["size"])],
        en=[
            f"Copy the file “{name}” to the folder “{place}”",
            f"Put a copy of “{name}” into “{place}”",
            f"I want “{name}” in the folder “{place}” too: copy it there",
            f"Leave “{name}” where it is, but make sure that a duplicate of it can be found under “{place}” as well",
        ],
        zh=[
            f"把文件“{name}”复制到“{place}”文件夹",
            f"复制一份“{name}”放进“{place}”",
            f"“{place}”文件夹里也要有“{name}”，帮我拷贝一份",
            f"“{name}”原来那份别动，另外再弄一个一模一样的，让我在“{place}”目录下也找得到",
        ],
    )


@task("files.delete")
def delete(p: Params) -> Goal:
    id, file = p.entry("files.entries", is_file)
    name = file["name"]
    return p.goal(
        [changed("files.entries", id, parent="trash")],
        en=[
            f"Delete the file “{name}”",
            f"Move the file “{name}” to the trash",
            f"I don't need “{name}” any more, delete it from Files",
            f"My phone is short of space, and “{name}” is something I can do without: to the bin with it",
        ],
        zh=[
            f"删除文件“{name}”",
            f"把“{name}”移到回收站",
            f"文件“{name}”不要了，删掉它",
            f"手机空间快不够用了，“{name}”留着也没意义，请在文件管理里把它丢进回收站",
        ],
    )


@task("files.restore", held_out=True)
def restore(p: Params) -> Goal:
    id, file = p.entry("files.entries", lambda entry: entry["parent"] == "trash")
    name = file["name"]
    return p.goal(
        [changed("files.entries", id, parent=file["origin"])],
        en=[
            f"Restore “{name}” from the trash",
            f"Bring the deleted file “{name}” back",
            f"Undelete the file “{name}”",
            f"It was a mistake to throw “{name}” away; dig it out of the bin so that it is back in its old folder",
        ],
        zh=[
            f"从回收站恢复“{name}”",
            f"把删除的文件“{name}”找回来",
            f"还原被删掉的“{name}”",
            f"“{name}”当初不该扔掉的，请把它从垃圾桶里捞出来，让它回到原先的目录",
        ],
    )


FOLDERS = table("tasks/files", "folders", list[Words])


@task("files.file_new")
def file_new(p: Params) -> Goal:
    folder, place = p.entry("files.entries", lambda entry: entry["kind"] == "folder" and entry["parent"] == "root")
    id, file = p.entry("files.entries", lambda entry: is_file(entry) and entry["parent"] == folder)
    new, name, where = p.t(*p.choice(FOLDERS)), file["name"], place["name"]
    return p.goal(
        [
            added("files.entries", kind="folder", name=new, parent=folder),
            changed("files.entries", id, parent=f"{folder}/{new}"),
        ],
        en=[
            f"Create the folder “{new}” inside “{where}” and move “{name}” into it",
            f"In the folder “{where}” make a new folder “{new}”, then move the file “{name}” there",
            f"Within “{where}”, move “{name}” into a new folder called “{new}”",
            f"“{where}” lacks a place named “{new}”: add one, and let “{name}”, now beside it, be the first in it",
        ],
        zh=[
            f"在“{where}”里新建文件夹“{new}”，并把“{name}”移进去",
            f"在“{where}”文件夹下创建“{new}”，然后将文件“{name}”移动到里面",
            f"“{where}”里的“{name}”，请移到同处新建的“{new}”文件夹",
            f"“{where}”目录底下还缺个专门的地方，请加上，名字用“{new}”，再让“{name}”成为里面的头一个文件",
        ],
    )


@task("files.sort")
def sort(p: Params) -> Goal:
    by = p.random.choice([key for key in SORTS if key != p.data("files")["sort"]])
    en, zh = SORTS[by][0].lower(), SORTS[by][1]
    return p.goal(
        [Value("files.sort", by)],
        en=[
            f"Sort my files by {en}",
            f"Change the sort order in Files to {en}",
            f"In the file manager, sort folders by {en}",
            f"When I browse through the storage, I would like things to be arranged according to their {en}",
        ],
        zh=[
            f"文件按{zh}排序",
            f"把文件管理的排序方式改为{zh}",
            f"让文件夹里的内容按{zh}排列",
            f"以后我浏览手机存储的时候，希望所有东西的先后次序都由{zh}来决定",
        ],
    )


@task("files.ask_size")
def ask_size(p: Params) -> Goal:
    id, file = p.entry("files.entries", is_file)
    name, way = file["name"], above(p, id)
    others = [size_text(other["size"]) for _, other in p.entries("files.entries", is_file)]
    return p.ask(
        size_text(file["size"]),
        [See("files", "file", {"file": id}, name, {"folder": way, "kind": (file["kind"],)})],
        decoys=p.sample(others, 12),
        en=[
            f"How large is the file “{name}”?",
            f"What is the size of “{name}”?",
            f"Tell me how much space “{name}” takes",
            f"Before I send “{name}” to anyone I have to know how heavy it is; look it up for me",
        ],
        zh=[
            f"文件“{name}”有多大？",
            f"“{name}”的大小是多少？",
            f"告诉我“{name}”占多少空间",
            f"我想把“{name}”传给别人，又怕太占流量，请先到文件管理里看看它的体积再跟我说",
        ],
    )


@task("files.ask_largest", held_out=True)
def ask_largest(p: Params) -> Goal:
    folder, place = p.entry("files.entries", lambda entry: entry["kind"] == "folder")
    rows = sorted(
        p.entries("files.entries", lambda e: is_file(e) and e["parent"] == folder), key=lambda r: -r[1]["size"]
    )
    p.need(len(rows) > 1 and size_text(rows[0][1]["size"]) != size_text(rows[1][1]["size"]))
    answer, where = rows[0][1]["name"], place["name"]
    return p.ask(
        answer,
        [See("files", "folder", {"folder": folder}, where, {"folder": above(p, folder)})],
        accept=[answer.rpartition(".")[0]],
        decoys=[row[1]["name"].rpartition(".")[0] for row in rows[1:]],
        en=[
            f"Which file in the folder “{where}” is the largest?",
            f"What is the biggest file in “{where}”?",
            f"Name the largest file that lies directly in “{where}”",
            f"Subfolders aside, I wonder what fills up “{where}” most; give me the name of that single item",
        ],
        zh=[
            f"“{where}”文件夹里哪个文件最大？",
            f"“{where}”中最大的文件叫什么？",
            f"直接放在“{where}”里的文件，最大的是哪一个",
            f"不算下一层的目录，我想知道“{where}”这儿最占地方的是谁，把它的名称报给我",
        ],
    )


LOST = table("tasks/files", "lost", list[Words])


@task("files.missing")
def missing(p: Params) -> Goal:
    name = p.t(*p.choice(LOST))
    where = p.entry("files.entries", lambda entry: entry["kind"] == "folder")[1]["name"]
    p.need(not p.entries("files.entries", lambda entry: name.casefold() in entry["name"].casefold()))
    return p.impossible(
        [see("files", "results", query=name)],
        en=[
            f"Move the file “{name}” to the folder “{where}”",
            f"Find “{name}” in my files and move it to “{where}”",
            f"Search for “{name}” and put it into “{where}”",
            f"Somewhere there must be something called “{name}”, which I would rather keep within “{where}”",
        ],
        zh=[
            f"把文件“{name}”移动到“{where}”文件夹",
            f"在文件里找到“{name}”，移到“{where}”",
            f"搜索“{name}”，然后放进“{where}”",
            f"这部手机的某个角落应该存着一份叫“{name}”的东西，我想让它以后归“{where}”管",
        ],
    )
