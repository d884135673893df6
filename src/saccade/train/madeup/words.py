"""The words of made-up apps: domains, names of things, and values of their attributes.

A domain says what an app is about (`domains_*.txt`); names are put together from parts, so that a model cannot learn
them by heart and has to read them.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
HEADS = (
    "Amber Silver Golden Copper Willow Harbour Meadow Cedar Northern Quiet Velvet Crimson Hidden Summit River Maple "
    "Lantern Juniper Coral Falcon Ivory Thunder Orchard Pebble Saffron Cobalt Misty Granite Sunny Royal Bramble Otter "
    "Autumn Breezy Little Grand Lunar Marble Rustic Sparrow Tidal Urban Violet Wild Zephyr Birch Canyon Dune Ember"
).split()
HEADS_ZH = (
    "晨光 青石 云顶 白鹭 金叶 海棠 松涛 月牙 红枫 竹影 银河 小满 秋水 远山 星辰 琥珀 麦田 清风 长河 雪松 晴空 紫藤 "
    "橘子 蓝鲸 苔原 雨巷 山谷 向阳 初夏 半岛 木兰 飞鸟 暖阳 珊瑚 石榴 鹿鸣 蜂鸟 极光 白桦 柠檬 浪花 胡桃 玉兰 "
    "落日 翠湖 云雀 听雨 望舒 拾光 南山"
).split()
FIRST = (
    "Ada Bruno Clara Dmitri Elena Farid Greta Hugo Ines Jonas Kamala Leo Mira Nadia Owen Petra Quentin Rosa Samir "
    "Tilda Uma Victor Wanda Yara Zeno Agnes Boris Celia Dario Edith"
).split()
LAST = (
    "Ashford Bell Castellan Dorn Ekström Farrow Grimm Holt Ivers Jansen Kerr Lindqvist Moreau Nash Okoye Pryor Quill "
    "Reyes Sato Thorne Usher Vance Weiss Young Zeller Barlow Crane Duval"
).split()
FAMILY = "张王李赵陈杨黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎"
GIVEN = "子轩 雨桐 思远 佳琪 明哲 晓雯 浩然 静怡 文博 诗涵 宇航 梦洁 志远 欣妍 俊杰 若曦 天佑 芷若 建国 秀英".split()
STREETS = "Elm Street; Mill Lane; Dock Road; Castle Square; Abbey Row; Fountain Place; Weaver Street; Bridge End; \
Linden Avenue; Tanner Lane; Cherry Hill; Market Cross; Quay Side; Priory Park; Foundry Yard; Station Road".split("; ")
STREETS_ZH = (
    "榆树街 磨坊巷 码头路 城堡广场 修院里 喷泉弄 织工街 桥头路 椴树大道 樱桃坡 集市口 河沿街 铸造厂路 文昌路 解放路 \
朝阳街".split()
)
COLOURS = "Red Blue Green Yellow White Black Purple Orange Grey Brown Pink Turquoise".split()
COLOURS_ZH = "红色 蓝色 绿色 黄色 白色 黑色 紫色 橙色 灰色 棕色 粉色 青绿色".split()
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
SOUNDS = "ba be bo da do fa fi ga ka ki la le li lo ma mi mo na ne no pa pe ra ri ro sa so ta ti to va vi yo za".split()
BRANDS_ZH = "悦享易达乐优小鹿青橙知行云谷花火印象壹号豆芽麦穗知了拾光暖心"
COMPARED = ("price", "year", "rating", "n", "minutes", "km")
"""Kinds of values of which one can be the highest."""


@dataclass(frozen=True)
class Attribute:
    """Something that each item of a domain has."""

    name: str
    kind: str
    arguments: tuple[str, ...] = ()

    def draw(self, chance: random.Random, zh: bool) -> tuple[float, str]:
        """A value: how high it is, and how it is written."""
        numbers = [int(each) for each in self.arguments[:2]] if self.kind in ("price", "n", "minutes", "km") else [0, 0]
        at = chance.randint(*numbers)
        match self.kind:
            case "price":
                cents = chance.choice((0, 0, 50, 90, 99))
                return at + cents / 100, f"{'¥' if zh else '$'}{at}" + (f".{cents:02}" if cents else "")
            case "n":
                unit = self.arguments[2]
                return at, f"{at}{unit}" if zh or unit == "%" else f"{at} {unit}"
            case "minutes":
                return at, f"{at}分钟" if zh else f"{at} min"
            case "km":
                return at / 10, f"{at / 10}公里" if zh else f"{at / 10} km"
            case "year":
                at = chance.randint(1950, 2026)
                return at, f"{at}年" if zh else str(at)
            case "rating":
                at = chance.randint(10, 50)
                return at / 10, f"{at / 10}分" if zh else f"{at / 10}"
        return 0, self.text(chance, zh)

    def text(self, chance: random.Random, zh: bool) -> str:
        """A value that is no number."""
        match self.kind:
            case "person":
                return person(chance, zh)
            case "place":
                number = chance.randint(1, 180)
                return f"{chance.choice(STREETS_ZH)}{number}号" if zh else f"{number} {chance.choice(STREETS)}"
            case "colour":
                return chance.choice(COLOURS_ZH if zh else COLOURS)
            case "code":
                return f"{''.join(chance.choices('ABCDEFGHKLMNPRSTUVWXYZ', k=2))}{chance.randint(100, 9999)}"
            case "date":
                return day(chance.randint(1, 12), chance.randint(1, 28), zh)
            case "time":
                return f"{chance.randint(7, 22):02}:{chance.choice((0, 15, 30, 45)):02}"
        return chance.choice(self.arguments)


def day(month: int, date: int, zh: bool) -> str:
    return f"{month}月{date}日" if zh else f"{MONTHS[month - 1]} {date}"


def person(chance: random.Random, zh: bool) -> str:
    return chance.choice(FAMILY) + chance.choice(GIVEN) if zh else f"{chance.choice(FIRST)} {chance.choice(LAST)}"


@dataclass(frozen=True)
class Verb:
    """A button of a domain, and what people say when they want it pressed."""

    label: str
    said: tuple[str, ...]


@dataclass(frozen=True)
class Domain:
    """What an app is about, in one language."""

    name: str
    zh: bool
    apps: tuple[str, ...]
    item: str
    items: str
    categories: tuple[str, ...]
    ends: tuple[str, ...]
    attributes: tuple[Attribute, ...]
    verbs: tuple[Verb, ...]
    order: Verb

    def title(self, chance: random.Random) -> str:
        """The name of an item."""
        end = chance.choice(self.ends)
        if self.zh:
            return chance.choice(HEADS_ZH) + end
        head = chance.choice(HEADS)
        return f"{head} {chance.choice(HEADS)} {end}" if chance.random() < 0.2 else f"{head} {end}"


def parts(text: str, mark: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in text.split(mark) if each.strip())


def attribute(text: str, zh: bool) -> Attribute:
    """`Height=高度=n 10 240 cm/厘米`."""
    *names, spec = parts(text, "=")
    kind, _, rest = spec.partition(" ")
    if kind == "of":
        return Attribute(names[zh], kind, parts(rest.split("/")[zh], ","))
    arguments = rest.split(" ", 2)
    if kind == "n":
        arguments[2] = (arguments[2].split("/") * 2)[zh]
    return Attribute(names[zh], kind, tuple(arguments) if rest else ())


def verb(text: str, zh: bool) -> Verb:
    """`Water=浇水=water {x}; give {x} some water=给{x}浇水`."""
    found = parts(text, "=")
    return Verb(found[zh], parts(found[2 + zh], ";"))


@cache
def domains(zh: bool) -> tuple[Domain, ...]:
    """All of them, in one language."""
    found = []
    for path in sorted(FOLDER.glob("domains_*.txt")):
        for block in path.read_text(encoding="utf-8").split("\n[")[1:]:
            name, _, rest = block.partition("]\n")
            lines = dict(line.split(": ", 1) for line in rest.splitlines() if ": " in line)
            sides = {key: parts(text.split(" = ")[zh], ";") for key, text in lines.items() if " = " in text}
            found.append(Domain(
                name, zh, sides["apps"], sides["item"][0], sides["item"][-1], sides["cats"], sides["ends"],
                tuple(attribute(each, zh) for each in parts(lines["attrs"], "|")),
                tuple(verb(each, zh) for each in parts(lines["verbs"], "|")), verb(lines["order"], zh),
            ))  # fmt: skip
    return tuple(found)


def brand(chance: random.Random, zh: bool) -> str:
    """An app's name that says nothing about what it is for."""
    if zh:
        return "".join(chance.sample(BRANDS_ZH, 2)) + chance.choice(("", "", "Pro", "通", "派", "记"))
    return "".join(chance.choices(SOUNDS, k=chance.choice((2, 3)))).capitalize() + chance.choice(
        ("", "", "ly", "o", "x")
    )
