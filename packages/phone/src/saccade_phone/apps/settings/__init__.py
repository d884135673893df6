"""Settings: home, search, sound, display, keyboards, about. Networks and apps are in `network` and `apps`."""

from __future__ import annotations

from typing import Any

from saccade_phone import widgets as w
from saccade_phone.app import CommandContext, ValueWay, View
from saccade_phone.apps.patterns import remember
from saccade_phone.apps.settings import apps  # noqa: F401  (its screens are part of this app)
from saccade_phone.apps.settings.content import (
    CHOICES,
    FLIPS,
    INDEX,
    KEYBOARDS,
    LEVELS,
    LOUDEST,
    RINGTONES,
    TIMES,
    VOLUMES,
    WALLPAPERS,
)
from saccade_phone.apps.settings.network import SETTINGS, chooser, flip, on_off
from saccade_phone.goal_changes import Need, Way, plain
from saccade_phone.widgets import Page, Widget, back, do, go, pick, put

ROWS = (
    (
        ("sound", "Sound", "声音与振动", "volume-2", "#e5484d"),
        ("quiet", "Do Not Disturb", "勿扰模式", "moon", "#5b5bd6"),
        ("display", "Display", "显示与亮度", "sun", "#f5a524"),
        ("wallpapers", "Wallpaper", "壁纸", "image", "#0ea5b7"),
    ),
    (
        ("battery", "Battery", "电池", "battery-full", "#34a853"),
        ("limits", "Screen time", "屏幕使用时间", "hourglass", "#8e4ec6"),
        ("apps", "Apps & storage", "应用与存储", "layout-grid", "#f76b15"),
    ),
    (
        ("privacy", "Privacy", "隐私与权限", "shield", "#2f80ed"),
        ("security", "Lock & security", "锁屏与安全", "fingerprint", "#34a853"),
        ("keyboards", "Keyboards", "键盘与输入法", "keyboard", "#8b8d98"),
        ("about", "About phone", "关于手机", "info", "#8b8d98"),
    ),
)
"""The home screen below the radios."""


@SETTINGS.screen("home")
def home(v: View) -> Page:
    data = v.data
    joined = [net["name"] for net in data["networks"].values() if net["connected"] and data["wifi"]]
    wireless = joined[0] if joined else on_off(v, data["wifi"])
    state = {
        "quiet": on_off(v, data["dnd"]),
        "wallpapers": v.t(*WALLPAPERS[data["wallpaper"]][:2]),
        "battery": f"{v.state['battery']}%",
    }
    me = w.cell(
        data["device_name"],
        v.t("Account, backup, find my phone", "账号、备份与查找手机"),
        emoji="📱",
        tap=go("account"),
    )

    def line(screen: str, en: str, zh: str, icon: str, tint: str, value: str = "") -> Widget:
        return w.cell(v.t(en, zh), value=value, icon=icon, tint=tint, tap=go(screen))

    radios = [
        flip(v, "airplane", icon="plane"),
        line("wifi", "Wi-Fi", "无线网络", "wifi", "#2f80ed", wireless),
        line("bluetooth", "Bluetooth", "蓝牙", "bluetooth", "#2f80ed", on_off(v, data["bluetooth"])),
        line("mobile", "Mobile network", "移动网络", "signal", "#34a853", data["about"]["carrier"]),
        line("hotspot", "Personal hotspot", "个人热点", "router", "#34a853", on_off(v, data["hotspot"])),
    ]
    rest = [w.section("", [line(*each, value=state.get(each[0], "")) for each in part]) for part in ROWS]
    find = w.icon_button("search", v.t("Search settings", "搜索设置"), go("search"))
    return Page(v.t("Settings", "设置"), [w.section("", [me]), w.section("", radios), *rest], actions=[find])


# -- search -----------------------------------------------------------------------------------------------------------


def found(v: View, query: str) -> list[Widget]:
    wanted = query.strip().casefold()
    hits = [item for item in INDEX if wanted in v.t(*item[:2]).casefold()]
    rows = [w.cell(v.t(en, zh), icon="settings-2", tap=go(screen)) for en, zh, screen in hits]
    words = v.t(f"No settings for “{query}”", f"没有与“{query}”有关的设置")
    return [w.section("", rows)] if rows else [w.empty(words, "🔍")]


@SETTINGS.screen("search", form=lambda v: {"query": ""})
def search(v: View) -> Page:
    query = v.form["query"]
    box = w.field(
        "query", query, v.t("Search settings", "搜索设置项"), style="search", submit=go("results", query=query)
    )
    earlier = w.chips([w.chip(words, go("results", query=words)) for words in v.data["searches"]])
    body = found(v, query) if query.strip() else [w.section(v.t("Recent", "最近搜索"), [earlier])]
    return Page(v.t("Search", "搜索"), body, head=[box])


