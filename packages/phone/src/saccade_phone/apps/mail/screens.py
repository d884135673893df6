"""Mail: the screens. The commands are in `apps.mail`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import App, CommandContext, View
from saccade_phone.apps.patterns import cancel_or
from saccade_phone.widgets import Page, Widget, back, do, go, pick, put

MAIL = App("mail", "Mail", "邮箱", "mail", "#2f6fde", "weui", home="inbox")

FIXED = {
    "inbox": ("Inbox", "收件箱", "inbox"),
    "starred": ("Starred", "星标邮件", "star"),
    "sent": ("Sent", "已发送", "send"),
    "drafts": ("Drafts", "草稿箱", "pencil-line"),
    "archive": ("Archive", "归档", "archive"),
    "spam": ("Spam", "垃圾邮件", "shield-alert"),
    "trash": ("Trash", "已删除", "trash-2"),
}
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
Mail = dict[str, Any]


# -- reading the data --------------------------------------------------------------------------------------------------


def visible(v: View) -> dict[str, Mail]:
    """The mails that have come in so far."""
    found: dict[str, Mail] = v.data["mails"]
    return {**found, **v.data["arrivals"]} if v.data["synced"] else found


def find(v: View, id: str) -> Mail:
    """A mail by its id: one that was there, or one that the refresh brought."""
    found: Mail = v.data["mails"].get(id) or v.data["arrivals"][id]
    return found


def within(v: View, folder: str) -> list[tuple[str, Mail]]:
    """The mails of a folder, the newest first."""
    hidden = ("trash", "spam", "drafts")
    found = [
        (id, mail)
        for id, mail in visible(v).items()
        if (mail["starred"] and mail["folder"] not in hidden if folder == "starred" else mail["folder"] == folder)
    ]
    return sorted(found, key=lambda item: (item[1]["at"], item[0]), reverse=True)


def folder_name(v: View, folder: str) -> str:
    return v.t(*FIXED[folder][:2]) if folder in FIXED else folder


def when(v: View, at: str) -> str:
    """A time of today, or a day."""
    day, _, time = at.partition(" ")
    if day == v.state["now"][:10]:
        return time
    number = int(day[8:])
    return v.t(f"{MONTHS[int(day[5:7]) - 1]} {number}", f"{int(day[5:7])}月{number}日")


def is_mine(v: View, mail: Mail) -> bool:
    return bool(mail["sender"] == v.data["account"]["email"])


def names_of(v: View, emails: Sequence[str]) -> str:
    """Recipients for a To field: names of known people, else addresses."""
    known = {each["email"]: each["name"] for each in v.data["people"].values()}
    return ", ".join(known.get(email, email) for email in emails)


def addresses(v: View, words: str) -> list[str] | None:
    """The addresses of the names in a To field, or None if one of them is unknown."""
    known = {each["name"].casefold(): each["email"] for each in v.data["people"].values()}
    parts = [part.strip() for part in re.split(r"[,;，；、\n]", words) if part.strip()]
    found = [known.get(part.casefold(), part if "@" in part else "") for part in parts]
    return found if found and all(found) else None


# -- lists -------------------------------------------------------------------------------------------------------------


def mail_row(v: View, id: str, mail: Mail) -> Widget:
    name = names_of(v, mail["to"]) if is_mine(v, mail) else mail["name"]
    tap = go("compose", draft=id) if mail["folder"] == "drafts" else go("mail", mail=id)
    stamp = ("★ " if mail["starred"] else "") + when(v, mail["at"])
    return w.cell(
        name, mail["subject"], stamp, emoji=mail["emoji"], tap=tap, hold=go("menu", mail=id), strong=not mail["read"]
    )


def mail_list(v: View, rows: Sequence[tuple[str, Mail]], words: str, emoji: str) -> list[Widget]:
    return [w.section("", [mail_row(v, id, mail) for id, mail in rows])] if rows else [w.empty(words, emoji)]


def tabs(v: View, here: str) -> list[Widget]:
    unread = sum(not mail["read"] for _, mail in within(v, "inbox"))
    return [
        w.tab_item(v.t("Inbox", "收件箱"), "inbox", "inbox", here == "inbox", str(unread) if unread else ""),
        w.tab_item(v.t("Folders", "文件夹"), "folder", "folders", here == "folders"),
        w.tab_item(v.t("Account", "我的"), "circle-user", "account", here == "account"),
    ]


def tools(v: View) -> list[Widget]:
    return [
        w.icon_button("search", v.t("Search", "搜索"), go("search")),
        w.icon_button("square-pen", v.t("Compose", "写邮件"), go("compose", draft="")),
    ]


@MAIL.screen("inbox", form=lambda v: {"show": "all"})
def inbox(v: View) -> Page:
    show = v.form["show"]
    rows = [
        (id, mail)
        for id, mail in within(v, "inbox")
        if show == "all" or (not mail["read"] if show == "unread" else mail["starred"])
    ]
    shown = {"all": ("All", "全部"), "unread": ("Unread", "未读"), "starred": ("Starred", "星标")}
    head = w.segments([w.chip(v.t(*names), put("show", key), show == key) for key, names in shown.items()])
    body = mail_list(v, rows, v.t("Nothing here", "没有邮件"), "📭")
    unread = sum(not mail["read"] for _, mail in within(v, "inbox"))
    title = v.t(f"Inbox ({unread})", f"收件箱({unread})") if unread else v.t("Inbox", "收件箱")
    return Page(title, body, head=[head], actions=tools(v), tabs=tabs(v, "inbox"), pull=do("refresh"))


@MAIL.screen("folders")
def folders(v: View) -> Page:
    fixed = [
        w.cell(v.t(en, zh), value=str(len(within(v, id)) or ""), icon=icon, tap=go("folder", folder=id))
        for id, (en, zh, icon) in FIXED.items()
    ]
    own = [
        w.cell(
            id,
            value=str(len(within(v, id)) or ""),
            icon="folder",
            tap=go("folder", folder=id),
            hold=go("drop-folder", folder=id),
        )
        for id in v.data["folders"]
    ]
    new = w.cell(v.t("New folder", "新建文件夹"), icon="folder-plus", tap=go("new-folder"))
    body = [w.section("", fixed), w.section(v.t("My folders", "我的文件夹"), [*own, new])]
    return Page(v.t("Folders", "文件夹"), body, actions=tools(v), tabs=tabs(v, "folders"))


@MAIL.screen("folder")
def folder(v: View) -> Page:
    id = v.args["folder"]
    notes = {
        "trash": v.t("Deleted mails can be restored from here.", "已删除的邮件可以在这里恢复。"),
        "spam": v.t("Do not answer mails in this folder.", "请勿回复此文件夹中的邮件。"),
    }
    note = [w.text(notes[id], "quiet")] if id in notes else []
    rows = mail_list(v, within(v, id), v.t("This folder is empty", "文件夹是空的"), "📂")
    return Page(folder_name(v, id), [*note, *rows], actions=tools(v), pull=do("refresh"))


@MAIL.screen("new-folder", style="dialog", form=lambda v: {"name": ""})
def new_folder(v: View) -> Page:
    name = w.field("name", v.form["name"], v.t("Name of the folder", "文件夹名称"), submit=do("add-folder"))
    return Page(
        v.t("New folder", "新建文件夹"),
        [name],
        foot=[
            w.button(v.t("Cancel", "取消"), back(), style="plain"),
            w.button(v.t("Create", "创建"), do("add-folder")),
        ],
    )


@MAIL.screen("drop-folder", style="dialog")
def drop_folder(v: View) -> Page:
    name = v.args["folder"]
    words = v.t(f"Only an empty folder can be deleted. Delete “{name}”?", f"只能删除空文件夹，确定删除“{name}”吗？")
    return Page(
        v.t("Delete folder?", "删除文件夹？"),
        [w.text(words)],
        foot=cancel_or(v, v.t("Delete", "删除"), do("drop-folder", folder=name)),
    )


# -- one mail ----------------------------------------------------------------------------------------------------------


def mark_read(h: CommandContext) -> None:
    find(h, h.args["mail"])["read"] = True


@MAIL.screen("mail", opened=mark_read)
def mail_page(v: View) -> Page:
    id = v.args["mail"]
    mail, where = find(v, id), find(v, id)["folder"]
    star = w.icon_button(
        "star-off" if mail["starred"] else "star", v.t("Star", "星标"), do("star", mail=id, on=not mail["starred"])
    )
    put_away = [
        w.icon_button(FIXED[to][2], v.t(en, zh), do("move", mail=id, folder=to))
        for to, en, zh in (("archive", "Archive", "归档"), ("trash", "Delete", "删除"))
        if where not in (to, "trash", "spam")
    ]
    more = w.icon_button("ellipsis", v.t("More", "更多"), go("menu", mail=id))
    sender = w.cell(mail["name"], mail["sender"], emoji=mail["emoji"])
    label = folder_name(v, where) + (v.t(" · ★ Starred", " · ★ 已加星标") if mail["starred"] else "")
    to = v.t("To: ", "收件人：") + (names_of(v, mail["to"]) if is_mine(v, mail) else v.t("me", "我"))
    about = w.text(" · ".join((mail["at"][5:], label, to)), "quiet")
    body = [
        w.text(mail["subject"], "title"),
        about,
        w.section("", [sender]),
        *(w.text(line) for line in mail["body"].split("\n") if line),
    ]
    quoted = visible(v).get(mail["reply"] or mail["forward"])
    if quoted:
        body.append(w.section(v.t("Earlier mail", "原始邮件"), [w.cell(quoted["name"], quoted["subject"])]))
        body += [w.text(line, "quiet") for line in quoted["body"].split("\n")]
    if where in ("trash", "spam"):
        home = mail["origin"] if where == "trash" else "inbox"
        label = v.t("Restore", "恢复") if where == "trash" else v.t("Not spam", "不是垃圾邮件")
        foot = [
            w.button(label, do("move", mail=id, folder=home)),
            w.button(v.t("Delete for good", "彻底删除"), go("purge", mail=id), style="danger"),
        ]
    else:
        foot = [
            w.button(v.t("Reply", "回复"), go("reply", mail=id), icon="reply"),
            w.button(v.t("Forward", "转发"), go("forward", mail=id), style="plain", icon="forward"),
        ]
    return Page(v.t("Mail", "邮件"), body, actions=[star, *put_away, more], foot=[w.row(foot)])


@MAIL.screen("menu", style="sheet")
def menu(v: View) -> Page:
    id = v.args["mail"]
    mail = find(v, id)
    where, on = mail["folder"], not mail["starred"]
    words, icon = (v.t("Add star", "加星标"), "star") if on else (v.t("Remove star", "取消星标"), "star-off")
    rows = [w.cell(words, icon=icon, tap=do("star", mail=id, on=on))]
    if where == "drafts":
        rows.append(w.cell(v.t("Discard draft", "舍弃草稿"), icon="trash-2", tap=go("purge", mail=id)))
        return Page(mail["subject"], rows)
    rows.append(w.cell(v.t("Mark as unread", "标为未读"), icon="mail", tap=do("unread", mail=id)))
    rows.append(w.cell(v.t("Move to…", "移动到…"), icon="folder-input", tap=go("move", mail=id)))
    if where == "trash":
        rows.append(w.cell(v.t("Restore", "恢复"), icon="rotate-ccw", tap=do("move", mail=id, folder=mail["origin"])))
        rows.append(w.cell(v.t("Delete for good", "彻底删除"), icon="trash-2", tap=go("purge", mail=id)))
        return Page(mail["subject"], rows)
    names = {"archive": ("Archive", "归档"), "spam": ("Report as spam", "举报垃圾邮件"), "trash": ("Delete", "删除")}
    rows += [
        w.cell(v.t(*words), icon=FIXED[to][2], tap=do("move", mail=id, folder=to))
        for to, words in names.items()
        if to != where and to in places(v, mail)
    ]
    return Page(mail["subject"], rows)


def places(v: View, mail: Mail) -> list[str]:
    """Where a mail can be moved to."""
    fixed = ["sent", "archive", "trash"] if is_mine(v, mail) else ["inbox", "archive", "spam", "trash"]
    return [to for to in (*fixed, *v.data["folders"]) if to != mail["folder"]]


@MAIL.screen("move", style="sheet")
def move_sheet(v: View) -> Page:
    id = v.args["mail"]
    rows = [
        w.cell(folder_name(v, to), icon=FIXED[to][2] if to in FIXED else "folder", tap=do("move", mail=id, folder=to))
        for to in places(v, find(v, id))
    ]
    new = w.cell(v.t("New folder", "新建文件夹"), icon="folder-plus", tap=go("new-folder"))
    return Page(v.t("Move to", "移动到"), [*rows, new])


@MAIL.screen("purge", style="dialog")
def purge_dialog(v: View) -> Page:
    subject = find(v, v.args["mail"])["subject"]
    words = v.t(f"“{subject}” will be gone for good.", f"“{subject}”将被彻底删除，无法恢复。")
    return Page(
        v.t("Delete for good?", "彻底删除？"),
        [w.text(words)],
        foot=cancel_or(v, v.t("Delete", "删除"), do("purge", **v.args)),
    )


# -- writing -----------------------------------------------------------------------------------------------------------


def compose_form(v: View) -> dict[str, Any]:
    draft = v.data["mails"].get(v.args["draft"], {"to": [], "subject": "", "body": ""})
    return {"to": names_of(v, draft["to"]), "subject": draft["subject"], "body": draft["body"]}


def recipient(v: View) -> list[Widget]:
    """The To field, with people who fit what is being typed, and the address book."""
    words = v.form["to"]
    done, _, last = words.rpartition(",")
    start = f"{done.strip()}, " if done else ""
    fitting = [
        each["name"]
        for each in v.data["people"].values()
        if last.strip()
        and last.strip().casefold() in f"{each['name']} {each['email']}".casefold()
        and last.strip() != each["name"]
    ]
    to = w.field("to", words, v.t("Name or address", "姓名或邮箱地址"), label=v.t("To", "收件人"))
    book = w.entry(v.t("Address book", "通讯录"), "", go("people", field="to"), placeholder=v.t("Choose", "选择"))
    hints = [w.chips([w.chip(name, put("to", start + name)) for name in fitting[:4]])] if fitting else []
    return [to, *hints, book]


def writing(v: View, title: str, parts: Sequence[Widget], foot: Sequence[Widget]) -> Page:
    """A page on which something is written."""
    body = w.field("body", v.form["body"], v.t("Write something…", "写点什么…"), style="long")
    signature = [w.text(v.data["signature"], "quiet")] if v.data["signature"] else []
    return Page(title, [*parts, body, *signature], foot=[w.row(foot)])


@MAIL.screen("compose", form=compose_form)
def compose(v: View) -> Page:
    draft = v.args["draft"]
    subject = w.field("subject", v.form["subject"], v.t("What it is about", "邮件主题"), label=v.t("Subject", "主题"))
    title = v.t("Edit draft", "编辑草稿") if draft else v.t("New mail", "写邮件")
    return writing(
        v,
        title,
        [*recipient(v), subject],
        [
            w.button(v.t("Save draft", "存草稿"), do("save-draft", draft=draft), style="plain"),
            w.button(v.t("Send", "发送"), do("send", draft=draft), icon="send"),
        ],
    )


@MAIL.screen("reply", form=lambda v: {"body": ""})
def reply(v: View) -> Page:
    mail = find(v, v.args["mail"])
    who = names_of(v, mail["to"]) if is_mine(v, mail) else mail["name"]
    parts = [w.cell(v.t(f"To: {who}", f"收件人：{who}"), f"Re: {mail['subject']}", emoji=mail["emoji"])]
    send = w.button(v.t("Send", "发送"), do("send-reply", **v.args), icon="send")
    page = writing(v, v.t("Reply", "回复"), parts, [send])
    page.body += [w.text(line, "quiet") for line in mail["body"].split("\n")]
    return page


@MAIL.screen("forward", form=lambda v: {"to": "", "body": ""})
def forward(v: View) -> Page:
    mail = find(v, v.args["mail"])
    parts = [*recipient(v), w.cell(f"Fwd: {mail['subject']}", mail["name"], emoji=mail["emoji"])]
    send = w.button(v.t("Send", "发送"), do("send-forward", **v.args), icon="send")
    page = writing(v, v.t("Forward", "转发"), parts, [send])
    page.body += [w.text(line, "quiet") for line in mail["body"].split("\n")]
    return page


@MAIL.screen("people", style="sheet")
def people(v: View) -> Page:
    """Add the chosen person to the recipients in the field."""
    forms = [entry["form"] for entry in v.state["nav"]["stacks"]["mail"] if "to" in entry["form"]]
    before = forms[-1]["to"].strip().rstrip(",，") if forms else ""
    start = f"{before}, " if before else ""
    everyone = sorted(v.data["people"].values(), key=lambda each: str(each["name"]))
    rows = [w.cell(p["name"], p["email"], emoji=p["emoji"], tap=pick("to", start + p["name"])) for p in everyone]
    return Page(v.t("Address book", "通讯录"), rows)
