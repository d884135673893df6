"""Whom one knows besides the people that all apps share, what is known of them, and who called."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any

from saccade_phone.app import Data
from saccade_phone.draw import Draw

LETTERS = {
    "A": "安艾敖", "B": "百白柏包毕边", "C": "陈程曹崔蔡岑常车成楚褚", "D": "端东董丁杜戴邓段窦代", "E": "鄂",
    "F": "冯方范傅房费樊", "G": "公高郭顾龚葛关管耿古", "H": "皇黄胡何韩贺侯郝洪华霍", "J": "蒋江贾金姜季纪靳健家",
    "K": "孔康柯匡快", "L": "令李刘林罗梁卢吕陆雷黎廖龙凌柳鲁路蓝", "M": "慕马孟毛莫梅苗穆", "N": "南倪聂宁牛",
    "O": "欧", "P": "彭潘庞裴蒲", "Q": "秦钱邱乔齐祁覃", "R": "任阮饶荣", "S": "上孙宋沈苏邵石史施司舒社",
    "T": "唐田谭汤陶童涂", "W": "闻王吴魏汪万武韦翁文物", "X": "徐谢萧夏许熊薛向辛项小",
    "Y": "尉杨于余叶袁姚尹严颜易俞尤牙", "Z": "诸张赵周朱郑曾钟邹祝庄左詹卓",
}  # fmt: skip
INITIALS = {sign: letter for letter, signs in LETTERS.items() for sign in signs}
"""How Chinese names are sorted: by the first letter of the family name's sound."""

EN_NAMES = (
    "Priya Nair", "Tom Wheeler", "Grace Obi", "Daniel Frost", "Keiko Mori", "Luis Ortega", "Anna Petrov",
    "Charlie Boyd", "Fatima Said", "George Linden", "Beatriz Lima", "Henrik Dahl", "Wendy Clarke", "Yusuf Demir",
    "Quentin Ross", "Dora Vega", "Theo Barnes", "Carmen Diaz", "Uma Joshi", "Kenji Abe", "Sabine Roth", "Piers Hollis",
    "Nadia Farah",
)  # fmt: skip
ZH_NAMES = (
    "沈亦舒", "魏长风", "曹雨薇", "彭立新", "曾小满", "田甜", "潘越", "袁知夏", "蔡一凡", "叶青青", "程砚秋", "苏沐阳",
    "吕思齐", "丁晓东", "任嘉禾", "卢晨曦", "姚远", "崔明月", "陆星河", "汪海洋", "范小雨", "廖向阳", "贾宁", "顾南乔",
    "秦岚", "邱泽",
)  # fmt: skip
SERVICES = (
    ("Dr. Ellis Dental", "牙科诊所", "🦷"), ("City Library", "社区服务站", "🏛️"),
    ("Oak Street Vet", "小动物医院", "🐾"), ("Front Desk", "物业前台", "🏢"), ("Gym Reception", "健身房前台", "🏋️"),
    ("Taxi 24", "快车调度", "🚕"),
)  # fmt: skip
FACES = "🧑🏻 👩🏽 🧑🏾 👱🏻 👩🏿 👨🏻‍🦰 👳🏽 🧕🏽 👨🏼‍🦳 👩🏼 🧑🏼‍🦲 👲🏻".split()
COMPANIES = (
    ("Northwind Studio", "北风设计"), ("Bluebell Bakery", "蓝铃烘焙"), ("Harbor Bank", "海港银行"),
    ("Lumen Lighting", "流明照明"), ("Cedar Architects", "雪松建筑"), ("Tidewater Press", "潮汐出版社"),
    ("Pixel Garden", "像素花园"), ("Maple Clinic", "枫叶诊所"), ("Iron Bridge Rail", "铁桥轨道"),
    ("Orchard School", "果园小学"), ("Starling Films", "椋鸟影业"), ("Granite Sports", "磐石体育"),
    ("Coral Insurance", "珊瑚保险"), ("Juniper Foods", "杜松食品"), ("Atlas Mapping", "舆图测绘"),
    ("Sparrow Post", "麻雀快递"), ("Velvet Theatre", "丝绒剧场"), ("Quarry Stone Co", "采石场建材"),
    ("Meadow Energy", "牧野能源"), ("Lantern Travel", "灯笼旅行"), ("Bronze Gym", "青铜健身"),
    ("Kite Software", "纸鸢软件"), ("Willow Textiles", "垂柳纺织"), ("Falcon Motors", "猎鹰汽车"),
    ("Opal Optics", "蛋白石光学"), ("Hearth Homes", "炉边家居"), ("Robin Records", "知更鸟唱片"),
    ("Summit Law", "峰顶律所"), ("Fern Botanics", "蕨园植物"), ("Pebble Toys", "鹅卵石玩具"),
    ("Canvas Gallery", "画布美术馆"), ("Delta Logistics", "三角洲物流"), ("Sable Coffee", "貂咖啡"),
    ("Torch Media", "火炬传媒"), ("Vine Market", "藤蔓超市"), ("Zephyr Air", "和风航空"),
)  # fmt: skip
"""More than there are people, so that nobody shares one."""
GROUPS = {
    "family": ("Family", "家人"), "friends": ("Friends", "朋友"), "work": ("Colleagues", "同事"),
    "school": ("Classmates", "同学"), "services": ("Services", "生活服务"),
}  # fmt: skip


