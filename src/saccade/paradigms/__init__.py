"""The four papers' formats, and readers for those of other people's models."""

from __future__ import annotations

from typing import Any

from saccade.paradigms.base import Candidate, Language, Paradigm, Parsed, Reply, Situation, Turn
from saccade.registry import Registry

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
)


def get_paradigm(name: str, **switches: Any) -> Paradigm:
    """A paradigm by name, with its switches set: `get_paradigm("btl", dialect="json", space="phone")`."""
    return PARADIGMS.get(name)(**switches)


__all__ = ["PARADIGMS", "Candidate", "Language", "Paradigm", "Parsed", "Reply", "Situation", "Turn", "get_paradigm"]
