"""Mail: search."""

from __future__ import annotations

from saccade_phone import widgets as w
from saccade_phone.app import View
from saccade_phone.apps.mail.screens import MAIL, Mail, mail_list, mail_row, names_of, visible
from saccade_phone.apps.patterns import remember
from saccade_phone.widgets import Page, do, go


def matching(v: View, query: str) -> list[tuple[str, Mail]]:
    """Mails with these words in sender, recipient, subject or text; what was thrown away is left out."""
    words = query.strip().casefold()
    found = [
        (id, mail)
        for id, mail in visible(v).items()
        if mail["folder"] not in ("trash", "spam")
        and words
        in " ".join((mail["name"], mail["sender"], names_of(v, mail["to"]), mail["subject"], mail["body"])).casefold()
    ]
    return sorted(found, key=lambda item: (item[1]["at"], item[0]), reverse=True)


@MAIL.screen("search", form=lambda v: {"query": ""})
def search(v: View) -> Page:
    query = v.form["query"]
    head = w.field("query", query, v.t("Search mails", "搜索邮件"), style="search", submit=go("results", query=query))
    if query.strip():
        senders = {mail["name"]: None for _, mail in matching(v, query) if query.casefold() in mail["name"].casefold()}
        hints = [w.cell(name, icon="user", tap=go("results", query=name)) for name in list(senders)[:4]]
        hits = [mail_row(v, id, mail) for id, mail in matching(v, query)[:6]]
        body = [w.section(v.t("Senders", "发件人"), hints)] if hints else []
        body += (
            [w.section(v.t("Mails", "邮件"), hits)]
            if hits
            else [w.empty(v.t("No matching mail", "没有匹配的邮件"), "🔍")]
        )
        return Page(v.t("Search", "搜索"), body, head=[head])
    earlier = [w.chip(words, go("results", query=words)) for words in v.data["history"]]
    body = [w.section(v.t("Recent searches", "最近搜索"), [w.chips(earlier)])] if earlier else []
    if earlier:
        body.append(w.button(v.t("Clear history", "清空搜索记录"), do("clear-history"), style="plain", icon="eraser"))
    return Page(v.t("Search", "搜索"), body, head=[head])


@MAIL.screen("results", opened=remember)
def results(v: View) -> Page:
    found = matching(v, v.args["query"]) if v.args["query"].strip() else []
    note = w.text(v.t(f"{len(found)} mails with “{v.args['query']}”", f"“{v.args['query']}”共{len(found)}封"), "quiet")
    return Page(
        v.t("Results", "搜索结果"), [note, *mail_list(v, found, v.t("No matching mail", "没有匹配的邮件"), "🔍")]
    )
