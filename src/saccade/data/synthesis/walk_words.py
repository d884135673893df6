"""What a random walk types: words in the screen's language that fit the kind of the field."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from saccade.types import Element, Language

SEARCH = re.compile(r"search|\bfind\b|look up|搜索|查找|查询|搜一搜", re.IGNORECASE)
_FIELDS: tuple[tuple[re.Pattern[str], dict[Language, tuple[str, ...]]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), {"en": english, "zh": chinese or english})
    for pattern, english, chinese in (
        (r"e-?mail|邮箱|邮件地址|收件人", ("anna.lee@example.com", "office@example.org"), ("wang@example.com",)),
        (r"\bphone|\btel\b|mobile|电话|手机", ("555 0142", "+1 202 555 0173"), ("13800138000", "010-55501420")),
        (r"\burl\b|web ?site|\blink\b|网址|链接", ("https://example.com/page",), ()),
        (r"\bdate\b|birthday|日期|生日", ("2026-05-17", "2026-11-02"), ()),
        (r"\btime\b|o'clock|时间", ("08:30", "19:45"), ()),
        (
            r"number|amount|quantity|price|count|age\b|minutes|hours|数量|金额|价格|年龄|分钟|小时|号码",
            ("3", "12", "45"),
            (),
        ),
        (r"user ?name|\bname\b|contact|姓名|名字|名称|联系人", ("Anna Lee", "Tom Baker"), ("王小明", "李娜")),
        (r"title|subject|label|标题|主题|标签", ("Weekend plan", "Notes from Monday"), ("周末计划", "周一记录")),
        (r"address|street|city|地址|城市", ("12 Park Road", "Springfield"), ("人民路 12 号", "杭州")),
    )
)
_BY_TYPE = {"spinbutton": ("3", "12", "45"), "date": ("2026-05-17",), "time": ("08:30",)}
_PLAIN: dict[Language, tuple[str, ...]] = {
    "en": ("hello", "Buy milk and bread", "Meeting at nine", "Thank you!", "See you tomorrow", "green tea", "report"),
    "zh": ("你好", "买牛奶和面包", "九点开会", "谢谢！", "明天见", "绿茶", "报告"),
}
LONGEST_WORD = 20


def words_for(field: Element, elements: Sequence[Element], language: Language, chance: random.Random) -> str:
    """A text for a field. A search looks for something that the screen shows: it then finds something."""
    if field.type in _BY_TYPE:
        return chance.choice(_BY_TYPE[field.type])
    if looks_for_something(field) and (shown := _searchable(elements, field)):
        return chance.choice(shown)
    label = f"{field.caption} {field.text}"
    for pattern, texts in _FIELDS:
        if pattern.search(label):
            return chance.choice(texts[language])
    return chance.choice(_PLAIN[language])


def looks_for_something(field: Element) -> bool:
    """Is it a search field?"""
    return bool(SEARCH.search(f"{field.caption} {field.text}"))


def _searchable(elements: Sequence[Element], field: Element) -> list[str]:
    """Short texts of the screen, without the field's own and without repetitions."""
    texts = (element.text.strip() for element in elements if element.id != field.id and not SEARCH.search(element.text))
    return list(dict.fromkeys(text for text in texts if 2 <= len(text) <= LONGEST_WORD and text[0].isalpha()))


def screen_language(elements: Sequence[Element]) -> Language:
    """Chinese if the texts have more Chinese characters than words in Latin letters: one foreign name decides
    nothing.
    """
    text = " ".join(element.text for element in elements)
    chinese = len(re.findall(r"[\u4e00-\u9fff]", text))
    return "zh" if chinese > len(re.findall(r"[A-Za-z]{2,}", text)) else "en"
