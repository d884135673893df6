"""Settings: battery, screen time, storage and permissions of apps, and fingerprints."""

from __future__ import annotations

from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, View
from saccade_phone.apps.launcher import all_apps
from saccade_phone.apps.settings.content import KINDS, LIMITS
from saccade_phone.apps.settings.network import SETTINGS, chooser, flip, size_text, sure
from saccade_phone.goal_changes import Fields, Need, Way, plain
from saccade_phone.widgets import Page, Widget, back, do, go, put


def app_line(v: View, app: str, value: str, sub: str = "") -> Widget:
    it = all_apps()[app]
    return w.cell(it.name(v.language), sub, value, icon=it.icon, tint=it.tint)


def minutes_text(v: View, minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    parts = [v.t(f"{hours} h", f"{hours}小时")] if hours else []
    return v.t(" ", "").join(parts + ([v.t(f"{rest} min", f"{rest}分钟")] if rest or not hours else []))


# -- battery, screen time, apps ---------------------------------------------------------------------------------------


@SETTINGS.screen("battery")
def battery(v: View) -> Page:
    level = v.state["battery"]
    use = sorted(v.data["usage"].items(), key=lambda item: -item[1]["battery"])
    rows = [
        app_line(v, app, f"{each['battery']}%", v.t("On screen ", "亮屏") + minutes_text(v, each["minutes"]))
        for app, each in use
    ]
    left = minutes_text(v, level * 13)
    body = [
        w.banner(f"{level}%", v.t(f"About {left} left", f"预计还可使用{left}"), emoji="🔋", tint="#34a853"),
        w.section(
            "",
            [flip(v, "battery_saver"), flip(v, "charge_limit", v.t("Makes the battery last longer", "延长电池寿命"))],
        ),
        w.section(v.t("Use since the last full charge", "上次充满后的耗电"), rows),
    ]
    return Page(v.t("Battery", "电池"), body)


@SETTINGS.screen("limits")
def limits(v: View) -> Page:
    use = sorted(v.data["usage"].items(), key=lambda item: -item[1]["minutes"])
    rows = []
    for app, each in use:
        limit = v.data["limits"].get(app)
        sub = v.t("Limit: ", "时限：") + minutes_text(v, limit["minutes"]) if limit else v.t("No limit", "未设时限")
        line = app_line(v, app, minutes_text(v, each["minutes"]), sub)
        line.tap = go("limit", program=app)
        rows.append(line)
    total = minutes_text(v, sum(each["minutes"] for _, each in use))
    head = w.banner(total, v.t("Screen time today", "今日屏幕使用时间"), emoji="⏳", tint="#8e4ec6")
    return Page(
        v.t("Screen time", "屏幕使用时间"),
        [head, w.section(v.t("Tap an app to set a limit", "点按应用设置时限"), rows)],
    )


def limit_form(v: View) -> dict[str, Any]:
    limit = v.data["limits"].get(v.args["program"])
    return {"minutes": limit["minutes"] if limit else 60}


@SETTINGS.screen("limit", style="sheet", form=limit_form)
def limit(v: View) -> Page:
    app, now = v.args["program"], v.form["minutes"]
    words = w.text(v.t("How long may it be used each day?", "每天可以使用多久？"), "quiet")
    options = w.chips([w.chip(minutes_text(v, each), put("minutes", each), each == now) for each in LIMITS])
    foot = [w.button(v.t("Save limit", "保存时限"), do("save-limit", app=app))]
    if app in v.data["limits"]:
        foot.insert(0, w.button(v.t("Remove limit", "取消时限"), do("drop-limit", app=app), style="plain"))
    return Page(all_apps()[app].name(v.language), [words, options], foot=[w.row(foot)])


@SETTINGS.command("save-limit")
def save_limit(h: CommandContext, app: str) -> None:
    h.data["limits"][app] = {"app": app, "minutes": h.form["minutes"]}
    h.toast("Limit saved", "时限已保存")
    h.then(back())


@SETTINGS.command("drop-limit")
def drop_limit(h: CommandContext, app: str) -> None:
    del h.data["limits"][app]
    h.toast("Limit removed", "已取消时限")
    h.then(back())


def limit_way(app: str, fields: Fields) -> Need:
    return Need("settings", "limit", {"program": app}, {"minutes": fields["minutes"]}, do("save-limit", app=app))


SETTINGS.holds(
    "limits",
    create=lambda v, fields: limit_way(fields["app"], fields),
    update=lambda v, app, fields: limit_way(app, fields),
    remove=lambda v, app: Need("settings", "limit", {"program": app}, commit=do("drop-limit", app=app)),
)


@SETTINGS.screen("apps", form=lambda v: {"order": "name"})
def apps(v: View) -> Page:
    order, names = v.form["order"], {app: it.name(v.language) for app, it in all_apps().items()}
    size = {app: each["size"] + each["cache"] for app, each in v.data["storage"].items()}
    rows = []
    for app in sorted(size, key=lambda app: (-size[app] if order == "size" else 0, names[app])):
        rows.append(app_line(v, app, size_text(size[app])))
        rows[-1].tap = go("app", program=app)
    words = (("name", "By name", "按名称"), ("size", "By size", "按大小"))
    head = w.segments([w.chip(v.t(en, zh), put("order", each), order == each) for each, en, zh in words])
    used = sum(size.values()) / 1000 + 31
    bar = w.progress(used / 128, v.t(f"{used:.1f} GB used", f"已用{used:.1f} GB"), "128 GB")
    return Page(v.t("Apps & storage", "应用与存储"), [w.section("", [bar]), w.section("", rows)], head=[head])


def right(v: View, id: str, words: str, icon: str) -> Widget:
    """The switch of a permission."""
    allowed = v.data["permissions"][id]["allowed"]
    return w.switch(words, allowed, do("allow", permission=id, on=not allowed), icon=icon)


@SETTINGS.screen("app")
def app(v: View) -> Page:
    id = v.args["program"]
    it, stored = all_apps()[id], v.data["storage"][id]
    rights = [right(v, f"{id}.{kind}", v.t(en, zh), icon) for kind, (en, zh, icon) in KINDS.items()]
    space = [
        w.cell(v.t("App", "应用"), value=size_text(stored["size"])),
        w.cell(v.t("Cache", "缓存"), value=size_text(stored["cache"])),
    ]
    limit = v.data["limits"].get(id)
    time = minutes_text(v, limit["minutes"]) if limit else v.t("None", "未设置")
    body = [
        w.section(
            "",
            [app_line(v, id, v.t(f"Version {len(id)}.{stored['size'] % 9}", f"版本 {len(id)}.{stored['size'] % 9}"))],
        ),
        w.section(v.t("Permissions", "权限"), rights),
        w.section(v.t("Storage", "存储空间"), space),
        w.section(
            "", [w.cell(v.t("Daily limit", "每日时限"), value=time, icon="hourglass", tap=go("limit", program=id))]
        ),
    ]
    clear = w.button(v.t("Clear cache", "清除缓存"), go("clear", program=id), style="plain", icon="trash-2")
    return Page(it.name(v.language), [*body, clear] if stored["cache"] else body)


@SETTINGS.screen("clear", style="dialog")
def clear(v: View) -> Page:
    id = v.args["program"]
    name, cache = all_apps()[id].name(v.language), size_text(v.data["storage"][id]["cache"])
    words = v.t(
        f"{cache} of {name} will be deleted. This cannot be undone.", f"将删除“{name}”的{cache}缓存，无法恢复。"
    )
    return sure(v, v.t("Clear cache?", "清除缓存？"), words, v.t("Clear", "清除"), do("clear", app=id))


@SETTINGS.command("clear")
def do_clear(h: CommandContext, app: str) -> None:
    h.data["storage"][app]["cache"] = 0
    h.toast("Cache cleared", "缓存已清除")
    h.then(back())


@SETTINGS.command("allow")
def allow(h: CommandContext, permission: str, on: bool) -> None:
    h.data["permissions"][permission]["allowed"] = on


def clear_way(v: View, id: str, fields: Fields) -> Way:
    """A cache can be emptied, not filled."""
    if fields != {"cache": 0}:
        return None
    return Need("settings", "clear", {"program": id}, commit=do("clear", app=id))


def allow_way(v: View, id: str, fields: Fields) -> Way:
    """On the app's own page, or on the permission's: whichever is open."""
    app, _, kind = id.partition(".")
    commit = do("allow", permission=id, on=fields["allowed"])
    shown = v.state["nav"]["stacks"].get("settings", [{}])[-1]
    if shown.get("screen") == "kind" and shown["args"] == {"kind": kind}:
        return Need("settings", "kind", {"kind": kind}, commit=commit)
    return Need("settings", "app", {"program": app}, commit=commit)


SETTINGS.holds("storage", update=clear_way)
SETTINGS.holds("permissions", update=allow_way)


# -- privacy and security ---------------------------------------------------------------------------------------------


@SETTINGS.screen("privacy")
def privacy(v: View) -> Page:
    rights, rows = v.data["permissions"], []
    for kind, (en, zh, icon) in KINDS.items():
        given = [each["allowed"] for id, each in rights.items() if id.endswith(f".{kind}")]
        sub = v.t(f"{sum(given)} of {len(given)} apps allowed", f"{len(given)}个应用中有{sum(given)}个已允许")
        rows.append(w.cell(v.t(en, zh), sub, icon=icon, tap=go("kind", kind=kind)))
    body = [
        w.section("", [flip(v, "location", v.t("For all apps and the system", "对所有应用和系统生效"))]),
        w.section(v.t("Permissions", "权限管理"), rows),
        w.section("", [flip(v, "clipboard", v.t("Says when an app reads the clipboard", "应用读取剪贴板时提醒"))]),
    ]
    return Page(v.t("Privacy", "隐私与权限"), body)


@SETTINGS.screen("kind")
def kind(v: View) -> Page:
    which = v.args["kind"]
    rows = [right(v, f"{id}.{which}", it.name(v.language), it.icon) for id, it in all_apps().items()]
    return Page(v.t(*KINDS[which][:2]), [w.section(v.t("Apps that may use it", "允许使用的应用"), rows)])


@SETTINGS.screen("security")
def security(v: View) -> Page:
    prints = [
        w.cell(each["name"], icon="fingerprint", tap=go("finger", finger=id))
        for id, each in v.data["fingerprints"].items()
    ]
    add = w.cell(v.t("Add fingerprint", "添加指纹"), icon="plus", tap=go("finger", finger=""))
    body = [
        w.section(v.t("Screen lock", "锁屏"), [chooser(v, "auto_lock"), chooser(v, "lock_notices")]),
        w.section(v.t("Fingerprints", "指纹"), [*prints, add]),
    ]
    return Page(v.t("Lock & security", "锁屏与安全"), body)


def finger_form(v: View) -> dict[str, Any]:
    return {"name": v.data["fingerprints"].get(v.args["finger"], {"name": ""})["name"]}


@SETTINGS.screen("finger", form=finger_form)
def finger(v: View) -> Page:
    id = v.args["finger"]
    name = w.field(
        "name", v.form["name"], v.t("Such as: left ring finger", "例如：左手无名指"), label=v.t("Name", "名称")
    )
    foot = [w.button(v.t("Save", "保存"), do("save-finger", finger=id))]
    if id:
        foot.insert(0, w.button(v.t("Delete", "删除"), go("drop-finger", finger=id), style="danger"))
    words = v.t("Rest the finger on the sensor, then save.", "将手指放在传感器上，然后保存。")
    body = [w.picture("👆", "#34a853"), w.section("", [name]), w.text(words, "quiet")]
    return Page(v.t("Fingerprint", "编辑指纹") if id else v.t("New fingerprint", "添加指纹"), body, foot=[w.row(foot)])


@SETTINGS.screen("drop-finger", style="dialog")
def drop_finger(v: View) -> Page:
    name = v.data["fingerprints"][v.args["finger"]]["name"]
    words = v.t(f"“{name}” will no longer unlock the phone.", f"“{name}”将不能再解锁手机。")
    return sure(v, v.t("Delete fingerprint?", "删除指纹？"), words, v.t("Delete", "删除"), do("drop-finger", **v.args))


@SETTINGS.command("save-finger")
def save_finger(h: CommandContext, finger: str) -> None:
    name = h.form["name"].strip()
    others = [each["name"] for id, each in h.data["fingerprints"].items() if id != finger]
    if not name or name in others:
        h.toast("Enter a name of its own", "请输入不重复的名称")
        return
    h.data["fingerprints"][finger or h.new_id("f")] = {"name": name}
    h.toast("Fingerprint saved", "指纹已保存")
    h.then(back())


@SETTINGS.command("drop-finger")
def do_drop_finger(h: CommandContext, finger: str) -> None:
    del h.data["fingerprints"][finger]
    h.toast("Fingerprint deleted", "指纹已删除")
    h.then(back(), back())


def finger_way(id: str, fields: Fields) -> Need:
    values = {"name": plain(fields["name"])}
    return Need("settings", "finger", {"finger": id}, values, do("save-finger", finger=id))


SETTINGS.holds(
    "fingerprints",
    create=lambda v, fields: finger_way("", fields),
    update=lambda v, finger, fields: finger_way(finger, fields),
    remove=lambda v, each: Need("settings", "drop-finger", {"finger": each}, commit=do("drop-finger", finger=each)),
)
