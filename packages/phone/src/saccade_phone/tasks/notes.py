"""Tasks in the notes."""

from __future__ import annotations

from collections import Counter
from typing import Any

from saccade_phone.app import View
from saccade_phone.apps.notes.content import COLORS, fact_line, facts
from saccade_phone.apps.notes.folders import matching
from saccade_phone.apps.notes.parts import TRASH
from saccade_phone.data_files import ByLanguage, Words, table
from saccade_phone.goal_changes import See, added, changed, see
from saccade_phone.tasks.base import Goal, Params, task

# title: text
NEW = table("tasks/notes", "new", list[Words])
ABSENT = table("tasks/notes", "absent", ByLanguage[list[str]])
ITEMS = table("tasks/notes", "items", ByLanguage[list[str]])


def new_note(p: Params) -> tuple[str, str]:
    """A title and a text that are not on the phone."""
    mark = p.t(": ", "：")
    title, _, body = p.choice([p.t(*words) for words in NEW]).partition(mark)
    return title, body


def live(p: Params, **fields: Any) -> tuple[str, Any]:
    """A note that was not deleted."""
    return p.entry(
        "notes.notes",
        lambda note: note["folder"] != TRASH and all(note[name] == value for name, value in fields.items()),
    )


def view(p: Params) -> View:
    return View(p.state, "notes", {}, {})


@task("notes.add_note")
def add_note(p: Params) -> Goal:
    title, body = new_note(p)
    folder = p.choice(sorted(p.data("notes")["folders"]))
    name = p.data("notes")["folders"][folder]["name"]
    return p.goal(
        [added("notes.notes", title=title, body=body, folder=folder)],
        en=[
            f"Write a new note titled “{title}” in the folder {name}: {body}",
            f"Create a note in {name}. Title: “{title}”. Text: “{body}”",
            f"Add the note “{title}” with the text “{body}” to my {name} folder",
            f"Before I forget it, jot this down for me under the heading “{title}” and file it in {name}: “{body}”",
        ],
        zh=[
            f"在“{name}”文件夹里新建便签，标题“{title}”，内容“{body}”",
            f"新建一篇便签“{title}”，正文写“{body}”，放进“{name}”文件夹",
            f"往“{name}”里加一篇便签：标题是“{title}”，正文是“{body}”",
            f"趁我还没忘，帮我记一下“{body}”，题目就叫“{title}”，归到“{name}”那一类",
        ],
    )


@task("notes.rewrite")
def rewrite(p: Params) -> Goal:
    id, note = live(p)
    (title, body), old = new_note(p), note["title"]
    return p.goal(
        [changed("notes.notes", id, title=title, body=body)],
        en=[
            f"Rename the note “{old}” to “{title}” and replace its text with “{body}”",
            f"Edit the note “{old}”: new title “{title}”, new text “{body}”",
            f"Change my note “{old}” so that it is called “{title}” and says only “{body}”",
            f"What I once wrote under “{old}” is useless. Reuse that note: the heading becomes “{title}”, and the old "
            f"words give way to “{body}”",
        ],
        zh=[
            f"把便签“{old}”的标题改成“{title}”，正文换成“{body}”",
            f"编辑便签“{old}”：新标题“{title}”，新内容“{body}”",
            f"将“{old}”这篇便签改名为“{title}”，并把正文替换为“{body}”",
            f"以前写的“{old}”已经没用了，就用那一篇重写吧，题目叫“{title}”，原来的文字清掉，只留下“{body}”",
        ],
    )


@task("notes.mark")
def mark(p: Params) -> Goal:
    id, note = live(p, pinned=False)
    color = p.choice([each for each in sorted(COLORS) if each != note["color"]])
    title, name = note["title"], p.t(COLORS[color][0].lower(), COLORS[color][1])
    return p.goal(
        [changed("notes.notes", id, pinned=True, color=color)],
        en=[
            f"Pin the note “{title}” and make it {name}",
            f"Set the color of “{title}” to {name} and pin it to the top",
            f"Make my note “{title}” {name}, and pin it",
            f"I want “{title}” to catch my eye: it should always stand above the other notes, and be marked in {name}",
        ],
        zh=[
            f"把便签“{title}”置顶，颜色设为{name}",
            f"将“{title}”改成{name}并置顶",
            f"便签“{title}”的颜色换成{name}，再把它置顶",
            f"我想一打开就注意到“{title}”，请让它一直排在其他便签前面，并标成{name}",
        ],
    )


