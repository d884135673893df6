"""Searching the chat app: people, groups and what was said."""

from __future__ import annotations

from saccade_phone.app import CommandContext, View
from saccade_phone.apps.chat.base import CHAT, is_group, title, when, who
from saccade_phone.apps.patterns import remember
from saccade_phone.widgets import Page, Widget, button, cell, chip, chips, do, empty, field, go, section


@CHAT.screen("search", form=lambda v: {"query": ""})
def search(v: View) -> Page:
    query = v.form["query"].strip()
    box = field(
        "query",
        v.form["query"],
        v.t("People, groups, messages", "搜索好友、群聊、聊天记录"),
        style="search",
        submit=go("results", query=query) if query else None,
    )
    body: list[Widget] = []
    if query:
        names = [
            friend["name"] for friend in v.data["friends"].values() if query.casefold() in friend["name"].casefold()
        ]
        names += [
            thread["name"]
            for thread in v.data["threads"].values()
            if is_group(thread) and query.casefold() in thread["name"].casefold()
        ]
        hints = [cell(words, icon="search", tap=go("results", query=words)) for words in dict.fromkeys([query, *names])]
        body = [section(v.t("Suggestions", "搜索建议"), hints)]
    elif v.data["history"]:
        past = [chip(words, go("results", query=words)) for words in v.data["history"]]
        forget = button(v.t("Clear history", "清空历史"), do("forget"), style="plain")
        body = [section(v.t("Recent searches", "搜索历史"), [chips(past)]), forget]
    return Page(v.t("Search", "搜索"), body, head=[box])


@CHAT.command("forget")
def forget(h: CommandContext) -> None:
    h.data["history"] = []


@CHAT.screen("results", opened=remember)
def results(v: View) -> Page:
    query = v.args["query"].casefold()
    data = v.data
    people = [
        cell(who(v, id), friend["signature"], emoji=friend["emoji"], tap=go("profile", person=id))
        for id, friend in data["friends"].items()
        if query in f"{friend['name']} {friend['remark']}".casefold()
    ]
    groups = [
        cell(thread["name"], emoji=thread["emoji"], tap=go("thread", thread=id))
        for id, thread in data["threads"].items()
        if is_group(thread) and query in thread["name"].casefold()
    ]
    said = [
        cell(
            title(v, each["thread"]),
            each["text"],
            when(v, each["at"]),
            emoji=data["threads"][each["thread"]]["emoji"],
            tap=go("thread", thread=each["thread"]),
        )
        for each in reversed(data["messages"].values())
        if query in each["text"].casefold() and not each.get("deleted") and each["thread"] in data["threads"]
    ]
    named = ((v.t("Friends", "好友"), people), (v.t("Groups", "群聊"), groups), (v.t("Messages", "聊天记录"), said))
    body = [section(name, rows) for name, rows in named if rows]
    return Page(
        f"“{v.args['query']}”",
        body or [empty(v.t("Nothing found", "没有找到相关内容"), "🔍")],
    )


CHAT.forgets("history")
