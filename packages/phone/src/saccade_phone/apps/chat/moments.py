"""Chat: moments (posts) with likes and comments."""

from __future__ import annotations

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, View
from saccade_phone.apps.chat.base import CHAT, face, sure, tabs, when, who
from saccade_phone.data_files import Words, table
from saccade_phone.goal_changes import Fields, Need, Way, plain
from saccade_phone.widgets import Page, Widget, back, do, go, pick

AUDIENCES = {
    "all": ("All friends", "所有朋友"),
    "starred": ("Starred friends", "星标朋友"),
    "me": ("Only me", "仅自己可见"),
}
PHOTOS = table("chat", "photos", dict[str, Words])


@CHAT.screen("moments")
def moments(v: View) -> Page:
    order = sorted(v.data["posts"].items(), key=lambda item: str(item[1]["at"]), reverse=True)
    counts: dict[str, int] = {}
    for each in v.data["comments"].values():
        counts[each["post"]] = counts.get(each["post"], 0) + 1
    body = [
        w.card(
            f"{face(v, post['author'])} {who(v, post['author'])}",
            f"{post_time(v, post)} · {post['text']}",
            emoji=post["emoji"],
            tap=go("post", post=id),
            children=post_buttons(v, id, post, counts.get(id, 0)),
        )
        for id, post in order
    ]
    write = w.icon_button("camera", v.t("New moment", "发动态"), go("compose"))
    return Page(v.t("Moments", "动态"), body, [write], tabs(v, "moments"), pull=do("refresh"))


def post_time(v: View, post: Fields) -> str:
    shared = "" if post["audience"] == "all" else f" · {v.t(*AUDIENCES[post['audience']])}"
    return when(v, post["at"]) + shared


def post_buttons(v: View, id: str, post: Fields, comments: int) -> list[Widget]:
    liked, count = post["liked"], len(post["likes"]) + post["liked"]
    words = v.t("Liked" if liked else "Like", "已赞" if liked else "赞")
    like = do("like", post=id, on=not liked)
    return [
        w.button(f"{words} {count}", like, style="primary" if liked else "plain", icon="heart"),
        w.button(str(comments), go("post", post=id), style="plain", icon="message-square"),
    ]


@CHAT.screen("post", form=lambda v: {"comment": ""})
def post_view(v: View) -> Page:
    id = v.args["post"]
    post = v.data["posts"][id]
    said = [(cid, each) for cid, each in v.data["comments"].items() if each["post"] == id]
    names = [*([v.t("Me", "我")] if post["liked"] else []), *(who(v, each) for each in post["likes"])]
    rows = [
        w.cell(
            each["text"],
            who(v, each["author"]),
            emoji=face(v, each["author"]),
            hold=go("drop-comment", comment=cid) if each["author"] == "me" else None,
        )
        for cid, each in said
    ]
    visit = None if post["author"] == "me" else go("profile", person=post["author"])
    body = [
        w.cell(who(v, post["author"]), post_time(v, post), emoji=face(v, post["author"]), tap=visit),
        w.text(post["text"]),
    ]
    if post["emoji"]:
        body.append(w.picture(post["emoji"]))
    body.append(post_buttons(v, id, post, len(said))[0])
    if names:
        body.append(w.section(v.t("Likes", "点赞"), [w.text("♥ " + v.t(", ", "、").join(names))]))
    body.append(w.section(v.t("Comments", "评论"), rows or [w.text(v.t("No comments yet", "还没有评论"), "quiet")]))
    send = do("comment", post=id)
    box = w.field("comment", v.form["comment"], v.t("Write a comment", "说点什么"), submit=send)
    drop = [w.icon_button("trash-2", v.t("Delete", "删除"), go("drop-post", post=id))] if post["author"] == "me" else []
    foot = [w.row([box, w.icon_button("send-horizontal", v.t("Send", "发送"), send)])]
    return Page(v.t("Moment", "动态详情"), body, drop, foot=foot)


@CHAT.command("like")
def like(h: CommandContext, post: str, on: bool) -> None:
    h.data["posts"][post]["liked"] = on


@CHAT.command("comment")
def comment(h: CommandContext, post: str) -> None:
    words = h.form["comment"].strip()
    if not words:
        return h.toast("Write something first", "请先输入内容")
    h.data["comments"][h.new_id("c")] = {"post": post, "author": "me", "text": words}
    h.form["comment"] = ""
    return None


