"""The chat app's declaration, and helpers of its screens."""

from __future__ import annotations

from typing import Any

from saccade_phone.app import App, CommandContext, Data, View
from saccade_phone.apps.chat.content import build
from saccade_phone.apps.contacts.content import days_ago
from saccade_phone.apps.patterns import cancel_or
from saccade_phone.goal_changes import Fields
from saccade_phone.seeded_random import Draw
from saccade_phone.widgets import Op, Page, Widget, tab_item, text

LATEST = 8
"""So many searches are remembered."""
CHAT = App("chat", "Chat", "微聊", "message-circle", "#07a35a", "weui", home="chats")


@CHAT.seed
def seed(draw: Draw) -> Data:
    return build(draw)


def who(v: View, person: str) -> str:
    """The owner's name for a person: the remark if there is one."""
    friend = v.data["friends"].get(person)
    return v.t("Me", "我") if friend is None else friend["remark"] or friend["name"]


def face(v: View, person: str) -> str:
    friend = v.data["friends"].get(person)
    return "🙂" if friend is None else str(friend["emoji"])


def is_group(thread: Fields) -> bool:
    return len(thread["members"]) > 1


def title(v: View, id: str) -> str:
    thread = v.data["threads"].get(id)
    return thread["name"] if thread and is_group(thread) else who(v, id)


def when(v: View, at: str) -> str:
    """The time for today, a word for yesterday, else the date."""
    days = days_ago(v.state["now"], at)
    return at[11:16] if days == 0 else v.t("Yesterday", "昨天") if days == 1 else f"{at[5:7]}-{at[8:10]}"


def kept_messages(v: View, thread: str) -> list[tuple[str, Any]]:
    """The messages of a thread that were not deleted, oldest first."""
    return [
        (id, each) for id, each in v.data["messages"].items() if each["thread"] == thread and not each.get("deleted")
    ]


def newest(v: View) -> dict[str, Any]:
    """The last message of each thread."""
    found: dict[str, Any] = {}
    for each in v.data["messages"].values():
        if not each.get("deleted"):
            found[each["thread"]] = each
    return found


def tabs(v: View, here: str) -> list[Widget]:
    unread = sum(thread.get("unread", 0) for thread in v.data["threads"].values() if not thread["muted"])
    return [
        tab_item(v.t("Chats", "消息"), "message-circle", "chats", here == "chats", str(unread) if unread else ""),
        tab_item(v.t("Friends", "好友"), "users-round", "friends", here == "friends"),
        tab_item(v.t("Moments", "动态"), "aperture", "moments", here == "moments"),
        tab_item(v.t("Me", "我"), "user-round", "me", here == "me"),
    ]


def sure(v: View, question: str, words: str, command: Op) -> Page:
    """Ask before something is deleted."""
    return Page(question, [text(words)], foot=cancel_or(v, v.t("Delete", "删除"), command))


def under(h: CommandContext) -> str:
    """The screen below the shown one."""
    stack = h.state["nav"]["stacks"]["chat"]
    return str(stack[-2]["screen"]) if len(stack) > 1 else ""
