"""Chat: threads with people and groups. Other screens are in `friends`, `moments`, `me`, `groups` and `search`."""

from __future__ import annotations

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, View
from saccade_phone.apps.chat import friends, me, moments, search
from saccade_phone.apps.chat.base import (
    CHAT,
    face,
    is_group,
    kept_messages,
    newest,
    sure,
    tabs,
    title,
    under,
    when,
    who,
)
from saccade_phone.apps.chat.content import FACES, message
from saccade_phone.apps.chat.groups import PLAIN, group_values
from saccade_phone.goal_changes import Added, Fields, Need, Way, plain
from saccade_phone.widgets import Page, Widget, back, do, go, pick, put

# -- threads ----------------------------------------------------------------------------------------------------------


@CHAT.screen("chats")
def chats(v: View) -> Page:
    last = newest(v)
    order = sorted(v.data["threads"].items(), key=lambda item: last.get(item[0], {"at": ""})["at"], reverse=True)
    pinned = [thread_row(v, id, thread, last.get(id)) for id, thread in order if thread["pinned"]]
    others = [thread_row(v, id, thread, last.get(id)) for id, thread in order if not thread["pinned"]]
    body = [w.section(v.t("Pinned", "置顶"), pinned)] if pinned else []
    actions = [
        w.icon_button("search", v.t("Search", "搜索"), go("search")),
        w.icon_button("message-circle-plus", v.t("New group", "发起群聊"), go("group", thread="")),
    ]
    return Page(
        v.t("Chats", "消息"),
        [*body, w.section(v.t("Recent", "最近") if pinned else "", others)],
        actions,
        tabs(v, "chats"),
        pull=do("refresh"),
    )


def thread_row(v: View, id: str, thread: Fields, last: Fields | None) -> Widget:
    words = "" if last is None else last["text"]
    if last is not None and is_group(thread):
        words = f"{who(v, last['sender'])}{v.t(': ', '：')}{words}"
    at = when(v, last["at"]) if last else ""
    unread = thread.get("unread", 0)
    return w.cell(
        title(v, id),
        words,
        f"🔕 {at}" if thread["muted"] else at,
        emoji=thread["emoji"],
        strong=bool(unread),
        badge=str(unread) if unread else "",
        tap=go("thread", thread=id),
        hold=go("thread-menu", thread=id),
    )


def mark_read(h: CommandContext) -> None:
    if h.args["thread"] in h.data["threads"]:
        h.data["threads"][h.args["thread"]]["unread"] = 0


@CHAT.screen("thread", form=lambda v: {"draft": "", "reply": ""}, opened=mark_read)
def thread_view(v: View) -> Page:
    id, form = v.args["thread"], v.form
    thread = v.data["threads"].get(id, {"members": [id], "emoji": "💬"})
    body: list[Widget] = []
    day = ""
    for mid, each in kept_messages(v, id):
        if each["at"][:10] != day:
            day = each["at"][:10]
            body.append(w.text(when(v, each["at"]) if day != v.state["now"][:10] else v.t("Today", "今天"), "quiet"))
        body.append(message_bubble(v, mid, each, is_group(thread)))
    if not body:
        body = [w.empty(v.t("No messages yet. Say hello!", "还没有消息，打个招呼吧"), "👋")]
    foot: list[Widget] = []
    if form["reply"]:
        quoted = v.data["messages"][form["reply"]]
        foot.append(w.chips([w.chip(f"{v.t('Quoting', '引用')} {quoted['text'][:20]} ✕", put("reply", ""), True)]))
    send = do("send", thread=id)
    box = w.field("draft", form["draft"], v.t("Message", "发消息"), submit=send)
    foot.append(w.row([box, w.icon_button("send-horizontal", v.t("Send", "发送"), send)]))
    members = f" ({len(thread['members']) + 1})" if is_group(thread) else ""
    more = w.icon_button("ellipsis", v.t("Chat info", "聊天信息"), go("info", thread=id))
    return Page(title(v, id) + members, body, [more], foot=foot)


def message_bubble(v: View, id: str, each: Fields, named: bool) -> Widget:
    mine, words = each["sender"] == "me", each["text"]
    if each.get("forwarded"):
        words = f"{v.t('↪ Forwarded', '↪ 转发')}\n{words}"
    quoted = v.data["messages"].get(each.get("reply"))
    if quoted:
        words = f"「{who(v, quoted['sender'])}{v.t(': ', '：')}{quoted['text']}」\n{words}"
    star = " ★" if each.get("starred") else ""
    name = who(v, each["sender"]) if named and not mine else ""
    return w.bubble(
        words,
        mine=mine,
        who=name,
        emoji=face(v, each["sender"]),
        at=each["at"][11:16] + star,
        hold=go("message-menu", message=id),
    )


@CHAT.command("send")
def send(h: CommandContext, thread: str) -> None:
    words = h.form["draft"].strip()
    if not words:
        return h.toast("Write something first", "请先输入内容")
    if thread not in h.data["threads"]:
        if thread not in h.data["friends"]:
            return h.toast("This group is gone", "群聊已不存在")
        begin(h, thread)
    sent = message(thread, "me", words, h.state["now"])
    h.data["messages"][h.new_id("m")] = {**sent, "reply": h.form["reply"]}
    h.form.update(draft="", reply="")
    return None


@CHAT.command("refresh")
def refresh(h: CommandContext) -> None:
    h.toast("Up to date", "已是最新")


@CHAT.screen("message-menu", style="sheet")
def message_menu(v: View) -> Page:
    id = v.args["message"]
    each = v.data["messages"][id]
    starred = bool(each.get("starred"))
    return Page(
        v.t("Message", "消息"),
        [
            w.text(each["text"], "quiet"),
            w.cell(v.t("Quote", "引用"), icon="message-square-quote", tap=pick("reply", id)),
            w.cell(v.t("Forward", "转发"), icon="forward", tap=go("forward", message=id)),
            w.cell(v.t("Copy", "复制"), icon="copy", tap=do("copy")),
            w.cell(
                v.t("Remove from favorites", "取消收藏") if starred else v.t("Add to favorites", "收藏"),
                icon="star",
                tap=do("star", message=id, on=not starred),
            ),
            w.cell(v.t("Delete", "删除"), icon="trash-2", tap=go("delete-message", message=id)),
        ],
    )


@CHAT.screen("delete-message", style="dialog")
def delete_message(v: View) -> Page:
    words = v.data["messages"][v.args["message"]]["text"]
    return sure(v, v.t("Delete message?", "删除这条消息？"), words, do("delete-message", **v.args))


@CHAT.command("copy")
def copy(h: CommandContext) -> None:
    h.toast("Copied", "已复制")
    h.then(back())


@CHAT.command("star")
def star(h: CommandContext, message: str, on: bool) -> None:
    h.data["messages"][message]["starred"] = on
    h.toast(*(("Added to favorites", "已收藏") if on else ("Removed from favorites", "已取消收藏")))
    if "message" in h.args:
        h.then(back())


@CHAT.command("delete-message")
def do_delete_message(h: CommandContext, message: str) -> None:
    h.data["messages"][message]["deleted"] = True
    h.then(back(), back())


@CHAT.screen("forward", form=lambda v: {"query": ""})
def forward(v: View) -> Page:
    query = v.form["query"].strip().casefold()
    rows = [
        w.cell(title(v, id), emoji=thread["emoji"], tap=go("forward-to", message=v.args["message"], to=id))
        for id, thread in v.data["threads"].items()
        if query in title(v, id).casefold()
    ]
    search = w.field("query", v.form["query"], v.t("Search chats", "搜索聊天"), style="search")
    return Page(v.t("Forward to", "转发给"), rows or [w.empty(v.t("Nobody found", "没有找到"), "🔍")], head=[search])


@CHAT.screen("forward-to", style="dialog")
def forward_to(v: View) -> Page:
    words = v.data["messages"][v.args["message"]]["text"]
    return Page(
        v.t(f"Send to {title(v, v.args['to'])}?", f"发送给{title(v, v.args['to'])}？"),
        [w.text(words)],
        foot=[
            w.button(v.t("Cancel", "取消"), back(), style="plain"),
            w.button(v.t("Send", "发送"), do("forward", **v.args)),
        ],
    )


@CHAT.command("forward")
def do_forward(h: CommandContext, message: str, to: str) -> None:
    each = h.data["messages"][message]
    copied = {**each, "thread": to, "sender": "me", "at": h.state["now"], "forwarded": message}
    h.data["messages"][h.new_id("m")] = {**copied, "reply": "", "starred": False, "deleted": False}
    h.toast("Forwarded", "已转发")
    h.then(back(), back(), back())


def message_way(v: View, fields: Fields) -> Way:
    """A message is written in its thread, or forwarded from another."""
    source, thread = fields.get("forwarded"), fields["thread"]
    if fields.get("sender", "me") != "me" or (source and source not in v.data["messages"]):
        return None
    if thread not in v.data["threads"] and thread in v.data["friends"]:
        return [Added("chat.threads", {"members": [thread]})]
    if source:
        through = {"thread": (v.data["messages"][source]["thread"],)}
        need = {"message": source, "to": thread}
        return Need("chat", "forward-to", need, commit=do("forward", **need), through=through)
    reply = fields.get("reply", "")
    values = {"draft": plain(fields["text"]), "reply": reply}
    return Need("chat", "thread", {"thread": thread}, values, do("send", thread=thread), through={"message": (reply,)})


