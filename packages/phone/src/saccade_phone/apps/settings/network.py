"""Settings: Wi-Fi, Bluetooth, hotspot, mobile network; and the app's declaration with shared helpers."""

from __future__ import annotations

from saccade_phone import widgets as w
from saccade_phone.app import App, CommandContext, View
from saccade_phone.apps.launcher import all_apps
from saccade_phone.apps.settings.content import BANDS, CHOICES, FLIPS, seed
from saccade_phone.goal_changes import Fields, Need, Way
from saccade_phone.widgets import Op, Page, Widget, back, do, go, put

SETTINGS = App("settings", "Settings", "设置", "settings", "#5f6b7a", "f7-ios")
SETTINGS.seed(seed)
SETTINGS.forgets("searches", "scans")
SHORTEST = 8
"""A hotspot's password must have so many characters."""


def flip(v: View, name: str, sub: str = "", icon: str = "") -> Widget:
    """The switch of a setting."""
    return w.switch(v.t(*FLIPS[name][:2]), v.data[name], do("set", name=name, value=not v.data[name]), sub, icon=icon)


def chooser(v: View, name: str) -> Widget:
    """The row of a setting with a sheet to choose from."""
    en, zh, _, choices = CHOICES[name]
    now = next(v.t(*words) for value, *words in choices if value == v.data[name])
    return w.cell(v.t(en, zh), value=now, tap=go("choose", setting=name))


def on_off(v: View, on: bool) -> str:
    return v.t("On", "已开启") if on else v.t("Off", "已关闭")


def linked(v: View, on: bool) -> str:
    return v.t("Connected", "已连接") if on else v.t("Not connected", "未连接")


def size_text(mb: int) -> str:
    return f"{mb / 1000:.1f} GB" if mb >= 1000 else f"{mb} MB"


def sure(v: View, title: str, words: str, label: str, command: Op) -> Page:
    """A dialog that asks before something goes."""
    no, yes = w.button(v.t("Cancel", "取消"), back(), style="plain"), w.button(label, command, style="danger")
    return Page(title, [w.text(words)], foot=[no, yes])


# -- Wi-Fi ------------------------------------------------------------------------------------------------------------


def network_line(v: View, id: str) -> Widget:
    net = v.data["networks"][id]
    locked = v.t("Secured", "加密") if net["secured"] else v.t("Open", "开放")
    strength = v.t("weak signal", "信号弱")
    if net["signal"] > 35:
        strength = v.t("strong signal", "信号强") if net["signal"] > 60 else v.t("fair signal", "信号中等")
    joinable = net["secured"] and not net["known"]
    return w.cell(
        net["name"],
        v.t(f"{locked}, {strength}", f"{locked}，{strength}"),
        linked(v, True) if net["connected"] and v.data["wifi"] else "",
        icon="lock" if joinable else "wifi",
        tap=go("join" if joinable else "network", network=id),
    )


@SETTINGS.screen("wifi")
def wifi(v: View) -> Page:
    nets, on = v.data["networks"], v.data["wifi"]
    saved = sorted((id for id, net in nets.items() if net["known"]), key=lambda each: not nets[each]["connected"])
    others = [id for id, net in nets.items() if not net["known"]]
    near = v.t("Nearby", "附近的网络") if on else v.t("Seen earlier", "曾经发现的网络")
    body = [
        w.section("", [flip(v, "wifi"), flip(v, "wifi_notice")]),
        w.section(v.t("Saved", "已保存的网络"), [network_line(v, id) for id in saved]),
        w.section(near, [network_line(v, id) for id in others]),
    ]
    return Page(v.t("Wi-Fi", "无线网络"), body, pull=do("scan") if on else None)


@SETTINGS.screen("join", style="sheet", form=lambda v: {"password": ""})
def join(v: View) -> Page:
    command = do("join", **v.args)
    words = w.text(v.t("This network is secured.", "该网络已加密，请输入密码。"), "quiet")
    secret = w.field("password", v.form["password"], v.t("Password", "密码"), style="password", submit=command)
    title = v.data["networks"][v.args["network"]]["name"]
    return Page(title, [words, secret], foot=[w.button(v.t("Join", "加入"), command)])


@SETTINGS.screen("network")
def network(v: View) -> Page:
    id = v.args["network"]
    net = v.data["networks"][id]
    facts = [
        w.cell(v.t("Status", "状态"), value=linked(v, net["connected"])),
        w.cell(v.t("Security", "安全性"), value="WPA3" if net["secured"] else v.t("None", "无")),
        w.cell(v.t("Frequency", "频段"), value=BANDS[net["band"]]),
    ]
    word = v.t("Disconnect", "断开连接") if net["connected"] else v.t("Connect", "连接")
    foot = [w.button(word, do("connect", network=id, on=not net["connected"]))]
    if net["known"]:
        facts.append(w.cell(v.t("IP address", "IP地址"), value=net["address"]))
        facts.append(w.cell(v.t("Router", "路由器"), value=net["router"]))
        foot.insert(0, w.button(v.t("Forget", "忘记网络"), go("forget", network=id), style="danger"))
    signal = w.progress(net["signal"] / 100, v.t("Signal", "信号强度"), f"{net['signal']}%")
    return Page(net["name"], [w.section("", [signal]), w.section("", facts)], foot=[w.row(foot)])


