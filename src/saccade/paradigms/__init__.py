"""The four papers' formats, and readers for those of other people's models."""

from __future__ import annotations

from dataclasses import fields
from difflib import get_close_matches
from typing import Any

from saccade.errors import InputError, check_complete
from saccade.paradigms.base import AnswerPart, Candidate, Paradigm, Parsed, Reply, Situation, Turn
from saccade.registry import Registry, subclass_of
from saccade.types import Language

PARADIGMS: Registry[type[Paradigm]] = Registry(
    "paradigm",
    {
        "btl": "saccade.paradigms.btl:BTL",
        "uiloop": "saccade.paradigms.uiloop:UILoop",
        "secagent": "saccade.paradigms.secagent:SecAgent",
        "guidnav": "saccade.paradigms.guidnav:GuidNav",
        "qwen": "saccade.paradigms.foreign.qwen:Qwen",
        "ui-tars": "saccade.paradigms.foreign.ui_tars:UITars",
        "openai": "saccade.paradigms.foreign.openai:OpenAI",
        "anthropic": "saccade.paradigms.foreign.anthropic:Anthropic",
        "point": "saccade.paradigms.foreign.point:PointAnswer",
    },
    accepts=subclass_of(Paradigm),
)


def get_paradigm(name: str, **switches: Any) -> Paradigm:
    """A paradigm by name, with its switches set.

    >>> get_paradigm("btl", dialect="json", space="phone").dialect
    'json'
    """
    kind = PARADIGMS.get(name)
    check_complete(kind, f"the paradigm {name}", "name", "vocabulary")
    known = [field.name for field in fields(kind)]
    for switch in switches:
        if switch not in known:
            near = get_close_matches(switch, known, n=1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise InputError(f"the paradigm {name} has no switch {switch!r}{hint}: use {', '.join(known)}")
    return kind(**switches)


__all__ = [
    "PARADIGMS",
    "AnswerPart",
    "Candidate",
    "Language",
    "Paradigm",
    "Parsed",
    "Reply",
    "Situation",
    "Turn",
    "get_paradigm",
]
