"""What there is to set on the phone, and what a seed puts there."""

from __future__ import annotations

from typing import Any

from saccade_phone.app import Data
from saccade_phone.apps.launcher import all_apps
from saccade_phone.draw import Draw

Names = tuple[str, str]

FLIPS = {
    "airplane": ("Airplane mode", "飞行模式", "home"),
    "wifi": ("Wi-Fi", "无线网络", "wifi"),
    "wifi_notice": ("Open network alerts", "开放网络提醒", "wifi"),
    "bluetooth": ("Bluetooth", "蓝牙", "bluetooth"),
    "hotspot": ("Personal hotspot", "个人热点", "hotspot"),
    "mobile_data": ("Mobile data", "移动数据", "mobile"),
    "roaming": ("Data roaming", "数据漫游", "mobile"),
    "data_saver": ("Data saver", "省流量模式", "mobile"),
    "vibrate": ("Vibrate on ring", "响铃时振动", "sound"),
    "key_sounds": ("Keyboard sounds", "按键音", "sound"),
    "charge_sound": ("Charging sound", "充电提示音", "sound"),
    "dnd": ("Do Not Disturb", "勿扰模式", "quiet"),
    "auto_brightness": ("Adaptive brightness", "自动调节亮度", "display"),
    "night_light": ("Night light", "护眼模式", "display"),
    "always_on": ("Always-on display", "息屏显示", "display"),
    "rotate": ("Auto-rotate", "自动旋转", "display"),
    "location": ("Location services", "定位服务", "privacy"),
    "clipboard": ("Clipboard alerts", "剪贴板提醒", "privacy"),
    "battery_saver": ("Battery saver", "省电模式", "battery"),
    "charge_limit": ("Stop charging at 80%", "充电上限80%", "battery"),
    "find_phone": ("Find my phone", "查找手机", "account"),
    "backup": ("Automatic backup", "自动备份", "account"),
    "autocorrect": ("Auto-correction", "自动纠错", "keyboards"),
    "suggestions": ("Word suggestions", "联想词", "keyboards"),
}
"""Switches: their names, and the screen they are on."""

VOLUMES = {
    "volume": ("Media", "媒体音量"),
    "ring_volume": ("Ringtone", "来电音量"),
    "alarm_volume": ("Alarm", "闹钟音量"),
}
LOUDEST = 10
LEVELS = tuple(range(10, 101, 10))

CHOICES: dict[str, tuple[str, str, str, tuple[tuple[Any, str, str], ...]]] = {
    "auto_lock": ("Auto-lock", "自动锁屏", "security", (
        (15, "15 seconds", "15秒"), (30, "30 seconds", "30秒"), (60, "1 minute", "1分钟"), (120, "2 minutes", "2分钟"),
        (300, "5 minutes", "5分钟"), (600, "10 minutes", "10分钟"), (0, "Never", "永不"))),
    "lock_notices": ("On the lock screen", "锁屏通知", "security", (
        ("all", "Show everything", "显示全部内容"), ("hide", "Hide content", "隐藏内容"),
        ("none", "Show nothing", "不显示"))),
    "data_limit": ("Monthly limit", "每月流量上限", "mobile", (
        (5, "5 GB", "5 GB"), (10, "10 GB", "10 GB"), (20, "20 GB", "20 GB"), (40, "40 GB", "40 GB"),
        (80, "80 GB", "80 GB"), (0, "No limit", "不限"))),
    "dnd_calls": ("Calls let through", "允许的来电", "quiet", (
        ("all", "Everyone", "所有人"), ("contacts", "Contacts only", "仅联系人"),
        ("favorites", "Favorites only", "仅常用联系人"), ("none", "Nobody", "都不允许"))),
    "backup_over": ("Back up over", "备份使用的网络", "account", (
        ("wifi", "Wi-Fi only", "仅无线网络"), ("any", "Wi-Fi or mobile data", "无线网络或移动数据"))),
}  # fmt: skip
"""Settings with a sheet to choose from: their names, the screen they are on, and (value, names) of each choice."""

