"""The baseline "Reflection" of GuidNav's Table 1 (after Reflexion, Shinn et al.), for a single step.

The policy proposes an action, reflects in words on its own proposal, and then gives its final answer, which may be the
same. The paper says no more than that of it; in a recording there is no second attempt at which a lesson could be used,
so the linguistic feedback goes into the same step. Reflection on whole attempts is `refine`.
"""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from saccade.agents.guidance import TEMPLATES, Case
from saccade.agents.policy import QUOTED, Decision, Policy
from saccade.paradigms.base import Situation
from saccade.paradigms.prompts import build_messages
from saccade.types import Message


@dataclass(frozen=True)
class ReflectionPolicy(Policy):
    """Propose, reflect, answer again: three calls a step."""

    def decide(self, situation: Situation, case: Case, seed: int | None = None) -> Decision:
        first = super().decide(situation, case, seed)
        if first.action is None:
            return first
        asked = [*first.messages, Message("assistant", (first.output[:QUOTED],)), *self._turn("think")]
        ask = replace(self.ask, purpose="reflect", seed=seed, n=1)
        thought = self.model.complete(asked, ask)[0].text.strip()[:QUOTED] or "…"
        final = self.decide_on([*asked, Message("assistant", (thought,)), *self._turn("answer")], case, seed)
        outputs = [*first.outputs, thought, *final.outputs]
        if final.action is None:
            first.outputs, first.choice = outputs, "kept: the answer after reflection could not be read"
            return first
        same = final.action == first.action
        final.outputs, final.choice = outputs, "kept after reflection" if same else "revised after reflection"
        final.first_token = first.first_token
        return final

    def _turn(self, part: str) -> list[Message]:
        return build_messages(TEMPLATES / f"self_reflect.{self.paradigm.language}.j2", {"part": part})
