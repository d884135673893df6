"""Simplified or traditional Chinese: a screen is written in one of them.

Many characters of the two differ by a stroke (黄 and 黃, 内 and 內), and the recogniser, which knows both, takes the
wrong one now and then. So where a screen has more characters that only one script has, those of the other give way to
what the recogniser found next likely in place of them. Rare characters, which no common set has and names are written
with, look unlike any other, so that nothing else is likely: they stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

SETS = {"simplified": "gb2312", "traditional": "big5"}
"""The common characters of each script, by their national character set, which Python knows."""
LIKELY = 0.005
"""What the probability of the next likely character must be, as a share of the likeliest one's. On training screens
that of the right one was 0.011 to 0.11 where the wrong script was read.
"""

CONSIDERED = 20
"""Characters that are looked at in place of the likeliest one."""


@lru_cache(maxsize=32_768)
def script_of(letter: str) -> str:
    """The script that alone has a character; nothing where both do, or none.

    >>> script_of("黄"), script_of("黃"), script_of("中"), script_of("a")
    ('simplified', 'traditional', '', '')
    """
    if len(letter) != 1 or not "一" <= letter <= "鿿":
        return ""
    having = [name for name, set in SETS.items() if _has(set, letter)]
    return having[0] if len(having) == 1 else ""


def next_likely(scores: NDArray[np.float32], letters: Sequence[str]) -> str:
    """The likeliest character that the script of the likeliest one does not have alone; nothing where that is unlikely.
    `scores` are the probabilities of all classes, of which the first is CTC's blank.
    """
    order = np.argsort(-scores[1:], kind="stable")[:CONSIDERED] + 1
    first = letters[order[0]]
    script = script_of(first)
    if not script:
        return ""
    other = next((at for at in order[1:] if script_of(letters[at]) != script), order[0])
    return letters[other] if other != order[0] and scores[other] >= LIKELY * scores[order[0]] else ""


def in_one_script(lines: Sequence[str], others: Sequence[Mapping[int, str]]) -> list[str]:
    """The lines of a screen in the script that most of them are written in. `others` are, for each line, the next
    likely characters at some of its places; only characters that could be nothing else tell which script it is.

    >>> in_one_script(["黃色", "设置", "內部"], [{0: "黄"}, {}, {0: "内"}])
    ['黄色', '设置', '内部']
    """
    certain = (
        letter for line, other in zip(lines, others, strict=True) for at, letter in enumerate(line) if at not in other
    )
    found = Counter(map(script_of, certain))
    simplified, traditional = (found[script] for script in SETS)
    if simplified == traditional:
        return list(lines)
    wrong = "traditional" if simplified > traditional else "simplified"
    return [
        "".join(other.get(at, letter) if script_of(letter) == wrong else letter for at, letter in enumerate(line))
        for line, other in zip(lines, others, strict=True)
    ]


def _has(set: str, letter: str) -> bool:
    try:
        letter.encode(set)
    except UnicodeEncodeError:
        return False
    return True
