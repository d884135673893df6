"""A thread's own page in the chat app, and the form that makes and changes groups."""

from __future__ import annotations

from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, View
from saccade_phone.apps.chat.base import CHAT, is_group, who
from saccade_phone.apps.chat.content import FACES
from saccade_phone.goal_changes import Fields, plain
from saccade_phone.widgets import Page, back, do, go, put


@CHAT.screen("info")
def info(v: View) -> Page:
    id = v.args["thread"]
    thread = v.data["threads"].get(id)
    if thread is None:
        return Page(v.t("Chat info", "聊天信息"), [w.empty(v.t("This chat is gone", "聊天不存在"))])
    faces = [
        w.tile(who(v, each), emoji=v.data["friends"][each]["emoji"], tap=go("profile", person=each))
        for each in thread["members"]
    ]
    rows = [
        w.switch(
            v.t("Pin to top", "置顶聊天"),
            thread["pinned"],
            do("set", thread=id, name="pinned", on=not thread["pinned"]),
        ),
        w.switch(
            v.t("Mute", "消息免打扰"), thread["muted"], do("set", thread=id, name="muted", on=not thread["muted"])
        ),
    ]
    body = [w.grid(faces, 4), w.section("", rows)]
    if is_group(thread):
        people = v.t(f"{len(faces) + 1} with me", f"含我共{len(faces) + 1}人")
        edit = go("group", thread=id)
        body.insert(
            1,
            w.section(
                v.t("Group", "群聊"),
                [
                    w.cell(v.t("Group name", "群聊名称"), value=thread["name"], tap=edit),
                    w.cell(v.t("Members", "群成员"), value=people, tap=edit),
                ],
            ),
        )
    remove = w.button(v.t("Delete chat", "删除聊天"), go("delete-thread", thread=id), style="danger")
    return Page(v.t("Chat info", "聊天信息"), [*body, remove])


PLAIN = {"pinned": False, "muted": False}
"""Initial values of a new thread."""


def group_form(v: View) -> dict[str, Any]:
    thread = v.data["threads"].get(v.args["thread"], {"name": "", "emoji": FACES[0], "members": [], **PLAIN})
    return {name: thread[name] for name in ("name", "emoji", "members", *PLAIN)}


@CHAT.screen("group", form=group_form)
def group(v: View) -> Page:
    id, form = v.args["thread"], v.form
    faces = [w.chip(face, put("emoji", face), face == form["emoji"]) for face in FACES]
    people = [
        w.check(
            who(v, person),
            person in form["members"],
            put("members", sorted(set(form["members"]) ^ {person})),
            emoji=friend["emoji"],
        )
        for person, friend in v.data["friends"].items()
    ]
    body = [
        w.field("name", form["name"], v.t("Group name", "群聊名称"), label=v.t("Name", "名称")),
        w.section(v.t("Picture", "群头像"), [w.chips(faces)]),
        w.section(
            "",
            [
                w.switch(v.t("Pin to top", "置顶聊天"), form["pinned"], put("pinned", not form["pinned"])),
                w.switch(v.t("Mute", "消息免打扰"), form["muted"], put("muted", not form["muted"])),
            ],
        ),
        w.section(v.t("Members", "群成员"), people),
    ]
    count = len(form["members"])
    save = w.button(v.t(f"Save ({count})", f"完成({count})"), do("save-group", thread=id))
    return Page(v.t("Edit group", "编辑群聊") if id else v.t("New group", "发起群聊"), body, foot=[save])


@CHAT.command("save-group")
def save_group(h: CommandContext, thread: str) -> None:
    name, members = h.form["name"].strip(), h.form["members"]
    if not name or len(members) < 2:
        return h.toast("Give it a name and two members", "请填写群名并至少选两位好友")
    old = h.data["threads"].get(thread, {"unread": 0})
    id = thread or h.new_id("g")
    h.data["threads"][id] = {**old, **h.form, "name": name, "members": sorted(members)}
    h.toast(*(("Group saved", "群聊已保存") if thread else ("Group created", "群聊已创建")))
    h.then(back(), *(() if thread else (go("thread", thread=id),)))
    return None


def group_values(fields: Fields) -> dict[str, Any]:
    values = {name: plain(fields[name]) for name in ("name", "emoji", "members", *PLAIN) if name in fields}
    return {**values, "members": sorted(values["members"])} if "members" in values else values