@lru_cache(4096)
def days_ago(now: str, at: str) -> int:
    return (date.fromisoformat(now[:10]) - date.fromisoformat(at[:10])).days


def awake(at: datetime) -> datetime:
    """Nobody calls or writes at night: the evening before instead."""
    return at - timedelta(hours=at.hour + 2) if at.hour < 8 else at


def initial(name: str) -> str:
    """Under which letter a name stands."""
    first = name[:1].upper()
    return first if "A" <= first <= "Z" else INITIALS.get(first, "#")


def by_initial(names: Mapping[str, str]) -> dict[str, list[str]]:
    """Ids by the letter their names stand under, in order."""
    found: dict[str, list[str]] = {}
    for letter, _, id in sorted((initial(name), name, id) for id, name in names.items()):
        found.setdefault(letter, []).append(id)
    return found


def build(draw: Draw) -> Data:
    """The shared people, eighteen more, and four numbers of the kind everybody keeps."""
    companies = draw.shuffled(COMPANIES)
    known = [(person.id, person.name, person.phone, person.email, person.emoji) for person in draw.people]
    taken = {person.name for person in draw.people}
    names = [name for name in draw.t(EN_NAMES, ZH_NAMES) if name not in taken]
    for at, name in enumerate(draw.sample(names, 18)):
        known.append((f"k{at + 1}", name, number(draw), address(draw, name, at), draw.choice(FACES)))
    people = {
        id: {"name": name, "phone": phone, "email": email, "emoji": emoji, "company": draw.t(*companies.pop()),
             "birthday": birthday(draw), "favorite": draw.chance(0.15), "group": draw.choice(("family", "friends",
             "friends", "work", "work", "school", ""))}
        for id, name, phone, email, emoji in known
    }  # fmt: skip
    for at, (en, zh, emoji) in enumerate(draw.sample(SERVICES, 4)):
        blank = {"email": "", "company": "", "birthday": "", "favorite": False, "group": "services"}
        people[f"s{at + 1}"] = {"name": draw.t(en, zh), "phone": number(draw), "emoji": emoji, **blank}
    groups = {id: {"name": draw.t(*names)} for id, names in GROUPS.items()}
    strangers = [number(draw) for _ in range(5)]
    blocked = {f"b{at + 1}": {"number": number(draw)} for at in range(3)}
    blocked["b4"] = {"number": strangers[0]}
    return {
        "people": people,
        "groups": groups,
        "blocked": blocked,
        "calls": calls(draw, people, strangers),
        "history": [],
    }


def number(draw: Draw) -> str:
    digits = "".join(str(draw.integer(0, 9)) for _ in range(8))
    return draw.t(f"555-{digits[:3]}-{digits[3:7]}", f"1{draw.choice('35789')}{draw.integer(0, 9)}{digits}")


def address(draw: Draw, name: str, at: int) -> str:
    host = draw.choice(("mailbox.example", "post.example", "letters.example"))
    return f"{draw.t(name.partition(' ')[0].lower(), f'mail{draw.integer(1000, 9999)}')}.{at + 30}@{host}"


def birthday(draw: Draw) -> str:
    return (date(1956, 1, 1) + timedelta(days=draw.integer(0, 18000))).isoformat()


def calls(draw: Draw, people: Mapping[str, Any], strangers: list[str]) -> dict[str, Any]:
    """Thirty calls of the last days, newest first; no two at the same time of day."""
    numbers = [person["phone"] for person in people.values()]
    regulars = draw.sample(numbers, 14)
    found: dict[str, Any] = {}
    hours: set[str] = set()
    at = draw.now
    while len(found) < 30:
        at = awake(at - timedelta(minutes=draw.integer(20, 600)))
        if at.strftime("%H:%M") in hours:
            continue
        hours.add(at.strftime("%H:%M"))
        kind = draw.choice(("in", "out", "out", "missed", "missed"))
        called = draw.choice(strangers) if kind != "out" and draw.chance(0.25) else draw.choice(regulars)
        seconds = 0 if kind == "missed" else draw.integer(8, 1900)
        found[f"l{len(found) + 1}"] = {"number": called, "kind": kind, "at": at.isoformat(timespec="minutes"),
                                       "seconds": seconds, "hidden": False}  # fmt: skip
    return found