@SETTINGS.screen("forget", style="dialog")
def forget(v: View) -> Page:
    name = v.data["networks"][v.args["network"]]["name"]
    words = v.t(f"The password of “{name}” will be lost.", f"“{name}”的密码将被清除。")
    return sure(v, v.t("Forget network?", "忘记网络？"), words, v.t("Forget", "忘记"), do("forget", **v.args))


@SETTINGS.command("scan")
def scan(h: CommandContext) -> None:
    h.data["scans"] += 1
    h.toast("Networks are up to date", "网络列表已更新")


def use_network(h: CommandContext, network: str) -> None:
    """Only one at a time, or none."""
    h.data["network"] = network
    for id, net in h.data["networks"].items():
        net["connected"] = id == network


def attach(h: CommandContext, network: str) -> None:
    use_network(h, network)
    net = h.data["networks"][network]
    net["known"] = True
    if h.data["wifi"]:
        h.toast(f"Connected to {net['name']}", f"已连接到{net['name']}")
    else:
        h.toast("Saved. Wi-Fi is off", "已保存，无线网络当前关闭")


@SETTINGS.command("join")
def do_join(h: CommandContext, network: str) -> None:
    if h.form["password"].strip() != h.data["networks"][network]["password"]:
        h.toast("Wrong password", "密码错误")
        return
    attach(h, network)
    h.then(back())


@SETTINGS.command("connect")
def do_connect(h: CommandContext, network: str, on: bool) -> None:
    if on:
        attach(h, network)
    else:
        use_network(h, "")
        h.toast("Disconnected", "已断开连接")


@SETTINGS.command("forget")
def do_forget(h: CommandContext, network: str) -> None:
    h.data["networks"][network]["known"] = False
    if h.data["network"] == network:
        use_network(h, "")
    h.toast("Network forgotten", "已忘记该网络")
    h.then(back(), back())


def network_way(v: View, wanted: str) -> Way:
    """The network in use, or none."""
    now = v.data["network"]
    if not wanted:
        return Need("settings", "network", {"network": now}, commit=do("connect", network=now, on=False))
    net = v.data["networks"][wanted]
    if net["secured"] and not net["known"]:
        return Need("settings", "join", {"network": wanted}, {"password": net["password"]}, do("join", network=wanted))
    return Need("settings", "network", {"network": wanted}, commit=do("connect", network=wanted, on=True))


def update_network(v: View, id: str, fields: Fields) -> Way:
    """Only what joining, leaving and forgetting do can be changed."""
    if fields.get("known") is False and v.data["networks"][id]["known"]:
        return Need("settings", "forget", {"network": id}, commit=do("forget", network=id))
    return network_way(v, "" if fields.get("connected") is False else id)


SETTINGS.value("network", network_way)
SETTINGS.holds("networks", update=update_network, volatile=("connected",))
"""The connected network counts once, as `network`: else leaving the old one would count as a second change."""


# -- Bluetooth --------------------------------------------------------------------------------------------------------


@SETTINGS.screen("bluetooth")
def bluetooth(v: View) -> Page:
    devices, on = v.data["devices"], v.data["bluetooth"]
    paired = [
        w.cell(
            it["name"],
            value=linked(v, True) if it["connected"] and on else "",
            icon=it["icon"],
            tap=go("device", device=id),
        )
        for id, it in devices.items()
        if it["paired"]
    ]
    new = [
        w.cell(it["name"], value=v.t("Pair", "配对"), icon=it["icon"], tap=do("pair", device=id))
        for id, it in devices.items()
        if not it["paired"]
    ]
    name = v.data["device_name"]
    near = v.t("Nearby devices", "附近的设备") if on else v.t("Seen earlier", "曾经发现的设备")
    body = [
        w.section("", [flip(v, "bluetooth", v.t(f"Visible as “{name}”", f"其他设备看到的名称：{name}"))]),
        w.section(v.t("My devices", "我的设备"), paired),
        w.section(near, new),
    ]
    return Page(v.t("Bluetooth", "蓝牙"), body)


