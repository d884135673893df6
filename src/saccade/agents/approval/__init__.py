"""Approval: every action is checked against rules before it is done, and risky ones need a person's consent.

See docs/SAFETY.md.
"""

from __future__ import annotations

from saccade.agents.approval.ask import (
    Answer,
    ApprovalQuestion,
    Asker,
    StoppedByPerson,
    refused_in_words,
    terminal_asker,
)
from saccade.agents.approval.gate import Gate
from saccade.agents.approval.policy import ApprovalPolicy, Rule, load_approval_policy

__all__ = [
    "Answer",
    "ApprovalPolicy",
    "ApprovalQuestion",
    "Asker",
    "Gate",
    "Rule",
    "StoppedByPerson",
    "load_approval_policy",
    "refused_in_words",
    "terminal_asker",
]
