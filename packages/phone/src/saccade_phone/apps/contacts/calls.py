"""Contacts: the call log, the keypad, and blocked numbers."""

from __future__ import annotations

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, View
from saccade_phone.apps.contacts.base import CONTACTS, blocking, digits, neat, owner, tabs, under
from saccade_phone.apps.contacts.content import days_ago
from saccade_phone.goal_changes import Fields, Need, Way, plain
from saccade_phone.widgets import Page, Widget, back, do, go, put

KINDS = {
    "in": ("Incoming", "呼入", "phone-incoming", ""),
    "out": ("Outgoing", "呼出", "phone-outgoing", ""),
    "missed": ("Missed", "未接", "phone-missed", "#d9534f"),
}
KEYS = {
    "1": "",
    "2": "ABC",
    "3": "DEF",
    "4": "GHI",
    "5": "JKL",
    "6": "MNO",
    "7": "PQRS",
    "8": "TUV",
    "9": "WXYZ",
    "*": "",
    "0": "+",
    "#": "",
}


def name_of(v: View, number: str) -> str:
    id = owner(v, number)
    return v.data["people"][id]["name"] if id else number


def when(v: View, at: str) -> str:
    days = days_ago(v.state["now"], at)
    named = v.t(("Today", "Yesterday"), ("今天", "昨天"))
    return f"{named[days] if days < 2 else f'{at[5:7]}-{at[8:10]}'} {at[11:16]}"