RINGTONES = {
    "meadow": ("Meadow", "原野"), "lantern": ("Lantern", "灯笼"), "harbor": ("Harbor", "海港"),
    "marimba": ("Marimba", "马林巴"), "drizzle": ("Drizzle", "细雨"), "comet": ("Comet", "彗星"),
    "bamboo": ("Bamboo", "竹林"), "carousel": ("Carousel", "旋转木马"), "skylark": ("Skylark", "云雀"),
    "velvet": ("Velvet", "丝绒"), "temple": ("Temple bell", "古寺钟声"), "pixel": ("Pixel pop", "像素跳跃"),
    "sonar": ("Sonar", "声呐"), "jasmine": ("Jasmine", "茉莉花"), "tram": ("Night tram", "夜行电车"),
    "cricket": ("Crickets", "夏夜虫鸣"), "guqin": ("Silk strings", "古琴"), "classic": ("Classic ring", "经典铃声"),
}  # fmt: skip
WALLPAPERS = {
    "dunes": ("Dunes", "沙丘", "🏜️", "#d9a066"), "lake": ("Still lake", "静湖", "🏞️", "#5fa8d3"),
    "peaks": ("Snow peaks", "雪山", "🏔️", "#a9bcd0"), "forest": ("Deep forest", "密林", "🌲", "#3a6b4f"),
    "city": ("City at night", "都市夜景", "🌃", "#31446b"), "blossom": ("Blossom", "樱花", "🌸", "#f2b5c4"),
    "wave": ("Great wave", "巨浪", "🌊", "#2f6690"), "aurora": ("Aurora", "极光", "🌌", "#4c3f77"),
    "autumn": ("Maple leaves", "枫叶", "🍁", "#c8553d"), "bamboo": ("Bamboo", "翠竹", "🎋", "#7cae7a"),
    "moon": ("Full moon", "满月", "🌕", "#555b6e"), "coral": ("Coral reef", "珊瑚礁", "🪸", "#ee6c4d"),
}  # fmt: skip
KEYBOARDS = {
    "pinyin9": ("Pinyin, 9 keys", "拼音九键"), "pinyin26": ("Pinyin, full", "拼音全键"), "wubi": ("Wubi", "五笔"),
    "stroke": ("Chinese strokes", "笔画"), "handwriting": ("Handwriting", "手写"), "cantonese": ("Cantonese", "粤语"),
    "en_us": ("English (US)", "英语（美国）"), "en_gb": ("English (UK)", "英语（英国）"), "es": ("Spanish", "西班牙语"),
    "fr": ("French", "法语"), "de": ("German", "德语"), "it": ("Italian", "意大利语"), "pt": ("Portuguese", "葡萄牙语"),
    "nl": ("Dutch", "荷兰语"), "ru": ("Russian", "俄语"), "ja": ("Japanese", "日语"), "ko": ("Korean", "韩语"),
    "ar": ("Arabic", "阿拉伯语"), "th": ("Thai", "泰语"), "vi": ("Vietnamese", "越南语"),
}  # fmt: skip
KINDS = {
    "notifications": ("Notifications", "通知", "bell"),
    "location": ("Location", "位置信息", "map-pin"),
    "contacts": ("Contacts", "通讯录", "users"),
    "microphone": ("Microphone", "麦克风", "mic"),
}
LIMITS = (15, 20, 30, 45, 60, 75, 90, 100, 120, 150, 180, 240)
TIMES = tuple(f"{hour:02}:{minute:02}" for hour in range(24) for minute in (0, 30))
BANDS = {"2.4": "2.4 GHz", "5": "5 GHz"}

