"""Tasks in the settings."""

from __future__ import annotations

from saccade_phone.apps.launcher import all_apps
from saccade_phone.apps.settings.content import FLIPS, LEVELS, LIMITS, RINGTONES, TIMES
from saccade_phone.data_files import Words, table
from saccade_phone.goal_changes import Value, added, changed, see
from saccade_phone.tasks.base import Goal, Params, task

EVENINGS = TIMES[38:48]
MORNINGS = TIMES[8:19]
RIGHTS = table("tasks/settings", "rights", dict[str, Words])
HOTSPOTS = table("tasks/settings", "hotspots", tuple[Words, ...])
SECRETS = table("tasks/settings", "secrets", tuple[str, ...])
NO_KEYBOARDS = table("tasks/settings", "no_keyboards", tuple[Words, ...])


@task("settings.toggle")
def toggle(p: Params) -> Goal:
    setting = p.choice(sorted(FLIPS))
    on, name = not p.data("settings")[setting], p.t(*FLIPS[setting][:2])
    return p.goal(
        [Value(f"settings.{setting}", on)],
        en=[
            f"Turn {'on' if on else 'off'} “{name}”",
            f"Switch “{name}” {'on' if on else 'off'} in the settings",
            f"I want “{name}” to be {'on' if on else 'off'} from now on",
            f"Somewhere among the phone's options there is one called “{name}”; see to it that it ends up "
            f"{'enabled' if on else 'disabled'}",
        ],
        zh=[
            f"{'打开' if on else '关闭'}“{name}”",
            f"在设置里把“{name}”{'开启' if on else '关掉'}",
            f"“{name}”我{'要用' if on else '不用'}了，帮我{'打开' if on else '关上'}",
            f"手机的各项选项当中有一个叫“{name}”的开关，请找到它并确保最后是{'启用' if on else '停用'}的",
        ],
    )


@task("settings.brightness")
def brightness(p: Params) -> Goal:
    level = p.choice([level for level in LEVELS if level != p.data("settings")["brightness"]])
    return p.goal(
        [Value("settings.brightness", level)],
        en=[
            f"Set the screen brightness to {level}%",
            f"Brightness to {level}%, please",
            f"Change how bright the display is: {level}%",
            f"My eyes would be happiest if the screen shone at exactly {level}%, so adjust it accordingly",
        ],
        zh=[
            f"把屏幕亮度调到{level}%",
            f"亮度设为{level}%",
            f"将显示亮度改成{level}%",
            f"现在看手机眼睛不太舒服，麻烦进设置把画面的明暗程度调整为{level}%",
        ],
    )


@task("settings.ringtone")
def ringtone(p: Params) -> Goal:
    tone = p.choice([tone for tone in sorted(RINGTONES) if tone != p.data("settings")["ringtone"]])
    name = p.t(*RINGTONES[tone])
    return p.goal(
        [Value("settings.ringtone", tone)],
        en=[
            f"Change the ringtone to “{name}”",
            f"Make “{name}” my phone's ringtone",
            f"Use “{name}” as the sound for incoming calls",
            f"I am tired of what I hear whenever somebody rings me up; replace that melody by “{name}”",
        ],
        zh=[
            f"把来电铃声换成“{name}”",
            f"将手机铃声设为“{name}”",
            f"来电话时我想听“{name}”，改一下铃声",
            f"每次有人打给我响的那段音乐都听腻了，请在声音选项中选用“{name}”这一首",
        ],
    )


@task("settings.join_wifi")
def join_wifi(p: Params) -> Goal:
    id, net = p.entry("settings.networks", lambda net: net["secured"] and not net["known"])
    name, secret = net["name"], net["password"]
    return p.goal(
        [changed("settings.networks", id, known=True, connected=True), Value("settings.network", id)],
        en=[
            f"Connect to the Wi-Fi network “{name}” with the password {secret}",
            f"Join the Wi-Fi “{name}”, its password is {secret}",
            f"Get the phone onto “{name}” over Wi-Fi; password: {secret}",
            f"I am sitting in a place whose wireless is called “{name}”, and the note on the table says {secret}: "
            f"take me online with that",
        ],
        zh=[
            f"连接名为“{name}”的无线网络，密码是{secret}",
            f"加入WiFi“{name}”，密码：{secret}",
            f"让手机连上“{name}”这个无线网，密码{secret}",
            f"我所在的地方有个叫“{name}”的WiFi，墙上贴的口令为{secret}，请用它帮手机上网",
        ],
    )