def update_message(v: View, id: str, fields: Fields) -> Way:
    through = {"thread": (v.data["messages"][id]["thread"],)}
    if fields.get("deleted"):
        return Need("chat", "delete-message", {"message": id}, commit=do("delete-message", message=id), through=through)
    if set(fields) == {"starred"}:
        commit = do("star", message=id, on=bool(fields["starred"]))
        return Need("chat", "message-menu", {"message": id}, commit=commit, through=through)
    return None


CHAT.holds(
    "messages",
    create=message_way,
    update=update_message,
    defaults={"sender": "me", "forwarded": "", "reply": "", "starred": False, "deleted": False},
)


# -- what can be done to a thread -------------------------------------------------------------------------------------


@CHAT.screen("thread-menu", style="sheet")
def thread_menu(v: View) -> Page:
    id = v.args["thread"]
    thread = v.data["threads"][id]
    pinned, muted = thread["pinned"], thread["muted"]
    return Page(
        title(v, id),
        [
            w.cell(
                v.t("Unpin", "取消置顶") if pinned else v.t("Pin to top", "置顶"),
                icon="pin-off" if pinned else "pin",
                tap=do("set", thread=id, name="pinned", on=not pinned),
            ),
            w.cell(
                v.t("Unmute", "取消免打扰") if muted else v.t("Mute", "消息免打扰"),
                icon="bell" if muted else "bell-off",
                tap=do("set", thread=id, name="muted", on=not muted),
            ),
            w.cell(v.t("Mark as unread", "标为未读"), icon="mail", tap=do("unread", thread=id)),
            w.cell(v.t("Delete chat", "删除聊天"), icon="trash-2", tap=go("delete-thread", thread=id)),
        ],
    )


@CHAT.command("set")
def set_thread(h: CommandContext, thread: str, name: str, on: bool) -> None:
    h.data["threads"][thread][name] = on
    if name == "pinned":
        h.toast(*(("Pinned", "已置顶") if on else ("Unpinned", "已取消置顶")))
    else:
        h.toast(*(("Muted", "已开启免打扰") if on else ("Unmuted", "已关闭免打扰")))
    if under(h) == "chats":
        h.then(back())


@CHAT.command("unread")
def unread(h: CommandContext, thread: str) -> None:
    h.data["threads"][thread]["unread"] = 1
    h.then(back())


@CHAT.screen("delete-thread", style="dialog")
def delete_thread(v: View) -> Page:
    id = v.args["thread"]
    words = v.t(f"“{title(v, id)}” will disappear from your chats.", f"“{title(v, id)}”将从消息列表中移除。")
    return sure(v, v.t("Delete chat?", "删除聊天？"), words, do("delete-thread", thread=id))


@CHAT.command("delete-thread")
def do_delete_thread(h: CommandContext, thread: str) -> None:
    del h.data["threads"][thread]
    h.toast("Chat deleted", "聊天已删除")
    h.then(back(), back(), *((back(),) if under(h) == "info" else ()))


def begin(h: CommandContext, person: str) -> None:
    """Start a new thread with a person."""
    friend = h.data["friends"][person]
    h.data["threads"][person] = {
        "name": friend["name"],
        "emoji": friend["emoji"],
        "members": [person],
        "unread": 0,
        **PLAIN,
    }


@CHAT.command("start")
def start(h: CommandContext, person: str) -> None:
    if person not in h.data["threads"]:
        begin(h, person)
    h.then(go("thread", thread=person))


def create_thread(v: View, fields: Fields) -> Way:
    members = fields.get("members", [])
    if len(members) == 1:
        return Need("chat", "profile", {"person": members[0]}, commit=do("start", person=members[0]))
    if fields.get("emoji", FACES[0]) not in FACES:
        return None
    return Need("chat", "group", {"thread": ""}, group_values({**PLAIN, **fields}), do("save-group", thread=""))


def update_thread(v: View, id: str, fields: Fields) -> Way:
    """Pin and mute in the thread's menu, one after the other; everything else on the group's page."""
    for name in ("pinned", "muted"):
        if name in fields and v.data["threads"][id][name] != fields[name]:
            commit = do("set", thread=id, name=name, on=fields[name])
            return Need("chat", "thread-menu", {"thread": id}, commit=commit)
    if not is_group(v.data["threads"][id]):
        return None
    return Need("chat", "group", {"thread": id}, group_values(fields), do("save-group", thread=id))


CHAT.holds(
    "threads",
    create=create_thread,
    update=update_thread,
    remove=lambda v, it: Need("chat", "delete-thread", {"thread": it}, commit=do("delete-thread", thread=it)),
    volatile=("unread",),
    defaults=PLAIN,
)

__all__ = ["CHAT", "friends", "me", "moments", "search"]
