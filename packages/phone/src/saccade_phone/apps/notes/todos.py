"""Notes: to-do lists."""

from __future__ import annotations

from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, View
from saccade_phone.apps.notes.parts import NOTES, leave, tabs, under
from saccade_phone.apps.patterns import cancel_or
from saccade_phone.goal_changes import Change, Fields, Need, Way, changed, plain
from saccade_phone.widgets import Page, Widget, do, go, pick, put

Todo = dict[str, Any]


def of_list(v: View, id: str) -> list[tuple[str, Todo]]:
    """A list's things, the important ones first."""
    found = [(todo, entry) for todo, entry in v.data["todos"].items() if entry["list"] == id]
    return sorted(found, key=lambda item: not item[1]["important"])


def todo_row(v: View, id: str, todo: Todo) -> Widget:
    star = "⭐" if todo["important"] else ""
    return w.check(
        todo["text"],
        todo["done"],
        do("tick", todo=id, done=not todo["done"]),
        value=star,
        row_tap=go("todo", todo=id),
        hold=go("todo-menu", todo=id),
    )


@NOTES.screen("todos", form=lambda v: {"show": "lists"})
def todos(v: View) -> Page:
    show = v.form["show"]
    head = w.segments(
        [
            w.chip(v.t("Lists", "清单"), put("show", "lists"), show == "lists"),
            w.chip(v.t("Important", "重要"), put("show", "important"), show == "important"),
        ]
    )
    body: list[Widget] = []
    if show == "lists":
        rows, every = [], v.data["todos"].values()
        for id, each in v.data["lists"].items():
            all_ = of_list(v, id)
            left = sum(not todo["done"] for _, todo in all_)
            share = f"{len(all_) - left}/{len(all_)}"
            rows.append(
                w.cell(
                    each["name"],
                    v.t(f"{left} open", f"还有{left}项未完成"),
                    share,
                    emoji=each["emoji"],
                    tap=go("list", list=id),
                )
            )
        done = sum(todo["done"] for todo in every)
        body.append(
            w.progress(
                done / max(len(every), 1),
                v.t(f"{done} of {len(every)} done", f"共{len(every)}项"),
                v.t("all lists", f"已完成{done}项"),
            )
        )
        body.append(w.section("", rows))
    else:
        rows = [todo_row(v, id, todo) for id, todo in v.data["todos"].items() if todo["important"]]
        body.append(w.section("", rows) if rows else w.empty(v.t("Nothing important", "没有重要事项"), "⭐"))
    return Page(v.t("To-do", "待办"), body, head=[head], tabs=tabs(v, "todos"))


@NOTES.screen("list", form=lambda v: {"text": ""})
def list_screen(v: View) -> Page:
    id = v.args["list"]
    all_ = of_list(v, id)
    open_ = [todo_row(v, todo, entry) for todo, entry in all_ if not entry["done"]]
    done = [todo_row(v, todo, entry) for todo, entry in all_ if entry["done"]]
    body: list[Widget] = [
        w.progress(
            len(done) / max(len(all_), 1),
            v.t(f"{len(open_)} open", f"未完成{len(open_)}项"),
            v.t(f"{len(done)} done", f"已完成{len(done)}项"),
        )
    ]
    body.append(w.section(v.t("To do", "未完成"), open_) if open_ else w.empty(v.t("All done!", "全部完成！"), "🎉"))
    if done:
        body.append(w.section(v.t("Done", "已完成"), done))
    add = do("add-todo", list=id)
    new = w.field("text", v.form["text"], v.t("New item", "添加待办"), submit=add)
    foot = [w.row([new, w.button(v.t("Add", "添加"), add)])]
    return Page(v.data["lists"][id]["name"], body, foot=foot)


def todo_form(v: View) -> dict[str, Any]:
    todo = v.data["todos"][v.args["todo"]]
    return {name: todo[name] for name in ("text", "list", "important")}


@NOTES.screen("todo", form=todo_form)
def todo_screen(v: View) -> Page:
    form, id = v.form, v.args["todo"]
    body = [
        w.field("text", form["text"], v.t("What is to be done?", "要做什么"), label=v.t("Item", "事项")),
        w.entry(
            v.t("List", "清单"), v.data["lists"][form["list"]]["name"], go("pick-list", field="list"), icon="list-todo"
        ),
        w.switch(v.t("Important", "重要"), form["important"], put("important", not form["important"]), icon="star"),
        w.button(v.t("Delete", "删除"), go("drop-todo", todo=id), style="danger", icon="trash-2"),
    ]
    return Page(v.t("Edit item", "编辑待办"), body, foot=[w.button(v.t("Save", "保存"), do("save-todo", todo=id))])


