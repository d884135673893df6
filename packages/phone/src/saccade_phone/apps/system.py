"""The phone's own dialogs that interrupt: permission prompts, coupons, update reminders."""

from __future__ import annotations

from saccade_phone.app import App, CommandContext, Data, View
from saccade_phone.apps.launcher import all_apps
from saccade_phone.seeded_random import Draw
from saccade_phone.widgets import Page, back, button, do, picture, text

SYSTEM = App("system", "System", "系统", "smartphone", "#33415c", "f7-ios", home="update")
KINDS = {
    "notifications": ("send you notifications", "发送通知"),
    "location": ("use your location", "获取位置信息"),
    "contacts": ("read your contacts", "读取通讯录"),
    "microphone": ("record audio", "使用麦克风"),
}
HARMLESS = ("deny", "later", "close")
"""Commands that only close a dialog."""


@SYSTEM.seed
def seed(draw: Draw) -> Data:
    return {"updating": False, "version": draw.choice(("7.2.1", "8.0.3", "8.1.0")), "coupons": 0}


@SYSTEM.screen("permission", style="dialog")
def permission(v: View) -> Page:
    app, kind = v.args["app"], v.args["permission"]
    name = all_apps()[app].name(v.language)
    title = v.t(f"Allow {name} to {KINDS[kind][0]}?", f"允许“{name}”{KINDS[kind][1]}吗？")
    return Page(
        title,
        foot=[
            button(v.t("Don't allow", "不允许"), do("deny"), style="plain"),
            button(v.t("Allow", "允许"), do("allow", app=app, permission=kind)),
        ],
    )


@SYSTEM.screen("update", style="dialog")
def update(v: View) -> Page:
    version = v.data["version"]
    words = v.t(
        f"Version {version} brings repairs and takes about 20 minutes.", f"版本{version}修复了一些问题，约需20分钟。"
    )
    return Page(
        v.t("System update", "系统更新"),
        [text(words)],
        foot=[
            button(v.t("Later", "稍后"), do("later"), style="plain"),
            button(v.t("Update now", "立即更新"), do("update")),
        ],
    )


@SYSTEM.screen("coupon", style="dialog")
def coupon(v: View) -> Page:
    worth = v.args["worth"]
    words = v.t(f"${worth} off your next order, today only.", f"今日专享，下单立减{worth}元。")
    return Page(
        v.t("A gift for you", "送你一份好礼"),
        [picture("🎁", "#ffd166"), text(words)],
        foot=[
            button(v.t("Close", "关闭"), do("close"), style="plain"),
            button(v.t("Claim", "领取"), do("claim")),
        ],
    )


@SYSTEM.command("allow")
def allow(h: CommandContext, app: str, permission: str) -> None:
    granted = h.other("settings")["permissions"].get(f"{app}.{permission}")
    if granted is not None:
        granted["allowed"] = True
    h.then(back())


@SYSTEM.command("update")
def start_update(h: CommandContext) -> None:
    h.data["updating"] = True
    h.toast("The update will be installed tonight", "将在今晚安装更新")
    h.then(back())


@SYSTEM.command("claim")
def claim(h: CommandContext) -> None:
    h.data["coupons"] += 1
    h.toast("Coupon claimed", "优惠券已领取")
    h.then(back())


for _name in HARMLESS:
    SYSTEM.command(_name)(lambda h: h.then(back()))

SYSTEM.forgets("coupons")