@task("settings.permission")
def permission(p: Params) -> Goal:
    id, right = p.entry("settings.permissions")
    app, _, kind = id.partition(".")
    name, verb = all_apps()[app].name(p.language), p.t(*RIGHTS[kind])
    on = not right["allowed"]
    return p.goal(
        [changed("settings.permissions", id, allowed=on)],
        en=[
            f"{'Allow' if on else 'Do not allow'} the app {name} to {verb}",
            f"The app {name} should {'be able to' if on else 'not be able to'} {verb}",
            f"{'Let' if on else 'Stop letting'} {name} {verb}",
            f"Review what the app called {name} is permitted to do on this phone, and {'grant' if on else 'withdraw'} "
            f"its right to {verb}",
        ],
        zh=[
            f"{'允许' if on else '不允许'}应用“{name}”{verb}",
            f"“{name}”应用{'应该可以' if on else '不应该能'}{verb}，改一下权限",
            f"{'开启' if on else '关闭'}“{name}”{verb}的权限",
            f"请检查“{name}”这个应用在本机上被授予了哪些权利，然后{'给它加上' if on else '收回它'}{verb}这一项",
        ],
    )


@task("settings.hotspot")
def hotspot(p: Params) -> Goal:
    name, secret = p.t(*p.choice(HOTSPOTS)), p.choice(SECRETS)
    setup = {**p.data("settings")["hotspot_setup"], "name": name, "password": secret}
    return p.goal(
        [Value("settings.hotspot_setup", setup)],
        en=[
            f"Name the personal hotspot “{name}” and give it the password {secret}",
            f"Change my hotspot's name to “{name}” and its password to {secret}",
            f"In the hotspot's settings, enter the name “{name}” and the password {secret}",
            f"When friends borrow my connection they should see “{name}” and type {secret} to get in; store that "
            f"for sharing, and leave the hotspot's switch as it is",
        ],
        zh=[
            f"把个人热点的名称改为“{name}”，密码改为{secret}",
            f"将热点命名为“{name}”，密码设成{secret}",
            f"在热点设置里把名称填成“{name}”，密码填成{secret}",
            f"朋友借我的流量上网时应当看到“{name}”，并输入{secret}才能连接，请存好这些共享信息，开关不用动",
        ],
    )


@task("settings.quiet_hours")
def quiet_hours(p: Params) -> Goal:
    now = p.data("settings")["quiet_hours"]
    start = p.choice([time for time in EVENINGS if time != now["from"]])
    end = p.choice([time for time in MORNINGS if time != now["to"]])
    return p.goal(
        [Value("settings.quiet_hours", {"on": True, "from": start, "to": end})],
        en=[
            f"Schedule Do Not Disturb for every night from {start} to {end}",
            f"Set quiet hours from {start} to {end} every night",
            f"Have Do Not Disturb start by itself at {start} and end at {end} each night",
            f"I sleep badly because of all that ringing: arrange that the phone falls silent at {start} nightly and "
            f"is only heard again at {end}",
        ],
        zh=[
            f"设置每晚{start}到{end}自动开启勿扰模式",
            f"定时勿扰设为每晚{start}至{end}",
            f"让勿扰模式每天晚上{start}自动开始，{end}结束",
            f"晚上总被消息吵醒，请安排手机夜里从{start}起自动静音，一直保持到早上{end}为止",
        ],
    )


@task("settings.pair_device")
def pair_device(p: Params) -> Goal:
    id, device = p.entry("settings.devices", lambda device: not device["paired"])
    name = device["name"]
    return p.goal(
        [Value("settings.bluetooth", True), changed("settings.devices", id, paired=True, connected=True)],
        en=[
            f"Make sure Bluetooth is on and pair the phone with “{name}”",
            f"Pair “{name}” over Bluetooth (turn Bluetooth on if need be)",
            f"Add “{name}” to my Bluetooth devices, with Bluetooth switched on",
            f"I have just unpacked a gadget that announces itself as “{name}”: get it working wirelessly with this "
            f"phone, and see that the radio for it is not switched off",
        ],
        zh=[
            f"确保蓝牙已打开，并与“{name}”配对",
            f"用蓝牙配对“{name}”，蓝牙没开的话先打开",
            f"打开蓝牙，把“{name}”添加为我的设备",
            f"刚买的“{name}”已经通电了，想让它和手机无线连起来使用，请处理好，别忘了蓝牙得是开着的",
        ],
    )


