"""Contacts: people and their groups. Calls, the keypad and blocked numbers are in `calls`."""

from __future__ import annotations

import re
from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, View
from saccade_phone.apps.contacts import calls
from saccade_phone.apps.contacts.base import CONTACTS, digits, neat, tabs, under
from saccade_phone.apps.contacts.content import by_initial
from saccade_phone.apps.patterns import cancel_or, remember
from saccade_phone.goal_changes import Fields, Need, Way, plain
from saccade_phone.widgets import Page, Widget, back, do, go, pick, put

FIELDS = ("name", "phone", "email", "company", "birthday", "group")
BLANK = {"email": "", "company": "", "birthday": "", "group": "", "favorite": False}
"""Empty fields of a new contact."""
LATEST = 6


# -- people -----------------------------------------------------------------------------------------------------------


@CONTACTS.screen("people", form=lambda v: {"query": ""})
def people(v: View) -> Page:
    everyone, query = v.data["people"], v.form["query"].strip().casefold()
    found = {id: person["name"] for id, person in everyone.items() if query in person["name"].casefold()}
    best = [id for id in found if everyone[id]["favorite"]]
    body: list[Widget] = []
    if best:
        faces = [w.tile(found[id], emoji=everyone[id]["emoji"], tap=go("person", person=id)) for id in best]
        body.append(w.section(v.t("★ Favorites", "★ 收藏"), [w.grid(faces, 4)]))
    for letter, ids in by_initial(found).items():
        body.append(w.section(letter, [person_row(v, id) for id in ids]))
    box = w.field(
        "query",
        v.form["query"],
        v.t("Search contacts", "搜索联系人"),
        style="search",
        submit=go("results", query=v.form["query"].strip()) if query else None,
    )
    add = w.icon_button("user-round-plus", v.t("New contact", "新建联系人"), go("edit", person=""))
    return Page(
        v.t(f"Contacts ({len(everyone)})", f"联系人({len(everyone)})"),
        body or [w.empty(v.t("No such contact", "没有找到联系人"), "🔍")],
        [add],
        tabs(v, "people"),
        head=[box],
    )


def person_row(v: View, id: str, sub: str = "") -> Widget:
    person = v.data["people"][id]
    return w.cell(
        person["name"],
        sub or person["company"],
        emoji=person["emoji"],
        tap=go("person", person=id),
        hold=go("person-menu", person=id),
    )


@CONTACTS.screen("results", opened=remember)
def results(v: View) -> Page:
    """Wider than the list's own filter: companies, addresses and numbers as well."""
    query = v.args["query"].casefold()
    rows = [
        person_row(v, id, " · ".join(filter(None, (person["company"], person["phone"]))))
        for id, person in v.data["people"].items()
        if query in f"{person['name']} {person['company']} {person['email']} {person['phone']}".casefold()
    ]
    count = v.t(f"{len(rows)} found for “{v.args['query']}”", f"“{v.args['query']}”：找到{len(rows)}位")
    none = w.empty(v.t("No such contact", "没有找到联系人"), "🔍")
    return Page(v.t("Search results", "搜索结果"), [w.text(count, "quiet"), *(rows or [none])])


@CONTACTS.screen("person")
def person_view(v: View) -> Page:
    id = v.args["person"]
    person = v.data["people"].get(id)
    if person is None:
        return Page(v.t("Contact", "联系人"), [w.empty(v.t("This contact was deleted", "联系人已删除"), "👤")])
    phone, best = person["phone"], person["favorite"]
    calls = [w.button(v.t("Call", "呼叫"), do("call", number=phone), icon="phone")]
    if id in v.state["apps"].get("chat", {}).get("threads", {}):
        calls.append(
            w.button(
                v.t("Message", "发消息"), go("thread", app="chat", thread=id), style="plain", icon="message-circle"
            )
        )
    group = v.data["groups"].get(person["group"], {"name": ""})["name"]
    known = [
        (v.t("Phone", "电话"), phone, "phone"),
        (v.t("Email", "邮箱"), person["email"], "mail"),
        (v.t("Company", "公司"), person["company"], "building-2"),
        (v.t("Birthday", "生日"), person["birthday"], "cake"),
        (v.t("Group", "群组"), group, "tag"),
    ]
    body = [
        w.banner(person["name"], person["company"] or group, emoji=person["emoji"], tint="#2a78c5"),
        w.row(calls),
        w.section(
            v.t("Details", "详细信息"), [w.cell(name, value=words, icon=icon) for name, words, icon in known if words]
        ),
        w.section("", [w.cell(v.t("Call history", "通话记录"), icon="clock", tap=go("number", number=phone))]),
        w.button(v.t("Delete contact", "删除联系人"), go("delete", person=id), style="danger"),
    ]
    mark = v.t("Remove favorite", "取消收藏") if best else v.t("Favorite", "收藏")
    actions = [
        w.icon_button("star-off" if best else "star", mark, do("favorite", person=id, on=not best)),
        w.icon_button("pencil", v.t("Edit", "编辑"), go("edit", person=id)),
    ]
    return Page(v.t("Contact", "联系人"), body, actions)


