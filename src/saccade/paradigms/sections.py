"""Tagged sections of a completion, `<think>…</think>` and the like, found in one linear pass."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

MAX_TAGS = 2_000
_FULL_WIDTH = "read full-width tag brackets"


@dataclass(slots=True)
class Sections:
    """What stood in each tag, in order, and what had to be repaired to find it. No repairs: exactly the template's
    shape, with nothing but white space between the sections.
    """

    found: list[tuple[str, str]] = field(default_factory=list)
    repairs: list[str] = field(default_factory=list)

    def get(self, name: str) -> str | None:
        """The first section of that name."""
        for tag, body in self.found:
            if tag == name:
                return body
        return None

    def all(self, name: str) -> list[str]:
        return [body for tag, body in self.found if tag == name]

    @property
    def order(self) -> tuple[str, ...]:
        return tuple([tag for tag, _ in self.found])


@lru_cache
def _tags(names: tuple[str, ...], ascii: bool) -> re.Pattern[str]:
    return re.compile(rf"<(/?)({'|'.join(names)})>" if ascii else rf"[<＜]([/／]?)({'|'.join(names)})[>＞]")


@lru_cache
def _pairs(names: tuple[str, ...]) -> tuple[tuple[str, str, str], ...]:
    return tuple((name, f"<{name}>", f"</{name}>") for name in names)


def _once_each(text: str, names: tuple[str, ...]) -> Sections | None:
    """The usual answer, read with plain cuts: every section once, in order, and nothing around them. None for any
    other.
    """
    if not text.isascii() and "＞" in text:
        return None
    found, rest = [], text
    tags = _pairs(names)
    for name, opening, closing in tags:
        before, _, rest = rest.partition(opening)
        body, closed, rest = rest.partition(closing)
        if not closed or (before and not before.isspace()):
            return None
        if "<" in body:
            for _, one, other in tags:
                if one in body or other in body:
                    return None
        found.append((name, body))
    return None if rest and not rest.isspace() else Sections(found)


def split_sections(text: str, names: tuple[str, ...]) -> Sections:
    """Cut `text` at the tags in `names`. A section that is never closed ends where the next one begins.

    Raises `ValueError` if there are so many tags that this cannot be an answer.
    """
    if (exact := _once_each(text, names)) is not None:
        return exact
    result = Sections()
    repairs = result.repairs
    ascii = text.isascii()
    open_tag, body_start, end_of_last = "", 0, 0
    tags = list(islice(_tags(names, ascii).finditer(text), MAX_TAGS + 1))
    if len(tags) > MAX_TAGS:
        raise ValueError(f"the output has more than {MAX_TAGS:,} tags")
    for tag in tags:
        closing, name = tag.groups()
        if not ascii and not tag[0].isascii():
            repairs.append(_FULL_WIDTH)
        if closing:
            if name != open_tag:
                repairs.append(f"ignored a stray </{name}>")
                continue
            result.found.append((name, text[body_start : tag.start()]))
            open_tag, end_of_last = "", tag.end()
            continue
        if open_tag:
            result.found.append((open_tag, text[body_start : tag.start()]))
            repairs.append(f"added the missing </{open_tag}>")
        elif text[end_of_last : tag.start()].strip():
            repairs.append("ignored text around the sections")
        open_tag, body_start = name, tag.end()
    if open_tag:
        result.found.append((open_tag, text[body_start:]))
        repairs.append(f"added the missing </{open_tag}>")
    elif text[end_of_last:].strip():
        repairs.append("ignored text around the sections")
    if repairs:
        result.repairs = list(dict.fromkeys(repairs))
    return result


def expect_order(sections: Sections, wanted: Sequence[str]) -> None:
    """Note what is missing, doubled or out of place."""
    order = sections.order
    if order == tuple(wanted):
        return
    missing = [f"<{name}>" for name in dict.fromkeys(wanted) if name not in order]
    if missing:
        sections.repairs.append(f"did without {', '.join(missing)}")
    else:
        sections.repairs.append(f"sections came as {', '.join(order[:8])} instead of {', '.join(wanted)}")


_ESCAPED = {"&": "&amp;", "<": "&lt;", "＜": "&#xff1c;"}
_UNESCAPED = {escaped: plain for plain, escaped in _ESCAPED.items()}


@lru_cache
def _guards(names: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    tag = rf"[/／]?(?:{'|'.join(names)})[>＞]"
    escaped = rf"(?:amp;)*(?:lt|#xff1c);{tag}"
    return (
        re.compile(rf"[<＜](?={tag})|&(?={escaped})"),
        re.compile(rf"&(?:lt|#xff1c);(?={tag})|&amp;(?={escaped})"),
    )


def guard(text: str, names: tuple[str, ...]) -> str:
    """Free text that may itself mention a tag, so written that the tag is not taken for one. `unguard` undoes it."""
    return _guards(names)[0].sub(lambda found: _ESCAPED[found[0]], text)


def unguard(text: str, names: tuple[str, ...]) -> str:
    if "&" not in text:
        return text
    return _guards(names)[1].sub(lambda found: _UNESCAPED[found[0]], text)