@SETTINGS.screen("results", opened=lambda h: remember(h, "searches"))
def results(v: View) -> Page:
    return Page(v.t("Results", "搜索结果"), found(v, v.args["query"]))


# -- sound and display ------------------------------------------------------------------------------------------------


@SETTINGS.screen("sound")
def sound(v: View) -> Page:
    def level(name: str) -> Widget:
        now = v.data[name]
        less = do("set", name=name, value=now - 1) if now > 0 else None
        more = do("set", name=name, value=now + 1) if now < LOUDEST else None
        return w.counter(now, less, more, v.t(*VOLUMES[name]))

    tone = w.cell(
        v.t("Phone ringtone", "来电铃声"), value=v.t(*RINGTONES[v.data["ringtone"]]), icon="music", tap=go("ringtones")
    )
    body = [
        w.section(v.t("Volume", "音量"), [level(name) for name in VOLUMES]),
        w.section(v.t("Calls", "来电"), [tone, flip(v, "vibrate")]),
        w.section(v.t("System sounds", "系统提示音"), [flip(v, "key_sounds"), flip(v, "charge_sound")]),
    ]
    return Page(v.t("Sound", "声音与振动"), body)


@SETTINGS.screen("ringtones")
def ringtones(v: View) -> Page:
    now = v.data["ringtone"]
    rows = [w.choice(v.t(*names), id == now, do("set", name="ringtone", value=id)) for id, names in RINGTONES.items()]
    return Page(v.t("Ringtone", "来电铃声"), [w.section("", rows)])


@SETTINGS.screen("quiet", form=lambda v: dict(v.data["quiet_hours"]))
def quiet(v: View) -> Page:
    form = v.form
    rows = [
        w.switch(v.t("Every night", "每晚自动开启"), form["on"], put("on", not form["on"])),
        w.entry(v.t("From", "开始时间"), form["from"], go("times", field="from")),
        w.entry(v.t("To", "结束时间"), form["to"], go("times", field="to")),
    ]
    body = [
        w.section(
            "",
            [flip(v, "dnd", v.t("Calls and notifications stay silent", "来电和通知将静音")), chooser(v, "dnd_calls")],
        ),
        w.section(v.t("Quiet hours", "定时勿扰"), rows),
        w.button(v.t("Save quiet hours", "保存定时设置"), do("save-quiet")),
    ]
    return Page(v.t("Do Not Disturb", "勿扰模式"), body)


@SETTINGS.screen("times", style="sheet")
def times(v: View) -> Page:
    name = v.args["field"]
    return Page(v.t("Time", "选择时间"), [w.chips([w.chip(time, pick(name, time)) for time in TIMES])])


@SETTINGS.screen("display")
def display(v: View) -> Page:
    now = v.data["brightness"]
    levels = [w.chip(f"{level}%", do("set", name="brightness", value=level), level == now) for level in LEVELS]
    bar = w.progress(now / 100, v.t("Dim", "暗"), v.t("Bright", "亮"))
    comfort = [
        flip(v, "night_light", v.t("Warmer colors in the evening", "晚间降低蓝光")),
        flip(v, "always_on"),
        flip(v, "rotate"),
    ]
    paper = w.cell(v.t("Wallpaper", "壁纸"), value=v.t(*WALLPAPERS[v.data["wallpaper"]][:2]), tap=go("wallpapers"))
    body = [
        w.section(v.t("Brightness", "屏幕亮度"), [bar, w.chips(levels), flip(v, "auto_brightness")]),
        w.section(v.t("Comfort", "观感"), comfort),
        w.section("", [paper]),
    ]
    return Page(v.t("Display", "显示与亮度"), body)


@SETTINGS.screen("wallpapers")
def wallpapers(v: View) -> Page:
    tiles = [
        w.tile(
            v.t(en, zh),
            emoji=emoji,
            tint=tint,
            badge="✓" if id == v.data["wallpaper"] else "",
            tap=do("set", name="wallpaper", value=id),
        )
        for id, (en, zh, emoji, tint) in WALLPAPERS.items()
    ]
    return Page(v.t("Wallpaper", "壁纸"), [w.grid(tiles, 3)])


@SETTINGS.screen("choose", style="sheet")
def choose(v: View) -> Page:
    name = v.args["setting"]
    en, zh, _, choices = CHOICES[name]
    rows = [
        w.choice(v.t(*words), value == v.data[name], do("choose", name=name, value=value)) for value, *words in choices
    ]
    return Page(v.t(en, zh), rows)


@SETTINGS.command("set")
def set_value(h: CommandContext, name: str, value: Any) -> None:
    h.data[name] = value


@SETTINGS.command("choose")
def choose_value(h: CommandContext, name: str, value: Any) -> None:
    h.data[name] = value
    h.then(back())