@CONTACTS.screen("person-menu", style="sheet")
def person_menu(v: View) -> Page:
    id = v.args["person"]
    person = v.data["people"][id]
    return Page(
        person["name"],
        [
            w.cell(v.t("Call", "呼叫"), person["phone"], icon="phone", tap=do("call", number=person["phone"])),
            w.cell(v.t("Edit", "编辑"), icon="pencil", tap=go("edit", person=id)),
            w.cell(v.t("Delete", "删除"), icon="trash-2", tap=go("delete", person=id)),
        ],
    )


@CONTACTS.screen("delete", style="dialog")
def delete(v: View) -> Page:
    name = v.data["people"][v.args["person"]]["name"]
    words = v.t(f"{name} will be deleted.", f"将删除联系人{name}。")
    return Page(
        v.t("Delete contact?", "删除联系人？"),
        [w.text(words)],
        foot=cancel_or(v, v.t("Delete", "删除"), do("delete", **v.args)),
    )


def edit_form(v: View) -> dict[str, Any]:
    person = v.data["people"].get(v.args["person"], {})
    return {**{name: person.get(name, "") for name in FIELDS}, "favorite": person.get("favorite", False)}


@CONTACTS.screen("edit", form=edit_form)
def edit(v: View) -> Page:
    form, id = v.form, v.args["person"]
    group = v.data["groups"].get(form["group"], {"name": ""})["name"]
    body = [
        w.field("name", form["name"], v.t("Full name", "姓名"), label=v.t("Name", "姓名")),
        w.field("phone", form["phone"], v.t("Number", "电话号码"), label=v.t("Phone", "电话"), style="number"),
        w.field("email", form["email"], "name@example", label=v.t("Email", "邮箱")),
        w.field("company", form["company"], v.t("Where they work", "工作单位"), label=v.t("Company", "公司")),
        w.field("birthday", form["birthday"], "YYYY-MM-DD", label=v.t("Birthday", "生日")),
        w.entry(
            v.t("Group", "群组"), group, go("group-pick", field="group"), placeholder=v.t("None", "无"), icon="tag"
        ),
        w.switch(v.t("Favorite", "收藏"), form["favorite"], put("favorite", not form["favorite"]), icon="star"),
    ]
    title = v.t("Edit contact", "编辑联系人") if id else v.t("New contact", "新建联系人")
    return Page(title, body, foot=[w.button(v.t("Save", "保存"), do("save", person=id))])


@CONTACTS.screen("group-pick", style="sheet")
def group_pick(v: View) -> Page:
    rows = [w.cell(group["name"], icon="tag", tap=pick("group", id)) for id, group in v.data["groups"].items()]
    return Page(v.t("Group", "群组"), [*rows, w.cell(v.t("None", "无"), icon="x", tap=pick("group", ""))])


@CONTACTS.command("save")
def save(h: CommandContext, person: str) -> None:
    form = {name: str(h.form[name]).strip() for name in FIELDS}
    if not form["name"] or not digits(form["phone"]):
        return h.toast("Name and phone are needed", "请填写姓名和电话")
    if form["birthday"] and not re.fullmatch(r"\d{4}-\d\d-\d\d", form["birthday"]):
        return h.toast("Write the birthday as YYYY-MM-DD", "生日格式应为YYYY-MM-DD")
    old = h.data["people"].get(person, {"emoji": "👤"})
    h.data["people"][person or h.new_id("k")] = {
        **old,
        **form,
        "phone": neat(form["phone"]),
        "favorite": h.form["favorite"],
    }
    h.toast("Contact saved", "联系人已保存")
    h.then(back(), *((back(),) if under(h) == "person-menu" else ()))
    return None


@CONTACTS.command("favorite")
def favorite(h: CommandContext, person: str, on: bool) -> None:
    h.data["people"][person]["favorite"] = on
    h.toast(*(("Added to favorites", "已收藏") if on else ("Removed from favorites", "已取消收藏")))


@CONTACTS.command("delete")
def do_delete(h: CommandContext, person: str) -> None:
    del h.data["people"][person]
    h.toast("Contact deleted", "联系人已删除")
    h.then(back(), back())


def edit_way(id: str, fields: Fields) -> Need:
    values = {name: plain(fields[name]) for name in (*FIELDS, "favorite") if name in fields}
    return Need("contacts", "edit", {"person": id}, values, do("save", person=id))


