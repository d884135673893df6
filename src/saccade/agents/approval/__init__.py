"""Approval: every action passes a gate, and what is risky needs a person's yes (docs/SAFETY.md)."""

from __future__ import annotations

from saccade.agents.approval.ask import Answer, Asker, Question, StoppedByPerson, terminal_asker
from saccade.agents.approval.gate import Gate
from saccade.agents.approval.policy import Policy, Rule, load_policy

__all__ = ["Answer", "Asker", "Gate", "Policy", "Question", "Rule", "StoppedByPerson", "load_policy", "terminal_asker"]