@SETTINGS.command("save-quiet")
def save_quiet(h: CommandContext) -> None:
    h.data["quiet_hours"] = {name: h.form[name] for name in ("on", "from", "to")}
    h.toast("Quiet hours saved", "定时勿扰已保存")


def sets(name: str, screen: str) -> ValueWay:
    """A setting that one touch on its screen gives the wanted value."""
    return lambda v, wanted: Need("settings", screen, commit=do("set", name=name, value=wanted))


def chooses(name: str) -> ValueWay:
    return lambda v, wanted: Need("settings", "choose", {"setting": name}, commit=do("choose", name=name, value=wanted))


def steps(name: str) -> ValueWay:
    """A volume goes one up or down at a time."""

    def way(v: View, wanted: Any) -> Way:
        step = 1 if wanted > v.data[name] else -1
        return Need("settings", "sound", commit=do("set", name=name, value=v.data[name] + step))

    return way


for _name, (_, _, _screen) in FLIPS.items():
    SETTINGS.value(_name, sets(_name, _screen))
for _name in CHOICES:
    SETTINGS.value(_name, chooses(_name))
for _name in VOLUMES:
    SETTINGS.value(_name, steps(_name))
SETTINGS.value("brightness", sets("brightness", "display"))
SETTINGS.value("ringtone", sets("ringtone", "ringtones"))
SETTINGS.value("wallpaper", sets("wallpaper", "wallpapers"))
SETTINGS.value("language_keyboard", sets("language_keyboard", "keyboards"))
SETTINGS.value("quiet_hours", lambda v, wanted: Need("settings", "quiet", values=wanted, commit=do("save-quiet")))


# -- keyboards, account, the phone ------------------------------------------------------------------------------------


@SETTINGS.screen("keyboards")
def keyboards(v: View) -> Page:
    now = v.data["language_keyboard"]
    rows = [
        w.choice(v.t(*names), id == now, do("set", name="language_keyboard", value=id))
        for id, names in KEYBOARDS.items()
    ]
    body = [
        w.section(v.t("Typing", "输入"), [flip(v, "autocorrect"), flip(v, "suggestions")]),
        w.section(v.t("Keyboard in use", "当前键盘"), rows),
    ]
    return Page(v.t("Keyboards", "键盘与输入法"), body)


@SETTINGS.screen("account")
def account(v: View) -> Page:
    about = v.data["about"]
    body = [
        w.banner(v.data["device_name"], about["number"], emoji="☁️", tint="#2f80ed"),
        w.section(v.t("Backup", "备份"), [flip(v, "backup"), chooser(v, "backup_over")]),
        w.section("", [flip(v, "find_phone", v.t("Shows on a map where the phone is", "在地图上显示手机位置"))]),
        w.section(v.t("Cloud storage", "云空间"), [w.progress(about["cloud"] / 50, f"{about['cloud']} GB", "50 GB")]),
    ]
    return Page(v.t("Account", "账号"), body)


@SETTINGS.screen("about")
def about(v: View) -> Page:
    it = v.data["about"]
    facts = (
        ("Model", "型号", it["model"]),
        ("System version", "系统版本", it["version"]),
        ("Security patch", "安全补丁", it["patch"]),
        ("Serial number", "序列号", it["serial"]),
        ("IMEI", "IMEI", it["imei"]),
        ("Phone number", "本机号码", it["number"]),
        ("Carrier", "运营商", it["carrier"]),
    )
    name = w.cell(v.t("Phone name", "手机名称"), value=v.data["device_name"], tap=go("rename"))
    body = [
        w.section("", [name]),
        w.section("", [w.cell(v.t(en, zh), value=value) for en, zh, value in facts]),
        w.button(v.t("Check for updates", "检查更新"), do("check"), style="plain", icon="refresh-cw"),
    ]
    return Page(v.t("About phone", "关于手机"), body)


@SETTINGS.screen("rename", style="dialog", form=lambda v: {"name": v.data["device_name"]})
def rename(v: View) -> Page:
    foot = [w.button(v.t("Cancel", "取消"), back(), style="plain"), w.button(v.t("Save", "保存"), do("rename"))]
    return Page(v.t("Phone name", "手机名称"), [w.field("name", v.form["name"], v.t("Name", "名称"))], foot=foot)


@SETTINGS.command("rename")
def do_rename(h: CommandContext) -> None:
    if not h.form["name"].strip():
        h.toast("Enter a name", "请输入名称")
        return
    h.data["device_name"] = h.form["name"].strip()
    h.then(back())


@SETTINGS.command("check")
def check_updates(h: CommandContext) -> None:
    h.toast("The system is up to date", "系统已是最新版本")


SETTINGS.value(
    "device_name", lambda v, wanted: Need("settings", "rename", values={"name": plain(wanted)}, commit=do("rename"))
)