@NOTES.screen("pick-list", style="sheet", form=lambda v: {"now": under(v)["form"].get("list")})
def pick_list(v: View) -> Page:
    rows = [
        w.choice(f"{each['emoji']} {each['name']}", id == v.form["now"], pick("list", id))
        for id, each in v.data["lists"].items()
    ]
    return Page(v.t("List", "清单"), rows)


@NOTES.screen("todo-menu", style="sheet")
def todo_menu(v: View) -> Page:
    id = v.args["todo"]
    todo = v.data["todos"][id]
    star = todo["important"]
    return Page(
        todo["text"],
        [
            w.cell(
                v.t("Not important", "取消重要") if star else v.t("Important", "标为重要"),
                icon="star-off" if star else "star",
                tap=do("star", todo=id, on=not star),
            ),
            w.cell(v.t("Edit", "编辑"), icon="pencil", tap=go("todo", todo=id)),
            w.cell(v.t("Delete", "删除"), icon="trash-2", tap=go("drop-todo", todo=id)),
        ],
    )


@NOTES.screen("drop-todo", style="dialog")
def drop_todo(v: View) -> Page:
    words = v.data["todos"][v.args["todo"]]["text"]
    return Page(
        v.t("Delete item?", "删除待办？"),
        [w.text(v.t(f"“{words}” will be deleted.", f"将删除“{words}”。"))],
        foot=cancel_or(v, v.t("Delete", "删除"), do("drop-todo", **v.args)),
    )


@NOTES.command("add-todo")
def add_todo(h: CommandContext, list: str) -> None:
    words = h.form["text"].strip()
    if not words:
        return h.toast("Write something first", "请先输入内容")
    h.data["todos"][h.new_id("todo")] = {"text": words, "done": False, "list": list, "important": False}
    h.form["text"] = ""
    return h.toast("Added", "已添加")


@NOTES.command("tick")
def tick(h: CommandContext, todo: str, done: bool) -> None:
    h.data["todos"][todo]["done"] = done


@NOTES.command("star")
def star(h: CommandContext, todo: str, on: bool) -> None:
    h.data["todos"][todo]["important"] = on
    leave(h, "todo-menu")


@NOTES.command("save-todo")
def save_todo(h: CommandContext, todo: str) -> None:
    words = h.form["text"].strip()
    if not words:
        return h.toast("Write something first", "请先输入内容")
    h.data["todos"][todo].update(text=words, list=h.form["list"], important=h.form["important"])
    h.toast("Saved", "已保存")
    return leave(h, "todo", "todo-menu")


@NOTES.command("drop-todo")
def do_drop_todo(h: CommandContext, todo: str) -> None:
    del h.data["todos"][todo]
    h.toast("Item deleted", "待办已删除")
    leave(h, "drop-todo", "todo", "todo-menu")


def create_todo(v: View, fields: Fields) -> Way:
    """First written into its list; then starred and ticked."""
    where, words = fields["list"], plain(fields["text"])
    for id, todo in v.data["todos"].items():
        if "new" in id and (todo["text"], todo["list"]) == (words, where):
            marks = {name: fields[name] for name in ("done", "important") if todo[name] != fields.get(name, todo[name])}
            if marks:
                rest: list[Change] = [changed("notes.todos", id, **marks)]
                return rest
    return Need("notes", "list", {"list": where}, {"text": words}, do("add-todo", list=where))


def update_todo(v: View, id: str, fields: Fields) -> Way:
    through = {"list": (v.data["todos"][id]["list"],)}
    names = set(fields)
    if names == {"done"}:
        return Need("notes", "list", {"list": through["list"][0]}, commit=do("tick", todo=id, done=fields["done"]))
    if names == {"important"}:
        return Need(
            "notes", "todo-menu", {"todo": id}, commit=do("star", todo=id, on=fields["important"]), through=through
        )
    if "done" in names:
        rest = {name: value for name, value in fields.items() if name != "done"}
        parts: list[Change] = [changed("notes.todos", id, done=fields["done"]), changed("notes.todos", id, **rest)]
        return parts
    values = {name: plain(value) for name, value in fields.items()}
    return Need("notes", "todo", {"todo": id}, values, do("save-todo", todo=id), through=through)


def remove_todo(v: View, id: str) -> Way:
    through = {"list": (v.data["todos"][id]["list"],)}
    return Need("notes", "drop-todo", {"todo": id}, commit=do("drop-todo", todo=id), through=through)


NOTES.holds(
    "todos",
    create=create_todo,
    update=update_todo,
    remove=remove_todo,
    defaults={"done": False, "important": False},
)