@task("notes.move_note")
def move_note(p: Params) -> Goal:
    id, note = live(p)
    folders = p.data("notes")["folders"]
    folder = p.choice([each for each in folders if each != note["folder"]])
    title, name = note["title"], folders[folder]["name"]
    return p.goal(
        [changed("notes.notes", id, folder=folder)],
        en=[
            f"Move the note “{title}” to the folder {name}",
            f"Put “{title}” into my {name} folder",
            f"The note “{title}” belongs in the folder {name}. Move it there",
            f"Tidy up a little: “{title}” lies in the wrong place among my notes, it should be kept in {name}",
        ],
        zh=[
            f"把便签“{title}”移到“{name}”文件夹",
            f"将“{title}”放进“{name}”文件夹",
            f"“{title}”这篇便签应该在“{name}”里，移过去",
            f"帮我整理一下，“{title}”现在归错类了，它其实属于“{name}”",
        ],
    )


@task("notes.delete_note")
def delete_note(p: Params) -> Goal:
    id, note = live(p)
    title = note["title"]
    return p.goal(
        [changed("notes.notes", id, folder=TRASH)],
        en=[
            f"Delete the note “{title}”",
            f"Remove “{title}” from my notes",
            f"I do not need the note “{title}” any more, delete it",
            f"“{title}” has had its day; throw that piece of writing away, it may stay among the deleted ones",
        ],
        zh=[
            f"删除便签“{title}”",
            f"把“{title}”这篇便签删掉",
            f"便签“{title}”不要了，删了吧",
            f"“{title}”上写的事早就过去了，那一篇可以扔了，留在最近删除里就行",
        ],
    )


@task("notes.restore_note", held_out=True)
def restore_note(p: Params) -> Goal:
    id, note = p.entry("notes.notes", lambda note: note["folder"] == TRASH)
    title = note["title"]
    return p.goal(
        [changed("notes.notes", id, folder=note["was"])],
        en=[
            f"Restore the deleted note “{title}”",
            f"Bring back “{title}” from the recently deleted notes",
            f"I deleted the note “{title}” by mistake, undo that",
            f"Somehow “{title}” has vanished from my folders. It must still be in the bin of the notes app; rescue it",
        ],
        zh=[
            f"恢复被删除的便签“{title}”",
            f"从最近删除里找回“{title}”",
            f"便签“{title}”是误删的，请还原",
            f"“{title}”怎么不见了？应该还在便签的回收站里，帮我捞回来放到原处",
        ],
    )


@task("notes.add_todo")
def add_todo(p: Params) -> Goal:
    words, lists = p.choice(ITEMS.of(p.language)), p.data("notes")["lists"]
    where = p.choice(sorted(lists))
    name = lists[where]["name"]
    return p.goal(
        [added("notes.todos", text=words, list=where)],
        en=[
            f"Add “{words}” to the to-do list {name}",
            f"Put “{words}” on my {name} list in the notes app",
            f"New item for the {name} list: “{words}”",
            f"There is one more thing that I have to take care of, namely “{words}”; write it down under {name}",
        ],
        zh=[
            f"在待办清单“{name}”里添加“{words}”",
            f"往便签的“{name}”清单加一项“{words}”",
            f"“{name}”清单新增待办：“{words}”",
            f"我又想起一件要办的事，就是“{words}”，请补记到便签待办的“{name}”那一组",
        ],
    )


