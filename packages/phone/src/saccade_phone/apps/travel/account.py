"""Travel: passengers, the account page, and the rules."""

from __future__ import annotations

from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, View
from saccade_phone.apps.patterns import cancel_or
from saccade_phone.apps.travel.content import CITIES
from saccade_phone.apps.travel.trips import TRAVEL, TYPES, tabs
from saccade_phone.goal_changes import Fields, Need, plain
from saccade_phone.widgets import Page, back, do, go, put


@TRAVEL.screen("passengers")
def passengers(v: View) -> Page:
    rows = [
        w.cell(
            each["name"],
            f"{each['document']} · {each['phone']}",
            v.t(*TYPES[each["type"]]),
            icon="user-round",
            tap=go("passenger", passenger=id),
            hold=go("remove", passenger=id) if id != "me" else None,
        )
        for id, each in v.data["passengers"].items()
    ]
    add = w.icon_button("user-plus", v.t("Add traveller", "添加旅客"), go("passenger", passenger=""))
    return Page(v.t("Travellers", "常用旅客"), [w.section("", rows)], actions=[add])


def passenger_form(v: View) -> dict[str, Any]:
    blank = {"name": "", "document": "", "phone": "", "type": "adult"}
    return {**blank, **v.data["passengers"].get(v.args["passenger"], {})}


@TRAVEL.screen("passenger", form=passenger_form)
def passenger(v: View) -> Page:
    id, form = v.args["passenger"], v.form
    types = [w.chip(v.t(*names), put("type", name), form["type"] == name) for name, names in TYPES.items()]
    foot = [w.button(v.t("Save", "保存"), do("keep", passenger=id))]
    if id not in ("", "me"):
        foot.insert(0, w.button(v.t("Delete", "删除"), go("remove", passenger=id), style="danger"))
    return Page(
        v.t("Edit traveller", "编辑旅客") if id else v.t("New traveller", "新增旅客"),
        [
            w.section(
                "",
                [
                    w.field("name", form["name"], v.t("As on the passport", "与证件一致"), label=v.t("Name", "姓名")),
                    w.field(
                        "document",
                        form["document"],
                        v.t("Passport number", "证件号码"),
                        label=v.t("Passport", "证件号"),
                    ),
                    w.field("phone", form["phone"], v.t("Optional", "选填"), label=v.t("Phone", "手机号")),
                ],
            ),
            w.section(v.t("Fare", "旅客类型"), [w.chips(types)]),
        ],
        foot=foot,
    )


@TRAVEL.screen("remove", style="dialog")
def remove(v: View) -> Page:
    name = v.data["passengers"].get(v.args["passenger"], {}).get("name", "")
    return Page(
        v.t("Delete traveller?", "删除旅客？"),
        [w.text(v.t(f"{name} will be taken off your list.", f"将从常用旅客中删除{name}。"))],
        foot=cancel_or(v, v.t("Delete", "删除"), do("remove", **v.args)),
    )


@TRAVEL.command("keep")
def keep(h: CommandContext, passenger: str) -> None:
    values = {name: h.form[name].strip() for name in ("name", "document", "phone")}
    if not values["name"] or not values["document"]:
        h.toast("Name and passport are needed", "请填写姓名和证件号")
        return
    h.data["passengers"][passenger or h.new_id("p")] = {**values, "type": h.form["type"]}
    h.toast("Saved", "已保存")
    h.then(back())


@TRAVEL.command("remove")
def do_remove(h: CommandContext, passenger: str) -> None:
    """Close the top screens that show this passenger."""
    del h.data["passengers"][passenger]
    h.toast("Deleted", "已删除")
    for shown in reversed(h.state["nav"]["stacks"]["travel"]):
        if shown["args"].get("passenger") != passenger:
            break
        h.then(back())


def passenger_way(id: str, fields: Fields) -> Need:
    return Need(
        "travel",
        "passenger",
        {"passenger": id},
        {name: plain(value) for name, value in fields.items()},
        do("keep", passenger=id),
    )


TRAVEL.holds(
    "passengers",
    create=lambda v, fields: passenger_way("", fields),
    update=lambda v, key, fields: passenger_way(key, fields),
    remove=lambda v, key: Need("travel", "remove", {"passenger": key}, commit=do("remove", passenger=key)),
    defaults={"phone": "", "type": "adult"},
)


@TRAVEL.screen("me")
def me(v: View) -> Page:
    mine, count = v.data["passengers"]["me"], len(v.data["passengers"])
    return Page(
        v.t("Me", "我的"),
        [
            w.banner(
                mine["name"],
                v.t("Silver member · 12,480 km this year", "白银会员 · 今年已出行12480公里"),
                emoji="🧳",
                tint="#0f8b8d",
            ),
            w.section(
                v.t("Travelling", "出行"),
                [
                    w.cell(v.t("Travellers", "常用旅客"), "", str(count), icon="users", tap=go("passengers")),
                    w.entry(v.t("Home city", "常驻城市"), v.data["home"], go("home-city"), icon="map-pin"),
                    w.switch(
                        v.t("Trip alerts", "行程提醒"),
                        v.data["alerts"],
                        do("alerts", on=not v.data["alerts"]),
                        v.t("Gate changes and delays", "登机口变更与延误通知"),
                        icon="bell",
                    ),
                ],
            ),
            w.section(
                v.t("Help", "帮助"),
                [w.cell(v.t("Refunds and changes", "退改规则"), icon="circle-help", tap=go("rules"))],
            ),
        ],
        tabs=tabs(v, "me"),
    )


@TRAVEL.screen("home-city", style="sheet")
def home_city(v: View) -> Page:
    rows = [w.choice(name, name == v.data["home"], do("home", city=name)) for name in CITIES[v.language]]
    return Page(v.t("Home city", "常驻城市"), rows)


@TRAVEL.screen("rules")
def rules(v: View) -> Page:
    return Page(
        v.t("Refund rules", "退改规则"),
        [
            w.text(v.t("Refunds", "退订"), "title"),
            w.text(
                v.t(
                    "Trains, flights and hotels can be given back until the day of travel. A fee of 5% is kept.",
                    "火车票、机票和酒店在出行当天之前均可退订，收取5%手续费。",
                )
            ),
            w.text(v.t("Changes", "改签"), "title"),
            w.text(
                v.t(
                    "The date can be changed as often as you like, within the next 60 days, free of charge.",
                    "可免费改签至60天内的任意日期，次数不限。",
                )
            ),
            w.text(v.t("Travellers", "旅客"), "title"),
            w.text(
                v.t(
                    "The name on a ticket cannot be changed after it has been paid for.",
                    "支付成功后，票面旅客不可更改。",
                )
            ),
        ],
    )


@TRAVEL.command("alerts")
def set_alerts(h: CommandContext, on: bool) -> None:
    h.data["alerts"] = on


@TRAVEL.command("home")
def set_home(h: CommandContext, city: str) -> None:
    h.data["home"] = city
    h.then(back())


TRAVEL.value("alerts", lambda v, wanted: Need("travel", "me", commit=do("alerts", on=wanted)))
TRAVEL.value("home", lambda v, wanted: Need("travel", "home-city", commit=do("home", city=wanted)))
