"""Mail: the data, the commands, and how each change is made. The screens are in `screens` and `search`.

What the next refresh brings waits in `arrivals`, a collection of its own: a pull only shows it, and changes no mail.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, Data, View
from saccade_phone.apps.mail import content as c
from saccade_phone.apps.mail import search  # noqa: F401  (its screens belong to the app)
from saccade_phone.apps.mail.screens import (
    MAIL,
    addresses,
    find,
    folder_name,
    is_mine,
    names_of,
    tabs,
    visible,
    within,
)
from saccade_phone.goal_changes import Change, Fields, Need, Value, Way, added, changed, plain
from saccade_phone.seeded_random import Draw
from saccade_phone.widgets import Op, Page, back, do, go


@MAIL.seed
def seed(draw: Draw) -> Data:
    name, email = draw.t("Robin Avery", "苏晴"), draw.t("robin.avery@postbox.example", "suqing@postbox.example")
    account = {"name": name, "email": email}
    own = [draw.t(*names) for names in draw.sample(c.FOLDERS, 3)]
    mails, arrivals = mailbox(draw, account, own)
    people = {each.id: {"name": each.name, "email": each.email, "emoji": each.emoji} for each in draw.people}
    return {
        "account": account,
        "people": people,
        "mails": mails,
        "arrivals": arrivals,
        "synced": False,
        "folders": {name: {"name": name} for name in own},
        "history": draw.sample([p.name for p in draw.people], 3),
        "signature": draw.t("Sent from my phone", "发自我的手机"),
        "vacation": False,
        "notify": True,
    }


def mailbox(draw: Draw, account: dict[str, str], own: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """All mails of a phone, and those that the next refresh brings. `own`: the folders that the user made."""
    service, personal = (
        draw.shuffled(c.SERVICE.of(draw.language)),
        draw.shuffled(c.PERSONAL.of(draw.language)),
    )
    spam = draw.shuffled(c.SPAM.of(draw.language))
    parts = [
        ("inbox", service[:12] + personal[:11] + spam[:2], (0, 12)),
        ("archive", service[12:16] + personal[11:14], (10, 80)),
        ("trash", service[16:18] + personal[14:15], (3, 25)),
        ("spam", spam[2:], (0, 20)),
        ("sent", draw.shuffled(c.SENT.of(draw.language)), (0, 40)),
        ("drafts", draw.shuffled(c.DRAFTS.of(draw.language))[:3], (0, 15)),
        *((folder, service[18 + at : 19 + at] + personal[15 + at : 16 + at], (8, 60)) for at, folder in enumerate(own)),
    ]
    mails = [c.written(draw, letter, folder, account, days) for folder, some, days in parts for letter in some]
    late = [c.written(draw, letter, "inbox", account, (0, 1)) for letter in (service[21], personal[18])]
    for mail in late:
        mail.update(read=False, starred=False, at=draw.now.isoformat(sep=" ", timespec="minutes"))
    return {f"m{at + 1}": mail for at, mail in enumerate(mails)}, {f"n{at + 1}": mail for at, mail in enumerate(late)}


# -- account -----------------------------------------------------------------------------------------------------------


@MAIL.screen("account")
def account(v: View) -> Page:
    who, count = v.data["account"], len(visible(v))
    away, notify = v.data["vacation"], v.data["notify"]
    used = round(0.8 + 0.19 * count, 1)
    body = [
        w.banner(who["name"], who["email"], emoji="🙂", tint="#2f6fde"),
        w.progress(used / 30, v.t(f"{used} GB used", f"已用{used} GB"), v.t("of 30 GB", "共30 GB")),
        w.section(
            v.t("Settings", "设置"),
            [
                w.entry(v.t("Signature", "签名"), v.data["signature"], go("signature"), placeholder=v.t("None", "无")),
                w.switch(
                    v.t("Auto-reply", "自动回复"),
                    away,
                    do("switch", name="vacation", on=not away),
                    v.t("Tell everyone that I am away", "告诉对方我在休假"),
                ),
                w.switch(v.t("Notifications", "新邮件提醒"), notify, do("switch", name="notify", on=not notify)),
            ],
        ),
    ]
    return Page(v.t("Account", "我的"), body, tabs=tabs(v, "account"))


@MAIL.screen("signature", form=lambda v: {"signature": v.data["signature"]})
def signature_page(v: View) -> Page:
    words = w.field("signature", v.form["signature"], v.t("Words below your mails", "写在邮件末尾的话"), style="long")
    return Page(v.t("Signature", "签名"), [words], foot=[w.button(v.t("Save", "保存"), do("sign"))])


# -- commands ----------------------------------------------------------------------------------------------------------


def close(h: CommandContext, *, leave: str = "") -> None:
    """Close the sheets and dialogs over the page, and the page itself if it is `leave`."""
    stack = h.state["nav"]["stacks"][h.app]
    over = 0
    while MAIL.screens[stack[-1 - over]["screen"]].style != "page":
        over += 1
    h.then(*[back()] * (over + (stack[-1 - over]["screen"] == leave)))


@MAIL.command("refresh")
def refresh(h: CommandContext) -> None:
    count = 0 if h.data["synced"] else len(h.data["arrivals"])
    h.data["synced"] = True
    if count:
        h.toast(f"{count} new mails", f"收到{count}封新邮件")
    else:
        h.toast("No new mail", "没有新邮件")


@MAIL.command("star")
def star(h: CommandContext, mail: str, on: bool) -> None:
    find(h, mail)["starred"] = on
    close(h)


@MAIL.command("unread")
def unread(h: CommandContext, mail: str) -> None:
    find(h, mail)["read"] = False
    close(h, leave="mail")


@MAIL.command("move")
def move(h: CommandContext, mail: str, folder: str) -> None:
    entry = find(h, mail)
    if folder == "trash":
        entry["origin"] = entry["folder"]
    entry["folder"] = folder
    h.toast(f"Moved to {folder_name(h, folder)}", f"已移至{folder_name(h, folder)}")
    close(h, leave="mail")


@MAIL.command("purge")
def purge(h: CommandContext, mail: str) -> None:
    for part in ("mails", "arrivals"):
        h.data[part].pop(mail, None)
    h.toast("Deleted for good", "已彻底删除")
    close(h, leave="mail")


@MAIL.command("add-folder")
def add_folder(h: CommandContext) -> None:
    name = h.form["name"].strip()
    taken = {folder_name(h, id).casefold() for id in ("inbox", "starred", "sent", "drafts", "archive", "spam", "trash")}
    if not name or name.casefold() in taken | {other.casefold() for other in h.data["folders"]}:
        h.toast("Choose another name", "请换一个名称")
        return
    h.data["folders"][name] = {"name": name}
    h.then(back())


@MAIL.command("drop-folder")
def drop_folder(h: CommandContext, folder: str) -> None:
    if within(h, folder):
        h.toast("The folder is not empty", "文件夹不是空的")
    else:
        del h.data["folders"][folder]
    h.then(back())


def letter(h: CommandContext, folder: str, to: list[str], subject: str, **more: str) -> dict[str, Any]:
    """A mail that the owner writes, as it is stored."""
    who = h.data["account"]
    return {
        "folder": folder,
        "origin": folder,
        "sender": who["email"],
        "name": who["name"],
        "emoji": "🙂",
        "to": to,
        "subject": subject,
        "body": h.form["body"].strip(),
        "at": h.state["now"].replace("T", " "),
        "read": True,
        "starred": False,
        "reply": "",
        "forward": "",
        "fact": {},
        **more,
    }


@MAIL.command("send")
def send(h: CommandContext, draft: str) -> None:
    to, subject = addresses(h, h.form["to"]), h.form["subject"].strip()
    if to is None:
        h.toast("Check the recipient", "请检查收件人")
        return
    if not subject and not h.form["body"].strip():
        h.toast("The mail is empty", "邮件内容为空")
        return
    old = h.data["mails"].get(draft, {})
    fresh = letter(h, "sent", to, subject)
    h.data["mails"][draft or h.new_id("mail")] = {**fresh, "starred": old.get("starred", False)}
    h.toast("Sent", "已发送")
    h.then(back())


@MAIL.command("save-draft")
def save_draft(h: CommandContext, draft: str) -> None:
    to, subject = addresses(h, h.form["to"]), h.form["subject"].strip()
    if to is None and h.form["to"].strip():
        h.toast("Check the recipient", "请检查收件人")
        return
    if not to and not subject and not h.form["body"].strip():
        h.toast("The mail is empty", "邮件内容为空")
        return
    old = h.data["mails"].get(draft, {})
    fresh = letter(h, "drafts", to or [], subject)
    h.data["mails"][draft or h.new_id("mail")] = {**fresh, "starred": old.get("starred", False)}
    h.toast("Saved in drafts", "已存入草稿箱")
    h.then(back())


@MAIL.command("send-reply")
def send_reply(h: CommandContext, mail: str) -> None:
    first = find(h, mail)
    if not h.form["body"].strip():
        h.toast("Write something first", "请先写点内容")
        return
    to = first["to"] if is_mine(h, first) else [first["sender"]]
    h.data["mails"][h.new_id("mail")] = letter(h, "sent", list(to), f"Re: {first['subject']}", reply=mail)
    h.toast("Reply sent", "回复已发送")
    h.then(back())


@MAIL.command("send-forward")
def send_forward(h: CommandContext, mail: str) -> None:
    to = addresses(h, h.form["to"])
    if to is None:
        h.toast("Check the recipient", "请检查收件人")
        return
    h.data["mails"][h.new_id("mail")] = letter(h, "sent", to, f"Fwd: {find(h, mail)['subject']}", forward=mail)
    h.toast("Forwarded", "已转发")
    h.then(back())


@MAIL.command("clear-history")
def clear_history(h: CommandContext) -> None:
    h.data["history"] = []


@MAIL.command("switch")
def switch(h: CommandContext, name: str, on: bool) -> None:
    h.data[name] = on


@MAIL.command("sign")
def sign(h: CommandContext) -> None:
    h.data["signature"] = h.form["signature"].strip()
    h.toast("Signature saved", "签名已保存")
    h.then(back())


# -- ways --------------------------------------------------------------------------------------------------------------


def moved(v: View, id: str, to: str = "") -> Change:
    """Move a mail to a folder, or back to its original one."""
    part = "arrivals" if id in v.data["arrivals"] else "mails"
    return changed(f"mail.{part}", id, folder=to or ("sent" if is_mine(v, find(v, id)) else "inbox"))


def at_mail(v: View, id: str, screen: str, commit: Op, **values: Any) -> Way:
    """A command on a mail; a mail that has not arrived must be fetched first."""
    if id in v.data["arrivals"] and not v.data["synced"]:
        return [Value("mail.synced", True)]
    if screen in ("reply", "forward") and find(v, id)["folder"] in ("trash", "spam"):
        return [moved(v, id)]
    return Need("mail", screen, {"mail": id}, values, commit, through={"folder": (find(v, id)["folder"],)})


def entered(v: View, fields: Fields) -> dict[str, Any]:
    """The form values for a mail."""
    values = {name: plain(fields[name]) for name in ("subject", "body") if name in fields}
    return {"to": names_of(v, fields["to"]), **values} if "to" in fields else values


def create_mail(v: View, fields: Fields) -> Way:
    folder, values = fields.get("folder", "sent"), entered(v, fields)
    values = {name: value for name, value in values.items() if value}
    if folder not in ("sent", "drafts"):
        return None
    if id := fields.get("reply"):
        return at_mail(v, id, "reply", do("send-reply", mail=id), body=values.get("body", ""))
    if id := fields.get("forward"):
        values.pop("subject", None)
        return at_mail(v, id, "forward", do("send-forward", mail=id), **values)
    return Need("mail", "compose", {"draft": ""}, values, do("send" if folder == "sent" else "save-draft", draft=""))


def update_mail(v: View, id: str, fields: Fields) -> Way:
    mail = find(v, id)
    where, to = mail["folder"], fields.get("folder", mail["folder"])
    if where == "drafts" and fields.keys() - {"starred"}:
        if to not in ("drafts", "sent"):
            return None
        commit = do("send" if to == "sent" else "save-draft", draft=id)
        return Need("mail", "compose", {"draft": id}, entered(v, fields), commit, through={"folder": ("drafts",)})
    if fields.keys() - {"starred", "folder"}:
        return None
    if "starred" in fields and fields["starred"] != mail["starred"]:
        screen = "menu" if where == "drafts" else "mail"
        return at_mail(v, id, screen, do("star", mail=id, on=fields["starred"]))
    return move_way(v, id, to)


def move_way(v: View, id: str, to: str) -> Way:
    mail = find(v, id)
    where, commit = mail["folder"], do("move", mail=id, folder=to)
    if to == "drafts" or (to == "sent" and not is_mine(v, mail)):
        return None
    fixed = ("inbox", "sent", "archive", "spam", "trash")
    if to not in fixed and to not in v.data["folders"]:
        return [added("mail.folders", name=to)]
    if where == "trash":
        return at_mail(v, id, "mail" if to == mail["origin"] else "move", commit)
    if where == "spam":
        return at_mail(v, id, "mail" if to == "inbox" else "move", commit)
    return at_mail(v, id, {"archive": "mail", "trash": "mail", "spam": "menu"}.get(to, "move"), commit)


def remove_mail(v: View, id: str) -> Way:
    mail = find(v, id)
    commit = do("purge", mail=id)
    if mail["folder"] == "drafts":
        return at_mail(v, id, "purge", commit)
    if is_mine(v, mail):
        return None  # what is sent is sent
    if mail["folder"] != "trash":
        return [moved(v, id, "trash")]
    return at_mail(v, id, "purge", commit)


MAIL.holds(
    "mails",
    create=create_mail,
    update=update_mail,
    remove=remove_mail,
    volatile=("read", "at", "origin"),
    defaults={"folder": "sent", "starred": False},
)
MAIL.holds("arrivals", update=update_mail, remove=remove_mail, volatile=("read", "at", "origin"))


def remove_folder(v: View, id: str) -> Way:
    if mails := within(v, id):
        return [moved(v, mail) for mail, _ in mails]
    return Need("mail", "drop-folder", {"folder": id}, commit=do("drop-folder", folder=id))


MAIL.holds(
    "folders",
    create=lambda v, fields: Need(
        "mail", "new-folder", values={"name": plain(fields["name"])}, commit=do("add-folder")
    ),
    remove=remove_folder,
)


def switch_way(name: str) -> Any:
    return lambda v, wanted: Need("mail", "account", commit=do("switch", name=name, on=wanted))


MAIL.value("vacation", switch_way("vacation"))
MAIL.value("notify", switch_way("notify"))
MAIL.value(
    "signature", lambda v, wanted: Need("mail", "signature", values={"signature": plain(wanted)}, commit=do("sign"))
)
MAIL.value("synced", lambda v, wanted: Need("mail", "inbox", commit=do("refresh")) if wanted else None)
MAIL.forgets("synced", "history")
