"""An analyser that needs no model: a linear score of each element by text, type, position and confidence.

The weights were fitted on phone episodes of one seed of the training split and measured on another seed's episodes of
the test split (`benchmarks/key_elements.py`, docs/RESULTS.md). Nothing here knows the phone: words that finish, lead
on or dismiss are those of any interface.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from saccade.types import Element, Step

FIELDS = frozenset({"input", "password", "search", "textarea", "textbox", "combobox", "spinbutton"})
CHOICES = frozenset({"checkbox", "radio", "switch", "option", "select", "slider"})
LATEST = 3
"""Lines of the history that tell what was done just now."""
EDGE = 0.05
"""The share of the screen's height at its top and bottom where systems keep their own bars."""
_COMMON = frozenset("a an the to of on in at for with and or by from as my me it is i you please this that app".split())
_WORD = re.compile(r"[\u3400-\u9fff]+|[^\W_\u3400-\u9fff]+")
_FINISHING = re.compile(
    r"\b(?:save|send|ok|done|confirm|submit|apply|create|place order|pay|book|finish|check ?out|post)\b|"
    r"保存|发送|确定|确认|完成|提交|应用|创建|下单|支付|预订|发布|结算"
)
_LEADING = re.compile(
    r"\b(?:search|find|menu|more|next|continue|edit|add|new|compose|write|reply|open|folders?|filter|sort|all)\b|"
    r"搜索|查找|菜单|更多|下一步|继续|编辑|添加|新建|新增|写|回复|打开|文件夹|筛选|排序|全部"
)
_DISMISSING = re.compile(
    r"\b(?:close|cancel|not now|later|skip|dismiss|no thanks|don't allow|deny|got it)\b|"
    r"关闭|取消|以后再说|稍后|跳过|暂不|不允许|知道了|忽略"
)
FEATURES = (
    "words of it in the task",
    "words of the task in it",
    "words of it in the latest history",
    "can be used",
    "is a field",
    "is a choice",
    "is focused",
    "is selected or checked",
    "finishes",
    "leads on",
    "dismisses",
    "lies in a bar of the system",
    "lies at the top",
    "confidence",
)
WEIGHTS = (1.64, 1.46, -0.86, 3.92, 0.79, -0.68, 0.67, -1.58, 1.30, 1.12, 0.28, -1.93, -1.11, 0.00)

Floats = NDArray[np.float64]


def tokens(text: str) -> frozenset[str]:
    """English words, less plural endings and common ones; pairs of neighbouring Chinese characters.

    >>> sorted(tokens("Open the Photos")), sorted(tokens("添加闹钟"))
    (['open', 'photo'], ['加闹', '添加', '闹钟'])
    """
    found: set[str] = set()
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        if "\u3400" <= word[0] <= "\u9fff":
            found |= {a + b for a, b in pairwise(word)} or {word}
        elif word not in _COMMON:
            found.add(word.removesuffix("s") if len(word) > 3 else word)
    return frozenset(found)


def rank(step: Step, elements: Sequence[Element] | None = None) -> list[Element]:
    """All elements of the screen (or those given), the most important first; equal ones in their order."""
    found = list(step.elements if elements is None else elements)
    if not found:
        return []
    order = np.argsort(-(features(step, found) @ np.array(WEIGHTS)), kind="stable")
    return [found[at] for at in order]


def features(step: Step, elements: Sequence[Element]) -> Floats:
    """A row for each element, a column for each of `FEATURES`, all between 0 and 1."""
    task, latest = tokens(step.instruction), tokens(" ".join(step.history[-LATEST:]))
    rows = [_row(each, step, task, latest) for each in elements]
    return np.array(rows, dtype=float)


def _row(element: Element, step: Step, task: frozenset[str], latest: frozenset[str]) -> list[float]:
    text = " ".join((element.text or element.caption).casefold().split())
    own = tokens(text)
    middle, state = element.center.y / step.screen.height, element.state.split()
    return [
        _share(own & task, own),
        min(1.0, len(own & task) / 3),
        _share(own & latest, own),
        float(element.interactive),
        float(element.type in FIELDS),
        float(element.type in CHOICES),
        float("focused" in state),
        float("selected" in state or "checked" in state),
        float(bool(_FINISHING.search(text)) and element.interactive),
        float(bool(_LEADING.search(text)) and element.interactive),
        float(bool(_DISMISSING.search(text)) and element.interactive),
        float(middle < EDGE or middle > 1 - EDGE),
        1 - middle,
        1.0 if element.confidence is None else element.confidence,
    ]


def _share(part: frozenset[str], whole: frozenset[str]) -> float:
    return len(part) / len(whole) if whole else 0.0