@task("notes.tick_todos")
def tick_todos(p: Params) -> Goal:
    lists = p.data("notes")["lists"]
    where = p.choice(sorted(lists))
    left = p.entries("notes.todos", lambda todo: todo["list"] == where and not todo["done"])
    p.need(len(left) >= 2)
    (one, first), (two, second) = p.random.sample(left, 2)
    name, a, b = lists[where]["name"], first["text"], second["text"]
    return p.goal(
        [changed("notes.todos", one, done=True), changed("notes.todos", two, done=True)],
        en=[
            f"Tick off “{a}” and “{b}” on the {name} list",
            f"Mark “{a}” and “{b}” in my to-do list {name} as done",
            f"I have finished “{a}” and “{b}” ({name} list), check them",
            f"Two of the things under {name} are behind me by now, “{a}” as well as “{b}”: let the list show that",
        ],
        zh=[
            f"把“{name}”清单里的“{a}”和“{b}”勾掉",
            f"将待办“{a}”和“{b}”标为完成，它们在“{name}”清单里",
            f"“{name}”清单：“{a}”和“{b}”都做完了，打上勾",
            f"便签待办里“{name}”那组有两件事我已经搞定，一件是“{a}”，另一件是“{b}”，更新一下状态",
        ],
    )


@task("notes.ask_fact")
def ask_fact(p: Params) -> Goal:
    labels = {fact.title: fact.label for fact in facts(p.language)}
    values = {}
    for id, note in p.entries("notes.notes", lambda note: note["title"] in labels):
        line = fact_line(p.language, labels[note["title"]])
        values[id] = next(words.removeprefix(line) for words in note["body"].splitlines() if words.startswith(line))
    id = p.choice(sorted(values))
    note = p.data("notes")["notes"][id]
    title, label = note["title"], labels[note["title"]]
    said = label if label.isupper() else label.lower()
    return p.ask(
        values[id],
        [See("notes", "note", {"note": id}, title, {"folder": ("", note["folder"])})],
        decoys=[value for other, value in values.items() if other != id],
        en=[
            f"What is the {said} in my note “{title}”?",
            f"Look into the note “{title}” and tell me the {said}",
            f"Which {said} did I write down in “{title}”?",
            f"I am standing here and cannot remember the {said}; I once noted it under “{title}”. What was it?",
        ],
        zh=[
            f"便签“{title}”里的{label}是什么？",
            f"看一下便签“{title}”，告诉我{label}",
            f"我在“{title}”里记的{label}是多少？",
            f"我现在人就在这儿，偏偏想不起{label}，只记得以前写在“{title}”那一篇里，帮我翻出来",
        ],
    )


@task("notes.ask_open", held_out=True)
def ask_open(p: Params) -> Goal:
    lists = p.data("notes")["lists"]
    left = Counter(todo["list"] for _, todo in p.entries("notes.todos", lambda todo: not todo["done"]))
    where = p.choice(sorted(lists))
    name = lists[where]["name"]
    return p.ask(
        str(left[where]),
        [see("notes", "todos")],
        decoys=[str(left[other]) for other in lists],
        en=[
            f"How many items on the to-do list {name} are still open?",
            f"How many things are left to do on my {name} list?",
            f"Count the unfinished items of the list {name} in the notes app",
            f"Give me a number: of all I planned under {name} among my to-dos, how much is not checked off yet?",
        ],
        zh=[
            f"待办清单“{name}”还有几项没完成？",
            f"“{name}”清单里还剩多少件事要做？",
            f"数一下便签里“{name}”清单未完成的项目",
            f"只要一个数字：我在便签待办“{name}”里列的那些，没打勾的还有多少？",
        ],
    )


@task("notes.missing")
def missing(p: Params) -> Goal:
    title = p.choice(ABSENT.of(p.language))
    p.need(not matching(view(p), title))
    return p.impossible(
        [See("notes", "results", {"query": title}, title)],
        en=[
            f"Pin my note “{title}”",
            f"Find the note “{title}” and pin it to the top",
            f"Search for “{title}” in the notes and pin that note",
            f"The piece that I have called “{title}” should come first whenever I open the notes app; see to that",
        ],
        zh=[
            f"把我的便签“{title}”置顶",
            f"找到便签“{title}”并置顶",
            f"在便签里搜索“{title}”，然后把它置顶",
            f"每次打开便签应用，我都想先看到名为“{title}”的那一篇，请帮我办好",
        ],
    )