INDEX: tuple[tuple[str, str, str], ...] = (
    *FLIPS.values(),
    *((en, zh, screen) for en, zh, screen, _ in CHOICES.values()),
    *((f"{en} volume", zh, "sound") for en, zh in VOLUMES.values()),
    ("Brightness", "屏幕亮度", "display"),
    ("Phone ringtone", "来电铃声", "ringtones"),
    ("Wallpaper", "壁纸", "wallpapers"),
    ("Keyboards", "输入法", "keyboards"),
    ("Fingerprints", "指纹", "security"),
    ("Storage", "存储空间", "apps"),
    ("All apps", "应用管理", "apps"),
    ("Permissions", "权限管理", "privacy"),
    ("Battery usage", "耗电排行", "battery"),
    ("Data usage", "流量使用情况", "mobile"),
    ("Screen time", "屏幕使用时间", "limits"),
    ("App limits", "应用时限", "limits"),
    ("Quiet hours", "定时勿扰", "quiet"),
    ("Phone name", "手机名称", "about"),
    ("Serial number", "序列号", "about"),
    ("System version", "系统版本", "about"),
    ("System update", "系统更新", "about"),
    ("IP address", "IP地址", "wifi"),
)
"""What the search knows: names, and the screen to open."""

NETWORKS_EN = (
    "Maple House", "Apartment 4B", "Blue Kettle Cafe", "Linden Guest", "Pretty Fly for a WiFi", "Harbor Library",
    "Northside Gym", "The Nest", "Gate B12 Free WiFi", "Oakwood Office", "Rivera Family", "Studio Loft",
    "Corner Bakery", "Hotel Astoria", "Print Shop", "Garden Shed", "Second Floor", "Bookworm", "Tea & Toast",
    "Hidden Lab",
)  # fmt: skip
NETWORKS_ZH = (
    "幸福里302", "老王家的网", "蓝壶咖啡", "槐树下书店", "别蹭网了", "市图书馆", "北门健身房", "小窝", "机场免费WiFi",
    "云杉科技-办公", "林家大院", "二楼工作室", "街角面包房", "锦程酒店-大堂", "图文快印", "楼下奶茶店", "隔壁老李",
    "阅读时光", "老街火锅", "访客专用",
)  # fmt: skip
DEVICES = (
    ("Breeze Buds 2", "清风耳机2", "headphones"), ("Pebble Speaker", "鹅卵石音箱", "speaker"),
    ("Tempo Watch", "律动手表", "watch"), ("Car Audio", "车载音响", "car"), ("Slate Keyboard", "石板键盘", "keyboard"),
    ("Living Room TV", "客厅电视", "tv"), ("Glide Mouse", "滑翔鼠标", "mouse"), ("Arcade Pad", "街机手柄", "gamepad-2"),
    ("Office Printer", "办公室打印机", "printer"), ("Study Laptop", "书房笔记本", "laptop"),
    ("Kitchen Radio", "厨房收音机", "radio"), ("Pulse Scale", "脉动体重秤", "weight"),
)  # fmt: skip
FINGERS = (("Right thumb", "右手拇指"), ("Left thumb", "左手拇指"), ("Right index", "右手食指"))
PASSWORDS = (
    "sunny-river-27", "tiger4oranges", "velvet88cloud", "plum-tree-1905", "quietharbor63", "redkite2020",
    "mint&lemon7", "oldbridge-41", "paperboat395", "northwind-08", "honey5badger", "copper-leaf-12", "snowgoose77",
    "ginger.tea.9", "bluewhale-64", "fast0train1",
)  # fmt: skip
"""What networks ask for. Tasks say it; no screen shows it."""
CARRIERS = (("Beacon Mobile", "神州通信"), ("Unison", "和信移动"), ("Tellina", "华联电信"))
PHONES = (("Aster 7", "紫菀7"), ("Aster 7 Lite", "紫菀7 青春版"), ("Nimbus X", "云端X"), ("Nimbus Fold", "云端折叠"))