@CHAT.screen("drop-comment", style="dialog")
def drop_comment(v: View) -> Page:
    words = v.data["comments"][v.args["comment"]]["text"]
    return sure(v, v.t("Delete comment?", "删除这条评论？"), words, do("drop-comment", **v.args))


@CHAT.command("drop-comment")
def do_drop_comment(h: CommandContext, comment: str) -> None:
    del h.data["comments"][comment]
    h.then(back())


@CHAT.screen("drop-post", style="dialog")
def drop_post(v: View) -> Page:
    words = v.data["posts"][v.args["post"]]["text"]
    return sure(v, v.t("Delete moment?", "删除这条动态？"), words, do("drop-post", **v.args))


@CHAT.command("drop-post")
def do_drop_post(h: CommandContext, post: str) -> None:
    del h.data["posts"][post]
    h.toast("Moment deleted", "动态已删除")
    h.then(back(), back())


@CHAT.screen("compose", form=lambda v: {"text": "", "audience": "all", "emoji": ""})
def compose(v: View) -> Page:
    form = v.form
    body = [
        w.field("text", form["text"], v.t("What's new?", "这一刻的想法…"), style="long"),
        w.entry(
            v.t("Picture", "图片"),
            form["emoji"],
            go("pictures", field="emoji"),
            placeholder=v.t("None", "无"),
            icon="image",
        ),
        w.entry(
            v.t("Visible to", "谁可以看"),
            v.t(*AUDIENCES[form["audience"]]),
            go("audience", field="audience"),
            icon="eye",
        ),
    ]
    return Page(v.t("New moment", "发动态"), body, foot=[w.button(v.t("Post", "发表"), do("publish"))])


@CHAT.screen("audience", style="sheet")
def audience(v: View) -> Page:
    icons = {"all": "users-round", "starred": "star", "me": "lock"}
    rows = [w.cell(v.t(*names), icon=icons[id], tap=pick("audience", id)) for id, names in AUDIENCES.items()]
    return Page(v.t("Visible to", "谁可以看"), rows)


@CHAT.screen("pictures", style="sheet")
def pictures(v: View) -> Page:
    tiles = [w.tile(v.t(*names), emoji=sign, tap=pick("emoji", sign)) for sign, names in PHOTOS.items()]
    return Page(
        v.t("Choose a picture", "选择图片"),
        [w.grid(tiles, 4), w.button(v.t("None", "不选"), pick("emoji", ""), style="plain")],
    )


@CHAT.command("publish")
def publish(h: CommandContext) -> None:
    words = h.form["text"].strip()
    if not words:
        return h.toast("Write something first", "请先输入内容")
    h.data["posts"][h.new_id("p")] = {
        "author": "me",
        "text": words,
        "emoji": h.form["emoji"],
        "at": h.state["now"],
        "liked": False,
        "likes": [],
        "audience": h.form["audience"],
    }
    h.toast("Posted", "已发表")
    h.then(back())
    return None


def create_post(v: View, fields: Fields) -> Way:
    """Only new moments can be made: a deleted one cannot be restored with its likes and time."""
    if fields.get("author", "me") != "me" or "at" in fields:
        return None
    values = {
        name: plain(fields.get(name, other)) for name, other in (("text", ""), ("emoji", ""), ("audience", "all"))
    }
    return Need("chat", "compose", values=values, commit=do("publish"))


def update_post(v: View, id: str, fields: Fields) -> Way:
    if set(fields) != {"liked"}:
        return None
    return Need("chat", "moments", commit=do("like", post=id, on=fields["liked"]))


CHAT.holds(
    "posts",
    create=create_post,
    update=update_post,
    remove=lambda v, it: Need("chat", "drop-post", {"post": it}, commit=do("drop-post", post=it)),
    defaults={"author": "me", "emoji": "", "liked": False, "audience": "all"},
)
CHAT.holds(
    "comments",
    create=lambda v, fields: Need(
        "chat", "post", {"post": fields["post"]}, {"comment": plain(fields["text"])}, do("comment", post=fields["post"])
    ),
    remove=lambda v, it: Need(
        "chat",
        "drop-comment",
        {"comment": it},
        commit=do("drop-comment", comment=it),
        through={"post": (v.data["comments"][it]["post"],)},
    ),
    defaults={"author": "me"},
)