def lasted(v: View, seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    return v.t(f"{minutes} min {rest} s", f"{minutes}分{rest}秒") if minutes else v.t(f"{rest} s", f"{rest}秒")


# -- calls ------------------------------------------------------------------------------------------------------------


@CONTACTS.screen("recents", form=lambda v: {"kind": "all"})
def recents(v: View) -> Page:
    kind = v.form["kind"]
    shown = [
        (id, call)
        for id, call in v.data["calls"].items()
        if not call["hidden"] and (kind == "all" or call["kind"] == kind)
    ]
    names = {digits(person["phone"]): person["name"] for person in v.data["people"].values()}
    rows = [
        w.cell(
            names.get(digits(call["number"]), call["number"]),
            v.t(*KINDS[call["kind"]][:2]),
            when(v, call["at"]),
            icon=KINDS[call["kind"]][2],
            tint=KINDS[call["kind"]][3],
            tap=go("number", number=call["number"]),
            hold=go("call-menu", call=id),
        )
        for id, call in sorted(shown, key=lambda item: str(item[1]["at"]), reverse=True)
    ]
    head = w.segments(
        [
            w.chip(v.t("All", "全部"), put("kind", "all"), kind == "all"),
            w.chip(v.t("Missed", "未接来电"), put("kind", "missed"), kind == "missed"),
        ]
    )
    return Page(
        v.t("Recents", "最近通话"),
        rows or [w.empty(v.t("No calls", "没有通话记录"), "📵")],
        head=[head],
        tabs=tabs(v, "recents"),
        pull=do("refresh"),
    )


@CONTACTS.command("refresh")
def refresh(h: CommandContext) -> None:
    h.toast("Up to date", "已是最新")


@CONTACTS.screen("number")
def number_view(v: View) -> Page:
    number = v.args["number"]
    id, stop = owner(v, number), blocking(v, number)
    calls = sorted(
        (call for call in v.data["calls"].values() if digits(call["number"]) == digits(number) and not call["hidden"]),
        key=lambda call: str(call["at"]),
        reverse=True,
    )
    rows = [
        w.cell(
            v.t(*KINDS[call["kind"]][:2]),
            when(v, call["at"]),
            lasted(v, call["seconds"]) if call["seconds"] else "",
            icon=KINDS[call["kind"]][2],
            tint=KINDS[call["kind"]][3],
        )
        for call in calls
    ]
    block = w.button(v.t("Block", "加入黑名单"), do("block", number=number), style="danger", icon="ban")
    if stop:
        block = w.button(v.t("Unblock", "移出黑名单"), do("unblock", blocked=stop), style="plain", icon="ban")
    face = v.data["people"][id]["emoji"] if id else "📞"
    body: list[Widget] = [
        w.banner(name_of(v, number), number if id else v.t("Not in contacts", "陌生号码"), emoji=face, tint="#2a78c5"),
        w.row([w.button(v.t("Call", "呼叫"), do("call", number=number), icon="phone"), block]),
    ]
    if id:
        body.append(w.section("", [w.cell(v.t("Contact", "联系人"), icon="contact", tap=go("person", person=id))]))
    none = [w.text(v.t("No calls yet", "还没有通话"), "quiet")]
    body.append(w.section(v.t(f"Calls ({len(rows)})", f"通话记录({len(rows)})"), rows or none))
    return Page(v.t("Call details", "通话详情"), body)


@CONTACTS.screen("call-menu", style="sheet")
def call_menu(v: View) -> Page:
    call = v.data["calls"][v.args["call"]]
    return Page(
        name_of(v, call["number"]),
        [
            w.cell(v.t("Call back", "回拨"), icon="phone", tap=do("call", number=call["number"])),
            w.cell(v.t("Delete from list", "删除记录"), icon="trash-2", tap=do("hide", **v.args)),
        ],
    )


@CONTACTS.command("hide")
def hide(h: CommandContext, call: str) -> None:
    """The entry is only hidden: a call that was made cannot be removed from the data."""
    h.data["calls"][call]["hidden"] = True
    h.toast("Deleted", "已删除")
    h.then(back())


@CONTACTS.command("call")
def call(h: CommandContext, number: str) -> None:
    h.data["calls"][h.new_id("l")] = {
        "number": neat(number),
        "kind": "out",
        "at": h.state["now"],
        "seconds": 0,
        "hidden": False,
    }
    menu = h.state["nav"]["stacks"]["contacts"][-1]["screen"].endswith("-menu")
    h.then(*((back(),) if menu else ()), go("calling", number=number))


@CONTACTS.screen("calling")
def calling(v: View) -> Page:
    number = v.args["number"]
    id = owner(v, number)
    controls = [
        w.tile(v.t("Mute", "静音"), icon="mic-off", tap=do("control")),
        w.tile(v.t("Keypad", "键盘"), icon="grid-3x3", tap=do("control")),
        w.tile(v.t("Speaker", "免提"), icon="volume-2", tap=do("control")),
    ]
    return Page(
        v.t("Call", "通话"),
        [
            w.banner(name_of(v, number), number, emoji=v.data["people"][id]["emoji"] if id else "📞", tint="#2a78c5"),
            w.text(v.t("Calling…", "正在呼叫…"), "big"),
            w.grid(controls, 3),
        ],
        foot=[w.button(v.t("Hang up", "挂断"), back(), style="danger", icon="phone-off")],
    )


@CONTACTS.command("control")
def control(h: CommandContext) -> None:
    h.toast("Available once somebody answers", "接通后可用")


@CONTACTS.screen("keypad", form=lambda v: {"number": ""})
def keypad(v: View) -> Page:
    number = v.form["number"]
    keys = [
        w.button(f"{key} {letters}".strip(), put("number", number + key), style="plain")
        for key, letters in KEYS.items()
    ]
    wanted = digits(number)
    near = [
        w.cell(person["name"], person["phone"], emoji=person["emoji"], tap=put("number", person["phone"]))
        for person in v.data["people"].values()
        if len(wanted) > 3 and wanted in digits(person["phone"])
    ]
    body = [w.field("number", number, v.t("Number", "输入号码"), style="number"), *near[:3], w.grid(keys, 3)]
    return Page(
        v.t("Keypad", "拨号"),
        body,
        foot=[w.button(v.t("Call", "呼叫"), do("dial"), icon="phone")],
        tabs=tabs(v, "keypad"),
    )


@CONTACTS.command("dial")
def dial(h: CommandContext) -> None:
    number = h.form["number"].strip()
    if not digits(number):
        return h.toast("Enter a number first", "请先输入号码")
    h.form["number"] = ""
    return call(h, number)


def call_way(v: View, fields: Fields) -> Way:
    """Call from the contact if the number belongs to one, else from the keypad."""
    if fields.get("kind", "out") != "out":
        return None
    number = plain(fields["number"])
    id = owner(v, number)
    if id:
        commit = do("call", number=v.data["people"][id]["phone"])
        return Need("contacts", "person", {"person": id}, commit=commit)
    return Need("contacts", "keypad", values={"number": number}, commit=do("dial"))


def update_call(v: View, id: str, fields: Fields) -> Way:
    if dict(fields) != {"hidden": True}:
        return None
    return Need("contacts", "call-menu", {"call": id}, commit=do("hide", call=id))


CONTACTS.holds("calls", create=call_way, update=update_call, defaults={"kind": "out", "hidden": False})


# -- blocked numbers --------------------------------------------------------------------------------------------------


@CONTACTS.screen("blocked")
def blocked_view(v: View) -> Page:
    rows = [
        w.cell(
            name_of(v, each["number"]), v.t("Tap to unblock", "点按可移除"), icon="ban", tap=go("unblock", blocked=id)
        )
        for id, each in v.data["blocked"].items()
    ]
    note = w.text(v.t("Calls from these numbers do not ring.", "这些号码的来电不会响铃。"), "quiet")
    add = w.icon_button("plus", v.t("Block a number", "添加号码"), go("block"))
    body = [note, w.section("", rows)] if rows else [w.empty(v.t("No blocked numbers", "黑名单为空"), "🕊️")]
    return Page(v.t("Blocked", "黑名单"), body, [add])


@CONTACTS.screen("block", style="dialog", form=lambda v: {"number": ""})
def block_dialog(v: View) -> Page:
    box = w.field("number", v.form["number"], v.t("Number", "电话号码"), style="number")
    return Page(
        v.t("Block a number", "添加黑名单"),
        [box],
        foot=[
            w.button(v.t("Cancel", "取消"), back(), style="plain"),
            w.button(v.t("Block", "添加"), do("block-typed")),
        ],
    )


@CONTACTS.screen("unblock", style="dialog")
def unblock_dialog(v: View) -> Page:
    number = v.data["blocked"][v.args["blocked"]]["number"]
    return Page(
        v.t("Unblock?", "移出黑名单？"),
        [w.text(number)],
        foot=[
            w.button(v.t("Cancel", "取消"), back(), style="plain"),
            w.button(v.t("Unblock", "移出"), do("unblock", **v.args)),
        ],
    )


@CONTACTS.command("block")
def block(h: CommandContext, number: str) -> None:
    if blocking(h, number):
        return h.toast("Already blocked", "已在黑名单中")
    h.data["blocked"][h.new_id("b")] = {"number": neat(number)}
    h.toast("Number blocked", "已加入黑名单")
    return None


@CONTACTS.command("block-typed")
def block_typed(h: CommandContext) -> None:
    if len(digits(h.form["number"])) < 3:
        return h.toast("Enter a number first", "请先输入号码")
    h.then(back())
    return block(h, h.form["number"])


@CONTACTS.command("unblock")
def unblock(h: CommandContext, blocked: str) -> None:
    del h.data["blocked"][blocked]
    h.toast("Number unblocked", "已移出黑名单")
    if under(h) == "blocked":
        h.then(back())


def block_way(v: View, fields: Fields) -> Way:
    """Block from the call log if the number is there, else type it."""
    number = plain(fields["number"])
    if any(call["number"] == number and not call["hidden"] for call in v.data["calls"].values()):
        return Need("contacts", "number", {"number": number}, commit=do("block", number=number))
    return Need("contacts", "block", values={"number": number}, commit=do("block-typed"))


CONTACTS.holds(
    "blocked",
    create=block_way,
    remove=lambda v, it: Need("contacts", "unblock", {"blocked": it}, commit=do("unblock", blocked=it)),
)
