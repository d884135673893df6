"""Chat: the list of friends, and a friend's profile."""

from __future__ import annotations

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, View
from saccade_phone.apps.chat.base import CHAT, tabs, when, who
from saccade_phone.apps.contacts.content import by_initial
from saccade_phone.goal_changes import Fields, Need, Way, plain
from saccade_phone.widgets import Page, Widget, back, do, go


@CHAT.screen("friends", form=lambda v: {"query": ""})
def friends(v: View) -> Page:
    query = v.form["query"].strip().casefold()
    found = {
        id: who(v, id)
        for id, each in v.data["friends"].items()
        if query in f"{each['name']} {each['remark']}".casefold()
    }
    starred = [id for id in found if v.data["friends"][id]["starred"]]
    body: list[Widget] = []
    if starred:
        body.append(
            w.section(
                v.t("★ Starred", "★ 星标朋友"),
                [
                    w.grid(
                        [
                            w.tile(found[id], emoji=v.data["friends"][id]["emoji"], tap=go("profile", person=id))
                            for id in starred
                        ],
                        4,
                    )
                ],
            )
        )
    for letter, ids in by_initial(found).items():
        rows = [
            w.cell(
                found[id],
                v.data["friends"][id]["signature"],
                emoji=v.data["friends"][id]["emoji"],
                tap=go("profile", person=id),
            )
            for id in ids
        ]
        body.append(w.section(letter, rows))
    box = w.field("query", v.form["query"], v.t("Search friends", "搜索好友"), style="search")
    return Page(
        v.t("Friends", "好友"),
        body or [w.empty(v.t("Nobody found", "没有找到"), "🔍")],
        head=[box],
        tabs=tabs(v, "friends"),
    )


@CHAT.screen("profile")
def profile(v: View) -> Page:
    id = v.args["person"]
    friend = v.data["friends"][id]
    posts = [
        w.cell(post["text"], when(v, post["at"]), emoji=post["emoji"], tap=go("post", post=post_id))
        for post_id, post in v.data["posts"].items()
        if post["author"] == id
    ]
    body = [
        w.banner(who(v, id), friend["signature"], emoji=friend["emoji"], tint="#07a35a"),
        w.section(
            "",
            [
                w.cell(v.t("Name", "昵称"), value=friend["name"]),
                w.cell(v.t("Remark", "备注"), value=friend["remark"] or v.t("None", "无"), tap=go("remark", person=id)),
                w.cell(v.t("Region", "地区"), value=friend["region"]),
                w.switch(
                    v.t("Starred friend", "星标朋友"),
                    friend["starred"],
                    do("star-friend", person=id, on=not friend["starred"]),
                ),
            ],
        ),
        *([w.section(v.t("Moments", "动态"), posts)] if posts else []),
    ]
    write = w.button(v.t("Send message", "发消息"), do("start", person=id), icon="message-circle")
    if id in v.data["threads"]:
        write = w.button(v.t("Send message", "发消息"), go("thread", thread=id), icon="message-circle")
    return Page(v.t("Profile", "个人资料"), body, foot=[write])


@CHAT.screen("remark", style="dialog", form=lambda v: {"remark": v.data["friends"][v.args["person"]]["remark"]})
def remark(v: View) -> Page:
    name = v.data["friends"][v.args["person"]]["name"]
    return Page(
        v.t(f"Remark for {name}", f"{name}的备注"),
        [w.field("remark", v.form["remark"], name)],
        foot=[
            w.button(v.t("Cancel", "取消"), back(), style="plain"),
            w.button(v.t("Save", "保存"), do("remark", **v.args)),
        ],
    )


@CHAT.command("remark")
def save_remark(h: CommandContext, person: str) -> None:
    h.data["friends"][person]["remark"] = h.form["remark"].strip()
    h.toast("Remark saved", "备注已保存")
    h.then(back())


@CHAT.command("star-friend")
def star_friend(h: CommandContext, person: str, on: bool) -> None:
    h.data["friends"][person]["starred"] = on


def update_friend(v: View, id: str, fields: Fields) -> Way:
    if "remark" in fields and plain(fields["remark"]) != v.data["friends"][id]["remark"]:
        values = {"remark": plain(fields["remark"])}
        return Need("chat", "remark", {"person": id}, values, do("remark", person=id))
    if "starred" in fields:
        return Need("chat", "profile", {"person": id}, commit=do("star-friend", person=id, on=fields["starred"]))
    return None


CHAT.holds("friends", update=update_friend)
