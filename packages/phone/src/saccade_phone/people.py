"""Who is on a phone: the same people in contacts, chats, mails and calendars."""

from __future__ import annotations

from saccade_phone.draw import Draw, Person

COUNT = 14
EN_FIRST = ("Amelia Oliver Isla Noah Freya Leo Maya Hugo Clara Felix Nora Jonas Alice Ethan Ruby Oscar Lena Victor Zoe "
            "Marcus Ivy Samuel Elena Patrick Judith Bruno Sofia Edgar Hannah Milo Rosa Walter").split()  # fmt: skip
EN_LAST = ("Harper Bennett Sinclair Novak Whitfield Okafor Lindqvist Romero Castellan Abbott Fischer Delgado Marsh "
           "Kowalski Brennan Iversen Tanaka Pereira Holloway Quinn Vance Ashby Moreau Stone").split()  # fmt: skip
ZH_LAST = "王 李 张 刘 陈 杨 赵 黄 周 吴 徐 孙 胡 朱 高 林 何 郭 马 罗 梁 宋 郑 谢 韩 唐 冯 于 董 萧".split()
ZH_FIRST = ("子轩 雨桐 浩然 欣怡 思远 梦琪 俊杰 佳宁 文博 诗涵 志强 晓雯 建国 丽华 明辉 婉清 天宇 若曦 海涛 静怡 立群 "
            "可欣 振华 雪梅 一鸣 慧敏 国栋 嘉懿 鹏飞 秋月").split()  # fmt: skip
FACES = "👩🏻 👨🏻 👩🏼‍🦰 👨🏽 👩🏾 🧔🏻 👵🏻 👴🏻 👩🏻‍🦱 👨🏿 👧🏻 👦🏼 👩🏽‍🦳 🧑🏻‍🦱".split()


def people(draw: Draw) -> list[Person]:
    """Fourteen people whose first names and last names all differ, so that each can be told by either."""
    first, last = draw.sample(draw.t(EN_FIRST, ZH_FIRST), COUNT), draw.sample(draw.t(EN_LAST, ZH_LAST), COUNT)
    found = []
    for at in range(COUNT):
        name = draw.t(f"{first[at]} {last[at]}", f"{last[at]}{first[at]}")
        digits = "".join(str(draw.integer(0, 9)) for _ in range(8))
        phone = draw.t(f"555-{digits[:3]}-{digits[3:7]}", f"1{draw.choice('35789')}{draw.integer(0, 9)}{digits}")
        host = draw.choice(("mailbox.example", "post.example", "letters.example"))
        email = f"{draw.t(first[at].lower(), f'user{digits[:5]}')}.{at + 1}@{host}"
        found.append(Person(f"u{at + 1}", name, phone, email, FACES[at]))
    return found