def seed(draw: Draw) -> Data:
    names = sorted(all_apps())
    model = draw.choice(PHONES)
    return {
        **{name: draw.chance(0.4) for name in FLIPS},
        **{name: draw.choice(choices)[0] for name, (*_, choices) in CHOICES.items()},
        **{name: draw.integer(2, 8) for name in VOLUMES},
        "airplane": False,
        "wifi": True,
        "bluetooth": draw.chance(0.6),
        "mobile_data": draw.chance(0.8),
        "brightness": draw.choice(LEVELS),
        "ringtone": draw.choice(sorted(RINGTONES)),
        "wallpaper": draw.choice(sorted(WALLPAPERS)),
        "language_keyboard": draw.t("en_us", "pinyin9"),
        "device_name": draw.t(*model),
        "hotspot_setup": {
            "name": draw.t(*model),
            "password": draw.choice(PASSWORDS),
            "band": draw.choice(("2.4", "5")),
        },
        "quiet_hours": {"on": draw.chance(0.3), "from": draw.choice(TIMES[42:46]), "to": draw.choice(TIMES[12:16])},
        "network": "n0",
        "networks": networks(draw),
        "devices": devices(draw),
        "fingerprints": {f"f{at}": {"name": draw.t(*FINGERS[at])} for at in range(draw.integer(1, 3))},
        "permissions": {f"{app}.{kind}": {"allowed": draw.chance(0.6)} for app in names for kind in KINDS},
        "limits": {app: {"app": app, "minutes": draw.choice(LIMITS)} for app in draw.sample(names, 2)},
        "storage": {app: {"size": draw.integer(60, 2400), "cache": draw.integer(4, 480)} for app in names},
        "usage": usage(draw, names),
        "about": about(draw, model),
        "searches": [draw.t(*item[:2]) for item in draw.sample(INDEX, 4)],
        "scans": 0,
    }


def networks(draw: Draw) -> dict[str, dict[str, Any]]:
    """One is connected, four more are known, the others are what the neighbours have."""
    names = draw.sample(draw.t(NETWORKS_EN, NETWORKS_ZH), 16)
    secrets = draw.sample(PASSWORDS, 16)
    signals = sorted((draw.integer(15, 99) for _ in names), reverse=True)
    parts, hosts = draw.sample(range(32), 16), draw.sample(range(2, 250), 16)
    known = {0, *draw.sample(range(1, 16), 4)}
    return {
        f"n{at}": {
            "name": name,
            "known": at in known,
            "connected": at == 0,
            "secured": at in known or draw.chance(0.8),
            "password": secrets[at],
            "signal": signals[at],
            "band": draw.choice(sorted(BANDS)),
            "address": f"192.168.{parts[at]}.{hosts[at]}",
            "router": f"192.168.{parts[at]}.1",
        }
        for at, name in enumerate(names)
    }


def devices(draw: Draw) -> dict[str, dict[str, Any]]:
    """Half of them are paired."""
    return {
        f"d{at}": {
            "name": draw.t(en, zh),
            "icon": icon,
            "paired": at < 5,
            "connected": at == 0,
            "battery": draw.integer(10, 99),
        }
        for at, (en, zh, icon) in enumerate(draw.shuffled(DEVICES))
    }


def usage(draw: Draw, names: list[str]) -> dict[str, dict[str, int]]:
    """What each app used: a different share of the battery each, so that a question has one answer."""
    shares = draw.sample(range(1, 2 * len(names)), len(names))
    total = sum(shares)
    percents = sorted({max(1, share * 94 // total) for share in shares}, reverse=True)
    while len(percents) < len(names):  # rounding made some equal
        percents.append(next(share for share in range(1, 99) if share not in percents))
    return {
        app: {"battery": percents[at], "data": draw.integer(8, 1900), "minutes": draw.integer(1, 50)}
        for at, app in enumerate(draw.shuffled(names))
    }


def about(draw: Draw, model: Names) -> dict[str, Any]:
    letters = "".join(draw.choice("ABCDEFGHJKLMNPRSTUVWXYZ23456789") for _ in range(10))
    digits = "".join(str(draw.integer(0, 9)) for _ in range(11))
    number = draw.t(f"555-{digits[:3]}-{digits[3:7]}", f"13{digits[:9]}")
    return {
        "model": draw.t(*model),
        "version": draw.choice(("6.4.2", "7.0.1", "7.1.0", "7.1.3")),
        "serial": letters,
        "number": number,
        "imei": f"8675{digits}",
        "carrier": draw.t(*draw.choice(CARRIERS)),
        "patch": draw.day(-70, -5).isoformat(),
        "cloud": draw.integer(3, 44),
    }
