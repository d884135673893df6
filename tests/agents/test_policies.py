"""Policies by name: who drives a model, and what a policy is told of the attempt so far."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest
from recordings import DONE, TAP, run, say

from saccade.agents.guidance import Case
from saccade.agents.policy import POLICIES, Decision, Policy, open_policy
from saccade.errors import InputError
from saccade.models.scripted import ScriptedModel
from saccade.paradigms import get_paradigm
from saccade.paradigms.base import Situation


@dataclass(frozen=True)
class Watching(Policy):
    """Notes what it is told."""

    cases: ClassVar[list[Case]] = []

    def decide(self, situation: Situation, case: Case, seed: int | None = None) -> Decision:
        self.cases.append(case)
        return super().decide(situation, case, seed)


def test_a_model_names_its_policy_and_the_user_outranks_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(POLICIES._built_in, "watching", Watching)
    model, paradigm = ScriptedModel([]), get_paradigm("btl")
    assert type(open_policy(model, paradigm)) is Policy
    model.policy = "watching"
    assert type(open_policy(model, paradigm, k=2)) is Watching
    assert type(open_policy(model, paradigm, "plain")) is Policy
    with pytest.raises(InputError, match=r"unknown policy 'wathcing'.*did you mean watching"):
        open_policy(model, paradigm, "wathcing")


def test_a_policy_is_told_the_steps_of_its_attempt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(POLICIES._built_in, "watching", Watching)
    Watching.cases.clear()
    run(tmp_path, [say("btl", TAP), say("btl", DONE)], agent="watching")
    assert [len(case.steps) for case in Watching.cases] == [0, 1]
    assert Watching.cases[1].steps[0].prediction == TAP and Watching.cases[1].attempt == 0
