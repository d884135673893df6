"""Chat: the owner's own page with status, privacy settings and starred messages."""

from __future__ import annotations

from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, View
from saccade_phone.apps.chat.base import CHAT, tabs, title, when, who
from saccade_phone.data_files import table
from saccade_phone.goal_changes import Need
from saccade_phone.widgets import Page, back, do, go

STATUSES = table("chat", "statuses", dict[str, tuple[str, str, str]])


@CHAT.screen("me")
def me(v: View) -> Page:
    data = v.data
    name, sign = v.t(*STATUSES[data["status"]][:2]), STATUSES[data["status"]][2]
    count, mine = len(data["friends"]), sum(post["author"] == "me" for post in data["posts"].values())
    kept = sum(bool(each.get("starred")) and not each.get("deleted") for each in data["messages"].values())
    return Page(
        v.t("Me", "我"),
        [
            w.banner(
                v.t("Me", "我"),
                v.t(f"{count} friends · {mine} moments", f"{count}位好友 · {mine}条动态"),
                emoji="🙂",
                tint="#07a35a",
            ),
            w.section(
                "",
                [
                    w.cell(v.t("Status", "状态"), value=f"{sign} {name}", icon="smile", tap=go("status")),
                    w.cell(v.t("Favorites", "收藏"), value=str(kept), icon="star", tap=go("favorites")),
                ],
            ),
            w.section(
                v.t("Privacy", "隐私"),
                [
                    w.switch(
                        v.t("Read receipts", "已读回执"),
                        data["receipts"],
                        do("privacy", name="receipts", on=not data["receipts"]),
                    ),
                    w.switch(
                        v.t("Find me by phone", "通过手机号找到我"),
                        data["by_phone"],
                        do("privacy", name="by_phone", on=not data["by_phone"]),
                    ),
                ],
            ),
        ],
        tabs=tabs(v, "me"),
    )


@CHAT.screen("status", style="sheet")
def status(v: View) -> Page:
    tiles = [w.tile(v.t(*each[:2]), emoji=each[2], tap=do("status", status=id)) for id, each in STATUSES.items()]
    return Page(v.t("Status", "状态"), [w.grid(tiles, 4)])


@CHAT.command("status")
def set_status(h: CommandContext, status: str) -> None:
    h.data["status"] = status
    h.then(back())


@CHAT.command("privacy")
def privacy(h: CommandContext, name: str, on: bool) -> None:
    h.data[name] = on


@CHAT.screen("favorites")
def favorites(v: View) -> Page:
    rows = [
        w.cell(
            each["text"],
            f"{who(v, each['sender'])} · {title(v, each['thread'])}",
            when(v, each["at"]),
            icon="star",
            tap=go("thread", thread=each["thread"]),
            hold=do("star", message=id, on=False),
        )
        for id, each in v.data["messages"].items()
        if each.get("starred") and not each.get("deleted") and each["thread"] in v.data["threads"]
    ]
    return Page(
        v.t("Favorites", "收藏"),
        rows or [w.empty(v.t("Long-press a message to keep it here", "长按消息可收藏到这里"), "⭐")],
    )


def privacy_way(name: str) -> Any:
    return lambda v, wanted: Need("chat", "me", commit=do("privacy", name=name, on=wanted))


CHAT.value("status", lambda v, wanted: Need("chat", "status", commit=do("status", status=wanted)))
CHAT.value("receipts", privacy_way("receipts"))
CHAT.value("by_phone", privacy_way("by_phone"))