@task("settings.app_limit", held_out=True)
def app_limit(p: Params) -> Goal:
    limits = p.data("settings")["limits"]
    app = p.choice([app for app in sorted(all_apps()) if app not in limits])
    name, minutes = all_apps()[app].name(p.language), p.choice(LIMITS)
    return p.goal(
        [added("settings.limits", app=app, minutes=minutes)],
        en=[
            f"Limit the app {name} to {minutes} minutes a day",
            f"Set a daily limit of {minutes} minutes for {name}",
            f"I want to use {name} for at most {minutes} minutes per day; set that up",
            f"Too many of my hours vanish in the app {name}; from now on the phone is to cut me off once "
            f"{minutes} minutes of any day are spent there",
        ],
        zh=[
            f"把“{name}”每天的使用时限设为{minutes}分钟",
            f"给“{name}”设置每日{minutes}分钟的时限",
            f"我每天最多用{minutes}分钟“{name}”，帮我设好限制",
            f"我在“{name}”上花掉的时间太多了，请让手机以后每天用满{minutes}分钟就提醒我停下来",
        ],
    )


@task("settings.ask_battery")
def ask_battery(p: Params) -> Goal:
    usage = {app: each["battery"] for app, each in p.data("settings")["usage"].items()}
    app = p.choice(sorted(usage))
    name = all_apps()[app].name(p.language)
    return p.ask(
        f"{usage[app]}%",
        [see("settings", "battery", widget=name)],
        accept=[str(usage[app])],
        decoys=[*(f"{share}%" for share in usage.values()), f"{p.state['battery']}%"],
        en=[
            f"What percentage of the battery has {name} used since the last full charge?",
            f"How many percent of the battery went to the app {name}?",
            f"Tell me the battery share of {name}",
            f"I suspect the app {name} of draining my phone; find out which share of the charge it has eaten so far",
        ],
        zh=[
            f"上次充满电后，“{name}”耗了百分之多少的电？",
            f"“{name}”的耗电占比是多少？",
            f"告诉我“{name}”用掉了多少电量百分比",
            f"最近手机掉电很快，我怀疑是“{name}”造成的，请查一查电池页面里它占了几成并告诉我数字",
        ],
    )


@task("settings.ask_address", held_out=True)
def ask_address(p: Params) -> Goal:
    id, net = p.entry("settings.networks", lambda net: net["known"])
    others = [each["address"] for _, each in p.entries("settings.networks", lambda each: each["known"])]
    return p.ask(
        net["address"],
        [see("settings", "network", network=id)],
        decoys=[*others, net["router"]],
        en=[
            f"What is my IP address in the Wi-Fi network “{net['name']}”?",
            f"Which IP address does the phone have in “{net['name']}”?",
            f"Tell me the IP address for the saved Wi-Fi “{net['name']}”",
            f"A technician wants to know under which IP this phone is known in “{net['name']}”: open the details of "
            f"that saved network and read it out to me",
        ],
        zh=[
            f"手机在无线网络“{net['name']}”中的IP地址是什么？",
            f"“{net['name']}”这个WiFi的IP地址是多少？",
            f"告诉我已保存网络“{net['name']}”的IP地址",
            f"维修师傅要登记本机在“{net['name']}”里用的IP，请打开那个已保存网络的详情，把它念给我听",
        ],
    )


@task("settings.missing_keyboard")
def missing_keyboard(p: Params) -> Goal:
    name = p.t(*p.choice(NO_KEYBOARDS))
    return p.impossible(
        [see("settings", "keyboards")],
        en=[
            f"Switch the keyboard to {name}",
            f"Change my keyboard to the {name} one",
            f"Use the {name} keyboard from now on",
            f"My grandmother only reads {name}, and I would like to write to her properly, so select the layout "
            f"for that language",
        ],
        zh=[
            f"把键盘切换成{name}",
            f"将输入法改为{name}键盘",
            f"以后使用{name}键盘",
            f"我要给一位只懂{name}的长辈写信，请在输入设置里选中对应那种语言的布局",
        ],
    )