def update_person(v: View, id: str, fields: Fields) -> Way:
    person = v.data["people"][id]
    if "favorite" in fields and person["favorite"] != fields["favorite"]:
        return Need("contacts", "person", {"person": id}, commit=do("favorite", person=id, on=fields["favorite"]))
    return edit_way(id, fields)


CONTACTS.holds(
    "people",
    create=lambda v, fields: edit_way("", {**BLANK, **fields}),
    update=update_person,
    remove=lambda v, it: Need("contacts", "delete", {"person": it}, commit=do("delete", person=it)),
    volatile=("emoji",),
    defaults=BLANK,
)


# -- groups -----------------------------------------------------------------------------------------------------------


@CONTACTS.screen("groups")
def groups(v: View) -> Page:
    sizes: dict[str, int] = {}
    for person in v.data["people"].values():
        sizes[person["group"]] = sizes.get(person["group"], 0) + 1
    rows = [
        w.cell(
            group["name"],
            value=str(sizes.get(id, 0)),
            icon="tag",
            tap=go("group", group=id),
            hold=go("group-menu", group=id),
        )
        for id, group in v.data["groups"].items()
    ]
    add = w.icon_button("plus", v.t("New group", "新建群组"), go("group-name", group=""))
    blocked = w.cell(v.t("Blocked numbers", "黑名单"), value=str(len(v.data["blocked"])), icon="ban", tap=go("blocked"))
    body = [w.section(v.t("My groups", "我的群组"), rows), w.section(v.t("Safety", "安全"), [blocked])]
    return Page(v.t("Groups", "群组"), body, [add], tabs(v, "groups"))


@CONTACTS.screen("group")
def group_view(v: View) -> Page:
    id = v.args["group"]
    found = {pid: person["name"] for pid, person in v.data["people"].items() if person["group"] == id}
    rows = [person_row(v, pid, v.data["people"][pid]["phone"]) for ids in by_initial(found).values() for pid in ids]
    name = v.data["groups"].get(id, {"name": ""})["name"]
    more = w.icon_button("ellipsis", v.t("More", "更多"), go("group-menu", group=id))
    return Page(
        f"{name} ({len(rows)})", rows or [w.empty(v.t("Nobody in this group yet", "群组里还没有联系人"), "🏷️")], [more]
    )


@CONTACTS.screen("group-menu", style="sheet")
def group_menu(v: View) -> Page:
    return Page(
        v.data["groups"].get(v.args["group"], {"name": ""})["name"],
        [
            w.cell(v.t("Rename", "重命名"), icon="pencil", tap=go("group-name", **v.args)),
            w.cell(v.t("Delete", "删除"), icon="trash-2", tap=do("drop-group", **v.args)),
        ],
    )


@CONTACTS.screen(
    "group-name", style="dialog", form=lambda v: {"name": v.data["groups"].get(v.args["group"], {}).get("name", "")}
)
def group_name(v: View) -> Page:
    title = v.t("Rename group", "重命名群组") if v.args["group"] else v.t("New group", "新建群组")
    return Page(
        title,
        [w.field("name", v.form["name"], v.t("Group name", "群组名称"))],
        foot=[
            w.button(v.t("Cancel", "取消"), back(), style="plain"),
            w.button(v.t("Save", "保存"), do("save-group", **v.args)),
        ],
    )


@CONTACTS.command("save-group")
def save_group(h: CommandContext, group: str) -> None:
    name = h.form["name"].strip()
    if not name:
        return h.toast("Give the group a name", "请填写群组名称")
    h.data["groups"][group or h.new_id("group")] = {"name": name}
    h.then(back(), *((back(),) if group else ()))
    return None


@CONTACTS.command("drop-group")
def drop_group(h: CommandContext, group: str) -> None:
    """Only an empty group can be removed, so that no contact changes with it."""
    if any(person["group"] == group for person in h.data["people"].values()):
        return h.toast("Only empty groups can be deleted", "只能删除空群组")
    del h.data["groups"][group]
    h.then(back(), *((back(),) if under(h) == "group" else ()))
    return None


def group_way(id: str, fields: Fields) -> Need:
    return Need("contacts", "group-name", {"group": id}, {"name": plain(fields["name"])}, do("save-group", group=id))


def remove_group(v: View, id: str) -> Way:
    if any(person["group"] == id for person in v.data["people"].values()):
        return None
    return Need("contacts", "group-menu", {"group": id}, commit=do("drop-group", group=id))


CONTACTS.holds(
    "groups",
    create=lambda v, fields: group_way("", fields),
    update=lambda v, it, fields: group_way(it, fields),
    remove=remove_group,
)
CONTACTS.forgets("history")

__all__ = ["CONTACTS", "calls"]
