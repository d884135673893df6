"""A model as the one who acts while data is collected: self-play, labelled by the oracle at every step."""

from __future__ import annotations

import random
from dataclasses import replace

import msgspec

from saccade.actions import Action
from saccade.agents.build import as_taught
from saccade.agents.guidance import Case
from saccade.agents.memory import Memory
from saccade.agents.policy import Policy
from saccade.agents.records import LoggedStep
from saccade.models.base import Ask, Model, ModelError
from saccade.paradigms.base import Paradigm
from saccade.paradigms.wording import language_of
from saccade.worlds.base import InfrastructureError, Observation
from saccade.worlds.phone.oracle import Advice

STANDS_STILL = Action("wait", seconds=0)
"""What an answer that cannot be read amounts to."""


class ModelPlayer:
    """Plays one episode after another with a model under a paradigm. A model that breaks breaks the episode, which is
    then tried again.
    """

    def __init__(self, model: Model, paradigm: Paradigm, temperature: float = 0.0) -> None:
        self.model = model
        self.paradigm, self.sight = as_taught(replace(paradigm, space="phone"), model)
        self.ask = Ask(temperature=temperature)
        self.memory = Memory(self.paradigm, self.sight)
        self.last: tuple[LoggedStep, Observation] | None = None
        self.output = ""
        """The raw answer of the last step."""

    def __call__(self, seen: Observation, advice: Advice, chance: random.Random, step: int) -> Action:
        try:
            return self._play(seen, step, chance.randrange(2**31))
        except ModelError as error:
            raise InfrastructureError(f"the model broke: {error}") from None

    def _play(self, seen: Observation, step: int, seed: int) -> Action:
        paradigm = replace(self.paradigm, language=language_of(seen.instruction))
        if step == 0:
            self.memory = Memory(paradigm, self.sight)
        elif self.last is not None:
            before, screen = self.last
            self.memory.add(msgspec.structs.replace(before, error=seen.error), screen.screen.picture)
        self.memory.summarise(self.model, seen.screen, Ask(purpose="summarise", max_tokens=300))
        told = seen.screen.elements if self.model.reads == "elements" else ()
        situation = self.memory.situation(seen.instruction, seen.screen, told, ())
        case = Case(seen.instruction, self.memory.context, seen.screen, seen)
        decision = Policy(self.model, paradigm, ask=self.ask).decide(situation, case, seed)
        reply = decision.parsed.reply if decision.parsed else None
        self.output = decision.output or (decision.outputs[-1] if decision.outputs else "")
        done = LoggedStep(screen=seen.screen.size, elements=list(seen.screen.elements), prediction=decision.action,
                          thought=decision.thought, plan=reply.plan if reply else "",
                          summary=reply.summary if reply else "", acted=True)  # fmt: skip
        self.last = done, seen
        return decision.action or STANDS_STILL