@SETTINGS.screen("device")
def device(v: View) -> Page:
    id = v.args["device"]
    it = v.data["devices"][id]
    level = w.progress(it["battery"] / 100, v.t("Battery", "设备电量"), f"{it['battery']}%")
    facts = [w.cell(it["name"], icon=it["icon"], value=linked(v, it["connected"])), level]
    word = v.t("Disconnect", "断开连接") if it["connected"] else v.t("Connect", "连接")
    foot = [
        w.button(v.t("Unpair", "解除配对"), go("unpair", device=id), style="danger"),
        w.button(word, do("link", device=id, on=not it["connected"])),
    ]
    return Page(v.t("Device", "设备详情"), [w.section("", facts)], foot=[w.row(foot)])


@SETTINGS.screen("unpair", style="dialog")
def unpair(v: View) -> Page:
    name = v.data["devices"][v.args["device"]]["name"]
    words = v.t(f"“{name}” will have to be paired again.", f"下次使用“{name}”需要重新配对。")
    return sure(v, v.t("Unpair device?", "解除配对？"), words, v.t("Unpair", "解除配对"), do("unpair", **v.args))


@SETTINGS.command("pair")
def pair(h: CommandContext, device: str) -> None:
    it = h.data["devices"][device]
    it.update(paired=True, connected=True)
    if h.data["bluetooth"]:
        h.toast(f"Paired with {it['name']}", f"已与{it['name']}配对")
    else:
        h.toast("Saved. Bluetooth is off", "已保存，蓝牙当前关闭")


@SETTINGS.command("link")
def link(h: CommandContext, device: str, on: bool) -> None:
    h.data["devices"][device]["connected"] = on


@SETTINGS.command("unpair")
def do_unpair(h: CommandContext, device: str) -> None:
    h.data["devices"][device].update(paired=False, connected=False)
    h.toast("Device unpaired", "已解除配对")
    h.then(back(), back())


def update_device(v: View, id: str, fields: Fields) -> Way:
    if fields.get("paired") is False:
        return Need("settings", "unpair", {"device": id}, commit=do("unpair", device=id))
    if not v.data["devices"][id]["paired"]:
        return Need("settings", "bluetooth", commit=do("pair", device=id))
    return Need("settings", "device", {"device": id}, commit=do("link", device=id, on=fields["connected"]))


SETTINGS.holds("devices", update=update_device)


# -- hotspot and mobile network ---------------------------------------------------------------------------------------


@SETTINGS.screen("hotspot", form=lambda v: dict(v.data["hotspot_setup"]))
def hotspot(v: View) -> Page:
    form = v.form
    bands = w.segments([w.chip(words, put("band", band), form["band"] == band) for band, words in BANDS.items()])
    secret = v.t("8 characters or more", "至少8个字符")
    fields = [
        w.field("name", form["name"], v.t("Hotspot name", "热点名称"), label=v.t("Name", "名称")),
        w.field("password", form["password"], secret, label=v.t("Password", "密码")),
    ]
    body = [
        w.section("", [flip(v, "hotspot", v.t("Share mobile data with other devices", "将移动数据共享给其他设备"))]),
        w.section(v.t("Network", "热点设置"), fields),
        w.section(v.t("Frequency", "频段"), [bands]),
    ]
    return Page(v.t("Hotspot", "个人热点"), body, foot=[w.button(v.t("Save", "保存"), do("save-hotspot"))])


@SETTINGS.command("save-hotspot")
def save_hotspot(h: CommandContext) -> None:
    name, password = h.form["name"].strip(), h.form["password"].strip()
    if not name or len(password) < SHORTEST:
        h.toast("Enter a name and 8 characters or more", "请填写名称和至少8位的密码")
        return
    h.data["hotspot_setup"] = {"name": name, "password": password, "band": h.form["band"]}
    h.toast("Hotspot saved", "热点设置已保存")


SETTINGS.value("hotspot_setup", lambda v, wanted: Need("settings", "hotspot", values=wanted, commit=do("save-hotspot")))


@SETTINGS.screen("mobile")
def mobile(v: View) -> Page:
    use = {app: each["data"] for app, each in v.data["usage"].items()}
    total, limit, apps = size_text(sum(use.values())), v.data["data_limit"], all_apps()
    of = v.t(f"of {limit} GB", f"共{limit} GB") if limit else v.t("No limit", "不限量")
    bar = w.progress(min(1.0, sum(use.values()) / 1000 / (limit or 100)), v.t(f"{total} used", f"已用{total}"), of)
    rows = [
        w.cell(apps[app].name(v.language), value=size_text(mb), icon=apps[app].icon, tint=apps[app].tint)
        for app, mb in sorted(use.items(), key=lambda item: -item[1])
    ]
    flips = [flip(v, "mobile_data"), flip(v, "roaming"), flip(v, "data_saver"), chooser(v, "data_limit")]
    card = w.banner(v.data["about"]["carrier"], v.data["about"]["number"], emoji="📶", tint="#34a853")
    body = [card, w.section("", flips), w.section(v.t("This month", "本月流量"), [bar, *rows])]
    return Page(v.t("Mobile network", "移动网络"), body)
