"""The parts of other people's answers: thinking in tags, and the items of an API's answer."""

from __future__ import annotations

import re
from typing import Any

from saccade.actions import Action
from saccade.paradigms.lenient import loads
from saccade.paradigms.sections import unguard

THINKING = ("think", "thinking", "grounding_think", "thought")
"""Tags that models put around what is not yet the answer."""
_THINKING = re.compile(rf"<(/?)(?:{'|'.join(THINKING)})>")


def cut_thinking(text: str, answer: str, repairs: list[str]) -> tuple[str, str]:
    """The tagged thinking, and the text without it. Thinking that is never closed ends where `answer` begins; text
    before a closing tag that was never opened is thinking too (some chat templates open it in the prompt).
    """
    thoughts, outside, at, inside, odd = [], [], 0, False, False
    for tag in _THINKING.finditer(text):
        if tag[1]:
            thoughts.append(text[at : tag.start()])
            odd |= not inside
        elif inside:
            odd = True
            continue
        else:
            outside.append(text[at : tag.start()])
        inside, at = not tag[1], tag.end()
    rest = text[at:]
    if odd or inside or len(thoughts) > 1 or any(map(str.strip, outside)):
        repairs.append("read thinking that is not one section before the answer")
    if inside:
        end = rest.find(answer)
        end = len(rest) if end < 0 else end
        thoughts.append(rest[:end])
        rest = rest[end:]
    outside.append(rest)
    return unguard("\n".join(thoughts).strip(), THINKING), "".join(outside)


def read_items(text: str, wrapper: str, repairs: list[str]) -> list[dict[str, Any]]:
    """The items of an API answer: a list, one item alone, or the whole answer with its list under `wrapper`."""
    value = loads(text, repairs)
    if isinstance(value, dict):
        inner = value.get(wrapper)
        value = inner if isinstance(inner, list) else [value]
    if not isinstance(value, list):
        raise ValueError("the answer is neither an object nor a list")
    return [item for item in value if isinstance(item, dict)]


def said(items: list[dict[str, Any]]) -> str:
    """What the model wrote beside its action: reasoning, thinking and message texts."""
    texts = []
    for item in items:
        for part in (item, *_parts(item.get("summary")), *_parts(item.get("content"))):
            texts += [part[key] for key in ("thinking", "text") if isinstance(part.get(key), str)]
    return "\n".join(texts).strip()


def final_message(items: list[dict[str, Any]], kind: str, thinking: str, repairs: list[str]) -> Action | None:
    """The end of the task, where an answer has messages (items of a `kind`) and calls nothing: the makers' own loops
    stop there. None for an answer that had to be repaired: what it lacks may be the call.
    """
    spoken = said([item for item in items if item.get("type") == kind])
    if repairs or not spoken or any(item.get("type") not in (kind, thinking) for item in items):
        return None
    return Action("terminate", status="success", text=spoken)


def _parts(value: Any) -> list[dict[str, Any]]:
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []
